package conversion

import (
	"context"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// Prediction is what [Engine.Convert] would do about a wish now.
type Prediction struct {
	// Chapter is the chapter as last seen; without an id if it could not be seen.
	Chapter audioprojects.Chapter
	// Decision is [Look] if the chapter could not be seen.
	Decision Decision
	// Pending is what is pending, with what the looks have shown of it; nil when nothing is.
	Pending *Pending
}

// mostConfirmations is how often a prediction looks again where what it has seen must be confirmed. A chapter
// that never shows the same twice is left to the apply.
const mostConfirmations = 3

// Predict tells what a wish would lead to, by a list at most 10 s old and from after this process's last
// request to convert the chapter; a failed list is remembered as long. Where one look proves nothing, it takes
// a second one, five seconds after the first. The error is why the chapter cannot be seen; a [*MissingChapterError]
// is proven.
func (e *Engine) Predict(ctx context.Context, wish Wish) (Prediction, error) {
	predicted := Prediction{}
	if wish.Pending != nil {
		pending := *wish.Pending
		pending.resumedAt = time.Now()
		predicted.Pending = &pending
	}
	lists, witness := e.listsOf(wish.ProjectID), e.witness(wish)
	notBefore := e.notBefore(wish.key(), refreshAge)
	var seen []observation
	for confirmations := 0; ; confirmations++ {
		latest, err := lists.listing(ctx, notBefore)
		if err != nil {
			return predicted, err
		}
		for _, found := range lists.since(notBefore) {
			shown, believed, err := witness.see(ctx, found)
			if err != nil && found == latest {
				return predicted, err
			}
			if believed {
				predicted.Chapter, seen = shown.chapter, append(seen, shown)
				if predicted.Pending != nil {
					predicted.Pending.observe(shown)
				}
			}
		}
		predicted.Decision = decide(wish, predicted.Pending, seen)
		again := witness.until()
		if again.IsZero() && predicted.Decision.Reason == Confirming {
			again = predicted.Decision.Until
		}
		if again.IsZero() || confirmations == mostConfirmations {
			return predicted, nil
		}
		select {
		case <-time.After(time.Until(again)):
		case <-ctx.Done():
			return predicted, ctx.Err()
		}
		notBefore = again
	}
}

// Chapter returns a chapter as a list has it that is at most 10 s old, and from after this process's last request
// to convert it. It proves nothing that a second look could refute: whoever concludes from it asks for a prediction.
func (e *Engine) Chapter(ctx context.Context, projectID, chapterID string) (audioprojects.Chapter, error) {
	key := chapterKey{projectID, chapterID}
	found, err := e.listsOf(projectID).listing(ctx, e.notBefore(key, refreshAge))
	if err != nil {
		return audioprojects.Chapter{}, err
	}
	chapter, _, err := found.chapter(key)
	return chapter, err
}
