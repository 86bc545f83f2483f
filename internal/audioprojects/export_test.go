package audioprojects

// CloseIdleConnections closes the connections that no request is using.
func (c *Client) CloseIdleConnections() {
	c.config.Transport.CloseIdleConnections()
}
