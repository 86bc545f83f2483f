package provider_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

const root = "../.."

// pages are all that people read.
func pages(t *testing.T) []string {
	t.Helper()
	var pages []string
	for _, folder := range []string{".", ".github", "docs", "internal"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err == nil && entry.IsDir() && folder == "." && path != root:
				return fs.SkipDir
			case err == nil && filepath.Ext(path) == ".md":
				pages = append(pages, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return pages
}

// codeBlock is a piece of code on a page.
type codeBlock struct{ language, text string }

func codeBlocks(t *testing.T, page string) []codeBlock {
	t.Helper()
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []codeBlock
	for _, found := range regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$").FindAllStringSubmatch(string(content), -1) {
		blocks = append(blocks, codeBlock{found[1], found[2]})
	}
	if fences := strings.Count(string(content), "```"); fences != 2*len(blocks) {
		t.Fatalf("%s has %d fences of code blocks, and %d blocks were found", page, fences, len(blocks))
	}
	return blocks
}

// configurations are what the blocks of a page add up to: one that begins with `terraform {` begins
// a configuration, and the blocks that follow belong to it.
func configurations(t *testing.T, page string) [][]string {
	t.Helper()
	var all [][]string
	for _, block := range codeBlocks(t, page) {
		if block.language != "terraform" {
			continue
		}
		if len(all) == 0 || regexp.MustCompile(`(?m)\A(#.*\n)*terraform \{`).MatchString(block.text) {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], block.text)
	}
	return all
}

// needed are the features that a configuration makes use of.
func needed(configuration string) (features []feature) {
	for pattern, feature := range map[string]feature{
		`(?m)^action "`:                actions,
		`(?m)^list "`:                  queries,
		`(?m)^  identity = \{`:         identities,
		`(?m)^  for_each = .*\n  to  `: importLoops,
		`ephemeral +=`:                 ephemerality,
		`(?m)^mock_provider "`:         mocking,
	} {
		if regexp.MustCompile(pattern).MatchString(configuration) {
			features = append(features, feature)
		}
	}
	return features
}

func TestAccDocumentedConfigurations(t *testing.T) {
	t.Parallel()
	for _, page := range pages(t) {
		for i, blocks := range configurations(t, page) {
			t.Run(fmt.Sprintf("%s#%d", strings.TrimPrefix(page, root+"/"), i+1), func(t *testing.T) {
				t.Parallel()
				needs(t, needed(strings.Join(blocks, "\n"))...)
				folder, arguments := t.TempDir(), []string{"validate"}
				var files []string
				for i, block := range blocks {
					name := fmt.Sprintf("block%d.tf", i)
					switch {
					case strings.Contains(block, "\nlist \""):
						name = "block.tfquery.hcl"
						arguments = append(arguments, "-query")
					case strings.HasPrefix(block, "mock_provider"):
						name = "block.tftest.hcl"
					}
					file := filepath.Join(folder, name)
					if err := os.WriteFile(file, []byte(block), 0o600); err != nil {
						t.Fatal(err)
					}
					files = append(files, file)
				}
				terraform := newCLI(t, newService(t), files...)
				terraform.useObjectStore()
				terraform.run(arguments...)
			})
		}
	}
}

// useObjectStore serves the provider of the example that hands a file on.
func (c *cli) useObjectStore() {
	c.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	attached, closed := make(chan *plugin.ReattachConfig), make(chan struct{})
	go func() {
		err := tf6server.Serve("hashicorp/aws", providerserver.NewProtocol6(objectStore{}),
			tf6server.WithDebug(ctx, attached, closed), tf6server.WithGoPluginLogger(hclog.NewNullLogger()))
		if err != nil {
			c.t.Error(err)
		}
	}()
	at := <-attached
	c.t.Cleanup(func() {
		stop()
		<-closed
	})
	type address struct{ Network, String string }
	settings, err := json.Marshal(map[string]any{"hashicorp/aws": map[string]any{
		"Protocol": at.Protocol, "ProtocolVersion": at.ProtocolVersion, "Pid": at.Pid, "Test": at.Test,
		"Addr": address{at.Addr.Network(), at.Addr.String()},
	}})
	if err != nil {
		c.t.Fatal(err)
	}
	c.environment = append(c.environment, "TF_REATTACH_PROVIDERS="+string(settings))
}
