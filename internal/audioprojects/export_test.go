package audioprojects

// CloseIdleConnections closes the connections that no request is using.
func (c *Client) CloseIdleConnections() {
	c.config.Transport.CloseIdleConnections()
}

// HideKey is how the gate hides a key.
func HideKey(key string) func(text string) string { return newKeyMask(key).Replace }

// NewTransport returns the transport of a client that is given none.
var NewTransport = newTransport
