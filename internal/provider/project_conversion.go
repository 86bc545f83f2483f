package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/forecast"
)

// defaultProjectTimeout is how long an apply waits for a book, and defaultChapterTimeout for one of its chapters.
const defaultProjectTimeout = 24 * time.Hour

// meantChapters and excludedChapters are the validators of chapter_ids and exclude_chapter_ids.
var (
	meantChapters    = []validator.Set{chapterIDsValidator{}, setvalidator.ValueStringsAre(identifier)}
	excludedChapters = []validator.Set{chapterIDsValidator{Excludes: true}, setvalidator.ValueStringsAre(identifier)}
)

func newProjectConversion() *conversionResource {
	return &conversionResource{
		name: "_project_conversion", schema: projectConversionSchema, ids: []string{"project_id"}, timeout: defaultProjectTimeout,
		list:            listProjects,
		listDescription: "Lists all projects of the account for `terraform query`, which can import all of them. Queries need Terraform 1.14 or newer.",
	}
}

func listProjects(ctx context.Context, d *providerData, _ string) (all []listed, err error) {
	projects, err := d.client.ListProjects(ctx)
	for _, project := range projects {
		all = append(all, listed{ids: []string{project.ProjectID}, name: project.Name.Value})
	}
	return all, err
}

func projectConversionSchema() schema.Schema {
	attributes := map[string]schema.Attribute{
		"service_url":               serviceURL(),
		"id":                        computedString("The identifier of the project, which is also the import id."),
		"chapter_count":             computedInt64("The number of chapters that this resource keeps converted."),
		"characters_converted":      computedInt64("The number of converted characters in all these chapters; null if the service does not count the characters of one of them."),
		"characters_unconverted":    computedInt64("The number of unconverted characters in all these chapters; null if the service does not count the characters of one of them."),
		"last_conversion_date_unix": computedInt64("The timestamp of the latest conversion of these chapters, in Unix seconds; null if none of them has one."),
		"last_conversion_date":      computedString("The timestamp of the latest conversion of these chapters in UTC, such as `2026-11-22T08:00:00Z`; null if none of them has one."),
		"characters_requested":      charactersRequested(),
		"project_id":                requiresReplace("The identifier of the project.", identifier),
		"chapter_ids":               optionalIDs("The identifiers of the chapters to convert. The default is all chapters of the project, including those that are added later.", meantChapters),
		"exclude_chapter_ids":       optionalIDs("The identifiers of the chapters to leave as they are. All others are converted, including those that are added later. Conflicts with `chapter_ids`.", excludedChapters),
		"triggers": triggersAttribute("When one of them changes, for example the voice of the project, the next apply converts each of the chapters once more. " +
			"After an apply that ended early, the next one converts those that are left."),
		"characters_per_apply": optionalNumber("The largest number of characters that one apply requests for this resource, from 1. "+
			"The plan takes chapters in the order of the project, up to the first that no longer fits, and leaves the others to later applies. "+
			"The default is all chapters.", wholeNumberValidator{Least: 1, Most: forecast.MostCharacters}),
		"chapter_timeout": optionalString("The time to wait for one chapter, such as `90m`. If a chapter takes longer, the apply stops waiting for it, continues with the others, and ends in an error. The next apply waits for the chapter. The default is `1h`.", positiveDuration),
		"timeouts": timeoutsAttribute(
			"How long an apply waits for the whole project. Conversions that have not ended by then continue at the service, and the next apply waits for them.",
			"The time to wait when the resource is created, as a duration such as `90m`. The default is `24h`.",
			"The time to wait when the resource is updated, as a duration such as `90m`. The default is `24h`."),
		"pending_conversions": resumeToken("The pending conversions by chapter id, as JSON text; null if there are none. They were requested by this resource or by somebody else, and the provider does not know their ends yet, or only knows that they failed. " +
			"The next apply looks for them before it requests others."),
		"failed_chapters": schema.MapAttribute{
			MarkdownDescription: "The chapters that the last apply could not convert: the service's error message by chapter id; empty if there are none. The next apply converts them.",
			ElementType:         types.StringType,
			Computed:            true,
		},
	}
	return schema.Schema{
		MarkdownDescription: "Converts all chapters of a project, such as an audiobook, that have unconverted text to audio (text-to-speech), which costs credits, and waits for the conversions. It leaves the other chapters as they are. " +
			"If a chapter fails, the others continue, and the next apply converts only the failed ones. If a chapter is already being converted, the resource waits for that conversion. " +
			"Destroying the resource requests nothing and leaves the project and its audio as they are.",
		Attributes: attributes,
	}
}
