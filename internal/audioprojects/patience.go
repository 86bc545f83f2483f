package audioprojects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// patientTransport gives up on an attempt that takes too long, its connection and the
// reading of its answer included.
type patientTransport struct {
	*http.Transport
	patience time.Duration
	// steady lets an answer take any time as long as its bytes keep coming: a bound on the
	// whole of it would be wrong for audio, which takes as long as it is big.
	steady bool
}

func (t patientTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, giveUp := context.WithCancelCause(request.Context())
	tooLong := fmt.Errorf("no whole answer within %s", t.patience)
	if t.steady {
		tooLong = fmt.Errorf("no byte came for %s", t.patience)
	}
	timer := time.AfterFunc(t.patience, func() { giveUp(tooLong) })
	response, err := t.Transport.RoundTrip(request.WithContext(ctx))
	if err != nil {
		timer.Stop()
		err = causeOf(ctx, err)
		giveUp(nil)
		return nil, err
	}
	// What is refused is short, however slowly it is told.
	t.steady = t.steady && succeeded(response)
	if t.steady {
		timer.Stop()
	}
	response.Body = &patientBody{ReadCloser: response.Body, transport: t, ctx: ctx, giveUp: giveUp, timer: timer}
	return response, nil
}

// patientBody is the body of an answer, read under the patience of its transport.
type patientBody struct {
	io.ReadCloser
	transport patientTransport
	ctx       context.Context
	giveUp    context.CancelCauseFunc
	timer     *time.Timer
}

func (b *patientBody) Read(p []byte) (int, error) {
	if b.transport.steady {
		// Only while we read: the time the caller takes for what it has read is not the service's silence.
		b.timer.Reset(b.transport.patience)
		defer b.timer.Stop()
	}
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = causeOf(b.ctx, err)
	}
	return n, err
}

func (b *patientBody) Close() error {
	b.timer.Stop()
	b.giveUp(nil)
	return b.ReadCloser.Close()
}

// causeOf is why the context ended, if it did: net/http has several words for that.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}
