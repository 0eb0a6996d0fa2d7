# SPDX-License-Identifier: Apache-2.0
# Cross build for arm64 on Debian; the tests run under qemu-aarch64 (see portability.sh).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_ASM_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(ENV{PKG_CONFIG_LIBDIR} "/usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig")
set(NDKSIM_QEMU_PAGE "" CACHE STRING "Host page size for qemu, empty for its default")
set(emulator qemu-aarch64)
if(NDKSIM_QEMU_PAGE)
  list(APPEND emulator -p "${NDKSIM_QEMU_PAGE}")
endif()
set(CMAKE_CROSSCOMPILING_EMULATOR "${emulator}")
