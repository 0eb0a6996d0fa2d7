# SPDX-License-Identifier: Apache-2.0
# Thin on purpose: each target does its own set-up and then asks CMake. Nothing here ever prompts.
.DEFAULT_GOAL := run
RELEASE := build/release
SCENARIO ?= scenarios/library/quickstart.json

.PHONY: run build test check bench campaign portability macos-check setup clean

setup:
	@sh cmake/setup.sh run

build: setup
	@cmake --preset release >build-configure.log 2>&1 || { cat build-configure.log; rm -f build-configure.log; exit 1; }
	@rm -f build-configure.log
	@cmake --build --preset release

run: build
	@$(RELEASE)/ndksim run $(SCENARIO)

test:
	@sh cmake/setup.sh test
	@sh cmake/run-tests.sh

check:
	@sh cmake/setup.sh test
	cmake --workflow --preset check

bench: build
	cmake -S . -B $(RELEASE) -DNDKSIM_TESTS=ON
	cmake --build $(RELEASE) --target bench

campaign:
	@sh cmake/setup.sh test
	@sh tests/campaign/run.sh

portability:
	@sh cmake/setup.sh portability
	@sh cmake/portability.sh

macos-check:
	@sh cmake/macos-check.sh

clean:
	rm -rf build
