#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds sim (without host_*) and fabric for arm64 and runs their unit tests under qemu-aarch64, with
# 4 KiB and with 16 KiB host pages. Debian and Ubuntu only.
set -eu
if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "portability: cross tools are taken from Debian packages; this is not Debian, nothing done"
    exit 0
fi
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
for page in 4096 16384; do
    dir="build/arm64-$page"
    mkdir -p build
    cmake -G Ninja -S . -B "$dir" \
        -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/toolchain-aarch64.cmake" -DCMAKE_BUILD_TYPE=Release \
        -DNDKSIM_WERROR=ON -DNDKSIM_CORE_ONLY=ON -DNDKSIM_REGION_SLOT_GIB=1 \
        -DNDKSIM_QEMU_PAGE="$page" >"$dir.configure.log" 2>&1 || { cat "$dir.configure.log"; exit 1; }
    cmake --build "$dir" -j "$jobs"
    printf '\n== arm64 unit tests under qemu, host pages of %s bytes\n' "$page"
    ctest --test-dir "$dir" --no-tests=error --output-on-failure -j "$jobs"
done
