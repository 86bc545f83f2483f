// Package readback reads an API key back from what Terraform keeps or prints, as a person with a few tools would. Tests
// use it to check what the client hides, and it shares nothing with the way in which the client looks.
package readback

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Key reports whether a key can be read back from a text.
func Key(text, key string) bool {
	wanted := letters(key)
	for range 6 {
		for _, reading := range []string{text, unescaped(text)} {
			if strings.Contains(letters(reading), wanted) || inDigits(reading, key) {
				return true
			}
		}
		next := unescaped(text)
		if next == text {
			return false
		}
		text = next
	}
	return false
}

// letters are the characters of a text that are seen, in small letters and without the backslashes of escapes.
func letters(text string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r <= ' ' || r == '\\' || r > '~' {
			return -1
		}
		return r
	}, norm.NFKC.String(strings.Map(visible, text))))
}

func visible(r rune) rune {
	if unicode.In(r, unicode.C, unicode.M, unicode.Z) {
		return -1
	}
	return r
}

var escape = regexp.MustCompile(`\\+(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))|%(?:25)*([0-9a-fA-F]{2})`)

// unescaped reads each escape in a text once.
func unescaped(text string) string {
	return html.UnescapeString(escape.ReplaceAllStringFunc(text, func(found string) string {
		digits := found[len(found)-2:]
		if strings.Contains(found, "u") {
			digits = found[len(found)-4:]
		}
		code, _ := strconv.ParseUint(digits, 16, 16)
		if found[0] == '%' {
			return string([]byte{byte(code)})
		}
		return string(rune(code))
	}))
}

var digits = regexp.MustCompile(`[A-Za-z0-9+/_-]{11,}`)

// inDigits reports whether the key is in base64 or hexadecimal digits.
func inDigits(text, key string) bool {
	if len(key) < 8 {
		return false
	}
	for _, run := range digits.FindAllString(strings.Join(strings.Fields(text), ""), -1) {
		standard := strings.NewReplacer("-", "+", "_", "/").Replace(run)
		for begin := range min(4, len(run)) {
			rest := standard[begin:]
			decoded, _ := base64.RawStdEncoding.DecodeString(rest[:len(rest)-len(rest)%4])
			last, _ := base64.RawStdEncoding.DecodeString(rest)
			bytes, _ := hex.DecodeString(rest[:len(rest)-len(rest)%2])
			if strings.Contains(string(decoded), key) || strings.Contains(string(last), key) || strings.Contains(string(bytes), key) {
				return true
			}
		}
	}
	return false
}
