#!/bin/bash
# Writes the licences and notices of all that is in the released binaries: of Go's own library, and of every module.
# Usage: notices.sh FILE
set -euo pipefail
shopt -s nullglob

out=$PWD/$1
cd "$(dirname "$0")/../.."
mkdir -p "$(dirname "$out")"

notices() { # NAME VERSION SOURCE FOLDER
	local licences=("$4"/LICEN[CS]E* "$4"/COPYING*)
	[ ${#licences[@]} -gt 0 ] || { echo "$1 $2 has no licence in $4: it may not be distributed." >&2; exit 1; }
	printf '\n%s\n%s %s\n%s\n' "$(printf '=%.0s' {1..80})" "$1" "$2" "$3"
	for file in "${licences[@]}" "$4"/NOTICE* "$4"/PATENTS*; do
		printf '\n--- %s\n\n' "$(basename "$file")"
		cat "$file"
	done
}

# Some modules are needed on one system only.
modules=$(for system in darwin freebsd linux windows; do
	GOOS=$system CGO_ENABLED=0 go list -deps \
		-f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' . || exit
done | sort -u)

{
	echo 'terraform-provider-audioprojects contains what follows. The source of each is at the address below its name.'
	version=$(go env GOVERSION)
	notices 'Go and its library' "$version" "https://go.googlesource.com/go/+/refs/tags/$version" "$(go env GOROOT)"
	while read -r path version folder; do
		notices "$path" "$version" "https://pkg.go.dev/$path@$version" "$folder"
	done <<<"$modules"
} >"$out"
