package simulation_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"time"
)

func count(paragraphs uint64) int { return bits.OnesCount64(paragraphs) }

// timeline is what happened in a story, for people to read. A nil timeline records nothing.
type timeline struct {
	mu    sync.Mutex
	lines []moment
}

type moment struct {
	at   time.Duration
	who  string
	text string
	same string // of several moments in a row with the same text here, only the last is printed
}

func (t *timeline) at(at time.Duration, who, format string, arguments ...any) {
	t.add(at, "", who, format, arguments...)
}

func (t *timeline) add(at time.Duration, same, who, format string, arguments ...any) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, moment{at, who, fmt.Sprintf(format, arguments...), same})
}

// list records an answer that shows the chapters.
func (t *timeline) list(l listing, f fault) {
	if t == nil {
		return
	}
	what := "list"
	if l.project {
		what = "project"
	}
	var chapters, alike []string
	for i, r := range l.shown {
		if r == nil {
			chapters = append(chapters, chapterIDs[i]+" MISSING")
		} else {
			chapters = append(chapters, chapterIDs[i]+" "+r.String())
			same := *r
			same.progress = min(r.progress, 0)
			alike = append(alike, same.String())
		}
	}
	same := ""
	if f.What == "" {
		same = fmt.Sprint(l.process, what, alike)
	}
	t.add(l.asked, same, "REQUEST", "process %d: GET %s: %s%s", l.process, what, strings.Join(chapters, " | "), f)
}

func (r record) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q", r.state)
	if r.progress >= 0 {
		fmt.Fprintf(&b, " progress %g", r.progress)
	}
	if r.date != 0 {
		fmt.Fprintf(&b, " date %+d", r.date-epoch)
	}
	if r.error != 0 {
		fmt.Fprintf(&b, " error %q", r.error.text())
	}
	if r.converted >= 0 {
		fmt.Fprintf(&b, " converted %d open %d", r.converted, r.unconverted)
	}
	return b.String()
}

func (t *timeline) String() string {
	slices.SortStableFunc(t.lines, func(a, b moment) int { return cmp.Compare(a.at, b.at) })
	var b strings.Builder
	for i, line := range t.lines {
		if line.same != "" && i > 0 && i+1 < len(t.lines) && line.who == "REQUEST" && line.same == t.lines[i-1].same && line.same == t.lines[i+1].same {
			continue
		}
		text := strings.ReplaceAll(line.text, "\n", "\n"+strings.Repeat(" ", 24))
		fmt.Fprintf(&b, "%12s  %-10s%s\n", clock(line.at), line.who, text)
	}
	return b.String()
}

// clock is a time as hours, minutes, seconds and thousandths.
func clock(at time.Duration) string {
	ms := at.Milliseconds()
	return fmt.Sprintf("%d:%02d:%02d.%03d", ms/3600000, ms/60000%60, ms/1000%60, ms%1000)
}

// truth adds how the conversions ended.
func (w *world) truth() {
	if w.trace == nil {
		return
	}
	for i, c := range w.chapters {
		var converted uint64 = (1<<c.first.Converted - 1) << remainders
		for _, j := range c.jobs {
			who := "somebody's"
			if j.process > 0 {
				who = fmt.Sprintf("process %d's", j.process)
			}
			gain, missed := c.gain(j, converted)
			converted |= gain
			w.trace.at(j.start, "TRUTH", "%s: %s conversion starts", chapterIDs[i], who)
			w.trace.at(j.end, "TRUTH", "%s: %s conversion ends: %s, %d paragraphs converted, %d not", chapterIDs[i], who,
				[]string{"well", "in error " + j.Error.text(), "cancelled"}[j.Ends], count(gain), count(missed))
		}
	}
}

func sorted(counts map[string]int) []string { return slices.Sorted(maps.Keys(counts)) }
