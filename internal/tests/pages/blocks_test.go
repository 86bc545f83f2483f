package pages

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
)

// TestPages_showEveryBlock: each block has an example, a page that shows the example, and a row in the README.
func TestPages_showEveryBlock(t *testing.T) {
	t.Parallel()
	schemas, err := provider.NewServer("test", nil)().GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []struct {
		folder, example string
		blocks          []string
	}{
		{"data-sources", "data-source.tf", slices.Collect(maps.Keys(schemas.DataSourceSchemas))},
		{"resources", "resource.tf", slices.Collect(maps.Keys(schemas.ResourceSchemas))},
		{"actions", "action.tf", slices.Collect(maps.Keys(schemas.ActionSchemas))},
		{"list-resources", "list-resource.tfquery.hcl", slices.Collect(maps.Keys(schemas.ListResourceSchemas))},
	} {
		for _, block := range kind.blocks {
			example := read(t, examplesFolder, kind.folder, block, kind.example)
			address := "docs/" + kind.folder + "/" + strings.TrimPrefix(block, "audioprojects_") + ".md"
			page := read(t, root, address)
			if !strings.Contains(page, strings.TrimSpace(example)) {
				t.Errorf("the page of %s does not show its example", block)
			}
			if !strings.Contains(read(t, root, "README.md"), "[`"+block+"`]("+address+")") {
				t.Errorf("the README has no row for %s", block)
			}
		}
	}
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

// TestTheProvidersPageShowsTheReadmesExample: both begin with the same configuration, which ends in an audio file.
func TestTheProvidersPageShowsTheReadmesExample(t *testing.T) {
	t.Parallel()
	if read(t, examplesFolder, "provider/provider.tf") != readmeConfiguration(t) {
		t.Error("the examples differ")
	}
}

// TestPages_nameTheLatestRelease: what somebody pastes installs what the page describes.
func TestPages_nameTheLatestRelease(t *testing.T) {
	t.Parallel()
	latest := regexp.MustCompile(`(?m)^## \[((\d+\.\d+)\.\d+)\]`).FindStringSubmatch(read(t, root, "CHANGELOG.md"))
	named := regexp.MustCompile(`(?m)version += "~> ([\d.]+)"|\?ref=v([\d.]+)|/(?:tree|blob|terraform-provider-audioprojects)/v([\d.]+)/|^version=([\d.]+)$`)
	count := 0
	for _, page := range append(pages(t), filepath.Join(examplesFolder, pipelineExample)) {
		for _, found := range named.FindAllStringSubmatch(read(t, page), -1) {
			count++
			// A pin takes all patches of the latest minor version.
			pin, release := found[1], found[2]+found[3]+found[4]
			if pin != latest[2]+".0" && release != latest[1] {
				t.Errorf("%s names %s, and the latest release is %s", page, found[0], latest[1])
			}
		}
	}
	if count < 12 {
		t.Errorf("only %d versions were found", count)
	}
}

// TestPages_nameTheTestedVersions: the versions are those that the makefile builds. Neither the README nor another page of docs/ names
// them.
func TestPages_nameTheTestedVersions(t *testing.T) {
	t.Parallel()
	tested := regexp.MustCompile(`Every change is tested with .*`).FindString(read(t, root, "docs/guides/versions.md"))
	for folder, module := range map[string]string{
		"terraform-1.5": "hashicorp/terraform", "terraform": "hashicorp/terraform", "tofu": "opentofu/opentofu",
	} {
		required := regexp.MustCompile(`(?m)^require github\.com/` + module + ` v(\S+)$`).
			FindStringSubmatch(read(t, root, "internal/tools", folder, "go.mod"))
		if required == nil {
			t.Fatalf("%s: no version was found", folder)
		}
		if !strings.Contains(tested, required[1]) {
			t.Errorf("the page does not name %s %s: %s", module, required[1], tested)
		}
		for _, page := range append(pages(t), root+"/README.md") {
			documented := strings.HasSuffix(page, "README.md") && filepath.Dir(page) == root || strings.Contains(page, "/docs/")
			if documented && filepath.Base(page) != "versions.md" && strings.Contains(read(t, page), required[1]) {
				t.Errorf("%s names %s %s as well", page, module, required[1])
			}
		}
	}
}
