package simulation_test

import (
	"cmp"
	"fmt"
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
	at        time.Duration
	who, text string
}

func (t *timeline) at(at time.Duration, who, format string, arguments ...any) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, moment{at, who, fmt.Sprintf(format, arguments...)})
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
	var chapters []string
	for i, r := range l.shown {
		if r == nil {
			chapters = append(chapters, chapterIDs[i]+" MISSING")
		} else {
			chapters = append(chapters, inJSON(r.fields(chapterIDs[i])))
		}
	}
	t.at(l.asked, "REQUEST", "process %d: GET %s: %s%s", l.process, what, strings.Join(chapters, " | "), f)
}

func (t *timeline) String() string {
	slices.SortStableFunc(t.lines, func(a, b moment) int { return cmp.Compare(a.at, b.at) })
	var b strings.Builder
	for i, line := range t.lines {
		if i+1 < len(t.lines) && line.who == "REQUEST" && line.text == t.lines[i+1].text {
			continue // The last of several equal lists tells them all.
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
		for j, did := range c.effects() {
			who := "somebody's"
			if j.process > 0 {
				who = fmt.Sprintf("process %d's", j.process)
			}
			w.trace.at(j.start, "TRUTH", "%s: %s conversion starts", chapterIDs[i], who)
			w.trace.at(j.end, "TRUTH", "%s: %s conversion ends: %s, %d paragraphs converted, %d not", chapterIDs[i], who,
				[]string{"well", "in error " + j.Error.text(), "cancelled"}[j.Ends], count(did.gain), count(did.missed))
		}
	}
}
