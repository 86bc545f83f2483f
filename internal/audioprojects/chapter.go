package audioprojects

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Chapter is section 2.3 of the document. A field that is absent or null in the answer is nil, and so is one of another type.
type Chapter struct {
	ChapterID string `json:"chapter_id" odd:"refused"`
	Name      *Text  `json:"name"`
	// LastConversionDateUnix is in seconds since 1970.
	LastConversionDateUnix *Integer `json:"last_conversion_date_unix" odd:"unread"`
	// ConversionProgress is an integer in the document, which does not say whether 1 or 100 is the end.
	// A fraction is accepted as well.
	ConversionProgress *float64 `json:"conversion_progress"`
	CanBeDownloaded    *bool    `json:"can_be_downloaded"`
	// State is "default" when nothing is under way. The document lists no other values (section 3.2).
	State      *Text              `json:"state" odd:"unread"`
	Statistics *ChapterStatistics `json:"statistics" odd:"unread"`
	// LastConversionError has what an error says that is not a text.
	LastConversionError *Text `json:"last_conversion_error" odd:"words"`
	// Odd says which fields have another type than in the document, and quotes them; empty if none has.
	Odd Text `json:"-"`
	// Problem is Odd without the fields on which no conversion depends. Unless it is empty, nobody can tell whether the chapter is busy, or
	// what it has left to convert.
	Problem Text `json:"-"`
	// Raw is the whole record; empty if the client is not to keep it.
	Raw Raw `json:"-"`
}

// ChapterStatistics counts the text of a chapter that has audio and that has none: section 2.3.
type ChapterStatistics struct {
	CharactersUnconverted *Integer `json:"characters_unconverted"`
	CharactersConverted   *Integer `json:"characters_converted"`
	ParagraphsConverted   *Integer `json:"paragraphs_converted"`
	ParagraphsUnconverted *Integer `json:"paragraphs_unconverted"`
}

// Busy reports whether a chapter is being converted. The document lists only one state of a chapter, default (section 3.2). So these are
// the states in which a project is busy (section 3.1).
func (c Chapter) Busy() bool {
	return c.State != nil && slices.Contains([]string{"converting", "in_queue", "creating"}, c.State.Comparable())
}

// SaysFailed reports whether the state of a chapter says that its conversion has failed. The document has no word for that, so any that has
// a usual one in it does, in any spelling: nothing is under way then.
func (c Chapter) SaysFailed() bool {
	if c.State == nil {
		return false
	}
	state := strings.ToLower(c.State.Comparable())
	return slices.ContainsFunc(failedStates, func(word string) bool { return strings.Contains(state, word) })
}

var failedStates = []string{"failed", "failure", "error", "canceled", "cancelled", "aborted", "rejected"}

// Unconverted is how much text has no audio: the number of characters, or of paragraphs if the service does not count characters. If it
// counts neither, the number is not known.
func (s *ChapterStatistics) Unconverted() (count int64, known bool) {
	_, count, known = s.counts()
	return count, known
}

// Length is that of the whole text, in the same unit; 0 if it is not known.
func (s *ChapterStatistics) Length() int64 {
	converted, unconverted, _ := s.counts()
	return converted + unconverted
}

func (s *ChapterStatistics) counts() (converted, unconverted int64, known bool) {
	if s == nil {
		return 0, 0, false
	}
	done, left := s.CharactersConverted, s.CharactersUnconverted
	if left == nil {
		done, left = s.ParagraphsConverted, s.ParagraphsUnconverted
	}
	if left == nil {
		return 0, 0, false
	}
	if done != nil {
		converted = int64(*done)
	}
	return converted, int64(*left), true
}

// ListChapters lists the chapters of a project in the service's order: section 4.2.
func (c *Client) ListChapters(ctx context.Context, projectID string) ([]Chapter, error) {
	answer, came, err := get[struct {
		Chapters []Chapter `json:"chapters" list:"required"`
	}](ctx, c, "projects", projectID, "chapters")
	c.keepRaw(answer.Chapters, came)
	return withoutCopies(answer.Chapters), err
}

// ConvertChapter requests the conversion of a chapter, which costs credits: section 4.4.
// It returns when the service has answered, not when the conversion ends.
//
// The request has no body, because the document describes none. It is sent once. After an error
// of kind [NotSent], [Overdue] or [RateLimited] the service has not begun. After one of kind
// [Ambiguous] the conversion may be under way: look at the chapter before you send another.
//
// The caller decides by what it knows of the chapter, which gets old while many requests queue.
// So the request is sent by the time sendBy, or fails with [Overdue]. Zero means any time.
func (c *Client) ConvertChapter(ctx context.Context, projectID, chapterID string, sendBy time.Time) error {
	return c.send(ctx, call{
		sender:   c.once,
		method:   http.MethodPost,
		elements: []string{"projects", projectID, "chapters", chapterID, "convert"},
		sendBy:   sendBy,
		// The document does not describe the answer, so any JSON that is no refusal will do, and so will an empty body.
		// An HTML page comes from something else, such as a gateway.
		handle: func(response *http.Response) (final, broken error) {
			var refusal *Error
			final, broken = c.readAll(response, func(text []byte) error {
				var anything json.RawMessage
				text = bytes.TrimPrefix(text, byteOrderMark)
				err := json.Unmarshal(text, &anything)
				if err != nil && len(bytes.TrimSpace(text)) > 0 {
					return c.config.describeUnreadable(text, err)
				}
				if refusalIn(decodedAll(text)) != nil {
					refusal = c.describe(response)
					refusal.say(c.complaint(bytes.NewReader(text)))
					refusal.Explained = true
				}
				return nil
			})
			if refusal != nil {
				return refusal, nil
			}
			return final, broken
		},
	})
}

// withoutCopies makes equal records one: where pages overlap, a service lists a chapter twice. What is only shown may differ; by its
// name, a chapter can be looked for.
func withoutCopies(chapters []Chapter) []Chapter {
	first := make(map[string]Chapter, len(chapters))
	return slices.DeleteFunc(chapters, func(chapter Chapter) bool {
		chapter.CanBeDownloaded, chapter.Odd, chapter.Raw = nil, "", ""
		before, listed := first[chapter.ChapterID]
		if !listed {
			first[chapter.ChapterID] = chapter
		}
		return listed && reflect.DeepEqual(before, chapter)
	})
}
