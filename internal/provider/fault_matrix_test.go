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

var whole = flag.Bool("whole-matrix", false, "run every case of the fault matrix instead of an even selection")

// matrixStride selects the cases that are run by default: it shares no factor with the length
// of any column, so that every two values still meet.
const matrixStride = 19

// story is a case of the matrix.
type story struct {
	wish  wish
	fault fault
	way   way
	habit habit
	fails bool // the first conversion does
}

func (s story) name() string {
	end := "succeeds"
	if s.fails {
		end = "fails"
	}
	return strings.Join([]string{s.wish.name, s.fault.name, s.way.name, s.habit.name, end}, "/")
}

// wish is why there is to be a conversion.
type wish struct {
	name      string
	arguments map[string]any
	converted bool // the chapter has been converted before
	joins     bool // somebody else has just begun to convert it
	prepare   func(*core)
}

const keepUpToDate = "keep_up_to_date"

var wishes = []wish{
	{name: "create"},
	{name: "create what is under way", joins: true},
	{name: "changed triggers", converted: true, prepare: func(c *core) {
		c.restore("book/one")
		c.arguments["triggers"] = map[string]any{"voice": "Ottilie"}
		c.apply(disturbance{})
		c.arguments["triggers"] = map[string]any{"voice": "Marrow"}
	}},
	{name: "edited text", arguments: map[string]any{keepUpToDate: true}, converted: true, prepare: func(c *core) {
		c.apply(disturbance{})
		c.service.EditChapter("book", "one", chapterText+"\n\nThe keeper was away.")
		time.Sleep(10 * time.Second) // until lists show it
	}},
}

// fault is what goes wrong with requests, and when.
type fault struct {
	name string
	at   point
	mockserver.Fault
}

type point string

const (
	never          point = ""
	atTheRequest   point = " of the request for a conversion"
	duringTheWait  point = " during the wait"
	atTheNextApply point = " at the next refresh"
)

func faults() []fault {
	all := []fault{{name: "nothing wrong", at: never}}
	page := "<!DOCTYPE html><html>maintenance</html>"
	lost := map[string]mockserver.Fault{
		"reset": {Reset: true}, "EOF": {EOF: true}, "hang": {Hang: time.Hour},
		"408": {Status: 408}, "500": {Status: 500}, "502": {Status: 502, Body: page}, "503": {Status: 503}, "504": {Status: 504},
		"unreadable 2xx": {Body: page}, "torn 2xx": {Body: `{"chapters":[{`},
	}
	for _, name := range slices.Sorted(maps.Keys(lost)) {
		after := lost[name]
		after.Process = true
		all = append(all,
			fault{name + " before processing", atTheRequest, lost[name]},
			fault{name + " after processing", atTheRequest, after},
			fault{name, duringTheWait, lost[name]},
			fault{name, atTheNextApply, lost[name]})
	}
	for _, at := range []point{atTheRequest, duringTheWait, atTheNextApply} {
		all = append(all,
			fault{"429 with seconds", at, mockserver.RateLimited(20 * time.Second)},
			fault{"429 with a date", at, mockserver.RateLimitedUntil(bubbleBegins.Add(3 * time.Minute))})
	}
	return append(all,
		fault{"empty 2xx", atTheRequest, mockserver.Fault{Process: true, Status: 200}},
		fault{"truncated 2xx", atTheRequest, mockserver.Fault{Process: true, Truncate: 4}},
		fault{"400 already converting", atTheRequest, mockserver.Fault{Process: true, Status: 400, Body: `{"detail":"already converting"}`}},
		fault{"409 already converting", atTheRequest, mockserver.Fault{Process: true, Status: 409, Body: `{"detail":"already converting"}`}},
	)
}

// bubbleBegins is when time begins in a synctest bubble.
var bubbleBegins = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// way is how the first apply ends, and when the next one follows.
type way struct {
	name string
	disturbance
	timeout   string
	arguments map[string]any
	// tainted: somebody marks the object, so that it will be replaced.
	tainted bool
	// createBeforeDestroy is how the object is replaced that a timeout leaves tainted.
	createBeforeDestroy bool
	pause               time.Duration
}

var keep = map[string]any{keepUpToDate: true}

// What is lost with the state (killed) or is not handed on (create_before_destroy) can only be
// found at the service, so the next apply comes when the service shows it.
var ways = []way{
	{name: "waited out"},
	{name: "interrupted, next apply at once", disturbance: disturbance{interrupted: 7 * time.Second}},
	{name: "interrupted, next apply later", disturbance: disturbance{interrupted: 7 * time.Second}, pause: 20 * time.Minute},
	{name: "interrupted and tainted, next apply at once", disturbance: disturbance{interrupted: 7 * time.Second}, tainted: true},
	{name: "out of time, next apply at once", timeout: "10s"},
	{name: "out of time, next apply later", timeout: "10s", pause: 20 * time.Minute},
	{name: "killed, next apply soon", disturbance: disturbance{killed: 7 * time.Second}, arguments: keep, pause: 30 * time.Second},
	{name: "killed, next apply later", disturbance: disturbance{killed: 7 * time.Second}, arguments: keep, pause: 20 * time.Minute},
	{name: "create_before_destroy, next apply soon", timeout: "10s", arguments: keep, createBeforeDestroy: true, pause: 30 * time.Second},
	{name: "create_before_destroy, next apply later", timeout: "10s", arguments: keep, createBeforeDestroy: true, pause: 20 * time.Minute},
}

// habit is how the service behaves.
type habit struct {
	name       string
	habits     mockserver.Habits
	conversion mockserver.Conversion
	oldError   string
}

const (
	oldError   = "out of breath"
	freshError = "voice not found"
)

var habits = []habit{
	{name: "plain", conversion: aMinute},
	{name: "queued first", conversion: mockserver.Conversion{Queued: 30 * time.Second, Takes: time.Minute}},
	{name: "begins after 5 s", conversion: mockserver.Conversion{Lag: 5 * time.Second, Takes: time.Minute}},
	{name: "begins after 25 s", conversion: mockserver.Conversion{Lag: 25 * time.Second, Takes: time.Minute}},
	{name: "ends at once", conversion: mockserver.Conversion{}},
	{name: "ends at once after 20 s", conversion: mockserver.Conversion{Lag: 20 * time.Second}},
	{name: "stale lists", habits: mockserver.Habits{StaleLists: 4 * time.Second}, conversion: aMinute},
	{name: "stale error kept", habits: mockserver.Habits{KeepsOldError: true}, conversion: aMinute, oldError: oldError},
	{name: "stale error cleared", conversion: aMinute, oldError: oldError},
	{name: "same error again", conversion: aMinute, oldError: freshError},
	{name: "dates failures", habits: mockserver.Habits{DatesFailures: true, KeepsOldError: true}, conversion: aMinute, oldError: oldError},
	{name: "no date", habits: mockserver.Habits{NoDates: true}, conversion: aMinute},
	{name: "no statistics", habits: mockserver.Habits{NoStatistics: true}, conversion: aMinute},
	{name: "fractional progress", habits: mockserver.Habits{Progress: mockserver.Fractional}, conversion: aMinute},
	{name: "no progress, absent fields", habits: mockserver.Habits{Progress: mockserver.None, OmitsUnset: true}, conversion: aMinute},
}

var aMinute = mockserver.Conversion{Takes: time.Minute}

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
	ran := 0
	for i, s := range all {
		if !*whole && i%matrixStride != 0 {
			continue
		}
		ran++
		t.Run(s.name(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, s.tell)
		})
	}
	t.Logf("%d of %d cases", ran, len(all))
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
	for range 10 {
		shown := c.apply(disturbance{})
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
	c := &core{T: t, service: service, arguments: map[string]any{}, createBeforeDestroy: s.way.createBeforeDestroy}
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
	want := 1
	if s.wish.joins {
		want = 0
	}
	if s.fails {
		want++
	}
	if got := c.service.Conversions("book", "one"); got != want {
		c.Errorf("conversions paid for: got %d, want %d", got, want)
	}
	if c.comeback > time.Second {
		c.Errorf("the interrupted apply came back after %s", c.comeback)
	}
	if last := screens[len(screens)-1]; last.action != "no-op" || c.object == nil || c.object.tainted || c.attribute("pending_conversion") != "" {
		c.Errorf("nothing should be left to do: %+v", last)
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
	if c.Failed() {
		for i, shown := range screens {
			c.Logf("screen %d: %+v", i, *shown)
		}
		for _, entry := range c.service.Journal() {
			c.Logf("%s %s %d %t", entry.At.Format(time.TimeOnly), entry.Operation, entry.Status, entry.Accepted)
		}
	}
}
