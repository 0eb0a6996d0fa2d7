/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device commands. The same command runs either through the ring (CommandSubmit: its Done routine
 * runs in a DPC once the device has finished it) or through the mailbox (CommandPolled: finished
 * when the call returns). Ring commands are executed in order of submission.
 *
 * A command is embedded by its owner and not touched by him while it is submitted. When the ring
 * is full it waits in a list. A device that stopped answering fails all commands.
 *
 * Most objects have commands under way only when they are made and when they end, so that a command
 * holds no input: its Fill routine writes that straight to where the device reads it, out of what
 * the owner keeps anyway and leaves alone meanwhile.
 */
#ifndef PROVIDER_COMMAND_H
#define PROVIDER_COMMAND_H

#include "common.h"
#include "defer.h"
#include "dma.h"

#define RNIC_COMMAND_IN_BYTES 104u
#define RNIC_COMMAND_SLOT_LOG2 4u
#define RNIC_COMMAND_SLOTS (1u << RNIC_COMMAND_SLOT_LOG2)

typedef struct _RNIC_COMMAND {
    LIST_ENTRY Link;
    VOID (*Done)(struct _RNIC_COMMAND *Command); /* DISPATCH_LEVEL, no lock held */
    PVOID Context;
    union {
        /* With InBytes: writes the zeroed Input, which no lock of the owner guards. */
        VOID (*Fill)(const struct _RNIC_COMMAND *Command, PVOID Input);
        PVOID Answer; /* with OutBytes: where it goes */
    } Data;
    ULONG64 Argument; /* in and out: the first one */
    ULONG Number;     /* in and out */
    UCHAR Opcode;     /* enum rnic_opcode_command */
    UCHAR Status;     /* out: enum rnic_status */
    UCHAR InBytes;    /* one of the two at most is not 0 */
    UCHAR OutBytes;
} RNIC_COMMAND, *PRNIC_COMMAND;

C_ASSERT(sizeof(RNIC_COMMAND) <= 56);

/* A command that brings its input along, and takes an answer in its place. */
typedef struct _RNIC_BOXED {
    RNIC_COMMAND Command;
    union {
        UCHAR Bytes[RNIC_COMMAND_IN_BYTES];
        struct rnic_eq_create Eq;
        struct rnic_cq_create Cq;
        struct rnic_cq_resize CqResize;
        struct rnic_qp_create Qp;
        struct rnic_qp_attributes Attributes;
        struct rnic_srq_modify SrqModify;
        struct rnic_mkey_create Mkey;
        struct rnic_address Address;
        struct rnic_neighbour Neighbour;
        struct rnic_mkey_info MkeyInfo;
    } In;
} RNIC_BOXED, *PRNIC_BOXED;

#define RNIC_COMMAND_BOX_BYTES 128u
#define RNIC_MAILBOX_OUT_BYTES 256u
#define RNIC_MAILBOX_BYTES (RNIC_COMMAND_BYTES + RNIC_COMMAND_BOX_BYTES + RNIC_MAILBOX_OUT_BYTES)

typedef struct _RNIC_COMMANDS {
    KSPIN_LOCK Lock; /* of the ring */
    RNIC_DMA RingDma;
    struct rnic_command *Ring;
    PUCHAR Boxes; /* input structures, one per slot */
    ULONG64 BoxesAddress;
    PRNIC_COMMAND Slot[RNIC_COMMAND_SLOTS];
    ULONG Producer;
    ULONG Consumer;
    LIST_ENTRY Waiting;     /* for a free slot */
    BOOLEAN Dead;           /* the device no longer answers */
    volatile LONG Refusals; /* in a row, of commands that must not fail */
    RNIC_DEFERRED Failing;
    KTIMER Watchdog;
    KDPC WatchdogDpc;
    ULONG WatchedConsumer;
    BOOLEAN Watching;

    KSPIN_LOCK MailboxLock;
    RNIC_DMA MailboxDma;
    struct rnic_command *Mailbox; /* NULL: the device is stopped */
    ULONG64 MailboxAddress;
    PUCHAR MailboxIn;
    ULONG64 MailboxInAddress;
    PUCHAR MailboxOut;
    ULONG64 MailboxOutAddress;
} RNIC_COMMANDS;

VOID CommandsInit(PRNIC_ADAPTER Adapter);
/* PASSIVE_LEVEL; the device is enabled. */
NTSTATUS CommandStart(PRNIC_ADAPTER Adapter);
VOID CommandStop(PRNIC_ADAPTER Adapter);

/* Clears `Command` and sets its opcode and number. */
VOID CommandInit(PRNIC_COMMAND Command, UCHAR Opcode, ULONG Number);
/* The same with an input of InBytes, which is cleared too; 0: the answer's room, OutBytes. */
VOID BoxedInit(PRNIC_BOXED Boxed, UCHAR Opcode, ULONG Number, UCHAR InBytes, UCHAR OutBytes);

/* `Done` hears of its end. */
VOID CommandSubmit(PRNIC_ADAPTER Adapter, PRNIC_COMMAND Command,
                   VOID (*Done)(PRNIC_COMMAND Command), PVOID Context);

/* IRQL <= DISPATCH_LEVEL. Returns enum rnic_status; `Out` takes up to OutBytes, may be NULL. */
UCHAR CommandPolled(PRNIC_ADAPTER Adapter, PRNIC_COMMAND Command, PVOID Out, ULONG OutBytes);

/*
 * Commands that end something must not fail: what was not ended goes on. One that the device
 * refuses is given again; when it refuses too many in a row, the device is lost, and has ended
 * everything. IRQL <= DISPATCH_LEVEL, no lock held.
 */
/* `Command` has finished. TRUE: the device refused it, and it is to be given again. */
BOOLEAN CommandRefused(PRNIC_ADAPTER Adapter, PRNIC_COMMAND Command);
/* For Done. TRUE: the same, and it was given again; Done hears of its end. */
BOOLEAN CommandGivenAgain(PRNIC_ADAPTER Adapter, PRNIC_COMMAND Command);
VOID CommandPolledFirmly(PRNIC_ADAPTER Adapter, PRNIC_COMMAND Command);

/* Ring commands may have finished; from the DPC of the first event queue. */
VOID CommandEvent(PRNIC_ADAPTER Adapter);

/* The device is given up: every command, under way or to come, fails. */
VOID CommandDeviceLost(PRNIC_ADAPTER Adapter);

/* What a consumer hears of a command that failed. */
NTSTATUS CommandNtStatus(UCHAR Status);

#endif
