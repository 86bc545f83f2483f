package audioprojects

import (
	"encoding/json"
	"maps"
	"strings"
)

// Raw is a record as it came, with what the document does not have. It is not sanitized. [Client.Shown] does that, because
// nobody wants to see most records.
type Raw string

// UnmarshalJSON never fails.
func (r *Raw) UnmarshalJSON(text []byte) error {
	*r = Raw(text)
	return nil
}

// Shown is a record for the state.
func (c *Client) Shown(raw Raw) (JSON, error) {
	p := &answerSanitizer{sanitizer: c.config.sanitizer}
	shown := p.json(JSON(raw))
	p.count(len(shown))
	return shown, p.problem
}

// WithRaw is the same client, but keeps the record of every chapter. Of a long book that takes much memory.
func (c *Client) WithRaw() *Client {
	keeping := *c
	keeping.keepsRaw = true
	return &keeping
}

// keepRaw gives each chapter of an answer its record, if that is wanted. An answer may have the list twice, its name in other letters.
// Then nobody knows which record is whose.
func (c *Client) keepRaw(chapters []Chapter, answer []byte) {
	if !c.keepsRaw {
		return
	}
	var named struct {
		Chapters []Raw `json:"chapters"`
	}
	err := json.Unmarshal(answer, &named)
	if err != nil {
		_ = json.Unmarshal(answer, &named.Chapters) // It is the list itself.
	}
	for i := range chapters {
		if len(named.Chapters) == len(chapters) {
			chapters[i].Raw = named.Chapters[i]
		}
	}
}

// withoutChapters is a project's record without its chapters.
func withoutChapters(answer []byte) Raw {
	var fields map[string]part
	_ = json.Unmarshal(answer, &fields) // It has been decoded before.
	maps.DeleteFunc(fields, func(name string, _ part) bool { return strings.EqualFold(name, "chapters") })
	rest, _ := json.Marshal(fields) // What has been decoded is always encoded.
	return Raw(rest)
}

// part is a part of a text, which may be too long to be copied for nothing.
type part []byte

// UnmarshalJSON never fails.
func (p *part) UnmarshalJSON(text []byte) error {
	*p = text
	return nil
}

// MarshalJSON never fails.
func (p part) MarshalJSON() ([]byte, error) { return p, nil }
