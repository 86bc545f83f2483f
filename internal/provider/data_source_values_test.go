package provider_test

import (
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// TestDataSources_unexpectedAnswers: what a record lacks is null, and no other is taken for it. A number that is
// not known must not look like 0, or a condition on it would pass.
func TestDataSources_unexpectedAnswers(t *testing.T) {
	t.Parallel()
	const records = `[{"project_id": "bare"}, {"project_id": "odd", "name": null, "when": 1.50, "a": {"c": "<ü>", "b": 12345678901234567890}}]`
	const projects = `{projects=[{json='{"project_id":"bare"}' project_id='bare'}
		{json='{"a":{"b":12345678901234567890,"c":"<ü>"},"name":null,"project_id":"odd","when":1.50}' project_id='odd'}]}`
	for _, test := range []struct{ name, answer, want string }{
		{"audioprojects_project", `{"project_id": "book"}`, `{id='book' json='{"project_id":"book"}' project_id='book'}`},
		{"audioprojects_project", `{
			"project_id": "book", "mood": {"a": "field nobody named"}, "state": "asleep", "quality_preset": "cosmic", "target_audience": "cats",
			"create_date_unix": 1.69e9, "chapters": null, "genres": ["Sea stories", null],
			"experimental": { "text": "<&>ü",  "big": 12345678901234567890, "a": [1.50, null] },
			"creation_meta": {"creation_progress": 99.9}, "pronunciation_dictionary_versions": [{"version_id": "v"}]
		}`, `{create_date_unix=1690000000 creation_meta={creation_progress=99.9}
			experimental='{"a":[1.50,null],"big":12345678901234567890,"text":"<&>ü"}' genres=['Sea stories' null] id='book'
			json='{"create_date_unix":1.69e9,"creation_meta":{"creation_progress":99.9},"experimental":{"a":[1.50,null],"big":12345678901234567890,"text":"<&>ü"},"genres":["Sea stories",null],` +
			`"mood":{"a":"field nobody named"},"project_id":"book","pronunciation_dictionary_versions":[{"version_id":"v"}],"quality_preset":"cosmic","state":"asleep","target_audience":"cats"}' project_id='book'
			pronunciation_dictionary_versions=[{version_id='v'}] quality_preset='cosmic' state='asleep' target_audience='cats'}`},
		{"audioprojects_project", `{"project_id": "book", "chapters": []}`,
			`{chapter_ids=[] chapters=[] characters_converted=0 characters_unconverted=0 id='book' json='{"project_id":"book"}' project_id='book'}`},
		{"audioprojects_chapter", `{"chapters": [{"voices": [{"id": "ada"}], "chapter_id": "one", "name": "By\nnight", "credits": 12.50, "audio": "https://s3.example/a?sig=1"},
			{"chapter_id": "two"}]}`, `{chapter_id='one' id='book/one'
			json='{"audio":"https://s3.example/a?sig=1","chapter_id":"one","credits":12.50,"name":"By\nnight","voices":[{"id":"ada"}]}' name='By night' project_id='book'}`},
		{"audioprojects_projects", records, projects},
		{"audioprojects_projects", `{"next": null, "projects": ` + records + `}`, projects},
		{"audioprojects_projects", `[]`, `{projects=[]}`},
		{"audioprojects_projects", `{"projects": []}`, `{projects=[]}`},
		{"audioprojects_chapters", `{"project_id": "book", "cursor": "a field nobody named", "chapters": [{"chapter_id": "bare"}, {"chapter_id": "odd", "state": "asleep",
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

// TestChapterTotals of which not all are counted.
func TestChapterTotals(t *testing.T) {
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
				got := []string{written(read["characters_converted"]), written(read["characters_unconverted"])}
				if got[0] != test.converted || got[1] != test.unconverted {
					c.Errorf("%s of %s: got %q", name, test.chapters, got)
				}
			}
		})
	}
}
