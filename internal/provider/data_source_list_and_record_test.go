package provider_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// The service names the chapters of a project twice: in their list, and in the project's own record. An object of a `for_each` is
// destroyed if its chapter is missing, so that one short answer must not decide.

const (
	allChapters  = "audioprojects_chapters"
	wholeProject = "audioprojects_project"
	onlyInList   = "Only in the list of chapters:"
	onlyInRecord = "Only in the project's record:"
)

// chaptersOf are an answer with these chapters. The chapter "a" has the name "A" and one unconverted character, "b" has two, and so on.
func chaptersOf(ids string) string {
	var records []string
	for _, id := range ids {
		records = append(records, fmt.Sprintf(`{"chapter_id":%q,"name":%q,"statistics":{"characters_converted":0,"characters_unconverted":%d}}`,
			string(id), strings.ToUpper(string(id)), id-'a'+1))
	}
	return `"chapters":[` + strings.Join(records, ",") + `]`
}

// listsOf are lists with these chapters, one after the other, and recordsOf records of the project.
func listsOf(looks ...string) (answers []mockserver.Fault) {
	for _, ids := range looks {
		answers = append(answers, mockserver.Fault{Operation: mockserver.ListChapters, Body: "{" + chaptersOf(ids) + "}"})
	}
	return answers
}

func recordsOf(looks ...string) (answers []mockserver.Fault) {
	for _, ids := range looks {
		answers = append(answers, recordThatReads(chaptersOf(ids)))
	}
	return answers
}

func recordThatReads(chapters string) mockserver.Fault {
	return mockserver.Fault{Operation: mockserver.GetProject, Body: `{"project_id":"book","title":"The Book",` + chapters + `}`}
}

func refusing(operation mockserver.Operation, status int) []mockserver.Fault {
	return []mockserver.Fault{{Operation: operation, Status: status, Body: `{"detail":"Not today."}`}}
}

// answer makes the service answer so, one time after the other; the last answer stays.
func (c *core) answer(faults []mockserver.Fault) {
	for i, fault := range faults {
		if i == len(faults)-1 {
			fault.Times = -1
		}
		c.service.Inject(fault)
	}
}

// wantChapters checks the ids of the chapters, also in the totals, and how many characters they have together.
func (c *core) wantChapters(p *fakecore.Process, source, ids string) *fakecore.Screen {
	c.Helper()
	read, shown := c.readData(p, source, map[string]any{"project_id": "book"})
	if len(shown.Errors) > 0 {
		c.Fatalf("got errors %q", shown.Errors)
	}
	characters, listed, quoted := 0, []string{}, []string{}
	for _, id := range ids {
		characters += int(id-'a') + 1
		quoted = append(quoted, fmt.Sprintf("'%c'", id))
		listed = append(listed, fmt.Sprintf("{chapter_id='%c' name='%s' statistics={characters_converted=0 characters_unconverted=%d}}",
			id, strings.ToUpper(string(id)), id-'a'+1))
	}
	for attribute, want := range map[string]string{
		"chapter_ids": "[" + strings.Join(quoted, " ") + "]", "chapters": "[" + strings.Join(listed, " ") + "]",
		"characters_unconverted": fmt.Sprint(characters), "characters_converted": "0",
	} {
		got := written(read[attribute])
		if got != want {
			c.Errorf("%s: got %s, want %s", attribute, got, want)
		}
	}
	if source == wholeProject && written(read["title"]) != "'The Book'" {
		c.Errorf("got the title %s", written(read["title"]))
	}
	return shown
}

// wantSentAs checks how many lists and records were asked for.
func (c *core) wantSentAs(lists, records int) {
	c.Helper()
	sentLists, sentRecords := c.service.Count(mockserver.ListChapters), c.service.Count(mockserver.GetProject)
	if sentLists != lists || sentRecords != records {
		c.Errorf("got %d lists and %d records, want %d and %d", sentLists, sentRecords, lists, records)
	}
}

func TestADataSourceAsksForTheListAndTheRecordAtOnce(t *testing.T) {
	t.Parallel()
	for source, arguments := range map[string]map[string]any{
		allChapters: {"project_id": "book"}, wholeProject: {"project_id": "book"},
		oneChapter: {"project_id": "book", "chapter_id": "one"}, oneChapter + " ": {"project_id": "book", "name": acctest.ChapterName},
	} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
				for _, operation := range []mockserver.Operation{mockserver.ListChapters, mockserver.GetProject} {
					c.service.Inject(mockserver.Fault{Operation: operation, Hang: time.Second, Process: true})
				}
				began := time.Now()
				_, shown := c.readData(p, strings.TrimSpace(source), arguments)
				shown.Want(c, "", nil, nil)
				c.wantSentAs(1, 1)
				for _, sent := range c.service.Journal() {
					after := sent.At.Sub(began)
					if after > time.Second/2 {
						c.Errorf("%s was requested after %s, when the other one had been answered", sent.Operation, after)
					}
				}
			})
		})
	}
}

func TestOneShortAnswerTakesNoChapterAway(t *testing.T) {
	t.Parallel()
	const clear, again = 0 * time.Second, 5 * time.Second
	type answers = []mockserver.Fault
	both := []string{allChapters, wholeProject}
	warns := func(lines string) string {
		return `Unclear which chapters project "book" has` + "\n" +
			"The service's answers disagree about these chapters, even five seconds later. " +
			"The provider includes all of them, because an answer may omit chapters for a while.\n\n" + lines + "\n\n" +
			"If chapters have just been added or deleted, run again later."
	}
	for name, test := range map[string]struct {
		sources        []string
		lists, records answers
		ids            string
		took           time.Duration
		warning        string // all of it
		sent           [2]int // lists and records
	}{
		"they agree":               {both, listsOf("abc"), recordsOf("abc"), "abc", clear, "", [2]int{1, 1}},
		"no chapters":              {both, listsOf(""), recordsOf(""), "", clear, "", [2]int{1, 1}},
		"another order":            {both, listsOf("cab"), recordsOf("abc"), "cab", clear, "", [2]int{1, 1}},
		"the list was short":       {both, listsOf("ac", "abc"), recordsOf("abc"), "abc", again, "", [2]int{2, 2}},
		"the list was empty":       {both, listsOf("", "abc"), recordsOf("abc"), "abc", again, "", [2]int{2, 2}},
		"the record was short":     {both, listsOf("abc"), recordsOf("b", "abc"), "abc", again, "", [2]int{2, 2}},
		"as many, but others":      {both, listsOf("ab", "abc"), recordsOf("bc", "abc"), "abc", again, "", [2]int{2, 2}},
		"deleted meanwhile":        {both, listsOf("abc", "ab"), recordsOf("ab"), "ab", again, "", [2]int{2, 2}},
		"the list stays short":     {both, listsOf("c"), recordsOf("abc"), "cab", again, warns(onlyInRecord + "\n  - \"A\" (a)\n  - \"B\" (b)"), [2]int{2, 2}},
		"the record stays short":   {both, listsOf("abc"), recordsOf("ab"), "abc", again, warns(onlyInList + "\n  - \"C\" (c)"), [2]int{2, 2}},
		"the record stays empty":   {both, listsOf("ab"), recordsOf(""), "ab", again, warns(onlyInList + "\n  - \"A\" (a)\n  - \"B\" (b)"), [2]int{2, 2}},
		"each of them stays short": {both, listsOf("bc"), recordsOf("ab"), "bca", again, warns(onlyInList + "\n  - \"C\" (c)\n\n" + onlyInRecord + "\n  - \"A\" (a)"), [2]int{2, 2}},
	} {
		for _, source := range test.sources {
			t.Run(name+"/"+source, func(t *testing.T) {
				t.Parallel()
				withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
					c.answer(test.lists)
					c.answer(test.records)
					began := time.Now()
					shown := c.wantChapters(p, source, test.ids)
					took := time.Since(began).Truncate(time.Second)
					if took != test.took {
						c.Errorf("took %s, want %s", took, test.took)
					}
					c.wantSentAs(test.sent[0], test.sent[1])
					c.wantOneWarning(shown, test.warning)
				})
			})
		}
	}
}

// wantOneWarning checks all of the only warning, wherever its lines are broken; none if it is empty.
func (c *core) wantOneWarning(shown *fakecore.Screen, want string) {
	c.Helper()
	got := strings.ReplaceAll(strings.Join(shown.Warnings, "\n---\n"), "\n  │ ", " ")
	if got != want {
		c.Errorf("got the warning\n%s\nwant\n%s", got, want)
	}
}

// A key may be scoped by operation. Two answers of what it may read, five seconds apart, stand for both.
func TestADataSourceWorksByWhatAKeyMayRead(t *testing.T) {
	t.Parallel()
	const refused = " Not today.\nHost: localhost."
	byLists := func(status, advice string) string {
		return `Chapters of project "book" by its lists alone` + "\n" + status + "\n\n" +
			"The provider takes the chapters from two answers, five seconds apart. It leaves out a chapter that is missing from both." + advice
	}
	const scope = " To be sure of all chapters, use a key whose scope includes the project."
	for name, test := range map[string]struct {
		source         string
		lists, records []mockserver.Fault
		ids            string
		took           time.Duration
		warning        string
		sent           [2]int
	}{
		"no record: 401": {
			allChapters, listsOf("ac", "abc"), refusing(mockserver.GetProject, 401), "abc", 5 * time.Second,
			byLists("GET /v1/projects/book: 401 Unauthorized:"+refused, scope), [2]int{2, 1},
		},
		"no record: 403": {
			allChapters, listsOf("abc", "bc"), refusing(mockserver.GetProject, 403), "bca", 5 * time.Second,
			byLists("GET /v1/projects/book: 403 Forbidden:"+refused, scope), [2]int{2, 1},
		},
		"no record: 404": {
			allChapters, listsOf("abc"), refusing(mockserver.GetProject, 404), "abc", 5 * time.Second,
			byLists("GET /v1/projects/book: 404 Not Found:"+refused, scope), [2]int{2, 1},
		},
		// Some services leave the chapters out of the record. Nobody can say then that it lacks one.
		"a record without chapters": {
			allChapters, listsOf("ac", "abc"), []mockserver.Fault{recordThatReads(`"mood":"calm"`)}, "abc", 5 * time.Second,
			byLists("The project's own record does not list the chapters.", ""), [2]int{2, 1},
		},
		"a record with null": {
			allChapters, listsOf("ac", "abc"), []mockserver.Fault{recordThatReads(`"chapters":null`)}, "abc", 5 * time.Second,
			byLists("The project's own record does not list the chapters.", ""), [2]int{2, 1},
		},
		"no list: 403": {
			wholeProject, refusing(mockserver.ListChapters, 403), recordsOf("ac", "abc"), "abc", 5 * time.Second,
			`Chapters of project "book" by its record alone` + "\nGET /v1/projects/book/chapters: 403 Forbidden:" + refused + "\n\n" +
				"The provider takes the chapters from two answers, five seconds apart. It leaves out a chapter that is missing from both." +
				" To be sure of all chapters, use a key whose scope includes the list of chapters.", [2]int{1, 2},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
				c.answer(test.lists)
				c.answer(test.records)
				began := time.Now()
				shown := c.wantChapters(p, test.source, test.ids)
				took := time.Since(began).Truncate(time.Second)
				if took != test.took {
					c.Errorf("took %s, want %s", took, test.took)
				}
				c.wantSentAs(test.sent[0], test.sent[1])
				c.wantOneWarning(shown, test.warning)
			})
		})
	}
	// What the record leaves out stays null, as everything else of it: a `for_each` over null destroys nothing.
	t.Run("a project whose record has no chapters", func(t *testing.T) {
		t.Parallel()
		withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
			c.answer(listsOf("abc"))
			c.answer([]mockserver.Fault{recordThatReads(`"chapters":null`)})
			c.wantRead(p, wholeProject, map[string]any{"project_id": "book"}, `{id='book' json='{"project_id":"book","title":"The Book"}' project_id='book' title='The Book'}`)
			c.wantSentAs(1, 1)
		})
	})
}

// What the data source is named after must be answered. One error says so.
func TestADataSourceThatCannotBeReadIsOneError(t *testing.T) {
	t.Parallel()
	const ofList, ofRecord = "GET /v1/projects/book/chapters: ", "GET /v1/projects/book: "
	for name, test := range map[string]struct {
		source         string
		lists, records []mockserver.Fault
		says           string
	}{
		"chapters: both 404":           {allChapters, refusing(mockserver.ListChapters, 404), refusing(mockserver.GetProject, 404), ofList + "404"},
		"project: both 404":            {wholeProject, refusing(mockserver.ListChapters, 404), refusing(mockserver.GetProject, 404), ofRecord + "404"},
		"chapter: both 404":            {oneChapter, refusing(mockserver.ListChapters, 404), refusing(mockserver.GetProject, 404), ofList + "404"},
		"chapters: the list":           {allChapters, refusing(mockserver.ListChapters, 403), recordsOf("abc"), ofList + "403"},
		"project: the record":          {wholeProject, listsOf("abc"), refusing(mockserver.GetProject, 403), ofRecord + "403"},
		"chapters: the record is down": {allChapters, listsOf("abc"), refusing(mockserver.GetProject, 503), ofRecord + "503"},
		"project: the list is down":    {wholeProject, refusing(mockserver.ListChapters, 503), recordsOf("abc"), ofList + "503"},
		"chapters: down at the second look": {
			allChapters, append(listsOf("ab"), refusing(mockserver.ListChapters, 503)...), recordsOf("abc"), ofList + "503",
		},
		"chapters: the record is refused at the second look": {
			allChapters, listsOf("ab"), append(recordsOf("abc"), refusing(mockserver.GetProject, 403)...), ofRecord + "403",
		},
		"chapters: down at the second list": {
			allChapters, append(listsOf("ab"), refusing(mockserver.ListChapters, 503)...), refusing(mockserver.GetProject, 403), ofList + "503",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
				c.answer(test.lists)
				c.answer(test.records)
				_, shown := c.readData(p, test.source, dataSourceArguments(test.source, "book", "a"))
				if len(shown.Errors) != 1 || len(shown.Warnings) > 0 || !shown.Says(test.says) {
					c.Errorf("got errors %q and warnings %q, want one error that says %q", shown.Errors, shown.Warnings, test.says)
				}
			})
		})
	}
}

// A chapter that one of the two shows exists, whatever else they differ in.
func TestOneShortAnswerHidesNoChapter(t *testing.T) {
	t.Parallel()
	const clear, again, anyTime = 0 * time.Second, 5 * time.Second, -time.Second
	byID, byName := map[string]any{"chapter_id": "b"}, map[string]any{"name": "B"}
	read := `{chapter_id='b' id='book/b' json='{"chapter_id":"b","name":"B","statistics":{"characters_converted":0,"characters_unconverted":2}}' name='B' project_id='book' ` +
		`statistics={characters_converted=0 characters_unconverted=2}}`
	down := refusing(mockserver.GetProject, 503)
	for name, test := range map[string]struct {
		arguments      map[string]any
		lists, records []mockserver.Fault
		took           time.Duration
		warns          string // the summary of the only warning
		fails          string
	}{
		"by id, in both":                        {byID, listsOf("abc"), recordsOf("abc"), clear, "", ""},
		"by id, in the record":                  {byID, listsOf("ac"), recordsOf("abc"), clear, "", ""},
		"by id, in the list":                    {byID, listsOf("abc"), recordsOf("ac"), clear, "", ""},
		"by id, and others differ":              {byID, listsOf("ab"), recordsOf("bc"), clear, "", ""},
		"by id, and no record":                  {byID, listsOf("ab"), refusing(mockserver.GetProject, 403), clear, "", ""},
		"by id, and no record at all":           {byID, listsOf("ab"), []mockserver.Fault{recordThatReads(`"chapters":null`)}, clear, "", ""},
		"by id, in the second list":             {byID, listsOf("a", "ab"), refusing(mockserver.GetProject, 403), again, `Chapters of project "book" by its lists alone`, ""},
		"by id, in the second record":           {byID, listsOf("a"), recordsOf("ac", "abc"), again, `Unclear which chapters project "book" has`, ""},
		"by id, in neither":                     {byID, listsOf("ac"), recordsOf("ac"), clear, "", "has no chapter with this id. It has these: - \"A\" (a) - \"C\" (c)"},
		"by id, in neither, and they differ":    {byID, listsOf("a"), recordsOf("ac"), again, `Unclear which chapters project "book" has`, "has no chapter with this id. It has these: - \"A\" (a) - \"C\" (c)"},
		"by name, in both":                      {byName, listsOf("abc"), recordsOf("abc"), clear, "", ""},
		"by name, in the record":                {byName, listsOf("ac"), recordsOf("abc"), again, `Unclear which chapters project "book" has`, ""},
		"by name, in the second list":           {byName, listsOf("ac", "abc"), recordsOf("abc"), again, "", ""},
		"by name, and no record":                {byName, listsOf("ab"), refusing(mockserver.GetProject, 403), again, `Chapters of project "book" by its lists alone`, ""},
		"by id, and the record is down":         {byID, listsOf("ab"), down, anyTime, "", ""},
		"by another id, and the record is down": {map[string]any{"chapter_id": "c"}, listsOf("ab"), down, anyTime, "", "GET /v1/projects/book: 503"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
				c.answer(test.lists)
				c.answer(test.records)
				began, arguments := time.Now(), map[string]any{"project_id": "book"}
				for argument, value := range test.arguments {
					arguments[argument] = value
				}
				values, shown := c.readData(p, oneChapter, arguments)
				took := time.Since(began).Truncate(time.Second)
				if took != test.took && test.took != anyTime {
					c.Errorf("took %s, want %s", took, test.took)
				}
				warning := ""
				if len(shown.Warnings) > 0 {
					warning, _, _ = strings.Cut(shown.Warnings[0], "\n")
				}
				if len(shown.Warnings) > 1 || warning != test.warns {
					c.Errorf("got warnings %q, want %q", shown.Warnings, test.warns)
				}
				if test.fails != "" {
					if len(shown.Errors) != 1 || !shown.Says(test.fails) {
						c.Errorf("got errors %q, want one with %q", shown.Errors, test.fails)
					}
					return
				}
				if len(shown.Errors) > 0 {
					c.Fatalf("got errors %q", shown.Errors)
				}
				got := written(tftypes.NewValue(schemas().DataSourceSchemas[oneChapter].ValueType(), values))
				if got != read {
					c.Errorf("got %s, want %s", got, read)
				}
			})
		})
	}
}
