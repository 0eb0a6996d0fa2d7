# SPDX-License-Identifier: Apache-2.0
set(BENCH_LINK scenarios scenarios_private model_kernel_exports)
set(BENCH_SOURCES loaded.c)
