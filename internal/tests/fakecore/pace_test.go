package fakecore_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// TestPaced_failsWhoAsksWithoutAPause, and ends that by 401. One read a second is nothing to it, and neither is one
// request for a conversion.
func TestPaced_failsWhoAsksWithoutAPause(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		method, path string
		pause        time.Duration
		requests     int
		wantsRefuse  bool
	}{
		"each second, for an hour": {http.MethodGet, "", time.Second, 3600, false},
		"a dozen at once":          {http.MethodGet, "", 0, 12, false},
		"without a pause":          {http.MethodGet, "", 0, 100, true},
		"for ever":                 {http.MethodGet, "", time.Second, 20_000, true},
		"a conversion each second": {http.MethodPost, "/one/convert", time.Second, 10, false},
		"a conversion too soon":    {http.MethodPost, "/one/convert", time.Second - 1, 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				told := &recorder{T: t}
				service := fakecore.Paced(told, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
				status := 0
				for range test.requests {
					answer := httptest.NewRecorder()
					service.ServeHTTP(answer, httptest.NewRequest(test.method, "/v1/projects/book/chapters"+test.path, nil))
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
