package audioprojects

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

const (
	// hidden replaces the API key. It needs no escape in JSON.
	hidden = "(the API key)"
	// shortestSecret is the length in bytes below which a key may be part of a word by accident. With the
	// key "book", for example, hiding it would turn every "My book" into "My (the API key)".
	shortestSecret = 8
)

// newKeyMask hides the API key where a service or a gateway repeats it by accident: as it is, escaped once for JSON, a URL or
// HTML, or in base64.
func newKeyMask(key string) *strings.Replacer {
	if len(key) < shortestSecret {
		return strings.NewReplacer()
	}
	forms := append(escaped(key), key)
	for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			forms = append(forms, within64(alphabet, before, key))
		}
	}
	// The longest first, because one may begin with another.
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, form := range forms {
		pairs = append(pairs, form, hidden)
	}
	return strings.NewReplacer(pairs...)
}

// escaped are the forms that the usual libraries give a text. They differ in what they escape, and in the case of digits.
func escaped(key string) []string {
	var plain bytes.Buffer
	encoder := json.NewEncoder(&plain)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(key) // A text is always encoded.
	inJSON := strings.Trim(plain.String(), "\n")
	inJSON = inJSON[1 : len(inJSON)-1]
	inURL := url.QueryEscape(key)
	inHTML := html.EscapeString(key)
	forms := []string{
		inJSON,
		strings.ReplaceAll(inJSON, "/", `\/`),
		strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`).Replace(inJSON),
		inHTML,
		strings.NewReplacer("&#34;", "&quot;", "&#39;", "&#x27;").Replace(inHTML),
	}
	for _, form := range []string{inURL, url.PathEscape(key), strings.NewReplacer("%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*").Replace(inURL)} {
		forms = append(forms, form, percentSign.ReplaceAllStringFunc(form, strings.ToLower))
	}
	return forms
}

var percentSign = regexp.MustCompile(`%[0-9A-F]{2}`)

// within64 is the part of a base64 text that depends on the key alone, if the key begins `before`
// bytes into the text, or three, six, … more. It leaves out the digits at both ends, which also depend on
// the neighbouring bytes.
func within64(alphabet *base64.Encoding, before int, key string) string {
	const digit = 6 // bits
	text := alphabet.EncodeToString([]byte("--"[:before] + key))
	return text[(before*8+digit-1)/digit : (before+len(key))*8/digit]
}
