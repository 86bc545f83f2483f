package forecast

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
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

// Limit is the limit of one provider block: what its conversions may request in one process, in characters.
type Limit struct {
	Most int64
	// Setting has set it, as messages name it. Settings are all that set one: if Setting is removed, another one holds.
	Setting, Settings string
}

// SmallestLimit is the limit that holds of those that are set; nil if there is none.
func SmallestLimit(set ...Limit) *Limit {
	if len(set) == 0 {
		return nil
	}
	smallest := slices.MinFunc(set, func(a, b Limit) int { return cmp.Compare(a.Most, b.Most) })
	var holding, all []string
	for _, limit := range set {
		all = append(all, limit.Setting)
		if limit.Most == smallest.Most {
			holding = append(holding, limit.Setting)
		}
	}
	return &Limit{Most: smallest.Most, Setting: strings.Join(holding, " and "), Settings: strings.Join(all, " and ")}
}

// String is how messages name it.
func (l *Limit) String() string {
	return "the limit of " + say.CountOf(l.Most, "character") + " (" + l.Setting + ")"
}

// characterLimit limits the characters of all conversions of one process (max_characters). A plan and an apply are processes of
// their own: in a plan it counts what the resources would request, in an apply what has been requested.
type characterLimit struct {
	set *Limit // nil: no limit
	// applying: see [Conversions.BeginApply].
	applying atomic.Bool

	mu        sync.Mutex
	planned   []plannedCost // of each resource, by its latest plan, in their order
	requested int64         // by requests that the service has accepted, or may have received
	told      string        // the key of the resource whose plan was told that the limit is exceeded; empty if none was
}

// plannedCost is what one resource would request, and what it only waits for.
type plannedCost struct {
	resource          string // as messages name it
	key               string // tells it from other resources, also from those for other chapters of the same project
	requested, waited total
	adopted           int // chapters; 0 if there is anything that may cost
}

func newCharacterLimit(set *Limit) *characterLimit { return &characterLimit{set: set} }

// binds reports whether a plan must stay within a limit. An apply goes by its requests.
func (l *characterLimit) binds() bool { return l.set != nil && !l.applying.Load() }

// limitError means that conversions would exceed the limit, or that it cannot be known because the service does not count them.
type limitError struct {
	Limit
	uncounted bool
	// planned is what a plan has counted until here; nil in an apply.
	planned []plannedCost
}

func (e *limitError) Error() string {
	says, _ := e.explained()
	return says
}

// explained says why nothing is requested, and what to do about that.
func (e *limitError) explained() (says, follows string) {
	if e.uncounted {
		return "The service does not count the characters of all chapters, so the provider cannot check " + e.String() + ".",
			"Remove " + e.Settings + ", or leave these chapters out."
	}
	follows = "Raise " + e.Setting + ", or convert fewer chapters at a time."
	if strings.Contains(e.Setting, LimitVariable) {
		follows += " If that is the number of an earlier plan, there is more text since: plan again."
	}
	return "The conversions would exceed " + e.String() + ".", follows
}

// inPlan is the error of a plan, with what each resource adds.
func (e *limitError) inPlan() string {
	says, follows := e.explained()
	var lines []string
	var together total
	for _, each := range e.planned {
		lines = append(lines, each.resource+", "+each.requested.requested())
		together = together.and(each.requested)
	}
	says += " Nothing is requested. The plan has " + say.CountOf(together.characters, "character") + " until here:" +
		say.FirstDashed(lines, "resource")
	return says + "\n\nResources that Terraform plans later may add more.\n\n" + follows + "\n\n" + say.IfDestroying
}

// planSum is what the resources that a plan has until now have together.
type planSum struct {
	requested, waited total
	adopted           int // chapters
}

// plan notes what a resource would request in an apply of this process's plan, and what it only waits for. Terraform
// plans a resource more than once, in any order, and its latest plan counts. exceeded is the error if all of them would
// request more than the limit: only once, because one error is enough for a plan to fail, and a thousand could not be
// read.
func (l *characterLimit) plan(cost plannedCost) (untilHere planSum, exceeded *limitError) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.applying.Load() {
		return planSum{}, nil
	}
	l.drop(cost.key)
	if cost.requested.chapters+cost.waited.chapters+cost.adopted > 0 {
		l.planned = append(l.planned, cost)
	}
	for _, each := range l.planned {
		untilHere.requested = untilHere.requested.and(each.requested)
		untilHere.waited = untilHere.waited.and(each.waited)
		untilHere.adopted += each.adopted
	}
	exceeded = l.exceeded()
	if exceeded != nil {
		l.told = cost.key
	}
	return untilHere, exceeded
}

// exceeded is the error of a plan, unless it has been told. What only waits does not count, so that a limit of 0 means to wait and to
// request nothing: if it becomes a request, reserve holds that back.
func (l *characterLimit) exceeded() *limitError {
	if l.set == nil || l.told != "" {
		return nil
	}
	exceeded := &limitError{Limit: *l.set}
	var together total
	for _, each := range l.planned {
		if each.requested.chapters > 0 {
			exceeded.planned = append(exceeded.planned, each)
			together = together.and(each.requested)
		}
	}
	exceeded.uncounted = together.uncounted
	isForbidden := together.chapters > 0 && l.forbidsAll()
	if together.uncounted || together.characters > l.set.Most || isForbidden {
		return exceeded
	}
	return nil
}

// forbidsAll reports whether nothing may be requested, also not what costs nothing.
func (l *characterLimit) forbidsAll() bool { return l.set != nil && l.set.Most == 0 }

// forget takes back what a resource's latest plan has counted, and has been told.
func (l *characterLimit) forget(s Scope) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(s.key())
	if l.told == s.key() {
		l.told = ""
	}
}

func (l *characterLimit) drop(key string) {
	l.planned = slices.DeleteFunc(l.planned, func(cost plannedCost) bool { return cost.key == key })
}

// reserve counts the characters of a request before it is sent, and gives them back if the service has not accepted it and cannot have
// received it. The others are the account book: a line in the log for each.
func (l *characterLimit) reserve(
	projectID string, chapter audioprojects.Chapter, most *int64,
) (answered func(context.Context, error), exceeded error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	reserved := int64(0)
	switch {
	case l.set == nil:
	case most == nil, l.forbidsAll(), conversion.Sum(l.requested, *most) > l.set.Most:
		return nil, &limitError{Limit: *l.set, uncounted: most == nil}
	default:
		reserved = *most
	}
	l.requested += reserved
	return func(ctx context.Context, err error) {
		if err == nil || errors.Is(err, audioprojects.Ambiguous) {
			logPayment(ctx, projectID, chapter, most, err)
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.requested -= reserved
	}, nil
}

// inTextLog makes a name one value of a line: Terraform 1.5 writes the text of a log without escapes.
var inTextLog = strings.NewReplacer(`"`, "'", `\`, "/")

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
		"chapter":    inTextLog.Replace(cmp.Or(say.ShownName(chapter), chapter.ChapterID)),
		"characters": characters,
		"outcome":    outcome,
	})
}
