package pages

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
)

// retired is a word that the glossary of CONTRIBUTING replaces, or one of the engine's earlier designs. A space in a pattern stands for a
// line break, too.
type retired struct {
	word    string // as in the last column of the glossary; empty: one of the engine
	pattern string
	except  string // the same words in another sense
	instead string
	where   kind // empty: anywhere but in the engine
	engine  bool // in the engine, too
}

var retiredWords = []retired{
	{word: "book for a resource", where: message, pattern: `books?`, except: `e-?books?|title of the book|author of the book`, instead: "project conversion, or project"},
	{word: "book for a resource", pattern: `books?(?:'s)? (?:adopts?|requests?|remembers?|joins?|forgets?|decides?|resource)|books? in one block`, instead: "project conversion"},
	{word: "ask for", pattern: `ask(?:s|ed|ing)? for (?:a|an|another|one|the|no) (?:other )?conversions?|(?:is|are|was|were|be|been) asked(?: for)?`, instead: "request"},
	{word: "order", pattern: `order(?:s|ed)? (?:a|another|one|the) conversions?`, instead: "request"},
	{word: "block", engine: true, pattern: `blocks?`, instead: "resource, data source, action or instance",
		except: `(?:provider|terraform|resource|data|action|list|check|import|moved|removed|lifecycle|timeouts?|backend|nested|config|code) blocks?|blocks? code|must not block`},
	{word: "object", engine: true, pattern: `objects?`, except: `(?:JSON|S3|nested) objects?|as an object|objects? storage|objects? lock`, instead: "resource, or instance"},
	{word: "open", engine: true, pattern: `open (?:text|chapters?|characters)|(?:text|chapters?|nothing|anything|something|what) (?:that |which )?(?:is|are|was|were|stays?|still) open|(?:still|left) open|\*\*open\*\*`, instead: "unconverted"},
	{word: "left to convert", pattern: `left to (?:convert|be converted)`, instead: "unconverted"},
	{word: "nothing left", pattern: `nothing (?:is |was |has been )?left`, instead: "no unconverted text"},
	{word: "text left", pattern: `text (?:is |was |that is )?left`, except: `text left unconverted`, instead: "unconverted text"},
	{word: "left over", pattern: `left[ -]?over|leftovers?`, instead: "pending, or unconverted"},
	{word: "take over", pattern: `(?:takes?|taking|taken|took)(?: it| them)? over`, instead: "adopt, join, or continue"},
	{word: "adopt a project", pattern: `adopt(?:s|ed|ing)?(?: an| the| a| all| your| whole| existing)* (?:projects?|books?|librar(?:y|ies))`, instead: "import"},
	{word: "bill", pattern: `bill(?:s|ed|ing)?`, instead: "cost estimate"},
	{word: "price", pattern: `prices?`, except: `saved plan and its price`, instead: "cost estimate, or cost"},
	{word: "sum", pattern: `(?:the|a|this|that|its|no) sum`, except: `sum of`, instead: "total"},
	{word: "bound", pattern: `bounds?|bounded|bounding`, except: `bound to|is bound|bound by`, instead: "limit"},
	{word: "boundary", pattern: `boundar(?:y|ies)`, instead: "limit"},
	{word: "cap", pattern: `caps?|capped`, instead: "limit"},
	{word: "words of the service", pattern: `words of (?:the|a) service|service's(?: own)? words|(?:same|other|in|these|its) words`, except: `in other words`, instead: "error message"},
	{word: "complaint", pattern: `complain(?:s|ed|ts?)?`, instead: "error message"},
	{word: "date", pattern: `dates?`, except: `(?:up|out)[ -](?:to|of)[ -]date|(?:release|publication) dates?|date of the work|service dates|dates (?:a|an|the|each)`, instead: "timestamp, or time"},
	{where: engine, engine: true, pattern: `tickets?`, instead: "resume token"},
	{where: engine, engine: true, pattern: `demands?|demanded`, instead: "desired state, or wants"},
}

// kind is where words stand.
type kind string

const (
	page    kind = "page"
	message kind = "message" // of the provider, or a description in a schema
	engine  kind = "engine"  // a comment of internal/conversion, or its README
)

// passage is a text that people read.
type passage struct {
	kind
	place, text string
	line        int // of the beginning
}

// TestGlossary_retiredWords: one word stands for one thing, in pages, examples, messages and descriptions. The names of attributes, data sources
// and files stay, so code is exempt. What the engine says to maintainers has the words of its README, and none for a thing that the
// glossary names.
func TestGlossary_retiredWords(t *testing.T) {
	t.Parallel()
	glossary := retiredByTheGlossary(t)
	for _, word := range retiredWords {
		if word.word != "" && !slices.Contains(glossary, word.word) {
			t.Errorf("the glossary does not retire %q", word.word)
		}
	}
	for _, word := range glossary {
		if !slices.ContainsFunc(retiredWords, func(r retired) bool { return r.word == word }) {
			t.Errorf("nothing looks for %q, which the glossary retires", word)
		}
	}
	passages := slices.Concat(writtenPages(t), exampleTexts(t), literals(t), descriptions(t), engineTexts(t))
	if len(passages) < 300 {
		t.Fatalf("only %d passages were found", len(passages))
	}
	for _, word := range retiredWords {
		sought, allowed := wordsLike(word.pattern), wordsLike(word.except)
		for _, text := range passages {
			isElsewhere := word.where != "" && word.where != text.kind
			if isElsewhere || text.kind == engine && !word.engine {
				continue
			}
			prose := text.text
			if word.except != "" {
				prose = allowed.ReplaceAllStringFunc(prose, blank)
			}
			for _, found := range sought.FindAllStringIndex(prose, -1) {
				line := text.line + strings.Count(prose[:found[0]], "\n")
				t.Errorf("%s:%d: %q: write %s", text.place, line, strings.Join(strings.Fields(prose[found[0]:found[1]]), " "), word.instead)
			}
		}
	}
}

func wordsLike(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|\b)(?:` + strings.ReplaceAll(pattern, " ", `\s+`) + `)(?:\b|$)`)
}

// blank keeps only the line breaks, so that the lines after it keep their numbers.
func blank(text string) string { return strings.Repeat("\n", strings.Count(text, "\n")) }

// retiredByTheGlossary are the words in the last column of the glossary, which has at most fifteen rows.
func retiredByTheGlossary(t *testing.T) (words []string) {
	t.Helper()
	rows := regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \|([^|]*)\|$`).FindAllStringSubmatch(section(t, contributing, "Words"), -1)
	if len(rows) < 10 || len(rows)-1 > 15 {
		t.Fatalf("the glossary has %d rows", len(rows)-1)
	}
	for _, row := range rows[1:] {
		for _, word := range strings.Split(row[3], ",") {
			word = strings.TrimSpace(word)
			if word != "" {
				words = append(words, word)
			}
		}
	}
	return words
}

var (
	contributing = filepath.Join(root, "CONTRIBUTING.md")
	changelog    = filepath.Join(root, "CHANGELOG.md")
	testsFolder  = filepath.Join(root, "internal", "tests")
)

// writtenPages are the pages as people write them: docs/ is made from templates/, the examples and the schema.
func writtenPages(t *testing.T) (passages []passage) {
	t.Helper()
	files := []string{
		filepath.Join(root, "README.md"), contributing, filepath.Join(root, "GNUmakefile"), filepath.Join(root, ".github", "SECURITY.md"),
		filepath.Join(root, ".github", "pull_request_template.md"), filepath.Join(testsFolder, "histories", "README.md"),
		filepath.Join(testsFolder, "bench", "README.md"), filepath.Join(testsFolder, "upgrade", "testdata", "README.md"), changelog,
	}
	files = append(files, filesBelow(t, filepath.Join(root, "templates"), ".tmpl")...)
	files = append(files, filesBelow(t, filepath.Join(root, ".github", "ISSUE_TEMPLATE"), ".yml")...)
	for _, file := range files {
		text := read(t, file)
		switch {
		case filepath.Base(file) == "GNUmakefile":
			text = only(text, `(?m)^[a-z-]+: .*?## (.*)$`)
		case file == contributing:
			text = strings.Replace(text, section(t, contributing, "Words"), blank(section(t, contributing, "Words")), 1)
		}
		passages = append(passages, passage{page, file, prose(text), 1})
	}
	return passages
}

// prose leaves out code, quotes of Terraform's own messages, the targets of links, and what a template fills in.
func prose(text string) string {
	for _, code := range []string{"(?ms)^```\\w*\n.*?^```$", `(?s)\{\{.*?\}\}`, `(?s)<!--.*?-->`} {
		text = regexp.MustCompile(code).ReplaceAllStringFunc(text, blank)
	}
	keep := func(text string) string { return "CODE" + blank(text) }
	for _, name := range []string{"`[^`]+`", `“[^”]*”`} {
		text = regexp.MustCompile(name).ReplaceAllStringFunc(text, keep)
	}
	return regexp.MustCompile(`\]\([^)]*\)|https://\S+|<a id="[^"]*">`).ReplaceAllStringFunc(text, blank)
}

// only keeps the first group of each match, in its line.
func only(text, pattern string) string {
	var kept strings.Builder
	at := 0
	for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatchIndex(text, -1) {
		kept.WriteString(blank(text[at:found[2]]) + " " + text[found[2]:found[3]])
		at = found[3]
	}
	return kept.String() + blank(text[at:])
}

// exampleTexts are the comments, and the strings of several words, in the examples and in the code of the pages.
func exampleTexts(t *testing.T) (passages []passage) {
	t.Helper()
	const texts = `(?m)(?:^|[ \t])(?:#|//) ?([^\n]*)$`
	const quoted = `"([^"\n]* [^"\n]*)"`
	add := func(file, code string, line int) {
		code = regexp.MustCompile(`\$\{[^}]*\}`).ReplaceAllString(code, "CODE")
		for _, pattern := range []string{texts, quoted} {
			passages = append(passages, passage{page, file, prose(only(code, pattern)), line})
		}
	}
	for _, file := range filesBelow(t, examplesFolder, ".tf", ".hcl", ".yml", ".yaml", ".sh") {
		add(file, read(t, file), 1)
	}
	for _, file := range append(filesBelow(t, filepath.Join(root, "templates"), ".tmpl"), filepath.Join(root, "README.md")) {
		text := read(t, file)
		for _, block := range codeBlocksIn(t, text) {
			if block.language == "terraform" || block.language == "sh" {
				before, _, _ := strings.Cut(text, block.text)
				add(file, block.text, 1+strings.Count(before, "\n"))
			}
		}
	}
	return passages
}

// literals are the provider's messages: the strings of several words in its code, and in that of the client and of the files.
func literals(t *testing.T) (passages []passage) {
	t.Helper()
	var sources []string
	for _, folder := range []string{"provider", "forecast", "progress", "say", "audioprojects", "audiofile"} {
		sources = append(sources, filesBelow(t, filepath.Join(root, "internal", folder), ".go")...)
	}
	for _, file := range sources {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			literal, of := node.(*ast.BasicLit)
			if of && literal.Kind == token.STRING && strings.Contains(literal.Value, " ") {
				text, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Error(err)
				}
				passages = append(passages, passage{message, file, prose(text), files.Position(literal.Pos()).Line})
			}
			_, tagged := node.(*ast.Field)
			return !tagged
		})
	}
	return passages
}

// engineTexts are the comments of internal/conversion, and what it says of itself.
func engineTexts(t *testing.T) (passages []passage) {
	t.Helper()
	folder := filepath.Join(root, "internal", "conversion")
	for _, file := range filesBelow(t, folder, ".go") {
		passages = append(passages, passage{engine, file, prose(only(read(t, file), `(?m)(?:^|[ \t])//([^\n]*)$`)), 1})
	}
	for _, file := range filesBelow(t, folder, ".md") {
		passages = append(passages, passage{engine, file, prose(read(t, file)), 1})
	}
	return passages
}

// descriptions are those of the schemas, as Terraform and the registry show them.
func descriptions(t *testing.T) (passages []passage) {
	t.Helper()
	schemas, err := provider.NewServer("test", provider.Machine{})().GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	add := func(name, text string) { passages = append(passages, passage{message, name, prose(text), 1}) }
	var attributes func(name string, all []*tfprotov6.SchemaAttribute)
	attributes = func(name string, all []*tfprotov6.SchemaAttribute) {
		for _, attribute := range all {
			add(name+"."+attribute.Name, attribute.Description)
			if attribute.NestedType != nil {
				attributes(name+"."+attribute.Name, attribute.NestedType.Attributes)
			}
		}
	}
	block := func(name string, schema *tfprotov6.Schema) {
		add(name, schema.Block.Description)
		attributes(name, schema.Block.Attributes)
	}
	block("provider", schemas.Provider)
	for name, schema := range schemas.ResourceSchemas {
		block("resource "+name, schema)
	}
	for name, schema := range schemas.DataSourceSchemas {
		block("data source "+name, schema)
	}
	for name, schema := range schemas.ListResourceSchemas {
		block("list resource "+name, schema)
	}
	for name, schema := range schemas.ActionSchemas {
		block("action "+name, schema.Schema)
	}
	return passages
}

func filesBelow(t *testing.T, folder string, extensions ...string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && slices.Contains(extensions, filepath.Ext(path)) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
