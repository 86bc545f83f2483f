# Refuses a plan that may convert too many characters, by the estimates that its data sources `audioprojects_project_estimate` have read:
#   terraform plan -out=tfplan && terraform show -json tfplan >tfplan.json && conftest test --policy policy tfplan.json
package main

import rego.v1

default most_characters := 50000

most_characters := data.most_characters # set by a file that `conftest test --data` names

# What Terraform reads only during the apply may have an old value here.
estimates := [source.values |
	walk(input.prior_state, [_, source])
	source.type == "audioprojects_project_estimate"
	not source.address in {change.address | some change in input.resource_changes; "read" in change.change.actions}
]

deny contains sprintf("the plan may convert %d characters, and %d are allowed", [total, most_characters]) if {
	total := sum([estimate.characters | some estimate in estimates])
	total > most_characters
}

deny contains sprintf("%s converts, and no estimate counts it", [change.address]) if {
	some change in array.concat(input.resource_changes, object.get(input, "action_invocations", []))
	regex.match(`^audioprojects_(.*_conversion|convert_.*)$`, change.type)
	some action in object.get(change, ["change", "actions"], ["invoke"])
	action in {"create", "update", "invoke"}
	project_id := object.get(change, ["change", "after", "project_id"], null)
	not project_id in {estimate.project_id | some estimate in estimates; is_number(estimate.characters)}
}
