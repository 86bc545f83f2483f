package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

func newChapterConversion() *conversionResource {
	return &conversionResource{
		name: "_chapter_conversion", schema: chapterConversionSchema, ids: []string{"project_id", "chapter_id"}, timeout: defaultChapterTimeout,
		list: listChapters,
		listDescription: "Lists the chapters of a project, converted or not, for `terraform query`, which can import all of them. " +
			"Queries need Terraform 1.14 or newer.",
	}
}

func listChapters(ctx context.Context, d *providerData, projectID string) (all []listed, err error) {
	chapters, err := d.engine.Chapters(ctx, projectID)
	for _, chapter := range chapters {
		all = append(all, listed{[]string{projectID, chapter.ChapterID}, chapter.Name.Value, []audioprojects.Chapter{chapter}})
	}
	return all, err
}

func chapterConversionSchema() schema.Schema {
	attributes := map[string]schema.Attribute{
		"service_url":          serviceURL(),
		"characters_requested": charactersRequested(),
		"last_conversion_date": computedString("The timestamp of the last conversion in UTC, such as `2026-11-22T08:00:00Z`; null if the chapter has none."),
		"id":                   computedString("The ids in the form `project_id/chapter_id`, each path-escaped. This is also the import id."),
		"pending_conversion": resumeToken("The pending conversion as JSON text; null if there is none. It was requested by this resource or by somebody else, and the provider does not know its end yet, or only knows that it failed. " +
			"The next apply looks for it before it requests another."),
		"project_id": requiresReplace("The identifier of the project.", identifier),
		"chapter_id": requiresReplace("The identifier of the chapter.", identifier),
		"triggers":   triggersAttribute("When one of them changes, the next apply converts the chapter again, in place."),
		"keep_up_to_date": falseByDefault("Whether the audio follows the text. If it does, a chapter without unconverted text is adopted (recorded as converted) at no cost, " +
			"and a plan that finds unconverted text plans a conversion. Text that a conversion left unconverted is planned again only when its count changes. " +
			"The default is `false`."),
		"timeouts": timeoutsAttribute(
			"How long an apply waits for the conversion. If the conversion has not ended by then, the apply fails, the conversion continues at the service, and the next apply waits for it.",
			"The time to wait for the conversion when the resource is created, as a duration such as `90m`. The default is `1h`.",
			"The time to wait for the conversion when the resource is updated, as a duration such as `90m`. The default is `1h`."),
	}
	for name, attribute := range chapterAttributes() {
		if attributes[name] == nil {
			attributes[name] = attribute
		}
	}
	return schema.Schema{
		MarkdownDescription: "Converts a chapter to audio (text-to-speech), which costs credits, and waits for the conversion. " +
			"If the chapter is already being converted, the resource waits for that conversion. After an interruption or a timeout, the next apply continues to wait. " +
			"Destroying the resource requests nothing and leaves the chapter and its audio as they are.",
		Attributes: attributes,
	}
}
