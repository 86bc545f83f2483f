package forecast

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// Refreshed is what a refresh has seen.
type Refreshed struct {
	predicted conversion.ProjectPrediction
	Chapters  []audioprojects.Chapter
	Memory    ResourceMemory
	// Gone is why a single chapter is taken for deleted; nil if it is not.
	Gone error
}

// Refresh looks at the chapters of a resource in the state, and brings what it remembers up to date. The error is why they cannot be seen;
// then nothing else is known.
func (c *Conversions) Refresh(ctx context.Context, s Scope, memory ResourceMemory) (seen Refreshed, err error) {
	c.limit.forget(s) // Terraform may have made a plan before this, which it drops (-minimal-refresh).
	seen.Memory = memory
	seen.predicted, err = c.predict(ctx, s)
	if err != nil {
		return seen, err
	}
	seen.Chapters, err = seen.Memory.refresh(s, seen.predicted)
	if s.SingleChapter && len(seen.Memory.Missing) > 0 {
		seen.Gone = seen.predicted.Chapters[0].Err
	}
	return seen, err
}

// Warn says what the refresh has seen that the resource does not show.
func (r Refreshed) Warn(s Scope, diags *diag.Diagnostics) {
	var remain say.Groups[string]
	var undated []string
	for _, chapter := range r.predicted.Chapters {
		name := say.Identified(chapter.Chapter)
		if chapter.IsUndated {
			undated = append(undated, name)
		}
		if chapter.Decision.Reason == conversion.ErrorStays {
			remain.Add(stays(chapter.Chapter), "Check the audio. "+AfterApply.again, name)
		}
	}
	warnOfUndated(undated, diags)
	if len(remain) > 0 {
		diags.AddWarning(earlierMessage, remain.Paragraphs(say.Dashed))
	}
	r.Memory.warnOfVanished(s, diags)
	if s.Others != nil && len(r.Chapters) < s.Count {
		diags.AddWarning("Chapters are gone", fmt.Sprintf("The service lists %s of %s, which had %d. "+
			"The provider no longer converts the others, and waits for no conversion of them.", say.CountOf(len(r.Chapters), "chapter"), s.Thing, s.Count))
	}
}
