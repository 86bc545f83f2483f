package simulation_test

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// world is the service and the people who use it beside Terraform.
type world struct {
	*story
	began   time.Time
	trace   *timeline
	aliases []int // of the provider, of each process; the first process is number 1

	mu              sync.Mutex
	chapters        []*chapter
	coming          []dueEvent
	windows         []dueEvent // during which something is missing, or the project is created
	whole           []wholeRun
	lists           []listing
	posts           []posted
	gets            int
	closing         bool                    // the last phase has begun, in which the service is as usual
	ignoredRequests []ignoredRequest        // of which nobody could see that they had no effect
	asked           map[int]int             // requests for lists, by process
	looks           map[int][]time.Duration // by the engine, at each chapter
	spent           map[int]int             // characters that were requested at least, by process
}

// dueEvent is an event whose time is known.
type dueEvent struct {
	event
	due time.Duration
}

// listing is an answer that showed the chapters.
type listing struct {
	asked   time.Duration
	process int
	project bool // the project's own record
	shown   []*record
	state   string // of the project, in its own record
}

// posted is a request for a conversion.
type posted struct {
	chapter, process int
	at               time.Duration
	status           int // of the answer
}

type ignoredRequest struct {
	chapter int
	at      time.Duration
}

// charactersEach is how many characters a paragraph has.
const charactersEach = 100

var chapterIDs = []string{
	"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
}

func newWorld(s *story, trace *timeline) *world {
	w := &world{story: s, began: time.Now(), trace: trace, asked: map[int]int{}, spent: map[int]int{}, looks: map[int][]time.Duration{}}
	for _, habits := range s.Chapters {
		w.chapters = append(w.chapters, newChapter(habits))
	}
	return w
}

// inTurn puts events of the same moment in an order, so that a story is the same when it is played again.
func inTurn(number int) { <-time.After(time.Duration(number + 1)) }

func (w *world) now() time.Duration { return time.Since(w.began) }

// locked calls do with the world locked and up to date.
func (w *world) locked(do func(now time.Duration)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	do(w.advance())
}

// schedule makes the events of a run happen at their times.
func (w *world) schedule(events []event) {
	w.locked(func(now time.Duration) {
		for _, e := range events {
			if e.What == "types" {
				for at := time.Duration(0); at < e.For; at += 4 * time.Second {
					w.coming = append(w.coming, dueEvent{event{Chapter: e.Chapter, What: "append", Paragraphs: 1}, max(now+e.At+at, now)})
				}
			} else if e.Before == 0 {
				w.coming = append(w.coming, dueEvent{e, max(now+e.At, now)})
			}
		}
		slices.SortStableFunc(w.coming, func(a, b dueEvent) int { return cmp.Compare(a.due, b.due) })
	})
}

// turn makes the events happen that come right before a block's turn.
func (w *world) turn(events []event, block int) {
	inTurn(block)
	w.locked(func(now time.Duration) {
		for _, e := range events {
			if e.Before == block+1 {
				w.happen(dueEvent{e, now})
			}
		}
	})
}

// advance makes all events happen that are due.
func (w *world) advance() time.Duration {
	now := w.now()
	for len(w.coming) > 0 && w.coming[0].due <= now {
		w.happen(w.coming[0])
		w.coming = w.coming[1:]
	}
	return now
}

func (w *world) happen(e dueEvent) {
	if e.Chapter >= len(w.chapters) || w.closing {
		return
	}
	c, at := w.chapters[e.Chapter], e.due
	w.trace.at(at, "SERVICE", "%s %s", e.What, chapterIDs[e.Chapter])
	if c.first.Later && c.added == 0 && slices.Contains([]string{"append", "replace", "mend", "shorten", "convert"}, e.What) {
		return
	}
	switch e.What {
	case "append":
		written := c.write(e.Paragraphs)
		c.texts = append(c.texts, text{at, c.textAt(at) | written, written != 0})
	case "replace":
		written := c.write(e.Paragraphs)
		if written != 0 {
			c.texts = append(c.texts, text{at, written, true})
		}
	case "mend":
		paragraphs := c.textAt(at)
		written := c.write(e.Paragraphs)
		keep := lowest(paragraphs, max(0, count(paragraphs)-count(written)))
		c.texts = append(c.texts, text{at, keep | written, written != 0})
	case "shorten":
		paragraphs := c.textAt(at)
		keep := lowest(paragraphs, max(1, count(paragraphs)-e.Paragraphs))
		c.texts = append(c.texts, text{at, keep, false})
	case "convert":
		if c.busy(at) == nil && c.deleted == 0 {
			c.accept(&job{conversion: e.Conversion, habits: c.habits, at: at})
		}
	case "cancel":
		j := c.busy(at)
		if j != nil && j.at < at {
			j.cut, j.Part = at, 0
			if j.start < at && e.Paragraphs > 1 {
				j.Part = 10 * int(at-j.start) / int(max(j.Takes, 1))
			}
			c.schedule()
		}
	case "dismiss":
		c.dismissals = append(c.dismissals, at)
	case "add":
		c.add(at)
	case "delete":
		if c.exists(at) {
			c.deleted = max(at, 1)
		}
	case "whole":
		w.convertWhole(e)
	case "missing", "empty", "down", "creating":
		w.windows = append(w.windows, e)
	}
}

func (c *chapter) accept(j *job) {
	c.jobs = append(c.jobs, j)
	c.schedule()
}

// down says whether nobody can connect.
func (w *world) down() (down bool) {
	w.locked(func(now time.Duration) {
		for _, window := range w.windows {
			down = down || !w.closing && window.What == "down" && now < window.due+window.For
		}
	})
	return down
}

// lacks says whether a chapter is missing in lists.
func (w *world) lacks(number int, now time.Duration) bool {
	if !w.chapters[number].exists(now) {
		return true
	}
	if w.closing {
		return false
	}
	for _, window := range w.windows {
		if now >= window.due && now < window.due+window.For && (window.What == "empty" || window.What == "missing" && window.Chapter == number) {
			return true
		}
	}
	return false
}

// handler serves one process.
func (w *world) handler(process int) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, "/v1/projects/book")
		id, converts := strings.CutSuffix(strings.TrimPrefix(path, "/chapters/"), "/convert")
		number := slices.Index(chapterIDs[:len(w.chapters)], id)
		inTurn(process%2*(len(chapterIDs)+1) + number + 1)
		switch {
		case r.Method == http.MethodGet && (path == "" || path == "/chapters"):
			w.get(rw, r, process, path == "")
		case r.Method == http.MethodPost && converts && number >= 0:
			w.post(rw, r, process, number)
		default:
			w.trace.at(w.now(), "REQUEST", "%s %s: 404", r.Method, r.URL.Path)
			respond(rw, http.StatusNotFound, `{"detail":{"status":"not_found","message":"There is nothing here."}}`)
		}
	})
}

func (w *world) get(rw http.ResponseWriter, r *http.Request, process int, project bool) {
	var body string
	var f fault
	w.locked(func(now time.Duration) {
		number := w.gets
		w.gets++
		w.asked[process]++
		f = w.faultOf(w.Gets, number)
		at := now
		if len(w.Replicas) > 0 && !w.closing {
			at -= w.Replicas[number%len(w.Replicas)]
		}
		l := listing{asked: now, process: process, project: project, shown: make([]*record, len(w.chapters)), state: w.projectState(at)}
		for i, c := range w.chapters {
			if w.lacks(i, at) {
				continue
			}
			shown := c.show(at)
			l.shown[i] = &shown
		}
		if f.What == "" {
			w.lists = append(w.lists, l)
		}
		body = l.json()
		w.trace.list(l, f)
	})
	f.answer(rw, r, http.StatusOK, body)
}

// post answers a request for a conversion.
func (w *world) post(rw http.ResponseWriter, r *http.Request, process, number int) {
	var status int
	var body string
	var f fault
	w.locked(func(now time.Duration) {
		n := len(w.posts)
		f = w.faultOf(w.Posts, n)
		effect := "not processed"
		if f.What == "" || f.What == "slow" || f.After {
			status, body, effect = w.convert(number, process, n, now)
		}
		w.posts = append(w.posts, posted{number, process, now, cmp.Or(f.Status, status)})
		if f.mayBeReceived(status) {
			w.spent[process] += w.leastCharacters(process, number, now)
		}
		w.trace.at(now, "POST", "convert %s: %d, %s%s", chapterIDs[number], status, effect, f)
	})
	f.answer(rw, r, status, body)
}

func (w *world) convert(number, process, n int, now time.Duration) (status int, body, effect string) {
	c := w.chapters[number]
	habits := c.habits
	switch {
	case !c.exists(now):
		return http.StatusNotFound, detail("not_found", "There is no such chapter."), "refused"
	case c.busy(now) == nil && c.openAt(now) == 0 && habits.Idles:
		w.ignoredRequests = append(w.ignoredRequests, ignoredRequest{number, now})
		return http.StatusOK, `{"status":"ok"}`, "NO EFFECT: nothing to do"
	case c.busy(now) != nil:
		switch habits.WhenBusy {
		case busyConflict:
			return http.StatusConflict, detail("busy", "The chapter is being converted."), "refused"
		case busyBadRequest:
			return http.StatusBadRequest, detail("busy", "The chapter is being converted."), "refused"
		case busyError:
			return http.StatusInternalServerError, detail("busy", "The chapter is being converted."), "refused"
		}
	}
	if w.AtATime > 0 && !w.closing && w.running(now) >= w.AtATime {
		return http.StatusTooManyRequests, detail("too_many_concurrent_requests", "No more conversions run at the same time."), "refused"
	}
	script := conversion{Takes: 20 * time.Second}
	if c.requested < len(c.first.Conversions) && !w.closing {
		script = c.first.Conversions[c.requested]
	}
	c.requested++
	c.accept(&job{conversion: script, habits: habits, process: process, number: n, at: now})
	return http.StatusOK, `{"status":"ok"}`, "ACCEPTED"
}

// running is how many chapters are being converted.
func (w *world) running(now time.Duration) (count int) {
	for _, c := range w.chapters {
		if c.busy(now) != nil {
			count++
		}
	}
	return count
}

func (w *world) faultOf(faults []fault, number int) fault {
	for _, f := range faults {
		if f.Number == number && !w.closing {
			return f
		}
	}
	return fault{}
}

func detail(status, message string) string {
	return `{"detail":{"status":"` + status + `","message":"` + message + `"}}`
}

// json is the body of the answer.
func (l *listing) json() string {
	answer := map[string]any{}
	if l.project {
		answer["project_id"], answer["name"], answer["state"], answer["experimental"] = "book", "Book", l.state, struct{}{}
	}
	chapters := []any{}
	for i, r := range l.shown {
		if r != nil {
			chapters = append(chapters, r.fields(chapterIDs[i]))
		}
	}
	answer["chapters"] = chapters
	return inJSON(answer)
}

func inJSON(value any) string {
	text, err := json.Marshal(value)
	must(err)
	return string(text)
}

// fields are the record in the body of an answer.
func (r *record) fields(id string) map[string]any {
	fields := map[string]any{"chapter_id": id, "name": "Chapter " + id, "can_be_downloaded": false, "conversion_progress": r.progress}
	if r.state != absent {
		fields["state"] = r.state
	}
	if r.date != 0 {
		fields["last_conversion_date_unix"] = r.date
	}
	if r.error != 0 {
		fields["last_conversion_error"] = r.error.text()
	}
	fields["statistics"] = map[string]int{
		"paragraphs_converted": r.converted, "paragraphs_unconverted": r.unconverted,
		"characters_converted": charactersEach * r.converted, "characters_unconverted": charactersEach * r.unconverted,
	}
	return fields
}
