package audioprojects

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
)

// ChapterSnapshot is section 2.5 of the document. Fields that the service left out, or gave as null, are nil.
type ChapterSnapshot struct {
	ChapterSnapshotID string   `json:"chapter_snapshot_id"`
	ProjectID         *Text    `json:"project_id"`
	ChapterID         *Text    `json:"chapter_id"`
	CreatedAtUnix     *Integer `json:"created_at_unix"`
	Name              *Text    `json:"name"`
}

// ListChapterSnapshots lists the snapshots of a chapter in the service's order: section 4.3.
func (c *Client) ListChapterSnapshots(ctx context.Context, projectID, chapterID string) ([]ChapterSnapshot, error) {
	return get[chapterSnapshotList](ctx, c, "projects", projectID, "chapters", chapterID, "snapshots")
}

type chapterSnapshotList []ChapterSnapshot

func (l *chapterSnapshotList) UnmarshalJSON(text []byte) error {
	var answer struct {
		Snapshots *list[ChapterSnapshot] `json:"snapshots"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return err
	}
	if answer.Snapshots == nil {
		return missingList("snapshots")
	}
	*l = chapterSnapshotList(*answer.Snapshots)
	return nil
}

func (s ChapterSnapshot) check(index int) error {
	return checkRecordID("snapshots", index, "chapter_snapshot_id", s.ChapterSnapshotID, nil)
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
		if err := readRecord("snapshots", i, record, &fields); err != nil {
			return err
		}
		if err := checkRecordID("snapshots", i, "project_snapshot_id", fields.ProjectSnapshotID, record); err != nil {
			return err
		}
		(*l)[i] = ProjectSnapshotRecord{ProjectSnapshotID: fields.ProjectSnapshotID, Record: record}
	}
	return nil
}

// Audio is a snapshot's audio on its way.
type Audio struct {
	io.Reader
	// ContentType is the media type that the service gives, empty if it gives none; the document shows none (section 4.5).
	ContentType Text
}

// StreamProjectSnapshot asks for the audio of a project snapshot, converted to the mpeg
// format if so wished, and has it received as it arrives: section 4.5.
//
// Audio that breaks off, or of which no byte comes for the request timeout, is asked for
// again within the retries; receive is then called again, and must begin anew. An error of
// its own ends the request, and is returned as it is.
func (c *Client) StreamProjectSnapshot(ctx context.Context, projectID, projectSnapshotID string, convertToMPEG bool, receive func(Audio) error) error {
	response, err := c.send(ctx, call{
		sender:   c.streaming,
		method:   http.MethodPost,
		elements: []string{"projects", projectID, "snapshots", projectSnapshotID, "stream"},
		body: struct {
			ConvertToMPEG bool `json:"convert_to_mpeg"`
		}{convertToMPEG},
		// As it is, so that Content-Length tells whether all of it has come.
		encoding: "identity",
		handle:   func(response *http.Response) error { return c.handOn(ctx, response, receive) },
	})
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// handOn gives the audio of a successful answer to its receiver. Only that the audio broke
// off is a reason to ask for it again.
func (c *Client) handOn(ctx context.Context, response *http.Response, receive func(Audio) error) error {
	if !succeeded(response) {
		return nil
	}
	if encoding := response.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return &finalError{c.noClearAnswer(response, fmt.Errorf("the audio is encoded as %s, which was not asked for", c.config.excerpt(encoding)))}
	}
	const enoughToTell = 512
	body := bufio.NewReaderSize(response.Body, enoughToTell)
	beginning, err := body.Peek(enoughToTell)
	if err != nil && !errors.Is(err, io.EOF) {
		beginning = nil // What has broken off so early tells nothing.
	}
	contentType := response.Header.Get("Content-Type")
	if kind := otherThanAudio(contentType, beginning); kind != "" {
		// What is said instead is short, however slowly it is told.
		enough := time.AfterFunc(c.config.RequestTimeout, func() { response.Body.Close() })
		text, _ := io.ReadAll(io.LimitReader(body, maxRefusal))
		enough.Stop()
		problem := fmt.Sprintf("the answer is %s, not audio", kind)
		if words := c.words(response, text); words != "" {
			problem += "; it reads " + words
		}
		return &finalError{c.noClearAnswer(response, errors.New(problem))}
	}
	if len(beginning) == 0 && errors.Is(err, io.EOF) {
		return &finalError{c.noClearAnswer(response, errors.New("the answer is empty"))}
	}
	audio, began := &arrival{from: body}, time.Now()
	err = receive(Audio{audio, NewText(string(c.config.answerWithoutKey([]byte(contentType))))})
	switch {
	case audio.broken != nil:
		c.logBreak(ctx, response, audio.broken, time.Since(began))
		return audio.broken
	case err != nil:
		return &finalError{err}
	default:
		return nil
	}
}

// logBreak tells the log how an attempt ended whose line was written when the answer began.
// One that was cancelled is not logged: the reader of the log may have gone, and SIGPIPE would kill
// the process before its unfinished file is removed.
func (c *Client) logBreak(ctx context.Context, response *http.Response, broken error, took time.Duration) {
	if c.config.Log == nil || ctx.Err() != nil {
		return
	}
	request := response.Request
	c.config.Log(ctx, Exchange{
		Method: request.Method, Path: c.config.withoutKey(request.URL.EscapedPath()),
		Status: response.StatusCode, Problem: c.config.transportError(broken).Error(), Took: took,
	})
}

// otherThanAudio names what an answer is that is no audio; empty for one that may be. A
// gateway's error page does not always say what it is, and what it says may be anything.
func otherThanAudio(contentType string, beginning []byte) string {
	given, _, _ := mime.ParseMediaType(contentType)
	found, _, _ := mime.ParseMediaType(http.DetectContentType(beginning))
	switch {
	case given == "application/json", given == "text/html":
		return given
	case strings.HasSuffix(given, "+json"):
		return "JSON"
	case len(beginning) > 0 && strings.HasPrefix(found, "text/"):
		return found
	default:
		return ""
	}
}

// arrival is audio being received. It remembers that it broke off, which its receiver's
// error alone does not tell.
type arrival struct {
	from     io.Reader
	received int64
	broken   error
}

func (a *arrival) Read(p []byte) (int, error) {
	n, err := a.from.Read(p)
	a.received += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("the audio broke off after %d bytes: %w", a.received, err)
		a.broken = err
	}
	return n, err
}
