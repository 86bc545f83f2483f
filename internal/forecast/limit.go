package forecast

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// LimitVariable is the environment variable for max_characters.
const LimitVariable = "AUDIOPROJECTS_MAX_CHARACTERS"

// MostCharacters is the greatest limit that may be given. Terraform's numbers are exact far beyond it.
const MostCharacters = 1_000_000_000_000

// characterLimit limits the characters of all conversions of one process (max_characters). A plan and an apply are processes of
// their own: in a plan it counts what the resources would request, in an apply what has been requested.
type characterLimit struct {
	most *int64 // nil: no limit
	// applying: this process has been asked to convert or to wait, so it is an apply. Terraform plans each resource once more in it.
	applying atomic.Bool

	mu sync.Mutex
	// planned are the characters that a look in this process has found, and noted those that an earlier refresh has found: the most that
	// was told of each chapter. together is the sum of both, with each chapter once.
	planned, noted map[countedChapter]int64
	together       int64
	// resources are those that have counted, in their order and as messages name them, and countedBy is which of them was first for a chapter.
	resources []string
	countedBy map[countedChapter]string
	requested int64 // by requests that the service has accepted, or may have received
	exceeded  bool  // a plan has been told
}

// countedChapter is a chapter in the count. One that is not known yet counts for each resource that is about one.
type countedChapter struct {
	projectID, chapterID string
	resource             int64
}

func newCharacterLimit(most *int64) *characterLimit {
	return &characterLimit{most: most, planned: map[countedChapter]int64{}, noted: map[countedChapter]int64{}, countedBy: map[countedChapter]string{}}
}

// of is what counts for a chapter.
func (l *characterLimit) of(chapter countedChapter) int64 {
	return max(l.planned[chapter], l.noted[chapter])
}

// binds reports whether a plan must stay within a limit. An apply goes by its requests.
func (l *characterLimit) binds() bool { return l.most != nil && !l.applying.Load() }

// limitError means that conversions would exceed the limit, or that it cannot be known because the service does not count them.
type limitError struct {
	most      int64
	uncounted bool
	// together is what a plan has counted until here, and adds a line for each resource that has counted some of it.
	together int64
	adds     []string
}

func (e *limitError) Error() string {
	says, _ := e.explained()
	return says
}

// explained says why nothing is requested, and what to do about that.
func (e *limitError) explained() (says, follows string) {
	const setting = "`max_characters` or " + LimitVariable
	if e.uncounted {
		return "The service does not count the characters of all chapters, so the provider cannot check the limit of " + say.CountOf(e.most, "character") + " in `max_characters`.",
			"Remove " + setting + ", or leave these chapters out."
	}
	return "The conversions would exceed the limit of " + say.CountOf(e.most, "character") + " (`max_characters`).", "Raise " + setting + ", or convert fewer chapters at a time."
}

// plan counts what a resource would request in an apply of this process's plan, or might: the characters that each chapter may cost at
// most. A chapter counts once, with the most that was told of it: Terraform plans a resource more than
// once, and several resources may have one chapter. It returns an error if all of them together exceed the limit: only once, because
// one error is enough for a plan to fail, and a thousand could not be read. What is only noted is counted apart: the refresh takes it
// back ([characterLimit.forget]).
func (l *characterLimit) plan(resource, projectID string, chapters []PlannedChapter, noted bool) *limitError {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.binds() || len(chapters) == 0 {
		return nil
	}
	if !slices.Contains(l.resources, resource) {
		l.resources = append(l.resources, resource)
	}
	counts := l.planned
	if noted {
		counts = l.noted
	}
	exceeded := &limitError{most: *l.most}
	for _, each := range chapters {
		if each.Characters == nil {
			exceeded.uncounted = true
			continue
		}
		chapter := countedChapter{projectID, each.ChapterID, each.resource}
		before := l.of(chapter)
		counts[chapter] = max(counts[chapter], countable(*each.Characters))
		if l.countedBy[chapter] == "" {
			l.countedBy[chapter] = resource
		}
		l.together += l.of(chapter) - before
	}
	withinLimit := !exceeded.uncounted && l.together <= *l.most
	if withinLimit || l.exceeded {
		return nil
	}
	l.exceeded = true
	exceeded.together, exceeded.adds = l.together, l.contributions()
	return exceeded
}

// contributions is a line for each resource that has counted something.
func (l *characterLimit) contributions() (lines []string) {
	all := map[string][]PlannedChapter{}
	for chapter, resource := range l.countedBy {
		counted := l.of(chapter)
		if counted > 0 {
			all[resource] = append(all[resource], PlannedChapter{Characters: &counted})
		}
	}
	for _, resource := range l.resources {
		chapters := all[resource]
		if len(chapters) > 0 {
			lines = append(lines, resource+", "+totalText(chapters))
		}
	}
	return lines
}

// allows reports whether what an earlier refresh has noted of a project stays within the limit, with all that is counted before.
func (l *characterLimit) allows(projectID string, planned []PlannedChapter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.binds() {
		return true
	}
	together := l.together
	for _, chapter := range planned {
		switch {
		case !chapter.Need.costs():
		case chapter.Characters == nil:
			return false
		default:
			counted := l.of(countedChapter{projectID, chapter.ChapterID, chapter.resource})
			together += max(0, countable(*chapter.Characters)-counted)
		}
	}
	return together <= *l.most
}

// forget takes back what was counted of an earlier refresh's notes about these chapters, because they are being refreshed. A plan was
// made before that, which Terraform drops (-minimal-refresh).
func (l *characterLimit) forget(projectID string, planned []PlannedChapter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, each := range planned {
		chapter := countedChapter{projectID, each.ChapterID, each.resource}
		before := l.of(chapter)
		delete(l.noted, chapter)
		l.together += l.of(chapter) - before
	}
}

// countable is a number of characters beyond which no limit goes, so that sums of them never overflow.
func countable(characters int64) int64 { return min(characters, MostCharacters+1) }

// reserve counts the characters of a request before it is sent, and gives them back if the service has not accepted it and cannot have
// received it. The others are the account book: a line in the log for each.
func (l *characterLimit) reserve(desired conversion.Desired, chapter audioprojects.Chapter) (answered func(context.Context, error), exceeded error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	most, reserved := desired.Characters(chapter), int64(0)
	switch {
	case l.most == nil:
	case most == nil, conversion.Sum(l.requested, *most) > *l.most:
		return nil, &limitError{most: *l.most, uncounted: most == nil}
	default:
		reserved = *most
	}
	l.requested += reserved
	return func(ctx context.Context, err error) {
		if err == nil || errors.Is(err, audioprojects.Ambiguous) {
			logPayment(ctx, desired.ProjectID, chapter, most, err)
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.requested -= reserved
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
		"chapter":    cmp.Or(say.ShownName(chapter), chapter.ChapterID),
		"characters": characters,
		"outcome":    outcome,
	})
}
