package audioprojects

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/pace"
)

// Chapter is section 2.3 of the document. A field that is absent or null in the answer is nil.
type Chapter struct {
	ChapterID string        `json:"chapter_id"`
	Name      Lenient[Text] `json:"name"`
	// LastConversionDateUnix is in seconds since 1970.
	LastConversionDateUnix *Integer `json:"last_conversion_date_unix"`
	// ConversionProgress is an integer in the document, which does not say whether 1 or 100 is the end.
	// A fraction is accepted as well.
	ConversionProgress Lenient[float64] `json:"conversion_progress"`
	CanBeDownloaded    Lenient[bool]    `json:"can_be_downloaded"`
	// State is "default" when nothing is under way. The document lists no other values (section 3.2).
	State      *Text              `json:"state"`
	Statistics *ChapterStatistics `json:"statistics"`
	// LastConversionError is also what an error says that is not a text.
	LastConversionError Lenient[Text] `json:"last_conversion_error"`
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
// the states in which a project is busy (section 3.1), and any that says that the service tries again.
func (c Chapter) Busy() bool {
	if c.State == nil {
		return false
	}
	state := c.State.Comparable()
	return slices.Contains([]string{"converting", "in_queue", "creating"}, state) || strings.Contains(strings.ToLower(state), "retrying")
}

// HasOwnWord reports whether the state of a chapter is a word that the document does not have (section 3.2), and that does not say that a
// conversion failed. A chapter may rest in it, or be converted.
func (c Chapter) HasOwnWord() bool {
	isDefault := c.State == nil || c.State.Comparable() == "default"
	return !isDefault && !c.Busy() && !c.SaysFailed()
}

// SaysFailed reports whether the state of a chapter says that its conversion has failed. The document has no word for
// that, so any that has a usual one in it does, in any spelling: nothing is under way then. One that also speaks of
// another try, such as retrying_after_error, does not.
func (c Chapter) SaysFailed() bool {
	if c.State == nil {
		return false
	}
	state := strings.ReplaceAll(strings.ToLower(c.State.Comparable()), "retryable", "")
	hasAny := func(words []string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(state, word) })
	}
	return hasAny(failedStates) && !hasAny(anotherTry)
}

var (
	failedStates = []string{"failed", "failure", "error", "canceled", "cancelled", "aborted", "rejected"}
	anotherTry   = []string{"retry", "pending"}
)

// Unconverted is how much text has no audio: the number of characters, or of paragraphs if the service does not count characters. If it
// counts neither, the number is not known.
func (s *ChapterStatistics) Unconverted() (count int64, known bool) {
	_, count, known = s.counts()
	return count, known
}

// NoneConverted reports whether the service counts the converted text of the chapter, and none of its text is converted.
func (s *ChapterStatistics) NoneConverted() bool {
	_, unconverted, known := s.counts()
	if !known || s.CharactersConverted == nil && s.ParagraphsConverted == nil {
		return false
	}
	isNone := func(count *Integer) bool { return count == nil || *count == 0 }
	return unconverted > 0 && isNone(s.CharactersConverted) && isNone(s.ParagraphsConverted)
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
	return get(ctx, c, func(response *http.Response, text []byte) ([]Chapter, error) {
		return c.decodeChapters(inObject, response, text)
	}, "projects", projectID, "chapters")
}

func (c *Client) decodeChapter(subject string, text []byte) (chapter Chapter, err error) {
	fields, err := c.decodeRecord(subject, text, "chapter_id", &chapter.ChapterID, &chapter)
	if chapter.LastConversionError.Value == nil {
		chapter.LastConversionError.Value = c.config.messageOf(fields["last_conversion_error"])
	}
	if c.keepsRaw {
		chapter.Raw = Raw(text)
	}
	return chapter, err
}

// decodeChapters decodes a list of chapters. Where pages overlap, a service lists a chapter twice: equal records are one. Of records that
// differ, nobody knows which one is true.
func (c *Client) decodeChapters(shape listShape, response *http.Response, text []byte) ([]Chapter, error) {
	listed, err := decodeList(c, "chapters", shape, response, text, c.decodeChapter)
	if err != nil {
		return nil, err
	}
	chapters, first := listed[:0], make(map[string]Chapter, len(listed))
	for _, chapter := range listed {
		before, isTwice := first[chapter.ChapterID]
		if !isTwice {
			chapters, first[chapter.ChapterID] = append(chapters, chapter), chapter
			continue
		}
		before.Raw, chapter.Raw = "", ""
		if !reflect.DeepEqual(before, chapter) {
			return nil, fmt.Errorf("the answer contains chapter %q twice, with different contents", c.config.excerpt(chapter.ChapterID))
		}
	}
	return chapters, nil
}

// PermitConversion waits until the conversion of a chapter may be requested, as [pace.Pace.Wait] does. The error is the
// context's, or one of the kind [RateLimited] if the service asks for a longer pause than the context lasts.
func (c *Client) PermitConversion(
	ctx context.Context, projectID, chapterID string, again bool, onWait func(refusal error),
) (*pace.Permit, error) {
	permit, err := c.pace.Wait(ctx, pace.Conversion, again, onWait)
	paused, isPaused := errors.AsType[*pace.PauseError](err)
	if !isPaused {
		return permit, err
	}
	path, _ := escapePath(c.config.basePath(), c.config.apiPath(), conversionOf(projectID, chapterID)) // The request would refuse a bad id.
	held := c.newError(RateLimited, http.MethodPost, path, paused)
	held.RetryAfter, held.Message = paused.Left, paused.Error()
	return nil, held
}

func conversionOf(projectID, chapterID string) (elements []string) {
	return []string{"projects", projectID, "chapters", chapterID, "convert"}
}

// ConvertChapter requests the conversion of a chapter, which costs credits: section 4.4. It needs a permit of
// [Client.PermitConversion] that was not used, and notes the answer in it. It returns when the service has answered,
// not when the conversion ends.
//
// The request has no body, because the document describes none. It is sent once. After an error of kind [NotSent],
// [RateLimited] or [AtCapacity] the service has not begun. After one of kind [Ambiguous] the conversion may be under
// way: look at the chapter before you send another.
//
// The document does not describe the answer. Any JSON will do, and no body. It is returned as it is shown: in one line
// of at most 500 characters, empty if there is no body. An HTML page comes from something else, such as a gateway.
func (c *Client) ConvertChapter(ctx context.Context, projectID, chapterID string, permit *pace.Permit) (answer Text, err error) {
	if permit.IsUsed() {
		return "", c.newError(NotSent, http.MethodPost, "", errors.New("a request for a conversion needs a permit of its own"))
	}
	err = c.send(ctx, call{
		sender:   c.once,
		method:   http.MethodPost,
		elements: conversionOf(projectID, chapterID),
		permit:   permit,
		handle: func(response *http.Response) (final, broken error) {
			return c.readAll(response, func(text []byte) error {
				err := c.config.checkJSON(text)
				if err != nil && len(bytes.TrimSpace(text)) > 0 {
					return err
				}
				answer = Text(c.config.excerpt(string(text)))
				c.config.log(response.Request, Exchange{Status: response.StatusCode, Answer: answer})
				return nil
			})
		},
	})
	note(permit, err)
	return answer, err
}

// note notes in its permit how the request for a conversion was answered. A 503 with Retry-After slows down, although
// the service may have begun.
func note(permit *pace.Permit, err error) {
	failed, _ := errors.AsType[*Error](err)
	switch {
	case err == nil:
		permit.Accepted()
	case errors.Is(err, AtCapacity), errors.Is(err, RateLimited), failed.Status == http.StatusServiceUnavailable && failed.RetryAfter > 0:
		permit.Refused(err, failed.RetryAfter, failed.Kind == AtCapacity)
	case errors.Is(err, Ambiguous):
		permit.Accepted()
	case errors.Is(err, NotSent):
		permit.Return()
	default:
		permit.Rejected()
	}
}
