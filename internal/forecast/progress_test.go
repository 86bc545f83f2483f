package forecast

import (
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

func TestProgressInPerCent(t *testing.T) {
	t.Parallel()
	const unknown = -1
	for name, test := range map[string]struct {
		seen []float64
		want []int
	}{
		"of 100":                     {[]float64{0, 2, 1, 29.7, 100}, []int{0, 2, 1, 29, 100}},
		"of 1":                       {[]float64{0, 0.004, 0.29, 0.999, 1}, []int{0, 0, 29, 99, unknown}},
		"of 100, and a part of one":  {[]float64{0.5, 1.5, 0.5}, []int{50, 1, 0}},
		"neither, which is no error": {[]float64{-3, 250}, []int{0, 100}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var scale progressScale
			got, known := scale.percent(audioprojects.Chapter{})
			if known {
				t.Errorf("no progress: got %d", got)
			}
			for i, progress := range test.seen {
				got, known := scale.percent(audioprojects.Chapter{ConversionProgress: &progress})
				if !known {
					got = unknown
				}
				if got != test.want[i] {
					t.Errorf("%v: got %d %%, want %d %%", progress, got, test.want[i])
				}
			}
		})
	}
}
