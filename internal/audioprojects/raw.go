package audioprojects

// Raw is a record as it came, with what the document does not have. It is not sanitized. [Client.SanitizedJSON] does that, because
// nobody wants to see most records.
type Raw string

// SanitizedJSON is a record for the state.
func (c *Client) SanitizedJSON(raw Raw) JSON { return c.config.json(JSON(raw)) }

// WithRaw is the same client, but keeps the record of every chapter. Of a long book that takes much memory.
func (c *Client) WithRaw() *Client {
	keeping := *c
	keeping.keepsRaw = true
	return &keeping
}
