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
)

// defaultBookTimeout is how long an apply waits for a book, and defaultTimeout for one of its chapters.
const defaultBookTimeout = 24 * time.Hour

// meantChapters and excludedChapters are the validators of chapter_ids and exclude_chapter_ids.
var (
	meantChapters    = []validator.Set{setvalidator.SizeAtLeast(1), setvalidator.ValueStringsAre(identifier)}
	excludedChapters = slices.Concat(meantChapters, []validator.Set{setvalidator.ConflictsWith(path.MatchRoot("chapter_ids"))})
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
		"service_url":                 serviceURL(),
		"id":                          computedString("The identifier of the project, which is also the import id."),
		"chapter_count":               computedInt64("The number of chapters that this object keeps converted."),
		"characters_converted":        computedInt64("The number of converted characters in all these chapters; null if the service does not count those of a chapter."),
		"characters_unconverted":      computedInt64("The number of unconverted characters in all these chapters; null if the service does not count those of a chapter."),
		"last_conversion_date_unix":   computedInt64("The time of the latest conversion among these chapters, in seconds since 1970; null if none has a date."),
		"oldest_conversion_date_unix": computedInt64("The earliest of the chapters' last conversions, in seconds since 1970; null if a chapter has no date."),
		"pending_chapters":            computedInt64("The number of conversions that were requested or joined and are not known to have ended. The next apply looks for them before it requests any."),
		"project_id":                  replacing("The identifier of the project.", identifier),
		"chapter_ids":                 argumentIDs("The identifiers of the chapters to convert. The default is all chapters of the project, also those that are added later.", meantChapters),
		"exclude_chapter_ids":         argumentIDs("The identifiers of chapters that are left as they are; all others are converted, also those that are added later. Not together with `chapter_ids`.", excludedChapters),
		"on_failure": argument("What an apply does when the service cannot convert chapters. With `error`, the default, it ends in an error, and Terraform does not apply what depends on this object. "+
			"With `warn` it ends in a warning: what depends on this object goes on without the audio of these chapters, and the next apply converts them again. "+
			"Everything else that goes wrong is an error all the same.", stringvalidator.OneOf("error", "warn")),
		"converted_after": argument("A time such as `2026-11-22T08:00:00Z`. Chapters whose last conversion is older are converted again, because of a new voice for example. "+
			"A time more than five minutes ahead of this machine's clock is an error. While it is set, a converted chapter without a date of its last conversion is an error.", timesPast...),
		"chapter_timeout": argument("The time to wait for one chapter, such as `90m`. The apply stops waiting for a chapter that takes longer, and ends in an error; the next apply waits for it. The others go on. The default is `1h`.", positiveDuration),
		"timeouts": timeoutsAttribute(
			"How long an apply waits for the whole project. What is not done by then goes on at the service, and the next apply waits for it.",
			"The time to wait when the object is created, as a duration such as `90m`. The default is `24h`.",
			"The time to wait when the object is updated, as a duration such as `90m`. The default is `24h`."),
		"failed_chapters": schema.MapAttribute{
			MarkdownDescription: "The chapters that the last update could not convert: the service's message by chapter id. The next apply converts them. It is empty if there are none.",
			ElementType:         types.StringType,
			Computed:            true,
		},
	}
	return schema.Schema{
		MarkdownDescription: "Converts the chapters of a project that have unconverted text, which costs credits, and waits until they are done. It leaves the others as they are. " +
			"A chapter that fails stops no other, and the next apply converts only the failed ones. If a chapter is being converted already, it waits for that conversion. " +
			"Destroying requests nothing, and leaves the project and its audio as they are.",
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

// showProject adds the chapters up. A refresh keeps the failures of those that are still open.
func (m *conversionModel) showProject(chapters []audioprojects.Chapter, memory objectMemory, failed map[string]string) any {
	totals := newChapterTotals(append([]audioprojects.Chapter{}, chapters...)) // of no chapters, the sum is 0
	if failed == nil {
		failed = map[string]string{}
		for _, open := range memory.Open {
			if words, known := m.FailedChapters.Elements()[open.ChapterID].(types.String); known {
				failed[open.ChapterID] = words.ValueString()
			}
		}
	}
	shown := map[string]any{
		"id": m.ProjectID.ValueString(), "chapter_count": len(chapters), "pending_chapters": memory.pending(), "failed_chapters": failed,
		"characters_converted": totals.CharactersConverted, "characters_unconverted": totals.CharactersUnconverted,
		"last_conversion_date_unix": nil, "oldest_conversion_date_unix": nil,
	}
	var dates []int64
	for _, chapter := range chapters {
		if date := chapter.LastConversionDateUnix; date != nil {
			dates = append(dates, int64(*date))
		}
	}
	if len(dates) > 0 {
		shown["last_conversion_date_unix"] = slices.Max(dates)
	}
	if len(dates) > 0 && len(dates) == len(chapters) {
		shown["oldest_conversion_date_unix"] = slices.Min(dates)
	}
	return shown
}
