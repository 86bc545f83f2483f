package provider_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestAccConversionInterrupted presses Ctrl-C in the middle of a conversion, and applies again.
func TestAccConversionInterrupted(t *testing.T) {
	t.Parallel()
	service := newService(t, book(mockserver.Conversion{Takes: 12 * time.Second}))
	file := filepath.Join(t.TempDir(), "main.tf")
	config := service.config(conversionBlock(``), `
resource "terraform_data" "downstream" {
  input = audioprojects_chapter_conversion.chapter.state
}
`)
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	terraform := newCLI(t, service, file)

	converting := make(chan struct{})
	service.Watch(func(entry mockserver.Entry) {
		// The second look after the request: the first thing there was to wait for.
		if service.Conversions("book", "one") == 1 && entry.Operation == mockserver.ListChapters && service.Count(mockserver.ListChapters) == 3 {
			close(converting)
		}
	})
	screen := terraform.runInterrupted(converting, "apply", "-auto-approve")
	wantScreen(t, []string{screen}, `Interrupted while waiting`, `state converting`, `The conversion goes on at the service.`,
		`it waits for this conversion and requests none.`)
	if says("downstream: Creating").MatchString(screen) {
		t.Errorf("what comes after the conversion was begun:\n%s", screen)
	}

	screen = terraform.run("plan")
	wantScreen(t, []string{screen}, `will be updated in-place`,
		`A conversion requested earlier is still running. Applying will wait for it and request none.`)

	terraform.run("apply", "-auto-approve")
	wantScreen(t, []string{terraform.run("plan")}, `No changes.`)
	service.wantCount(mockserver.ConvertChapter, 1)
	service.wantPaid("book", "one", 1)
}
