package provider_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

const (
	// gateKey is too long to come about by chance.
	gateKey = `sk_9a+F/7=Zq%Q\b&t"x`
	// everyAnswer fits every operation: ¤ is the key in some form, and ¢ as well, but null until a conversion is requested.
	everyAnswer = `{"project_id":"book","name":"A ¤.","state":"default","description":"¤ ¤","experimental":{"¤":["¤",1]},"genres":["¤"],
		"creation_meta":{"status":"¤"},"pronunciation_dictionary_versions":[{"version_id":"¤","created_by":"¤"}],"cover_image_url":"?¤",
		"chapters":[{"chapter_id":"one","name":"¤","state":"default","conversion_progress":1,"last_conversion_date_unix":7,"last_conversion_error":¢,
			"statistics":{"characters_unconverted":3,"characters_converted":0}}],
		"projects":[{"project_id":"book","name":"¤","more":{"¤":"¤"}}],
		"snapshots":[{"chapter_snapshot_id":"s","project_snapshot_id":"s","project_id":"¤","name":"¤","more":["¤"]}]}`
)

// spelled writes the key as a recipe says: in one of the promised forms, with what is cleaned away in between.
func spelled(recipe []byte) string {
	var text strings.Builder
	for i, b := range []byte(keyForms()[at(recipe, 0)%len(keyForms())]) {
		step := at(recipe, i+1)
		if step >= 128 {
			text.WriteString([]string{"\u200b", "\u202e", "\x01", "\u2060"}[step&3])
		}
		text.WriteByte(b)
	}
	return text.String()
}

func at(recipe []byte, i int) int {
	if len(recipe) == 0 {
		return 0
	}
	return int(recipe[i%len(recipe)])
}

// keyForms are those in which a service may repeat the key.
func keyForms() []string {
	return []string{
		gateKey, inJSON(gateKey), url.QueryEscape(gateKey), url.PathEscape(gateKey),
		base64.StdEncoding.EncodeToString([]byte(gateKey)), base64.RawURLEncoding.EncodeToString([]byte(gateKey)),
	}
}

// hasKey reports whether a text has the key in one of these forms.
func hasKey(text string) bool {
	return slices.ContainsFunc(keyForms(), func(form string) bool { return strings.Contains(text, strings.TrimRight(form, "=")) })
}

func inJSON(text string) string {
	var encoded bytes.Buffer
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(encoded.String()[1:], "\"\n")
}

// gatekeeper is a service that says what is given, and looks at all that the provider hands on.
type gatekeeper struct {
	*testing.T
	answer, spelling string
	status           int
	converted        atomic.Bool // a request that the provider has given up may still be answered
	searched         int
}

func (g *gatekeeper) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	status, failure := http.StatusOK, "null"
	if request.Method == http.MethodPost {
		g.converted.Store(true)
		status = g.status
	}
	if g.converted.Load() {
		failure = `"¤ failed"`
	}
	body := strings.ReplaceAll(strings.ReplaceAll(g.answer, "¢", failure), "¤", g.spelling)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Location", "http://elsewhere.example/"+url.PathEscape(g.spelling))
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body) // The client need not read to the end.
}

// search looks at what Terraform would keep or print, which holds no character that is forbidden there.
func (g *gatekeeper) search(what, text string, longest int, forbidden func(rune) bool) {
	g.Helper()
	g.searched += len(text)
	switch {
	case hasKey(text), hasKey(strings.Map(withoutUnseen, text)):
		g.Errorf("%s has the key: %.2000q", what, text)
	case !utf8.ValidString(text), strings.ContainsFunc(strings.ReplaceAll(text, "\r\n", "\n"), forbidden):
		g.Errorf("%s has what a terminal obeys: %.2000q", what, text)
	case len(text) > longest:
		g.Errorf("%s has %d bytes", what, len(text))
	}
}

func isUnseenOrBreaksLines(r rune) bool { return isUnseen(r) || r == '\n' || r == '\t' }

// withoutUnseen takes out what is not printed of a value.
func withoutUnseen(r rune) rune {
	if isUnseen(r) || unicode.Is(unicode.Cf, r) {
		return -1
	}
	return r
}

func (g *gatekeeper) searchValue(value tftypes.Value) {
	g.Helper()
	err := tftypes.Walk(value, func(at *tftypes.AttributePath, value tftypes.Value) (bool, error) {
		var text *string
		if value.Type().Is(tftypes.String) && value.IsKnown() && value.As(&text) == nil && text != nil {
			g.search(at.String(), *text, 2<<20, isControl)
		}
		return true, nil
	})
	if err != nil {
		g.Fatal(err)
	}
}

func (g *gatekeeper) searchScreen(shown *fakecore.Screen) {
	g.Helper()
	for _, box := range slices.Concat(shown.Warnings, shown.Errors) {
		g.search("a box", box, 10_000, isUnseen)
	}
}

// FuzzSanitizer has every data source, an import, a query, an action and an apply with a conversion that fails deal with a
// service that repeats the key in any form, anywhere in an answer of any shape.
func FuzzSanitizer(f *testing.F) {
	for i := range keyForms() {
		f.Add(everyAnswer, []byte{byte(i), byte(i * 37)}, 200+i%3*100+i%4)
	}
	for _, answer := range []string{
		`{"detail":"¤"}`, `{"detail":[{"loc":["¤"],"msg":"¤"}]}`, "¤", "<html>¤", `{"chapters":[{"chapter_id":"¤"}]}`, `[{"project_id":"¤","project_snapshot_id":"¤"}]`,
		`{"project_id":"book","chapters":[{"chapter_id":"one","name":"¤`, `{"chapters":[{"chapter_id":"one","conversion_progress":"¤"}]}`, `{"snapshots":["¤"]}`,
	} {
		f.Add(answer, []byte{0}, 400)
		f.Add(answer, []byte{1, 130}, 200)
	}
	f.Fuzz(func(t *testing.T, answer string, recipe []byte, status int) {
		if len(answer) > 1<<16 || strings.Contains(answer, gateKey[:4]) || status < 200 || status > 599 {
			return // no answer that this target is about
		}
		for _, spelling := range []string{inJSON(spelled(recipe)), spelled(recipe)} {
			synctest.Test(t, func(t *testing.T) {
				passGate(&gatekeeper{T: t, answer: answer, spelling: spelling, status: status})
			})
		}
	})
}

func passGate(g *gatekeeper) {
	core := &core{T: g.T, ctx: g.Context()}
	start := func() *fakecore.Process {
		p := core.connect(g)
		core.Configure(p, map[string]any{"base_url": "http://localhost", "api_key": gateKey, "max_retries": 0}, nil)
		return p
	}
	core.Workspace = &fakecore.Workspace{
		Core: fakecore.New(core, schemas(), chapterConversion.name), Start: start,
		Defaults: chapterConversion.defaults, Arguments: map[string]any{"timeouts": map[string]any{"create": "2m"}},
	}
	p := start()
	defer p.End()
	for name, schema := range schemas().DataSourceSchemas {
		config := map[string]any{}
		for _, attribute := range schema.Block.Attributes {
			if attribute.Required {
				config[attribute.Name] = "book"
			}
		}
		read, shown := core.readData(p, name, config)
		g.searchScreen(shown)
		for _, value := range read {
			g.searchValue(value)
		}
	}
	results, shown := core.List(p, tfprotov6.ListResourceRequest{Limit: 10, IncludeResource: true}, map[string]any{"project_id": "book"}, 10)
	g.searchScreen(shown)
	for _, result := range results {
		g.search("a display name", result.Name, 2100, isUnseenOrBreaksLines)
		g.searchValue(result.Object)
		g.searchValue(result.Identity)
	}
	imported := &fakecore.Screen{}
	object := core.Core.Import(p, "book/one", imported)
	if object != nil {
		g.searchValue(object.Value)
		g.search("private data", string(object.Private), 1<<20, isControl)
	}
	g.searchScreen(imported)
	for range 2 {
		g.searchScreen(core.Apply())
		if core.Object != nil {
			g.searchValue(core.Object.Value)
			g.search("private data", string(core.Object.Private), 1<<20, isControl)
		}
	}
	g.converted.Store(false)
	invoked := core.invoke(p, map[string]any{"timeouts": map[string]any{"invoke": "1m"}})
	g.searchScreen(invoked.Screen)
	for _, line := range invoked.Lines {
		g.search("a line of progress", line.Text, 5000, isUnseenOrBreaksLines)
	}
}
