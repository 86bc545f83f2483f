package provider_test

import (
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// TestConversion_lastConversionDate: both resources show the timestamp that `not_before` takes. One in milliseconds, which no calendar of
// four digits has, is not null: null means any snapshot, and `not_before` refuses what is shown instead.
func TestConversion_lastConversionDate(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[string]string{
		"1700000000": "'2023-11-14T22:13:20Z'", "0": "null", "1700000000000": "'55840-11-08T22:13:20Z'", "null": "null",
	} {
		for _, kind := range []resourceType{chapterConversion, projectConversion} {
			withProcess(t, mockserver.Chapter{Converted: true}, func(c *core, p *fakecore.Process) {
				c.service.SetField("book", "one", "last_conversion_date_unix", seconds)
				c.TypeName, c.Defaults = kind.name, kind.defaults
				c.Import(strings.Join([]string{"book", "one"}[:len(kind.defaults)], "/"))
				got := written(fakecore.AttributesOf(c.Object.Value)["last_conversion_date"])
				if got != want {
					c.Errorf("%s, %s: got %s, want %s", kind.name, seconds, got, want)
				}
				// What a refresh does not find any more, the resource does not show.
				c.service.SetField("book", "one", "last_conversion_date_unix", "null")
				c.Refresh(p, &fakecore.Screen{})
				got = written(fakecore.AttributesOf(c.Object.Value)["last_conversion_date"])
				if got != "null" {
					c.Errorf("%s, %s: got %s after a refresh", kind.name, seconds, got)
				}
			})
		}
	}
}
