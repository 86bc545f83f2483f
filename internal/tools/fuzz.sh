#!/bin/bash
# Runs every fuzz target for the given time, one after the other.
set -euo pipefail

for package in ./internal/audioprojects ./internal/provider; do
	for target in $(go test -list '^Fuzz' $package | grep '^Fuzz'); do
		if ! go test -run '^$' -fuzz "^$target\$" -fuzztime "$1" -fuzzminimizetime 10x $package 2>&1 | tee .bin/fuzz.log; then
			# Go itself may fail to end in time, and says so; what fails a target is written down, and shown
			# because it is lost with the machine of a workflow.
			for input in $(sed -n 's/.*Failing input written to //p' .bin/fuzz.log); do
				echo "$package/$input:" && cat "$package/$input" && exit 1
			done
			grep -q 'context deadline exceeded' .bin/fuzz.log || exit 1
		fi
	done
done
