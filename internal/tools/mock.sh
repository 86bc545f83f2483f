#!/bin/bash
# Runs the mock server until Ctrl-C, after saying how a configuration in another folder uses it. The server itself prints that, when it
# has its port: another program may take a port that was free when this script began.
# Usage: mock.sh PORT PACE CLI [HABITS…]   (port 0 is any free one; a Terraform or OpenTofu, 1.5 or newer; `make mock` builds the rest)
set -euo pipefail

port=$1 pace=$2 cli=$3
shift 3
if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
	echo "Something else listens on port $port. Take another one: make mock PORT=$((port + 1))" >&2
	exit 1
fi
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$root/.bin/mock"
settings=$("$root/internal/tools/mirror.sh" "$root/.bin/mock")
name=$(basename "$cli")
path=''
[ "$(command -v "$name" || true)" = "$cli" ] || path="
  export PATH=\"$(dirname "$cli"):\$PATH\""

api_path='' last=''
for habit; do
	[ "$last" != -api-path ] || api_path="
  export AUDIOPROJECTS_API_PATH=\"$habit\""
	last=$habit
done

IFS= read -r -d '' greeting <<END || true
The mock server runs on port <port> (PORT=$port) until Ctrl-C, and forgets everything then. A conversion takes about $pace (PACE=$pace).

1. In another terminal, in an empty folder:
$path
  export TF_CLI_CONFIG_FILE="$settings"
  export AUDIOPROJECTS_BASE_URL=http://127.0.0.1:<port> AUDIOPROJECTS_API_KEY=mock-key$api_path

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

With curl you can act as another user, or make the service fail. This edits a text:

  curl -d chapter=chapter-2 http://127.0.0.1:<port>/play/edit

http://127.0.0.1:<port>/play shows the book, and all such commands. Every request of the provider is a line here:

END
exec "$root/.bin/mockserver" -addr "127.0.0.1:$port" -pace "$pace" -greeting "$greeting" "$@"
