#!/bin/bash
# Runs the tests that need a CLI (but TestOneCLI…) on each of the given CLIs, and says how many ran, and which were skipped and why.
# Usage: matrix.sh CLI…
set -uo pipefail

cd "$(dirname "$0")/../.."
# TLS between a CLI and the provider takes more than half of a command's processor time. The tests that say WithTLS have
# it, with each CLI.
export CHECKPOINT_DISABLE=1 TF_CLI_CONFIG_FILE=/dev/null TF_ACC=1 GOGC=400 TF_DISABLE_PLUGIN_TLS=1
summary='' status=0

for name in "$@"; do
	cli=$(realpath "$name")
	version=$("$cli" version | head -n 1)
	printf '\n=== %s (%s)\n' "$version" "$name"
	log=$(mktemp)
	TF_ACC_TERRAFORM_PATH=$cli .bin/gotestsum --format pkgname -- \
		-count 1 -parallel 16 -timeout 20m -run '^Test(Acc|CLI)' ./internal/provider ./internal/tests/pages 2>&1 | tee "$log" || status=1
	[[ $(grep '^DONE ' "$log") =~ ([0-9]+)\ tests?(, ([0-9]+) skipped)?(, ([0-9]+) failures?)? ]]
	skipped=${BASH_REMATCH[3]:-0}
	summary+="$version ($name): $((${BASH_REMATCH[1]:-0} - skipped)) ran, $skipped skipped, ${BASH_REMATCH[5]:-0} failed"$'\n'
	rm "$log"
done

printf '\n%s' "$summary"
exit "$status"
