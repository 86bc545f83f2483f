package edges_test

import "github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"

const (
	argumentNoID       = "The value must be an identifier of the service"
	argumentNoDuration = "The value must be a duration longer than 0"
	argumentNoSnapshot = "Set either `project_snapshot_id` or `most_recent = true`"
	argumentAnyBool    = "Each truth value is good."
	argumentAnyText    = "Any strings are triggers."
	// argumentFolder stands for a folder of the play's own. It has a file.
	argumentFolder = "FOLDER"
	argumentFile   = "somebody.wav"
)

var (
	argumentNoNumber  = argumentBad("The value must be a whole number from ", -1, 0.5, 1e30)
	argumentDurations = argumentRow{good: argumentGood("1h", "90m"), bad: argumentBad(argumentNoDuration, "", "soon", "0s", "-1h")}
)

// argumentDuration is the row of a duration.
func argumentDuration(name string) argumentRow {
	row := argumentDurations
	row.argument = name
	return row
}

// argumentRows are the values of all arguments. Of several rows for one, the first that fits holds.
var argumentRows = []argumentRow{
	{argument: "project_id", blocks: "resource audioprojects_project_snapshot_audio", good: argumentGood("book", "other"), bad: argumentBad(argumentNoID, "", ".", "..")},
	{argument: "project_id", blocks: "data source audioprojects_chapter_snapshots", good: argumentGood("book", "other"), bad: append(argumentBad(argumentNoID, "", ".", ".."),
		argumentValue{value: "nowhere", says: "404 Not Found", from: "plan", at: "-"})},
	{argument: "project_id", good: argumentGood("book", "other"), bad: append(argumentBad(argumentNoID, "", ".", ".."),
		argumentValue{value: "nowhere", says: "404 Not Found", from: "plan"})},
	{argument: "chapter_id", blocks: "data source audioprojects_chapter_snapshots", good: argumentGood("one", "two"), bad: append(argumentBad(argumentNoID, "", ".", ".."),
		argumentValue{value: "nowhere", says: "404 Not Found", from: "plan", at: "-"})},
	{argument: "chapter_id", blocks: "data source audioprojects_chapter", good: append(argumentGood("one", "two"),
		argumentValue{beside: argumentsMap{"name": "Chapter one"}}),
		bad: append(argumentBad(argumentNoID, "", ".", ".."),
			argumentValue{says: "Set either `chapter_id` or `name`"},
			argumentValue{value: "one", beside: argumentsMap{"name": "Chapter one"}, says: "Set only one of them"},
			argumentValue{value: "nowhere", says: "has no chapter with this id", from: "plan"})},
	{argument: "chapter_id", good: argumentGood("one", "two"), bad: append(argumentBad(argumentNoID, "", ".", ".."),
		argumentValue{value: "nowhere", says: "\"nowhere\"", from: "plan"})},
	{argument: "name", good: append(argumentGood(nil), argumentValue{value: "Chapter one", beside: argumentsMap{"chapter_id": nil}}), bad: []argumentValue{
		{beside: argumentsMap{"chapter_id": nil}, says: "Set either `chapter_id` or `name`", at: "chapter_id"},
		{value: "Chapter one", says: "Set only one of them", at: "chapter_id"},
		{value: "Nobody", beside: argumentsMap{"chapter_id": nil}, says: "has no chapter with this name", from: "plan"},
	}},
	{argument: "chapter_ids", good: append(argumentGood([]string{"one"}, []string{"one", "two"}, nil),
		argumentValue{beside: argumentsMap{"exclude_chapter_ids": []string{"two"}}}), bad: []argumentValue{
		{value: []string{}, says: "leave out `chapter_ids`"},
		{value: []string{"one"}, beside: argumentsMap{"exclude_chapter_ids": []string{"two"}}, says: "Set only one of `chapter_ids` and `exclude_chapter_ids`", at: "exclude_chapter_ids"},
		{value: []string{"nowhere"}, says: "\"nowhere\"", from: "plan"},
	}},
	{argument: "chapter_ids.*", good: argumentGood("two", "three"), bad: append(argumentBad(argumentNoID, "", "."),
		argumentValue{says: "An element of `chapter_ids` is null"},
		argumentValue{value: "nowhere", says: "\"nowhere\"", from: "plan", at: "chapter_ids"})},
	{argument: "exclude_chapter_ids", good: append(argumentGood([]string{"one"}, []string{"one", "two"}, []string{}, nil),
		argumentValue{beside: argumentsMap{"chapter_ids": []string{"one"}}},
		argumentValue{value: []string{}, beside: argumentsMap{"chapter_ids": []string{"one"}}}), bad: []argumentValue{
		{value: []string{"two"}, beside: argumentsMap{"chapter_ids": []string{"one"}}, says: "Set only one of `chapter_ids` and `exclude_chapter_ids`"},
		{value: []string{"nowhere"}, says: "\"nowhere\"", from: "plan"},
	}},
	{argument: "exclude_chapter_ids.*", good: argumentGood("two", "three"), bad: append(argumentBad(argumentNoID, "", "."),
		argumentValue{says: "An element of `exclude_chapter_ids` is null"},
		argumentValue{value: "nowhere", says: "\"nowhere\"", from: "plan", at: "exclude_chapter_ids"})},
	{argument: "triggers", good: argumentGood(argumentsMap{"voice": "Ada"}, argumentsMap{"voice": "Bela"}, argumentsMap{}), free: argumentAnyText},
	{argument: "triggers.*", good: argumentGood("Ada", "Bela", "", nil), free: argumentAnyText},
	{argument: "keep_up_to_date", good: argumentGood(true, false), free: argumentAnyBool},
	{argument: "all", good: argumentGood(true, false), free: argumentAnyBool},
	{argument: "only_unconverted", good: argumentGood(true, false), free: argumentAnyBool},
	{argument: "convert_to_mpeg", good: argumentGood(true, false), free: argumentAnyBool},
	{argument: "overwrite", good: append(argumentGood(true, false), argumentValue{value: true, beside: argumentThere}), bad: []argumentValue{
		{value: false, beside: argumentThere, says: "set `overwrite = true`", from: "plan", at: "filename"},
		{beside: argumentThere, says: "set `overwrite = true`", from: "plan", at: "filename"},
	}},
	{argument: "characters_per_apply", good: argumentGood(1000, 500), bad: append(append(argumentBad("The value must be a whole number from ", 0), argumentNoNumber...),
		argumentValue{value: 1, says: "`characters_per_apply`", from: "plan"})},
	{argument: "timeouts", blocks: "data source", good: argumentGood(argumentsMap{"read": "1h"}, argumentsMap{})},
	{argument: "timeouts", blocks: "action", good: argumentGood(argumentsMap{"invoke": "1h"}, argumentsMap{})},
	{argument: "timeouts", good: argumentGood(argumentsMap{"create": "1h"}, argumentsMap{"update": "1h"}, argumentsMap{})},
	argumentDuration("timeouts.create"),
	argumentDuration("timeouts.update"),
	argumentDuration("timeouts.invoke"),
	argumentDuration("timeouts.read"),
	argumentDuration("chapter_timeout"),
	{argument: "filename", good: argumentGood(argumentFolder+"/book.wav", argumentFolder+"/new/book.wav"), bad: []argumentValue{
		{value: "", says: "must be the path of a file"},
		{value: argumentFolder + "/audio/", says: "must be the path of a file"},
		{value: argumentFolder + "/audio/.", says: "must be the path of a file"},
		{value: "../..", says: "must be the path of a file"},
		{value: "~/book.wav", says: "Terraform does not expand that"},
		{value: argumentFolder, says: "folder", from: "plan"},
	}},
	{argument: "file_permission", good: argumentGood("0600", "644", "000", "0777"),
		bad: argumentBad("three or four octal digits", "", "64", "0648", "1644", "-644")},
	{argument: "when_missing", good: argumentGood("download", "keep"), bad: argumentBad("must be `download` or `keep`", "", "ignore")},
	{argument: "project_snapshot_id", blocks: "data source", good: append(argumentGood("old", "new"), argumentValue{beside: argumentsMap{"most_recent": true}}),
		bad: append(argumentBad(argumentNoID, "", ".", ".."),
			argumentValue{says: argumentNoSnapshot, at: "most_recent"},
			argumentValue{value: "old", beside: argumentsMap{"most_recent": true}, says: argumentNoSnapshot, at: "most_recent"},
			argumentValue{value: "nowhere", says: "has no snapshot with this id", from: "plan"})},
	{argument: "project_snapshot_id", good: argumentGood("old", "new"), bad: argumentBad(argumentNoID, "", ".", "..")},
	{argument: "most_recent", good: append(argumentGood(false, nil), argumentValue{value: true, beside: argumentsMap{"project_snapshot_id": nil}}), bad: []argumentValue{
		{value: true, says: argumentNoSnapshot},
		{value: false, beside: argumentsMap{"project_snapshot_id": nil}, says: argumentNoSnapshot},
		{beside: argumentsMap{"project_snapshot_id": nil}, says: argumentNoSnapshot},
	}},
	{argument: "not_before", good: []argumentValue{{}, {value: "1999-12-31T00:00:00Z", beside: argumentNewest}}, bad: []argumentValue{
		{value: "", beside: argumentNewest, says: "a timestamp of RFC 3339"},
		{value: "946684800", beside: argumentNewest, says: "a timestamp of RFC 3339"},
		{value: "1999-12-31T00:00:00Z", says: "leave out `not_before`"},
		{value: "2030-01-01T00:00:00Z", beside: argumentNewest, says: "Timed out after 2m0s", from: "plan"},
	}},

	{argument: "api_key", good: argumentGood(mockserver.Secret), bad: []argumentValue{
		{value: "two\nlines", says: "an HTTP header cannot carry"},
		{value: "", says: "Every request to the service needs an API key", from: "plan"},
		{says: "Every request to the service needs an API key", from: "plan"},
		{value: "another", says: "401", from: "plan", at: "-"},
	}},
	{argument: "base_url", good: argumentGood("http://localhost", "http://127.0.0.1/"), bad: []argumentValue{
		{value: "ftp://localhost", says: "An example of a valid address is"},
		{value: "localhost", says: "An example of a valid address is"},
		{value: "http://audio.example.com", beside: argumentsMap{"allow_http": false}, says: "Plain http would show the API key"},
		{value: "http://audio.example.com", says: "Plain http would show the API key", from: "plan"},
		{value: "", says: "does not know where the service is", from: "plan"},
		{says: "does not know where the service is", from: "plan"},
	}},
	{argument: "allow_http", good: append(argumentGood(true, false), argumentValue{value: true, beside: argumentFar}), bad: []argumentValue{
		{value: false, beside: argumentFar, says: "Plain http would show the API key", at: "base_url"},
		{beside: argumentFar, says: "Plain http would show the API key", from: "plan", at: "base_url"},
	}},
	{argument: "api_path", good: argumentGood("/v1", ""), bad: append(argumentBad("Examples of valid paths are", "v1", "/v1?", "/../v1"),
		argumentValue{value: "/v2", says: "404 Not Found", from: "plan", at: "project_id"})},
	{argument: "request_timeout", good: argumentGood("1m", ""), bad: argumentBad(argumentNoDuration, "soon", "0s", "-1h")},
	{argument: "max_retries", good: argumentGood(0, 1000), bad: append(argumentBad("The value must be a whole number from 0 to 1000", 1001), argumentNoNumber...)},
	{argument: "parallel_conversions", good: argumentGood(1, 1000), bad: append(argumentBad("The value must be a whole number from 1 to 1000", 0, 1001), argumentNoNumber...)},
	{argument: "max_characters", good: argumentGood(1000, 1_000_000_000_000), bad: append(argumentNoNumber,
		argumentValue{value: 1_000_000_000_001, says: "The value must be a whole number from "},
		argumentValue{value: 1, says: "The conversions would exceed the limit of 1 character ", from: "plan", at: "chapter_id"})},
}

var (
	argumentNewest = argumentsMap{"project_snapshot_id": nil, "most_recent": true}
	argumentThere  = argumentsMap{"filename": argumentFolder + "/" + argumentFile}
	argumentFar    = argumentsMap{"base_url": "http://audio.example.com"}
)

// argumentEnvironment are the values of the environment variable that can set an argument of the provider, and what their errors say; of
// an empty one, there may be none.
type argumentEnvironment struct {
	good               string
	bad                []string
	badSays, emptySays string
	// unknownSays is a part of the plan's error if the variable is good, and the block unknown. Such a variable is judged beside the block.
	unknownSays string
}

// argumentEnvironments are those of all variables.
var argumentEnvironments = map[string]argumentEnvironment{
	"AUDIOPROJECTS_API_KEY":        {good: mockserver.Secret, bad: []string{"two\nlines"}, badSays: "an HTTP header cannot carry", emptySays: "Every request to the service needs an API key"},
	"AUDIOPROJECTS_BASE_URL":       {good: "http://localhost", bad: []string{"ftp://localhost"}, badSays: "An example of a valid address is", emptySays: "does not know where the service is"},
	"AUDIOPROJECTS_API_PATH":       {good: "/v1", bad: []string{"v1?"}, badSays: "Examples of valid paths are"},
	"AUDIOPROJECTS_ALLOW_HTTP":     {good: "true", bad: []string{"perhaps"}, badSays: "must be true or false"},
	"AUDIOPROJECTS_MAX_CHARACTERS": {good: "1000", bad: []string{"50k", "-1", "0.5", "1000000000001"}, badSays: "must be a whole number from 0 to", emptySays: "is set, and empty", unknownSays: "so it cannot check the limit of"},
}
