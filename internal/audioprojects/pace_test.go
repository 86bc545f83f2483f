package audioprojects_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// limits are answers 429, one for each form of Retry-After.
var limits = map[string]func(time.Duration) mockserver.Fault{
	"seconds": mockserver.RateLimited,
	"a date":  func(wait time.Duration) mockserver.Fault { return mockserver.RateLimitedUntil(time.Now().Add(wait)) },
}

// TestRetryAfter_holdsBackAllRequests: nothing is sent during the pause, and then one request after the other.
func TestRetryAfter_holdsBackAllRequests(t *testing.T) {
	t.Parallel()
	for form, limit := range limits {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service, client := startWith(t, limit(40*time.Second))
				began := time.Now()
				var all sync.WaitGroup
				for i, operation := range operations {
					all.Go(func() {
						time.Sleep(time.Duration(i) * time.Second)
						if err := operation.ask(t.Context(), client); err != nil {
							t.Errorf("%s: %v", operation.operation, err)
						}
					})
				}
				all.Wait()
				before := 40 * time.Second
				for _, entry := range service.Journal()[1:] {
					after := entry.At.Sub(began)
					if after < before {
						t.Errorf("%s was requested after %s, want %s or later", entry.Operation, after, before)
					}
					before = after + 100*time.Millisecond
				}
				wantRequests(t, service, len(operations)+1) // the first one twice
			})
		})
	}
}

// TestConvertChapter_late: a conversion that would be sent too late is not sent, and one that is sent says when.
func TestConvertChapter_late(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, client := startWith(t, mockserver.RateLimited(40*time.Second), noRetries)
		_ = getProject(t.Context(), client)
		began, sentAt := time.Now(), time.Duration(0)
		convertBy := func(notAfter time.Duration) error {
			_, err := client.ConvertChapter(t.Context(), "p", "c", audioprojects.Conversion{
				NotAfter: began.Add(notAfter), Sent: func() { sentAt = time.Since(began) },
			})
			return err
		}
		err := convertBy(39 * time.Second)
		if !errors.Is(err, audioprojects.Late) || time.Since(began) > 0 || sentAt > 0 {
			t.Errorf("got %v after %s, sent after %s; want that it is late, at once", err, time.Since(began), sentAt)
		}
		wantRequests(t, service, 1)
		err = convertBy(41 * time.Second)
		if err != nil || sentAt != 40*time.Second {
			t.Errorf("got %v, sent after %s, want 40 s", err, sentAt)
		}
	})
}

func TestRetryAfter_longFailsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, client := startWith(t, mockserver.RateLimited(10*time.Minute))
		wantError(t, getProject(t.Context(), client), audioprojects.RateLimited, getProjectFailed+"429 Too Many Requests: too_many_requests: Too many requests.")
		time.Sleep(time.Minute)
		began := time.Now()
		for _, ask := range []func(context.Context, *audioprojects.Client) error{getProject, convert} {
			err := ask(t.Context(), client)
			if !errors.Is(err, audioprojects.RateLimited) || audioprojects.RetryAfter(err) != 9*time.Minute {
				t.Errorf("got %v, want what is left of the pause", err)
			}
		}
		wantTook(t, began, 0)
		wantRequests(t, service, 1)

		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		if err := getProject(ctx, client); err != nil {
			t.Errorf("with a deadline after the pause: %v", err)
		}
		wantTook(t, began, 9*time.Minute)
	})
}

// A request that can wait for the end of the pause does not hold up the error of one that cannot.
func TestRetryAfter_deadlineBesideNoDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, client := startWith(t, mockserver.RateLimited(time.Hour))
		_ = getProject(t.Context(), client)
		patient, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
		defer cancel()
		var all sync.WaitGroup
		all.Go(func() {
			if err := getProject(patient, client); err != nil {
				t.Error(err)
			}
		})
		time.Sleep(time.Second)
		began := time.Now()
		hasty, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		err := getProject(hasty, client)
		if !errors.Is(err, audioprojects.RateLimited) {
			t.Errorf("got %v", err)
		}
		wantTook(t, began, 0)
		all.Wait()
	})
}

// TestConvertChapter_pausesAfterRefusal: not that so many of them run already, and no quota. Any other 429 slows down all requests.
func TestConvertChapter_pausesAfterRefusal(t *testing.T) {
	t.Parallel()
	const concurrent, rate, quota = "too_many_concurrent_requests", "too_many_requests", "quota_exceeded"
	for _, test := range []struct {
		code, retryAfter string
		kind             audioprojects.Kind
		left             time.Duration
	}{
		{concurrent, "", audioprojects.AtCapacity, 0}, {concurrent, "7", audioprojects.AtCapacity, 0},
		{rate, "", audioprojects.RateLimited, time.Second / 2}, {rate, "7", audioprojects.RateLimited, 7 * time.Second},
		{"", "", audioprojects.RateLimited, time.Second / 2},
		{quota, "", audioprojects.Rejected, 0}, {quota, "7", audioprojects.Rejected, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			service, client := startWith(t, mockserver.Fault{
				Status: http.StatusTooManyRequests, Body: `{"detail":{"status":"` + test.code + `"}}`, Header: http.Header{"Retry-After": {test.retryAfter}},
			})
			err := convert(t.Context(), client)
			began := time.Now()
			if !errors.Is(err, test.kind) {
				t.Errorf("%+v: got %v", test, err)
			}
			if err := getProject(t.Context(), client); err != nil {
				t.Error(err)
			}
			wantTook(t, began, test.left)
			wantRequests(t, service, 2)
		})
	}
}

// TestClient_unavailableForAWhile: a 503 with Retry-After holds back all requests. To a conversion, it is no clear answer all the same.
func TestClient_unavailableForAWhile(t *testing.T) {
	t.Parallel()
	for _, ask := range []func(context.Context, *audioprojects.Client) error{getProject, convert} {
		synctest.Test(t, func(t *testing.T) {
			service, client := startWith(t, mockserver.Fault{Status: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {"7"}}}, noRetries)
			began := time.Now()
			err := ask(t.Context(), client)
			if !errors.Is(err, audioprojects.Ambiguous) {
				t.Errorf("got %v", err)
			}
			if err := getProject(t.Context(), client); err != nil {
				t.Error(err)
			}
			wantTook(t, began, 7*time.Second)
			wantRequests(t, service, 2)
		})
	}
}

// TestClient_manyReadersOfLimitedService: the requests of a plan, ten at a time, at a service that accepts two a second and names no pause.
func TestClient_manyReadersOfLimitedService(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, client := start(t)
		service.Allow(mockserver.Allowance{PerSecond: 2, Burst: 1})
		service.Inject(mockserver.Fault{Times: -1, Hang: 100 * time.Millisecond})
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				for range 20 {
					if err := getProject(t.Context(), client); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
	})
}
