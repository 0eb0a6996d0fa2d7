# SPDX-License-Identifier: Apache-2.0
# The pure parts of smb-direct, compiled as they are in the drivers. Tests stand in for the few
# kernel calls that they make.
if(NOT NDKSIM_CORE_ONLY)
  set(smb_direct_pure_dir "${PROJECT_SOURCE_DIR}/consumers/smb-direct")
  add_library(smb_direct_pure STATIC
    "${smb_direct_pure_dir}/mini_wire.c"
    "${smb_direct_pure_dir}/smbd_check.c"
    "${smb_direct_pure_dir}/smbd_credit.c"
    "${smb_direct_pure_dir}/smbd_stream.c"
    "${smb_direct_pure_dir}/smbd_wire.c")
  target_include_directories(smb_direct_pure PUBLIC "${smb_direct_pure_dir}")
  target_compile_options(smb_direct_pure PRIVATE -fshort-wchar -Wno-multichar)
  target_link_libraries(smb_direct_pure PRIVATE ndksim_flags model_wdk_crt)
  set(UNIT_LINK smb_direct_pure model_wdk)
endif()
