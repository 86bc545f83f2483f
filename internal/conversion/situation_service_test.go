package conversion_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// shown is what the service of a situation shows of the chapter from one moment on. What a line of the script does not name stays.
type shown struct {
	at                     time.Duration // after the situation began
	state                  string
	converted, unconverted *int
	dated                  *time.Duration // when the last conversion ended: after the situation began, or before
	progress               *float64
	problem                string
}

// with is what a line of the script, such as "converting, 50 converted, 50 unconverted, dated -1h", makes of it.
func (s shown) with(at time.Duration, line string) (shown, error) {
	s.at = at
	for part := range strings.SplitSeq(line, ", ") {
		word, value, _ := strings.Cut(part, " ")
		count, isCount := strconv.Atoi(word)
		var err error
		switch {
		case isCount == nil && value == "converted":
			s.converted = &count
		case isCount == nil && value == "unconverted":
			s.unconverted = &count
		case part == "not counted":
			s.converted, s.unconverted = nil, nil
		case part == "not dated":
			s.dated = nil
		case part == "no error":
			s.problem = ""
		case word == "dated":
			var after time.Duration
			after, err = time.ParseDuration(value)
			s.dated = &after
		case word == "progress":
			var progress float64
			progress, err = strconv.ParseFloat(value, 64)
			s.progress = &progress
		case word == "error":
			s.problem, err = strconv.Unquote(value)
		case value == "" && word != "":
			s.state = word
		default:
			err = fmt.Errorf("what is shown has no %q", part)
		}
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

// String is what a list shows, as the record of a situation has it.
func (s shown) String() string {
	says := []string{cmp.Or(s.state, "no state")}
	if s.unconverted != nil {
		says = append(says, fmt.Sprintf("%d converted, %d unconverted", *s.converted, *s.unconverted))
	}
	if s.dated != nil {
		says = append(says, "dated "+elapsed(*s.dated))
	}
	if s.progress != nil {
		says = append(says, fmt.Sprintf("progress %v", *s.progress))
	}
	if s.problem != "" {
		says = append(says, fmt.Sprintf("error %q", s.problem))
	}
	return strings.Join(says, ", ")
}

// record is the chapter in an answer of the service.
func (s shown) record(began time.Time) map[string]any {
	record := map[string]any{"chapter_id": chapter, "name": "One", "last_conversion_date_unix": nil, "last_conversion_error": nil}
	if s.state != "" {
		record["state"] = s.state
	}
	if s.unconverted != nil {
		record["statistics"] = map[string]int{"characters_converted": *s.converted, "characters_unconverted": *s.unconverted}
	}
	if s.dated != nil {
		record["last_conversion_date_unix"] = began.Add(*s.dated).Unix()
	}
	if s.progress != nil {
		record["conversion_progress"] = *s.progress
	}
	if s.problem != "" {
		record["last_conversion_error"] = s.problem
	}
	return record
}

// answer is how the service answers the request for a conversion from one moment on.
type answer struct {
	at     time.Duration
	status int // 0: the connection breaks before the answer
	words  string
}

func answerOf(at time.Duration, line string) (answer, error) {
	if line == "nothing" {
		return answer{at: at}, nil
	}
	status, words, _ := strings.Cut(line, " ")
	number, err := strconv.Atoi(status)
	if err != nil {
		return answer{}, err
	}
	return answer{at, number, words}, nil
}

func (a answer) String() string {
	if a.status == 0 {
		return "the answer is lost"
	}
	return strings.TrimSpace(fmt.Sprintf("the service answers %d %s", a.status, a.words))
}

// ServeHTTP is the service of the situation: a project of one chapter, which shows what the script says at that time.
func (s *situation) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	now := time.Since(s.began)
	chapters := []any{latest(s.shows, now, func(s shown) time.Duration { return s.at }).record(s.began)}
	var answers any
	switch r.Method + " " + strings.TrimPrefix(r.URL.Path, "/v1/projects/"+project) {
	case "GET ":
		answers = map[string]any{"project_id": project, "state": "default", "chapters": chapters}
	case "GET /chapters":
		s.noteList(latest(s.shows, now, func(s shown) time.Duration { return s.at }).String())
		answers = map[string]any{"chapters": chapters}
	case "POST /chapters/" + chapter + "/convert":
		given := latest(s.answers, now, func(a answer) time.Duration { return a.at })
		s.noteRequest(given)
		if given.status == 0 {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(given.status)
		answers = map[string]any{}
		if given.words != "" {
			answers = map[string]any{"detail": map[string]string{"message": given.words}}
		}
	default:
		http.NotFound(w, r)
		return
	}
	if err := json.NewEncoder(w).Encode(answers); err != nil {
		s.Error(err)
	}
}

// latest is the last of them that has come by the given time.
func latest[T any](all []T, now time.Duration, at func(T) time.Duration) (last T) {
	for _, one := range all {
		if at(one) <= now {
			last = one
		}
	}
	return last
}
