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

// TestRetryAfterHoldsBackAllRequests: whoever can waits, and a conversion fails, because its caller must look again before it requests one.
func TestRetryAfterHoldsBackAllRequests(t *testing.T) {
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
						err := operation.ask(t.Context(), client)
						isRefused := errors.Is(err, audioprojects.RateLimited) && audioprojects.RetryAfter(err) == time.Duration(40-i)*time.Second
						if operation.operation == mockserver.ConvertChapter && !isRefused || operation.operation != mockserver.ConvertChapter && err != nil {
							t.Errorf("%s: %v", operation.operation, err)
						}
					})
				}
				all.Wait()
				wantTook(t, began, 40*time.Second)
				for _, entry := range service.Journal()[1:] {
					after := entry.At.Sub(began)
					if after < 40*time.Second {
						t.Errorf("%s was requested after %s, during the pause", entry.Operation, after)
					}
				}
				wantRequests(t, service, len(operations)) // the first one twice, and no conversion
				err := convert(t.Context(), client)
				if err != nil {
					t.Errorf("after the pause: %v", err)
				}
			})
		})
	}
}

func TestALongRetryAfterFailsAtOnce(t *testing.T) {
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
		err := getProject(ctx, client)
		if err != nil {
			t.Errorf("with a deadline after the pause: %v", err)
		}
		wantTook(t, began, 9*time.Minute)
	})
}

// A request that can wait for the end of the pause does not hold up the error of one that cannot.
func TestWhoCannotWaitForThePauseFailsBesideWhoCan(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, client := startWith(t, mockserver.RateLimited(time.Hour))
		_ = getProject(t.Context(), client)
		patient, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
		defer cancel()
		var all sync.WaitGroup
		all.Go(func() {
			err := getProject(patient, client)
			if err != nil {
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

// TestAPauseThatTheServiceDoesNotName grows, and begins anew when the service has accepted a request.
func TestAPauseThatTheServiceDoesNotName(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, client := start(t, noRetries)
		limited := mockserver.Fault{Status: http.StatusTooManyRequests, Hang: time.Millisecond}
		wantPause := func(want time.Duration) {
			t.Helper()
			left := audioprojects.RetryAfter(convert(t.Context(), client))
			if left != want*time.Second {
				t.Errorf("got a pause of %s, want %s", left, want*time.Second)
			}
			time.Sleep(left)
		}
		var all sync.WaitGroup
		for range 3 { // Together they are one reason.
			service.Inject(limited)
			all.Go(func() { _ = getProject(t.Context(), client) })
		}
		all.Wait()
		wantPause(1)
		for _, want := range []time.Duration{2, 4, 8, 16, 30, 30, 0, 1, 2} { // 0: accepted
			if want > 0 {
				service.Inject(limited)
			}
			_ = getProject(t.Context(), client)
			wantPause(want)
		}
	})
}

// TestWhatPausesAfterARefusedConversion: not that so many of them run already, unless the service says when to ask again.
func TestWhatPausesAfterARefusedConversion(t *testing.T) {
	t.Parallel()
	const concurrent, rate, quota = "too_many_concurrent_requests", "too_many_requests", "quota_exceeded"
	for _, test := range []struct {
		code, retryAfter string
		left             time.Duration
	}{
		{concurrent, "", 0}, {concurrent, "7", 7 * time.Second},
		{rate, "", time.Second}, {rate, "7", 7 * time.Second}, {"", "", time.Second},
		{quota, "", 0}, {quota, "7", 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			service, client := startWith(t, mockserver.Fault{
				Status: http.StatusTooManyRequests, Body: `{"detail":{"status":"` + test.code + `"}}`, Header: http.Header{"Retry-After": {test.retryAfter}},
			})
			err := convert(t.Context(), client)
			began := time.Now()
			if !errors.Is(err, audioprojects.RateLimited) && test.code != quota {
				t.Errorf("got %v", err)
			}
			err = getProject(t.Context(), client)
			if err != nil {
				t.Error(err)
			}
			wantTook(t, began, test.left)
			wantRequests(t, service, 2)
		})
	}
}

// TestManyReadersOfALimitedService: the requests of a plan, ten at a time, at a service that accepts two a second and names no pause.
func TestManyReadersOfALimitedService(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, client := start(t)
		service.Allow(mockserver.Allowance{PerSecond: 2, Burst: 1})
		service.Inject(mockserver.Fault{Times: -1, Hang: 100 * time.Millisecond})
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				for range 20 {
					err := getProject(t.Context(), client)
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
	})
}
