#!/bin/bash
# Checks that dependabot.yml names every indirect module that is in the released binaries: others are not updated.
set -euo pipefail
cd "$(dirname "$0")/../.."

missing=0
# Some modules are needed on one system only.
for system in darwin freebsd linux windows; do
	modules=$(GOOS=$system CGO_ENABLED=0 go list -deps -f '{{with .Module}}{{if .Indirect}}{{.Path}}{{end}}{{end}}' .)
	for module in $(sort -u <<<"$modules"); do
		grep -q -F -x "      - dependency-name: $module" .github/dependabot.yml && continue
		echo "$module ships for $system: name it in .github/dependabot.yml." >&2
		missing=1
	done
done
exit "$missing"
