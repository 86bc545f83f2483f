package provider

import (
	"context"
	"fmt"
	"io/fs"
	"math/big"
	"path/filepath"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// textRule is a validator of texts.
type textRule struct {
	must string // what the text must be
	// refuse says what is wrong with the text; the summary is empty if nothing is.
	refuse func(at path.Path, given types.String) (summary, detail string)
}

func (r textRule) Description(context.Context) string { return r.must }

func (r textRule) MarkdownDescription(context.Context) string { return r.must }

func (r textRule) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if summary, detail := r.refuse(req.Path, req.ConfigValue); summary != "" {
		resp.Diagnostics.AddAttributeError(req.Path, summary, detail)
	}
}

// mustBe is a rule that says no more than what the text must be, and what it is.
func mustBe(summary, must string, is func(text string) bool) textRule {
	return textRule{must, func(_ path.Path, given types.String) (string, string) {
		if is(given.ValueString()) {
			return "", ""
		}
		return summary, "The value must be " + must + ". It is " + given.String() + "."
	}}
}

var (
	// identifier refuses the ids that would lead a request astray.
	identifier = textRule{"an identifier, and not empty, `.` or `..`", func(at path.Path, given types.String) (string, string) {
		if err := audioprojects.CheckID(given.ValueString()); err != nil {
			// A query does not show the line that is at fault.
			return "Invalid identifier", fmt.Sprintf("The value of %s: %s", at, sentence(err))
		}
		return "", ""
	}}
	filePath = mustBe("Invalid filename", "the path of a file, and not of a folder", func(text string) bool {
		_, name := filepath.Split(text)
		return name != "" && name != "." && name != ".."
	})
	filePermission = mustBe("Invalid file permission", "three or four octal digits from `0000` to `0777`, such as `0640`", func(text string) bool {
		_, err := parsePermission(text)
		return err == nil
	})
	positiveDuration        = mustBe("Invalid duration", "a duration longer than 0, such as `30s`, `5m` or `1h30m`", isPositive)
	positiveDurationOrEmpty = mustBe("Invalid duration", positiveDuration.must, func(text string) bool { return text == "" || isPositive(text) })

	pointInTime = mustBe("Invalid time", "a time with its zone, such as `2026-11-22T08:00:00Z`", func(text string) bool {
		_, err := time.Parse(time.RFC3339, text)
		return err == nil
	})
)

func isPositive(text string) bool {
	duration, err := time.ParseDuration(text)
	return err == nil && duration > 0
}

func parsePermission(digits string) (fs.FileMode, error) {
	permission, err := strconv.ParseUint(digits, 8, 32)
	if err == nil && (len(digits) < 3 || len(digits) > 4 || permission > 0o777) {
		err = strconv.ErrRange
	}
	return fs.FileMode(permission), err
}

// mostAhead is how far a time may be ahead of this machine's clock, because the clock that it was read from may be.
const mostAhead = 5 * time.Minute

// timesPast are the validators of a time after which chapters must have been converted. One that has not come is refused: nothing can
// have been converted after it, so that each apply would convert the book once more if the service's dates alone counted. They are
// validators and not the attribute's type, because the framework reads no part of an object that has a value which its type refuses:
// then a creation could not save what was handed over to it.
var timesPast = []validator.String{pointInTime, textRule{"a time that has come", func(_ path.Path, given types.String) (string, string) {
	now := time.Now()
	if at, err := time.Parse(time.RFC3339, given.ValueString()); err != nil || !at.After(now.Add(mostAhead)) {
		return "", ""
	}
	return "Time in the future", fmt.Sprintf("Nothing can have been converted after a time that has not come: `converted_after` is %s, and the clock of this machine shows %s.\n\n"+
		"Give the time of the change that you want to hear, such as that of a new voice.", given.ValueString(), now.UTC().Format(time.RFC3339))
}}}

// whole is a number that [wholeNumber] has let through, or the standard if none is given.
func whole(given types.Number, standard int64) int64 {
	if given.IsNull() {
		return standard
	}
	number, _ := given.ValueBigFloat().Int64()
	return number
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
