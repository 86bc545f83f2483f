package conversion

import (
	"context"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// Prediction is what [Engine.Convert] would do for a wish now.
type Prediction struct {
	// Chapter is the chapter as last seen; without an id if it could not be seen.
	Chapter audioprojects.Chapter
	// Decision is [Look] if the chapter could not be seen.
	Decision Decision
	// Pending is the pending conversion, with what the looks have shown of it; nil if there is none.
	Pending *Pending
}

// Requests tells whether the apply will request a conversion for the wish, as far as that can be known now.
func (p Prediction) Requests(wish Wish) bool {
	return p.Decision.Step == Request || p.Decision.Step == Wait && wish.newTriggers(p.Pending)
}

// mostConfirmations is how often a prediction looks again to confirm what it has seen. If the chapter changes every
// time, the prediction ends without a confirmed result, and the apply decides.
const mostConfirmations = 3

// Predict tells what Convert would do for a wish. It uses a list that is at most 10 s old, and newer than this process's
// last request to convert the chapter; a list that failed is kept as long. If one look is not enough to decide, it takes a
// second one 5 s later. The error is why the chapter cannot be seen; a [*MissingChapterError] is confirmed by a second
// look and the project's record.
func (e *Engine) Predict(ctx context.Context, wish Wish) (Prediction, error) {
	predicted := Prediction{}
	if wish.Pending != nil {
		pending := *wish.Pending
		pending.resumedAt = time.Now()
		predicted.Pending = &pending
	}
	lists, reader := e.listsOf(wish.ProjectID), e.chapterReader(wish)
	notBefore := e.notBefore(wish.key(), refreshAge)
	var seen []observation
	for confirmations := 0; ; confirmations++ {
		latest, err := lists.listing(ctx, notBefore)
		if err != nil {
			return predicted, err
		}
		for _, found := range lists.since(notBefore) {
			shown, believed, err := reader.read(ctx, found)
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
		observe(ctx, true, wish, predicted.Pending, seen, predicted.Decision)
		again := reader.until()
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

// Chapter returns a chapter from a list that is at most 10 s old, and newer than this process's last request to convert
// it. One list may be wrong, because replicas lag. To decide something, use [Engine.Predict].
func (e *Engine) Chapter(ctx context.Context, projectID, chapterID string) (audioprojects.Chapter, error) {
	key := chapterKey{projectID, chapterID}
	found, err := e.listsOf(projectID).listing(ctx, e.notBefore(key, refreshAge))
	if err != nil {
		return audioprojects.Chapter{}, err
	}
	chapter, err := found.chapter(key)
	return chapter, err
}
