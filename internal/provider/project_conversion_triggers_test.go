package provider_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// brief is a conversion that lists show, so that no apply waits for a window.
var brief = mockserver.Conversion{Takes: 1500 * time.Millisecond}

// Changed triggers convert each chapter once, also if they change back. A chapter has 38 characters.
func TestAccProjectConversionResource_triggers(t *testing.T) {
	const book = "audioprojects_project_conversion.book"
	service := acctest.NewService(t, acctest.BookOf(converted(manyChapters(2, brief))))
	updates := plancheck.ExpectResourceAction(book, plancheck.ResourceActionUpdate)
	wantSent := func(want int) func() { return func() { service.WantCount(mockserver.ConvertChapter, want) } }
	voice := func(name string) string { return acctest.BookBlock(fmt.Sprintf("triggers = { voice = %q }", name)) }
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{Config: acctest.BookBlock(`triggers = {}`)},
			// The first triggers are only recorded, and neither an empty map nor a null value in one is a trigger.
			{
				Config:           acctest.BookBlock(`triggers = { voice = "Ada", model = null }`),
				ConfigPlanChecks: acctest.Plan(updates, plancheck.ExpectKnownValue(book, tfjsonpath.New("characters_converted"), knownvalue.Int64Exact(76))),
				PostApplyFunc:    wantSent(0),
			},
			{
				Config:      voice("Bela") + `provider "audioprojects" { max_characters = 75 }`,
				ExpectError: atMost(76),
			},
			{
				Config:           voice("Bela"),
				ConfigPlanChecks: acctest.Plan(updates, plancheck.ExpectUnknownValue(book, tfjsonpath.New("characters_converted"))),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(book, tfjsonpath.New("characters_requested"), knownvalue.Int64Exact(76)),
				},
				PostApplyFunc: wantSent(2),
			},
			{Config: voice("Ada"), ConfigPlanChecks: acctest.Plan(updates), PostApplyFunc: wantSent(4)},
			// What is known only in the apply may turn out to be the same.
			{
				Config:           fmt.Sprintf(knownLater, "Ada") + acctest.BookBlock(`triggers = { voice = terraform_data.known.output }`),
				ConfigPlanChecks: acctest.Plan(updates),
				PostApplyFunc:    wantSent(4),
			},
			// Without triggers, the audio follows the text, as before.
			{
				PreConfig:        func() { service.EditChapter("book", "chapter-1", "Other words.") },
				Config:           acctest.BookBlock(``),
				ConfigPlanChecks: acctest.Plan(updates),
				PostApplyFunc:    wantSent(5),
			},
		},
	})
	service.WantPaid("book", "chapter-1", 3)
	service.WantPaid("book", "chapter-2", 2)
}

// A chapter fails, and one is edited before the next apply. That converts these two alone.
func TestAccProjectConversionResource_triggersAfterFailure(t *testing.T) {
	const book = "audioprojects_project_conversion.book"
	chapters := converted(manyChapters(3, brief))
	chapters[1].Conversions = []mockserver.Conversion{{Takes: brief.Takes, Fails: conversionError}, brief}
	service := acctest.NewService(t, acctest.BookOf(chapters))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{Config: acctest.BookBlock(`triggers = { voice = "Ada" }`)},
			{
				Config:      acctest.BookBlock(`triggers = { voice = "Bela" }`),
				ExpectError: regexp.MustCompile(`Unable to convert 1 of the 3 chapters(?s:.*)` + conversionError),
			},
			{
				PreConfig: func() { service.EditChapter("book", "chapter-3", "Other words.") },
				Config:    acctest.BookBlock(`triggers = { voice = "Bela" }`),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(book, tfjsonpath.New("failed_chapters"), knownvalue.MapSizeExact(0)),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("characters_requested"), knownvalue.Int64Exact(38+12)),
				},
			},
		},
	})
	service.WantPaid("book", "chapter-1", 1)
	service.WantPaid("book", "chapter-2", 2)
	service.WantPaid("book", "chapter-3", 2)
}

// withVoice is a test with a book of so many converted chapters, whose triggers are a voice.
func withVoice(t *testing.T, chapters []mockserver.Chapter, test func(*core)) {
	t.Helper()
	withBook(t, converted(chapters), func(c *core) {
		c.setVoice("Ottilie")
		c.Apply()
		time.Sleep(time.Hour)
		test(c)
	})
}

// oneAtATime converts the chapters of a book one after the other.
func (c *core) oneAtATime() {
	c.Start = func() *fakecore.Process {
		settings := atTheService()
		settings["parallel_conversions"] = 1
		return c.beginWith(settings, nil)
	}
}

const (
	newTriggers  = "The `triggers` changed, so applying converts these chapters again, which costs at most:"
	dropped      = "Changed triggers are dropped"
	firstRecords = "First triggers convert nothing"
)

// whyAgain is why a plan converts for changed triggers.
func (c *core) whyAgain() string {
	if c.TypeName == chapterConversion.name {
		return strings.Replace(newTriggers, "these chapters", "the chapter", 1)
	}
	return newTriggers
}

func TestTriggers_firstAreRecorded(t *testing.T) {
	t.Parallel()
	for _, kind := range []resourceType{chapterConversion, projectConversion} {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, chapterWithConversions(oneMinute), nil, func(c *core) {
				c = newCore(c.T, kind, c.service, followsText(kind))
				c.Apply()
				c.setVoice("Ottilie")
				c.Apply().Want(c, "update", []string{firstRecords}, nil)
				c.Plan().Want(c, "no-op", nil, nil)
				c.wantSent(1)

				// A text that is edited meanwhile is converted as always.
				delete(c.Arguments, "triggers")
				c.Apply().Want(c, "update", nil, nil)
				c.service.EditChapter("book", "one", acctest.LongerText)
				time.Sleep(time.Minute)
				c.setVoice("Marrow")
				plan := c.Plan()
				plan.Want(c, "update", []string{firstRecords}, nil)
				plan.WantEstimate(c, "Characters at most: 20 ")
				c.ApplyPlan(plan)
				c.wantSent(2)
			})
		})
	}
}

// TestTriggers_applyEndsEarly: the next plan names those chapters that are not yet converted for the triggers, with or
// without a refresh.
func TestTriggers_applyEndsEarly(t *testing.T) {
	t.Parallel()
	slow := mockserver.Conversion{Takes: 2 * time.Hour}
	fault := func(fault mockserver.Fault) func(*core) *fakecore.Screen {
		fault.Operation, fault.ChapterID = mockserver.ConvertChapter, "chapter-2"
		return func(c *core) *fakecore.Screen {
			c.service.Inject(fault)
			return c.Apply()
		}
	}
	for name, test := range map[string]struct {
		second []mockserver.Conversion // the conversions of chapter-2
		cut    func(*core) *fakecore.Screen
		errors int
		says   []string // of the next plan
		never  bool     // it does not name chapter-3
		sent   int      // in both applies
	}{
		"a chapter fails": {
			[]mockserver.Conversion{failing, oneMinute}, func(c *core) *fakecore.Screen { return c.Apply() }, 1,
			[]string{"The last conversion failed, and applying requests another. The service's error message: " + conversionError + ` 38 "chapter-2"`}, true, 4,
		},
		"a chapter takes too long": {
			[]mockserver.Conversion{slow}, func(c *core) *fakecore.Screen { return c.Apply() }, 1,
			[]string{willWaitFor + `38 "chapter-2"`}, true, 3,
		},
		"an answer is lost": {
			[]mockserver.Conversion{oneMinute}, fault(mockserver.Fault{Reset: true}), 1,
			[]string{`Applying looks for it first, and requests one only if there is still none, which costs at most: 38 "chapter-2"`}, true, 4,
		},
		"the key is refused": {
			[]mockserver.Conversion{oneMinute}, fault(mockserver.Fault{Status: 401, Body: `{"detail":{"status":"invalid_api_key","message":"no"}}`}), 1,
			[]string{newTriggers + ` 38 "chapter-2" 38 "chapter-3" 76 in total`}, false, 4,
		},
		"Ctrl-C": {
			[]mockserver.Conversion{oneMinute}, func(c *core) *fakecore.Screen { return c.Apply(fakecore.InterruptedAfter(90 * time.Second)) }, 0,
			[]string{newTriggers + ` 38 "chapter-3"`, `which costs at most: 38 "chapter-2"`}, false, 3,
		},
		"a timeout": {
			[]mockserver.Conversion{oneMinute}, func(c *core) *fakecore.Screen {
				c.Arguments["timeouts"] = map[string]any{"update": "90s"}
				defer delete(c.Arguments, "timeouts")
				return c.Apply()
			}, 1,
			[]string{newTriggers + ` 38 "chapter-3"`, `which costs at most: 38 "chapter-2"`}, false, 3,
		},
	} {
		for _, unrefreshed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, unrefreshed %t", name, unrefreshed), func(t *testing.T) {
				t.Parallel()
				chapters := manyChapters(3, oneMinute)
				chapters[1].Conversions = test.second
				withVoice(t, chapters, func(c *core) {
					c.oneAtATime()
					c.setVoice("Marrow")
					shown := test.cut(c)
					if len(shown.Errors) != test.errors || !shown.Says(newTriggers+` 38 "chapter-1" 38 "chapter-2" 38 "chapter-3"`) {
						c.Errorf("got %s", shown)
					}
					c.Unrefreshed = unrefreshed
					if unrefreshed {
						time.Sleep(2 * time.Minute)
					}
					plan := c.Plan()
					if plan.Says(" UTC, and was not asked since.") != unrefreshed {
						c.Errorf("got %s", plan.Screen)
					}
					for _, text := range test.says {
						if !plan.Says(text) {
							c.Errorf("got %s, want %q", plan.Screen, text)
						}
					}
					if plan.Says("chapter-1") || plan.Says("chapter-3") == test.never {
						c.Errorf("got %s, want no other chapters", plan.Screen)
					}
					c.Unrefreshed = false
					c.wantSaid(c.ApplyPlan(plan), "update", "")
					c.Plan().Want(c, "no-op", nil, nil)
					c.wantSent(test.sent)
				})
			})
		}
	}
}

// TestTriggers_changedAgain: an apply is interrupted because the voice is wrong, and they change again, or back. What
// was requested began before that, so all chapters are named, and what is under way is waited for first.
func TestTriggers_changedAgain(t *testing.T) {
	t.Parallel()
	for _, voice := range []string{"Corvin", "Ottilie"} {
		t.Run(voice, func(t *testing.T) {
			t.Parallel()
			withVoice(t, manyChapters(3, oneMinute), func(c *core) {
				c.oneAtATime()
				c.setVoice("Marrow")
				c.Apply(fakecore.InterruptedAfter(90 * time.Second))
				c.wantSent(2)
				c.setVoice(voice)
				shown := c.Apply()
				c.wantBook(shown, "update", []string{costs("3 chapters", 114)}, nil)
				if !shown.Says(newTriggers + ` 38 "chapter-1" 38 "chapter-2" 38 "chapter-3" 114 in total`) {
					c.Errorf("got %s, want why", shown)
				}
				c.wantSent(5)
				c.wantBook(c.Plan().Screen, "no-op", nil, nil)
			})
		})
	}
}

// TestTriggers_joinedDoesNotCount: what somebody else converts may have begun with the old voice. One of our own
// follows, as the plan has counted; also if the apply that joined it is interrupted.
func TestTriggers_joinedDoesNotCount(t *testing.T) {
	t.Parallel()
	for _, kind := range []resourceType{chapterConversion, projectConversion} {
		for name, test := range map[string]func(*core){
			"it runs": func(c *core) {
				c.service.Convert("book", "one")
				time.Sleep(20 * time.Second)
				start := c.Start
				c.limitTo(34)
				c.Plan().Want(c, "", nil, []string{"The plan has 35 characters until here"})
				c.Start = start
				shown := c.Apply()
				shown.Want(c, "update", nil, nil)
				shown.WantEstimate(c, c.whyAgain()+" 35 ")
			},
			"it begins after the plan": func(c *core) {
				plan := c.Plan()
				c.service.Convert("book", "one")
				c.ApplyPlan(plan).Want(c, "update", nil, nil)
			},
			"it has ended after Ctrl-C": func(c *core) {
				c.service.Convert("book", "one")
				c.Apply(fakecore.InterruptedAfter(10*time.Second)).Want(c, "update", []string{"Interrupted while waiting"}, nil)
				c.wantSent(0)
				time.Sleep(time.Hour)
				shown := c.Apply()
				shown.Want(c, "update", nil, nil)
				shown.WantEstimate(c, c.whyAgain()+" 35 ")
				if shown.Says("To leave them out for now") && c.TypeName == chapterConversion.name {
					c.Errorf("got %s, which names an argument that the resource does not have", shown)
				}
			},
		} {
			t.Run(kind.name+", "+name, func(t *testing.T) {
				t.Parallel()
				inFakeTime(t, mockserver.Chapter{Converted: true, Conversions: []mockserver.Conversion{oneMinute}}, nil, func(c *core) {
					c = newCore(c.T, kind, c.service, followsText(kind))
					c.setVoice("Ottilie")
					c.Apply()
					time.Sleep(time.Hour)
					c.setVoice("Marrow")
					test(c)
					c.wantPaid(1)
					c.wantSent(1)
					c.Plan().Want(c, "no-op", nil, nil)
				})
			})
		}
	}
}

// refusedAfterOne is an apply for a new voice that converts the first of several chapters, and whose key is refused
// then.
func refusedAfterOne(c *core) {
	c.Helper()
	c.oneAtATime()
	c.setVoice("Marrow")
	const body = `{"detail":{"status":"invalid_api_key","message":"no"}}`
	c.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, ChapterID: "chapter-2", Status: 401, Body: body})
	c.Apply()
	c.service.ResetJournal()
}

// TestTriggers_whatIsLeftIsDropped by an update that removes the triggers or the chapters, with a warning; and by a
// replacement.
func TestTriggers_whatIsLeftIsDropped(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change       func(*core)
		action, says string
		estimate     []string
		sent         int
	}{
		"the triggers are removed": {
			func(c *core) { delete(c.Arguments, "triggers") }, "update", "Still to be made for changed `triggers`: 3 conversions.", nil, 0,
		},
		"chapters are excluded": {
			func(c *core) { c.Arguments["exclude_chapter_ids"] = []string{"chapter-2", "chapter-3"} }, "update", "Still to be made for changed `triggers`: 2 conversions.",
			[]string{newTriggers + ` 38 "chapter-4"`}, 1,
		},
		"other chapters are named": {
			func(c *core) { c.Arguments["chapter_ids"] = []string{"chapter-1", "chapter-4"} }, "update", "Still to be made for changed `triggers`: 2 conversions.",
			[]string{newTriggers + ` 38 "chapter-4"`}, 1,
		},
		"it is replaced": {func(c *core) { c.Replaced = true }, "replace", "", nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withVoice(t, manyChapters(4, oneMinute), func(c *core) {
				refusedAfterOne(c)
				test.change(c)
				plan := c.Plan()
				if plan.Action != test.action || plan.Says(dropped) != (test.says != "") || !plan.Says(test.says) {
					c.Errorf("got %s, want %q", plan.Screen, test.says)
				}
				if !c.Replaced { // What a replacement says is that of its first plan.
					plan.WantEstimate(c, test.estimate...)
				}
				c.wantSaid(c.ApplyPlan(plan), test.action, "")
				c.Replaced = false
				c.wantSent(test.sent)
				c.wantBook(c.Plan().Screen, "no-op", nil, nil)

				// A chapter that comes back is new to the resource, and has no unconverted text.
				delete(c.Arguments, "exclude_chapter_ids")
				delete(c.Arguments, "chapter_ids")
				c.Apply()
				c.wantSent(test.sent)
				c.wantBook(c.Plan().Screen, "no-op", nil, nil)
			})
		})
	}
}

// TestTriggers_failedUpdateDropsNothing: the update that would drop a chapter cannot list the chapters, so it keeps the
// state as it was.
func TestTriggers_failedUpdateDropsNothing(t *testing.T) {
	t.Parallel()
	withVoice(t, manyChapters(3, oneMinute), func(c *core) {
		refusedAfterOne(c)
		c.Arguments["exclude_chapter_ids"] = []string{"chapter-2"}
		plan := c.Plan()
		c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Skip: 1, Status: 401, Body: `{"detail":"no"}`})
		c.wantBook(c.ApplyPlan(plan), "update", []string{costs("1 chapter", 38), dropped}, []string{`Unable to convert project "book"`})
		delete(c.Arguments, "exclude_chapter_ids")
		time.Sleep(time.Minute)
		c.wantBook(c.Plan().Screen, "update", []string{costs("2 chapters", 76)}, nil)
	})
}

// TestTriggers_fewerChapters: a list of the apply lacks a chapter. The new triggers would be forgotten for it, so
// nothing is requested. If it is deleted, the next plan finds that.
func TestTriggers_fewerChapters(t *testing.T) {
	t.Parallel()
	const lacksOne = `{"chapters":[{"chapter_id":"chapter-1","state":"default","last_conversion_date_unix":946684860,` +
		`"statistics":{"characters_unconverted":0,"characters_converted":38,"paragraphs_converted":1,"paragraphs_unconverted":0}}]}`
	const fewer = "The `triggers` changed, and the service lists 1 chapter, where the state has 2. Nothing was requested, because the new `triggers` would be forgotten for the others."
	for name, test := range map[string]struct {
		goes     func(*core)
		warnings []string // of the next plan
		sent     int
	}{
		"it is deleted": {
			func(c *core) { c.service.RemoveChapter("book", "chapter-2") }, []string{costs("1 chapter", 38), "Chapters are gone"}, 1,
		},
		"lists lack it": {
			func(c *core) {
				c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Times: 3, Body: lacksOne})
			},
			[]string{costs("2 chapters", 76)}, 2,
		},
	} {
		for when, before := range map[string]func(*core){
			"the triggers have changed": func(*core) {},
			"chapters are left": func(c *core) {
				c.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Times: 2, Status: 401, Body: `{"detail":"no"}`})
				c.Apply()
			},
		} {
			t.Run(name+", "+when, func(t *testing.T) {
				t.Parallel()
				withVoice(t, manyChapters(2, oneMinute), func(c *core) {
					c.setVoice("Marrow")
					before(c)
					c.service.ResetJournal()
					plan := c.Plan()
					test.goes(c)
					shown := c.ApplyPlan(plan)
					if len(shown.Errors) != 1 || !shown.Says(fewer) {
						c.Errorf("got %s, want %q", shown, fewer)
					}
					c.wantSent(0)
					time.Sleep(time.Minute)
					c.wantBook(c.Apply(), "update", test.warnings, nil)
					c.wantSent(test.sent)
					c.wantBook(c.Plan().Screen, "no-op", nil, nil)
				})
			})
		}
	}
}

// TestTriggers_killed: a kill loses what is left. So the plan names all chapters, and says how many have newer
// timestamps than the last apply saw. These can be left out.
func TestTriggers_killed(t *testing.T) {
	t.Parallel()
	const newer = "Newer than all timestamps that the last apply saw: the timestamps of 2 chapters of these. If an apply was killed since, it may have converted them for these " +
		"`triggers` already. To leave them out for now, name them in `exclude_chapter_ids`: - \"chapter-1\" - \"chapter-2\""
	killed := func(t *testing.T, then func(*core)) {
		withVoice(t, manyChapters(3, oneMinute), func(c *core) {
			c.oneAtATime()
			c.setVoice("Marrow")
			if before := c.Plan(); before.Says("Newer than all timestamps") {
				c.Errorf("got %s", before.Screen)
			}
			before := *c.Object
			c.Apply(fakecore.InterruptedAfter(90 * time.Second))
			c.Object = &before // Nobody has received the answer.
			time.Sleep(time.Hour)
			plan := c.Plan()
			c.wantBook(plan.Screen, "update", []string{costs("3 chapters", 114)}, nil)
			if !plan.Says(newTriggers+` 38 "chapter-1" 38 "chapter-2" 38 "chapter-3" 114 in total`) || !plan.Says(newer) {
				c.Errorf("got %s, want all chapters, and %q", plan.Screen, newer)
			}
			then(c)
			c.wantBook(c.Plan().Screen, "no-op", nil, nil)
		})
	}
	t.Run("all are converted again", func(t *testing.T) {
		t.Parallel()
		killed(t, func(c *core) {
			c.Apply()
			c.wantSent(5)
		})
	})
	t.Run("they are left out", func(t *testing.T) {
		t.Parallel()
		killed(t, func(c *core) {
			c.Arguments["exclude_chapter_ids"] = []string{"chapter-1", "chapter-2"}
			c.wantBook(c.Apply(), "update", []string{costs("1 chapter", 38)}, nil)
			delete(c.Arguments, "exclude_chapter_ids")
			c.wantBook(c.Apply(), "update", nil, nil)
			c.wantSent(3)
		})
	})
}

// TestTriggers_nothingShows: a service accepts requests, and converts nothing where no text is unconverted. A queue may
// be long, so the apply watches for five minutes, and pays nothing more. The error names the way out.
func TestTriggers_nothingShows(t *testing.T) {
	t.Parallel()
	withTriggersOfEachKind(t, mockserver.Conversion{Lag: 1000 * time.Hour}, func(c *core) {
		began := time.Now()
		shown := c.Apply()
		took := time.Since(began)
		if len(shown.Errors) != 1 || took < 5*time.Minute || took > 6*time.Minute ||
			!shown.Says("for five minutes the chapter has shown no sign of a conversion, and no newer timestamp.") ||
			!shown.Says("If the service converts nothing, remove `triggers`: then nothing more is requested.") {
			c.Errorf("after %s, got %s", took, shown)
		}
		c.Plan().WantEstimate(c, "The service shows no sign of a conversion that was requested.")
		c.wantDropped()
	})
}

// TestTriggers_removedAfterAFailure: nobody wants the conversion any more that has failed.
func TestTriggers_removedAfterAFailure(t *testing.T) {
	t.Parallel()
	withTriggersOfEachKind(t, failing, func(c *core) {
		if shown := c.Apply(); len(shown.Errors) != 1 || !shown.Says("The next apply requests another conversion.") {
			c.Errorf("got %s", shown)
		}
		c.wantDropped()
	})
}

// withTriggersOfEachKind runs a test with each kind of resource. Its chapter is converted, and its triggers have
// changed.
func withTriggersOfEachKind(t *testing.T, conversion mockserver.Conversion, test func(*core)) {
	t.Helper()
	for name, of := range map[string]struct {
		kind      resourceType
		arguments map[string]any
		id        string
	}{
		"a book":                          {projectConversion, map[string]any{}, "book"},
		"a chapter":                       {chapterConversion, map[string]any{}, "book/one"},
		"a chapter that follows its text": {chapterConversion, kept(), "book/one"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, mockserver.Chapter{Converted: true, Conversions: []mockserver.Conversion{conversion, oneMinute}}, nil, func(c *core) {
				c = newCore(c.T, of.kind, c.service, of.arguments)
				c.Import(of.id)
				c.setVoice("Ottilie")
				c.Apply()
				time.Sleep(time.Hour)
				c.setVoice("Marrow")
				test(c)
			})
		})
	}
}

// wantDropped removes the triggers, and checks that nothing more is requested, as the plan says.
func (c *core) wantDropped() {
	c.Helper()
	delete(c.Arguments, "triggers")
	c.limitTo(0)
	shown := c.Apply()
	if len(shown.Errors) > 0 || !shown.Says(dropped) {
		c.Errorf("got %s, want %q", shown, dropped)
	}
	if shown.Says("cost credits") || !shown.Says("at most: 0 ") && shown.Says("under way") {
		c.Errorf("got %s, want no cost", shown)
	}
	c.wantSent(1)
	c.Plan().Want(c, "no-op", nil, nil)
}

// TestTriggers_ofOtherChapters: triggers that change with the chapters convert nothing of those that are new, and the plan
// says so.
func TestTriggers_ofOtherChapters(t *testing.T) {
	t.Parallel()
	set := func(argument string, ids ...string) func(*core) {
		return func(c *core) {
			delete(c.Arguments, "chapter_ids")
			delete(c.Arguments, "exclude_chapter_ids")
			if argument != "" {
				c.Arguments[argument] = ids
			}
		}
	}
	for name, test := range map[string]struct {
		before, after func(*core)
		warns         bool
		sent          int
	}{
		"the next stage":       {set("chapter_ids", "chapter-1"), set("chapter_ids", "chapter-2", "chapter-3"), true, 0},
		"one more":             {set("chapter_ids", "chapter-1"), set("chapter_ids", "chapter-1", "chapter-2"), true, 1},
		"all":                  {set("chapter_ids", "chapter-1"), set(""), true, 1},
		"one was excluded":     {set("exclude_chapter_ids", "chapter-1", "chapter-2"), set("exclude_chapter_ids", "chapter-2"), true, 1},
		"fewer":                {set(""), set("chapter_ids", "chapter-1"), false, 1},
		"one more is left out": {set("exclude_chapter_ids", "chapter-1"), set("exclude_chapter_ids", "chapter-1", "chapter-2"), false, 1},
		"all, by their names":  {set(""), set("chapter_ids", "chapter-1", "chapter-2", "chapter-3"), false, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withBook(t, converted(manyChapters(3, oneMinute)), func(c *core) {
				test.before(c)
				c.setVoice("Ottilie")
				c.Apply()
				time.Sleep(time.Hour)
				test.after(c)
				c.setVoice("Marrow")
				shown := c.Apply()
				if shown.Says("nothing for the `triggers`") != test.warns {
					c.Errorf("got %s", shown)
				}
				c.wantSent(test.sent)
			})
		})
	}
}

// TestTriggers_dropsAndAdds: an update that drops what is left for triggers, and brings other chapters, says both.
func TestTriggers_dropsAndAdds(t *testing.T) {
	t.Parallel()
	withBook(t, converted(manyChapters(3, oneMinute)), func(c *core) {
		c.Arguments["chapter_ids"] = []string{"chapter-1", "chapter-2"}
		c.setVoice("Ottilie")
		c.Apply()
		c.setVoice("Marrow")
		c.Arguments["characters_per_apply"] = 40
		c.Apply()
		c.Arguments["chapter_ids"] = []string{"chapter-1", "chapter-3"}
		c.setVoice("Bela")
		c.wantBook(c.Plan().Screen, "update", []string{costs("1 chapter", 38), dropped, "Changed triggers, and other chapters"}, nil)
	})
}
