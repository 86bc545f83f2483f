#!/bin/sh
# Writes the cost estimates of the plan in `tfplan` as Markdown to estimate.md, from all modules, also if the plan was refused.
# On GitHub, also to the page of the run, and to a comment of the pull request: one for each book, which later runs update.
set -eu

mark="<!-- estimate of ${TF_VAR_project_id:-the plan} -->"
{ terraform show -json tfplan || echo '{"errored": true}'; } | jq -r --arg mark "$mark" '
  # Cuts long text, and escapes what Markdown would interpret as HTML numbers. As code, it mentions and links nobody.
  def cell: tostring[:80] | gsub("\\s+"; " ") | gsub("(?<own>[\\\\|<>&`*_~\\[\\]#@$])"; "&#\(.own | explode[0]);");
  def code: "<code>\(cell)</code>";

  # What Terraform reads only during the apply has an old value here, or none.
  [.resource_changes[]? | select(.change.actions == ["read"]).address] as $later
  | [.prior_state | .. | objects | select(.mode? == "data" and .type? == "audioprojects_project_estimate")
    | select(.address | IN($later[]) | not).values] as $estimates
  | $mark,
    (if .errored then "**The plan has failed.** The log of the job says why.\n" else empty end),
    (if $estimates == [] then "The plan has no estimate." elif .errored then "The estimate may be that of an earlier plan.\n" else empty end),
    ($estimates[]
    | (.chapters // []) as $chapters
    | "**\(.project_id | code): \(if .characters == null then "not all characters are counted" else "\(.characters) characters at most" end)**\n",
      (if $chapters == [] then empty else "| chapter | characters | why |\n|---|--:|---|" end),
      ($chapters[:100][] | "| \(.name // .chapter_id | code) | \(.characters // "not counted") | \(.reason // "" | cell) |"),
      (if ($chapters | length) > 100 then "| and \(($chapters | length) - 100) more | | |" else empty end),
      "")
' >estimate.md

if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
  cat estimate.md >>"$GITHUB_STEP_SUMMARY"
fi
if [ -n "${PULL_REQUEST:-}" ]; then
  issues=repos/$GITHUB_REPOSITORY/issues
  # A comment has room for 65,536 characters.
  if [ "$(wc -c <estimate.md)" -gt 60000 ]; then
    { head -c 60000 estimate.md | sed '$d'; printf '\nThe rest is on the page of the run.\n'; } >comment.md
  else
    cp estimate.md comment.md
  fi
  comments=$(gh api --paginate "$issues/$PULL_REQUEST/comments" \
    --jq ".[] | select(.user.login == \"github-actions[bot]\" and (.body | startswith(\"$mark\"))).id")
  if [ -n "$comments" ]; then
    gh api --silent --method PATCH "$issues/comments/$(echo "$comments" | head -n 1)" --field body=@comment.md
  else
    gh api --silent "$issues/$PULL_REQUEST/comments" --field body=@comment.md
  fi
fi
