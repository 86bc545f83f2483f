package mockserver

import (
	"cmp"
	"fmt"
	"net/http"
	"time"
)

// Project is a project that a test adds. Fields with a JSON tag are sent in answers (section 2.1) as they are. Optional
// fields are pointers and slices, which may be nil. An empty required field gets a default.
type Project struct {
	ID                              string                           `json:"project_id"`
	Name                            string                           `json:"name"` // empty: the ID
	DefaultTitleVoiceID             string                           `json:"default_title_voice_id"`
	DefaultParagraphVoiceID         string                           `json:"default_paragraph_voice_id"`
	DefaultModelID                  string                           `json:"default_model_id"`
	VolumeNormalization             bool                             `json:"volume_normalization"`
	State                           string                           `json:"state"`        // while no chapter is busy; empty: default
	AccessLevel                     string                           `json:"access_level"` // empty: admin
	QualityCheckOn                  bool                             `json:"quality_check_on"`
	QualityCheckOnWhenBulkConvert   bool                             `json:"quality_check_on_when_bulk_convert"`
	QualityPreset                   string                           `json:"quality_preset"` // empty: standard
	PronunciationDictionaryVersions []PronunciationDictionaryVersion `json:"pronunciation_dictionary_versions"`
	ApplyTextNormalization          string                           `json:"apply_text_normalization"` // empty: auto
	Experimental                    map[string]any                   `json:"experimental"`
	Title                           *string                          `json:"title"`
	Author                          *string                          `json:"author"`
	Description                     *string                          `json:"description"`
	Genres                          []string                         `json:"genres"`
	CoverImageURL                   *string                          `json:"cover_image_url"`
	TargetAudience                  *string                          `json:"target_audience"`
	Language                        *string                          `json:"language"`
	ContentType                     *string                          `json:"content_type"`
	OriginalPublicationDate         *string                          `json:"original_publication_date"`
	MatureContent                   *bool                            `json:"mature_content"`
	ISBNNumber                      *string                          `json:"isbn_number"`
	Fiction                         *string                          `json:"fiction"`
	CreationMeta                    *CreationMeta                    `json:"creation_meta"`

	CreatedAt time.Time         `json:"-"` // zero: two days ago
	Chapters  []Chapter         `json:"-"`
	Snapshots []ProjectSnapshot `json:"-"` // the snapshots to begin with
}

// CreationMeta is section 2.2.
type CreationMeta struct {
	Progress float64 `json:"creation_progress"`
	Status   string  `json:"status"`
	Type     string  `json:"type"`
}

// PronunciationDictionaryVersion is section 2.4.
type PronunciationDictionaryVersion struct {
	VersionID        string `json:"version_id"`
	DictionaryID     string `json:"pronunciation_dictionary_id"`
	DictionaryName   string `json:"dictionary_name"`
	VersionName      string `json:"version_name"`
	CreatedBy        string `json:"created_by"`
	CreationTimeUnix int64  `json:"creation_time_unix"` // seconds
}

// project is a project with the histories of its chapters.
type project struct {
	Project
	chapters []*chapter
	whole    []projectRun
}

// projectRun is a conversion of the whole project, one chapter after the other.
type projectRun struct{ requested, begins, ends time.Time }

// ConvertProject has the whole project converted, as if somebody clicked on the service's web page: it is in_queue
// for so long, while its chapters rest, and then the chapters that have text left are converted one after the other.
// The project is busy until the last has ended.
func (s *Server) ConvertProject(projectID string, queued time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	project := s.mustFindProject(projectID)
	turn := now.Add(queued)
	all := projectRun{now, turn, turn}
	for _, chapter := range project.chapters {
		left := measure(chapter.text(now), chapter.status(now, s.habits).converted).CharactersUnconverted
		if left == 0 || !chapter.existsAt(now) {
			continue
		}
		s.start(chapter, now)
		begun := &chapter.runs[len(chapter.runs)-1]
		begun.visible = turn
		turn = begun.ends()
	}
	all.ends = turn
	project.whole = append(project.whole, all)
}

// stateAt is the state of the project while its chapters rest.
func (p *project) stateAt(at time.Time) string {
	for _, run := range p.whole {
		switch {
		case at.Before(run.requested) || !at.Before(run.ends):
		case at.Before(run.begins):
			return stateInQueue
		default:
			return stateConverting
		}
	}
	return p.State
}

// SetProjectState sets the state that a project has while its chapters rest.
func (s *Server) SetProjectState(projectID, state string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mustFindProject(projectID).State = state
}

// AddProject adds a project. It replaces a project with the same identifier.
func (s *Server) AddProject(seed Project) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addProject(seed, time.Now())
}

func (s *Server) addProject(seed Project, now time.Time) {
	seed.Name = cmp.Or(seed.Name, seed.ID)
	seed.DefaultTitleVoiceID = cmp.Or(seed.DefaultTitleVoiceID, "voice-title")
	seed.DefaultParagraphVoiceID = cmp.Or(seed.DefaultParagraphVoiceID, "voice-paragraph")
	seed.DefaultModelID = cmp.Or(seed.DefaultModelID, "model-1")
	seed.State = cmp.Or(seed.State, stateDefault)
	seed.AccessLevel = cmp.Or(seed.AccessLevel, "admin")
	seed.QualityPreset = cmp.Or(seed.QualityPreset, "standard")
	seed.ApplyTextNormalization = cmp.Or(seed.ApplyTextNormalization, "auto")
	if seed.PronunciationDictionaryVersions == nil {
		seed.PronunciationDictionaryVersions = []PronunciationDictionaryVersion{}
	}
	if seed.Experimental == nil {
		seed.Experimental = map[string]any{}
	}
	if seed.CreatedAt.IsZero() {
		seed.CreatedAt = now.Add(-48 * time.Hour)
	}
	added := &project{Project: seed}
	for _, chapter := range seed.Chapters {
		added.chapters = append(added.chapters, newChapter(chapter, now))
	}
	for i, existing := range s.projects {
		if existing.ID == seed.ID {
			s.projects[i] = added
			return
		}
	}
	s.projects = append(s.projects, added)
}

func (s *Server) findProject(id string) (*project, *answer) {
	for _, project := range s.projects {
		if project.ID == id {
			return project, nil
		}
	}
	return nil, new(errorAnswer(http.StatusNotFound, errorDetail{
		"project_not_found", fmt.Sprintf("Project %s was not found.", id),
	}))
}

func (s *Server) mustFindProject(id string) *project {
	project, refusal := s.findProject(id)
	if refusal != nil {
		panic(fmt.Sprintf("mockserver: no project %q", id))
	}
	return project
}

func (p *project) chapterRecords(at time.Time, habits Habits) []chapterRecord {
	records := []chapterRecord{}
	for _, chapter := range p.chapters {
		if chapter.existsAt(at) {
			records = append(records, chapter.record(at, habits))
		}
	}
	return records
}

// projectSummary is a record of the list of all projects: the project without its chapters. The document does not give
// its shape.
type projectSummary struct {
	Project
	CreateDateUnix         int64  `json:"create_date_unix"`
	LastConversionDateUnix *date  `json:"last_conversion_date_unix"`
	CanBeDownloaded        bool   `json:"can_be_downloaded"`
	State                  string `json:"state"`
}

type projectRecord struct {
	projectSummary
	Chapters []chapterRecord `json:"chapters"`
}

// record computes three fields of a project from its chapters, because the document does not explain them. A project
// converts while one of its chapters does. Its date is the latest of theirs. It can be downloaded if one of them can.
func (p *project) record(at time.Time, habits Habits) projectRecord {
	record := projectRecord{
		projectSummary{Project: p.Project, CreateDateUnix: p.CreatedAt.Unix(), State: p.stateAt(at)},
		p.chapterRecords(at, habits),
	}
	for _, chapter := range record.Chapters {
		if chapter.CanBeDownloaded {
			record.CanBeDownloaded = true
		}
		if chapter.State == stateConverting || chapter.State == stateInQueue && record.State != stateConverting {
			record.State = chapter.State
		}
		date, latest := chapter.LastConversionDateUnix, record.LastConversionDateUnix
		if date != nil && (latest == nil || date.seconds > latest.seconds) {
			record.LastConversionDateUnix = date
		}
	}
	return record
}

// getProject is section 4.1.
func (s *Server) getProject(c *call, now time.Time) answer {
	project, refusal := s.findProject(c.projectID)
	if refusal != nil {
		return *refusal
	}
	return okAnswer(s.withFields(c.projectID, project.record(s.shown(now), s.habits)), s.habits)
}

// listProjects is the first operation of section 4.6. The document does not give the shape of its answer, so it is like
// that of section 4.2.
func (s *Server) listProjects(_ *call, now time.Time) answer {
	summaries, at := []projectSummary{}, s.shown(now)
	for _, project := range s.projects {
		record := project.record(at, s.habits)
		summaries = append(summaries, record.projectSummary)
	}
	return listAnswer("projects", summaries, s.habits)
}
