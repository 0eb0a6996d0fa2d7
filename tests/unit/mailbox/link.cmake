# SPDX-License-Identifier: Apache-2.0
# The device of examples/mailbox-nic, without a driver.
file(GLOB mailbox_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/mailbox-nic/device/*.c")
add_library(mailbox_device STATIC ${mailbox_sources})
target_include_directories(mailbox_device PUBLIC
  "${PROJECT_SOURCE_DIR}/examples/mailbox-nic/include"
  "${PROJECT_SOURCE_DIR}/examples/mailbox-nic/device")
target_link_libraries(mailbox_device PUBLIC fabric_device fabric_net fabric_wire sim
  PRIVATE ndksim_flags)
set(UNIT_LINK mailbox_device)
