package edges_test

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// wireDocumented is a field of an answer, taken from the decoder: one that is new there is among them.
type wireDocumented struct {
	place, name string
	kind        string // string, number, bool, object or array
	decides     bool   // the decoder refuses another type
	inList      bool   // it is that of an operation that lists
}

func (f wireDocumented) String() string { return strings.TrimPrefix(f.place+"."+f.name, ".") }

// wireAnswers are what the decoder knows of each operation.
var wireAnswers = map[mockserver.Operation]struct {
	list string // the name of a list
	of   reflect.Type
}{
	mockserver.GetProject:           {"", reflect.TypeFor[audioprojects.Project]()},
	mockserver.ListChapters:         {"chapters", reflect.TypeFor[audioprojects.Chapter]()},
	mockserver.ListChapterSnapshots: {"snapshots", reflect.TypeFor[audioprojects.ChapterSnapshot]()},
	mockserver.ListProjects:         {"projects", reflect.TypeFor[audioprojects.ProjectRecord]()},
	mockserver.ListProjectSnapshots: {"snapshots", reflect.TypeFor[audioprojects.ProjectSnapshotRecord]()},
}

// wireFields are the fields of an operation's answer.
func wireFields(operation mockserver.Operation) []wireDocumented {
	known, isJSON := wireAnswers[operation]
	switch {
	case !isJSON:
		return nil
	case known.list == "":
		return wireFieldsOf("", known.of, true)
	}
	list := wireDocumented{"", known.list, "array", true, true}
	return append([]wireDocumented{list}, wireFieldsOf(known.list+"[]", known.of, true)...)
}

func wireFieldsOf(place string, record reflect.Type, decides bool) (all []wireDocumented) {
	for i := range record.NumField() {
		field := record.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" || name == "-" || name == "json" { // The last is the record itself.
			continue
		}
		inner, isLenient := field.Type, false
		for inner.Kind() == reflect.Pointer || strings.HasPrefix(inner.Name(), "Lenient[") {
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
				continue
			}
			isLenient = true
			inner = inner.Field(0).Type
		}
		isAny := inner == reflect.TypeFor[audioprojects.JSON]()
		f := wireDocumented{place, name, wireKind(inner), decides && !isLenient && !isAny, false}
		all = append(all, f)
		within := strings.TrimPrefix(place+"."+name, ".")
		switch {
		case f.kind == "object" && inner.Kind() == reflect.Struct:
			all = append(all, wireFieldsOf(within, inner, f.decides)...)
		case f.kind == "array" && inner.Elem().Kind() == reflect.Struct:
			all = append(all, wireFieldsOf(within+"[]", inner.Elem(), f.decides)...)
		}
	}
	return all
}

func wireKind(of reflect.Type) string {
	switch of.Kind() {
	case reflect.Struct:
		return "object"
	case reflect.Slice:
		return "array"
	case reflect.Bool:
		return "bool"
	case reflect.Int64, reflect.Float64:
		return "number"
	}
	if of == reflect.TypeFor[audioprojects.JSON]() {
		return "object"
	}
	return "string"
}

// wireValues are other values of a field, by name. All but the last ones have another type than documented.
func (f wireDocumented) values() map[string]string {
	values := map[string]string{"null": "null"}
	for kind, value := range map[string]string{"string": `"seven"`, "number": "7", "bool": "true", "object": `{"seven":7}`, "array": `[7]`} {
		if kind != f.kind {
			values["a "+kind] = value
		}
	}
	switch f.kind {
	case "number":
		for _, value := range []string{"-7", "0", "7.5", "1e18", "9223372036854775807", "1e400", `"7"`} {
			values[value] = value
		}
	case "string":
		values["an empty text"], values["a long text"] = `""`, fmt.Sprintf("%q", strings.Repeat("x", 70_000))
		values["a text that is not UTF-8"] = "\"a\xffb\""
		values["a text with controls"] = `"a\u0000\u001b[2Jb\r\n##[error]c"`
	case "array":
		values["empty"] = "[]"
	case "object":
		values["empty"] = "{}"
	}
	return values
}

// isWrong reports whether the decoder refuses one of the values, or a field that is absent.
func (f wireDocumented) isWrong(name string) bool {
	isID := f.kind == "string" && strings.HasSuffix(f.name, "_id")
	isList := f.kind == "array" && f.place == "" && f.inList
	switch name {
	case "absent", "null":
		return f.decides && (isID || isList)
	case "an empty text", "a text with controls":
		return f.decides && isID
	case "a string", "a number", "a bool", "a object", "a array", "1e18", "1e400", `"7"`:
		return f.decides
	default:
		return false
	}
}

// twice are values beside the right one: none, and another one of the same type.
func (f wireDocumented) twice() []string {
	other := map[string]string{"number": "1", "string": `"other"`, "bool": "true", "array": "[]", "object": "{}"}
	return []string{"null", other[f.kind]}
}

// The kinds of fields.
const (
	wireDeciding  = "a field that decides"
	wireWrong     = "a field that decides, of another type"
	wireTwice     = "a field that decides, twice"
	wireOnlyShown = "a field that decides nothing"
)

// wireFieldChanges change each field that the decoder knows.
func wireFieldChanges() (all []wireChange) {
	for _, operation := range wireGets {
		for _, f := range wireFields(operation) {
			add := func(name string, do func(object *wireNode, i int)) {
				kind := wireOnlyShown
				switch {
				case strings.HasPrefix(name, "twice, the same"):
					kind = "the same"
				case f.decides && strings.HasPrefix(name, "twice"):
					kind = wireTwice
				case f.isWrong(name):
					kind = wireWrong
				case f.decides:
					kind = wireDeciding
				}
				all = append(all, wireChange{
					name: "the field " + f.String() + ": " + name, kind: kind, operations: []mockserver.Operation{operation}, field: &f,
					do: func(a *wireAnswer, _ *http.Request, _ *wireServer) {
						whole := wireParse(string(a.body))
						for _, object := range whole.at(f.place) {
							i := slices.IndexFunc(object.fields, func(other wireField) bool { return other.name == f.name })
							isTwice := strings.HasPrefix(name, "twice") && i >= 0
							if isTwice && object.fields[i].value.kind == 'n' { // Null beside null would be the same.
								continue
							}
							if i >= 0 {
								do(object, i)
							}
							break
						}
						a.body = []byte(wireStyle{}.text(whole))
					},
				})
			}
			add("absent", func(object *wireNode, i int) { object.fields = slices.Delete(object.fields, i, i+1) })
			values := f.values()
			for _, name := range slices.Sorted(maps.Keys(values)) {
				add(name, func(object *wireNode, i int) { object.fields[i].value = wireRaw(values[name]) })
			}
			add("twice, the same", func(object *wireNode, i int) { object.fields = append(object.fields, object.fields[i]) })
			add("twice, the same in another form", func(object *wireNode, i int) {
				other := wireStyle{space: "\n", escapes: true}.text(object.fields[i].value)
				object.fields = append(object.fields, wireField{f.name, wireRaw(other)})
			})
			for _, value := range f.twice() {
				add("twice, first "+value, func(object *wireNode, _ int) {
					object.fields = slices.Insert(object.fields, 0, wireField{f.name, wireRaw(value)})
				})
				add("twice, last "+value, func(object *wireNode, _ int) {
					object.fields = append(object.fields, wireField{f.name, wireRaw(value)})
				})
			}
		}
	}
	return all
}

// wireRaw is a value as it is written.
func wireRaw(text string) *wireNode { return &wireNode{kind: '?', raw: text} }
