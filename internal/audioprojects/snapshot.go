package audioprojects

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
)

// ChapterSnapshot is section 2.5 of the document. A field that is absent or null in the answer is nil.
// CreatedAtUnix is in seconds since 1970.
type ChapterSnapshot struct {
	ChapterSnapshotID string           `json:"chapter_snapshot_id"`
	ProjectID         Lenient[Text]    `json:"project_id"`
	ChapterID         Lenient[Text]    `json:"chapter_id"`
	CreatedAtUnix     Lenient[Integer] `json:"created_at_unix"`
	Name              Lenient[Text]    `json:"name"`
}

// ListChapterSnapshots lists the snapshots of a chapter in the service's order: section 4.3.
func (c *Client) ListChapterSnapshots(ctx context.Context, projectID, chapterID string) ([]ChapterSnapshot, error) {
	return getList(ctx, c, inObject, c.decodeChapterSnapshot, "projects", projectID, "chapters", chapterID, "snapshots")
}

func (c *Client) decodeChapterSnapshot(subject string, text []byte) (snapshot ChapterSnapshot, err error) {
	_, err = c.decodeRecord(subject, text, "chapter_snapshot_id", &snapshot.ChapterSnapshotID, &snapshot)
	return snapshot, err
}

// ProjectSnapshotRecord is an element of the list of a project's snapshots. The document
// does not give the shape of that list (sections 2.6 and 4.6), so the record is kept as received.
type ProjectSnapshotRecord struct {
	ProjectSnapshotID string `json:"project_snapshot_id"`
	// CreatedAtUnix is in seconds since 1970.
	CreatedAtUnix Lenient[Integer] `json:"created_at_unix"`
	Name          Lenient[Text]    `json:"name"`
	// Record is the whole element.
	Record JSON `json:"json"`
}

// ListProjectSnapshots lists the snapshots of a project: section 4.6. The answer may be
// an array, or an object with an array under snapshots.
func (c *Client) ListProjectSnapshots(ctx context.Context, projectID string) ([]ProjectSnapshotRecord, error) {
	return getList(ctx, c, anyOfThese, c.decodeProjectSnapshot, "projects", projectID, "snapshots")
}

func (c *Client) decodeProjectSnapshot(subject string, text []byte) (snapshot ProjectSnapshotRecord, err error) {
	_, err = c.decodeRecord(subject, text, "project_snapshot_id", &snapshot.ProjectSnapshotID, &snapshot)
	snapshot.Record = c.config.json(JSON(text))
	return snapshot, err
}

// Audio is a snapshot's audio while it is received (section 4.5). A Read fails if the audio breaks off.
type Audio struct {
	io.Reader
	// ContentType is the media type that the service gives, empty if it gives none. The document names none.
	ContentType Text
	// Format is the media type that the first bytes show, such as audio/wav; empty if they show none.
	Format string
	// EndProven reports whether the end of the audio shows that all of it has come. If not, audio that breaks off
	// looks like audio that ends.
	EndProven bool
}

// StreamProjectSnapshot requests the audio of a project snapshot, converted to the mpeg
// format if convertToMPEG is true, and passes it to receive while it arrives: section 4.5.
//
// If the audio breaks off, no byte comes for the request timeout, or the answer is a part, it is requested again, as
// often as MaxRetries allows. Then receive is called again with the audio from its beginning. An error
// that receive returns for a reason of its own ends the request, and is returned unchanged.
func (c *Client) StreamProjectSnapshot(ctx context.Context, projectID, projectSnapshotID string, convertToMPEG bool, receive func(Audio) error) error {
	return c.send(ctx, call{
		sender:   c.streaming,
		method:   http.MethodPost,
		elements: []string{"projects", projectID, "snapshots", projectSnapshotID, "stream"},
		body:     fmt.Appendf(nil, `{"convert_to_mpeg":%t}`, convertToMPEG),
		handle:   func(response *http.Response) (final, broken error) { return c.receiveAudio(response, receive) },
	})
}

// receiveAudio passes the audio of an answer to receive: of a 200, or of a 206 whose range is all of it. What has another
// successful status is requested again, and so is audio that breaks off. Every other error is final.
func (c *Client) receiveAudio(response *http.Response, receive func(Audio) error) (final, broken error) {
	const sniffed = 4096 // bytes that mimetype looks at
	body := bufio.NewReaderSize(response.Body, sniffed)
	beginning, err := body.Peek(sniffed)
	encoding, contentRange := response.Header.Get("Content-Encoding"), response.Header.Get("Content-Range")
	contentType := c.config.text(response.Header.Get("Content-Type"))
	format, kind, problem := "", "", ""
	if err == nil || errors.Is(err, io.EOF) { // So few bytes as come before an answer breaks off do not tell whether they are audio.
		format, kind = detectFormat(beginning)
	}
	switch {
	case len(beginning) == 0 && errors.Is(err, io.EOF):
		problem = "the answer is empty"
	case encoding != "" && !strings.EqualFold(encoding, "identity"):
		problem = fmt.Sprintf("the audio is encoded as %s, which the provider did not request", c.config.excerpt(encoding))
	case kind != "":
		problem = fmt.Sprintf("the answer is %s, not audio", kind) + c.whatItReads(body)
	case namesSomethingElse(string(contentType)):
		problem = fmt.Sprintf("the answer has the media type %s, not one of audio", contentType.Line()) + c.whatItReads(body)
	case !isComplete(response.StatusCode, contentRange):
		problem = "the answer is not the complete audio"
		if contentRange != "" {
			problem += ", but " + c.config.excerpt(contentRange)
		}
	}
	if problem != "" {
		err := c.ambiguousError(response, errors.New(problem))
		if response.StatusCode == http.StatusOK {
			return err, nil
		}
		return nil, err
	}
	audio := &audioReader{from: body, errorMessage: func(text []byte) string { return c.readErrorBody(bytes.NewReader(text)).sentence() }}
	final = receive(Audio{Reader: audio, ContentType: contentType, Format: format, EndProven: endIsProven(response)})
	if audio.broken != nil {
		return nil, audio.broken
	}
	return final, nil
}

// whatItReads is the end of a sentence about an answer, if that has an error message.
func (c *Client) whatItReads(body io.Reader) string {
	message := c.readErrorBody(body).sentence()
	if message == "" {
		return ""
	}
	return "; it reads " + message
}

// isComplete reports whether an answer is all of the audio. Nobody has asked for a range.
func isComplete(status int, contentRange string) bool {
	if contentRange == "" {
		return status == http.StatusOK
	}
	var first, last, size int64
	_, err := fmt.Sscanf(contentRange, "bytes %d-%d/%d", &first, &last, &size)
	mayBe := status == http.StatusOK || status == http.StatusPartialContent
	return mayBe && err == nil && first == 0 && last == size-1
}

// namesSomethingElse reports whether a media type is one of what is no audio. Others may be that of audio.
func namesSomethingElse(contentType string) bool {
	name, _, _ := strings.Cut(contentType, ";")
	name = strings.ToLower(strings.TrimSpace(name))
	topLevel, subtype, _ := strings.Cut(name, "/")
	_, syntax, _ := strings.Cut(subtype, "+")
	return isOneOf(topLevel, "text", "multipart", "image", "font", "message", "model") ||
		topLevel == "application" && (isOneOf(subtype, "json", "xml") || isOneOf(syntax, "json", "xml"))
}

// endIsProven reports whether the end of a body shows that all of it has come: by a length, by a last chunk, or by HTTP/2's end
// of a stream. Another body lasts until its connection ends, and nobody can tell whether the service has ended that. TLS has a
// message for it, but Go does not tell whether it came.
func endIsProven(response *http.Response) bool {
	return response.ContentLength >= 0 || len(response.TransferEncoding) > 0 || response.ProtoMajor > 1
}

// audioReader remembers how the audio broke off. The error that receive returns does not tell
// whether the audio or the receiver failed.
type audioReader struct {
	from         io.Reader
	errorMessage func(text []byte) string // what an error message says
	received     int64
	end          []byte // the last bytes
	broken       error
}

func (a *audioReader) Read(p []byte) (int, error) {
	n, err := a.from.Read(p)
	a.received += int64(n)
	const most = 4096
	a.end = append(a.end, p[:n]...)
	a.end = a.end[max(0, len(a.end)-most):]
	switch {
	case errors.Is(err, io.EOF):
		message := errorMessageAt(a.end)
		if message == nil {
			return n, err
		}
		err = fmt.Errorf("the audio ends in an error message after %d bytes: %s", a.received-int64(len(message)), a.errorMessage(message))
		a.broken = err
	case err != nil:
		err = fmt.Errorf("the audio broke off after %d bytes: %w", a.received, err)
		a.broken = err
	}
	return n, err
}

var pageAtEnd = regexp.MustCompile(`(?is)(<html.*)?</html>$`)

// errorMessageAt is the error message that is at the end of audio: a page of a gateway, or a JSON object as refusals are (section 7). Nil if
// there is none: audio may have JSON of another kind there, which describes it.
func errorMessageAt(end []byte) []byte {
	text := bytes.TrimRight(end, " \t\r\n")
	page := pageAtEnd.FindIndex(text)
	if page != nil {
		return end[page[0]:]
	}
	for at := range text {
		var object map[string]json.RawMessage
		if text[at] != '{' || json.Unmarshal(text[at:], &object) != nil {
			continue
		}
		if object["detail"] != nil || object["message"] != nil || object["error"] != nil {
			return end[at:]
		}
	}
	return nil
}
