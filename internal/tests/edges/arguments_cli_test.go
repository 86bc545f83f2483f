package edges_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// The ways in which a configuration gives a value to an argument, beside [argumentVariable].
const (
	argumentJSON   = "written in JSON"
	argumentModule = "from a module's variable"
	argumentOutput = "from what the apply creates"
)

// argumentCLICase is a case that a real CLI plays.
type argumentCLICase struct {
	argumentCase
	way string
}

func (c argumentCLICase) String() string { return c.argumentCase.String() + ", " + c.way }

// argumentCLICases are the first good and the first bad value of each argument, in each way that Terraform has for its block.
func argumentCLICases() (all []argumentCLICase) {
	for _, block := range argumentBlocks() {
		ways := []string{argumentJSON, argumentVariable, argumentModule, argumentOutput}
		switch block.kind {
		case argumentsOfListResources: // They are in no module, and before every apply.
			ways = []string{argumentJSON, argumentVariable}
		case argumentsOfProvider: // It is in the root module.
			ways = []string{argumentJSON, argumentVariable, argumentOutput}
		}
		for _, a := range block.arguments() {
			row := a.row()
			for _, value := range slices.Concat(row.good[:min(1, len(row.good))], row.bad[:min(1, len(row.bad))]) {
				for _, way := range ways {
					if value.value != nil { // An output that is null is known.
						all = append(all, argumentCLICase{argumentCase{argument: a, argumentValue: value}, way})
					}
				}
			}
		}
	}
	return all
}

// TestOneCLIArguments plays a good and a bad value in each way by a real CLI, each of another argument, and all with -all.
func TestOneCLIArguments(t *testing.T) {
	t.Parallel()
	clitest.Version(t)
	clitest.Needs(t, clitest.Actions, clitest.Queries)
	const apart = 6 // how many arguments lie between those of two classes
	type class struct {
		way    string
		isGood bool
	}
	due, number := map[class]int{}, map[class]int{}
	for _, c := range argumentCLICases() {
		of := class{c.way, c.says == ""}
		_, known := due[of]
		if !known {
			due[of] = apart * len(due)
		}
		isDue := number[of] == due[of] || *all || *only != ""
		number[of]++
		if isDue && strings.Contains(c.String(), *only) {
			t.Run(c.String(), func(t *testing.T) {
				t.Parallel()
				c.play(t)
			})
		}
	}
	for of, at := range due {
		if at >= number[of] {
			t.Errorf("%s, good: %t: it has only %d values, so none is played: make apart smaller", of.way, of.isGood, number[of])
		}
	}
}

func (c argumentCLICase) play(t *testing.T) {
	t.Helper()
	service := clitest.NewService(t, argumentsProjects(100*time.Millisecond)...)
	cli := clitest.Open(t, service.Address, clitest.Programs)
	c.write(t, cli, service.Address)
	cli.WriteFile(argumentFile, "not audio")
	if c.way == argumentVariable {
		cli.Environment = append(cli.Environment, "TF_VAR_value="+c.in(cli, service.Address, argumentExpression(c.value)))
	}
	command := []string{"apply", "-auto-approve"}
	if c.argumentBlock.kind == argumentsOfListResources {
		command = []string{"query"}
	}
	if c.says == "" {
		cli.Run(command...)
		return
	}
	clitest.WantScreen(t, []string{cli.RunFailing(command...)}, c.says)
	for _, operation := range []mockserver.Operation{mockserver.ConvertChapter, mockserver.StreamSnapshot} {
		service.WantCount(operation, 0)
	}
}

// in is a text with the folder of the configuration, and the address of the service.
func (argumentCLICase) in(cli *clitest.CLI, address, text string) string {
	return strings.NewReplacer(argumentFolder, cli.Folder, "http://localhost", address).Replace(text)
}

// argumentExpression is a value as HCL and JSON have it.
func argumentExpression(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// set are the expressions of a block's arguments, with one for that of the case.
func (c argumentCLICase) set(expression string) map[string]string {
	given, set := c.base(), map[string]string{}
	maps.Copy(given, c.beside)
	for name, value := range given {
		set[name] = argumentExpression(value)
	}
	name, part, isPart := strings.Cut(c.path, ".")
	top := c.schema.ValueType().(tftypes.Object).AttributeTypes[name]
	switch {
	case !isPart:
		set[name] = expression
	case top.Is(tftypes.Set{}):
		set[name] = fmt.Sprintf("[%q, %s]", argumentElement, expression)
	default:
		set[name] = fmt.Sprintf("{%q: %s}", strings.Replace(part, "*", argumentElement, 1), expression)
	}
	return set
}

// argumentTexts are the configurations for each kind of block, in HCL and in JSON: its name comes first, and then its arguments.
var argumentTexts = map[string][2]string{
	argumentsOfResources:   {`resource %q "this" {%s}`, `{"resource": {%q: {"this": {%s}}}}`},
	argumentsOfDataSources: {`data %q "this" {%s}`, `{"data": {%q: {"this": {%s}}}}`},
	argumentsOfActions: {`action %[1]q "this" {
		config {%[2]s}
	}
	resource "terraform_data" "event" {
		lifecycle {
			action_trigger {
				events  = [after_create]
				actions = [action.%[1]s.this]
			}
		}
	}`, `{"action": {%[1]q: {"this": {"config": {%[2]s}}}}, "resource": {"terraform_data": {"event": {"lifecycle": {"action_trigger":
		{"events": ["after_create"], "actions": ["action.%[1]s.this"]}}}}}}`},
	argumentsOfListResources: {`provider "audioprojects" {}
	list %q "this" {
		provider = audioprojects
		config {%s}
	}`, `{"provider": {"audioprojects": {}}, "list": {%q: {"this": {"provider": "audioprojects", "config": {%s}}}}}`},
	argumentsOfProvider: {`provider %q {%s}
	resource "audioprojects_chapter_conversion" "this" {
		project_id = "book"
		chapter_id = "one"
	}`, `{"provider": {%q: {%s}}, "resource": {"audioprojects_chapter_conversion": {"this": {"project_id": "book", "chapter_id": "one"}}}}`},
}

// write writes a configuration in which the argument has its value in the way of the case.
func (c argumentCLICase) write(t *testing.T, cli *clitest.CLI, address string) {
	t.Helper()
	const variable = "\nvariable \"value\" {\n  type = any\n}\n"
	texts := argumentTexts[c.argumentBlock.kind]
	value := argumentExpression(c.value)
	expression := map[string]string{argumentJSON: value, argumentOutput: "terraform_data.late.output"}[c.way]
	set := c.set(cmp.Or(expression, "var.value"))
	write := func(name, text string) { cli.WriteFile(name, c.in(cli, address, text)) }
	var lines, members []string
	for _, name := range slices.Sorted(maps.Keys(set)) {
		lines = append(lines, "\n"+name+" = "+set[name])
		members = append(members, fmt.Sprintf("%q: %s", name, set[name]))
	}
	block := fmt.Sprintf(texts[0], c.name, strings.Join(lines, "")+"\n")
	file, version := "main.tf", clitest.RequiredProviders
	isQuery := c.argumentBlock.kind == argumentsOfListResources
	if isQuery {
		file = "main.tfquery.hcl"
	}
	write("versions.tf", version)
	switch c.way {
	case argumentJSON:
		write(strings.TrimSuffix(file, ".hcl")+".json", fmt.Sprintf(texts[1], c.name, strings.Join(members, ", ")))
	case argumentVariable:
		write("variables.tf", variable)
		write(file, block)
	case argumentModule:
		err := os.Mkdir(filepath.Join(cli.Folder, "inner"), 0o700)
		if err != nil {
			t.Fatal(err)
		}
		write("inner/main.tf", version+variable+block)
		write("main.tf", "module \"inner\" {\n  source = \"./inner\"\n  value  = "+value+"\n}\n")
		cli.Run("get")
	case argumentOutput:
		write("main.tf", "resource \"terraform_data\" \"late\" {\n  input = "+value+"\n}\n"+block)
	}
}
