package mockserver

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Chapter is a chapter that a test adds with its [Project] (section 2.3).
type Chapter struct {
	ID        string
	Name      string // empty: the ID
	Text      string // paragraphs, separated by blank lines; empty: one sentence
	Converted bool   // all of the text has audio already
	Error     string // the last_conversion_error to begin with

	// ConvertedAt is the date of the last conversion. Zero means a day ago if Converted is true, and never if not. A
	// date without Converted means that all of the text was edited after that conversion.
	ConvertedAt time.Time

	// Conversions are the courses of the next conversions, one after the other. The last one repeats. Without any, a
	// conversion ends at once.
	Conversions []Conversion

	Snapshots []ChapterSnapshot // the snapshots to begin with
}

// chapter is the whole history of a chapter. Its state at any time is computed from that.
type chapter struct {
	Chapter
	edits   []edit
	runs    []run
	removed time.Time
}

// edit is a change of a chapter's text.
type edit struct {
	at         time.Time
	paragraphs []string
}

// chapterKey names a chapter within the service.
type chapterKey struct{ projectID, chapterID string }

func newChapter(seed Chapter, now time.Time) *chapter {
	seed.Name = cmp.Or(seed.Name, seed.ID)
	seed.Text = cmp.Or(seed.Text, fmt.Sprintf("This is the text of chapter %s.", seed.ID))
	if seed.Converted && seed.ConvertedAt.IsZero() {
		seed.ConvertedAt = now.Add(-24 * time.Hour)
	}
	// The first edit has the zero time, so that there is a text at every time, even before the chapter was added:
	// Habits.StaleLists may look there.
	return &chapter{Chapter: seed, edits: []edit{{paragraphs: paragraphs(seed.Text)}}}
}

func paragraphs(text string) []string {
	var found []string
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		paragraph = strings.TrimSpace(paragraph)
		if paragraph != "" {
			found = append(found, paragraph)
		}
	}
	return found
}

func (ch *chapter) existsAt(at time.Time) bool {
	return ch.removed.IsZero() || at.Before(ch.removed)
}

func (ch *chapter) text(at time.Time) []string {
	text := ch.edits[0].paragraphs
	for _, edit := range ch.edits[1:] {
		if !at.Before(edit.at) {
			text = edit.paragraphs
		}
	}
	return text
}

func (ch *chapter) status(at time.Time, habits Habits) conversionStatus {
	st := conversionStatus{state: stateDefault, error: ch.Error}
	if !ch.ConvertedAt.IsZero() {
		st.date, st.hasAudio = ch.ConvertedAt.Unix(), true
	}
	if ch.Converted {
		st.converted = ch.edits[0].paragraphs
	}
	for _, run := range ch.runs {
		st.apply(run, at, habits)
	}
	return st
}

// cost is what a conversion takes from a key's quota, in characters: the text that is not converted, or all of the text
// if all of it is converted.
func (ch *chapter) cost(at time.Time, habits Habits) int {
	text := ch.text(at)
	statistics := measure(text, ch.status(at, habits).converted)
	if statistics.CharactersUnconverted > 0 {
		return statistics.CharactersUnconverted
	}
	return statistics.CharactersConverted
}

// statistics is a ChapterStatistics of section 2.3.
type statistics struct {
	CharactersUnconverted int `json:"characters_unconverted"`
	CharactersConverted   int `json:"characters_converted"`
	ParagraphsConverted   int `json:"paragraphs_converted"`
	ParagraphsUnconverted int `json:"paragraphs_unconverted"`
}

func measure(text, converted []string) statistics {
	var found statistics
	for _, paragraph := range text {
		characters := utf8.RuneCountInString(paragraph)
		if slices.Contains(converted, paragraph) {
			found.ParagraphsConverted++
			found.CharactersConverted += characters
		} else {
			found.ParagraphsUnconverted++
			found.CharactersUnconverted += characters
		}
	}
	return found
}

type chapterRecord struct {
	ID                     string      `json:"chapter_id"`
	Name                   string      `json:"name"`
	LastConversionDateUnix *date       `json:"last_conversion_date_unix"`
	ConversionProgress     *float64    `json:"conversion_progress"`
	CanBeDownloaded        bool        `json:"can_be_downloaded"`
	State                  string      `json:"state"`
	Statistics             *statistics `json:"statistics"`
	LastConversionError    *string     `json:"last_conversion_error"`
}

// date is a time in seconds since 1970, and how it is written.
type date struct {
	seconds int64
	style   DateStyle
}

// MarshalJSON writes it in its style.
func (d date) MarshalJSON() ([]byte, error) {
	switch d.style {
	case SecondsText:
		return json.Marshal(strconv.FormatInt(d.seconds, 10))
	case ISOText:
		return json.Marshal(time.Unix(d.seconds, 0).UTC().Format(time.RFC3339))
	default:
		return json.Marshal(d.seconds)
	}
}

func (ch *chapter) record(at time.Time, habits Habits) chapterRecord {
	st := ch.status(at, habits)
	record := chapterRecord{
		ID:                 ch.ID,
		Name:               ch.Name,
		ConversionProgress: st.progress,
		CanBeDownloaded:    st.hasAudio,
		State:              st.state,
	}
	if habits.QuietState {
		record.State = stateDefault
	}
	if st.date != 0 && !habits.NoDates {
		record.LastConversionDateUnix = &date{st.date, habits.Dates}
	}
	if !habits.NoStatistics {
		record.Statistics = new(measure(ch.text(at), st.converted))
	}
	if st.error != "" {
		record.LastConversionError = &st.error
	}
	return record
}

// listChapters is section 4.2.
func (s *Server) listChapters(c *call, now time.Time) answer {
	project, refusal := s.findProject(c.projectID)
	if refusal != nil {
		return *refusal
	}
	shown := s.shown(now)
	records := project.chapterRecords(shown, s.habits)
	if s.habits.Overlap && len(records) > 0 {
		records = append(records, project.chapterRecords(shown.Add(-s.habits.OverlapLag), s.habits)[0])
	}
	return okAnswer(s.withFields(c.projectID, firstPage("chapters", records, s.habits)), s.habits)
}

func (s *Server) findChapter(projectID, chapterID string, now time.Time) (*chapter, *answer) {
	project, refusal := s.findProject(projectID)
	if refusal != nil {
		return nil, refusal
	}
	for _, chapter := range project.chapters {
		if chapter.ID == chapterID && chapter.existsAt(now) {
			return chapter, nil
		}
	}
	return nil, new(errorAnswer(http.StatusNotFound, errorDetail{
		"chapter_not_found", fmt.Sprintf("Chapter %s was not found.", chapterID),
	}))
}

func (s *Server) mustFindChapter(projectID, chapterID string) *chapter {
	chapter, refusal := s.findChapter(projectID, chapterID, time.Now())
	if refusal != nil {
		panic(fmt.Sprintf("mockserver: no chapter %q in project %q", chapterID, projectID))
	}
	return chapter
}

// EditChapter replaces the text of a chapter. Paragraphs are separated by blank lines. A paragraph that the last
// conversion did not have is unconverted.
func (s *Server) EditChapter(projectID, chapterID, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	chapter := s.mustFindChapter(projectID, chapterID)
	chapter.edits = append(chapter.edits, edit{time.Now(), paragraphs(text)})
}

// AddChapter adds a chapter to a project, now and at its end.
func (s *Server) AddChapter(projectID string, chapter Chapter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	project := s.mustFindProject(projectID)
	project.chapters = append(project.chapters, newChapter(chapter, time.Now()))
}

// RemoveChapter removes a chapter from its project, now.
func (s *Server) RemoveChapter(projectID, chapterID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mustFindChapter(projectID, chapterID).removed = time.Now()
}
