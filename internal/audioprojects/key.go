package audioprojects

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
)

const (
	// keyPlaceholder replaces the API key. It needs no escape in JSON.
	keyPlaceholder = "(the API key)"
	// minMaskedLength is the length in bytes below which a key may be part of a word by accident. With the
	// key "book", for example, hiding it would turn every "My book" into "My (the API key)".
	minMaskedLength = 8
)

// newKeyMask hides the API key where a service or a gateway repeats it by accident: as it is, escaped for JSON or a URL, or all of it in
// base64.
func newKeyMask(key string) *strings.Replacer {
	if len(key) < minMaskedLength {
		return strings.NewReplacer()
	}
	return strings.NewReplacer(
		jsonEscaped(key, false), keyPlaceholder,
		jsonEscaped(key, true), keyPlaceholder,
		url.QueryEscape(key), keyPlaceholder,
		url.PathEscape(key), keyPlaceholder,
		key, keyPlaceholder,
		base64.RawStdEncoding.EncodeToString([]byte(key)), keyPlaceholder,
		base64.RawURLEncoding.EncodeToString([]byte(key)), keyPlaceholder,
	)
}

// jsonEscaped is a text as JSON has it, with the escapes that it needs, or that JSON in HTML needs.
func jsonEscaped(text string, inHTML bool) string {
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(inHTML)
	_ = encoder.Encode(text) // A text is always encoded.
	return strings.TrimSuffix(quoted.String()[1:], "\"\n")
}
