#!/bin/bash
# Runs examples/audiobook against the mock server, in a folder and with a server of its own, and leaves nothing behind but
# the audiobook, in .bin/demo.
# Usage: demo.sh CLI   (a Terraform or OpenTofu, 1.5 or newer; `make demo` builds the rest)
set -euo pipefail

cli=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/audioprojects-demo.XXXXXX")
running='' interrupted=''

source "$root/internal/tools/serving.sh"

# Ctrl-C reaches this script alone, which hands it on to Terraform once (a second interrupt makes Terraform quit without
# saving) and keeps the mock server up until Terraform is done.
finish() {
	status=$?
	trap '' HUP INT TERM
	kill $(jobs -p) 2>/dev/null || true
	wait
	rm -rf "$work"
	exit "${interrupted:-$status}"
}
interrupt() {
	interrupted=$1
	[ -n "$running" ] || exit
	kill -INT "$running" 2>/dev/null || true
}
trap finish EXIT
trap 'interrupt 129' HUP
trap 'interrupt 130' INT
trap 'interrupt 143' TERM

await() {
	running=$1
	while :; do
		wait "$1" && status=0 || status=$?
		kill -0 "$1" 2>/dev/null || break # else only a trap has ended the wait
	done
	running=''
	[ -z "$interrupted" ] || exit
	return "$status"
}
run() {
	printf '\n$ %s %s\n' "$(basename "$cli")" "$*" >&2
	start "$cli" "$@"
	await $!
}

quietly() {
	start "$cli" "$@" >"$work/cli.log" 2>&1
	await $! || { cat "$work/cli.log"; exit 1; }
}

serve -pace 4s
echo "The mock server listens on $url. A chapter takes some seconds to convert."

cp -R "$root/examples/audiobook" "$work/audiobook"
cd "$work/audiobook"
TF_CLI_CONFIG_FILE=$("$root/internal/tools/mirror.sh" "$work")
export TF_CLI_CONFIG_FILE

# Colours are for a screen.
[ -t 1 ] || export TF_CLI_ARGS_plan=-no-color TF_CLI_ARGS_apply=-no-color
name=$(basename "$cli")
printf '\n$ %s init   # what it prints is left out\n' "$name"
quietly init
run plan -out=book.tfplan
run apply book.tfplan
run plan -detailed-exitcode || { echo 'The second plan should have been empty.' >&2; exit 1; }

lines=$(wc -l <"$log")
kill "$mock"
wait "$mock" || true
printf '\nThe requests that the mock server got:\n'
tail -n "+$((lines + 1))" "$log"

said() { "$cli" output -json audio | sed 's/.*"'"$1"'":"\{0,1\}\([^",}]*\).*/\1/'; }
path=$(said path)
checksum=$(echo "filesha256(\"$path\")" | "$cli" console | tr -d '"')
[ "$checksum" = "$(said sha256)" ] || { echo "The file has another checksum: $checksum" >&2; exit 1; }
mkdir -p "$root/.bin/demo/$(dirname "$path")"
mv "$path" "$root/.bin/demo/$path"
cat <<END

The audiobook has a tone for each chapter. It is now .bin/demo/$path

Try next:
  examples/audiobook     the configuration that was applied
  make mock              the mock server for a configuration in a folder of your own; it prints how
  docs/index.md          what the provider can do
END
