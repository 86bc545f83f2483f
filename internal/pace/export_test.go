package pace

// Rate is the rate of conversions, in requests a second; 0 while all is open.
func (p *Pace) Rate() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rate
}
