package pace

// SendNow sends a request that has waited, and whose timer may have fired late, as timers do outside of a synctest bubble.
func (r *Rate) SendNow() (permit Permit, isSent bool) {
	permit, wait := r.take(true)
	return permit, wait <= 0
}
