#!/bin/bash
# Makes the release that this commit would be, for this machine alone and without publishing it, and does with it what a
# user does: installs it from a mirror that holds its zip, locks it, applies with it, and is refused another zip.
# Usage: release.sh CLI…   (paths from the repository's root; `make release-test` builds what is needed)
set -euo pipefail

cd "$(dirname "$0")/../.."
root=$PWD
name=terraform-provider-audioprojects
os=$(go env GOOS) arch=$(go env GOARCH)
work=$(mktemp -d "${TMPDIR:-/tmp}/audioprojects-release.XXXXXX")
export GNUPGHOME=$work/gnupg
source internal/tools/serving.sh

finish() {
	kill $(jobs -p) 2>/dev/null || true
	[ ! -d "$GNUPGHOME" ] || gpgconf --kill gpg-agent
	rm -rf "$work"
}
trap finish EXIT
fail() { echo "$*" >&2; exit 1; }
same() { [ "$2" = "$3" ] || fail "$1: expected"$'\n'"$2"$'\n'"and found"$'\n'"$3"; }

.bin/goreleaser check

skipped=publish
if command -v gpg >/dev/null; then
	mkdir -m 700 "$GNUPGHOME"
	# Of a kind that the Terraform Registry accepts: it takes no elliptic curves.
	export PASSPHRASE=release-test
	gpg --batch --quiet --pinentry-mode loopback --passphrase "$PASSPHRASE" --quick-generate-key release-test rsa3072 sign 1d
	export GPG_FINGERPRINT && GPG_FINGERPRINT=$(gpg --list-keys --with-colons | sed -n 's/^fpr:*\([^:]*\):$/\1/p')
else
	echo 'There is no gpg on the PATH: nothing is signed.' && skipped+=,sign
fi
command -v syft >/dev/null || { echo 'There is no syft on the PATH: no bill of materials is made.'; skipped+=,sbom; }
# All targets would take ten minutes.
sed "s/goos: \[.*/goos: [$os]/; s/goarch: \[.*/goarch: [\"$arch\"]/" .goreleaser.yml >"$work/goreleaser.yml"
.bin/goreleaser release --snapshot --clean --config "$work/goreleaser.yml" --skip "$skipped"

version=$(sed -n 's/.*"version":"\([^"]*\)".*/\1/p' dist/metadata.json)
zip=${name}_${version}_${os}_$arch.zip
sums=${name}_${version}_SHA256SUMS
published=("${name}_${version}_manifest.json" "$zip")
[[ $skipped = *sbom* ]] || published+=("$zip.sbom.json")

mkdir "$work/download"
cp dist/"${name}_$version"* "$work/download/"
cp terraform-registry-manifest.json "$work/download/${published[0]}"
cd "$work/download"
same 'the files that have a checksum' "$(printf '%s\n' "${published[@]}" | sort)" "$(cut -d' ' -f3 "$sums" | sort)"
shasum -a 256 --check --strict --quiet "$sums"
[[ $skipped = *sign* ]] || gpg --quiet --verify "$sums.sig" "$sums"
cd "$root"

serve -pace 0s

export TF_CLI_CONFIG_FILE=$work/cli.tfrc
printf 'provider_installation {\n  filesystem_mirror {\n    path = "%s"\n  }\n}\n' "$work/mirror" >"$TF_CLI_CONFIG_FILE"
# What is no release yet is installed only if its version is asked for.
printf '{"terraform": {"required_providers": {"audioprojects": {"source": "%s", "version": "%s"}}}}\n' \
	audioprojects/audioprojects "$version" >"$work/version_override.tf.json"

for cli in "$@"; do
	cli=$(realpath "$root/$cli")
	printf '\n%s\n' "$("$cli" version | head -n 1)"
	for host in registry.terraform.io registry.opentofu.org; do
		mkdir -p "$work/mirror/$host/audioprojects/audioprojects"
		cp "dist/$zip" "$work/mirror/$host/audioprojects/audioprojects/"
	done
	mkdir "$work/$(basename "$cli")" && cd "$_"
	cp "$root/examples/provider/provider.tf" ../version_override.tf.json .

	"$cli" init >init.log || fail "$(cat init.log)"
	tr -d '\n' <.terraform.lock.hcl | grep -q "\"$version\".*\"h1:" || fail "$(cat .terraform.lock.hcl)"
	"$cli" version | grep -F "audioprojects v$version"
	package=$(echo .terraform/providers/*/*/*/"$version/${os}_$arch")/
	program=$(cd "$package" && echo "${name}_v$version"*)
	same 'the files in the zip' "LICENSE THIRD_PARTY_NOTICES.txt $program" "$(cd "$package" && LC_ALL=C && echo *)"
	grep -qaF "$version" "$package$program" || fail 'The program does not know its version.'
	cp -R "$package" ../altered

	rm -r .terraform
	"$cli" init -lockfile=readonly >init.log || fail "$(cat init.log)"
	"$cli" apply -no-color -auto-approve >apply.log || fail "$(cat apply.log)"
	grep -A 9 'Apply complete! Resources: 1 added' apply.log

	# The same program with another licence: nothing but the checksum can tell. Git makes the zip where there is no zip.
	echo >>../altered/LICENSE
	altered=("$work"/altered/*)
	git -C "$root" archive -o "$work/altered.zip" "${altered[@]/#/--add-file=}" "$(git hash-object -t tree /dev/null)"
	for mirrored in ../mirror/*/audioprojects/audioprojects/"$zip"; do cp ../altered.zip "$mirrored"; done
	rm -r .terraform ../altered
	! "$cli" init -no-color >init.log 2>&1 || fail 'Another zip was installed.'
	tr -s '\n│ ' ' ' <init.log | grep -o "doesn't match any of the checksums[^.]*" || fail "$(cat init.log)"
	cd "$root"
done
