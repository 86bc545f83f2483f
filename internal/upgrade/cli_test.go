//go:build unix

package upgrade

import (
	"os"
	"testing"
	"time"

	"github.com/hashicorp/go-version"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestMain(m *testing.M) { os.Exit(clitest.Main(m)) }

// TestAccStatesOfEarlierVersions plans, with the CLI, states that it or an older one wrote.
func TestAccStatesOfEarlierVersions(t *testing.T) {
	t.Parallel()
	_, running := clitest.Version(t)
	for _, object := range objects {
		for _, file := range object.states(t) {
			content, state := readState(t, file)
			if running.LessThan(version.Must(version.NewVersion(state.TerraformVersion))) {
				// A CLI refuses the state of a newer one.
				continue
			}
			t.Run(file, func(t *testing.T) {
				t.Parallel()
				terraform := clitest.New(t, startedService(t, object, state).Address)
				terraform.WriteFile("main.tf.json", object.configuration(t, object.arguments))
				terraform.WriteFile("terraform.tfstate", string(content))
				switch object.want {
				case "":
					if object.kind == audio {
						terraform.Run("apply", "-auto-approve")
					}
					terraform.Run("plan", "-detailed-exitcode")
				case "update":
					clitest.WantScreen(t, []string{terraform.Run("plan")}, "0 to add, 1 to change, 0 to destroy", object.says)
				default:
					clitest.WantScreen(t, []string{terraform.Run("plan")}, "1 to add, 0 to change, 1 to destroy")
				}
			})
		}
	}
}

// startedService is the service as it is now: the pending conversion has begun.
func startedService(t *testing.T, object left, state stateFile) *clitest.Service {
	t.Helper()
	converted, requested := state.times(t)
	service := clitest.NewService(t)
	service.SetHabits(object.habits)
	project := object.project(atOnce)
	if requested > 0 {
		project = object.project(forever)
	}
	if object.habits == (mockserver.Habits{}) && converted > 0 {
		project.Chapters[0].Converted, project.Chapters[0].ConvertedAt = true, time.Unix(converted, 0)
	}
	service.AddProject(project)
	if requested > 0 || object.habits != (mockserver.Habits{}) {
		convert(t, service.Address)
	}
	return service
}
