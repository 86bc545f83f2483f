#!/bin/sh
# Prints the path of a Terraform-compatible CLI of at least MIN_VERSION (MAJOR.MINOR): $TERRAFORM when set,
# else the first NAME on the PATH that is new enough, else a Terraform built from source into .bin/.
# Usage: cli.sh MIN_VERSION NAME...
set -eu

min=$1
shift
names=$(echo "$*" | sed 's/ / or /g')
root=$(cd "$(dirname "$0")/../.." && pwd)

# Without these, asking for the version may warn of a missing configuration file or go to the network.
export TF_CLI_CONFIG_FILE=/dev/null CHECKPOINT_DISABLE=1

version() { # MAJOR.MINOR of a CLI, nothing if it is none
	"$1" version -json 2>/dev/null | sed -n 's/.*"terraform_version": *"\([0-9]*\.[0-9]*\).*/\1/p'
}

new_enough() {
	v=$(version "$1")
	[ -n "$v" ] || return 1
	[ "${v%.*}" -gt "${min%.*}" ] || { [ "${v%.*}" -eq "${min%.*}" ] && [ "${v#*.}" -ge "${min#*.}" ]; }
}

if [ -n "${TERRAFORM:-}" ]; then
	cli=$(command -v "$TERRAFORM") || { echo "TERRAFORM=$TERRAFORM: no such command." >&2; exit 1; }
	new_enough "$cli" || { echo "TERRAFORM=$TERRAFORM is version ${v:-unknown}; this needs $names $min or newer." >&2; exit 1; }
	case $cli in /*) ;; *) cli=$PWD/$cli ;; esac
	echo "$cli"
	exit
fi

for name in "$@"; do
	cli=$(command -v "$name") && new_enough "$cli" && echo "$cli" && exit
done

make -C "$root" --silent .bin/terraform >&2
echo "$root/.bin/terraform"
