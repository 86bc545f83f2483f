package audioprojects

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
)

// ChapterSnapshot is section 2.5 of the document. Fields that the service left out, or gave as null, are nil.
type ChapterSnapshot struct {
	ChapterSnapshotID string   `json:"chapter_snapshot_id"`
	ProjectID         *string  `json:"project_id"`
	ChapterID         *string  `json:"chapter_id"`
	CreatedAtUnix     *Integer `json:"created_at_unix"`
	Name              *string  `json:"name"`
}

// ListChapterSnapshots lists the snapshots of a chapter in the service's order: section 4.3.
func (c *Client) ListChapterSnapshots(ctx context.Context, projectID, chapterID string) ([]ChapterSnapshot, error) {
	return get[chapterSnapshotList](ctx, c, "projects", projectID, "chapters", chapterID, "snapshots")
}

type chapterSnapshotList []ChapterSnapshot

func (l *chapterSnapshotList) UnmarshalJSON(text []byte) error {
	var answer struct {
		Snapshots *[]ChapterSnapshot `json:"snapshots"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return err
	}
	if answer.Snapshots == nil {
		return missingList("snapshots")
	}
	*l = *answer.Snapshots
	for i, snapshot := range *l {
		if snapshot.ChapterSnapshotID == "" {
			return missingField("snapshots", i, "chapter_snapshot_id")
		}
	}
	return nil
}

// ProjectSnapshotRecord is an element of the list of a project's snapshots. The document
// does not show the shape of that list (sections 2.6 and 4.6), so the record is kept as it came.
type ProjectSnapshotRecord struct {
	ProjectSnapshotID string
	Record            json.RawMessage
}

// ListProjectSnapshots lists the snapshots of a project: section 4.6. The answer may be
// an array, or an object that holds one under snapshots.
func (c *Client) ListProjectSnapshots(ctx context.Context, projectID string) ([]ProjectSnapshotRecord, error) {
	return get[projectSnapshotList](ctx, c, "projects", projectID, "snapshots")
}

type projectSnapshotList []ProjectSnapshotRecord

func (l *projectSnapshotList) UnmarshalJSON(text []byte) error {
	records, err := recordsUnder("snapshots", text)
	if err != nil {
		return err
	}
	*l = make(projectSnapshotList, len(records))
	for i, record := range records {
		var fields struct {
			ProjectSnapshotID string `json:"project_snapshot_id"`
		}
		if err := json.Unmarshal(record, &fields); err != nil {
			return err
		}
		if fields.ProjectSnapshotID == "" {
			return missingField("snapshots", i, "project_snapshot_id")
		}
		(*l)[i] = ProjectSnapshotRecord{ProjectSnapshotID: fields.ProjectSnapshotID, Record: record}
	}
	return nil
}

// Audio is a snapshot's audio on its way. Close it.
type Audio struct {
	io.ReadCloser
	// ContentType is the media type the service gives; the document shows none (section 4.5).
	ContentType string
	// Size is the length in bytes that the service announces, -1 when it does not.
	Size int64
}

// StreamProjectSnapshot asks for the audio of a project snapshot, converted to the mpeg
// format if so wished: section 4.5. The audio is read from the returned stream as it
// arrives; reading fails when no byte comes for the request timeout, or the stream ends early.
func (c *Client) StreamProjectSnapshot(ctx context.Context, projectID, projectSnapshotID string, convertToMPEG bool) (*Audio, error) {
	body := struct {
		ConvertToMPEG bool `json:"convert_to_mpeg"`
	}{convertToMPEG}

	response, err := c.send(ctx, c.streaming, http.MethodPost, body, "projects", projectID, "snapshots", projectSnapshotID, "stream")
	if err != nil {
		return nil, err
	}
	mediaType, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if mediaType == "application/json" || mediaType == "text/html" {
		defer response.Body.Close()
		return nil, c.noClearAnswer(response, fmt.Errorf("the answer is %s, not audio", mediaType))
	}
	return &Audio{
		ReadCloser:  response.Body,
		ContentType: response.Header.Get("Content-Type"),
		Size:        response.ContentLength,
	}, nil
}
