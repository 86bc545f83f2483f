#!/bin/bash
# Runs the mock server until Ctrl-C, after saying how a configuration in another folder uses it.
# Usage: mock.sh PORT PACE CLI [HABITS…]   (a Terraform or OpenTofu, 1.5 or newer; `make mock` builds the rest)
set -euo pipefail

port=$1 pace=$2 cli=$3
shift 3
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$root/.bin/mock"
settings=$("$root/internal/tools/mirror.sh" "$root/.bin/mock")
name=$(basename "$cli")
path=''
[ "$(command -v "$name" || true)" = "$cli" ] || path="
  export PATH=\"$(dirname "$cli"):\$PATH\""

cat <<END
The mock server, until Ctrl-C; it forgets everything then. A conversion takes some $pace.

1. In another terminal, in an empty folder:
$path
  export TF_CLI_CONFIG_FILE="$settings"
  export AUDIOPROJECTS_BASE_URL=http://127.0.0.1:$port
  export AUDIOPROJECTS_API_KEY=mock-key

2. In a file there, main.tf:

  terraform {
    required_providers {
      audioprojects = {
        source = "audioprojects/audioprojects"
      }
    }
  }

  resource "audioprojects_project_conversion" "book" {
    project_id = "audiobook"
  }

3. Then:

  $name init
  $name apply

The project has five chapters, chapter-1 to chapter-5. Every request is a line here:

END
exec "$root/.bin/mockserver" -addr "127.0.0.1:$port" -pace "$pace" "$@"
