package provider_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver/contract"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// TestCLIAPIPath_everyBlock: what has moved to another path is found there, by all blocks, and messages show it. Every
// request has the key, and names the CLI and the provider.
func TestCLIAPIPath_everyBlock(t *testing.T) {
	t.Parallel()
	const apiPath = "/v1/studio"
	mock := mockserver.New()
	mock.SetHabits(mockserver.Habits{APIPath: apiPath})
	project := namedBook("book", "one")
	checked := contract.CheckAt(apiPath, mock, func(err error) { t.Error(err) })
	service := acctest.StartService(t, mock, checked, project)
	terraform := acctest.NewCLI(t, service)
	terraform.Environment = append(terraform.Environment, "AUDIOPROJECTS_API_PATH="+apiPath)
	terraform.Write(everyDataSourceRead("read", "old"), acctest.ConversionBlock(``), audioBlock("book", `"old"`, ``))
	terraform.Run("apply", "-auto-approve")
	asked, userAgent := map[mockserver.Operation]bool{}, regexp.MustCompile(`^Terraform/\d+\.\d+\.\d+\S* terraform-provider-audioprojects/\S+$`)
	for _, entry := range service.Journal() {
		asked[entry.Operation] = true
		if !strings.HasPrefix(entry.Path, apiPath+"/") {
			t.Errorf("got a request for %s", entry.Path)
		}
		got := entry.Header.Values("xi-api-key")
		if len(got) != 1 || got[0] != mockserver.Secret {
			t.Errorf("%s %s: got key %q", entry.Method, entry.Path, got)
		}
		agent := entry.Header.Get("User-Agent")
		if !userAgent.MatchString(agent) {
			t.Errorf("%s %s: got user agent %q", entry.Method, entry.Path, agent)
		}
	}
	all := mockserver.Operations()
	if len(asked) != len(all) || asked[""] {
		t.Errorf("got requests for %v, want %q", asked, all)
	}
	terraform.Write("data \"audioprojects_project\" \"other\" {\n  project_id = \"other\"\n}\n")
	clitest.WantScreen(t, []string{terraform.RunFailing("plan")}, "GET /v1/studio/projects/other: 404 Not Found: project_not_found: Project other was not found.")
}
