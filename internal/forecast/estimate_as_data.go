package forecast

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// DataEstimate is an estimate as data.
type DataEstimate struct {
	Chapters     []EstimatedChapter `json:"chapters"`
	ChapterCount int                `json:"chapter_count"`
	// Characters are the most that all conversions together may cost; nil if the service does not count one of the chapters.
	Characters *int64 `json:"characters"`
}

// EstimatedChapter is a chapter for which a conversion would be requested. Its characters are nil if the service does not count them, and
// its reason if that is not known.
type EstimatedChapter struct {
	ChapterID  string              `json:"chapter_id"`
	Name       *audioprojects.Text `json:"name"`
	Characters *int64              `json:"characters"`
	Reason     *string             `json:"reason"`
}

// EstimateAsData estimates what a new resource would request.
func (c *Conversions) EstimateAsData(ctx context.Context, s Scope, diags *diag.Diagnostics) DataEstimate {
	var memory ResourceMemory
	predicted, err := c.look(ctx, &s, &memory, diags)
	memory.warnOfVanished(s, diags)
	if err != nil {
		diags.Append(say.Unable("read", s.Thing, path.Root("project_id"), err))
	}
	unread := unreadIn(memory.Planned)
	if len(unread) > 0 { // An estimate without them would say that they cost nothing.
		diags.AddError("Unable to read "+s.Thing, "The provider cannot tell how much unconverted text these chapters have."+listUnread(unread)+"\n\n"+say.NewerVersion)
	}
	estimate := DataEstimate{Chapters: []EstimatedChapter{}}
	var counted []PlannedChapter
	for _, chapter := range predicted.Chapters {
		if chapter.Decision.Step != conversion.Request {
			continue
		}
		shown := EstimatedChapter{
			ChapterID:  chapter.Desired.ChapterID,
			Name:       chapter.Chapter.Name,
			Characters: chapter.Desired.Characters(chapter.Chapter),
		}
		why := causeOf(chapter)
		if why != "" {
			shown.Reason = &why
		}
		estimate.Chapters, counted = append(estimate.Chapters, shown), append(counted, PlannedChapter{Characters: shown.Characters})
	}
	estimate.ChapterCount = len(estimate.Chapters)
	together, areCounted := totalOf(counted)
	if areCounted {
		estimate.Characters = &together
	}
	return estimate
}
