package provider

import (
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

func TestExperimentalMayHoldAnyJSON(t *testing.T) {
	t.Parallel()
	nested := strings.Repeat(`{"a":[`, 2500) + strings.Repeat(`]}`, 2500)
	for _, test := range []struct{ name, json, want string }{
		{"5,000 levels", nested, nested},
		{"no UTF-8", "{\"a\xff\":\"\xff\"}", "{\"a\ufffd\":\"\ufffd\"}"},
		{"half of a surrogate pair", `{"a":"\ud800"}`, "{\"a\":\"\ufffd\"}"},
		{"numbers that no float64 holds", `[1e1000000,-0,9223372036854775808,0.10]`, `[1e1000000,-0,9223372036854775808,0.10]`},
		{"a key that comes twice", `{"b":{"x":1},"a":0,"b":{"y":2}}`, `{"a":0,"b":{"y":2}}`},
		{"control characters, which are left out", `{"a":"\u0000\u001b<&>"}`, `{"a":"<&>"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var project audioprojects.Project
			if err := project.UnmarshalJSON([]byte(`{"project_id":"p","experimental":` + test.json + `}`)); err != nil {
				t.Fatal(err)
			}
			value := newProjectModel(project).Experimental
			if got := value.ValueString(); got != test.want {
				t.Errorf("got %.200q\nwant %.200q", got, test.want)
			}
			if same, problems := value.StringSemanticEquals(t.Context(), jsonValue([]byte(test.json))); !same || problems.HasError() {
				t.Errorf("a value differs from itself: %v", problems)
			}
		})
	}
}
