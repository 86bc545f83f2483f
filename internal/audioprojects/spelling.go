package audioprojects

import (
	"html"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestEscape is the length in bytes of what escapeAt reads at most.
const longestEscape = 31

// escapeAt reads the escape of JSON, of a URL or of HTML that a text begins with, such as \u0041, %41 and &#65;.
// Escapes are often escaped again: of %2541 it reads all. The length is 0 if there is none.
func escapeAt(text string) (r rune, length int) {
	switch text[0] {
	case '\\':
		return afterBackslash(text)
	case '%':
		digits := 1
		for strings.HasPrefix(text[digits:], "25") && digits < longestEscape-6 && isHex(text, digits+2, 2) {
			digits += 2
		}
		if strings.HasPrefix(text[digits:], "u") {
			return hexAt(text, digits+1, 4)
		}
		return hexAt(text, digits, 2)
	case '&':
		name := 1
		for strings.HasPrefix(text[name:], "amp;") && name < longestEscape-12 && entityName(text[name+4:]) > 0 {
			name += 4
		}
		length := entityName(text[name:])
		entity := "&" + text[name:name+length]
		if plain := html.UnescapeString(entity); plain != entity {
			r, _ = utf8.DecodeRuneInString(plain)
			return r, name + length
		}
	}
	return 0, 0
}

func afterBackslash(text string) (r rune, length int) {
	if len(text) < 2 {
		return 0, 0
	}
	switch kind := text[1]; kind {
	case 'b', 'f', 'n', 'r', 't', 'v':
		return '\n', 2
	case 'u', 'U', 'x':
		if end := strings.IndexByte(text[:min(len(text), 12)], '}'); end > 3 && text[2] == '{' {
			if r, length := hexAt(text, 3, end-3); length > 0 {
				return r, length + 1
			}
		}
		return hexAt(text, 2, map[byte]int{'u': 4, 'U': 8, 'x': 2}[kind])
	case '0', '1', '2', '3':
		if code, err := strconv.ParseUint(text[1:min(len(text), 4)], 8, 8); err == nil && len(text) >= 4 {
			return rune(code), 4
		}
	}
	return 0, 0
}

// hexAt reads a character from so many hexadecimal digits, and counts the bytes to the end of them.
func hexAt(text string, at, digits int) (r rune, length int) {
	if !isHex(text, at, digits) {
		return 0, 0
	}
	code, _ := strconv.ParseUint(text[at:at+digits], 16, 32)
	return rune(code), at + digits
}

func isHex(text string, at, digits int) bool {
	if len(text) < at+digits {
		return false
	}
	for _, b := range []byte(text[at : at+digits]) {
		if (b < '0' || b > '9') && (b < 'a' || b > 'f') && (b < 'A' || b > 'F') {
			return false
		}
	}
	return true
}

// entityName is the length of what comes after the & of an entity, to its semicolon; 0 if a text begins otherwise.
func entityName(text string) (length int) {
	const longest = 10
	for i := range min(len(text), longest) {
		switch b := text[i]; {
		case b == ';' && i > 0:
			return i + 1
		case b != '#' && (b < '0' || b > '9') && (b < 'a' || b > 'z') && (b < 'A' || b > 'Z'):
			return 0
		}
	}
	return 0
}

// escapes reports whether a byte may begin an escape.
func escapes(b byte) bool { return b == '\\' || b == '%' || b == '&' }

// unescaped reads all escapes of a text once, but leaves those of white space, such as \n, as they are. They may also be a
// backslash and a letter of the key, and findFirst reads them both ways. The offsets say where in the text each byte
// of what was read begins, and the end of it. They are nil if nothing was read.
func unescaped(text string) (read string, offsets []int) {
	if !strings.ContainsAny(text, `\%&`) {
		return text, nil
	}
	var plain []byte
	for at := 0; at < len(text); {
		r, length := rune(-1), 1
		if escapes(text[at]) {
			if decoded, all := escapeAt(text[at:]); all > len(`\n`) {
				r, length = decoded, all
			} else if strings.HasPrefix(text[at:], `\\`) {
				at++ // of a run of backslashes one is left
				continue
			}
		}
		before := len(plain)
		switch {
		case r < 0:
			plain = append(plain, text[at])
		case r < 0x100 && text[at] == '%':
			plain = append(plain, byte(r))
		default:
			plain = utf8.AppendRune(plain, r)
		}
		for range len(plain) - before {
			offsets = append(offsets, at)
		}
		at += length
	}
	if len(plain) == len(text) {
		return text, nil
	}
	return string(plain), append(offsets, len(text))
}

// asciiOf is the ASCII character that one is read as: Terraform writes some of them so (NFC), and a person reads the wide ones so.
// It is 0 for those that are read as no such character.
func asciiOf(r rune) byte {
	switch {
	case r < utf8.RuneSelf:
		return byte(r)
	case r >= '！' && r <= '～':
		return byte(r - '！' + '!')
	case r == '\u212a':
		return 'K'
	case r == '\u037e':
		return ';'
	case r == '\u1fef':
		return '`'
	default:
		return 0
	}
}

// readOver reports whether who reads a text reads over a character: it cannot be seen, or is white space or an accent.
func readOver(r rune) bool {
	if r < utf8.RuneSelf {
		return r <= ' ' || r == '\x7f'
	}
	return unicode.In(r, unicode.Z, unicode.C, unicode.M, unicode.Other_Default_Ignorable_Code_Point)
}
