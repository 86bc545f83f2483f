package provider

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// chapterPlans counts the resources that a plan has for each chapter. Terraform names no resource to a provider, so that they are told
// apart only by how often the same chapter is planned.
type chapterPlans struct {
	mu       sync.Mutex
	chapters map[string]plansOfChapter // by the id of the resource
}

type plansOfChapter struct {
	resources int // that were planned
	// refreshed: each resource that exists is refreshed before it is planned.
	refreshed bool
	// beforeRefresh are the planned ones that exist and were not refreshed before. If one of them is refreshed after that
	// (-minimal-refresh), Terraform drops its plan, and makes another one.
	beforeRefresh int
}

// planned counts one more resource, and returns how many there are.
func (p *chapterPlans) planned(id string, exists bool) (resources int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.chapters == nil {
		p.chapters = map[string]plansOfChapter{}
	}
	plans := p.chapters[id]
	plans.resources++
	if exists && !plans.refreshed {
		plans.beforeRefresh++
	}
	p.chapters[id] = plans
	return plans.resources
}

// refreshed notes that a resource was refreshed.
func (p *chapterPlans) refreshed(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.chapters == nil {
		p.chapters = map[string]plansOfChapter{}
	}
	plans := p.chapters[id]
	if plans.beforeRefresh > 0 {
		plans.beforeRefresh--
		plans.resources--
	} else {
		plans.refreshed = true
	}
	p.chapters[id] = plans
}

// warnOfAnother warns, once in a process, if the plan has another resource for the same chapter. The second half of a replacement is none:
// it has the private state of the first, which a new resource has not.
func (r *conversionResource) warnOfAnother(ctx context.Context, req resource.ModifyPlanRequest, diags *diag.Diagnostics) {
	private, _ := req.Private.GetKey(ctx, memoryKey)
	exists := !req.State.Raw.IsNull()
	isSecondHalf := !exists && len(private) > 0
	isApply := r.ready() && r.limit.applying.Load() // The plan has shown the warning.
	if len(r.ids) < 2 || isSecondHalf || isApply {
		return
	}
	var values map[string]tftypes.Value
	var projectID, chapterID string
	if req.Plan.Raw.As(&values) != nil || values["project_id"].As(&projectID) != nil || values["chapter_id"].As(&chapterID) != nil {
		return // They are known only in the apply.
	}
	id := projectID + "/" + chapterID
	if r.chapterPlans.planned(id, exists) < 2 || !r.once("another resource for "+id) {
		return
	}
	chapter := audioprojects.Chapter{ChapterID: chapterID}
	var name string
	if values["name"].As(&name) == nil {
		chapter.Name = (*audioprojects.Text)(&name)
	}
	diags.AddAttributeWarning(path.Root("chapter_id"), "More than one resource for a chapter of "+projectThing(projectID),
		"More than one `audioprojects_chapter_conversion` resource is for this chapter, which is a mistake:"+dashed([]string{identified(chapter)})+
			"\n\nKeep one of them, and remove the others. They share each conversion, but a plan shows each edit for all of them. "+
			"Destroying one of them changes nothing at the service.")
}
