# SPDX-License-Identifier: Apache-2.0
# Providers that break nothing: they offer less, or another transport. judging.py tries them.
set(settings ndkpi-model/provider/settings.c)
ndksim_add_variant(offers-ndk-1-1 BASE ndksim-rnic FILE ${settings}
  OLD [==[NdkMajorMax, 2, 1, 2,]==]
  NEW [==[NdkMajorMax, 1, 1, 2,]==]
  OLD2 [==[NdkMinorMax1, 2, 1, 2,]==]
  NEW2 [==[NdkMinorMax1, 1, 1, 2,]==])
ndksim_add_variant(offers-ndk-1-2 BASE ndksim-rnic FILE ${settings}
  OLD [==[NdkMajorMax, 2, 1, 2,]==]
  NEW [==[NdkMajorMax, 1, 1, 2,]==])
ndksim_add_variant(offers-ndk-2-0 BASE ndksim-rnic FILE ${settings}
  OLD [==[NdkMajorMin, 1, 1, 2,]==]
  NEW [==[NdkMajorMin, 2, 1, 2,]==]
  OLD2 [==[NdkMinorMax2, 1, 0, 1,]==]
  NEW2 [==[NdkMinorMax2, 0, 0, 1,]==])
foreach(technology NdkiWarp NdkInfiniBand NdkRoCE)
  string(TOLOWER "${technology}" name)
  ndksim_add_variant(has-${name} BASE ndksim-rnic FILE ${settings}
    OLD [==[Technology, NdkRoCEv2, NdkiWarp, NdkRoCEv2,]==]
    NEW "Technology, ${technology}, NdkiWarp, NdkRoCEv2,"
    OLD2 [==[(Settings->Technology == NdkRoCEv2 || Settings->Technology == NdkiWarp)]==]
    NEW2 "(Settings->Technology == ${technology})")
endforeach()
