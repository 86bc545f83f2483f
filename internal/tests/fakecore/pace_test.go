package fakecore_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// TestPaced_failsWhoReadsWithoutAPause, and ends that by 401. One read a second is nothing to it.
func TestPaced_failsWhoReadsWithoutAPause(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		pause       time.Duration
		reads       int
		wantsRefuse bool
	}{
		"each second, for an hour": {time.Second, 3600, false},
		"a dozen at once":          {0, 12, false},
		"without a pause":          {0, 100, true},
		"for ever":                 {time.Second, 20_000, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				told := &recorder{T: t}
				service := fakecore.Paced(told, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
				status := 0
				for range test.reads {
					answer := httptest.NewRecorder()
					service.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/v1/projects/book/chapters", nil))
					status = answer.Code
					time.Sleep(test.pause)
				}
				isRefused := status == http.StatusUnauthorized
				if isRefused != test.wantsRefuse || (told.errors == 1) != test.wantsRefuse {
					t.Errorf("got status %d and %d errors, want them: %t", status, told.errors, test.wantsRefuse)
				}
			})
		})
	}
}

// recorder counts the errors of a test.
type recorder struct {
	*testing.T
	errors int
}

func (r *recorder) Errorf(string, ...any) { r.errors++ }
