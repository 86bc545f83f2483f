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
	schemas, err := provider.NewServer("test", provider.Machine{})().GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
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

// TestTheProvidersPageShowsTheReadmesExample: both begin with the same configuration, and then add the same download.
func TestTheProvidersPageShowsTheReadmesExample(t *testing.T) {
	t.Parallel()
	steps := []string{read(t, examplesFolder, firstExample), read(t, examplesFolder, downloadExample)}
	for _, page := range []string{"README.md", "docs/index.md"} {
		shown := configurations(t, filepath.Join(root, page))[0]
		if len(shown) < 2 || !slices.Equal(shown[:2], steps) {
			t.Errorf("%s begins with\n%s\nand not with the examples\n%s", page, shown, steps)
		}
	}
}

// TestPages_nameTheLatestRelease: what somebody pastes installs what the page describes.
func TestPages_nameTheLatestRelease(t *testing.T) {
	t.Parallel()
	latest := regexp.MustCompile(`(?m)^## \[((\d+\.\d+)\.\d+)\]`).FindStringSubmatch(read(t, root, "CHANGELOG.md"))
	named := regexp.MustCompile(`(?m)version += "~> ([\d.]+)"|\?ref=v([\d.]+)|/(?:tree|blob|terraform-provider-audioprojects)/v([\d.]+)/|^version=([\d.]+)$`)
	count := 0
	for _, page := range append(pages(t), filesBelow(t, examplesFolder, ".tf")...) {
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

// TestPages_holdBeforeAndAfterARelease: a page is of its version for ever, and nobody edits it when a registry has that
// version. So no page says that something is not published.
func TestPages_holdBeforeAndAfterARelease(t *testing.T) {
	t.Parallel()
	dated := regexp.MustCompile(`(?i)until (?:the )?(?:version|release)|registr(?:y|ies)\s+yet|not\s+(?:yet\s+)?(?:in\s+(?:the|a|any)\s+registr|published|released)|no\s+version\s+is\s+published`)
	for _, page := range pages(t) {
		for _, found := range dated.FindAllString(read(t, page), -1) {
			t.Errorf("%s: %q is true only before a release, or only after it", page, found)
		}
	}
}

// TestDependabot_updatesEveryTool: a tool that nothing updates grows old unnoticed. The CLIs are updated by hand.
func TestDependabot_updatesEveryTool(t *testing.T) {
	t.Parallel()
	configuration := read(t, root, ".github/dependabot.yml")
	modules, err := filepath.Glob(root + "/internal/tools/*/go.mod")
	if err != nil || len(modules) < 8 {
		t.Fatalf("only the modules %q: %v", modules, err)
	}
	for _, module := range modules {
		folder := filepath.Base(filepath.Dir(module))
		if slices.Contains([]string{"terraform-1.5", "terraform", "tofu"}, folder) {
			continue
		}
		tool := regexp.MustCompile(`(?m)^(?:tool|require) ([^\s(]+)`).FindStringSubmatch(read(t, module))
		isAllowed := tool != nil && slices.ContainsFunc(regexp.MustCompile(`dependency-name: (\S+)`).FindAllStringSubmatch(configuration, -1),
			func(allowed []string) bool {
				return tool[1] == allowed[1] || strings.HasPrefix(tool[1], allowed[1]+"/")
			})
		if !strings.Contains(configuration, "- /internal/tools/"+folder+"\n") || !isAllowed {
			t.Errorf("dependabot.yml does not update %s: %q", module, tool)
		}
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
