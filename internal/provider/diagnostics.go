package provider

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// unable is the diagnostic for a request that failed: what was tried, what the service
// said, what to do next, and what follows from that, if anything. An id that the service
// does not know is marked at the attribute that holds it, by default the given one; an
// empty path means that it may be any.
func unable(verb, thing string, at path.Path, err error, consequences ...string) diag.Diagnostic {
	summary := fmt.Sprintf("Unable to %s %s", verb, thing)
	detail := strings.Join(append([]string{sentence(err), advice(err)}, consequences...), "\n\n")
	var missing *conversion.MissingChapterError
	switch {
	case errors.As(err, &missing):
		return diag.NewAttributeErrorDiagnostic(path.Root("chapter_id"), summary, detail)
	case errors.Is(err, audioprojects.NotFound) && !at.Equal(path.Empty()):
		return diag.NewAttributeErrorDiagnostic(at, summary, detail)
	default:
		return diag.NewErrorDiagnostic(summary, detail)
	}
}

// unknownProvider is the diagnostic for what must be done before the provider block is
// known: Terraform has no other way to leave it open.
func unknownProvider(verb, thing string) diag.Diagnostic {
	return diag.NewErrorDiagnostic(fmt.Sprintf("Unable to %s %s", verb, thing),
		"The provider block depends on values that are known only after an apply, and this cannot wait for them. "+
			"Apply what they come from first (terraform apply -target=…), or give the provider values that are known.")
}

// sentence makes an error's text one: errors begin small and end without a full stop.
func sentence(err error) string {
	text := err.Error()
	text = strings.ToUpper(text[:1]) + text[1:]
	if strings.ContainsAny(text[len(text)-1:], ".?!") || strings.HasSuffix(text, "…") {
		return text
	}
	return text + "."
}
