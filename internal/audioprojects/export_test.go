package audioprojects

// CloseIdleConnections closes the connections that no request is using.
func (c *Client) CloseIdleConnections() {
	c.config.Transport.CloseIdleConnections()
}

// NewTransport returns the transport of a client that is given none.
var NewTransport = newTransport

// ConvertsOverSharedTransport is the same client, which requests conversions over the transport of all other requests. Net/http repeats
// requests there.
func (c *Client) ConvertsOverSharedTransport() *Client {
	shared := *c
	shared.once = newRetryClient(attemptTransport{Transport: c.config.Transport, config: c.config, pace: c.pace, writes: 1}, 0)
	return &shared
}
