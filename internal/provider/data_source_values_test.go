package provider_test

import (
	"maps"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// fullProject has a value for every attribute, and one chapter of every kind, in an order that is not alphabetic.
func fullProject() mockserver.Project {
	project := mockserver.Audiobook(0)
	project.ID, project.Name, project.CreatedAt = "book", "Port Esker, second draft", time.Unix(1690000000, 0)
	project.AccessLevel, project.Experimental = "editor", map[string]any{"pauses": map[string]any{"long": 1.5}, "beta": true}
	project.CreationMeta = &mockserver.CreationMeta{Progress: 37.5, Status: "pending", Type: "blank"}
	project.PronunciationDictionaryVersions = append(project.PronunciationDictionaryVersions,
		mockserver.PronunciationDictionaryVersion{VersionID: "a", DictionaryID: "b", CreationTimeUnix: 1735689601})
	project.Chapters = []mockserver.Chapter{
		{ID: "never", Name: "Never converted", Text: "Twelve words.\n\nAnd more."},
		{
			ID: "edited", Name: "Converted, then edited", Text: "The lamp was lit.", Converted: true, ConvertedAt: time.Unix(1700000001, 0),
			Error: "The voice was hoarse.", Snapshots: []mockserver.ChapterSnapshot{
				{ID: "z", Name: "First reading", CreatedAt: time.Unix(1700000002, 0)}, {ID: "a", Name: "Second reading", CreatedAt: time.Unix(1700000001, 0)},
			},
		},
		{ID: "busy", Name: "Converting", Text: "Row.", Conversions: []mockserver.Conversion{{Takes: 1000 * time.Hour}}},
	}
	project.Snapshots = []mockserver.ProjectSnapshot{
		{ID: "second", Name: "B", CreatedAt: time.Unix(1700000001, 0)}, {ID: "first", Name: "A", CreatedAt: time.Unix(1700000000, 0)},
	}
	return project
}

// everyChapter is what is read of all its chapters, in short.
const everyChapter = `chapter_ids=['never' 'edited' 'busy'] chapters=[{can_be_downloaded=no chapter_id='never' name='Never converted' state='default'
		statistics={characters_converted=0 characters_unconverted=22 paragraphs_converted=0 paragraphs_unconverted=2}}
	{can_be_downloaded=yes chapter_id='edited' last_conversion_date_unix=1700000001 last_conversion_error='The voice was hoarse.'
		name='Converted, then edited' state='default'
		statistics={characters_converted=17 characters_unconverted=10 paragraphs_converted=1 paragraphs_unconverted=2}}
	{can_be_downloaded=no chapter_id='busy' conversion_progress=0 name='Converting' state='converting'
		statistics={characters_converted=0 characters_unconverted=4 paragraphs_converted=0 paragraphs_unconverted=1}}]
	characters_converted=17 characters_unconverted=36`

// TestWhatDataSourcesRead of a full project, also where the service leaves out what is not set.
func TestWhatDataSourcesRead(t *testing.T) {
	t.Parallel()
	const editedChapter = `{can_be_downloaded=yes chapter_id='edited' last_conversion_date_unix=1700000001 last_conversion_error='The voice was hoarse.'
			name='Converted, then edited' project_id='book' state='default'
			statistics={characters_converted=17 characters_unconverted=10 paragraphs_converted=1 paragraphs_unconverted=2}}`
	for _, test := range []struct {
		name      string
		arguments map[string]any
		want      string
	}{
		{"audioprojects_project", nil, `{access_level='editor' apply_text_normalization='apply_english' author='Ottilie Marrow' can_be_downloaded=yes ` + everyChapter + `
	content_type='Novella' cover_image_url='https://example.com/covers/port-esker.png' create_date_unix=1690000000
	creation_meta={creation_progress=37.5 status='pending' type='blank'}
	default_model_id='model-narration' default_paragraph_voice_id='voice-storyteller' default_title_voice_id='voice-harbour-master'
	description='A harbour town loses its light, and one apprentice rows out to fetch it back.'
	experimental='{"beta":true,"pauses":{"long":1.5}}' fiction='fiction' genres=['Adventure' 'Sea stories']
	isbn_number='978-0-00-000000-2' language='en' last_conversion_date_unix=1700000001 mature_content=no
	name='Port Esker, second draft' original_publication_date='2024-11-05' project_id='book' pronunciation_dictionary_versions=[{created_by='editor@example.com' creation_time_unix=1735689600 dictionary_name='Names of the Esker coast'
		pronunciation_dictionary_id='dictionary-esker' version_id='dictionary-esker-2' version_name='second reading'}
		{created_by='' creation_time_unix=1735689601 dictionary_name='' pronunciation_dictionary_id='b' version_id='a' version_name=''}]
	quality_check_on=yes quality_check_on_when_bulk_convert=no quality_preset='high' state='converting' target_audience='all ages'
	title='The Lamplighter of Port Esker' volume_normalization=yes}`},
		{"audioprojects_chapters", nil, `{` + everyChapter + ` project_id='book'}`},
		{"audioprojects_chapter", map[string]any{"chapter_id": "edited"}, editedChapter},
		{"audioprojects_chapter", map[string]any{"name": "Converted, then edited"}, editedChapter},
		{"audioprojects_chapter_snapshots", map[string]any{"chapter_id": "edited"}, `{chapter_id='edited' project_id='book' snapshots=[{chapter_id='edited' chapter_snapshot_id='z' created_at_unix=1700000002 name='First reading' project_id='book'}
			{chapter_id='edited' chapter_snapshot_id='a' created_at_unix=1700000001 name='Second reading' project_id='book'}]}`},
		{"audioprojects_project_snapshots", nil, `{project_id='book' snapshots=[{created_at_unix=1700000001
			json='{"created_at_unix":1700000001,"name":"B","project_id":"book","project_snapshot_id":"second"}' name='B' project_snapshot_id='second'}
			{created_at_unix=1700000000
			json='{"created_at_unix":1700000000,"name":"A","project_id":"book","project_snapshot_id":"first"}' name='A' project_snapshot_id='first'}]}`},
		{"audioprojects_project_snapshot", map[string]any{"most_recent": true, "not_before_unix": 1700000001, "timeouts": map[string]any{"read": "1s"}}, `{created_at_unix=1700000001 json='{"created_at_unix":1700000001,"name":"B","project_id":"book","project_snapshot_id":"second"}'
			most_recent=yes name='B' not_before_unix=1700000001 project_id='book' project_snapshot_id='second' timeouts={read='1s'}}`},
		{"audioprojects_project_snapshot", map[string]any{"project_snapshot_id": "second", "most_recent": false}, `{created_at_unix=1700000001 json='{"created_at_unix":1700000001,"name":"B","project_id":"book","project_snapshot_id":"second"}'
			most_recent=no name='B' project_id='book' project_snapshot_id='second'}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
				c.service.AddProject(fullProject())
				c.service.EditChapter("book", "edited", "The lamp was lit.\n\nIt was.\n\nOh.")
				c.service.Convert("book", "busy")
				arguments := map[string]any{"project_id": "book"}
				maps.Copy(arguments, test.arguments)
				c.wantRead(p, test.name, arguments, test.want)
				c.service.SetHabits(mockserver.Habits{OmitsUnset: true})
				time.Sleep(time.Minute)
				c.wantRead(p, test.name, arguments, test.want)
			})
		})
	}
}

// TestWhatDataSourcesReadOfAnswersThatNobodyExpects: what a record lacks is null, and no other is taken for it. A number that is
// not known must not look like 0, or a condition on it would pass.
func TestWhatDataSourcesReadOfAnswersThatNobodyExpects(t *testing.T) {
	t.Parallel()
	const records = `[{"project_id": "bare"}, {"project_id": "odd", "name": null, "when": 1.50, "a": {"c": "<ü>", "b": 12345678901234567890}}]`
	const projects = `{projects=[{json='{"project_id":"bare"}' project_id='bare'}
		{json='{"a":{"b":12345678901234567890,"c":"<ü>"},"name":null,"project_id":"odd","when":1.50}' project_id='odd'}]}`
	for _, test := range []struct{ name, answer, want string }{
		{"audioprojects_project", `{"project_id": "book"}`, `{project_id='book'}`},
		{"audioprojects_project", `{
			"project_id": "book", "mood": {"a": "field nobody named"}, "state": "asleep", "quality_preset": "cosmic", "target_audience": "cats",
			"create_date_unix": 1.69e9, "chapters": null, "genres": ["Sea stories", null],
			"experimental": { "text": "<&>ü",  "big": 12345678901234567890, "a": [1.50, null] },
			"creation_meta": {"creation_progress": 99.9}, "pronunciation_dictionary_versions": [{"version_id": "v"}]
		}`, `{create_date_unix=1690000000 creation_meta={creation_progress=99.9}
			experimental='{"a":[1.50,null],"big":12345678901234567890,"text":"<&>ü"}' genres=['Sea stories' null] project_id='book'
			pronunciation_dictionary_versions=[{version_id='v'}] quality_preset='cosmic' state='asleep' target_audience='cats'}`},
		{"audioprojects_projects", records, projects},
		{"audioprojects_projects", `{"next": null, "projects": ` + records + `}`, projects},
		{"audioprojects_projects", `[]`, `{projects=[]}`},
		{"audioprojects_projects", `{"projects": []}`, `{projects=[]}`},
		{"audioprojects_chapters", `{"cursor": "a field nobody named", "chapters": [{"chapter_id": "bare"}, {"chapter_id": "odd", "state": "asleep",
			"conversion_progress": 37.5, "last_conversion_date_unix": 1.7e9, "statistics": {"characters_converted": 12.0, "words": 3}}]}`, `{chapter_ids=['bare' 'odd'] chapters=[{chapter_id='bare'}
			{chapter_id='odd' conversion_progress=37.5 last_conversion_date_unix=1700000000 state='asleep' statistics={characters_converted=12}}]
			project_id='book'}`},
		{"audioprojects_chapter_snapshots", `{"total": 2, "snapshots": [{"chapter_snapshot_id": "bare"},
			{"chapter_snapshot_id": "odd", "project_id": "other", "chapter_id": null, "created_at_unix": 1.7e9, "mood": "sad"}]}`, `{chapter_id='one' project_id='book'
			snapshots=[{chapter_snapshot_id='bare'} {chapter_snapshot_id='odd' created_at_unix=1700000000 project_id='other'}]}`},
		{"audioprojects_project_snapshots", `[{"project_snapshot_id":"bare"},{"project_snapshot_id":"odd","created_at_unix":"today","created":1700000000,"name":7}]`, `{project_id='book' snapshots=[{json='{"project_snapshot_id":"bare"}' project_snapshot_id='bare'}
			{json='{"created":1700000000,"created_at_unix":"today","name":7,"project_snapshot_id":"odd"}' project_snapshot_id='odd'}]}`},
		{"audioprojects_project_snapshots", `{"snapshots": []}`, `{project_id='book' snapshots=[]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
				c.service.Inject(mockserver.Fault{Times: -1, Body: test.answer})
				c.wantRead(p, test.name, dataSourceArguments(test.name, "book", "one"), test.want)
			})
		})
	}
}

// TestTotalsOfChapters of which not all are counted.
func TestTotalsOfChapters(t *testing.T) {
	t.Parallel()
	const counted = `{"chapter_id": "a", "statistics": {"characters_converted": 3, "characters_unconverted": 4}}`
	for _, test := range []struct{ chapters, converted, unconverted string }{
		{``, "0", "0"},
		{counted + `, {"chapter_id": "b", "statistics": {"characters_converted": 5, "characters_unconverted": 0}}`, "8", "4"},
		{counted + `, {"chapter_id": "b"}`, "null", "null"},
		{`{"chapter_id": "a", "statistics": {"characters_converted": 3}}`, "3", "null"},
		{`{"chapter_id": "a", "statistics": {"characters_converted": null, "characters_unconverted": 4}}`, "null", "4"},
		{`{"chapter_id": "a", "statistics": {"characters_converted": -1, "characters_unconverted": 0}}`, "null", "0"},
		{counted + `, {"chapter_id": "b", "statistics": {"characters_converted": 9223372036854775807, "characters_unconverted": -1}}`, "null", "null"},
	} {
		withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
			c.service.Inject(mockserver.Fault{Times: -1, Body: `{"project_id": "book", "chapters": [` + test.chapters + `]}`})
			for _, name := range []string{"audioprojects_chapters", "audioprojects_project"} {
				read, _ := c.readData(p, name, map[string]any{"project_id": "book"})
				if got := []string{written(read["characters_converted"]), written(read["characters_unconverted"])}; got[0] != test.converted || got[1] != test.unconverted {
					c.Errorf("%s of %s: got %q", name, test.chapters, got)
				}
			}
		})
	}
}
