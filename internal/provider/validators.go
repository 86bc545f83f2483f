package provider

import (
	"context"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var (
	// identifier refuses the ids that would lead a request astray.
	identifier = textValidator{"Invalid identifier", "an identifier of the service, and not empty, `.` or `..`",
		func(text string) bool { return text != "" && text != "." && text != ".." }}
	// filePath refuses the path of a folder.
	filePath = textValidator{"Invalid path", "the path of a file, not of a folder", regexp.MustCompile(`[^/\\.][^/\\]*$`).MatchString}
	// filePermission refuses what is no mode of a file.
	filePermission = textValidator{"Invalid file permission", "three or four octal digits from `0000` to `0777`, such as `0640`",
		regexp.MustCompile(`^0?[0-7]{3}$`).MatchString}
	// whenMissing refuses what has no meaning.
	whenMissing = textValidator{"Invalid value", "`" + downloadMissing + "` or `" + keepMissing + "`",
		func(text string) bool { return text == downloadMissing || text == keepMissing }}

	// positiveDuration refuses what is no time to wait.
	positiveDuration = textValidator{"Invalid duration", "a duration longer than 0, such as `30s`, `5m` or `1h30m`", isPositive}
	// positiveDurationOrEmpty also allows an empty text.
	positiveDurationOrEmpty = textValidator{positiveDuration.summary, positiveDuration.must, func(text string) bool { return text == "" || isPositive(text) }}

	// timestamp refuses what is no time. People have Unix seconds at hand, because the service's own fields are that.
	timestamp = textValidator{"Invalid timestamp", "a timestamp of RFC 3339, such as `2026-11-22T08:00:00Z`, and not Unix seconds: `not_before` takes the `last_conversion_date` of a conversion",
		func(text string) bool { _, ok := parseTimestamp(text); return ok }}

	// expandedPath refuses a path in a home folder that Terraform would take literally.
	expandedPath = textValidator{"Home folder not expanded", "a path that does not begin with `~/`, because Terraform does not expand that: use `pathexpand(\"~/…\")`",
		func(text string) bool { return !strings.HasPrefix(text, "~/") && !strings.HasPrefix(text, `~\`) }}
)

// isGiven reports whether an argument is known, and not null.
func isGiven(value attr.Value) bool { return !value.IsNull() && !value.IsUnknown() }

// textValidator is a validator of texts. Those of the framework's library do not write sentences.
type textValidator struct {
	summary, must string // what is wrong, and what the text must be
	is            func(text string) bool
}

func (r textValidator) Description(context.Context) string { return "must be " + r.must }

func (r textValidator) MarkdownDescription(ctx context.Context) string { return r.Description(ctx) }

func (r textValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if isGiven(req.ConfigValue) && !r.is(req.ConfigValue.ValueString()) {
		resp.Diagnostics.AddAttributeError(req.Path, r.summary, "The value must be "+r.must+". It is "+req.ConfigValue.String()+".")
	}
}

// chapterIDsValidator is the validator of a set of chapters. An empty one that excludes chapters excludes none, because modules pass it.
type chapterIDsValidator struct{ Excludes bool }

// Description says what is allowed.
func (chapterIDsValidator) Description(context.Context) string {
	return "must be identifiers of chapters"
}

// MarkdownDescription is the same.
func (v chapterIDsValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

// ValidateSet refuses what is no identifier, and an empty set of chapters to convert.
func (v chapterIDsValidator) ValidateSet(ctx context.Context, req validator.SetRequest, resp *validator.SetResponse) {
	if !isGiven(req.ConfigValue) {
		return
	}
	ids := req.ConfigValue.Elements()
	for _, id := range ids {
		if id.IsNull() {
			resp.Diagnostics.AddAttributeError(req.Path.AtSetValue(id), "Null in a set of identifiers",
				fmt.Sprintf("An element of `%s` is null. Set only identifiers of chapters: the function `compact` removes nulls from a list.", req.Path))
		}
	}
	switch {
	case len(ids) == 0 && !v.Excludes:
		resp.Diagnostics.AddAttributeError(req.Path, "No chapters", fmt.Sprintf("The set is empty. To mean all chapters, leave out `%s`, or set it to null.", req.Path))
	case len(ids) > 0 && v.Excludes:
		var meant chapterIDs
		resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("chapter_ids"), &meant)...)
		if isGiven(meant) { // What is unknown may be null.
			resp.Diagnostics.AddAttributeError(req.Path, "Invalid Attribute Combination", "`chapter_ids` names the chapters already. Set only one of `chapter_ids` and `exclude_chapter_ids`.")
		}
	}
}

// rfc3339Form is stricter than [time.Parse], which allows a comma, an hour of one digit, and offsets of more than a day.
var rfc3339Form = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// parseTimestamp reads a time of RFC 3339, in which letters may be small.
func parseTimestamp(text string) (at time.Time, ok bool) {
	text = strings.ToUpper(text)
	at, err := time.Parse(time.RFC3339, text)
	return at, err == nil && rfc3339Form.MatchString(text)
}

func isPositive(text string) bool {
	duration, err := time.ParseDuration(text)
	return err == nil && duration > 0
}

// numberOrDefault is a number that [wholeNumberValidator] has let through, or the standard if none is given or known.
func numberOrDefault(given types.Number, standard int64) int64 {
	if given.IsNull() || given.IsUnknown() {
		return standard
	}
	number, _ := given.ValueBigFloat().Int64()
	return number
}

// wholeNumberValidator refuses numbers with a fraction, which the framework's own integers
// call a defect of the provider, and those out of range.
type wholeNumberValidator struct{ Least, Most int64 }

// Description says what is allowed.
func (v wholeNumberValidator) Description(context.Context) string {
	return fmt.Sprintf("a whole number from %d to %d", v.Least, v.Most)
}

// MarkdownDescription is the same.
func (v wholeNumberValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

// ValidateNumber refuses other numbers.
func (v wholeNumberValidator) ValidateNumber(ctx context.Context, req validator.NumberRequest, resp *validator.NumberResponse) {
	if !isGiven(req.ConfigValue) {
		return
	}
	number, accuracy := req.ConfigValue.ValueBigFloat().Int64()
	if accuracy != big.Exact || number < v.Least || number > v.Most {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid number",
			"The value must be "+v.Description(ctx)+". It is "+req.ConfigValue.String()+".")
	}
}
