package provider

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
)

// withChapterTotals adds the attributes of [audioprojects.ChapterTotals].
func withChapterTotals(attributes map[string]schema.Attribute) map[string]schema.Attribute {
	maps.Copy(attributes, map[string]schema.Attribute{
		"chapter_ids":            computedStrings("The identifiers of the chapters, in the service's order. Use `toset` for `for_each`."),
		"characters_converted":   computedInt64("The number of characters that have been converted, in all chapters together; null if the number is not known for one chapter."),
		"characters_unconverted": computedInt64("The number of characters that have not been converted, in all chapters together; null if the number is not known for one chapter."),
	})
	return attributes
}
