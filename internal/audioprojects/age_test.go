package audioprojects_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestWithAge: a cache that does as it is told asks the service, and another one says how old its answer is.
func TestWithAge(t *testing.T) {
	t.Parallel()
	for _, obeys := range []bool{true, false} {
		for _, test := range operations[:2] { // a project and a list of chapters
			synctest.Test(t, func(t *testing.T) {
				service := mockserver.New()
				service.AddProject(testProject)
				client := connect(t, mockserver.NewCache(service, time.Minute, obeys))
				began := time.Now()
				for _, at := range []time.Duration{0, 7 * time.Second, 59 * time.Second, 66 * time.Second} {
					time.Sleep(time.Until(began.Add(at)))
					want := at
					if obeys || at >= time.Minute {
						want = 0
					}
					age := time.Hour
					if err := test.ask(audioprojects.WithAge(t.Context(), &age), client); err != nil {
						t.Fatal(err)
					}
					if age != want {
						t.Errorf("%s after %s, obeys %t: got an age of %s, want %s", test.operation, at, obeys, age, want)
					}
				}
			})
		}
	}
}

// TestWithAge_ofARefusal, which a cache may keep as well. What is no number of seconds says nothing.
func TestWithAge_ofARefusal(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{
		"66": 66 * time.Second, "0": 0, "": 0, "-7": 0, "soon": 0, "1.5": 0, "7s": 0, "99999999999999999999": 24 * time.Hour, "9223372036854775807": 24 * time.Hour,
	} {
		_, client := startWith(t, mockserver.Fault{Status: http.StatusNotFound, Header: http.Header{"Age": {header}}})
		var age time.Duration
		err := getProject(audioprojects.WithAge(t.Context(), &age), client)
		if err == nil || age != want {
			t.Errorf("%q: got %v with an age of %s, want a refusal with %s", header, err, age, want)
		}
	}
}
