package provider

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/value"
)

// defaultTimeout is how long a conversion is waited for if the configuration does not say.
const defaultTimeout = time.Hour

func newChapterConversion() *conversionResource {
	return &conversionResource{
		name: "_chapter_conversion", schema: chapterConversionSchema, ids: []string{"project_id", "chapter_id"}, timeout: defaultTimeout,
		list: listChapters,
		listDescription: "Lists the chapters of a project, converted or not, for `terraform query`, which can import all of them. " +
			"Queries need Terraform 1.14 or newer.",
	}
}

func listChapters(ctx context.Context, d *providerData, projectID string) (all []listed, err error) {
	chapters, err := d.engine.Chapters(ctx, projectID)
	for _, chapter := range chapters {
		all = append(all, listed{[]string{projectID, chapter.ChapterID}, chapter.Name, []audioprojects.Chapter{chapter}})
	}
	return all, err
}

func chapterConversionSchema() schema.Schema {
	attributes := map[string]schema.Attribute{
		"service_url": value.ServiceURL(),
		"id":          value.ComputedString("The ids in the form `project_id/chapter_id`, each path-escaped. This is also the import id."),
		"pending_conversion": value.ComputedString("The pending conversion as JSON text; null if there is none. It was requested or joined, and the provider does not know its end yet, or only knows that it failed. " +
			"The next apply looks for it before it requests another."),
		"project_id": value.Replacing("The identifier of the project.", value.Identifier),
		"chapter_id": value.Replacing("The identifier of the chapter.", value.Identifier),
		"triggers": schema.MapAttribute{
			MarkdownDescription: "Any strings. When one of them changes, the next apply converts the chapter again, in place. " +
				"If a conversion for the old strings is pending, the apply waits for it first. Adding `triggers` to a resource that had none, for example after an import, converts nothing, and neither does removing them. An empty map is none, and so is a value that is null.",
			ElementType: types.StringType,
			Optional:    true,
		},
		"keep_up_to_date": value.FalseByDefault("Whether the audio follows the text. If it does, a chapter without unconverted text is adopted at no cost, " +
			"and a plan that finds unconverted text plans a conversion. Text that a conversion left unconverted is planned again only when its count changes. " +
			"The default is `false`."),
		"timeouts": value.TimeoutsAttribute(
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
		MarkdownDescription: "Converts a chapter to audio, which costs credits, and waits for the conversion. " +
			"If the chapter is already being converted, the resource waits for that conversion. After an interruption or a timeout, the next apply continues to wait. " +
			"Destroying the resource requests nothing and leaves the chapter and its audio as they are.",
		Attributes: attributes,
	}
}

// unknownTriggers stands for triggers that are known only in the apply. No others have this fingerprint, so a plan takes them for changed.
const unknownTriggers = "unknown"

// fingerprint is a hash of the triggers, because they may be sensitive and the resume token is shown. It is empty if the map is null.
func (m *conversionModel) fingerprint() string {
	if m.Triggers.IsUnknown() {
		return unknownTriggers
	}
	var triggers map[string]string
	if m.Triggers.IsNull() || m.Triggers.ElementsAs(context.Background(), &triggers, false).HasError() {
		return ""
	}
	// Strings always encode, and a map is encoded in the order of its keys.
	text, _ := json.Marshal([]any{m.ProjectID.ValueString(), m.ChapterID.ValueString(), triggers})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// shownPending is JSON that begins with a space: Terraform prints a text that begins with a brace in as many lines as it
// has parts. It is null if nothing is pending.
func shownPending(pending any, isNone bool) *string {
	if isNone {
		return nil
	}
	text, _ := json.Marshal(pending) // Numbers, texts and booleans always encode.
	return new(" " + string(text))
}

// readPending decodes what shownPending has encoded. It leaves the value as it is if nothing is pending.
func readPending(name string, shown types.String, pending any, diags *diag.Diagnostics) {
	if shown.ValueString() == "" {
		return
	}
	err := json.Unmarshal([]byte(shown.ValueString()), pending)
	if err != nil {
		diags.AddAttributeError(path.Root(name), "Unable to read pending conversion",
			"The state contains something that this provider does not write there: "+err.Error())
	}
}

// recall takes what is pending from the state: with -refresh=false, Terraform gives nobody the private state of a tainted resource.
func (m *conversionModel) recall(memory *resourceMemory, diags *diag.Diagnostics) {
	if !m.isOfChapter() {
		readPending("pending_conversions", m.PendingConversions, &memory.Kept, diags)
		return
	}
	kept := memory.Kept[m.ChapterID.ValueString()]
	kept.Pending = nil
	readPending("pending_conversion", m.PendingConversion, &kept.Pending, diags)
	memory.put(m.ChapterID.ValueString(), kept)
}
