package provider_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestAccTheLogIsAnAccountBook: each request that may have cost credits is one line of it, with what it may have cost at most.
func TestAccTheLogIsAnAccountBook(t *testing.T) {
	t.Parallel()
	service := newService(t, mockserver.Project{ID: "book", Chapters: manyChapters(2, mockserver.Conversion{})})
	service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Reset: true, Process: true})
	terraform := clitest.New(t, service.Address)
	terraform.Write("resource \"audioprojects_project_conversion\" \"book\" {\n  project_id = \"book\"\n}\n")
	terraform.Environment = append(terraform.Environment, "TF_LOG=JSON", "TF_LOG_PATH=log")
	terraform.Run("apply", "-auto-approve")
	outcomes := map[string]int{}
	for line := range strings.Lines(string(terraform.Files()["log"])) {
		var entry struct {
			Message    string `json:"@message"`
			Level      string `json:"@level"`
			Time       string `json:"@timestamp"`
			Project    string `json:"project_id"`
			Chapter    string `json:"chapter_id"`
			Characters string `json:"characters"`
			Outcome    string `json:"outcome"`
		}
		if json.Unmarshal([]byte(line), &entry) != nil || entry.Message != "Conversion requested" {
			continue
		}
		outcomes[entry.Outcome]++
		if entry.Level != "info" || entry.Time == "" || entry.Project != "book" || !strings.HasPrefix(entry.Chapter, "chapter-") || entry.Characters != "38" {
			t.Errorf("got %s", line)
		}
	}
	if outcomes["accepted"] != 1 || outcomes["answer lost"] != 1 {
		t.Errorf("got %v, want a line for each of the two requests", outcomes)
	}
}
