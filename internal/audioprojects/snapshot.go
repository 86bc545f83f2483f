package audioprojects

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// ChapterSnapshot is section 2.5 of the document. A field that is absent or null in the answer is nil.
// CreatedAtUnix is in seconds since 1970.
type ChapterSnapshot struct {
	ChapterSnapshotID string   `json:"chapter_snapshot_id"`
	ProjectID         *Text    `json:"project_id"`
	ChapterID         *Text    `json:"chapter_id"`
	CreatedAtUnix     *Integer `json:"created_at_unix"`
	Name              *Text    `json:"name"`
}

// ListChapterSnapshots lists the snapshots of a chapter in the service's order: section 4.3.
func (c *Client) ListChapterSnapshots(ctx context.Context, projectID, chapterID string) ([]ChapterSnapshot, error) {
	return getList[ChapterSnapshot](ctx, c, "projects", projectID, "chapters", chapterID, "snapshots")
}

// ProjectSnapshotRecord is an element of the list of a project's snapshots. The document
// does not give the shape of that list (sections 2.6 and 4.6), so the record is kept as received.
type ProjectSnapshotRecord struct {
	ProjectSnapshotID string `json:"project_snapshot_id"`
	// CreatedAtUnix is in seconds since 1970. It is nil if the record has no number there, and Name if it has no text.
	CreatedAtUnix *Integer `json:"created_at_unix"`
	Name          *Text    `json:"name"`
	// Record is the whole element.
	Record JSON `json:"json"`
}

// ListProjectSnapshots lists the snapshots of a project: section 4.6. The answer may be
// an array, or an object with an array under snapshots.
func (c *Client) ListProjectSnapshots(ctx context.Context, projectID string) ([]ProjectSnapshotRecord, error) {
	return getList[ProjectSnapshotRecord](ctx, c, "projects", projectID, "snapshots")
}

// Audio is a snapshot's audio while it is received (section 4.5). A Read fails if the audio breaks off.
type Audio struct {
	io.Reader
	// ContentType is the media type that the service gives, empty if it gives none. The document names none.
	ContentType Text
	// Length is the number of bytes that the service announces, -1 if it announces none.
	Length int64
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
		handle:   func(response *http.Response) (final, broken error) { return c.deliver(response, receive) },
	})
}

// deliver passes the audio of an answer to receive: of a 200, or of a 206 whose range is all of it. What has another
// successful status is requested again, and so is audio that breaks off. Every other error is final.
func (c *Client) deliver(response *http.Response, receive func(Audio) error) (final, broken error) {
	const sniffed = 512 // bytes that http.DetectContentType looks at
	body := bufio.NewReaderSize(response.Body, sniffed)
	beginning, err := body.Peek(sniffed)
	contentType, encoding, part := response.Header.Get("Content-Type"), response.Header.Get("Content-Encoding"), response.Header.Get("Content-Range")
	kind, problem := "", ""
	if err == nil || errors.Is(err, io.EOF) { // So few bytes as come before an answer breaks off do not tell whether they are audio.
		kind = otherThanAudio(contentType, beginning)
	}
	switch {
	case len(beginning) == 0 && errors.Is(err, io.EOF):
		problem = "the answer is empty"
	case encoding != "" && !strings.EqualFold(encoding, "identity"):
		problem = fmt.Sprintf("the audio is encoded as %s, which the provider did not request", c.config.excerpt(encoding))
	case kind != "":
		problem = fmt.Sprintf("the answer is %s, not audio", kind)
		words := c.complaint(body).sentence()
		if words != "" {
			problem += "; it reads " + words
		}
	case response.StatusCode != http.StatusOK && !isAll(response.StatusCode, part):
		problem = "the answer is not the complete audio"
		if part != "" {
			problem += ", but " + c.config.excerpt(part)
		}
	}
	if problem != "" {
		err := c.noClearAnswer(response, errors.New(problem))
		if response.StatusCode == http.StatusOK {
			return err, nil
		}
		return nil, err
	}
	audio := &audioReader{from: body}
	final = receive(Audio{
		Reader: audio, ContentType: c.config.text(contentType),
		Length: response.ContentLength, EndProven: endIsProven(response),
	})
	if audio.broken != nil {
		return nil, audio.broken
	}
	return final, nil
}

// isAll reports whether an answer is all of what it is a range of. Nobody has asked for a range.
func isAll(status int, contentRange string) bool {
	var first, last, size int64
	_, err := fmt.Sscanf(contentRange, "bytes %d-%d/%d", &first, &last, &size)
	return status == http.StatusPartialContent && err == nil && first == 0 && last == size-1
}

// The media types of what holds audio or says where it is, and is none.
var (
	archiveType = regexp.MustCompile(
		`^application/(x-|vnd\.)?(zip|gzip|bzip2?|xz|lzma|zstd|g?tar|tgz|7z|rar|compress)(-?compressed)?(-tar)?$` +
			`|^application/x-compressed|\+(zip|gzip)$`)
	playlistType = regexp.MustCompile(`mpegurl|scpls|(dash|pls|xspf|sstr)\+xml$`)
	// beginningType are formats whose first bytes show them, and audioFound is what net/http takes these bytes for.
	beginningType = regexp.MustCompile(`^audio/(x-|vnd\.)?(mpe?g3?|mp[34]|m4a|wave?|ogg|opus|vorbis|flac|aacp?|webm|aiff)$`)
	audioFound    = regexp.MustCompile(`^(audio|video)/|^application/(ogg|octet-stream)$`)
	// archive has those that net/http finds in what has another type.
	archive = []string{"application/zip", "application/x-gzip", "application/x-rar-compressed"}
)

// otherThanAudio names what an answer contains if it is something else; it is empty if the answer may be audio.
// It looks at the first bytes as well, because a gateway may send its error page with a wrong media type, or none. What has the name of a
// format with a beginning of its own is refused if it begins like anything else. Samples have no such beginning, and may look like text or
// an archive: they are refused only if they begin like HTML, XML, JSON or a playlist.
func otherThanAudio(contentType string, sniffed []byte) string {
	given, _, _ := mime.ParseMediaType(contentType)
	found, _, _ := mime.ParseMediaType(http.DetectContentType(sniffed))
	isText, isCalledAudio := strings.HasPrefix(found, "text/"), strings.HasPrefix(given, "audio/")
	hasBeginning := beginningType.MatchString(given)
	switch {
	case strings.HasSuffix(given, "json"), beginsLikeObject(sniffed):
		return "JSON"
	case playlistType.MatchString(given), bytes.HasPrefix(sniffed, []byte("#EXTM3U")):
		return "a playlist"
	case archiveType.MatchString(given), (hasBeginning || !isCalledAudio) && slices.Contains(archive, found):
		return "an archive"
	case strings.HasPrefix(given, "multipart/"):
		return "multipart"
	case found == "text/html", found == "text/xml", isText && strings.HasPrefix(given, "text/"):
		return found
	case isText && (given == "" || hasBeginning) && isUTF8(sniffed):
		return found
	case hasBeginning && !isText && !audioFound.MatchString(found):
		return found
	case strings.HasSuffix(given, "xml"):
		return "XML"
	default:
		return ""
	}
}

// isUTF8 reports whether the bytes are the beginning of a text, which may be cut within a character.
func isUTF8(beginning []byte) bool {
	for cut := range min(utf8.UTFMax, len(beginning)+1) {
		if utf8.Valid(beginning[:len(beginning)-cut]) {
			return true
		}
	}
	return false
}

// beginsLikeObject reports whether the bytes are the beginning of a JSON object, as refusals are (section 7).
func beginsLikeObject(beginning []byte) bool {
	var object map[string]json.RawMessage
	err := json.NewDecoder(bytes.NewReader(beginning)).Decode(&object)
	return bytes.HasPrefix(bytes.TrimSpace(beginning), []byte("{")) && (err == nil || errors.Is(err, io.ErrUnexpectedEOF))
}

// endIsProven reports whether the end of a body shows that all of it has come. A body without a length and without chunks
// lasts until the connection ends, and without TLS nobody can tell whether the service has ended it.
func endIsProven(response *http.Response) bool {
	return response.ContentLength >= 0 || len(response.TransferEncoding) > 0 || response.TLS != nil || response.ProtoMajor > 1
}

// audioReader remembers how the audio broke off. The error that receive returns does not tell
// whether the audio or the receiver failed.
type audioReader struct {
	from     io.Reader
	received int64
	broken   error
}

func (a *audioReader) Read(p []byte) (int, error) {
	n, err := a.from.Read(p)
	a.received += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("the audio broke off after %d bytes: %w", a.received, err)
		a.broken = err
	}
	return n, err
}
