/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The script consumer: interprets a compiled script (script_program/program.h). What its files
 * share.
 *
 *   DriverEntry -> control thread: WSK way and adapter, unless the script does it
 *               -> one system thread for each thread of the script -> all ended: counter "done"
 *   DriverUnload: waits for all of them, closes what is open, leaves WSK
 *
 * A step that calls NDK makes a CALL, which belongs to two: whoever started it, until it knows the
 * outcome or gives up, and whoever completes it. Completions and events are counted in a SOURCE, so
 * that one that came early is as good as one that comes late. Nothing waits at DISPATCH_LEVEL or in
 * a callback: there a call that pends goes on by itself, and its outcome is checked when it comes.
 */
#ifndef CONSUMERS_SCRIPT_SCRIPT_H
#define CONSUMERS_SCRIPT_SCRIPT_H

#include <ntddk.h>
#include <ntstrsafe.h>
#include <wskndk.h>
#include <ndkpi.h>

#include "ndksim.h"
#include "script_program/program.h"

#define SCRIPT_POOL_TAG 'tprS'
#define SCRIPT_DATA_TAG 'aDrS'
#define SCRIPT_POISON ((PVOID)(ULONG_PTR)0x5C5C5C5C5C5C5C5Cull)

typedef struct script_step STEP;
typedef struct script_arg ARG;

/* Something that comes, counted. */
typedef struct _SOURCE {
    KSPIN_LOCK Lock;
    volatile LONG Seen;
    LONG Taken;   /* by waits */
    ULONG Value;  /* of the last one: status or reason */
    KEVENT Event; /* notification: more seen than taken */
} SOURCE, *PSOURCE;

typedef enum _SLOT_STATE { SlotEmpty, SlotOpening, SlotOpen, SlotClosing, SlotClosed } SLOT_STATE;

/* A result that was taken from a CQ and not asked for yet. */
typedef struct _STASH {
    struct _STASH *Next;
    NDK_RESULT_EX Result;
    BOOLEAN IsExtended;
} STASH, *PSTASH;

typedef struct _WSK_SLOT {
    WSK_REGISTRATION Registration;
    WSK_PROVIDER_NPI Npi;
    WSK_PROVIDER_NDK_DISPATCH Ndk;
    WSK_CLIENT_DISPATCH Dispatch;
    BOOLEAN IsRegistered;
    BOOLEAN IsCaptured;
} WSK_SLOT, *PWSK_SLOT;

/* A named object of the script. */
typedef struct _SLOT {
    ULONG Kind;           /* enum script_object_kind */
    volatile ULONG State; /* SLOT_STATE; cleanup looks while completions change it */
    NDK_OBJECT_HEADER *Object;
    CONST VOID *Dispatch; /* as handed over */
    CONST VOID *Trap;     /* our own table, in the object's place; pool */
    struct _SLOT *Parent; /* adapter of a mapping, WSK client of an adapter */
    SOURCE Event;
    CONST STEP *Made;
    ULONG Connects;       /* listener: connectors handed out */
    LONG Outstanding;     /* QP, SRQ: requests that owe a result */
    BOOLEAN IsGone;       /* closed: its memory is not ours to look at */
    BOOLEAN IsRegistered; /* MR */
    BOOLEAN HasToken;     /* MR: local token, PD: privileged one, as last seen */
    UINT32 Token;
    PSTASH StashFirst; /* CQ */
    PSTASH StashLast;
    PUCHAR Buffer; /* memory; of an MR, MW or mapping: the address of what it covers */
    PUCHAR Mdls;   /* memory: the address that its MDLs say */
    SIZE_T Bytes;
    PMDL Mdl;
    NDK_LOGICAL_ADDRESS_MAPPING *Lam;
    ULONG LamBytes;
    ULONG Fbo;
    struct script_offer Offer; /* remote */
    PWSK_SLOT Wsk;             /* WSK client; pool */
    PWSK_SLOT Opener;          /* of an adapter */
} SLOT, *PSLOT;

/* A call's or a request's name. As RequestContext it is the label of a posted request. */
typedef struct _LABEL {
    SOURCE Done; /* Value: status */
    LONG Posted;
    LONG Completed;
    BOOLEAN IsSilent;
    PVOID Context; /* of the call under way */
} LABEL, *PLABEL;

typedef struct _THREAD_SLOT {
    PVOID Thread;
    SOURCE Ended;
} THREAD_SLOT, *PTHREAD_SLOT;

typedef struct _RUN {
    ULONG It; /* object, SCRIPT_NONE */
    BOOLEAN CanWait;
    BOOLEAN IsStopped; /* by "stop" or a failure */
    BOOLEAN IsTrying;  /* a wrong status is no failure yet */
    ULONG Depth;
} RUN, *PRUN;

typedef struct _SCRIPT {
    struct script_program *Program;
    CONST ARG *Args;
    CONST STEP *Steps;
    CONST struct script_block *Blocks;
    CONST struct script_handler *Handlers;
    PSLOT Slots;
    PLABEL Labels;
    ULONG64 *Variables;
    PSOURCE Signals;
    KSPIN_LOCK *Locks;
    PTHREAD_SLOT Threads;
    SOURCE Transport;
    PVOID Control; /* its thread */
    PDEVICE_OBJECT Device;
    volatile LONG Pending;  /* calls that were not completed yet */
    volatile LONG Working;  /* what runs steps outside of threads, or will: see StepsEnter */
    LONG Cleaning;          /* Cleanup is at it: handlers of events start no more */
    struct _CALL *NullCall; /* the call without a context */
    LONG NullPosts;
    WSK_SLOT OwnWsk; /* of a script that does not register by itself */
} SCRIPT, *PSCRIPT;

extern SCRIPT Script;

/* load.c */
NTSTATUS ScriptLoad(PUNICODE_STRING RegistryPath);
VOID ScriptFree(VOID);

/* args.c */
CONST ARG *ArgFind(CONST STEP *Step, ULONG Member);
CONST ARG *ArgElement(CONST ARG *List, ULONG Member); /* of a list, by member; or NULL */
ULONG64 ArgValue(CONST ARG *Arg);
ULONG64 StepNumber(CONST STEP *Step, ULONG Member, ULONG64 Default);
BOOLEAN StepFlag(CONST STEP *Step, ULONG Member, BOOLEAN Default);
BOOLEAN StepHas(CONST STEP *Step, ULONG Member);
BOOLEAN StepIsNothing(CONST STEP *Step, ULONG Member); /* says "none" */
PSLOT ArgSlot(PRUN Run, CONST ARG *Arg);
PSLOT StepSlot(PRUN Run, CONST STEP *Step, ULONG Member); /* NULL: not said */
CONST ARG *ArgAt(ULONG64 Index);
PCSTR ScriptText(ULONG64 Offset);
PCSTR SlotName(CONST SLOT *Slot);
PCSTR LabelName(CONST LABEL *Label);
PCSTR StatusName(NTSTATUS Status, CHAR Buffer[20]);
/* Whether all conditions hold that compare Left with Right. */
BOOLEAN Compare(ULONG64 Left, ULONG Comparison, ULONG64 Right);
PCSTR ComparisonWord(ULONG Comparison);
BOOLEAN ConditionHolds(CONST ARG *Condition);

/* fail.c: ends the run as a failed expectation of this step; answers FALSE. */
VOID Failed(CONST STEP *Step, PCSTR Format, ...);
#define Fail(...) (Failed(__VA_ARGS__), FALSE)
/* Whether `Status` is among those that the step names; STATUS_SUCCESS when it names none. */
BOOLEAN StatusFits(CONST STEP *Step, NTSTATUS Status);
BOOLEAN StatusCheck(CONST STEP *Step, PCSTR What, NTSTATUS Status);

/* event.c */
VOID SourceInit(PSOURCE Source);
VOID SourceCount(PSOURCE Source, ULONG Value);
/* Takes one, or waits for it. Without limit: Within NULL. FALSE: the time passed. */
BOOLEAN SourceTake(PSOURCE Source, CONST ULONG64 *WithinNs);
LONG SourceLeft(PSOURCE Source); /* seen and not taken */
PSOURCE SourceOf(PRUN Run, CONST ARG *Source);
/*
 * Steps outside of threads are between the two: DPCs, work items, handlers of events, creates with
 * what follows them. Cleanup closes nothing before all have left.
 */
VOID StepsEnter(VOID);
VOID StepsLeave(VOID);
VOID HandlerRun(ULONG Source, ULONG Index, ULONG It);
VOID SlotEvent(PSLOT Slot, ULONG Source, ULONG Value);
VOID ConnectEvent(PVOID Context, NDK_CONNECTOR *Connector);
VOID DisconnectEvent(PVOID Context);
VOID DisconnectEventEx(PVOID Context, ULONG Reason);
VOID NotifyEvent(PVOID Context, NTSTATUS Status);
VOID SrqEvent(PVOID Context, NTSTATUS Status);
NTSTATUS NTAPI TransportEvent(PVOID Context, ULONG Type, PVOID Information, SIZE_T Bytes);
ULONG64 NowNs(VOID); /* virtual time */
VOID SleepNs(ULONG64 Ns);

/* run.c */
BOOLEAN BlockRun(PRUN Run, ULONG Block);
typedef BOOLEAN STEP_ROUTINE(PRUN Run, CONST STEP *Step);
extern STEP_ROUTINE *CONST Verbs[SCRIPT_VERBS];

/* call.c */
typedef enum _CALL_KIND { CallCreates, CallCloses, CallRequests } CALL_KIND;
typedef struct _CALL CALL, *PCALL;
struct _CALL {
    LONG References;
    CALL_KIND Kind;
    BOOLEAN IsOnStack;
    BOOLEAN IsTrying;
    BOOLEAN IsEntered; /* a create: StepsLeave when it is finished */
    CONST STEP *Step;
    ULONG It;
    PSLOT Slot; /* made, closed, or asked */
    PLABEL Label;
    PVOID Out;     /* where a create stores its object */
    PVOID Context; /* as given */
    NTSTATUS Started;
    NTSTATUS Final;
    KEVENT Done;
    NDK_FN_CREATE_COMPLETION Created; /* routines to pass, NULL when the step says so */
    NDK_FN_CLOSE_COMPLETION Closed;
    NDK_FN_REQUEST_COMPLETION Requested;
    VOID (*Finished)(PCALL Call, NTSTATUS Status); /* or NULL */
};
typedef NTSTATUS CALL_ROUTINE(PRUN Run, CONST STEP *Step, PCALL Call);
/* Makes the call and sees to its outcome. */
BOOLEAN CallStep(PRUN Run, CONST STEP *Step, CALL_KIND Kind, PSLOT Slot, CALL_ROUTINE *Routine);
/* A close outside of any step; waits unless `Pending` counts it. */
VOID SlotClose(PSLOT Slot);
/* Takes a handed-over object into a slot. */
VOID SlotFill(PSLOT Slot, NDK_OBJECT_HEADER *Object, CONST STEP *Made);

/* object.c */
/* The object of a step's member, fit for use; NULL after a failure. */
PSLOT StepObject(PRUN Run, CONST STEP *Step, ULONG Member);
/* Its dispatch table: the object's, or of the object that "via" names. */
CONST VOID *StepTable(PRUN Run, CONST STEP *Step, PSLOT Slot);
CONST VOID *SlotTable(CONST SLOT *Slot);
PVOID SlotObject(PRUN Run, CONST STEP *Step, ULONG Member); /* its pointer; NULL when "none" */
NDK_FN_CLOSE_OBJECT SlotCloseRoutine(CONST SLOT *Slot);
STEP_ROUTINE StepCheck, StepSwapDispatch, StepWriteReserved, StepQueryExtension;
BOOLEAN HeaderCheck(CONST STEP *Step, PSLOT Slot, ULONG What);

/* create.c */
STEP_ROUTINE StepCreateCq, StepCreatePd, StepCreateSharedEndpoint, StepCreateConnector,
    StepCreateListener, StepCreateMr, StepCreateMw, StepCreateSrq, StepCreateQp,
    StepCreateQpWithSrq, StepClose;

/* adapter.c */
STEP_ROUTINE StepWskRegister, StepWskCapture, StepWskQuery, StepWskControl, StepWskRelease,
    StepWskDeregister, StepOpenAdapter, StepCloseAdapter, StepQueryAdapterInfo;
NTSTATUS WskEnter(VOID); /* for scripts that do not do it */
VOID WskLeave(VOID);
NTSTATUS AdapterOpen(VOID);
VOID AdapterSlotClose(PSLOT Slot);

/* outputs.c */
typedef struct _OUTPUTS {
    ULONG Count;
    struct {
        ULONG Name; /* enum script_output */
        ULONG64 Value;
    } Values[32];
} OUTPUTS, *POUTPUTS;
VOID OutputAdd(POUTPUTS Outputs, ULONG Name, ULONG64 Value);
/* Stores what "into" wants, checks what "expect" says. */
BOOLEAN OutputsUse(CONST STEP *Step, CONST OUTPUTS *Outputs);

/* memory.c */
STEP_ROUTINE StepAllocate, StepFill, StepCompare, StepPeek, StepReadOffer, StepFree, StepBuildLam,
    StepReleaseLam, StepRegisterMr, StepDeregisterMr, StepInitializeFastRegisterMr,
    StepGetLocalToken, StepGetRemoteToken, StepGetPrivilegedToken;
VOID MemoryFree(PSLOT Slot);
VOID LamRelease(PSLOT Slot);
/* Bytes of a pattern, data or offer, repeated over `Bytes`. */
VOID PatternFill(CONST ARG *Pattern, PUCHAR Buffer, SIZE_T Bytes);
UINT32 TokenOf(PRUN Run, CONST ARG *Token);
/* The piece of memory that a step or an SGE names. */
PUCHAR StepRange(PRUN Run, CONST STEP *Step, PSLOT *Memory, SIZE_T *Bytes);

/* post.c */
STEP_ROUTINE StepFlush, StepSend, StepSendAndInvalidate, StepReceive, StepRead, StepWrite, StepBind,
    StepFastRegister, StepInvalidate, StepSrqReceive;

/* poll.c */
STEP_ROUTINE StepArmCq, StepGetCqResults, StepGetCqResultsEx, StepExpectResult, StepResizeCq,
    StepControlCqInterruptModeration, StepModifySrq;
BOOLEAN PollTake(CONST STEP *Step, PSLOT Cq, ULONG Capacity, BOOLEAN IsExtended, ULONG *Count);

/* connect.c */
STEP_ROUTINE StepListen, StepControlConnectEvents, StepConnect, StepConnectWithSharedEndpoint,
    StepCompleteConnect, StepCompleteConnectEx, StepAccept, StepAcceptEx, StepReject,
    StepDisconnect, StepGetConnectionData, StepGetLocalAddress, StepGetPeerAddress;

/* address.c */
typedef struct _ADDRESS {
    union {
        SOCKADDR_INET Inet;
        SOCKADDR Plain;
    };
    ULONG Bytes;
} ADDRESS, *PADDRESS;
VOID AddressOf(CONST ARG *Arg, PADDRESS Address);

/* flow.c */
STEP_ROUTINE StepWait, StepExpectNone, StepRequire, StepFail, StepSleep, StepStall, StepSpin,
    StepSignal, StepSet, StepCounter, StepLog, StepTrace, StepCleanup;
/* blocks.c */
STEP_ROUTINE StepLoop, StepWhile, StepIf, StepChoose, StepStop, StepIrql, StepCpu, StepLock,
    StepDpc, StepWorkItem;

/* cleanup.c */
VOID Cleanup(VOID);

#endif
