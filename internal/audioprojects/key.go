package audioprojects

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// hidden replaces the API key. It needs no escape in JSON.
	hidden = "(the API key)"
	// shortestSecret is the length in bytes below which a key may be part of a name by accident. With the
	// key "book", for example, hiding it would turn every "My book" into "My (the API key)".
	shortestSecret = 8
	// longestHint is how many bytes of the key may be left at the end of a text that breaks off.
	longestHint = 3
	// maxLayers is how often the escapes of a text are read: a gateway may put a URL into JSON, and that into HTML.
	maxLayers = 8
)

// keyMask finds what a person, or a program that they have at hand, reads back as the API key: as it is, in capitals, in
// base64 or hexadecimal digits, with any characters written as escapes or split by what is read over.
//
// It reads a text once, from left to right, and keeps the set of all states that it may be in: state n of a form is that
// its first n+1 characters have been read. So the time does not depend on what the text repeats.
type keyMask struct {
	shortest int // form, in bytes
	words    int // of a set
	// next has the states that the reading of a character leads to, first and last those of each form's ends.
	next        [utf8.RuneSelf]states
	first, last states
	// needs has the characters of each form, and folded whether capitals are as good.
	needs  [][2]uint64
	folded []bool
}

// states is a set of them.
type states []uint64

func (s states) has(state int) bool { return s[state/64]>>(state%64)&1 == 1 }
func (s states) add(state int)      { s[state/64] |= 1 << (state % 64) }

func (s states) meets(other states) bool {
	for i, word := range s {
		if word&other[i] != 0 {
			return true
		}
	}
	return false
}

func newKeyMask(key string) *keyMask {
	// Backslashes are read over: of how many that come together some are escapes, only who wrote them knows.
	forms, folded := []string{strings.ReplaceAll(key, `\`, "")}, 0
	if len(key) >= shortestSecret {
		forms, folded = append(forms, hex.EncodeToString([]byte(key))), 2
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			for before := range 3 {
				if form := within64(alphabet, before, key); !slices.Contains(forms, form) {
					forms = append(forms, form)
				}
			}
		}
	}
	all := strings.Join(forms, "")
	m := &keyMask{shortest: len(all), words: (len(all) + 63) / 64}
	for c := range m.next {
		m.next[c] = make(states, m.words)
	}
	m.first, m.last = make(states, m.words), make(states, m.words)
	begin := 0
	for i, form := range forms {
		if form == "" {
			continue
		}
		var needed [2]uint64
		for at, b := range []byte(form) {
			m.next[b].add(begin + at)
			if i < folded {
				b = lower(b)
				m.next[b].add(begin + at)
				m.next[upper(b)].add(begin + at)
			}
			needed[b/64] |= 1 << (b % 64)
		}
		m.first.add(begin)
		begin += len(form)
		m.last.add(begin - 1)
		m.shortest = min(m.shortest, len(form))
		m.needs, m.folded = append(m.needs, needed), append(m.folded, i < folded)
	}
	return m
}

func lower(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		b += 'a' - 'A'
	}
	return b
}

func upper(b byte) byte {
	if b >= 'a' && b <= 'z' {
		b -= 'a' - 'A'
	}
	return b
}

// within64 is the part of a base64 text that depends on the key alone, if the key begins `before`
// bytes into the text, or three, six, … more. It leaves out the digits at both ends, which also depend on
// the neighbouring bytes.
func within64(alphabet *base64.Encoding, before int, key string) string {
	const digit = 6 // bits
	text := alphabet.EncodeToString([]byte("--"[:before] + key))
	return text[(before*8+digit-1)/digit : (before+len(key))*8/digit]
}

// hide replaces the key in a text wherever it is. A text that may have been cut off also loses an end that may be the key's beginning.
func (m *keyMask) hide(text string, cut bool) string {
	found := m.find(text, cut)
	if len(found) == 0 {
		return text
	}
	var shown strings.Builder
	end := 0
	for _, place := range found {
		if place.from > end || end == 0 {
			shown.WriteString(text[end:place.from])
			if place.whole {
				shown.WriteString(hidden)
			}
		}
		end = max(end, place.to)
	}
	shown.WriteString(text[end:])
	return shown.String()
}

// holds reports whether a text has the key anywhere.
func (m *keyMask) holds(text string) bool { return len(m.find(text, false)) > 0 }

// place is where the key is in a text, or its beginning at the end of the text.
type place struct {
	from, to int
	whole    bool
}

// find lists all places, in their order in the text.
func (m *keyMask) find(text string, cut bool) (found []place) {
	if !cut && !m.mayBeIn(text) {
		return nil
	}
	reading, offsets := text, []int(nil)
	for layer := range maxLayers {
		if layer > 0 {
			deeper, inReading := unescaped(reading)
			if inReading == nil {
				break
			}
			for i, at := range inReading {
				if offsets != nil {
					inReading[i] = offsets[at]
				}
			}
			reading, offsets = deeper, inReading
		}
		for at := 0; at <= len(reading); {
			next, more := m.findFirst(reading[at:], cut)
			if !more {
				break
			}
			from, to := at+next.from, at+next.to
			at = to
			if offsets != nil {
				from, to = offsets[from], offsets[to]
			}
			for from > 0 && text[from-1] == '\\' { // which escape its first character
				from--
			}
			found = append(found, place{from, to, next.whole})
		}
	}
	slices.SortFunc(found, func(a, b place) int { return a.from - b.from })
	return found
}

// mayBeIn reports false for most texts without the key, at a glance.
func (m *keyMask) mayBeIn(text string) bool {
	if len(text) < m.shortest {
		return false
	}
	var seen [2]uint64
	for _, r := range text {
		if r < utf8.RuneSelf && escapes(byte(r)) {
			return true
		}
		if c := asciiOf(r); c != 0 {
			seen[c/64] |= 1 << (c % 64)
		}
	}
	const capitals = (1<<26 - 1) << ('A' - 64)
	lowered := seen[1] | seen[1]&capitals<<('a'-'A')
	for i, needed := range m.needs {
		letters := seen[1]
		if m.folded[i] {
			letters = lowered
		}
		if needed[0]&^seen[0] == 0 && needed[1]&^letters == 0 {
			return true
		}
	}
	return false
}

// way is one to read on in a text.
type way struct {
	from, to int
	c        byte // 0 if what is between is read over
}

// steps calls take with all ways to read on from a place in a text.
func steps(text string, from int, take func(to int, c byte)) (next int) {
	read := func(r rune, length int) {
		if c := asciiOf(r); readOver(r) || c == '\\' {
			take(from+length, 0)
		} else if c != 0 {
			take(from+length, c)
		}
	}
	r, size := utf8.DecodeRuneInString(text[from:])
	read(r, size)
	if r < utf8.RuneSelf && escapes(byte(r)) {
		rest := text[from:]
		if decoded, length := escapeAt(rest); length > 0 {
			read(decoded, length)
		}
		switch {
		case strings.HasPrefix(rest, "%25"):
			take(from+3, '%')
		case strings.HasPrefix(rest, "&amp;"):
			take(from+5, '&')
		}
	}
	return from + size
}

// findFirst finds the key where it ends first. If there is none in a text that may have been cut off, it finds the
// longest end that may be the key's beginning.
func (m *keyMask) findFirst(text string, cut bool) (found place, ok bool) {
	const ring = longestEscape + 1
	reached := make(states, ring*m.words)
	at := func(offset int) states {
		i := offset % ring * m.words
		return reached[i : i+m.words]
	}
	var torn []tornAt
	for from := 0; ; {
		here := at(from)
		if here.meets(m.last) {
			for state := range m.words * 64 {
				if here.has(state) && m.last.has(state) {
					return place{m.began(text[:from], state), from, true}, true
				}
			}
		}
		if cut && (from == len(text) || from > len(text)-longestTorn && escapes(text[from])) {
			torn = append(torn, tornAt{from, slices.Clone(here)})
		}
		if from == len(text) {
			break
		}
		next := steps(text, from, func(to int, c byte) { m.read(here, at(to), c) })
		clear(here)
		from = next
	}
	for _, end := range slices.Backward(torn) {
		if state := m.longest(end.reached); state >= 0 {
			return place{m.began(text[:end.at], state), len(text), false}, true
		}
	}
	return place{}, false
}

// longestTorn is how much of an escape, and of those in it, is taken for the end of a text that breaks off.
const longestTorn = 48

// tornAt is the end of a text that breaks off, or where an escape begins that it may break off in.
type tornAt struct {
	at      int
	reached states
}

// read adds the states that the reading of a character leads to.
func (m *keyMask) read(before, after states, c byte) {
	if c == 0 {
		for i, word := range before {
			after[i] |= word
		}
		return
	}
	carried := uint64(0)
	for i, word := range before {
		after[i] |= (word<<1 | carried | m.first[i]) & m.next[c][i]
		carried = word >> 63
	}
}

// longest is the state that has read most of a form, and more than a few bytes; -1 if there is none.
func (m *keyMask) longest(of states) (state int) {
	most, begin := longestHint, 0
	state = -1
	for s := range m.words * 64 {
		if m.first.has(s) {
			begin = s
		}
		if read := s - begin + 1; of.has(s) && read > most {
			most, state = read, s
		}
	}
	return state
}

// began is where a reading began that has come to a state at the end of the text.
func (m *keyMask) began(text string, state int) int {
	reached := make(states, (len(text)+1)*m.words)
	at := func(offset int) states { return reached[offset*m.words : (offset+1)*m.words] }
	var ways []way
	for from := 0; from < len(text); {
		from = steps(text, from, func(to int, c byte) {
			m.read(at(from), at(to), c)
			ways = append(ways, way{from, to, c})
		})
	}
	end := len(text)
	for _, way := range slices.Backward(ways) {
		switch {
		case way.to != end:
		case way.c == 0:
			if at(way.from).has(state) {
				end = way.from
			}
		case !m.next[way.c].has(state):
		case m.first.has(state):
			return way.from
		case at(way.from).has(state - 1):
			end, state = way.from, state-1
		}
	}
	return 0
}
