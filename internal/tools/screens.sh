#!/bin/bash
# Draws the pictures of the README: runs its configuration, and some of the examples, against the mock server, and keeps
# what Terraform prints as SVG in .github/screens. Everything else goes with the folder it was made in.
# Usage: screens.sh CLI   (a Terraform, 1.14 or newer; `make screens` builds the rest)
set -euo pipefail

cli=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/audioprojects-screens.XXXXXX")

# Job control gives a child a process group of its own, so that whoever is left at the end, after Ctrl-C say, is reached
# with all that it has started. Nothing here is worth saving: Terraform may be cut off in the middle.
start() {
	set -m
	"$@" </dev/null &
	set +m
}

finish() {
	status=$?
	trap '' HUP INT TERM
	for child in $(jobs -p); do
		kill -- "-$child" 2>/dev/null || true
	done
	wait
	rm -rf "$work"
	exit "$status"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# Each command is run as it is shown. Terraform colours what it prints to a file as well.
screen() {
	name=$1 shown=$work/$1.txt
	shift
	for line in "$@"; do
		[ ! -s "$shown" ] || echo >>"$shown"
		printf '$ %s\n' "$line" >>"$shown"
		start bash -c "$line" >>"$shown" 2>&1
		case $line in *'# Ctrl-C'*) sleep 6; kill -INT -- "-$!" || true ;; esac
		wait $! || true # Terraform ends with an error when it is interrupted
	done
	grep -q 'Apply complete!' "$shown" || { cat "$shown"; exit 1; }

	# Terraform may set a colour at the end of a line for the next one; freeze forgets it there.
	early=$'\e[32m\n' late=$'\n\e[32m' text=$(<"$shown")
	printf '%s\n' "${text//"$early"/$late}" >"$shown"
	# With its own family of fonts, freeze embeds 360 kB of them in every picture.
	(cd "$root" && .bin/freeze "$shown" --language ansi --window --border.radius 8 --border.width 1 --padding 16,28,16,16 \
		--font.family monospace --font.size 12 --line-height 1.3 --output ".github/screens/$name.svg" </dev/null)
}

# Chapters that take some twelve seconds are seen waiting, and are waited for in a minute.
start "$root/.bin/mockserver" -addr 127.0.0.1:0 -pace 12s >"$work/mock.log" 2>&1
mock=$!
until url=$(sed -n '1s/^listening on //p' "$work/mock.log") && [ -n "$url" ]; do
	kill -0 "$mock" 2>/dev/null || { cat "$work/mock.log"; echo 'The mock server did not start.' >&2; exit 1; }
	sleep 0.1
done

mkdir -p "$work/bin" "$root/.github/screens"
ln -s "$cli" "$work/bin/terraform"
TF_CLI_CONFIG_FILE=$("$root/internal/tools/mirror.sh" "$work")
export PATH=$work/bin:$PATH TF_CLI_CONFIG_FILE CHECKPOINT_DISABLE=1
export AUDIOPROJECTS_BASE_URL=$url AUDIOPROJECTS_API_KEY=mock-key

cd "$work"
mkdir book crossing adopted
sed -n '/^```terraform$/,/^```$/{//!p;/^```$/q;}' "$root/README.md" >book/main.tf
sed '/^data/,$d' book/main.tf | tee crossing/main.tf >adopted/main.tf
cp "$root/examples/resources/audioprojects_chapter_conversion/resource.tf" crossing
cp "$root/examples/list-resources/audioprojects_chapter_conversion/list-resource.tfquery.hcl" adopted
for folder in book crossing adopted; do
	terraform -chdir="$folder" init >init.log || { cat init.log; exit 1; }
done

# Of a plan, its last line: five chapters of sixteen lines each would leave no room for the apply.
cd "$work/book"
screen apply 'terraform plan -out=book.tfplan | grep Plan:' 'terraform apply book.tfplan'
cd "$work/crossing"
terraform plan -out=crossing.tfplan >/dev/null
screen interrupted 'terraform apply crossing.tfplan # Ctrl-C after some seconds' \
	'terraform plan -out=crossing.tfplan | grep Plan:' 'terraform apply crossing.tfplan'
cd "$work/book"
cp "$root/examples/actions/audioprojects_convert_chapter/action.tf" .
screen action 'terraform apply -auto-approve -invoke=action.audioprojects_convert_chapter.crossing'
cd "$work/adopted"
screen query 'terraform query -generate-config-out=chapters.tf' \
	'terraform plan -out=chapters.tfplan | grep Plan:' 'terraform apply chapters.tfplan'
