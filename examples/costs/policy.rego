# Denies a plan with an error, one that is not all there, an unknown cost, and more characters than the budget, for Conftest and OPA.
# Usage: jq -s '{lines: .}' plan.jsonl >plan.json   (of `terraform plan -json >plan.jsonl`)
#        conftest test --policy policy.rego plan.json
package main

import rego.v1

budget := 50000

deny contains "Incomplete plan" if count([line | some line in input.lines; line.changes.operation == "plan"]) != 1

deny contains diagnostic.summary if {
	some diagnostic in diagnostics
	diagnostic.severity == "error"
}

deny contains "Unknown cost" if {
	some diagnostic in diagnostics
	costs_unknown(diagnostic)
}

deny contains "Unknown cost, hidden by a replacement" if {
	some line in input.lines
	hides_cost(line)
}

deny contains sprintf("%d characters, and the budget is %d", [total, budget]) if total > budget

diagnostics := [line.diagnostic | some line in input.lines]

estimates := [diagnostic | some diagnostic in diagnostics; startswith(diagnostic.summary, "Conversions that cost")]

total := sum([characters(estimate) | some estimate in estimates])

# What the apply requests stands in the summary of a project conversion, and in the first line of a chapter conversion's estimate.
characters(estimate) := number(`, ([0-9,]+) characters? at most$`, estimate.summary)

characters(estimate) := number(`\n +([0-9,]+)  "`, estimate.detail) if endswith(estimate.summary, `"`)

number(pattern, text) := to_number(replace(regex.find_all_string_submatch_n(pattern, text, 1)[0][1], ",", ""))

costs_unknown(diagnostic) if contains(diagnostic.detail, "does not know what the conversions cost")

costs_unknown(diagnostic) if {
	diagnostic in estimates
	not characters(diagnostic)
}

# Terraform hides what a resource says of a replacement that only Terraform knows of.
hides_cost(line) if {
	line.change.action == "replace"
	line.type == "planned_change"
	line.change.resource.resource_type in {"audioprojects_chapter_conversion", "audioprojects_project_conversion"}
	not line.change.reason in {"tainted", "cannot_update"}
}
