package mockserver

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"time"
)

// ChapterSnapshot is a snapshot that a chapter has to begin with (section 2.5). Every successful conversion adds one.
type ChapterSnapshot struct {
	ID        string
	Name      string
	CreatedAt time.Time // zero: the record has no date
}

// ProjectSnapshot is a snapshot that a project has to begin with (section 2.6). Every successful conversion of a
// chapter adds one, unless [Habits] say otherwise.
type ProjectSnapshot struct {
	ID        string
	Name      string
	CreatedAt time.Time     // zero: the record has no date
	Length    time.Duration // of the audio; 0: computed from the text of the chapters
}

type chapterSnapshotRecord struct {
	ID            string `json:"chapter_snapshot_id"`
	ProjectID     string `json:"project_id"`
	ChapterID     string `json:"chapter_id"`
	CreatedAtUnix *int64 `json:"created_at_unix,omitempty"`
	Name          string `json:"name"`
}

// projectSnapshotRecord is like the record of a chapter's snapshot. The document does not give its fields (section
// 2.6).
type projectSnapshotRecord struct {
	ID            string `json:"project_snapshot_id"`
	ProjectID     string `json:"project_id"`
	CreatedAtUnix *int64 `json:"created_at_unix,omitempty"`
	Name          string `json:"name"`
}

// listChapterSnapshots is section 4.3. The oldest snapshot comes first.
func (s *Server) listChapterSnapshots(c *call, now time.Time) answer {
	chapter, refusal := s.findChapter(c.projectID, c.chapterID, now)
	if refusal != nil {
		return *refusal
	}
	records := []chapterSnapshotRecord{}
	for _, snapshot := range chapter.snapshots(s.shown(now), s.habits) {
		records = append(records, chapterSnapshotRecord{
			snapshot.ID, c.projectID, c.chapterID, s.habits.date(snapshot.CreatedAt), snapshot.Name,
		})
	}
	return snapshotList(records, s.habits)
}

func (ch *chapter) snapshots(at time.Time, habits Habits) []ChapterSnapshot {
	snapshots := slices.Clone(ch.Snapshots)
	for _, run := range ch.runs {
		if run.succeededBy(at.Add(-habits.SnapshotDelay)) {
			snapshots = append(snapshots, ChapterSnapshot{
				ID:        fmt.Sprintf("chapter-snapshot-%d", run.serial),
				Name:      ch.Name,
				CreatedAt: run.ends().Add(habits.SnapshotDelay),
			})
		}
	}
	return snapshots
}

// listProjectSnapshots is the second operation of section 4.6. The oldest snapshot comes first.
func (s *Server) listProjectSnapshots(c *call, now time.Time) answer {
	project, refusal := s.findProject(c.projectID)
	if refusal != nil {
		return *refusal
	}
	records := []projectSnapshotRecord{}
	for _, snapshot := range project.snapshots(s.shown(now), s.habits) {
		records = append(records, projectSnapshotRecord{
			snapshot.ID, project.ID, s.habits.date(snapshot.CreatedAt), snapshot.Name,
		})
	}
	return snapshotList(records, s.habits)
}

// snapshotList answers with records, of which the oldest comes first.
func snapshotList[R any](records []R, habits Habits) answer {
	if habits.NewestFirst {
		slices.Reverse(records)
	}
	return listAnswer("snapshots", records, habits)
}

// date is the created_at_unix of a snapshot; nil if it has none.
func (h Habits) date(at time.Time) *int64 {
	if at.IsZero() || h.UndatedSnapshots {
		return nil
	}
	return new(at.Unix())
}

// snapshots dates those of conversions that end in the same second a second apart, because otherwise nobody could tell
// which of them has all the audio.
func (p *project) snapshots(at time.Time, habits Habits) []ProjectSnapshot {
	var added []ProjectSnapshot
	for _, chapter := range p.chapters {
		for _, run := range chapter.runs {
			if run.succeededBy(at.Add(-habits.SnapshotDelay)) && chapter.existsAt(run.ends()) && !habits.WholeProjectOnly {
				added = append(added, ProjectSnapshot{
					ID:        fmt.Sprintf("project-snapshot-%d", run.serial),
					Name:      p.Name,
					CreatedAt: run.ends().Add(habits.SnapshotDelay),
				})
			}
		}
	}
	slices.SortStableFunc(added, func(a, b ProjectSnapshot) int { return a.CreatedAt.Compare(b.CreatedAt) })
	for i := 1; i < len(added); i++ {
		earlier := added[i-1].CreatedAt
		if added[i].CreatedAt.Unix() <= earlier.Unix() {
			added[i].CreatedAt = earlier.Add(time.Second)
		}
	}
	return append(slices.Clone(p.Snapshots), added...)
}

// AddProjectSnapshot adds a snapshot to a project, as if somebody had the whole project converted on the service's web
// page.
func (s *Server) AddProjectSnapshot(projectID string, snapshot ProjectSnapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	project := s.mustFindProject(projectID)
	project.Snapshots = append(project.Snapshots, snapshot)
}

// streamSnapshot is section 4.5.
func (s *Server) streamSnapshot(c *call, now time.Time) answer {
	convertToMPEG, fault := audioFormat(c.header, c.body)
	if fault != nil {
		return errorAnswer(http.StatusUnprocessableEntity, []validationError{*fault})
	}
	project, refusal := s.findProject(c.projectID)
	if refusal != nil {
		return *refusal
	}
	for _, snapshot := range project.snapshots(now, s.habits) {
		if snapshot.ID != c.snapshotID {
			continue
		}
		tones := project.tones(snapshot)
		if convertToMPEG {
			return mpegAnswer(tones)
		}
		return wavAnswer(tones)
	}
	return errorAnswer(http.StatusNotFound, errorDetail{
		"project_snapshot_not_found", fmt.Sprintf("Project snapshot %s was not found.", c.snapshotID),
	})
}

// audioFormat reads convert_to_mpeg from the request's body. Without a body it is false, the default. Fields that the
// document does not name are ignored.
func audioFormat(header http.Header, body []byte) (convertToMPEG bool, fault *validationError) {
	if len(body) == 0 {
		return false, nil
	}
	mediaType, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil || mediaType != "application/json" {
		return false, &validationError{[]string{"body"}, "Input should be a valid dictionary", "model_attributes_type"}
	}
	if !json.Valid(body) {
		return false, &validationError{[]string{"body"}, "JSON decode error", "json_invalid"}
	}
	var fields map[string]json.RawMessage
	err = json.Unmarshal(body, &fields)
	if err != nil || fields == nil {
		return false, &validationError{[]string{"body"}, "Input should be a valid dictionary", "model_attributes_type"}
	}
	switch string(fields["convert_to_mpeg"]) {
	case "true":
		return true, nil
	case "false", "":
		return false, nil
	default:
		return false, &validationError{[]string{"body", "convert_to_mpeg"}, "Input should be a valid boolean", "bool_type"}
	}
}
