package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

var planTable = &table{title: "Plan", rows: [][]string{{
	"resources", "chapters", "projects", "`terraform_data`", "floor", "provider", "of `terraform_data`", "of the floor", "requests", "memory", "memory of the floor",
}}}

// BenchmarkPlan plans conversions without changes, of a block for each chapter or of one for the whole book, and compares with as
// many terraform_data, and with the floor provider, which has the same objects and does nothing.
func BenchmarkPlan(b *testing.B) {
	for _, size := range []struct{ objects, chapters, projects int }{{10, 10, 1}, {100, 100, 1}, {1000, 1000, 1}, {5000, 5000, 1}, {1000, 1000, 50}, {1, 1000, 1}, {1, 5000, 1}} {
		b.Run(fmt.Sprintf("%dOf%dIn%d", size.objects, size.chapters, size.projects), func(b *testing.B) {
			each, configuration := size.chapters/size.projects, wholeBook
			if size.objects == size.chapters {
				configuration = conversions(each)
			}
			service := mockserver.New()
			for number := range size.projects {
				service.AddProject(converted(number, each))
			}
			s := serve(b, service)

			provider := newCLI(b, ours, s)
			provider.fill(configuration, size.objects, func(number int) *strings.Replacer {
				return strings.NewReplacer("project-0", fmt.Sprint("project-", number/each), "chapter-0", fmt.Sprint("chapter-", number%each))
			})
			framework := newCLI(b, floor, s)
			for _, name := range []string{"main.tf", "terraform.tfstate"} {
				framework.WriteFile(name, string(provider.Files()[name]))
			}
			data := newCLI(b, "", s)
			data.fill(datas, size.objects, func(number int) *strings.Replacer {
				return strings.NewReplacer("chapter-0", fmt.Sprint("chapter-", number))
			})

			var dataTook, floorTook, took []time.Duration
			var floorUsed, used usage
			for b.Loop() {
				dataTook = append(dataTook, data.run(plan...))
				now := framework.runWatched(plan...)
				floorTook, floorUsed = append(floorTook, now.took), floorUsed.most(now)
				service.ResetJournal()
				now = provider.runWatched(plan...)
				took, used = append(took, now.took), used.most(now)
			}
			ofData, ofFloor := share(took, dataTook), share(took, floorTook)
			b.ReportMetric(0, "ns/op")
			planTable.add(size.objects, size.chapters, size.projects, seconds(median(dataTook)), seconds(median(floorTook)), seconds(median(took)),
				ratio(ofData), ratio(ofFloor), len(service.Journal()), mebibytes(used.peak), mebibytes(floorUsed.peak))
		})
	}
}

var setTable = &table{title: "Sets of ids", rows: [][]string{{"ids", "argument", "first apply", "without the set", "plan", "without the set"}}}

// BenchmarkSets adopts a book, and plans it without changes, with a set of ids and without one.
func BenchmarkSets(b *testing.B) {
	const ids = 3000
	for _, argument := range []string{"chapter_ids", "exclude_chapter_ids"} {
		b.Run(argument, func(b *testing.B) {
			service := mockserver.New()
			service.AddProject(converted(0, ids+1))
			s := serve(b, service)
			var names []string
			for number := range ids {
				names = append(names, fmt.Sprintf("%q", fmt.Sprint("chapter-", number)))
			}
			set := argument + " = [" + strings.Join(names, ", ") + "]"
			var applies, plans [2][]time.Duration
			for b.Loop() {
				for i, arguments := range []string{set, ""} {
					provider := newCLI(b, ours, s)
					provider.WriteFile("main.tf", "resource \"audioprojects_project_conversion\" \"book\" {\n  project_id = \"project-0\"\n  "+arguments+"\n}\n")
					applies[i] = append(applies[i], provider.run("apply", "-auto-approve"))
					plans[i] = append(plans[i], provider.run(plan...))
				}
			}
			b.ReportMetric(0, "ns/op")
			setTable.add(ids, "`"+argument+"`", seconds(median(applies[0])), seconds(median(applies[1])), seconds(median(plans[0])), seconds(median(plans[1])))
		})
	}
}

// plan fails if the plan has changes.
var plan = []string{"plan", "-detailed-exitcode"}

// converted is a project whose chapters have been converted.
func converted(number, chapters int) mockserver.Project {
	p := mockserver.Project{ID: fmt.Sprint("project-", number)}
	for i := range chapters {
		p.Chapters = append(p.Chapters, mockserver.Chapter{
			ID: fmt.Sprint("chapter-", i), Text: "The lamp was lit.", Converted: true, ConvertedAt: time.Unix(1_790_000_000, 0),
		})
	}
	return p
}

// conversions is a configuration with so many chapters of each project, with keep_up_to_date.
func conversions(ofEach int) func(objects int) string {
	return func(objects int) string {
		return fmt.Sprintf(`
resource "audioprojects_chapter_conversion" "all" {
  count           = %d
  project_id      = "project-${floor(count.index / %d)}"
  chapter_id      = "chapter-${count.index %% %[2]d}"
  keep_up_to_date = true
}
`, objects, ofEach)
	}
}

func wholeBook(objects int) string {
	return fmt.Sprintf("resource \"audioprojects_project_conversion\" \"all\" {\n  count      = %d\n  project_id = \"project-0\"\n}\n", objects)
}

func datas(objects int) string {
	return fmt.Sprintf(`
resource "terraform_data" "all" {
  count = %d
  input = "chapter-${count.index}"
}
`, objects)
}

// fill writes a configuration of so many objects, and a state that agrees with it. It applies
// one object and copies that, because an apply of all would take minutes.
func (c *cli) fill(configuration func(objects int) string, objects int, renamed func(number int) *strings.Replacer) {
	c.WriteFile("main.tf", configuration(1))
	c.run("apply", "-auto-approve")
	file := filepath.Join(c.Folder, "terraform.tfstate")
	text, err := os.ReadFile(file)
	if err != nil {
		c.Fatal(err)
	}
	var state map[string]any
	if err := json.Unmarshal(text, &state); err != nil {
		c.Fatal(err)
	}
	resource := state["resources"].([]any)[0].(map[string]any)
	first, err := json.Marshal(resource["instances"].([]any)[0])
	if err != nil {
		c.Fatal(err)
	}
	instances := make([]map[string]any, objects)
	for number := range instances {
		err := json.Unmarshal([]byte(renamed(number).Replace(string(first))), &instances[number])
		if err != nil {
			c.Fatal(err)
		}
		instances[number]["index_key"] = number
	}
	resource["instances"] = instances
	text, err = json.Marshal(state)
	if err != nil {
		c.Fatal(err)
	}
	c.WriteFile("terraform.tfstate", string(text))
	c.WriteFile("main.tf", configuration(objects))
}
