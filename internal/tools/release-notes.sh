#!/bin/bash
# Prints what CHANGELOG.md says of a version, and fails if it says nothing.
# Usage: release-notes.sh VERSION
set -euo pipefail
cd "$(dirname "$0")/../.."

# The links that end the file belong to its headings.
notes=$(awk -v heading="## [$1] - " '
	/^## / { within = index($0, heading) == 1; next }
	within && !/^\[[^]]*\]: /
' CHANGELOG.md)
! grep -q "^## \[$1\] - Unreleased" CHANGELOG.md || { echo "CHANGELOG.md has no date under \"## [$1]\"." >&2; exit 1; }
[ -n "${notes//[[:space:]]/}" ] || { echo "CHANGELOG.md says nothing under \"## [$1] - DATE\"." >&2; exit 1; }
echo "$notes" | sed '/./,$!d'
