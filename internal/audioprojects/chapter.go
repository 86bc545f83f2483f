package audioprojects

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Chapter is section 2.3 of the document. Fields that the service left out, or gave as null, are nil.
type Chapter struct {
	ChapterID              string   `json:"chapter_id"`
	Name                   *Text    `json:"name"`
	LastConversionDateUnix *Integer `json:"last_conversion_date_unix"`
	// ConversionProgress is an integer in the document, and read as fractional too. Its scale is not given.
	ConversionProgress *float64 `json:"conversion_progress"`
	CanBeDownloaded    *bool    `json:"can_be_downloaded"`
	// State is "default" or another text: the document gives no list of values (section 3.2).
	State               *Text              `json:"state"`
	Statistics          *ChapterStatistics `json:"statistics"`
	LastConversionError *Text              `json:"last_conversion_error"`
}

// ChapterStatistics counts the text of a chapter: section 2.3.
type ChapterStatistics struct {
	CharactersUnconverted *Integer `json:"characters_unconverted"`
	CharactersConverted   *Integer `json:"characters_converted"`
	ParagraphsConverted   *Integer `json:"paragraphs_converted"`
	ParagraphsUnconverted *Integer `json:"paragraphs_unconverted"`
}

// ListChapters lists the chapters of a project in the service's order: section 4.2.
func (c *Client) ListChapters(ctx context.Context, projectID string) ([]Chapter, error) {
	return get[chapterList](ctx, c, "projects", projectID, "chapters")
}

// ConvertChapter asks for the conversion of a chapter, which costs credits: section 4.4.
// It returns when the service has answered, not when the conversion ends.
//
// The request has no body, as none is described. It is never repeated here. After an error of
// kind [NotSent], [Overdue] or [RateLimited] the service has not begun; after one of kind
// [Ambiguous] the conversion may be under way, and only the chapter can tell.
//
// What its sender knows of the chapter gets old while many requests queue, so it leaves by
// the given time or not at all ([Overdue]); zero is any time.
func (c *Client) ConvertChapter(ctx context.Context, projectID, chapterID string, leaveBy time.Time) error {
	response, err := c.send(ctx, call{
		sender:   c.careful,
		method:   http.MethodPost,
		elements: []string{"projects", projectID, "chapters", chapterID, "convert"},
		latest:   leaveBy,
	})
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := readAnswer(response)
	if err != nil {
		return c.noClearAnswer(response, c.config.transportError(err))
	}
	// The body may be anything, nothing included, but a page of HTML is not the service's.
	var anything json.RawMessage
	if err := json.Unmarshal(text, &anything); err != nil && len(bytes.TrimSpace(text)) > 0 {
		return c.noClearAnswer(response, c.config.describeMismatch(response, text, err))
	}
	return nil
}

type chapterList []Chapter

func (l *chapterList) UnmarshalJSON(text []byte) error {
	var answer struct {
		Chapters *list[Chapter] `json:"chapters"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return err
	}
	if answer.Chapters == nil {
		return missingList("chapters")
	}
	*l = chapterList(*answer.Chapters)
	return nil
}

func (c Chapter) check(index int) error {
	return checkRecordID("chapters", index, "chapter_id", c.ChapterID, nil)
}

// UnmarshalJSON reads the statistics without what a former value had.
func (s *ChapterStatistics) UnmarshalJSON(text []byte) error {
	type fields ChapterStatistics
	return readAfresh(text, (*fields)(s))
}
