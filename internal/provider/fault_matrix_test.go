package provider_test

import (
	"flag"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// The fault matrix: a conversion is wanted, something goes wrong with a request, the apply is
// cut short, and the service has its habits. Whatever comes together, applying until the plan is
// empty has paid for exactly one conversion that succeeds, and for each that failed; for none
// that somebody else had begun.

var whole = flag.Bool("whole-matrix", false, "run every case of the fault matrix instead of a selection in which every two values meet")

// story is a case of the matrix.
type story struct {
	wish  wish
	fault fault
	way   way
	habit habit
	fails bool // the first conversion does
}

func (s story) name() string {
	return strings.Join(s.values(), "/")
}

// values are what the story has of each column.
func (s story) values() []string {
	end := "succeeds"
	if s.fails {
		end = "fails"
	}
	return []string{s.wish.name, s.fault.name + string(s.fault.at), s.way.name, s.habit.name, end}
}

// stories are all cases that make sense.
func stories() []story {
	var all []story
	for _, wish := range wishes {
		for _, fault := range faults() {
			for _, way := range ways {
				for _, habit := range habits {
					for _, fails := range []bool{false, true} {
						if s := (story{wish, fault, way, habit, fails}); s.makesSense() {
							all = append(all, s)
						}
					}
				}
			}
		}
	}
	return all
}

func (s story) makesSense() bool {
	switch {
	case s.wish.joins && s.fault.at == atTheRequest:
		return false // there is no request
	case s.way.createBeforeDestroy && s.wish.prepare != nil:
		return false // only what a creation leaves behind is replaced
	case s.habit.habits.NoStatistics && (s.way.arguments[keepUpToDate] != nil || s.wish.arguments[keepUpToDate] != nil):
		return false // keep_up_to_date goes by the statistics
	case s.way.killed > 0 && s.wish.name == "changed triggers":
		return false // with the state, the new triggers are lost, and no text tells that they were paid for
	case s.way.tainted && (s.habit.conversion.Takes == 0 || s.fault.at == atTheNextApply || s.fault.at == duringTheWait && s.fault.Hang > 0):
		return false // what has ended by then is converted again: that is what tainting asks for
	case s.fault.name == "hang after processing" && s.way.pause > time.Minute && s.leavesNoTrace():
		return false // nobody could ever know of this conversion
	}
	return true
}

// leavesNoTrace tells whether the chapter looks the same after the conversion as before.
func (s story) leavesNoTrace() bool {
	if s.fails {
		return s.habit.oldError == freshError && !s.habit.habits.DatesFailures
	}
	return s.wish.converted && s.habit.habits.NoDates
}

func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	all := stories()
	selected := all
	if !*whole {
		selected = selection(all)
	}
	for _, s := range selected {
		t.Run(s.name(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, s.tell)
		})
	}
	t.Logf("%d of %d cases", len(selected), len(all))
}

// tell applies until nothing is left to do, and checks what was paid for.
func (s story) tell(t *testing.T) {
	c := s.begin(t)
	s.spoil(c, atTheRequest, 1)
	time.AfterFunc(3*time.Second, func() { s.spoil(c, duringTheWait, 3) })
	screens := []*screen{c.apply(s.way.disturbance)}

	if s.way.tainted && c.object != nil {
		c.object.tainted = true
	}
	time.Sleep(max(time.Second, s.way.pause))
	delete(c.arguments, "timeouts")
	s.spoil(c, atTheNextApply, 6)
	again := s.way.again
	for range 10 {
		shown := c.apply(again)
		again = disturbance{}
		screens = append(screens, shown)
		if shown.action == "no-op" {
			break
		}
		time.Sleep(11 * time.Second) // a failed refresh is remembered for ten
	}
	s.check(c, screens)
}

// begin brings the service and the state to where the conversion is wanted.
func (s story) begin(t *testing.T) *core {
	first := s.habit.conversion
	if s.wish.joins {
		first = aMinute
	}
	if s.fails {
		first.Fails = freshError
	}
	service := mockserver.New()
	service.SetHabits(s.habit.habits)
	service.AddProject(bookWith(mockserver.Chapter{
		Text: chapterText, Converted: s.wish.converted, Error: s.habit.oldError,
		Conversions: []mockserver.Conversion{first, s.habit.conversion},
	}))
	c := &core{T: t, kind: chapterConversion, service: service, arguments: map[string]any{}, createBeforeDestroy: s.way.createBeforeDestroy}
	maps.Copy(c.arguments, s.wish.arguments)
	maps.Copy(c.arguments, s.way.arguments)
	if s.way.timeout != "" {
		c.arguments["timeouts"] = map[string]any{"create": s.way.timeout, "update": s.way.timeout}
	}
	if s.wish.prepare != nil {
		s.wish.prepare(c)
	}
	if s.wish.joins {
		service.Convert("book", "one")
		time.Sleep(5 * time.Second)
	}
	return c
}

func (s story) spoil(c *core, at point, times int) {
	if s.fault.at != at {
		return
	}
	fault := s.fault.Fault
	fault.Operation, fault.Times = mockserver.ListChapters, times
	if at == atTheRequest {
		fault.Operation = mockserver.ConvertChapter
	}
	c.service.Inject(fault)
}

func (s story) check(c *core, screens []*screen) {
	defer c.explain(screens)
	want := 1
	if s.wish.joins {
		want = 0
	}
	if s.fails {
		want++
	}
	c.wantPaid(want)
	if c.comeback > time.Second {
		c.Errorf("the interrupted apply came back after %s", c.comeback)
	}
	if last := screens[len(screens)-1]; last.action != "no-op" || c.object == nil || c.object.tainted || c.pending() != "" {
		c.Fatalf("something is left to do: %+v", last)
	}
	told := slices.ContainsFunc(screens, func(shown *screen) bool { return shown.says(freshError) })
	if s.fails && !told && s.way.killed == 0 {
		c.Error("the conversion failed, and no screen has said so")
	}
	// A service that shows all it knows confirms it.
	c.service.SetHabits(mockserver.Habits{})
	c.plan()
	left := attributesOf(attributesOf(c.object.value)["statistics"])["characters_unconverted"]
	c.wantEqual("characters left", left, tftypes.NewValue(tftypes.Number, 0))
}

// explain shows what a failed test has seen.
func (c *core) explain(screens []*screen) {
	if !c.Failed() {
		return
	}
	for i, shown := range screens {
		c.Logf("screen %d: %+v", i, *shown)
	}
	for _, entry := range c.service.Journal() {
		c.Logf("%s %s %d, conversion accepted: %t", entry.At.Format(time.TimeOnly), entry.Operation, entry.Status, entry.Accepted)
	}
}
