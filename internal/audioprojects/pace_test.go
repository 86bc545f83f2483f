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
	"github.com/audioprojects/terraform-provider-audioprojects/internal/pace"
)

// limits are answers 429, one for each form of Retry-After.
var limits = map[string]func(time.Duration) mockserver.Fault{
	"seconds": mockserver.RateLimited,
	"a date":  func(wait time.Duration) mockserver.Fault { return mockserver.RateLimitedUntil(time.Now().Add(wait)) },
}

// TestRetryAfter_holdsBackAllRequests: that of a list, a file or anything else but a conversion is about everything.
func TestRetryAfter_holdsBackAllRequests(t *testing.T) {
	t.Parallel()
	for form, limit := range limits {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				limited := limit(40 * time.Second)
				limited.Operation = operations[0].operation
				service, client := startWith(t, limited)
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
				for _, entry := range service.Journal()[1:] {
					after := entry.At.Sub(began)
					if after < 40*time.Second {
						t.Errorf("%s was requested after %s", entry.Operation, after)
					}
				}
				wantRequests(t, service, len(operations)+1) // the first one twice
			})
		})
	}
}

// TestConvertChapter_withoutPermit sends nothing: neither without one, nor a second time with the same.
func TestConvertChapter_withoutPermit(t *testing.T) {
	t.Parallel()
	service, client := start(t)
	used := permit(t.Context(), client)
	_, err := client.ConvertChapter(t.Context(), "p", "c", used)
	if err != nil {
		t.Fatal(err)
	}
	for _, given := range []*pace.Permit{nil, used} {
		_, err = client.ConvertChapter(t.Context(), "p", "c", given)
		if !errors.Is(err, audioprojects.NotSent) {
			t.Errorf("got %v", err)
		}
	}
	wantRequests(t, service, 1)
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

// TestConvertChapter_pausesAfterRefusal: a Retry-After holds the next conversion back, and nothing else. A quota holds nothing back.
func TestConvertChapter_pausesAfterRefusal(t *testing.T) {
	t.Parallel()
	const concurrent, rate, quota = "too_many_concurrent_requests", "too_many_requests", "quota_exceeded"
	for _, test := range []struct {
		code, retryAfter string
		kind             audioprojects.Kind
		left             time.Duration
	}{
		{concurrent, "", audioprojects.AtCapacity, 0}, {concurrent, "7", audioprojects.AtCapacity, 7 * time.Second},
		{rate, "", audioprojects.RateLimited, 0}, {rate, "7", audioprojects.RateLimited, 7 * time.Second},
		{"", "", audioprojects.RateLimited, 0},
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
			wantTook(t, began, 0)
			if err := convert(t.Context(), client); err != nil {
				t.Error(err)
			}
			wantTook(t, began, test.left)
			wantRequests(t, service, 3)
		})
	}
}

// TestClient_unavailableForAWhile: a 503 with Retry-After holds back what a 429 would. To a conversion, it is no clear answer all the same.
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
			if err := convert(t.Context(), client); err != nil {
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
