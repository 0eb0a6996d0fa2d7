/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace types of the kernel: X(suffix, name).
 */
#ifndef KRN_TRACE_TYPES_H
#define KRN_TRACE_TYPES_H

#include <sim/trace.h>

#define KRN_TRACE_TYPES(X)                                                                         \
    X(DRIVER_ENTRY, "driver.entry")                                                                \
    X(DRIVER_LOADED, "driver.loaded")                                                              \
    X(DRIVER_FAILED, "driver.failed")                                                              \
    X(DRIVER_UNLOAD, "driver.unload")                                                              \
    X(DRIVER_UNLOADED, "driver.unloaded")                                                          \
    X(BUGCHECK, "bugcheck")                                                                        \
    X(POOL_ALLOCATE, "pool.allocate")                                                              \
    X(POOL_FREE, "pool.free")                                                                      \
    X(POOL_FAIL, "pool.fail")                                                                      \
    X(EVENT_SET, "event.set")                                                                      \
    X(EVENT_RESET, "event.reset")                                                                  \
    X(SEMAPHORE_RELEASE, "semaphore.release")                                                      \
    X(MUTEX_RELEASE, "mutex.release")                                                              \
    X(WAIT_BEGIN, "wait.begin")                                                                    \
    X(WAIT_END, "wait.end")                                                                        \
    X(LOCK_ACQUIRE, "lock.acquire")                                                                \
    X(LOCK_RELEASE, "lock.release")                                                                \
    X(DPC_QUEUE, "dpc.queue")                                                                      \
    X(DPC_RUN, "dpc.run")                                                                          \
    X(DPC_END, "dpc.end")                                                                          \
    X(TIMER_SET, "timer.set")                                                                      \
    X(TIMER_CANCEL, "timer.cancel")                                                                \
    X(TIMER_EXPIRE, "timer.expire")                                                                \
    X(WORK_QUEUE, "work.queue")                                                                    \
    X(WORK_RUN, "work.run")                                                                        \
    X(WORK_END, "work.end")                                                                        \
    X(THREAD_CREATE, "thread.create")                                                              \
    X(THREAD_EXIT, "thread.exit")                                                                  \
    X(RUNDOWN_WAIT, "rundown.wait")                                                                \
    X(RUNDOWN_DONE, "rundown.done")                                                                \
    X(MDL_LOCK, "mdl.lock")                                                                        \
    X(MDL_UNLOCK, "mdl.unlock")                                                                    \
    X(IRP_SEND, "irp.send")                                                                        \
    X(IRP_COMPLETE, "irp.complete")                                                                \
    X(IRP_CANCEL, "irp.cancel")                                                                    \
    X(DEVICE_CREATE, "device.create")                                                              \
    X(DEVICE_DELETE, "device.delete")                                                              \
    X(ADAPTER_INITIALIZE, "adapter.initialize")                                                    \
    X(ADAPTER_HALT, "adapter.halt")                                                                \
    X(ADAPTER_PAUSE, "adapter.pause")                                                              \
    X(ADAPTER_RESTART, "adapter.restart")                                                          \
    X(ADAPTER_POWER, "adapter.power")                                                              \
    X(ADAPTER_RESET, "adapter.reset")                                                              \
    X(ADAPTER_RESET_DONE, "adapter.reset_done")                                                    \
    X(ADAPTER_REMOVED, "adapter.removed")                                                          \
    X(ADAPTER_NDK_ENABLED, "adapter.ndk_enabled")                                                  \
    X(ADAPTER_NDK_DISABLING, "adapter.ndk_disabling")                                              \
    X(ADAPTER_NDK_DISABLED, "adapter.ndk_disabled")                                                \
    X(ADAPTER_LOG, "adapter.log")                                                                  \
    X(ADAPTER_EVENT, "adapter.event")                                                              \
    X(ADAPTER_STATUS, "adapter.status")                                                            \
    X(ADAPTER_OID, "adapter.oid")                                                                  \
    X(ADAPTER_OID_DONE, "adapter.oid_done")                                                        \
    X(ADAPTER_INTERRUPT, "adapter.interrupt")                                                      \
    X(WSK_REGISTER, "wsk.register")                                                                \
    X(WSK_DEREGISTER, "wsk.deregister")                                                            \
    X(WSK_CAPTURE, "wsk.capture")                                                                  \
    X(WSK_RELEASE, "wsk.release")                                                                  \
    X(WSK_NOTIFY, "wsk.notify")                                                                    \
    X(NDK_OPEN, "ndk.open")                                                                        \
    X(NDK_OPENED, "ndk.opened")                                                                    \
    X(NDK_CLOSE, "ndk.close")                                                                      \
    X(NDK_CLOSED, "ndk.closed")

#define KRN_TRACE_TYPE(suffix, name) KRN_TRACE_##suffix,
enum krn_trace_type {
    KRN_TRACE_FIRST = SIM_TRACE_KERNEL - 1,
    KRN_TRACE_TYPES(KRN_TRACE_TYPE) KRN_TRACE_END,
};
#undef KRN_TRACE_TYPE

#endif
