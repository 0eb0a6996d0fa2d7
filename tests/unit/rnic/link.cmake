# SPDX-License-Identifier: Apache-2.0
set(UNIT_LINK fabric_rnic fabric_rnic_private)
