#!/bin/bash
# Draws the pictures of the README: runs its configuration, and some of the examples, against mock servers, and keeps
# what Terraform prints as SVG in .github/screens. Everything else goes with the folder it was made in.
# Usage: screens.sh CLI   (a Terraform, 1.14 or newer; `make screens` builds the rest)
set -euo pipefail

cli=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/audioprojects-screens.XXXXXX")

source "$root/internal/tools/serving.sh"

# Whoever is left at the end, after Ctrl-C say, is reached with all that it has started. Nothing here is worth saving:
# Terraform may be cut off in the middle.
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
# Usage: screen NAME ENDS COMMAND…   (the words ENDS must be on the screen)
screen() {
	name=$1 ends=$2 shown=$work/$1.txt
	shift 2
	for line in "$@"; do
		[ ! -s "$shown" ] || echo >>"$shown"
		printf '$ %s\n' "$line" >>"$shown"
		start bash -c "$line" >>"$shown" 2>&1
		case $line in *'# Ctrl-C'*) sleep 6; kill -INT -- "-$!" || true ;; esac
		wait $! || true # Terraform ends with an error when it is interrupted
	done
	grep -q "$ends" "$shown" || { cat "$shown"; exit 1; }

	# Terraform may set a colour at the end of a line for the next one; freeze forgets it there.
	early=$'\e[32m\n' late=$'\n\e[32m' text=$(<"$shown")
	printf '%s\n' "${text//"$early"/$late}" >"$shown"
	# With its own family of fonts, freeze embeds 360 kB of them in every picture.
	(cd "$root" && .bin/freeze "$shown" --language ansi --window --border.radius 8 --border.width 1 --padding 16,28,16,16 \
		--font.family monospace --font.size 12 --line-height 1.3 --wrap 150 --output ".github/screens/$name.svg" </dev/null)
}

# Each story has a service of its own. Chapters that take some twelve seconds are seen waiting, and are waited for in a minute.
audiobook() { serve -pace 12s; }

mkdir -p "$work/bin" "$root/.github/screens"
ln -s "$cli" "$work/bin/terraform"
TF_CLI_CONFIG_FILE=$("$root/internal/tools/mirror.sh" "$work")
export PATH=$work/bin:$PATH TF_CLI_CONFIG_FILE CHECKPOINT_DISABLE=1

cd "$work"
mkdir book nights interrupted adopted
sed -n '/^```terraform$/,/^```$/{//!p;/^```$/q;}' "$root/README.md" >book/main.tf
sed '/^data/,$d' book/main.tf | tee nights/main.tf >interrupted/main.tf
sed '/^# Converts each chapter/,$d' book/main.tf >adopted/main.tf
cp "$root/examples/list-resources/audioprojects_chapter_conversion/list-resource.tfquery.hcl" adopted
for folder in book nights interrupted adopted; do
	terraform -chdir="$folder" init >init.log || { cat init.log; exit 1; }
done

audiobook
cd "$work/book"
screen plan '╵' "terraform plan -out=book.tfplan | sed -n '/Plan:/,/╵/p'"
screen budget 'Too many characters' "AUDIOPROJECTS_MAX_CHARACTERS=2000 terraform plan >/dev/null"
terraform apply book.tfplan >apply.log || { cat apply.log; exit 1; }
curl -sf -d chapter=chapter-3 "$url/play/edit" >/dev/null
screen edit '1 chapter, ' "terraform plan | sed -n '/Plan:/,/╵/p'"

audiobook
cd "$work/interrupted"
terraform plan -out=book.tfplan >/dev/null
screen interrupted 'Apply complete!' 'terraform apply book.tfplan # Ctrl-C after a few seconds' \
	'terraform plan -out=book.tfplan | grep Plan:' 'terraform apply book.tfplan'

audiobook
cd "$work/adopted"
screen query 'Apply complete!' 'terraform query -generate-config-out=chapters.tf' \
	'terraform plan -out=chapters.tfplan | grep Plan:' 'terraform apply chapters.tfplan'

# A hundred chapters, of which three fail the first time.
serve -failing
cd "$work/nights"
terraform plan -out=book.tfplan >/dev/null
screen failures '3 chapters, 117 characters' 'terraform apply book.tfplan' "terraform plan | sed -n '/Plan:/,/╵/p'"
