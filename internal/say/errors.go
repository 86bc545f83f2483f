// Package say puts errors and findings into words, as Terraform shows them: sentences, names, and lines that no text of the service can
// begin.
package say

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// Unable is the diagnostic for a request that failed. Its summary is "Unable to <verb> <thing>". Its detail is the error
// with the service's message, what to do next, and the given consequences, if any. If the service does not know an id,
// the diagnostic is at the attribute chapter_id for a missing chapter, else at the given path. An empty path means no
// attribute.
func Unable(verb, thing string, at path.Path, err error, consequences ...string) diag.Diagnostic {
	summary := fmt.Sprintf("Unable to %s %s", verb, thing)
	detail := strings.Join(append([]string{ErrorText(err), Advice(err, "-parallelism")}, consequences...), "\n\n")
	switch {
	case conversion.IsMissing(err):
		return diag.NewAttributeErrorDiagnostic(path.Root("chapter_id"), summary, detail)
	case errors.Is(err, audioprojects.NotFound) && !at.Equal(path.Empty()):
		return diag.NewAttributeErrorDiagnostic(at, summary, detail)
	default:
		return diag.NewErrorDiagnostic(summary, detail)
	}
}

// WarnOfCache warns of an answer that was so old when it came. An age of 0 is that of an answer of the service itself.
func WarnOfCache(age time.Duration, diags *diag.Diagnostics) {
	if age > 0 {
		diags.AddWarning("Answer of a cache", Sentence(&conversion.CachedError{Age: age})+" What has changed at the service since then is missing.")
	}
}

// NewerVersion is the advice about an answer that differs from the service's document.
const NewerVersion = "The service may have changed. Check for a newer version of this provider."

// UnknownProvider is the error if something must be read or done now and the provider block has unknown values.
// Resources wait for them. A data source cannot, unless Terraform allows deferral.
func UnknownProvider(verb, thing string) diag.Diagnostic {
	return diag.NewErrorDiagnostic(fmt.Sprintf("Unable to %s %s", verb, thing), ProviderUnknown)
}

// APIKeyVariable is the environment variable for the API key.
const APIKeyVariable = "AUDIOPROJECTS_API_KEY"

// What to do where something is known only when the plan is applied.
const (
	ApplyFirst      = "To know them earlier, first apply the resources that they come from (`terraform apply -target=…`)."
	ProviderUnknown = "The provider block depends on values that are known only when the plan is applied. " + ApplyFirst
)

// Sentence ends the text of an error with a full stop. It changes nothing else: the text may begin with a path or with the service's text.
// So an error that begins a sentence is written with a capital letter where it is made.
func Sentence(err error) string {
	text := err.Error()
	ended := text == "" || strings.ContainsAny(text[len(text)-1:], ".?!") || strings.HasSuffix(text, "…")
	if ended {
		return text
	}
	return text + "."
}

// HostAndRequestID names the host of a failed request, unless its error does, and the service's id of the request.
func HostAndRequestID(err error) string {
	request := new(audioprojects.Error)
	switch {
	case !errors.As(err, &request):
		return ""
	case request.RequestID != "":
		return fmt.Sprintf("Host: %s. Request ID: %s.", request.Host, request.RequestID)
	case strings.Contains(err.Error(), request.Host):
		return ""
	default:
		return fmt.Sprintf("Host: %s.", request.Host)
	}
}

// ErrorText is an error as a paragraph. What the provider says of a failed request is a line of its own, and the request and the
// service's answer stand below it.
func ErrorText(err error) string { return ErrorTextWith(err, func(text string) string { return text }) }

// ErrorTextWith changes the texts before it lays them out.
func ErrorTextWith(err error, change func(string) string) string {
	text := change(Sentence(err))
	request, failed := errors.AsType[*audioprojects.Error](err)
	if !failed {
		return text
	}
	line := change(request.Error())
	before, after, _ := strings.Cut(text, line)
	laidOut := Wrapped(line + after)
	if before != "" {
		laidOut = strings.TrimSpace(before) + Quoted(line+after)
	}
	return Below(laidOut, Wrapped(HostAndRequestID(err)))
}

// QuotePrefix begins a line of the service's text. Terraform breaks a long line of a detail anywhere, unless it begins with a space. So
// the service's text could stand at the beginning of a line: there they pass for Terraform's own, such as "Apply complete!",
// and a CI runner takes ::error:: for a command, also after white space. So a sign stands before them. The provider's own sentences need
// no sign and no break.
const QuotePrefix = "  │ "

// Quoted is the service's text below a sentence of the provider.
func Quoted(text string) string { return wrap("\n"+QuotePrefix, text) }

// Wrapped lays out a line in which the service's text is mixed with the provider's, such as that of a failed request.
func Wrapped(line string) string { return wrap("", line) }

func wrap(begin, text string) string {
	const width = 74 // of the 78 that Terraform takes where there is no terminal, without its frame
	var laidOut strings.Builder
	laidOut.WriteString(begin)
	column := displayWidth(strings.TrimPrefix(begin, "\n"))
	for i, word := range strings.Fields(text) {
		length := displayWidth(word)
		switch {
		case i == 0:
		case column+1+length > width:
			laidOut.WriteString("\n" + QuotePrefix)
			column = displayWidth(QuotePrefix)
		default:
			laidOut.WriteByte(' ')
			column++
		}
		laidOut.WriteString(word)
		column += length
	}
	return laidOut.String()
}

// Below puts a sentence on a line below another one, which may end in the service's text.
func Below(says, sentence string) string { return strings.Trim(says+"\n"+sentence, "\n") }

// OneLine is the service's text in one line, as it is shown.
func OneLine(text string) string { return audioprojects.Text(text).Line() }

// pathShown explains the path in the error of a request.
const pathShown = "the path above consists of the path of `base_url`, `api_path` and /projects."

// checkPath is advice where the service does not know a path.
const checkPath = "check `base_url` and `api_path`: " + pathShown

// serviceSays is advice where the service itself says what is wrong.
const serviceSays = "This is the service's own error message. Fix what it names, or plan again later if the problem is on the service's side."

// Advice says what a person can do about a failed request. slower is the setting that slows requests down.
func Advice(err error, slower string) string {
	request := new(audioprojects.Error)
	errors.As(err, &request)
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, context.Canceled):
		return "Terraform was interrupted. Plan again."
	case conversion.IsMissing(err):
		return "Check the id: the data source `audioprojects_chapters` lists the chapters of a project."
	case errors.As(err, new(*conversion.CachedError)):
		return "Let the cache ask the service when a request says `Cache-Control: no-cache`, or keep it from requests with the header `xi-api-key`."
	case errors.As(err, new(*audioprojects.FailedAnswerError)):
		return serviceSays
	case errors.As(err, new(*audioprojects.IncompleteError)):
		return "The service's documentation does not mention pages, so the provider does not know how to read the rest, and does not go by a part. " + NewerVersion
	case request.ExceedsCredits():
		return "The account's credits, or the credit quota of the API key, do not cover this. Add credits or raise the quota, and plan again."
	case request.Status == http.StatusPaymentRequired:
		return "The account's plan may not include something that this request needs, such as a voice, or a payment may be due. The service's message says more. " +
			"Change the account's plan, or what the request needs, and plan again."
	case audioprojects.ConversionNotFound(err):
		return "The service lists the chapter. So it does not find something that the conversion needs, such as a voice, a model or a pronunciation dictionary. " +
			"Check the project's settings at the service."
	case errors.Is(err, audioprojects.AtCapacity):
		return "The service does not convert that many chapters at the same time. Plan again with a smaller `parallel_conversions` in the provider block, " +
			"or with a smaller -parallelism for `audioprojects_chapter_conversion` resources."
	case request.KeyHasExpired() && request.OperationAccepted():
		return "The service accepted the key for this operation before, so the key has most likely expired or been revoked. Use another key."
	case request.KeyHasExpired():
		return "The service accepted the key before, so the key has most likely expired or been revoked. Use another key."
	case request.ConcernsOneRequest():
		return "The service accepts this operation with this key for something else. So the account may have no access to what this request is about, or to something " +
			"that it needs, such as a voice. See the service's message, or ask the vendor, who grants access on request."
	case request.LacksScope() && request.Status == http.StatusUnauthorized:
		return "The service knows the API key, so the key's scope probably does not include this operation. Use a key with the required scope. " +
			"If the key was revoked a moment ago, use another one."
	case errors.Is(err, audioprojects.Unauthorized):
		return "The service does not accept the API key. Check `api_key` in the provider block or the environment variable " + APIKeyVariable +
			", and that `base_url` is the address that the key is for."
	case errors.Is(err, audioprojects.Forbidden):
		return "The API key's scope does not include this operation, or the account has no access to projects. " +
			"Use a key with the required scope, or ask the vendor, who grants access on request."
	case errors.Is(err, audioprojects.NotFound) && request.RepeatedAPIPath != "":
		return fmt.Sprintf("`base_url` ends in %[1]s, and `api_path` adds %[1]s again. Remove it from one of them. If both are right, check the id.", request.RepeatedAPIPath)
	case errors.Is(err, audioprojects.NotFound) && !request.AnythingAccepted():
		return "Check `base_url` and `api_path` first: the service has found nothing yet, and " + pathShown + " Some services have the operations at another " +
			"`api_path`, such as /v1/studio. If they are right, check that the id is correct and belongs to the account of the API key."
	case errors.Is(err, audioprojects.NotFound):
		return "Check that the id is correct and belongs to the account of the API key."
	case errors.Is(err, audioprojects.RateLimited) && request.RetryAfter > 0:
		return "The service accepts no requests for another " + request.RetryAfter.Round(time.Second).String() + ". Plan again after that, perhaps with a smaller " + slower + "."
	case errors.Is(err, audioprojects.RateLimited):
		return "The service asks for fewer requests. Plan again later, or with a smaller " + slower + "."
	case audioprojects.WrongProtocol(err) != "":
		return "Nothing was sent. The port in `base_url` speaks " + audioprojects.WrongProtocol(err) + ". Check the scheme (https or http) and the port."
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return "Nothing was sent. Check `base_url`, this machine's clock, and that this machine trusts the issuer of the service's certificate. The provider does not repeat the request."
	case audioprojects.TLSIncompatible(err):
		return "The provider shows no client certificate, and needs TLS 1.2 or newer. If the service asks for a certificate, or is older, put a proxy in front of it. " +
			"The provider does not repeat the request."
	case errors.Is(err, audioprojects.NotSent):
		return "Nothing was sent. Check `base_url`, that this machine can reach it, and the proxy if the environment variable HTTPS_PROXY (HTTP_PROXY for plain http) is set."
	case request.Status == 0 && errors.As(err, &timeout) && timeout.Timeout():
		return "Plan again later, or with a longer `request_timeout` in the provider block if the service is slow."
	case request.Status == 0:
		return "The connection ended before the answer was complete. Plan again."
	}
	// The rest follows from the meaning of the HTTP status.
	status := request.Status
	switch {
	case status == http.StatusMethodNotAllowed, status == http.StatusGone:
		return "The service does not offer this operation at this path, or no longer does. If it answers every request like this, " + checkPath
	case audioprojects.AnsweredWithError(err):
		return serviceSays
	case status >= 500, status == http.StatusRequestTimeout:
		return "The problem is on the service's side. Plan again later."
	case status == http.StatusConflict, status == http.StatusLocked:
		return "The service seems to be busy with another operation. Plan again when it has finished."
	case status == http.StatusBadRequest, status == http.StatusUnprocessableEntity:
		return "The service does not accept this request. Check the ids and, if a chapter was to be converted, its text."
	case status >= 400:
		return "The service does not normally answer like this. Check that `base_url` is its address, and check any proxy in between."
	case status >= 300:
		return "Check `base_url` and `api_path`, which together should be the address at which the service itself answers: " + pathShown
	default:
		return "Check that `base_url` is the address of the service, and not that of a web page or a gateway in front of it. " +
			"If it is correct, the service may have changed: check for a newer version of this provider."
	}
}

// IfDestroying ends an error of a refresh or a plan that Terraform makes before it destroys, too. No provider is told what it is for.
const IfDestroying = "If you are destroying: run `terraform destroy -refresh=false`."
