package histories

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// service is the service, with the people who use it beside Terraform, and the truth about it.
type service struct {
	*History
	began time.Time

	mu       sync.Mutex
	chapters []*chapter
	coming   []dueEvent
	windows  []dueEvent // during which something is missing, or the project is created
	whole    []wholeRun
	lists    []listing
	posts    []posted
	gets     int
	closing  bool // the last phase has begun, in which the service is as usual
	second   time.Duration
	inSecond int // requests since second
}

// dueEvent is an event whose time is known.
type dueEvent struct {
	Event
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
	status           int  // of the answer
	received         bool // the provider cannot know that it was not
	job              *job // that it has begun; nil: none
	vain             bool // it was accepted, and had no effect
}

// wholeRun is a conversion of the whole project for somebody else: its chapters rest until it begins.
type wholeRun struct{ at, begins, ends time.Duration }

// charactersEach is how many characters a paragraph has.
const charactersEach = 100

var chapterIDs = []string{
	"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
}

// MostChapters is how many chapters a history has at most.
var MostChapters = len(chapterIDs)

func newService(h *History) *service {
	s := &service{History: h, began: time.Now()}
	for _, habits := range h.Chapters {
		s.chapters = append(s.chapters, newChapter(habits))
	}
	return s
}

// inTurn puts events of the same moment in an order, so that a history is the same when it is played again.
func inTurn(number int) { <-time.After(time.Duration(number + 1)) }

func (s *service) now() time.Duration { return time.Since(s.began) }

// locked calls do with the service locked and up to date.
func (s *service) locked(do func(now time.Duration)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	s.advance(now)
	do(now)
}

// schedule makes the events of a run happen at their times. The caller comes to them one after the other.
func (s *service) schedule(events []Event) {
	s.locked(func(now time.Duration) {
		for _, e := range events {
			s.coming = append(s.coming, dueEvent{e, max(now+e.At, now)})
		}
		slices.SortStableFunc(s.coming, func(a, b dueEvent) int { return cmp.Compare(a.due, b.due) })
	})
}

// advance makes all events happen that are due.
func (s *service) advance(now time.Duration) {
	for len(s.coming) > 0 && s.coming[0].due <= now {
		e := s.coming[0]
		s.coming = s.coming[1:]
		if !s.closing {
			s.happen(e)
		}
	}
}

func (s *service) happen(e dueEvent) {
	c, at := s.chapters[e.Chapter], e.due
	switch e.What {
	case "append":
		c.texts = append(c.texts, text{at, c.textAt(at) | c.write(e.Paragraphs)})
	case "replace":
		c.texts = append(c.texts, text{at, c.write(e.Paragraphs)})
	case "mend":
		keep := lowest(c.textAt(at), max(0, count(c.textAt(at))-e.Paragraphs))
		c.texts = append(c.texts, text{at, keep | c.write(e.Paragraphs)})
	case "shorten":
		c.texts = append(c.texts, text{at, lowest(c.textAt(at), max(1, count(c.textAt(at))-e.Paragraphs))})
	case "convert":
		if c.busy(at) == nil && c.exists(at) {
			c.accept(&job{Conversion: e.Conversion, Habits: c.Habits, at: at})
		}
	case "cancel":
		j := c.busy(at)
		if j != nil && j.at < at {
			j.cut, j.Part = at, e.Paragraphs
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
		s.convertWhole(e)
	case "missing", "down", "creating":
		s.windows = append(s.windows, e)
	default:
		panic("no such event: " + e.What)
	}
}

// convertWhole has all chapters with unconverted text converted, one after the other.
func (s *service) convertWhole(e dueEvent) {
	run := wholeRun{at: e.due, begins: e.due + e.Conversion.Queued}
	run.ends = run.begins
	for _, c := range s.chapters {
		if !c.exists(e.due) || c.busy(e.due) != nil || c.openAt(e.due) == 0 {
			continue
		}
		script := e.Conversion
		script.Queued = run.ends - run.at
		script.ShownLate = script.Queued
		c.accept(&job{Conversion: script, Habits: c.Habits, at: e.due})
		run.ends += script.Takes
	}
	s.whole = append(s.whole, run)
}

func (c *chapter) accept(j *job) {
	c.jobs = append(c.jobs, j)
	c.schedule()
}

// isOpen says whether a window of this kind is open.
func (s *service) isOpen(what string, chapter int, at time.Duration) bool {
	return !s.closing && slices.ContainsFunc(s.windows, func(w dueEvent) bool {
		return w.What == what && (what != "missing" || w.Chapter == chapter) && at >= w.due && at < w.due+w.For
	})
}

// down says whether nobody can connect.
func (s *service) down() (down bool) {
	s.locked(func(now time.Duration) { down = s.isOpen("down", 0, now) })
	return down
}

// handler serves one process.
func (s *service) handler(process int) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, "/v1/projects/book")
		id, converts := strings.CutSuffix(strings.TrimPrefix(path, "/chapters/"), "/convert")
		number := slices.Index(chapterIDs[:len(s.chapters)], id)
		inTurn(number + 1)
		switch {
		case s.tooMany():
			rw.Header().Set("Retry-After", "1")
			respond(rw, http.StatusTooManyRequests, detail("rate_limit_exceeded", "Too many requests."))
		case r.Method == http.MethodGet && (path == "" || path == "/chapters"):
			s.get(rw, r, process, path == "")
		case r.Method == http.MethodPost && converts && number >= 0:
			s.post(rw, r, process, number)
		default:
			respond(rw, http.StatusNotFound, detail("not_found", "There is nothing here."))
		}
	})
}

// tooMany says whether a request is one more than the service answers in a second.
func (s *service) tooMany() (tooMany bool) {
	s.locked(func(now time.Duration) {
		if now-s.second >= time.Second {
			s.second, s.inSecond = now, 0
		}
		s.inSecond++
		tooMany = s.PerSecond > 0 && s.inSecond > s.PerSecond
	})
	return tooMany
}

func (s *service) get(rw http.ResponseWriter, r *http.Request, process int, project bool) {
	var body string
	var a Answer
	s.locked(func(now time.Duration) {
		number := s.gets
		s.gets++
		a = s.answerOf(s.Gets, 0, number)
		at := now
		if len(s.Replicas) > 0 && !s.closing {
			at -= s.Replicas[number%len(s.Replicas)]
		}
		l := listing{asked: now, process: process, project: project, shown: make([]*record, len(s.chapters)), state: s.projectState(at)}
		for i, c := range s.chapters {
			if c.exists(at) && !s.isOpen("missing", i, at) {
				shown := c.show(at)
				l.shown[i] = &shown
			}
		}
		if a.What == "" {
			s.lists = append(s.lists, l)
		}
		body = l.json()
	})
	a.answer(rw, r, http.StatusOK, body)
}

// post answers a request for a conversion.
func (s *service) post(rw http.ResponseWriter, r *http.Request, process, number int) {
	var status int
	var body string
	var a Answer
	s.locked(func(now time.Duration) {
		p := posted{chapter: number, process: process, at: now}
		a = s.answerOf(s.Posts, number, s.postsOf(number))
		if a.What == "" || a.What == "slow" || a.After {
			status, body = s.convert(&p, now)
		}
		p.received, p.status = a.mayBeReceived(status), cmp.Or(a.Status, status)
		s.posts = append(s.posts, p)
	})
	a.answer(rw, r, status, body)
}

// postsOf is how many requests for a conversion of the chapter there were.
func (s *service) postsOf(chapter int) (count int) {
	for _, p := range s.posts {
		if p.chapter == chapter {
			count++
		}
	}
	return count
}

func (s *service) convert(p *posted, now time.Duration) (status int, body string) {
	c := s.chapters[p.chapter]
	const busy = "The chapter is being converted."
	switch {
	case !c.exists(now):
		return http.StatusNotFound, detail("not_found", "There is no such chapter.")
	case c.busy(now) == nil && c.openAt(now) == 0 && c.Idles:
		p.vain = true
		return http.StatusOK, `{"status":"ok"}`
	case c.busy(now) != nil && c.WhenBusy != busyQueues:
		return []int{http.StatusConflict, http.StatusBadRequest, http.StatusInternalServerError}[c.WhenBusy], detail("busy", busy)
	case s.AtATime > 0 && s.running(now) >= s.AtATime:
		return http.StatusTooManyRequests, detail("too_many_concurrent_requests", "No more conversions run at the same time.")
	}
	script := Conversion{Takes: 8 * time.Second}
	if len(c.first.Conversions) > 0 && !s.closing {
		script = c.first.Conversions[min(c.requested, len(c.first.Conversions)-1)]
	}
	c.requested++
	p.job = &job{Conversion: script, Habits: c.Habits, process: p.process, at: now}
	c.accept(p.job)
	return http.StatusOK, `{"status":"ok"}`
}

// running is how many chapters are being converted.
func (s *service) running(now time.Duration) (count int) {
	for _, c := range s.chapters {
		if c.busy(now) != nil {
			count++
		}
	}
	return count
}

func (s *service) answerOf(answers []Answer, chapter, number int) Answer {
	for _, a := range answers {
		if a.Chapter == chapter && a.Number == number && !s.closing {
			return a
		}
	}
	return Answer{}
}

// mayBeReceived says whether a request may be paid for, as far as the provider can know.
func (a Answer) mayBeReceived(status int) bool {
	switch a.What {
	case "", "slow":
		return status == http.StatusOK || status >= 500
	case "status":
		return a.Status == http.StatusRequestTimeout || a.Status >= 500
	default:
		return true
	}
}

// projectState is the state in the project's record.
func (s *service) projectState(now time.Duration) string {
	for _, run := range s.whole {
		switch {
		case now < run.at || now >= run.ends:
		case now < run.begins:
			return "in_queue"
		default:
			return "converting"
		}
	}
	switch {
	case s.isOpen("creating", 0, now):
		return "creating"
	case s.running(now) > 0:
		return "converting"
	}
	return "default"
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
	text, err := json.Marshal(answer)
	must(err)
	return string(text)
}

// fields are the record in the body of an answer.
func (r *record) fields(id string) map[string]any {
	fields := map[string]any{
		"chapter_id": id, "name": "Chapter " + id, "can_be_downloaded": false, "conversion_progress": r.progress, "state": r.state,
		"statistics": map[string]int{
			"paragraphs_converted": r.converted, "paragraphs_unconverted": r.unconverted,
			"characters_converted": charactersEach * r.converted, "characters_unconverted": charactersEach * r.unconverted,
		},
	}
	if r.date != 0 {
		fields["last_conversion_date_unix"] = r.date
	}
	if r.error != 0 {
		fields["last_conversion_error"] = r.error.text()
	}
	return fields
}
