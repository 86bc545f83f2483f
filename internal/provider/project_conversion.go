package provider

import (
	"context"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/value"
)

// defaultBookTimeout is how long an apply waits for a book, and defaultTimeout for one of its chapters.
const defaultBookTimeout = 24 * time.Hour

// meantChapters and excludedChapters are the validators of chapter_ids and exclude_chapter_ids.
var (
	meantChapters    = []validator.Set{value.ChapterSet{}, setvalidator.ValueStringsAre(value.Identifier)}
	excludedChapters = []validator.Set{value.ChapterSet{Excludes: true}, setvalidator.ValueStringsAre(value.Identifier)}
)

func newProjectConversion() *conversionResource {
	return &conversionResource{
		name: "_project_conversion", schema: projectConversionSchema, ids: []string{"project_id"}, timeout: defaultBookTimeout,
		list:            listProjects,
		listDescription: "Lists all projects of the account for `terraform query`, which can import all of them. Queries need Terraform 1.14 or newer.",
	}
}

func listProjects(ctx context.Context, d *providerData, _ string) (all []listed, err error) {
	projects, err := d.client.ListProjects(ctx)
	for _, project := range projects {
		all = append(all, listed{ids: []string{project.ProjectID}, name: project.Name})
	}
	return all, err
}

func projectConversionSchema() schema.Schema {
	attributes := map[string]schema.Attribute{
		"service_url":               value.ServiceURL(),
		"id":                        value.ComputedString("The identifier of the project, which is also the import id."),
		"chapter_count":             value.ComputedInt64("The number of chapters that this resource keeps converted."),
		"characters_converted":      value.ComputedInt64("The number of converted characters in all these chapters; null if the service does not count the characters of one of them."),
		"characters_unconverted":    value.ComputedInt64("The number of unconverted characters in all these chapters; null if the service does not count the characters of one of them."),
		"last_conversion_date_unix": value.ComputedInt64("The timestamp of the latest conversion of these chapters, in seconds since 1970; null if none of them has one."),
		"project_id":                value.Replacing("The identifier of the project.", value.Identifier),
		"chapter_ids":               value.ArgumentIDs("The identifiers of the chapters to convert. The default is all chapters of the project, including those that are added later.", meantChapters),
		"exclude_chapter_ids":       value.ArgumentIDs("The identifiers of the chapters to leave as they are. All others are converted, including those that are added later. Conflicts with `chapter_ids`.", excludedChapters),
		"on_failure": value.Argument("What an apply does if the service cannot convert chapters. With `error`, the default, the apply fails, and Terraform does not apply the resources that depend on this one. "+
			"With `warn`, the apply succeeds with a warning: the resources that depend on this one are applied without the audio of these chapters, and the next apply converts the chapters again. "+
			"All other problems are still errors.", stringvalidator.OneOf("error", "warn")),
		"converted_after": value.Argument("A timestamp such as `2026-11-22T08:00:00Z`. Chapters whose last conversion is older are converted again, for example with a new voice. "+
			"A timestamp more than five minutes ahead of this machine's clock is an error. While it is set, a converted chapter whose last conversion has no timestamp is an error, too.", value.TimesPast...),
		"chapter_timeout": value.Argument("The time to wait for one chapter, such as `90m`. If a chapter takes longer, the apply stops waiting for it, continues with the others, and ends in an error. The next apply waits for the chapter. The default is `1h`.", value.PositiveDuration),
		"timeouts": value.TimeoutsAttribute(
			"How long an apply waits for the whole project. Conversions that have not ended by then continue at the service, and the next apply waits for them.",
			"The time to wait when the resource is created, as a duration such as `90m`. The default is `24h`.",
			"The time to wait when the resource is updated, as a duration such as `90m`. The default is `24h`."),
		"pending_conversions": value.ComputedString("The pending conversions by chapter id, as JSON text; null if there are none. They were requested or joined, and the provider does not know their ends yet, or only knows that they failed. " +
			"The next apply looks for them before it requests others."),
		"failed_chapters": schema.MapAttribute{
			MarkdownDescription: "The chapters that the last apply could not convert: the service's error message by chapter id; empty if there are none. The next apply converts them.",
			ElementType:         types.StringType,
			Computed:            true,
		},
	}
	return schema.Schema{
		MarkdownDescription: "Converts all chapters of a project that have unconverted text, which costs credits, and waits for the conversions. It leaves the other chapters as they are. " +
			"If a chapter fails, the others continue, and the next apply converts only the failed ones. If a chapter is already being converted, the resource waits for that conversion. " +
			"Destroying the resource requests nothing and leaves the project and its audio as they are.",
		Attributes: attributes,
	}
}

func idsOf(set types.Set) (ids []string) {
	for _, element := range set.Elements() {
		id, _ := element.(types.String)
		ids = append(ids, id.ValueString())
	}
	return ids
}

func setOf(ids types.Set) map[string]bool {
	set := map[string]bool{}
	for _, id := range idsOf(ids) {
		set[id] = true
	}
	return set
}

// convertedAfter is the time in seconds since 1970; nil if there is none. A creation that ends in the error of the validator has
// saved what is none.
func (m *conversionModel) convertedAfter() *int64 {
	parsed, err := time.Parse(time.RFC3339, m.ConvertedAfter.ValueString())
	if err != nil {
		return nil
	}
	return new(parsed.Unix())
}

var failedChaptersPath = path.Root("failed_chapters")

// failsOnFailure reports whether an apply that leaves failed chapters is an error.
func (m *conversionModel) failsOnFailure() bool {
	return !m.isOfChapter() && !m.OnFailure.IsUnknown() && m.OnFailure.ValueString() != "warn"
}

// unchanged are computed attributes that an update does not change. A chapter that comes meanwhile is counted by the next refresh.
func (m *conversionModel) unchanged(before *conversionModel) []string {
	if m.isOfChapter() || !m.sameChapters(before) {
		return nil
	}
	return []string{"chapter_count"}
}

// showProject adds the chapters up. A refresh keeps the failures of those that still need something.
func (m *conversionModel) showProject(chapters []audioprojects.Chapter, memory resourceMemory, failed map[string]string) any {
	totals := newChapterTotals(append([]audioprojects.Chapter{}, chapters...)) // of no chapters, the sum is 0
	if failed == nil {
		failed = map[string]string{}
		for _, planned := range memory.Planned {
			words, known := m.FailedChapters.Elements()[planned.ChapterID].(types.String)
			if known {
				failed[planned.ChapterID] = words.ValueString()
			}
		}
	}
	shown := map[string]any{
		"id": m.ProjectID.ValueString(), "chapter_count": len(chapters), "failed_chapters": failed,
		"characters_converted": totals.CharactersConverted, "characters_unconverted": totals.CharactersUnconverted,
		"last_conversion_date_unix": nil, "pending_conversions": shownPending(memory.shown(), len(memory.shown()) == 0),
	}
	dates := datesOf(chapters)
	if len(dates) > 0 {
		shown["last_conversion_date_unix"] = slices.Max(dates)
	}
	return shown
}

// datesOf are the dates of the last conversions of chapters that have one.
func datesOf(chapters []audioprojects.Chapter) (dates []audioprojects.Integer) {
	for _, chapter := range chapters {
		if chapter.LastConversionDateUnix != nil {
			dates = append(dates, *chapter.LastConversionDateUnix)
		}
	}
	return dates
}

// oldestDate is the earliest of them; nil if a chapter has none.
func oldestDate(chapters []audioprojects.Chapter) *audioprojects.Integer {
	dates := datesOf(chapters)
	if len(dates) == 0 || len(dates) < len(chapters) {
		return nil
	}
	return new(slices.Min(dates))
}
