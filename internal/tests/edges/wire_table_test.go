package edges_test

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// wireRow is a row of the table: which ends follow from which changes, and why.
type wireRow struct {
	kinds []string // of changes
	where []string // of wireWhere
	which string   // "one" or "each" of the answers; empty: both
	ends  []string
	why   string

	fields []string // the changed field is one of these; empty: any
	uses   []string // the course has one of these in its name; empty: any
	breaks bool     // what must never be is not prevented
}

// The places of an answer.
const (
	wireRead    = "a data source or a query reads"
	wireListed  = "the chapters, in a conversion"
	wireProject = "the project, in a conversion"
	wireRequest = "a request for a conversion"
	wireAudio   = "audio"
)

// where is the place of the answer that is changed.
func (p wirePlay) where() string {
	isRead := strings.HasPrefix(p.use.name, "data ") || strings.HasPrefix(p.use.name, "list ")
	switch {
	case isRead:
		return wireRead
	case p.operation == "ListChapters":
		return wireListed
	case p.operation == "GetProject":
		return wireProject
	case p.operation == "ConvertChapter":
		return wireRequest
	default:
		return wireAudio
	}
}

func (r wireRow) fits(p wirePlay) bool {
	which := "each"
	if p.number >= 0 {
		which = "one"
	}
	isOfField := len(r.fields) == 0 || slices.Contains(r.fields, p.change.field.name)
	isOfUse := len(r.uses) == 0 || slices.ContainsFunc(r.uses, func(part string) bool { return strings.Contains(p.use.name, part) })
	return slices.Contains(r.kinds, p.change.kind) && slices.Contains(r.where, p.where()) && (r.which == "" || r.which == which) && isOfField && isOfUse
}

// wireRowOf is the number of a play's row; negative if there is none. The first row that fits counts.
func wireRowOf(p wirePlay) int {
	return slices.IndexFunc(wireTable, func(r wireRow) bool { return r.fits(p) })
}

func few(texts ...string) []string { return texts }

var (
	wireAnywhere = few(wireRead, wireListed, wireProject, wireRequest, wireAudio)
	// wireUnreadable are answers that are no success, or not what was asked for.
	wireUnreadable = few("status 204", "status 206", "a redirect", "status 3xx", "status 304", "no body", "another body", "other JSON", "more than a body")
	wireTemporary  = few("status 408", "status 5xx", "status of no class", "status 429", "a refusal with a pause", "status 503 with a pause")
	wireBroken     = few("cut", "too late", "slow", "cut, and nothing tells", "an encoding that it does not have")
)

// wireTable says what follows from which change.
var wireTable = []wireRow{
	{kinds: few("the same", "cut after its end", "an age that is none"), where: wireAnywhere, ends: few(wireUnchanged),
		why: "It says the same in another form."},
	{kinds: few("another media type", "status 2xx", "status 205", "not ended"), where: few(wireRead, wireListed, wireProject, wireRequest), ends: few(wireUnchanged),
		why: "The body is what the document describes. Its name and its number prove nothing else, and JSON shows where it ends."},
	{kinds: few("an encoding"), where: few(wireRead, wireListed, wireProject, wireRequest), ends: few(wireUnchanged),
		why: "Go's client asks for gzip, and decodes it."},

	{kinds: few("cut", "too late", "slow"), where: few(wireRead), which: "one", ends: few(wireLater, wireUnchanged), why: "What breaks off, or is not complete within `request_timeout`, is read again."},
	{kinds: few("cut", "too late", "slow"), where: few(wireRead), which: "each", ends: few(wireFails), why: "The same, as often as `max_retries` allows."},
	{kinds: few("cut, and nothing tells"), where: few(wireRead), ends: few(wireFails), why: "A part of the answer is no JSON. Nothing shows that it broke off, so that it is not read again."},
	{kinds: few("an encoding that it does not have"), where: few(wireRead), which: "one", ends: few(wireLater, wireUnchanged), why: "Go's client decodes gzip, and reads what is JSON in spite of its header."},
	{kinds: few("an encoding that it does not have"), where: few(wireRead), which: "each", ends: few(wireFails, wireUnchanged), why: "The same."},
	{kinds: few("other JSON"), where: few(wireRead), ends: few(wireFails, wireShows, wireOthers),
		why: "An empty array is an empty list where the document gives no shape (section 4.6). All else is refused."},
	{kinds: append(few("not all", "status 4xx", "status 401", "status 403", "status 404", "a refusal with a pause that is too long"), wireUnreadable...),
		where: few(wireRead), ends: few(wireFails), why: "It is a refusal, not what was asked for, or not all of it."},
	{kinds: wireTemporary, where: few(wireRead), which: "one", ends: few(wireLater), why: "It is asked again, after the pause that the service asks for."},
	{kinds: wireTemporary, where: few(wireRead), which: "each", ends: few(wireFails), why: "It was asked as often as `max_retries` allows."},
	{kinds: few("an answer of a cache"), where: few(wireRead), uses: few("data "), ends: few(wireWarns), why: "What it shows was so that long before."},
	{kinds: few("an answer of a cache"), where: few(wireRead), uses: few("list "), ends: few(wireUnchanged), why: "A query only proposes, and its import asks again."},

	{kinds: wireBroken, where: few(wireListed), which: "one", ends: few(wireLater, wireUnchanged), why: "The next list comes soon."},
	{kinds: append(few("not all"), wireUnreadable...), where: few(wireListed), which: "one", ends: few(wireLater, wireUnchanged),
		why: "One odd answer proves nothing: there is a second look."},
	{kinds: append(append(few("not all"), wireUnreadable...), "cut", "too late", "slow", "cut, and nothing tells"), where: few(wireListed), which: "each", ends: few(wireFails),
		why: "A second one proves it."},
	{kinds: few("an encoding that it does not have"), where: few(wireListed), which: "each", ends: few(wireFails, wireUnchanged), why: "The same, or JSON in spite of its header."},
	{kinds: wireTemporary, where: few(wireListed), which: "one", ends: few(wireLater, wireUnchanged), why: "It is asked again, and what runs is waited for."},
	{kinds: wireTemporary, where: few(wireListed), which: "each", ends: few(wireFails), why: "Nobody can say that it is converted."},
	{kinds: few("status 4xx", "a refusal with a pause that is too long"), where: few(wireListed), which: "one", ends: few(wireFails, wireWarns, wireUnchanged),
		why: "A plan without a list warns that it does not know what it costs; an apply without one fails, and a later list is one of many."},
	{kinds: few("status 404"), where: few(wireListed), which: "one", ends: few(wireFails, wireUnchanged),
		why: "In the plan it is the id; later, a second look decides."},
	{kinds: few("status 401", "status 403", "status 404", "status 4xx", "a refusal with a pause that is too long"), where: few(wireListed), ends: few(wireFails),
		why: "It is a refusal. No look makes a key valid."},
	{kinds: few("an answer of a cache"), where: few(wireListed), which: "one", ends: few(wireWarns, wireUnchanged),
		why: "A plan warns if the list is older than ten seconds. An apply takes another list."},
	{kinds: few("an answer of a cache"), where: few(wireListed), which: "each", ends: few(wireFails, wireLater, wireWarns, wireUnchanged),
		why: "The same. A list from before the request shows nothing of it. One of a second ago is waited for."},

	{kinds: few("a refusal with a pause", "status 503 with a pause", "a refusal with a pause that is too long", "status 429", "an answer of a cache"), where: few(wireProject), which: "each",
		ends: few(wireFails, wireLater, wireUnchanged), why: "The pause holds for all reads. Without the project's state, nothing is requested while a cache or a pause hides it."},
	{kinds: append(append(few("status 4xx", "status 401", "status 403", "status 404", "a refusal with a pause that is too long", "an answer of a cache"), wireTemporary...),
		append(append(few("not all"), wireUnreadable...), wireBroken...)...), where: few(wireProject), ends: few(wireLater, wireUnchanged),
		why: "It only tells whether all of the project is under way. Where a service does not show it, it says nothing."},

	{kinds: few("too late", "slow"), where: few(wireRequest), ends: few(wireLater), why: "The same. The list is asked for when the time of the request is over."},
	{kinds: append(append(few("status 408", "status 5xx", "status of no class", "an answer of a cache"), wireUnreadable...), wireBroken...), where: few(wireRequest),
		ends: few(wireUnchanged), why: "The service may have received the request. So it is never sent again: a list shows the conversion."},
	{kinds: few("status 401", "status 403"), where: few(wireRequest), ends: few(wireFails, wirePaysLater),
		why: "The service refuses the key or the account, and nothing else is requested. It has begun nevertheless, which the next plan does not know."},
	{kinds: few("a refusal with a pause that is too long"), where: few(wireRequest), ends: few(wireFails, wirePaysLater, wireUnchanged),
		why: "The same for 429; 503 is no refusal."},
	{kinds: few("status 503 with a pause"), where: few(wireRequest), ends: few(wireLater, wireUnchanged), why: "503 is no refusal. The pause holds for the next requests."},
	{kinds: few("status 4xx", "status 404"), where: few(wireRequest), uses: few("action "), ends: few(wireUnchanged),
		why: "What runs after a refused request is waited for."},
	{kinds: few("status 429", "a refusal with a pause"), where: few(wireRequest), uses: few("action "), ends: few(wireLater, wireUnchanged),
		why: "The same, when the pause is over: the request may be sent again then, and a list shows that it has begun."},
	{kinds: few("status 4xx", "status 404", "status 429", "a refusal with a pause"), where: few(wireRequest), uses: few(", created"), ends: few(wireJoined),
		why: "What runs after a refused request is joined. It may be ours, and counts for the triggers."},
	{kinds: few("status 4xx", "status 404", "status 429", "a refusal with a pause"), where: few(wireRequest), uses: few("chapter_conversion, updated"), which: "one", ends: few(wireJoined),
		why: "The same: the first request, which creates."},
	{kinds: few("status 4xx", "status 404", "status 429", "a refusal with a pause"), where: few(wireRequest), uses: few(", updated"), which: "one", ends: few(wireJoined, wirePaysMore),
		why: "If the triggers have changed, it may have begun before, so that one of our own follows."},
	{kinds: few("status 4xx", "status 404", "status 429", "a refusal with a pause"), where: few(wireRequest), uses: few(", updated"), which: "each", ends: few(wirePaysLater),
		why: "After a second such refusal the apply fails, and the next plan names the chapter."},

	{kinds: few("not ended"), where: few(wireAudio), ends: few(wireWarns), why: "Nothing proves that the audio is whole."},
	{kinds: few("cut, and nothing tells"), where: few(wireAudio), ends: few(wireFails, wireWarns, wireOthers), breaks: true,
		why: "Nothing proves it, as above; too few bytes are no audio. Where the service gives a length that is too small, all that it has announced has come."},
	{kinds: few("slow"), where: few(wireAudio), ends: few(wireLater), why: "Audio takes as long as it is big. Only what falls silent is late."},
	{kinds: few("cut", "too late"), where: few(wireAudio), which: "one", ends: few(wireLater), why: "It is requested again, from its beginning."},
	{kinds: few("cut", "too late"), where: few(wireAudio), which: "each", ends: few(wireFails), why: "The old file stays."},
	{kinds: few("status 2xx", "status 204", "status 205", "status 206"), where: few(wireAudio), which: "one", ends: few(wireLater),
		why: "Only 200 is the audio. Another success may be a step towards it, and is asked again."},
	{kinds: few("status 2xx", "status 204", "status 205", "status 206"), where: few(wireAudio), which: "each", ends: few(wireFails), why: "The same, without an end."},
	{kinds: wireTemporary, where: few(wireAudio), which: "one", ends: few(wireLater), why: "It is requested again."},
	{kinds: few("a refusal with a pause that is too long"), where: few(wireAudio), which: "one", ends: few(wireLater), why: "Audio has no timeout of its own, so it waits as long as the service asks."},
	{kinds: append(few("a redirect", "status 3xx", "status 304", "status 4xx", "status 401", "status 403", "status 404", "no body", "other JSON", "an encoding", "not all", "a refusal with a pause that is too long"), wireTemporary...),
		where: few(wireAudio), ends: few(wireFails), why: "It is no audio, or a refusal. The old file stays."},
	{kinds: few("an encoding that it does not have"), where: few(wireAudio), ends: few(wireFails, wireUnchanged), why: "Audio is asked for as it is. `identity` is that."},
	{kinds: few("another media type"), where: few(wireAudio), ends: few(wireFails, wireOthers, wireUnchanged),
		why: "One of text, pictures or JSON is refused. Another one is `content_type`."},
	{kinds: few("another body"), where: few(wireAudio), ends: few(wireFails, wireOthers), breaks: true,
		why: "What begins as something else is refused. Bytes that nobody knows may be samples without a header."},
	{kinds: few("more than a body"), where: few(wireAudio), ends: few(wireFails, wireLater, wireOthers), breaks: true,
		why: "A page or an error message at its end is none of it. Other bytes may be."},
	{kinds: few("an answer of a cache"), where: few(wireAudio), ends: few(wireUnchanged), why: "The audio of a snapshot stays as it is."},

	{kinds: few(wireDeciding, wireWrong, wireTwice, wireOnlyShown), where: few(wireProject), ends: few(wireUnchanged), why: "Only the state of the project and of its chapters counts there."},
	{kinds: few(wireOnlyShown), where: few(wireRead), fields: few("name", "created_at_unix"), ends: few(wireShows, wireValue, wireUnchanged),
		why: "A chapter is found by its name, and the newest snapshot by its timestamp. If that is missing, the error lists what there is."},
	{kinds: few(wireOnlyShown), where: few(wireListed), fields: few("last_conversion_error"), ends: few(wireWarns, wireValue, wireUnchanged),
		why: "It may have any type, and what it says is quoted."},
	{kinds: few(wireOnlyShown), where: few(wireRead, wireListed), ends: few(wireValue, wireUnchanged), why: "Nothing but its own value changes. Of another type it is null."},
	{kinds: few(wireWrong, wireTwice), where: few(wireRead), ends: few(wireFails),
		why: "It is refused, and so is what lacks an id, and what has a field twice with different values: nobody knows which is true."},
	{kinds: few(wireWrong, wireTwice), where: few(wireListed), which: "one", ends: few(wireLater, wireUnchanged), why: "A second look decides."},
	{kinds: few(wireWrong, wireTwice), where: few(wireListed), which: "each", ends: few(wireFails), why: "A second one proves it."},
	{kinds: few(wireDeciding), where: few(wireRead), ends: few(wireFails, wireShows, wireValue, wireUnchanged),
		why: "What is absent is null, as the document allows. A chapter or a project of another id may be missing."},
	{kinds: few(wireDeciding), where: few(wireListed), which: "one", ends: few(wireLater, wireValue, wireWarns, wireUnchanged), why: "A second look decides."},
	{kinds: few(wireDeciding), where: few(wireListed), which: "each", fields: few("chapters", "characters_unconverted"), breaks: true,
		ends: few(wireShows, wireValue, wireWarns, wireOthers, wirePaysLater, wireUnchanged),
		why:  "A list that says of itself that there are no chapters, or nothing left to convert, is believed. A book without chapters is a warning."},
	{kinds: few(wireDeciding), where: few(wireListed), which: "each", ends: few(wireShows, wireLater, wireValue, wireWarns, wirePaysLater, wireUnchanged),
		why: "As above. Without a state, the end takes more looks. A chapter that never shows an end is an error, and the next plan names it."},
}

var (
	wireReadmeTable   = regexp.MustCompile(`\| what is changed \|.*\n(\|.*\n)+`)
	wireReadmeNumbers = regexp.MustCompile(`\d+ changes of an answer make \d+,\d+ plays`)
)

// wireReadme compares the README with the table and the numbers, or writes them.
func wireReadme(t *testing.T, plays int) {
	t.Helper()
	var table strings.Builder
	table.WriteString("| what is changed | where | answers | ends | because |\n|---|---|---|---|---|\n")
	for _, row := range wireTable {
		what := strings.Join(row.kinds, "; ")
		if len(row.fields) > 0 {
			what += ": `" + strings.Join(row.fields, "`, `") + "`"
		}
		where := strings.Join(row.where, "; ")
		if len(row.where) == len(wireAnywhere) {
			where = "anywhere"
		}
		if len(row.uses) > 0 {
			where += " (" + strings.TrimSpace(strings.TrimPrefix(strings.Join(row.uses, "; "), ", ")) + ")"
		}
		fmt.Fprintf(&table, "| %s | %s | %s | %s | %s |\n", what, where, cmp.Or(row.which, "one or each"), strings.Join(row.ends, "; "), row.why)
	}
	recorded(t, wireReadmeTable, table.String())
	changes := len(wireSame()) + len(wireLess())
	recorded(t, wireReadmeNumbers, fmt.Sprintf("%d changes of an answer make %d,%03d plays", changes, plays/1000, plays%1000))
}

// explains reports whether a path may be another one because the field has another value: it is the field's, one within it, or made of it.
func (f wireDocumented) explains(path string) bool {
	names := slices.Concat(wireMadeOf[f.name], []string{f.name})
	return slices.ContainsFunc(strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == ' ' }), func(step string) bool {
		return slices.Contains(names, step)
	})
}

// wireMadeOf are what the provider makes of fields.
var wireMadeOf = map[string][]string{
	"chapters":                  {"chapter_ids", "chapter_count", "characters_converted", "characters_unconverted", "last_conversion_date", "last_conversion_date_unix", "list"},
	"projects":                  {"list"},
	"project_id":                {"id"},
	"chapter_id":                {"id", "chapter_ids"},
	"name":                      {"list"},
	"last_conversion_date_unix": {"last_conversion_date"},
	"created_at_unix":           {"created_at", "id", "name", "project_snapshot_id"}, // of the newest snapshot
	"project_snapshot_id":       {"id"},
	"statistics":                {"characters_converted", "characters_unconverted", "characters_requested"},
	"characters_unconverted":    {"characters_requested"},
	"characters_converted":      {"characters_requested"},
}
