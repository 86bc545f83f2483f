package progress

import (
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

func TestPercentOf(t *testing.T) {
	t.Parallel()
	_, known := percentOf(audioprojects.Chapter{})
	if known {
		t.Error("a chapter without progress has some")
	}
	for progress, want := range map[float64]int{0: 0, 0.004: 0, 0.29: 29, 0.999: 99, 1: 1, 29.7: 29, 100: 100, -3: 0, 250: 100} {
		got, _ := percentOf(audioprojects.Chapter{ConversionProgress: audioprojects.Lenient[float64]{Value: &progress}})
		if got != want {
			t.Errorf("%v: got %d %%, want %d %%", progress, got, want)
		}
	}
}
