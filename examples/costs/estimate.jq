# Prints what a plan may cost, such as "40 chapters, 7,383 characters at most", or "no conversion". What the apply only waits for stands
# behind that: "no new conversion. Only waited for: 2 chapters, at most 76 characters more if their conversions fail". Where the cost
# cannot be told, it prints "cost unknown" and exits with status 1: the plan has an error, an unknown cost, or is not all there.
# Usage: jq -nRr -f estimate.jq plan.jsonl   (of `terraform plan -json >plan.jsonl`)
# With `--arg only number`, it prints only the number of characters that the apply requests, as its limit; or nothing but an error, "cost
# unknown". Where conversions cost nothing, that is 1, because a limit of 0 would forbid them.

def thousands: tostring | [while(length > 0; .[:-3]) | .[-3:]] | reverse | join(",");
def count($noun): thousands + " " + $noun + if . == 1 then "" else "s" end;

def number: if . == null then . else gsub(","; "") | tonumber end;
def together: {
  chapters: (map(.chapters) | add // 0),
  characters: (if all(.[]; .characters != null) then map(.characters) | add // 0 else null end)
};

# The summary of a chapter conversion ends with the project's name, and the first line of its estimate is its only one.
def isChapter: .summary | endswith("\"");
def firstLine: {chapters: 1, characters: ([.detail | capture("\n +(?<number>[0-9,]+)  \"").number][0] | number)};

# What the apply requests for a resource or action. null: not known, also in it, for characters that are not counted.
def requested:
  if .summary | startswith("Conversions under way") then {chapters: 0, characters: 0}
  elif isChapter then firstLine
  else [.summary | capture(": (?<chapters>[0-9,]+) chapters?, (?<characters>[0-9,]+) characters? at most$") | map_values(number)][0]
  end;

# What it only waits for, if anything.
def waited:
  if isChapter then select(.summary | startswith("Conversions under way")) | firstLine
  else .detail | capture("(^|\n)Only waited for: (?<chapters>[0-9,]+) chapters?, (at most (?<characters>[0-9,]+)|not all)") | map_values(number)
  end;

def saysWaited:
  if .chapters == 0 then ""
  else
    ". Only waited for: \(.chapters | count("chapter")), "
    + if .characters == null then "not all of them counted"
      else "at most \(.characters | count("character")) more if \(if .chapters == 1 then "its conversion fails" else "their conversions fail" end)"
      end
  end;

# Terraform hides what a resource says of a replacement that only Terraform knows of.
def hidesCost:
  .type == "planned_change" and .change.action == "replace"
  and (.change.resource.resource_type | test("^audioprojects_(chapter|project)_conversion$"))
  and (.change.reason | . != "tainted" and . != "cannot_update");

[inputs | select(test("\\S")) | fromjson? // null] as $lines
| [$lines[] | objects | select(.type == "diagnostic").diagnostic] as $diagnostics
| [$diagnostics[] | select(.summary | test("^Conversions (that cost|under way|of an unknown cost)"))] as $estimates
| [$estimates[] | requested] as $requested
| ([$estimates[] | waited] | together) as $waited
| if
    all($lines[]; type == "object")
    and ([$lines[] | select(.type == "change_summary" and .changes.operation == "plan")] | length == 1)
    and all($lines[]; hidesCost | not)
    and all($diagnostics[]; .severity != "error" and (.detail | contains("does not know what the conversions cost") | not))
    and all($requested[]; .characters != null)
  then
    $requested | together
    | if $ARGS.named.only == "number" then [.characters, ([.chapters, 1] | min)] | max
      elif .chapters > 0 then "\(.chapters | count("chapter")), \(.characters | count("character")) at most\($waited | saysWaited)"
      elif $waited.chapters > 0 then "no new conversion\($waited | saysWaited)"
      else "no conversion"
      end
  elif $ARGS.named.only == "number" then
    "cost unknown\n" | halt_error(1)
  else
    "cost unknown", ("" | halt_error(1))
  end
