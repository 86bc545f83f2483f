package mockserver

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// control is a command of a person who tries the provider, and plays the service's other users and its bad days.
type control struct {
	name, arguments, does string
	run                   func(s *Server, said controlTarget) (done string, err error)
}

// controlTarget is what a command is about. Of a command without a project it is the first, and the chapter is nil where
// none is asked for.
type controlTarget struct {
	project *project
	chapter *chapter
	values  url.Values
	now     time.Time
}

var controls = []control{
	{"edit", "chapter=chapter-2 [text=…]", "adds a paragraph to its text, or replaces the text", editChapter},
	{"fail", "chapter=chapter-2 [words=…]", "makes its next conversion fail with this error message", failNextConversion},
	{"cancel", "chapter=chapter-2", "ends its conversion, which has converted nothing", cancelConversion},
	{"convert", "chapter=chapter-2", "converts it for somebody else", convertElsewhere},
	{"add", "chapter=chapter-6 [text=…]", "adds a chapter to the project", addChapter},
	{"remove", "chapter=chapter-6", "removes a chapter", removeChapter},
	{"project", "project=second", "adds a project with the same book", addProject},
	{"snapshot", "", "makes a snapshot of the whole project", addSnapshot},
	{"slow", "takes=2m", "sets how long a conversion takes", slowDown},
	{"quota", "characters=300", "sets what the key may still convert; without a number, everything", setQuota},
	{"refuse", "status=429 [times=3]", "answers the next requests with 401, 403, 429, 500, 503, …; without a status, it ends that", failRequests},
}

// Controls is a page for a person who tries the provider on this service: GET shows the chapters and the commands, and
// POST runs the command that the path ends in, with the form's values as its arguments.
func (s *Server) Controls() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		if r.Method != http.MethodPost {
			fmt.Fprint(w, s.controlPage("http://"+r.Host))
			return
		}
		done, err := s.control(r)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			done = err.Error()
		}
		fmt.Fprintln(w, done)
	})
}

func (s *Server) control(r *http.Request) (done string, err error) {
	err = r.ParseForm()
	if err != nil {
		return "", err
	}
	name := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	i := slices.IndexFunc(controls, func(c control) bool { return c.name == name })
	if i < 0 {
		return "", fmt.Errorf("there is no command %q: GET /play lists them", name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	said := controlTarget{values: r.Form, now: time.Now()}
	for _, project := range s.projects {
		id := r.Form.Get("project")
		if name == "project" || id == "" || id == project.ID {
			said.project = project
			break
		}
	}
	if said.project == nil {
		return "", fmt.Errorf("there is no project %q", r.Form.Get("project"))
	}
	if strings.HasPrefix(controls[i].arguments, "chapter=") {
		id := r.Form.Get("chapter")
		if id == "" {
			return "", fmt.Errorf("%s needs a chapter: %s", name, controls[i].arguments)
		}
		said.chapter, _ = s.findChapter(said.project.ID, id, said.now)
		switch {
		case said.chapter == nil && name != "add":
			return "", fmt.Errorf("project %q has no chapter %q", said.project.ID, id)
		case said.chapter != nil && name == "add":
			return "", fmt.Errorf("project %q has a chapter %q", said.project.ID, id)
		}
	}
	return controls[i].run(s, said)
}

func editChapter(_ *Server, said controlTarget) (string, error) {
	text := cmp.Or(said.values.Get("text"), strings.Join(said.chapter.text(said.now), "\n\n")+
		fmt.Sprintf("\n\nA sentence that was written at %s.", said.now.Format(time.TimeOnly)))
	said.chapter.edits = append(said.chapter.edits, edit{said.now, paragraphs(text)})
	return said.chapter.ID + " has a new text", nil
}

func failNextConversion(_ *Server, said controlTarget) (string, error) {
	next := said.chapter.nextConversion()
	next.Fails = cmp.Or(said.values.Get("words"), "Voice not found.")
	said.chapter.Conversions = append([]Conversion{next}, said.chapter.Conversions...)
	return "the next conversion of " + said.chapter.ID + " fails: " + next.Fails, nil
}

func cancelConversion(s *Server, said controlTarget) (string, error) {
	if !said.chapter.status(said.now, s.habits).busy() {
		return "", errors.New(said.chapter.ID + " is not converting")
	}
	said.chapter.runs[len(said.chapter.runs)-1].cancelled = said.now
	return "the conversion of " + said.chapter.ID + " is cancelled", nil
}

func convertElsewhere(s *Server, said controlTarget) (string, error) {
	if said.chapter.status(said.now, s.habits).busy() {
		return "", errors.New(said.chapter.ID + " is already converting")
	}
	s.start(said.chapter, said.now)
	return "somebody else has " + said.chapter.ID + " converted", nil
}

func addChapter(_ *Server, said controlTarget) (string, error) {
	first := said.project.chapters[0]
	added := Chapter{ID: said.values.Get("chapter"), Text: said.values.Get("text"), Conversions: []Conversion{first.nextConversion()}}
	said.project.chapters = append(said.project.chapters, newChapter(added, said.now))
	return "project " + said.project.ID + " has a chapter " + added.ID, nil
}

func removeChapter(_ *Server, said controlTarget) (string, error) {
	said.chapter.removed = said.now
	return said.chapter.ID + " is gone", nil
}

func addProject(s *Server, said controlTarget) (string, error) {
	id := said.values.Get("project")
	_, missing := s.findProject(id)
	if missing == nil || id == "" {
		return "", errors.New("project needs an id that no project has: project=second")
	}
	another := said.project.Project
	another.ID = id
	s.addProject(another, said.now)
	return "there is a project " + id, nil
}

func addSnapshot(s *Server, said controlTarget) (string, error) {
	s.serial++
	id := fmt.Sprintf("project-snapshot-%d", s.serial)
	said.project.Snapshots = append(said.project.Snapshots, ProjectSnapshot{ID: id, Name: said.project.Name, CreatedAt: said.now})
	return "there is a snapshot " + id, nil
}

func slowDown(s *Server, said controlTarget) (string, error) {
	takes, err := time.ParseDuration(said.values.Get("takes"))
	if err != nil || takes < 0 {
		return "", errors.New("slow needs a time such as takes=2m")
	}
	for _, project := range s.projects {
		for _, chapter := range project.chapters {
			chapter.Conversions = lasting(takes, 10)
		}
	}
	return fmt.Sprintf("a conversion takes %s from now on", takes), nil
}

func setQuota(s *Server, said controlTarget) (string, error) {
	key := s.keys[Secret]
	key.Credits = nil
	if said.values.Get("characters") == "" {
		return "the key may convert everything", nil
	}
	left, err := strconv.Atoi(said.values.Get("characters"))
	if err != nil || left < 0 {
		return "", errors.New("quota needs a number of characters=300")
	}
	key.Credits = &left
	return fmt.Sprintf("the key may convert %d characters more", left), nil
}

func failRequests(s *Server, said controlTarget) (string, error) {
	if !said.values.Has("status") && !said.values.Has("times") {
		for _, refusal := range s.refusals {
			refusal.Times = 0
		}
		s.refusals = nil
		return "no more requests are refused", nil
	}
	status, err := strconv.Atoi(said.values.Get("status"))
	times, wrong := strconv.Atoi(cmp.Or(said.values.Get("times"), "1"))
	isRefusal := err == nil && status >= 400 && status <= 599
	if !isRefusal || wrong != nil || times < 1 {
		return "", errors.New("refuse needs a status of 400 to 599, and how many times; without both, it ends")
	}
	fault := Fault{Status: status, Body: string(encode(map[string]string{"detail": http.StatusText(status)})), Times: times}
	if status == http.StatusTooManyRequests {
		fault = RateLimited(time.Second)
		fault.Times = times
	}
	s.faults, s.refusals = append(s.faults, &fault), append(s.refusals, &fault)
	return fmt.Sprintf("the next requests (%d) are answered with %d", times, status), nil
}

func (s *Server) controlPage(address string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	page := new(strings.Builder)
	for _, project := range s.projects {
		fmt.Fprintf(page, "%s: %s\n", project.ID, project.Name)
		for _, record := range project.chapterRecords(now, Habits{Progress: s.habits.Progress}) {
			doing := record.State
			if record.ConversionProgress != nil && doing == stateConverting {
				doing += " " + strconv.FormatFloat(*record.ConversionProgress, 'f', -1, 64)
			}
			counted := record.Statistics
			fmt.Fprintf(page, "  %-12s %-14s %4d of %4d characters converted, %d paid for", record.ID, doing, counted.CharactersConverted,
				counted.CharactersConverted+counted.CharactersUnconverted, s.paid[chapterKey{project.ID, record.ID}])
			if record.LastConversionError != nil {
				fmt.Fprintf(page, "; %s", *record.LastConversionError)
			}
			fmt.Fprintln(page)
		}
		for _, snapshot := range project.snapshots(now, s.habits) {
			fmt.Fprintf(page, "  %-20s %s\n", snapshot.ID, snapshot.CreatedAt.Local().Format(time.DateTime))
		}
	}
	paid := 0 // also for chapters that are removed by now
	for _, times := range s.paid {
		paid += times
	}
	conversions := "conversions"
	if paid == 1 {
		conversions = "conversion"
	}
	fmt.Fprintf(page, "%d %s paid for\n", paid, conversions)
	fmt.Fprintf(page, "\nCommands, such as   curl -d chapter=chapter-2 %s/play/fail\n\n", address)
	for _, control := range controls {
		fmt.Fprintf(page, "  %-9s %-28s %s\n", control.name, control.arguments, control.does)
	}
	fmt.Fprintf(page, "\nWith several projects, project=… says which. The key is %s.\n", strings.Join(slices.Sorted(maps.Keys(s.keys)), ", "))
	return page.String()
}
