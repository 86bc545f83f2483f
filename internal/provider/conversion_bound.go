package provider

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// characterBound bounds the characters of all conversions of one process (max_characters). A plan and an apply are processes of
// their own: in a plan it counts what the objects would request, in an apply what has been requested.
type characterBound struct {
	most *int64 // nil: no bound
	// applying: this process has been asked to convert or to wait, so it is an apply. Terraform plans each object once more in it.
	applying atomic.Bool

	mu        sync.Mutex
	planned   map[string]map[string]int64 // by project and chapter
	requested int64                       // by requests that the service has accepted, or may have received
	exceeded  bool                        // a plan has been told
}

// boundError means that conversions would exceed the bound, or that it cannot be known because the service does not count them.
type boundError struct {
	most      int64
	uncounted bool
}

func (e *boundError) Error() string {
	says, _ := e.explained()
	return says
}

// explained says why nothing is requested, and what to do about that.
func (e *boundError) explained() (says, follows string) {
	const setting = "`max_characters` or " + maxCharactersVariable
	if e.uncounted {
		return "The service does not count the characters of all chapters, and `max_characters` allows " + grouped(e.most) + ".", "Take " + setting + " away, or leave these chapters out."
	}
	return "More than " + countOf(e.most, "character") + " would be converted together (`max_characters`).", "Raise " + setting + ", or convert fewer chapters at a time."
}

// plan counts what an apply of this process's plan would request in a project: the characters that each chapter may cost at most, nil if
// the service does not count them. A chapter counts once, with the most that was told of it: Terraform plans an object more than
// once, and several objects may have one chapter. It returns an error if all of them together exceed the bound: only once, because
// one error is enough for a plan to fail, and a thousand could not be read.
func (b *characterBound) plan(projectID string, chapters map[string]*int64) *boundError {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.most == nil || b.applying.Load() || len(chapters) == 0 {
		return nil
	}
	if b.planned[projectID] == nil {
		b.planned[projectID] = map[string]int64{}
	}
	exceeded := &boundError{most: *b.most}
	for id, characters := range chapters {
		if characters == nil {
			exceeded.uncounted = true
			continue
		}
		b.planned[projectID][id] = max(*characters, b.planned[projectID][id])
	}
	withinBound := !exceeded.uncounted && sumOfPlanned(b.planned) <= *b.most
	if withinBound || b.exceeded {
		return nil
	}
	b.exceeded = true
	return exceeded
}

// forget takes back what plan has counted of these chapters.
func (b *characterBound) forget(projectID string, open []openChapter) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, chapter := range open {
		delete(b.planned[projectID], chapter.ChapterID)
	}
}

// allows reports whether these chapters of a project stay within the bound, together with what has been planned.
func (b *characterBound) allows(projectID string, open []openChapter) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.most == nil || b.applying.Load() {
		return true
	}
	counted := maps.Clone(b.planned)
	counted[projectID] = map[string]int64{}
	maps.Copy(counted[projectID], b.planned[projectID])
	for _, chapter := range open {
		if chapter.Characters != nil {
			counted[projectID][chapter.ChapterID] = max(*chapter.Characters, counted[projectID][chapter.ChapterID])
		} else if !chapter.Waits {
			return false
		}
	}
	return sumOfPlanned(counted) <= *b.most
}

func sumOfPlanned(planned map[string]map[string]int64) (together int64) {
	for _, project := range planned {
		for _, characters := range project {
			together = conversion.Sum(together, characters)
		}
	}
	return together
}

// reserve counts the characters of a request before it is sent, and gives them back if the service has not accepted it and cannot have
// received it. The others are the account book: a line in the log for each.
func (b *characterBound) reserve(demand conversion.Demand, chapter audioprojects.Chapter) (answered func(context.Context, error), exceeded error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	most, reserved := demand.Characters(chapter), int64(0)
	switch {
	case b.most == nil:
	case most == nil, conversion.Sum(b.requested, *most) > *b.most:
		return nil, &boundError{*b.most, most == nil}
	default:
		reserved = *most
	}
	b.requested += reserved
	return func(ctx context.Context, err error) {
		if err == nil || errors.Is(err, audioprojects.Ambiguous) {
			logPayment(ctx, demand.ProjectID, chapter, most, err)
			return
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.requested -= reserved
	}, nil
}

func logPayment(ctx context.Context, projectID string, chapter audioprojects.Chapter, most *int64, lost error) {
	characters, outcome := "not counted", "accepted"
	if most != nil {
		characters = strconv.FormatInt(*most, 10)
	}
	if lost != nil {
		outcome = "answer lost"
	}
	tflog.Info(ctx, "Conversion requested", map[string]any{
		"project_id": projectID,
		"chapter_id": chapter.ChapterID,
		"chapter":    named(chapter),
		"characters": characters,
		"outcome":    outcome,
	})
}
