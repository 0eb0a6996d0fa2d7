#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What takes too long for `make test`: digests over compilers and optimisation levels, long fuzzing,
# also with each answer shape forced, each fault in each scenario, how soon planted bugs are found
# (k99.py, whose figures stay in build/campaign-out/k99.json and are gone on with), the macOS compile
# check. RUNS=20000 sets how many runs each fuzzed scenario gets, CAMPAIGNS=30 how many campaigns each
# planted bug.
set -eu
runs=${RUNS:-20000}
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
names=$(cd scenarios/library && find . -name '*.json' | sed 's|^\./||; s|\.json$||' | sort)

for compiler in gcc clang; do
    for level in O0 O3; do
        dir="build/campaign-$compiler-$level"
        mkdir -p build
        printf '\n== digests of %s -%s\n' "$compiler" "$level"
        cmake -G Ninja -S . -B "$dir" -DCMAKE_C_COMPILER="$compiler" \
            -DCMAKE_ASM_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=None \
            -DCMAKE_C_FLAGS="-$level -g" -DNDKSIM_TESTS=OFF >"$dir.configure.log" 2>&1 ||
            { cat "$dir.configure.log"; exit 1; }
        cmake --build "$dir" -j "$jobs"
        # shellcheck disable=SC2086
        python3 tests/scenarios/run_scenario.py --program "$dir/ndksim" \
            --scenarios scenarios/library --digests tests/digests.json $names
    done
done

cmake --preset release >build/release.configure.log 2>&1 || { cat build/release.configure.log; exit 1; }
cmake --build --preset release -j "$jobs"
printf '\n== fuzzing, %s runs each\n' "$runs"
python3 tests/scenarios/closes.py --program build/release/ndksim \
    --scenario scenarios/library/teardown-race.json --provider ndkpi-model/provider \
    --out build/campaign-out --runs "$runs"
for scenario in reconnect-storm rejected no-listener; do
    build/release/ndksim fuzz "scenarios/library/$scenario.json" --runs "$runs" --out build/campaign-out
done

printf '\n== conformance cases in random orders\n'
build/release/ndksim fuzz $(find scenarios/conform -name 'R-*.json' ! -name '*-prompt.json' | sort) \
    --runs 50 --out build/campaign-out

printf '\n== fuzzing with each answer shape\n'
python3 tests/campaign/shapes.py --program build/release/ndksim --scenarios scenarios/library \
    --out build/campaign-out/shapes --jobs "$jobs" --runs "$runs" teardown-race
python3 tests/campaign/shapes.py --program build/release/ndksim --scenarios scenarios/library \
    --out build/campaign-out/shapes --jobs "$jobs" --runs 300

printf '\n== each fault in each scenario\n'
python3 -B tests/campaign/faults.py --program build/release/ndksim --scenarios scenarios/library \
    --out build/campaign-out/faults --jobs "$jobs"

printf '\n== scenarios of planted bugs, with the correct drivers\n'
# One of them is not for any order: there a peer may connect before somebody listens.
build/release/ndksim fuzz \
    $(find tests/variants/scenarios -name '*.json' ! -name s22-late-listener.json | sort) \
    --runs 2000 --out build/campaign-out

printf '\n== planted bugs: how soon each strategy finds them (CAMPAIGNS=%s)\n' "${CAMPAIGNS:-30}"
python3 -B tests/campaign/k99.py --program build/release/ndksim \
    --modules build/release/tests/variants/modules --scenarios scenarios/library \
    --table tests/variants/variants.json --work build/campaign-out/k99 \
    --out build/campaign-out/k99.json --jobs "$jobs"

printf '\n== planted bugs: depths, in their twins\n'
python3 -B tests/variants/run_twin.py --program build/release/ndksim \
    --modules build/release/tests/variants/modules --scenarios scenarios/library \
    --table tests/variants/variants.json --out build/campaign-out/twins

printf '\n== planted bugs, shrunk\n'
python3 -B tests/variants/run_shrink.py --program build/release/ndksim \
    --modules build/release/tests/variants/modules --scenarios scenarios/library \
    --table tests/variants/variants.json --out build/campaign-out/shrunk

printf '\n== macOS compile check\n'
sh cmake/macos-check.sh
