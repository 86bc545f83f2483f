package audioprojects

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
