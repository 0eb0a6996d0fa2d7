# SPDX-License-Identifier: Apache-2.0
# Fewer pages than every adapter must do.
ndksim_add_variant(breaks-r-mem-37 BASE ndksim-rnic FILE ndkpi-model/provider/adapter_info.c
  OLD [==[
    Info->FRMRPageCount = Adapter->FrmrPageCountMax;
]==]
  NEW [==[
    Info->FRMRPageCount = 8;
]==])
