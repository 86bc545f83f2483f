package provider_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver/contract"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
)

// requiredProviders says where configurations find the provider.
const requiredProviders = `
terraform {
  required_providers {
    audioprojects = {
      source = "audioprojects/audioprojects"
    }
  }
}
`

// service is a mock server of a test's own. Every request and answer is checked against
// the description of the document.
type service struct {
	*mockserver.Server
	t       *testing.T
	address string
}

func newService(t *testing.T, projects ...mockserver.Project) *service {
	t.Helper()
	mock := mockserver.New()
	return start(t, mock, contract.Check(mock, func(err error) { t.Error(err) }), projects)
}

// newFaultyService is a mock server whose scripted faults may break the document.
func newFaultyService(t *testing.T, projects ...mockserver.Project) *service {
	t.Helper()
	mock := mockserver.New()
	return start(t, mock, mock, projects)
}

func start(t *testing.T, mock *mockserver.Server, handler http.Handler, projects []mockserver.Project) *service {
	t.Helper()
	for _, project := range projects {
		mock.AddProject(project)
	}
	return &service{Server: mock, t: t, address: serve(t, handler)}
}

func serve(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// config is a configuration that uses this service, with the given blocks.
func (s *service) config(blocks ...string) string {
	return configFor(s.address, mockserver.Secret, blocks...)
}

func configFor(address, key string, blocks ...string) string {
	return requiredProviders + `
provider "audioprojects" {
  base_url    = "` + address + `"
  api_key     = "` + key + `"
  max_retries = 1
}
` + strings.Join(blocks, "\n")
}

const (
	chapterText = "The lamp was lit.\n\nNobody had lit it."
	// longerText is the chapter's text after an edit.
	longerText  = chapterText + "\n\nThe keeper was away."
	chapterName = "The Dark Lantern"
)

// book is a project with one chapter, whose conversions go as given.
func book(conversions ...mockserver.Conversion) mockserver.Project {
	return bookWith(mockserver.Chapter{Text: chapterText, Conversions: conversions})
}

func bookWith(chapter mockserver.Chapter) mockserver.Project {
	chapter.ID, chapter.Name = "one", chapterName
	return mockserver.Project{ID: "book", Chapters: []mockserver.Chapter{chapter}}
}

// conversionBlock is the resource for the chapter of book, with further arguments.
func conversionBlock(arguments string) string {
	return fmt.Sprintf(`
resource "audioprojects_chapter_conversion" "chapter" {
  project_id = "book"
  chapter_id = "one"
  %s
}
`, arguments)
}

// run applies the steps with a real Terraform.
func run(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	resource.Test(t, testCase(steps...))
}

func testCase(steps ...resource.TestStep) resource.TestCase {
	return resource.TestCase{
		ProtoV6ProviderFactories: map[string]func() (tfprotov6.ProviderServer, error){
			"audioprojects": func() (tfprotov6.ProviderServer, error) { return provider.NewServer("test")(), nil },
		},
		Steps: steps,
	}
}

// screens applies a configuration that must fail, and returns the errors that Terraform prints.
func screens(t *testing.T, config string) []string {
	t.Helper()
	var printed []string
	failing := testCase(resource.TestStep{Config: config})
	failing.ErrorCheck = func(err error) error {
		printed = strings.Split(err.Error(), "\n\nError: ")[1:]
		return nil
	}
	resource.Test(t, failing)
	return printed
}

// wantScreen checks that one of the screens says all of that, however its lines are broken.
func wantScreen(t *testing.T, screens []string, messages ...string) {
	t.Helper()
	for _, screen := range screens {
		if !slices.ContainsFunc(messages, func(message string) bool { return !says(message).MatchString(screen) }) {
			return
		}
	}
	t.Errorf("got %d errors:\n\n%s\nwant one that says %q", len(screens), strings.Join(screens, "\n"), messages)
}

// says matches a message whose lines the CLI has broken anywhere.
func says(message string) *regexp.Regexp {
	words := strings.Fields(message)
	for i, word := range words {
		words[i] = regexp.QuoteMeta(word)
	}
	return regexp.MustCompile(strings.Join(words, `[\s│]+`))
}

// wantCount checks how often an operation has been asked for.
func (s *service) wantCount(operation mockserver.Operation, want int) {
	s.t.Helper()
	if got := s.Count(operation); got != want {
		s.t.Errorf("%s requests: got %d, want %d", operation, got, want)
	}
}

// wantPaid checks how many conversions of a chapter the service has accepted.
func (s *service) wantPaid(projectID, chapterID string, want int) {
	s.t.Helper()
	if got := s.Conversions(projectID, chapterID); got != want {
		s.t.Errorf("conversions of chapter %s accepted: got %d, want %d", chapterID, got, want)
	}
}

// long is a conversion that goes on until the test ends it.
var long = mockserver.Conversion{Takes: 2 * time.Minute}

// end ends the conversion of the book's chapter well. A project that is put in place of
// another does not change what has been paid.
func (s *service) end() {
	s.AddProject(bookWith(mockserver.Chapter{Text: longerText, Converted: true, ConvertedAt: time.Now()}))
}

// fail ends the conversion of the book's chapter with an error; the next one ends well.
func (s *service) fail() {
	s.AddProject(bookWith(mockserver.Chapter{Text: longerText, Error: "the voice is out of breath"}))
}

// endWhenWaitedFor ends the conversion when a refresh and an apply have seen it at work.
func (s *service) endWhenWaitedFor() {
	before := s.Count(mockserver.ListChapters)
	var once sync.Once
	s.Watch(func(mockserver.Entry) {
		if s.Count(mockserver.ListChapters) == before+2 {
			once.Do(s.end)
		}
	})
}
