# SPDX-License-Identifier: Apache-2.0
# The fake provider of the unit tests stands in for the device.
if(TARGET model_verifier)
  set(BENCH_LINK unit_verifier_support PkgConfig::CMOCKA)
endif()
