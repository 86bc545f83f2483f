package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

func TestImport_refused(t *testing.T) {
	t.Parallel()
	withProcess(t, mockserver.Chapter{Converted: true}, func(c *core, p *fakecore.Process) {
		for id, want := range map[string]string{
			"one":          "project_id/chapter_id",
			"book/one/two": "written as %2F",
			"book/%zz":     "The id cannot be decoded: invalid URL escape \"%zz\".",
			"book/":        "not an identifier",
			"book/..":      "not an identifier",
		} {
			imported, err := p.ImportResourceState(c.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: c.TypeName, ID: id})
			c.Must(err)
			shown := &fakecore.Screen{}
			shown.Print(imported.Diagnostics)
			shown.Want(c, "", nil, []string{want})
		}
		sent := len(c.service.Journal())
		if sent > 0 {
			c.Errorf("got %d requests, want none", sent)
		}
		for id, want := range map[string]*fakecore.Screen{
			"book/nine": {Warnings: []string{"Chapter is gone"}},
			"nook/one":  {Errors: []string{"Unable to read chapter \"one\" of project \"nook\"\nGET /v1/projects/nook/chapters: 404 Not Found"}},
		} {
			shown := &fakecore.Screen{}
			c.Core.Import(p, id, shown)
			shown.Want(c, "", want.Warnings, want.Errors)
		}
	})
}
