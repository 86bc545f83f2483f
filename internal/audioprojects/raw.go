package audioprojects

import "encoding/json"

// Raw is a record as it came, with what the document does not have. It is not sanitized. [Client.Shown] does that, because
// nobody wants to see most records.
type Raw string

// Shown is a record for the state.
func (c *Client) Shown(raw Raw) JSON { return c.config.json(JSON(raw)) }

// WithRaw is the same client, but keeps the record of every chapter. Of a long book that takes much memory.
func (c *Client) WithRaw() *Client {
	keeping := *c
	keeping.keepsRaw = true
	return &keeping
}

// withoutChapters is a project's record without its chapters.
func withoutChapters(fields map[string]part) Raw {
	delete(fields, "chapters")
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
