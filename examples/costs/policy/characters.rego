# Refuses a plan that may convert too many characters:
#   terraform plan -out=tfplan
#   terraform show -json tfplan >tfplan.json
#   conftest test --policy policy tfplan.json
#
# The bill of a plan is in warnings, which its JSON does not have. So the policy goes by data sources `audioprojects_project`
# and `audioprojects_chapters`. A plan that converts a project without such a data source is refused as well.
package main

# Older versions of conftest need this.
import rego.v1

default most_characters := 50000

# Set by a file that `conftest test --data` names.
most_characters := data.most_characters

counts := {"audioprojects_project", "audioprojects_chapters"}

converts := {"audioprojects_project_conversion", "audioprojects_chapter_conversion"}

# The changes that may convert, by their projects.
changes[project_id] contains change if {
	some change in input.resource_changes
	change.type in converts
	some action in change.change.actions
	action in {"create", "update"}
	project_id := object.get(change.change, ["after", "project_id"], "that is known only after the apply")
}

# What a plan reads later, its JSON does not have. An older value may stand there.
later contains change.address if {
	some change in input.resource_changes
	change.type in counts
	"read" in change.change.actions
}

# The most characters that the changes of a project may convert.
most[project_id] := max(numbers) if {
	some project_id, _ in changes
	numbers := {number |
		walk(input.prior_state, [_, source])
		source.mode == "data"
		source.type in counts
		not source.address in later
		source.values.project_id == project_id
		number := source.values.characters_unconverted + converted_again(project_id, source)
	}
	count(numbers) > 0
}

converted_again(project_id, source) := source.values.characters_converted if {
	some change in changes[project_id]
	again(change)
} else := 0

again(change) if {
	change.type == "audioprojects_project_conversion"
	after := object.get(change.change, ["after", "converted_after"], null)
	after != object.get(change.change, ["before", "converted_after"], null)
}

again(change) if {
	change.type == "audioprojects_chapter_conversion"
	object.get(change.change, ["after", "keep_up_to_date"], false) != true
}

again(change) if {
	change.type == "audioprojects_chapter_conversion"
	triggers := object.get(change.change, ["after", "triggers"], null)
	triggers != object.get(change.change, ["before", "triggers"], null)
}

again(change) if {
	change.type == "audioprojects_chapter_conversion"
	object.get(change, "action_reason", "") in {"replace_by_request", "replace_by_triggers"}
}

deny contains message if {
	total := sum([number | some number in most])
	total > most_characters
	message := sprintf("the plan may convert %d characters, and %d are allowed", [total, most_characters])
}

deny contains message if {
	some project_id, _ in changes
	not most[project_id]
	message := sprintf("the plan converts project %s, and no data source counts its characters", [project_id])
}

deny contains message if {
	some invocation in object.get(input, "action_invocations", [])
	startswith(invocation.type, "audioprojects_convert_")
	message := sprintf("the plan invokes %s, whose characters nobody counts here", [invocation.address])
}

# A `check` that fails is a warning of the plan. Here it refuses the plan.
deny contains message if {
	some check in input.checks
	check.status == "fail"
	some instance in check.instances
	some problem in instance.problems
	message := sprintf("%s: %s", [check.address.to_display, problem.message])
}
