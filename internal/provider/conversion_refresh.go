package provider

import (
	"context"
	"fmt"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// predict tells what convert would do now. The error is why the chapters cannot be seen. That one is missing, or cannot be read, is in its
// own prediction.
func (c *conversions) predict(ctx context.Context, s scope) (conversion.ProjectPrediction, error) {
	if !s.singleChapter || s.Others != nil {
		return c.engine.PredictProject(ctx, s.Project)
	}
	predicted := conversion.ProjectPrediction{Chapters: c.engine.Predict(ctx, s.Desired[0])}
	err := predicted.Chapters[0].Err
	if conversion.IsMissing(err) || conversion.IsUnreadable(err) {
		err = nil
	}
	return predicted, err
}

// refreshed is what a refresh has seen.
type refreshed struct {
	conversion.ProjectPrediction
	chapters []audioprojects.Chapter
	memory   resourceMemory
	// gone is why a single chapter is taken for deleted; nil if it is not.
	gone error
}

// refresh looks at the chapters of a resource in the state, and brings what it remembers up to date. The error is why they cannot be seen;
// then nothing else is known.
func (c *conversions) refresh(ctx context.Context, s scope, memory resourceMemory) (seen refreshed, err error) {
	c.limit.forget(s.ProjectID, memory.Planned)
	seen.memory = memory
	seen.ProjectPrediction, err = c.predict(ctx, s)
	if err != nil {
		return seen, err
	}
	seen.chapters, err = seen.memory.refresh(s, seen.ProjectPrediction)
	if s.singleChapter && len(seen.memory.Missing) > 0 {
		seen.gone = seen.Chapters[0].Err
	}
	return seen, err
}

// warn says what the refresh has seen that the resource does not show.
func (r refreshed) warn(s scope, diags *diag.Diagnostics) {
	warnOfUnread(s.ProjectID, r.memory.Planned, diags)
	warnOfUndated(r.undated(), diags)
	say.WarnOfRefusedRecord(s.thing, r.RecordRefused, diags)
	r.memory.warnOfVanished(s, diags)
	if s.Others != nil && len(r.chapters) < s.count {
		diags.AddWarning("Chapters are gone", fmt.Sprintf("Two lists and the project's own record show %s of %s, which had %d. "+
			"The provider no longer converts the others, and waits for no conversion of them.", say.CountOf(len(r.chapters), "chapter"), s.thing, s.count))
	}
}

// undated names the chapters of which a look has shown that their conversion has ended, and no newer date.
func (r refreshed) undated() (names []string) {
	for _, chapter := range r.ProjectPrediction.Chapters {
		if chapter.Undated {
			names = append(names, say.Identified(chapter.Chapter))
		}
	}
	return names
}
