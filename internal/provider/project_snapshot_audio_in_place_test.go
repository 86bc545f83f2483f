package provider_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// The old audio stays until the new is whole, whatever the lifecycle block says.
func TestOtherAudioIsWrittenInPlace(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		changed map[string]any
		want    []byte
	}{
		"project_snapshot_id": {map[string]any{"project_snapshot_id": "old"}, sound(t, "old", false)},
		"convert_to_mpeg":     {map[string]any{"convert_to_mpeg": true}, sound(t, "new", true)},
		"unknown":             {map[string]any{"project_snapshot_id": tftypes.UnknownValue}, sound(t, "old", false)},
	} {
		for _, createBeforeDestroy := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, create_before_destroy %t", name, createBeforeDestroy), func(t *testing.T) {
				t.Parallel()
				c := newAudioCore(t, map[string]any{})
				c.CreateBeforeDestroy = createBeforeDestroy
				c.Apply().Want(c, "create", nil, nil)
				maps.Copy(c.Arguments, test.changed)
				c.service.Inject(mockserver.Fault{Status: 404})
				plan := c.Plan()
				if name == "unknown" { // until the apply
					c.Arguments["project_snapshot_id"] = "old"
				}
				c.ApplyPlan(plan).Want(c, "update", nil, []string{"404 Not Found"})
				c.wantFolder(sound(t, "new", false))
				c.Apply().Want(c, "update", nil, nil)
				c.wantRequests(3)
				c.wantFolder(test.want)
				c.Plan().Want(c, "no-op", nil, nil)
			})
		}
	}
}

// Somebody changes the file between the plan and the apply.
func TestOtherAudioDoesNotReplaceAStrangersFile(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	c.Apply().Want(c, "create", nil, nil)
	c.Arguments["project_snapshot_id"] = "old"
	plan := c.Plan()
	c.leave([]byte("mine"))
	c.ApplyPlan(plan).Want(c, "update", nil, []string{fileExists})
	c.wantFolder([]byte("mine"))
	c.wantRequests(1)
	c.Apply().Want(c, "update", []string{fileAltered}, nil)
	c.wantFolder(sound(t, "old", false))
}
