package forecast

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// Refreshed is what a refresh has seen: the scope has what is remembered now.
type Refreshed struct {
	Scope
	predicted conversion.ProjectPrediction
	Chapters  []audioprojects.Chapter
	cachedFor time.Duration // of the list, if nobody has said so yet
	// Missing is why a single chapter is taken for deleted; nil if it is not.
	Missing error
}

// Refresh looks at the chapters of a resource in the state, and brings what it remembers up to date. The error is why they cannot be seen;
// then nothing else is known.
func (c *Conversions) Refresh(ctx context.Context, s Scope) (seen Refreshed, err error) {
	c.limit.forget(s) // Terraform may have made a plan before this, which it drops (-minimal-refresh).
	seen.Scope = s
	seen.predicted, err = c.predict(ctx, s)
	if err != nil {
		return seen, err
	}
	seen.cachedFor = c.cachedFor(s)
	seen.Chapters, err = seen.updateMemory(seen.predicted)
	if s.SingleChapter && len(seen.Memory.Missing) > 0 {
		seen.Missing = seen.predicted.Chapters[0].Err
	}
	return seen, err
}

// cachedFor is how old the list of a project was when it came, if that was too old; 0 if somebody has said so already.
func (c *Conversions) cachedFor(s Scope) time.Duration {
	age := c.engine.CachedFor(s.ProjectID)
	if age > 0 && !c.Once("cached "+s.ProjectID) {
		return 0
	}
	return age
}

// Warn says what the refresh has seen that the resource does not show.
func (r Refreshed) Warn(diags *diag.Diagnostics) {
	say.WarnOfCache(r.cachedFor, diags)
	var remain say.Groups[string]
	var withoutDate []string
	for _, chapter := range r.predicted.Chapters {
		name := say.Identified(chapter.Chapter)
		if chapter.NoNewerDate {
			withoutDate = append(withoutDate, name)
		}
		if chapter.Decision.Reason == conversion.ErrorStays {
			remain.Add(stays(chapter.Decision.Words), "Check the audio. "+AfterApply.again, name)
		}
	}
	warnOfNoNewerDate(withoutDate, diags)
	if len(remain) > 0 {
		diags.AddWarning(earlierMessage, remain.Paragraphs(say.Dashed))
	}
	r.warnOfExcludedMissing(diags)
	switch {
	case !r.All:
	case len(r.Chapters) < r.Count:
		diags.AddWarning(chaptersGone, fmt.Sprintf("The service lists %s of %s, which had %d. "+
			"The provider no longer converts the others, also not for changed `triggers`, and waits for no conversion of them.", say.CountOf(len(r.Chapters), "chapter"), r.Label, r.Count))
	case len(r.Memory.Forgotten) > 0: // and others have come
		diags.AddWarning(chaptersGone, "Two lists lack these chapters of "+r.Label+", one 5 s after the other. "+
			"The provider waits no longer for the conversions of them that were pending:"+say.FirstDashed(r.Memory.Forgotten, "chapter"))
	}
}
