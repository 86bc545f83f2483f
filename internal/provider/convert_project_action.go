package provider

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

var (
	_ action.ActionWithConfigure  = &convertProjectAction{}
	_ action.ActionWithModifyPlan = &convertProjectAction{}
)

func newConvertProjectAction() action.Action { return &convertProjectAction{} }

type convertProjectAction struct{ *providerData }

func (a *convertProjectAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_convert_project"
}

func (a *convertProjectAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Converts what a project has left to convert, which costs credits, waits until it is done, and shows progress. A chapter that fails stops no other. " +
			"An action remembers nothing between two invocations: the resource `audioprojects_project_conversion` keeps a project converted. " +
			"Actions need Terraform 1.14 or newer.",
		Attributes: map[string]schema.Attribute{
			"project_id": schema.StringAttribute{
				MarkdownDescription: "The identifier of the project.",
				Required:            true,
				Validators:          []validator.String{identifier{}},
			},
			"chapter_ids": schema.SetAttribute{
				MarkdownDescription: "The identifiers of the chapters to convert. The default is all chapters of the project.",
				ElementType:         types.StringType,
				Optional:            true,
				Validators:          []validator.Set{setvalidator.SizeAtLeast(1), setvalidator.ValueStringsAre(identifier{})},
			},
			"all": schema.BoolAttribute{
				MarkdownDescription: "Whether chapters that have nothing left to convert are converted again, which costs credits. The default is `false`.",
				Optional:            true,
			},
			"timeout": schema.StringAttribute{
				MarkdownDescription: "The time to wait for the whole project, as a duration such as `90m`. What is not done by then goes on at the service. The default is `24h`.",
				Optional:            true,
				Validators:          []validator.String{positiveDuration{orEmpty: true}},
			},
		},
	}
}

type convertProjectModel struct {
	ProjectID  types.String `tfsdk:"project_id"`
	ChapterIDs types.Set    `tfsdk:"chapter_ids"`
	All        types.Bool   `tfsdk:"all"`
	Timeout    types.String `tfsdk:"timeout"`
}

// model is a resource for the same project, which converts it once.
func (m convertProjectModel) model() *projectConversionModel {
	return &projectConversionModel{ID: m.ProjectID, ProjectID: m.ProjectID, ChapterIDs: m.ChapterIDs}
}

func (m convertProjectModel) book() conversion.Project {
	book := m.model().book(bookMemory{}, nil)
	book.ChapterTimeout = 0
	for i := range book.Demands {
		book.Demands[i].UpToDate = !m.All.ValueBool()
	}
	if book.Others != nil {
		book.Others.UpToDate = !m.All.ValueBool()
	}
	return book
}

func (m convertProjectModel) timeout() time.Duration {
	if !isSet(m.Timeout) {
		return defaultBookTimeout
	}
	// The attribute's validator has refused everything that cannot be parsed.
	timeout, _ := time.ParseDuration(m.Timeout.ValueString())
	return timeout
}

func (a *convertProjectAction) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	a.providerData = configured(req.ProviderData, &resp.Diagnostics)
}

// ModifyPlan says what the action costs, and fails before the apply if the service has disproved it.
func (a *convertProjectAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	var config convertProjectModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || !a.ready() || config.ProjectID.IsUnknown() || config.ChapterIDs.IsUnknown() {
		return
	}
	a.billOfBook(ctx, *config.model(), config.book(), bookMemory{}, &resp.Diagnostics)
}

func (a *convertProjectAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config convertProjectModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	model := config.model()
	if !a.ready() {
		resp.Diagnostics.Append(unknownProvider("convert", model.thing()))
		return
	}
	reporter := newBookReporter(func(line string) { resp.SendProgress(action.InvokeProgressEvent{Message: line}) })
	book := config.book()
	book.Progress = func(progress conversion.ProjectProgress) {
		logBookProgress(ctx, book.ProjectID, progress)
		reporter.observe(progress)
	}
	waiting, cancel := context.WithTimeout(ctx, config.timeout())
	defer cancel()
	outcome := a.engine.ConvertProject(waiting, book)
	reporter.finish(ctx)
	newBookResult(waiting, model, config.timeout(), outcome).report(&resp.Diagnostics, afterInvoke)
}

// bookReporter says how far a book is: at each further tenth of its text, when chapters have failed, and at least every 30 s.
type bookReporter struct {
	lines progressLines

	mu       sync.Mutex
	repeat   *time.Timer // runs for maxInterval after each line about the whole book
	finished bool
	latest   conversion.ProjectProgress
	tenth    int      // of the latest line about the whole book; -1 before the first
	ended    []string // since that line
}

func newBookReporter(send func(line string)) *bookReporter {
	r := &bookReporter{lines: newProgressLines(send), tenth: -1}
	r.repeat = time.AfterFunc(maxInterval, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.say()
	})
	return r
}

func (r *bookReporter) observe(progress conversion.ProjectProgress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.latest = progress
	var failures groups
	for _, chapter := range progress.Ended {
		if chapter.Err == nil {
			r.ended = append(r.ended, named(chapter.Chapter))
		} else {
			failures.add(withoutPath(chapter.Err), "", identified(chapter.Chapter))
		}
	}
	for _, group := range failures {
		r.lines.say("Failed: " + firstOf(group.names) + ": " + said(group.says))
	}
	over := progress.Queued+progress.Converting == 0
	if percentOfBook(progress)/10 != r.tenth || over {
		r.say()
	}
}

// say says how far the book is. It needs r.mu.
func (r *bookReporter) say() {
	if r.finished {
		return
	}
	line := bookLine(r.latest)
	if len(r.ended) > 0 {
		line += "; converted since: " + firstOf(r.ended)
	}
	r.lines.say(line)
	r.tenth, r.ended = percentOfBook(r.latest)/10, nil
	r.repeat.Reset(maxInterval)
}

// finish waits until Terraform has received all lines.
func (r *bookReporter) finish(ctx context.Context) {
	r.mu.Lock()
	r.finished = true
	r.repeat.Stop()
	r.mu.Unlock()
	r.lines.finish(ctx)
}

func logBookProgress(ctx context.Context, projectID string, progress conversion.ProjectProgress) {
	tflog.Info(ctx, "Converting the chapters of a project", map[string]any{"project_id": projectID, "progress": bookLine(progress)})
}

// bookLine says how far a book is.
func bookLine(progress conversion.ProjectProgress) string {
	toConvert := progress.Chapters - progress.Adopted
	if toConvert == 0 {
		return "Nothing left to convert in " + countOf(progress.Chapters, "chapter")
	}
	parts := []string{fmt.Sprintf("%d of %s converted", progress.Converted, countOf(toConvert, "chapter")), fmt.Sprintf("%d converting", progress.Converting)}
	if progress.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", progress.Failed))
	}
	if progress.CharactersTotal > 0 {
		parts = append(parts, fmt.Sprintf("%d %%", percentOfBook(progress)))
	}
	return strings.Join(append(parts, progress.Waited.Round(time.Second).String()), ", ")
}

func percentOfBook(progress conversion.ProjectProgress) int {
	if progress.CharactersTotal <= 0 {
		return 0
	}
	return int(float64(progress.Characters) / float64(progress.CharactersTotal) * 100)
}
