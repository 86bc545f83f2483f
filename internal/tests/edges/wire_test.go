package edges_test

import (
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// wirePlay is a course in which one answer of the service is changed, or each answer to one operation.
type wirePlay struct {
	use       wireUse
	usual     *wireOutcome // of the course without a change
	change    *wireChange
	operation mockserver.Operation
	number    int // of the answer to the operation, from 0; negative: each
}

func (p wirePlay) String() string {
	which := "each"
	if p.number >= 0 {
		which = fmt.Sprint(p.number + 1)
	}
	return fmt.Sprintf("%s, %s, %s: %s", p.use.name, p.operation, which, p.change.name)
}

// TestWire plays one of so many changes, and with -all each. An end that its row of the table does not have fails, and so does what must never be.
func TestWire(t *testing.T) {
	log.SetOutput(io.Discard) // net/http tells of bytes after an answer.
	plays := wirePlays(t)
	var chosen []wirePlay
	number := map[string]int{} // of the plays with the same row and kind of change
	for _, play := range plays {
		alike := fmt.Sprint(wireRowOf(play), play.change.kind)
		isDue := *all || *only != "" || number[alike]%wireStride(play) == 0
		number[alike]++
		if isDue && strings.Contains(play.String(), *only) {
			chosen = append(chosen, play)
		}
	}
	s := &wireStage{plays: chosen, ends: make([]map[string]int, len(wireTable))}
	t.Run("all", func(t *testing.T) {
		for worker := range runtime.GOMAXPROCS(0) {
			t.Run(fmt.Sprint(worker), func(t *testing.T) {
				t.Parallel()
				s.work(t)
			})
		}
	})
	t.Logf("%d of %d plays", len(chosen), len(plays))
	if *all && *only == "" {
		s.wantNothingIdle(t)
	}
	wireReadme(t, len(plays))
}

// wireStride is of how many plays one is due in each run. Where nothing is applied, a play takes a tenth of the time.
func wireStride(p wirePlay) int {
	if p.use.settle == nil {
		return 9
	}
	return 79
}

// wireStage plays, several plays at a time.
type wireStage struct {
	plays []wirePlay
	next  atomic.Int64
	mu    sync.Mutex
	ends  []map[string]int // how often plays of each row of the table have ended so
}

func (s *wireStage) work(t *testing.T) {
	for number := int(s.next.Add(1)) - 1; number < len(s.plays); number = int(s.next.Add(1)) - 1 {
		p := s.plays[number]
		o := p.play(t)
		end := o.end(p)
		row := wireRowOf(p)
		s.mu.Lock()
		if *only != "" {
			t.Logf("%s: %s\n%s", p, end, o.told(p))
		}
		if row < 0 || !slices.Contains(wireTable[row].ends, end) {
			t.Errorf("%s ends otherwise than the table says: %s\n%s", p, end, o.told(p))
		} else {
			if s.ends[row] == nil {
				s.ends[row] = map[string]int{}
			}
			s.ends[row][end]++
		}
		for _, broken := range o.broken {
			if row < 0 || !wireTable[row].breaks {
				t.Errorf("%s: %s\n%s", p, broken, o.told(p))
			}
		}
		s.mu.Unlock()
	}
}

// wantNothingIdle checks that there is a play for each end of each row.
func (s *wireStage) wantNothingIdle(t *testing.T) {
	for i, row := range wireTable {
		for _, end := range row.ends {
			if s.ends[i][end] == 0 {
				t.Errorf("no play ends so: %s, %s, %s: %s", row.kinds, row.where, row.which, end)
			}
		}
	}
}

// wirePlays are all plays, in an order that is always the same. A change of a field that comes once is not tried again: it ends alike.
func wirePlays(t *testing.T) (all []wirePlay) {
	changes := slices.Concat(wireSame(), wireLess())
	for _, use := range wireUses() {
		usual := wirePlay{use: use}.play(t)
		if len(usual.errors)+len(usual.broken) > 0 {
			t.Fatalf("%s: %q %q", use.name, usual.errors, usual.broken)
		}
		asked := map[mockserver.Operation]int{}
		for _, operation := range usual.asked {
			asked[operation]++
		}
		for i := range changes {
			for _, operation := range changes[i].operations {
				for _, number := range wireMoments(&changes[i], asked[operation]) {
					all = append(all, wirePlay{use, usual, &changes[i], operation, number})
				}
			}
		}
	}
	return all
}

// wireMoments are which of so many answers are changed: each; and the first alone, and one in the middle.
func wireMoments(c *wireChange, answers int) []int {
	isFinal := c.field != nil || c.kind == "not all" || c.kind == "another media type"
	switch {
	case answers == 0:
		return nil
	case c.kind == "the same", answers == 1 && isFinal:
		return []int{-1}
	case answers < 3:
		return []int{-1, 0}
	default:
		return []int{-1, 0, answers / 2}
	}
}

// play plays it in fake time.
func (p wirePlay) play(t *testing.T) (o *wireOutcome) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		o = &wireOutcome{values: map[string]string{}}
		w := &wireWorld{ctx: t.Context(), mock: mockserver.New(), folder: folder, outcome: o}
		w.mock.AddProject(wireBook())
		counts, isOver := map[mockserver.Operation]int{}, false
		w.wire = &wireServer{service: w.mock, change: func(a *wireAnswer, r *http.Request) {
			journal := w.mock.Journal()
			asked := journal[len(journal)-1]
			number := counts[asked.Operation]
			counts[asked.Operation]++
			isMeant := p.change != nil && asked.Operation == p.operation && (p.number < 0 || p.number == number)
			if !isOver {
				o.asked = append(o.asked, asked.Operation)
			}
			if !isOver && isMeant {
				p.change.do(a, r, w.wire)
			}
			isRefused := a.status >= 400 && a.status <= 499 && a.status != http.StatusRequestTimeout
			switch {
			case asked.Operation != mockserver.ConvertChapter:
			case isRefused:
				w.refused[asked.ChapterID]++
			default:
				w.posted[asked.ChapterID]++
			}
		}}
		if p.change != nil {
			w.wire.secure, w.wire.two = p.change.secure || p.change.two, p.change.two
		}
		began := time.Now()
		p.use.course(w)
		o.took = time.Since(began)
		isOver = true
		if p.use.settle != nil && (p.change == nil || o.end(p) != wireUnchanged) {
			p.use.settle(w)
		}
		o.paid = w.mock.Conversions("book", "one") + w.mock.Conversions("book", "two")
		w.wire.close()
	})
	return o
}

// The ends of a play.
const (
	wireUnchanged = "unchanged"
	wireLater     = "later"        // unchanged, but for the time that it takes, and for estimates
	wireValue     = "its value"    // only the value of the changed field is another one, and what is made of it
	wireJoined    = "joined"       // as if somebody else had requested the conversion
	wireOthers    = "other values" // or other words
	wireWarns     = "warning"
	wireFails     = "error"     // which names the request and the cause
	wirePaysMore  = "pays more" // than usual, when all has settled
	wirePaysLater = "error, and pays more"
	wireShows     = "error of what is listed" // which says what the answer shows, and not that it is wrong
)

// wireTurn is how much later a course may end because its goroutines took turns in another order.
const wireTurn = 100 * time.Millisecond

// end is how a play has ended.
func (o *wireOutcome) end(p wirePlay) string {
	differing, isLater := o.differing(p), o.took > p.usual.took+wireTurn
	isOf := func(explained func(path string) bool) bool {
		return !slices.ContainsFunc(differing, func(path string) bool { return !explained(path) })
	}
	switch {
	case o.paid > p.usual.paid && len(o.errors)+p.usual.paid > 0:
		if len(o.errors) > 0 {
			return wirePaysLater
		}
		return wirePaysMore
	case slices.ContainsFunc(o.errors, func(words string) bool { return !p.isNamedIn(words) }):
		return wireShows
	case len(o.errors) > 0:
		return wireFails
	case len(o.warnings) > len(p.usual.warnings):
		return wireWarns
	case len(differing) == 0 && (slices.Equal(o.words, p.usual.words) || isLater && slices.Equal(withoutEstimates(o.words), withoutEstimates(p.usual.words))):
		switch {
		case isLater:
			return wireLater
		case o.costly() != p.usual.costly():
			return wireOthers
		}
		return wireUnchanged
	case p.change.field != nil && isOf(p.change.field.explains):
		return wireValue
	case len(differing) > 0 && isOf(func(path string) bool { return strings.HasSuffix(path, "characters_requested") }):
		return wireJoined
	default:
		return wireOthers
	}
}

// costly is how many requests have cost something, or brought audio.
func (o *wireOutcome) costly() (count int) {
	for _, operation := range o.asked {
		if operation == mockserver.ConvertChapter || operation == mockserver.StreamSnapshot {
			count++
		}
	}
	return count
}

// withoutEstimates are words without the estimates. Those say how old a list is, and have no sum of a project if it is older than ten seconds.
func withoutEstimates(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(text string) bool { return strings.Contains(text, "Conversions that cost credits in ") })
}

// isNamedIn reports whether an error names the request that was changed, or the header that was.
func (p wirePlay) isNamedIn(words string) bool {
	unbroken := strings.NewReplacer("\n  │ ", " ").Replace(words)
	return strings.Contains(unbroken, wireRequests[p.operation]) ||
		strings.Contains(unbroken, "by the header Age") || strings.Contains(unbroken, "the service accepts no requests")
}

// wireRequests is how the request of an operation begins.
var wireRequests = map[mockserver.Operation]string{
	mockserver.GetProject:           "GET /v1/projects/book",
	mockserver.ListChapters:         "GET /v1/projects/book/chapters",
	mockserver.ListChapterSnapshots: "GET /v1/projects/book/chapters/two/snapshots",
	mockserver.ListProjects:         "GET /v1/projects",
	mockserver.ListProjectSnapshots: "GET /v1/projects/book/snapshots",
	mockserver.ConvertChapter:       "POST /v1/projects/book/chapters/",
	mockserver.StreamSnapshot:       "POST /v1/projects/book/snapshots/",
}

// differing are the paths of the values that are other ones than usual.
func (o *wireOutcome) differing(p wirePlay) (paths []string) {
	both := maps.Clone(p.usual.values)
	maps.Copy(both, o.values)
	for path := range both {
		got := strings.ReplaceAll(o.values[path], "https://localhost", "http://localhost")
		isLater := strings.Contains(path, "last_conversion_date") && o.took > p.usual.took
		isAsItCame := strings.HasSuffix(path, "json") || strings.HasSuffix(path, "experimental")
		if got != p.usual.values[path] && !isLater && !isAsItCame && !strings.HasSuffix(path, "filename") {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// told is what people saw, and what became of it.
func (o *wireOutcome) told(p wirePlay) string {
	var b strings.Builder
	for _, words := range o.words {
		fmt.Fprintf(&b, "  %s\n", strings.ReplaceAll(words, "\n", "\n    "))
	}
	for _, path := range o.differing(p) {
		fmt.Fprintf(&b, "  %s: %s, usually %s\n", path, o.values[path], p.usual.values[path])
	}
	fmt.Fprintf(&b, "  asked %v, paid %d, usually %d, took %s, usually %s; broken %q\n", o.asked, o.paid, p.usual.paid, o.took, p.usual.took, o.broken)
	return b.String()
}
