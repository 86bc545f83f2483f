package provider

import (
	"context"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// dataEstimate is an estimate as data.
type dataEstimate struct {
	Chapters     []estimatedChapter `json:"chapters"`
	ChapterCount int                `json:"chapter_count"`
	// Characters are the most that all conversions together may cost; nil if the service does not count one of the chapters.
	Characters *int64 `json:"characters"`
}

type estimatedChapter struct {
	ChapterID  string              `json:"chapter_id"`
	Name       *audioprojects.Text `json:"name"`
	Characters *int64              `json:"characters"`
	Reason     *string             `json:"reason"`
}

// estimateAsData estimates what a new resource would request.
func (c *conversions) estimateAsData(ctx context.Context, s scope, diags *diag.Diagnostics) dataEstimate {
	var memory resourceMemory
	predicted, err := c.look(ctx, &s, &memory, diags)
	memory.warnOfVanished(s, diags)
	if err != nil {
		diags.Append(say.Unable("read", s.thing, path.Root("project_id"), err))
	}
	unread := unreadIn(memory.Planned)
	if len(unread) > 0 { // An estimate without them would say that they cost nothing.
		diags.AddError("Unable to read "+s.thing, "The provider cannot tell how much unconverted text these chapters have."+listUnread(unread)+"\n\n"+say.NewerVersion)
	}
	estimate := dataEstimate{Chapters: []estimatedChapter{}}
	var counted []plannedChapter
	for _, chapter := range predicted.Chapters {
		if chapter.Decision.Step != conversion.Request {
			continue
		}
		shown := estimatedChapter{ChapterID: chapter.Desired.ChapterID, Name: chapter.Chapter.Name, Characters: chapter.Desired.Characters(chapter.Chapter)}
		why := causeOf(chapter)
		if why != "" {
			shown.Reason = &why
		}
		estimate.Chapters, counted = append(estimate.Chapters, shown), append(counted, plannedChapter{Characters: shown.Characters})
	}
	estimate.ChapterCount = len(estimate.Chapters)
	together, areCounted := totalOf(counted)
	if areCounted {
		estimate.Characters = &together
	}
	return estimate
}
