package audioprojects

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"
)

type ageKey struct{}

// WithAge lets each request with the context set the age of its answer: that of the Age header, which a cache adds that answers for the
// service, in seconds, at most a day. It is 0 if the service itself has answered. A list shows what was so that long before.
func WithAge(ctx context.Context, age *time.Duration) context.Context {
	return context.WithValue(ctx, ageKey{}, age)
}

func setAge(ctx context.Context, response *http.Response) {
	age, isWanted := ctx.Value(ageKey{}).(*time.Duration)
	if !isWanted {
		return
	}
	const day = 24 * 60 * 60
	seconds, err := strconv.ParseInt(response.Header.Get("Age"), 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) { // An Age of another form says nothing, and one that is too large is one.
		seconds = 0
	}
	*age = time.Duration(max(0, min(seconds, day))) * time.Second
}
