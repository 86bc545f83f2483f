# Prints what a plan may cost, such as "40 chapters, 7,383 characters at most", or "no conversion". Where that cannot be told, it prints
# "cost unknown" and exits with status 1: the plan has an error, an unknown cost, or is not all there.
# Usage: jq -nRr -f estimate.jq plan.jsonl   (of `terraform plan -json >plan.jsonl`)
# With `--arg only number`, it prints only the number of characters, or nothing but an error, "cost unknown".

def thousands: tostring | [while(length > 0; .[:-3]) | .[-3:]] | reverse | join(",");
def count($noun): thousands + " " + $noun + if . == 1 then "" else "s" end;

# What an estimate says of its resource or action: the total in its summary, or the only line of a chapter conversion, whose summary ends with
# the project's name. null: not known.
def cost:
  if .summary | endswith("\"")
  then .detail | {chapters: "1", characters: capture("\n +(?<number>[0-9,]+)  \"").number}
  else .summary | capture(": (?<chapters>[0-9,]+) chapters?, (?<characters>[0-9,]+) characters? at most$")
  end
  | map_values(gsub(","; "") | tonumber);

# Terraform hides what a resource says of a replacement that only Terraform knows of.
def hidesCost:
  .type == "planned_change" and .change.action == "replace"
  and (.change.resource.resource_type | test("^audioprojects_(chapter|project)_conversion$"))
  and (.change.reason | . != "tainted" and . != "cannot_update");

[inputs | select(test("\\S")) | fromjson? // null] as $lines
| [$lines[] | objects | select(.type == "diagnostic").diagnostic] as $diagnostics
| [$diagnostics[] | select(.summary | test("^Conversions (that cost|under way|of an unknown cost)")) | cost // null] as $costs
| if
    all($lines[]; type == "object")
    and ([$lines[] | select(.type == "change_summary" and .changes.operation == "plan")] | length == 1)
    and all($lines[]; hidesCost | not)
    and all($diagnostics[]; .severity != "error" and (.detail | contains("does not know what the conversions cost") | not))
    and all($costs[]; . != null)
  then
    ($costs | {chapters: (map(.chapters) | add // 0), characters: (map(.characters) | add // 0)})
    | if $ARGS.named.only == "number" then .characters
      elif .chapters == 0 then "no conversion"
      else "\(.chapters | count("chapter")), \(.characters | count("character")) at most"
      end
  elif $ARGS.named.only == "number" then
    "cost unknown\n" | halt_error(1)
  else
    "cost unknown", ("" | halt_error(1))
  end
