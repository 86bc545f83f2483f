package provider_test

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func shownByDataSource(t *testing.T, fault mockserver.Fault) (shown []*tfprotov6.Diagnostic) {
	t.Helper()
	inFakeTime(t, mockserver.Chapter{}, nil, func(c *core) {
		c.service.Inject(fault)
		p := c.begin()
		defer p.End()
		const name = "audioprojects_project"
		config := fakecore.ValueOf(schemas().DataSourceSchemas[name].ValueType(), map[string]any{"project_id": "book"})
		read, err := p.ReadDataSource(c.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: c.Encode(config)})
		c.Must(err)
		shown = read.Diagnostics
	})
	return shown
}

func shownByRefresh(t *testing.T, fault mockserver.Fault) (shown []*tfprotov6.Diagnostic) {
	t.Helper()
	inFakeTime(t, mockserver.Chapter{Converted: true}, nil, func(c *core) {
		c.Import("book/one")
		c.service.Inject(fault)
		shown = c.Plan().Diagnostics
	})
	return shown
}

func shownByConversion(t *testing.T, fault mockserver.Fault) (shown []*tfprotov6.Diagnostic) {
	t.Helper()
	inFakeTime(t, mockserver.Chapter{}, nil, func(c *core) {
		c.service.Inject(fault)
		shown = c.Apply().Diagnostics
	})
	return shown
}

func shownByWait(t *testing.T, fault mockserver.Fault) (shown []*tfprotov6.Diagnostic) {
	t.Helper()
	arguments := map[string]any{"timeouts": map[string]any{"create": "1m"}}
	inFakeTime(t, chapterWithConversions(mockserver.Conversion{Takes: time.Hour}), arguments, func(c *core) {
		time.AfterFunc(10*time.Second, func() { c.service.Inject(fault) })
		shown = c.Apply().Diagnostics
	})
	return shown
}

func shownByStream(t *testing.T, fault mockserver.Fault) (shown []*tfprotov6.Diagnostic) {
	t.Helper()
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		service := mockserver.New()
		service.AddProject(recordings)
		service.Inject(fault)
		c := newCore(t, projectSnapshotAudio, service, map[string]any{"filename": filepath.Join(folder, "book.wav")})
		shown = c.Apply().Diagnostics
	})
	for _, diagnostic := range shown {
		diagnostic.Detail = strings.ReplaceAll(diagnostic.Detail, folder+string(filepath.Separator), "")
	}
	return shown
}
