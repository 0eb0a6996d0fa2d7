#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What `make test` runs after its set-up: the release build and the sanitised one, both with warnings
# as errors, all tests of both. The last lines are ctest's.
set -eu
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

case "$(uname -s)" in
    Darwin) presets="ci-release ci-asan" ;;
    *) presets="ci-release ci-asan" ;;
esac
for preset in $presets; do
    log="build/$preset.configure.log"
    mkdir -p build
    cmake --preset "$preset" >"$log" 2>&1 || { cat "$log"; exit 1; }
    cmake --build --preset "$preset" -j "$jobs"
done

failed=
for preset in $presets; do
    printf '\n== tests of %s\n' "$preset"
    ctest --preset "$preset" -j "$jobs" || failed="$failed $preset"
done
if [ -n "$failed" ]; then
    printf 'tests failed in:%s\n' "$failed"
    exit 1
fi
