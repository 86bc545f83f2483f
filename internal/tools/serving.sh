# Sourced by the scripts that need a mock server: they have set $root and $work.

# Job control gives a child a process group of its own, so that Ctrl-C reaches the script alone.
start() {
	set -m
	"$@" </dev/null &
	set +m
}

# serve starts a mock server and waits until it listens. It sets $mock, $log and $url. Usage: serve FLAG…
serve() {
	log=$(mktemp "$work/mock.XXXXXX")
	start "$root/.bin/mockserver" -addr 127.0.0.1:0 "$@" >"$log" 2>&1
	mock=$!
	until url=$(sed -n '1s/^listening on //p' "$log") && [ -n "$url" ]; do
		kill -0 "$mock" 2>/dev/null || { cat "$log"; echo 'The mock server did not start.' >&2; exit 1; }
		sleep 0.1
	done
	export AUDIOPROJECTS_BASE_URL=$url AUDIOPROJECTS_API_KEY=mock-key CHECKPOINT_DISABLE=1
}
