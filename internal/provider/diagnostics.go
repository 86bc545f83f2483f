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
// said, and what to do next. An id that the service does not know is marked at the
// attribute that holds it, by default the given one; an empty path means that it may
// be any.
func unable(verb, thing string, at path.Path, err error) diag.Diagnostic {
	summary := fmt.Sprintf("Unable to %s %s", verb, thing)
	detail := sentence(err)
	if advice := advice(err); advice != "" {
		detail += "\n\n" + advice
	}
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

// advice says what a person can do about a failed request.
func advice(err error) string {
	var request *audioprojects.Error
	status := 0
	if errors.As(err, &request) {
		status = request.Status
	}
	switch {
	case errors.Is(err, audioprojects.Unauthorized):
		return "The service does not accept the API key. Check `api_key` in the provider block or the environment variable " + apiKeyVariable + "."
	case errors.Is(err, audioprojects.Forbidden):
		return "The API key's scope does not include this operation, or the account has not been granted access to projects, which the vendor gives on request."
	case errors.Is(err, audioprojects.NotFound):
		return "Check the id, and that it belongs to the account of the API key."
	case errors.Is(err, audioprojects.RateLimited):
		return "The service asks for fewer requests. Run again later, or with a smaller -parallelism."
	case errors.Is(err, audioprojects.NotSent):
		return "Nothing was sent. Check `base_url` and that this machine can reach it."
	case status >= 500:
		return "The service has a problem of its own. Run again later."
	case status >= 300 && status <= 399:
		return "Check `base_url`: it should be the address that the service itself answers at."
	case status >= 200 && status <= 299:
		return "Check that `base_url` is the address of the service, and not of a web page or a gateway in front of it."
	case status == 0 && errors.Is(err, audioprojects.Ambiguous):
		return "Run again later, or with a longer `request_timeout` in the provider block if the service is slow."
	default:
		return ""
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
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "?") && !strings.HasSuffix(text, "…") {
		text += "."
	}
	return text
}
