# SPDX-License-Identifier: Apache-2.0
set(BENCH_LINK fabric_rnic)
