#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what a stage needs: setup.sh run|test|portability. Never asks; does nothing, and does not
# touch the network, when all is there. Debian and Ubuntu through apt-get, macOS through Homebrew.
set -eu
stage=${1:-run}

debian_run="gcc libc6-dev make cmake ninja-build pkg-config libuv1-dev libjansson-dev python3 binutils"
debian_test="$debian_run libcmocka-dev clang libclang-rt-dev clang-format clang-tidy tshark"
debian_portability="$debian_test gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"
brew_run="cmake ninja pkg-config libuv jansson python3"
brew_test="$brew_run cmocka clang-format wireshark"

say() { printf 'ndksim set-up: %s\n' "$*"; }

setup_debian() {
    eval "wanted=\$debian_$stage"
    missing=
    for package in $wanted; do
        status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
        [ "$status" = installed ] || missing="$missing $package"
    done
    if [ "$stage" = portability ]; then
        status=$(dpkg-query -W -f '${db:Status-Status}' libcmocka-dev:arm64 2>/dev/null || true)
        [ "$status" = installed ] || missing="$missing libcmocka-dev:arm64"
    fi
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" = 0 ]; then
        as_root=
    elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        as_root="sudo -n"
    else
        say "these packages are missing and neither root nor sudo without a password is at hand:"
        say "  apt-get install$missing"
        exit 2
    fi
    say "installing$missing"
    case "$missing" in
        *:arm64*) $as_root dpkg --add-architecture arm64 ;;
    esac
    log=$(mktemp)
    export DEBIAN_FRONTEND=noninteractive
    # $as_root may drop the environment, so the variable is given on the command line too.
    if ! { $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q update &&
        $as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get -q install -y --no-install-recommends $missing; } >"$log" 2>&1 </dev/null; then
        cat "$log"
        rm -f "$log"
        say "apt-get failed; install by hand:$missing"
        exit 2
    fi
    rm -f "$log"
}

setup_macos() {
    [ "$stage" = portability ] && return 0
    if ! command -v brew >/dev/null 2>&1; then
        eval "wanted=\$brew_$stage"
        say "Homebrew is not installed (https://brew.sh); these formulae are needed: $wanted"
        exit 2
    fi
    if ! xcrun --find clang >/dev/null 2>&1; then
        say "no C compiler: run xcode-select --install"
        exit 2
    fi
    eval "wanted=\$brew_$stage"
    missing=
    for formula in $wanted; do
        brew list --formula --versions "$formula" >/dev/null 2>&1 || missing="$missing $formula"
    done
    [ -n "$missing" ] || return 0
    say "installing$missing"
    HOMEBREW_NO_AUTO_UPDATE=1 brew install -q $missing </dev/null
}

case "$(uname -s)" in
    Darwin) setup_macos ;;
    Linux)
        if command -v dpkg-query >/dev/null 2>&1; then
            setup_debian
        else
            say "not a Debian or Ubuntu system: the packages must be there already:"
            eval "say \"\$debian_$stage\""
        fi
        ;;
    *) say "$(uname -s) is not supported; Linux and macOS are" && exit 2 ;;
esac
