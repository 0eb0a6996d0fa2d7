# SPDX-License-Identifier: Apache-2.0
set(UNIT_LINK sim sim_private)
