package pages

import (
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// TestCLIPages_messagesOfTerraform provokes the messages that a newcomer meets first. The guide has each as the CLI prints it.
func TestCLIPages_messagesOfTerraform(t *testing.T) {
	t.Parallel()
	product, _ := clitest.Version(t)
	service := clitest.NewService(t, mockserver.Audiobook(0))
	quoted := regexp.MustCompile("[“`]([^”`]+)[”`]")
	rows := map[string][]string{} // by its beginning, what a row quotes
	for _, row := range regexp.MustCompile(`(?m)^\| (“[^|]*) \|`).FindAllStringSubmatch(section(t, errorsGuide, "Messages of Terraform and OpenTofu"), -1) {
		for _, quote := range quoted.FindAllStringSubmatch(row[1], -1) {
			rows[row[1]] = append(rows[row[1]], strings.Split(strings.ReplaceAll(quote[1], "Terraform has", product+" has"), "…")...)
		}
	}
	for name, test := range map[string]struct {
		row, configuration string
		command            []string
		provokes           bool
	}{
		"no settings": {"“Provider", `data "audioprojects_projects" "all" {}`, []string{"plan"}, true},
		"action": {"“Blocks of type \"action", "action \"audioprojects_convert_project\" \"book\" {\n  config {\n    project_id = \"audiobook\"\n  }\n}\n" +
			"resource \"terraform_data\" \"edition\" {\n  lifecycle {\n    action_trigger {}\n  }\n}",
			[]string{"validate"}, !clitest.Actions.There(t)},
		"identity": {"“An argument named", "import {\n  to = audioprojects_project_conversion.book\n  identity = {\n    project_id = \"audiobook\"\n  }\n}",
			[]string{"validate"}, !clitest.Identities.There(t)},
		"no source":       {"“… provider", `data "audioprojects_projects" "all" {}`, []string{"init"}, true},
		"another service": {"“.service_url", "resource \"audioprojects_project_conversion\" \"book\" {\n  project_id = \"audiobook\"\n}", []string{"apply", "saved"}, true},
		"stale":           {"“Saved plan", wholeProject, []string{"apply", "saved"}, true},
		"locked":          {"“Error acquiring", "terraform {\n  backend \"http\" {}\n}", []string{"plan"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var quotes []string
			for row := range rows {
				if strings.HasPrefix(row, test.row) {
					quotes = rows[row]
				}
			}
			if quotes == nil {
				t.Fatalf("the guide has no row for %s", test.row)
			}
			if !test.provokes {
				return
			}
			terraform := clitest.New(t, service.Address)
			terraform.WriteFile("main.tf", test.configuration)
			if name == "no settings" {
				terraform.Environment = append(terraform.Environment, "AUDIOPROJECTS_BASE_URL=", "AUDIOPROJECTS_API_KEY=")
			}
			if name == "no source" {
				// A registry that does not know the provider; nobody listens there.
				terraform.WriteFile("versions.tf", "")
				terraform.WriteFile("registry.tfrc", `provider_installation { network_mirror { url = "https://127.0.0.1:1/" } }`)
				terraform.Environment = append(terraform.Environment, "TF_CLI_CONFIG_FILE="+filepath.Join(terraform.Folder, "registry.tfrc"))
			}
			if name == "another service" {
				terraform.Run("plan", "-out=saved")
				terraform.Environment = append(terraform.Environment, "AUDIOPROJECTS_BASE_URL="+strings.Replace(service.Address, "127.0.0.1", "localhost", 1))
			}
			if name == "stale" {
				// The first apply of the plan fails in the middle, and has changed the state.
				terraform.Write(wholeProject, "resource \"terraform_data\" \"other\" {}\n", `resource "terraform_data" "fails" {
  depends_on = [audioprojects_project_conversion.book]

  provisioner "local-exec" {
    command = "false"
  }
}
`)
				terraform.Run("plan", "-out=saved")
				terraform.RunFailing("apply", "saved")
			}
			if name == "locked" {
				// A backend whose lock somebody else holds.
				held := clitest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method == "LOCK" {
						w.WriteHeader(http.StatusLocked)
						_, _ = io.WriteString(w, `{"ID": "the-other-run"}`)
					}
				}))
				install(t, terraform)
				terraform.Run("init", "-backend-config=address="+held, "-backend-config=lock_address="+held)
			}
			screen, _ := terraform.Command(test.command...).CombinedOutput()
			wantScreen(t, string(screen), quotes...)
		})
	}
	if len(rows) != 7 {
		t.Errorf("the guide quotes %d messages: %q", len(rows), rows)
	}
}
