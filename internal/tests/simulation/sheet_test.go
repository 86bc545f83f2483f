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

	engine "github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
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

// sheet is what people read of a story: for each run what its plan and its apply said, what was requested, and for each look at
// a chapter the facts and the rule that decided, where they are not those of the look before. How the runs after the story
// went, in which the service is as usual, stands in one line.
func (o outcome) sheet() string {
	if o.timeline == nil {
		return ""
	}
	lines := slices.Clone(o.timeline.lines)
	told := slices.IndexFunc(lines, func(m moment) bool { return m.who == "SERVICE" && m.text == behaves })
	var b strings.Builder
	slices.SortStableFunc(lines, func(a, b moment) int {
		return cmp.Or(cmp.Compare(a.at.Truncate(time.Millisecond), b.at.Truncate(time.Millisecond)), cmp.Compare(rank(a.who), rank(b.who)), strings.Compare(a.text, b.text))
	})
	end := time.Duration(-1)
	if told >= 0 {
		end = o.timeline.lines[told].at
	}
	last := map[string]string{}
	for _, m := range lines {
		if end >= 0 && m.at >= end || rank(m.who) < 0 {
			continue
		}
		text := m.text
		switch m.who {
		case "PLAN", "APPLY":
			text = summary(text)
			if strings.HasSuffix(text, ": no-op") {
				continue
			}
		case "ENGINE":
			chapter, _, _ := strings.Cut(text, " ")
			if last[chapter] == text {
				continue
			}
			last[chapter] = text
		}
		fmt.Fprintf(&b, "%s %s: %s\n", clock(m.at), strings.ToLower(m.who), text)
	}
	b.WriteString(o.ends)
	for _, what := range slices.Sorted(maps.Keys(o.exceptions)) {
		fmt.Fprintf(&b, "nobody can prevent: %s\n", what)
	}
	b.WriteString(o.said())
	return b.String()
}

const behaves = "behaves from now on"

// rank orders what happens at the same time; what has none is not on the sheet.
func rank(who string) int {
	return slices.Index([]string{"TERRAFORM", "SOMEBODY", "SERVICE", "PLAN", "ENGINE", "POST", "APPLY"}, who)
}

// summary is what a screen shows, without the details of its boxes.
func summary(screen string) string {
	var kept []string
	for i, line := range strings.Split(screen, "\n") {
		if i == 0 || strings.HasPrefix(line, "Error: ") || strings.HasPrefix(line, "Warning: ") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "; ")
}

// decided is the rule that decided, and what it waits for.
func decided(o logged) string {
	if o.Decision.Step == engine.Wait && o.Concluded.Step != engine.Wait {
		return fmt.Sprintf("%s, then %s", ruleOf(o.Decision), ruleOf(o.Concluded))
	}
	return ruleOf(o.Decision)
}

// ending says what was paid for.
func (t *terraform) ending() string {
	var b strings.Builder
	for i, c := range t.chapters {
		paid, gained := 0, 0
		for j, did := range c.effects() {
			gained += count(did.gain)
			if j.process > 0 {
				paid++
			}
		}
		fmt.Fprintf(&b, "in the end: %s paid for %d times, %d paragraphs converted, %d open\n", chapterIDs[i], paid, gained, count(c.openAt(t.now())))
	}
	return b.String()
}
