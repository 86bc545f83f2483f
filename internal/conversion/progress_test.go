package conversion

import "testing"

func TestProgressInPerCent(t *testing.T) {
	t.Parallel()
	if got := percent(nil); got != nil {
		t.Errorf("no progress: got %d", *got)
	}
	if one := 1.0; percent(&one) != nil {
		t.Errorf("1, which is a percent or the end: got %d", *percent(&one))
	}
	for progress, want := range map[float64]int{0: 0, 0.004: 0, 0.29: 29, 0.999: 99, 2: 2, 29.7: 29, 100: 100, -3: 0, 250: 100} {
		if got := percent(&progress); got == nil || *got != want {
			t.Errorf("%v: got %v, want %d %%", progress, got, want)
		}
	}
}
