package provider

import (
	"context"
	"fmt"
	"io/fs"
	"math/big"
	"path/filepath"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// identifier refuses the ids that would lead a request astray.
type identifier struct{}

func (identifier) Description(context.Context) string {
	return "an identifier, and not empty, `.` or `..`"
}

func (v identifier) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (identifier) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if err := audioprojects.CheckID(req.ConfigValue.ValueString()); err != nil {
		// A query does not show the line that is at fault.
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid identifier", fmt.Sprintf("The value of %s: %s", req.Path, sentence(err)))
	}
}

// filePath refuses what names a folder, or nothing.
type filePath struct{}

func (filePath) Description(context.Context) string { return "the path of a file, and not of a folder" }

func (v filePath) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v filePath) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if _, name := filepath.Split(req.ConfigValue.ValueString()); name == "" || name == "." || name == ".." {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid filename",
			"The value must be "+v.Description(ctx)+". It is "+req.ConfigValue.String()+".")
	}
}

// filePermission refuses what is no permission of a file.
type filePermission struct{}

func (filePermission) Description(context.Context) string {
	return "three or four octal digits from `0000` to `0777`, such as `0640`"
}

func (v filePermission) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v filePermission) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if _, err := parsePermission(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid file permission",
			"The value must be "+v.Description(ctx)+". It is "+req.ConfigValue.String()+".")
	}
}

func parsePermission(digits string) (fs.FileMode, error) {
	permission, err := strconv.ParseUint(digits, 8, 32)
	if err == nil && (len(digits) < 3 || len(digits) > 4 || permission > 0o777) {
		err = strconv.ErrRange
	}
	return fs.FileMode(permission), err
}

// positiveDuration refuses what is not a span of time.
type positiveDuration struct{ orEmpty bool }

func (positiveDuration) Description(context.Context) string {
	return "a duration longer than 0, such as `30s`, `5m` or `1h30m`"
}

func (v positiveDuration) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v positiveDuration) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() || v.orEmpty && !isSet(req.ConfigValue) {
		return
	}
	duration, err := time.ParseDuration(req.ConfigValue.ValueString())
	if err != nil || duration <= 0 {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid duration",
			"The value must be "+v.Description(ctx)+". It is "+req.ConfigValue.String()+".")
	}
}

// mostAhead is how far a time may be ahead of this machine's clock, because the clock that it was read from may be.
const mostAhead = 5 * time.Minute

// pointInTime refuses what is not a time with its zone, and one that has not come: nothing can have been converted after it, so that
// each apply would convert the book once more if the service's dates alone counted. It is a validator and not the attribute's type, because the framework
// reads no part of an object that has a value which its type refuses: then a creation could not save what was handed over to it.
type pointInTime struct{}

func (pointInTime) Description(context.Context) string {
	return "a time with its zone, such as `2026-11-22T08:00:00Z`"
}

func (v pointInTime) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v pointInTime) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	at, err := time.Parse(time.RFC3339, req.ConfigValue.ValueString())
	now := time.Now()
	switch {
	case err != nil:
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid time",
			"The value must be "+v.Description(ctx)+". It is "+req.ConfigValue.String()+".")
	case at.After(now.Add(mostAhead)):
		resp.Diagnostics.AddAttributeError(req.Path, "Time in the future",
			fmt.Sprintf("Nothing can have been converted after a time that has not come: `converted_after` is %s, and the clock of this machine shows %s.\n\n"+
				"Give the time of the change that you want to hear, such as that of a new voice.", req.ConfigValue.ValueString(), now.UTC().Format(time.RFC3339)))
	}
}

// wholeNumber refuses numbers with a fraction, which the framework's own integers
// call a defect of the provider, and those out of range.
type wholeNumber struct{ least, most int64 }

func (v wholeNumber) Description(context.Context) string {
	return fmt.Sprintf("a whole number from %d to %d", v.least, v.most)
}

func (v wholeNumber) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v wholeNumber) ValidateNumber(ctx context.Context, req validator.NumberRequest, resp *validator.NumberResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	number, accuracy := req.ConfigValue.ValueBigFloat().Int64()
	if accuracy != big.Exact || number < v.least || number > v.most {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid number",
			"The value must be "+v.Description(ctx)+". It is "+req.ConfigValue.String()+".")
	}
}
