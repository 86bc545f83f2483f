package provider

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// unable is the diagnostic for a request that failed. Its summary is "Unable to <verb> <thing>". Its detail is the error
// with the service's message, what to do next, and the given consequences, if any. If the service does not know an id,
// the diagnostic is at the attribute chapter_id for a missing chapter, else at the given path. An empty path means no
// attribute.
func unable(verb, thing string, at path.Path, err error, consequences ...string) diag.Diagnostic {
	summary := fmt.Sprintf("Unable to %s %s", verb, thing)
	detail := strings.Join(append([]string{quoting(sentence(err) + asked(err)), advice(err, "-parallelism")}, consequences...), "\n\n")
	switch {
	case conversion.IsMissing(err):
		return diag.NewAttributeErrorDiagnostic(path.Root("chapter_id"), summary, detail)
	case errors.Is(err, audioprojects.NotFound) && !at.Equal(path.Empty()):
		return diag.NewAttributeErrorDiagnostic(at, summary, detail)
	default:
		return diag.NewErrorDiagnostic(summary, detail)
	}
}

// newerVersion is the advice about an answer that differs from the service's document.
const newerVersion = "The service may have changed: look for a newer version of this provider."

// unknownProvider is the error if something must be read or done now and the provider block has unknown values.
// Resources wait for them. A data source cannot, unless Terraform allows deferral.
func unknownProvider(verb, thing string) diag.Diagnostic {
	return diag.NewErrorDiagnostic(fmt.Sprintf("Unable to %s %s", verb, thing),
		"The provider block depends on values that are known only after an apply, and this cannot wait for them. "+
			"Apply what they come from first (terraform apply -target=…), or give the provider values that are known.")
}

// sentence turns the text of an error into a sentence, with a capital letter and a full stop.
func sentence(err error) string {
	text := err.Error()
	text = strings.ToUpper(text[:1]) + text[1:]
	if strings.ContainsAny(text[len(text)-1:], ".?!") || strings.HasSuffix(text, "…") {
		return text
	}
	return text + "."
}

// asked is a sentence that says which host a request was for, unless its error says so, and what the service calls the request.
func asked(err error) string {
	request := new(audioprojects.Error)
	switch {
	case !errors.As(err, &request):
		return ""
	case request.RequestID != "":
		return fmt.Sprintf(" The host is %s, and its id of the request %s.", request.Host, request.RequestID)
	case strings.Contains(err.Error(), request.Host):
		return ""
	default:
		return fmt.Sprintf(" The host is %s.", request.Host)
	}
}

// quoting lays out a paragraph that holds words of the service. Terraform breaks a long line anywhere, so that such
// words could stand at the beginning of one: there they pass for Terraform's own, such as "Apply complete!", and a runner
// takes ::error:: for a command, also after white space. Terraform leaves lines alone that are short or begin with a space,
// so that a sign stands before the words.
func quoting(paragraph string) string {
	const width = 74 // of the 78 that Terraform takes where there is no terminal, without its frame
	const continued = "  │ "
	var laidOut strings.Builder
	column := 0
	for i, word := range strings.Fields(strings.ReplaceAll(paragraph, "\n"+continued, " ")) {
		length := columns(word)
		switch {
		case i == 0:
		case column+1+length > width:
			laidOut.WriteString("\n" + continued)
			column = columns(continued)
		default:
			laidOut.WriteByte(' ')
			column++
		}
		laidOut.WriteString(word)
		column += length
	}
	return laidOut.String()
}

// said are words of the service, as they are shown.
func said(words string) string { return audioprojects.Text(words).Line() }

// noPages is why an answer that says that there is more is not followed.
const noPages = "The description of the service knows no pages, so this provider follows none, and what the answer leaves out is not known."

// warnOfIncomplete says that an answer is not all, if it says so itself.
func warnOfIncomplete(things string, err error, diags *diag.Diagnostics) {
	if err != nil {
		diags.AddWarning("Not all "+things, quoting(sentence(err)+asked(err))+"\n\n"+noPages)
	}
}

// splitIncomplete takes an error apart: that an answer is not all, although what it has is there, or any other.
func splitIncomplete(err error) (incomplete, failed error) {
	if errors.As(err, new(*audioprojects.IncompleteError)) {
		return err, nil
	}
	return nil, err
}

// checkPath is advice where the service does not know a path.
const checkPath = "check `base_url` and `api_path`: the path shown here is that of `base_url`, then `api_path`, then /projects."

// asksForFewerJobs reports whether a service refuses a request because too many of the account's are under way. It
// decides nothing but the advice, so that words may tell it.
func asksForFewerJobs(request *audioprojects.Error) bool {
	refused := request.Status == http.StatusBadRequest || request.Status == http.StatusConflict || request.Status == http.StatusTooManyRequests
	said := strings.ToLower(strings.NewReplacer("_", " ", "-", " ").Replace(strings.Join(append(request.Codes, request.Words), " ")))
	return refused && tooManyJobs.MatchString(said)
}

var tooManyJobs = regexp.MustCompile(`too many (\w+ )?(jobs|conversions|tasks|generations)|too many concurrent|concurren\w+ (limit|jobs|conversions|tasks)|(jobs|conversions) in parallel`)

// advice says what a person can do about a failed request. slower is the setting that slows requests down.
func advice(err error, slower string) string {
	request := new(audioprojects.Error)
	errors.As(err, &request)
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, context.Canceled):
		return "Terraform has been interrupted. Run again."
	case conversion.IsMissing(err):
		return "Check the id: the data source `audioprojects_chapters` lists the chapters of a project."
	case errors.As(err, new(*conversion.UnclearError)):
		return "Run again later."
	case errors.As(err, new(*audioprojects.IncompleteError)):
		return noPages + " Name what is meant by its id: with `chapter_ids`, in a chapter block, or with `project_snapshot_id`."
	case conversion.IsUnreadable(err):
		return "Nobody can tell whether the chapter is being converted, or what it has left to convert, so nothing more is requested for it. " + newerVersion
	case request.ExceedsCredits():
		return "The account's credits, or the credit quota of the API key, do not cover this. Add credits or raise the quota, and run again."
	case asksForFewerJobs(request):
		return "The service converts fewer chapters at a time. Run again with a smaller `parallel_conversions` in the provider block, or a smaller -parallelism for chapter blocks."
	case request.LacksScope() && request.Status == http.StatusUnauthorized:
		return "The service knows the API key, so it is probably the key's scope that does not include this operation. Use a key that has the scope. " +
			"If the key has been revoked a moment ago, use another."
	case errors.Is(err, audioprojects.Unauthorized):
		return "The service does not accept the API key. Check `api_key` in the provider block or the environment variable " + apiKeyVariable + "."
	case errors.Is(err, audioprojects.Forbidden):
		return "The API key's scope does not include this operation, or the account has not been granted access to projects, which the vendor gives on request. " +
			"Use a key that has the scope, or ask the vendor for access."
	case errors.Is(err, audioprojects.NotFound) && request.Doubled != "":
		return fmt.Sprintf("`base_url` ends in %[1]s, and `api_path` adds %[1]s again: take it away from one of them. If both are right, check the id.", request.Doubled)
	case errors.Is(err, audioprojects.NotFound):
		return "Check the id, and that it belongs to the account of the API key. If the service finds nothing at all, " + checkPath
	case errors.Is(err, audioprojects.RateLimited) && request.RetryAfter > 0:
		return "The service asks to be left alone for " + request.RetryAfter.Round(time.Second).String() + ". Run again after that, perhaps with a smaller " + slower + "."
	case errors.Is(err, audioprojects.RateLimited):
		return "The service asks for fewer requests. Run again later, or with a smaller " + slower + "."
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return "Nothing was sent. Check `base_url`, the clock, and that this machine trusts whoever has signed the service's certificate. The request is not repeated."
	case errors.Is(err, audioprojects.NotSent):
		return "Nothing was sent. Check `base_url`, that this machine can reach it, and the proxy if the environment variable HTTPS_PROXY (HTTP_PROXY for plain http) names one."
	case request.Status == 0 && errors.As(err, &timeout) && timeout.Timeout():
		return "Run again later, or with a longer `request_timeout` in the provider block if the service is slow."
	case request.Status == 0:
		return "The connection ended before the whole answer had come. Run again."
	}
	// The rest follows from the meaning of the HTTP status.
	switch status := request.Status; {
	case status == http.StatusMethodNotAllowed, status == http.StatusGone:
		return "The service does not have this operation at this path, or no longer. If it answers so to everything, " + checkPath
	case audioprojects.AnsweredWithError(err):
		return "These are the service's own words. Mend what they name, or run again later if it has a problem of its own."
	case status >= 500, status == http.StatusRequestTimeout:
		return "The service has a problem of its own. Run again later."
	case status == http.StatusConflict, status == http.StatusLocked:
		return "Something else seems to be under way at the service. Run again when that is over."
	case status == http.StatusBadRequest, status == http.StatusUnprocessableEntity:
		return "The service does not accept the request as it is. Check the ids, and the text of a chapter that is to be converted."
	case status >= 400:
		return "The service is not expected to answer like this. Check that `base_url` is its address, and any proxy on the way to it."
	case status >= 300:
		return "Check `base_url` and `api_path`: together they should be the address that the service itself answers at. The path shown here is that of `base_url`, then `api_path`, then /projects."
	default:
		return "Check that `base_url` is the address of the service, and not of a web page or a gateway in front of it. " +
			"If it is, the service may have changed: look for a newer version of this provider."
	}
}
