#!/bin/sh
# Makes a mirror from which Terraform and OpenTofu install the provider that was built into a folder, .bin/ if none is given,
# and prints the path of the CLI configuration that uses it. Unlike with dev_overrides no command warns, and `init` writes a
# lock file.
# Usage: mirror.sh FOLDER [BUILT]
set -eu

folder=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
addresses=''
# The version that the documentation's configurations ask for.
version=$(sed -n 's/^## \[\([0-9][^]]*\)\].*/\1/p' "$root/CHANGELOG.md" | head -n 1)

# A source that names no host means one registry to Terraform, and another to OpenTofu.
for host in registry.terraform.io registry.opentofu.org; do
	address=$host/audioprojects/audioprojects
	package=$folder/mirror/$address/$version/$(go env GOOS)_$(go env GOARCH)
	mkdir -p "$package"
	ln -sf "${2:-$root/.bin}/terraform-provider-audioprojects" "$package/terraform-provider-audioprojects_v$version"
	addresses="$addresses${addresses:+, }\"$address\""
done

cat >"$folder/cli.tfrc" <<END
provider_installation {
  filesystem_mirror {
    path    = "$folder/mirror"
    include = [$addresses]
  }
  direct {
    exclude = [$addresses]
  }
}
END
echo "$folder/cli.tfrc"
