package audioprojects_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
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
						if err != nil {
							t.Errorf("%s: %v", operation.operation, err)
						}
					})
				}
				all.Wait()
				for _, entry := range service.Journal()[1:] {
					after := entry.At.Sub(began)
					if after < 40*time.Second {
						t.Errorf("%s was requested after %s, during the pause", entry.Operation, after)
					}
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
		began := time.Now()
		err := convert(t.Context(), client)
		wantError(t, err, audioprojects.RateLimited, convertFailed+"the service accepts no requests for another 10m0s")
		var refused *audioprojects.Error
		if errors.As(err, &refused) && refused.RetryAfter != 10*time.Minute {
			t.Errorf("got RetryAfter %s, want 10m", refused.RetryAfter)
		}
		wantTook(t, began, 0)
		wantRequests(t, service, 1)

		ctx, cancel := context.WithTimeout(t.Context(), 11*time.Minute)
		defer cancel()
		err = convert(ctx, client)
		if err != nil {
			t.Errorf("with a deadline after the pause: %v", err)
		}
		wantTook(t, began, 10*time.Minute)
	})
}

// While requests queue, the client uses at least 90 % of what the service allows, and 95 % after a minute if that is more
// than one request a second. No call fails because of a 429.
func TestTheRateSettlesAtTheLimitOfTheService(t *testing.T) {
	t.Parallel()
	const learning = time.Minute
	const no, slow = 0, 2 * time.Second // how long an answer takes
	for _, test := range []struct {
		allowed mockserver.Allowance
		latency time.Duration
	}{
		{mockserver.Allowance{PerSecond: 5, Burst: 1}, no}, {mockserver.Allowance{PerSecond: 5, Burst: 1}, slow},
		{mockserver.Allowance{PerSecond: 5, Burst: 5}, no}, {mockserver.Allowance{PerSecond: 5, Burst: 50}, slow},
		{mockserver.Allowance{PerSecond: 0.5, Burst: 1}, slow}, {mockserver.Allowance{PerSecond: 1, Burst: 60}, no},
		{mockserver.Allowance{PerSecond: 15, Burst: 1}, slow},
	} {
		allowed, latency := test.allowed, test.latency
		t.Run(fmt.Sprintf("%v a second, burst of %d, %s an answer", allowed.PerSecond, allowed.Burst, latency), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				length := 3 * time.Minute
				if allowed.PerSecond <= 1 {
					length = 5 * time.Minute // To learn takes some requests.
				}
				service, client := start(t)
				service.Allow(allowed)
				service.Inject(mockserver.Fault{Times: -1, Hang: latency})
				end := time.Now().Add(length)
				var all sync.WaitGroup
				for range 60 {
					all.Go(func() {
						for time.Now().Before(end) {
							err := getProject(t.Context(), client)
							if err != nil {
								t.Error(err)
							}
						}
					})
				}
				all.Wait()
				answered, refused, steady := 0, 0, 0
				for _, entry := range service.Journal() {
					switch {
					case entry.Status == http.StatusTooManyRequests:
						refused++
					case entry.At.Before(end):
						answered++
						if entry.At.After(end.Add(learning - length)) {
							steady++
						}
					}
				}
				t.Logf("%d answered, %d refused", answered, refused)
				share := float64(answered) / (allowed.PerSecond * length.Seconds())
				if share < 0.9 {
					t.Errorf("got %.1f %% of the allowance, want 90 %% or more", 100*share)
				}
				share = float64(steady) / (allowed.PerSecond * (length - learning).Seconds())
				if share < 0.95 && allowed.PerSecond > 1 {
					t.Errorf("got %.1f %% of the allowance after a minute, want 95 %% or more", 100*share)
				}
			})
		})
	}
}

func TestAConversionGoesBeforeQueuedRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, client := startWith(t, mockserver.RateLimited(5*time.Second))
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				err := getProject(t.Context(), client)
				if err != nil {
					t.Error(err)
				}
			})
			time.Sleep(time.Millisecond)
		}
		service.ResetJournal()
		err := convert(t.Context(), client)
		if err != nil {
			t.Error(err)
		}
		all.Wait()
		got := service.Journal()[0].Operation
		if got != mockserver.ConvertChapter {
			t.Errorf("the first request after the pause: got %s, want the conversion", got)
		}
	})
}

// A conversion that waits in the queue for longer than its caller allows is not sent.
func TestAConversionIsNotSentLate(t *testing.T) {
	t.Parallel()
	for _, queue := range []int{2, 40} {
		synctest.Test(t, func(t *testing.T) {
			service, client := startWith(t, mockserver.RateLimited(0))
			err := getProject(t.Context(), client)
			if err != nil {
				t.Error(err)
			}
			service.ResetJournal()
			time.Sleep(time.Minute)
			var all sync.WaitGroup
			var late atomic.Int64
			for range queue {
				all.Go(func() {
					err := client.ConvertChapter(t.Context(), "p", "c", time.Now().Add(time.Second))
					if errors.Is(err, audioprojects.Overdue) {
						late.Add(1)
					}
				})
				time.Sleep(time.Millisecond)
			}
			all.Wait()
			overdue := int(late.Load())
			got, want := service.Count(mockserver.ConvertChapter), queue-overdue
			if got != want || (overdue > 0) != (queue > 2) {
				t.Errorf("%d at once: got %d requests, and %d that were too late", queue, got, overdue)
			}
		})
	}
}

func TestAConversionWhoseTimeIsOverIsNotSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, client := startWith(t, mockserver.RateLimited(0))
		err := getProject(t.Context(), client)
		if err != nil {
			t.Error(err)
		}
		service.ResetJournal()
		for range 20 {
			time.Sleep(time.Minute)
			err := client.ConvertChapter(t.Context(), "p", "c", time.Now().Add(-time.Hour))
			if !errors.Is(err, audioprojects.Overdue) {
				t.Errorf("got error %v, want one of kind overdue", err)
			}
		}
		got := service.Count(mockserver.ConvertChapter)
		if got > 0 {
			t.Errorf("%d were sent", got)
		}
	})
}

func TestALongRetryAfterFailsQueuedRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, client := startWith(t, mockserver.RateLimited(5*time.Second))
		service.Inject(mockserver.RateLimited(10 * time.Minute))
		began := time.Now()
		var all sync.WaitGroup
		for range 10 {
			for _, ask := range []func(context.Context, *audioprojects.Client) error{getProject, convert} {
				all.Go(func() {
					err := ask(t.Context(), client)
					if !errors.Is(err, audioprojects.RateLimited) {
						t.Errorf("got error %v, want one of kind rate limited", err)
					}
				})
				time.Sleep(time.Millisecond)
			}
		}
		all.Wait()
		took := time.Since(began)
		if took < 5*time.Second || took > 6*time.Second {
			t.Errorf("took %s, want errors soon after the second 429, which came after 5s", took)
		}
		wantRequests(t, service, 2)
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
