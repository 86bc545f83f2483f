package audioprojects

// CloseIdleConnections closes the connections that no request is using.
func (c *Client) CloseIdleConnections() {
	c.config.Transport.CloseIdleConnections()
}

// NewTransport returns the transport of a client that is given none.
var NewTransport = newTransport
