/* SPDX-License-Identifier: Apache-2.0 */
/* Requests posted to QPs and SRQs: SGEs, contexts, accounts. */
#include "script.h"

#define FAST_RIGHTS (NDK_OP_FLAG_ALLOW_REMOTE_READ | NDK_OP_FLAG_ALLOW_REMOTE_WRITE)

typedef struct _POST {
    PSLOT Queue; /* QP or SRQ */
    PLABEL Label;
    PVOID Context;
    ULONG Flags;
    ULONG SgeCount;
    CONST NDK_SGE *Sgl;
    NDK_SGE Sges[SCRIPT_SGE_MAX];
} POST, *PPOST;

/* A piece of a mapping, in as many SGEs as its pages need. */
static BOOLEAN SgesOfLam(PRUN Run, CONST STEP *Element, PPOST Post) {
    PSLOT Slot = StepSlot(Run, Element, SCRIPT_MEMBER_LAM);
    ULONG64 At = StepNumber(Element, SCRIPT_MEMBER_OFFSET, 0);
    ULONG64 Left;

    if (Slot == NULL || Slot->Lam == NULL) {
        return Fail(Element, "the mapping that it names is not built");
    }
    Left = StepNumber(Element, SCRIPT_MEMBER_BYTES, Slot->Bytes - At);
    At += Slot->Fbo;
    while (Left != 0 && Post->SgeCount < SCRIPT_SGE_MAX) {
        NDK_SGE *Sge = &Post->Sges[Post->SgeCount++];
        ULONG64 Piece = min(Left, PAGE_SIZE - At % PAGE_SIZE);

        if (At / PAGE_SIZE >= Slot->Lam->AdapterPageCount) {
            return Fail(Element, "%s ends before this range does", SlotName(Slot));
        }
        Sge->LogicalAddress = Slot->Lam->AdapterPageArray[At / PAGE_SIZE];
        Sge->LogicalAddress.QuadPart += (LONGLONG)(At % PAGE_SIZE);
        Sge->Length = (ULONG)Piece;
        Sge->MemoryRegionToken = TokenOf(Run, ArgFind(Element, SCRIPT_MEMBER_TOKEN));
        At += Piece;
        Left -= Piece;
    }
    return TRUE;
}

static BOOLEAN SgesOfElement(PRUN Run, CONST STEP *Element, PPOST Post) {
    ULONG64 Repeat = StepNumber(Element, SCRIPT_MEMBER_REPEAT, 1);
    PSLOT Memory;
    SIZE_T Bytes;
    PUCHAR Range;
    ULONG64 Index;

    if (StepHas(Element, SCRIPT_MEMBER_LAM)) {
        return SgesOfLam(Run, Element, Post);
    }
    Range = StepRange(Run, Element, &Memory, &Bytes);
    for (Index = 0; Range != NULL && Index < Repeat && Post->SgeCount < SCRIPT_SGE_MAX; Index++) {
        NDK_SGE *Sge = &Post->Sges[Post->SgeCount++];

        Sge->VirtualAddress = StepHas(Element, SCRIPT_MEMBER_BASE)
                                  ? (PVOID)(ULONG_PTR)StepNumber(Element, SCRIPT_MEMBER_BASE, 0)
                                  : Memory->Mdls + (Range - Memory->Buffer) + Index * Bytes;
        Sge->Length = (ULONG)Bytes;
        Sge->MemoryRegionToken = TokenOf(Run, ArgFind(Element, SCRIPT_MEMBER_TOKEN));
    }
    return Range != NULL;
}

/* A number of SGEs that is said apart from the list: there are as many of them all the same. */
static BOOLEAN SgeCountSet(PPOST Post, CONST STEP *Step) {
    ULONG Count = (ULONG)StepNumber(Step, SCRIPT_MEMBER_SGE, Post->SgeCount);
    ULONG Index;

    if (Post->Sgl != NULL && Count > SCRIPT_SGE_MAX) {
        return Fail(Step, "sge: a step has room for %u, %u are asked for", SCRIPT_SGE_MAX, Count);
    }
    for (Index = Post->SgeCount; Index < Count && Post->Sgl != NULL; Index++) {
        Post->Sges[Index] = Post->SgeCount != 0 ? Post->Sges[0] : (NDK_SGE){0};
    }
    Post->SgeCount = Count;
    return TRUE;
}

static BOOLEAN SglBuild(PRUN Run, CONST STEP *Step, PPOST Post) {
    CONST ARG *Sgl = ArgFind(Step, SCRIPT_MEMBER_SGL);
    BOOLEAN Holds = TRUE;
    ULONG Index;

    Post->SgeCount = 0;
    Post->Sgl = Post->Sges;
    if (Sgl == NULL) {
        Holds = SgesOfElement(Run, Step, Post);
    } else if (Sgl->kind == SCRIPT_ARG_NOTHING) {
        Post->Sgl = NULL;
    }
    for (Index = 0; Sgl != NULL && Holds && Index < Sgl->count; Index++) {
        CONST ARG *List = ArgAt(Sgl->value + Index);
        STEP Element = *Step;

        Element.arg_first = (ULONG)List->value;
        Element.arg_count = (USHORT)List->count;
        Holds = SgesOfElement(Run, &Element, Post);
    }
    return Holds && SgeCountSet(Post, Step);
}

/* Accounts come before the post: its result may be taken before the call returns. */
static BOOLEAN PostBegin(PRUN Run, CONST STEP *Step, ULONG QueueMember, ULONG Flags, PPOST Post) {
    CONST ARG *Context = ArgFind(Step, SCRIPT_MEMBER_CONTEXT);

    Post->Queue = StepObject(Run, Step, QueueMember);
    if (Post->Queue == NULL) {
        return FALSE;
    }
    Post->Flags = (ULONG)StepNumber(Step, SCRIPT_MEMBER_FLAGS, Flags);
    Post->Label = &Script.Labels[Step->label];
    Post->Context = Post->Label;
    if (Context != NULL && Context->kind == SCRIPT_ARG_NOTHING) {
        Post->Context = NULL;
        InterlockedIncrement(&Script.NullPosts);
    } else if (Context != NULL && Context->kind == SCRIPT_ARG_NAME) {
        Post->Context = &Script.Labels[Context->value];
    }
    Post->Label->IsSilent = (Post->Flags & NDK_OP_FLAG_SILENT_SUCCESS) != 0;
    InterlockedIncrement(&Post->Label->Posted);
    InterlockedIncrement(&Post->Queue->Outstanding);
    return TRUE;
}

static BOOLEAN PostEnd(CONST STEP *Step, PPOST Post, NTSTATUS Status) {
    OUTPUTS Outputs = {0};

    if (Status != STATUS_SUCCESS) {
        InterlockedDecrement(&Post->Label->Posted);
        InterlockedDecrement(&Post->Queue->Outstanding);
        if (Post->Context == NULL) {
            InterlockedDecrement(&Script.NullPosts);
        }
    }
    OutputAdd(&Outputs, SCRIPT_OUTPUT_STATUS, (ULONG)Status);
    return StatusCheck(Step, "the post", Status) && OutputsUse(Step, &Outputs);
}

#define QP(Post) ((NDK_QP *)(PVOID)(Post).Queue->Object)
#define QP_TABLE(Post) ((CONST NDK_QP_DISPATCH *)StepTable(Run, Step, (Post).Queue))

BOOLEAN StepFlush(PRUN Run, CONST STEP *Step) {
    PSLOT Qp = StepObject(Run, Step, SCRIPT_MEMBER_OBJECT);

    if (Qp != NULL) {
        ((CONST NDK_QP_DISPATCH *)StepTable(Run, Step, Qp))->NdkFlush((NDK_QP *)(PVOID)Qp->Object);
    }
    return Qp != NULL;
}

BOOLEAN StepSend(PRUN Run, CONST STEP *Step) {
    POST Post;

    return SglBuild(Run, Step, &Post) && PostBegin(Run, Step, SCRIPT_MEMBER_OBJECT, 0, &Post) &&
           PostEnd(Step, &Post,
                   QP_TABLE(Post)->NdkSend(QP(Post), Post.Context, Post.Sgl, Post.SgeCount,
                                           Post.Flags));
}

/* Where in the peer's memory. */
static BOOLEAN RemotePlace(PRUN Run, CONST STEP *Step, UINT64 *Address, UINT32 *Token) {
    PSLOT Remote = StepSlot(Run, Step, SCRIPT_MEMBER_REMOTE);
    BOOLEAN IsKnown = Remote != NULL && Remote->Offer.magic == SCRIPT_OFFER_MAGIC;

    if (!IsKnown && (!StepHas(Step, SCRIPT_MEMBER_REMOTE_TOKEN))) {
        return Fail(Step, "the peer has offered no memory: no offer was taken");
    }
    *Address = IsKnown ? Remote->Offer.address : 0;
    *Token = IsKnown ? Remote->Offer.token : 0;
    *Address = StepNumber(Step, SCRIPT_MEMBER_REMOTE_ADDRESS, *Address) +
               StepNumber(Step, SCRIPT_MEMBER_REMOTE_OFFSET, 0);
    if (StepHas(Step, SCRIPT_MEMBER_REMOTE_TOKEN)) {
        *Token = TokenOf(Run, ArgFind(Step, SCRIPT_MEMBER_REMOTE_TOKEN));
    }
    return TRUE;
}

BOOLEAN StepSendAndInvalidate(PRUN Run, CONST STEP *Step) {
    UINT64 Address = 0;
    UINT32 Token = 0;
    POST Post;

    return RemotePlace(Run, Step, &Address, &Token) && SglBuild(Run, Step, &Post) &&
           PostBegin(Run, Step, SCRIPT_MEMBER_OBJECT, 0, &Post) &&
           PostEnd(Step, &Post,
                   QP_TABLE(Post)->NdkSendAndInvalidate(QP(Post), Post.Context, Post.Sgl,
                                                        Post.SgeCount, Post.Flags, Token));
}

BOOLEAN StepReceive(PRUN Run, CONST STEP *Step) {
    POST Post;

    return SglBuild(Run, Step, &Post) && PostBegin(Run, Step, SCRIPT_MEMBER_OBJECT, 0, &Post) &&
           PostEnd(Step, &Post,
                   QP_TABLE(Post)->NdkReceive(QP(Post), Post.Context, Post.Sgl, Post.SgeCount));
}

BOOLEAN StepSrqReceive(PRUN Run, CONST STEP *Step) {
    POST Post;
    NDK_SRQ *Srq;

    if (!SglBuild(Run, Step, &Post) || !PostBegin(Run, Step, SCRIPT_MEMBER_OBJECT, 0, &Post)) {
        return FALSE;
    }
    Srq = (NDK_SRQ *)(PVOID)Post.Queue->Object;
    return PostEnd(Step, &Post,
                   ((CONST NDK_SRQ_DISPATCH *)StepTable(Run, Step, Post.Queue))
                       ->NdkSrqReceive(Srq, Post.Context, Post.Sgl, Post.SgeCount));
}

BOOLEAN StepRead(PRUN Run, CONST STEP *Step) {
    UINT64 Address = 0;
    UINT32 Token = 0;
    POST Post;

    return RemotePlace(Run, Step, &Address, &Token) && SglBuild(Run, Step, &Post) &&
           PostBegin(Run, Step, SCRIPT_MEMBER_OBJECT, 0, &Post) &&
           PostEnd(Step, &Post,
                   QP_TABLE(Post)->NdkRead(QP(Post), Post.Context, Post.Sgl, Post.SgeCount, Address,
                                           Token, Post.Flags));
}

BOOLEAN StepWrite(PRUN Run, CONST STEP *Step) {
    UINT64 Address = 0;
    UINT32 Token = 0;
    POST Post;

    return RemotePlace(Run, Step, &Address, &Token) && SglBuild(Run, Step, &Post) &&
           PostBegin(Run, Step, SCRIPT_MEMBER_OBJECT, 0, &Post) &&
           PostEnd(Step, &Post,
                   QP_TABLE(Post)->NdkWrite(QP(Post), Post.Context, Post.Sgl, Post.SgeCount,
                                            Address, Token, Post.Flags));
}

BOOLEAN StepBind(PRUN Run, CONST STEP *Step) {
    PSLOT Mw = StepObject(Run, Step, SCRIPT_MEMBER_OBJECT);
    PSLOT Mr = StepObject(Run, Step, SCRIPT_MEMBER_MR);
    PUCHAR Address;
    SIZE_T Bytes;
    POST Post;

    if (Mw == NULL || Mr == NULL || !PostBegin(Run, Step, SCRIPT_MEMBER_QP, FAST_RIGHTS, &Post)) {
        return FALSE;
    }
    Address = (PUCHAR)((ULONG_PTR)Mr->Buffer + StepNumber(Step, SCRIPT_MEMBER_OFFSET, 0));
    if (StepHas(Step, SCRIPT_MEMBER_BASE)) {
        Address = (PUCHAR)(ULONG_PTR)StepNumber(Step, SCRIPT_MEMBER_BASE, 0);
    }
    Bytes = (SIZE_T)StepNumber(Step, SCRIPT_MEMBER_BYTES,
                               Mr->Bytes - StepNumber(Step, SCRIPT_MEMBER_OFFSET, 0));
    Mw->Buffer = Address;
    Mw->Bytes = Bytes;
    return PostEnd(Step, &Post,
                   QP_TABLE(Post)->NdkBind(QP(Post), Post.Context, (NDK_MR *)(PVOID)Mr->Object,
                                           (NDK_MW *)(PVOID)Mw->Object, Address, Bytes,
                                           Post.Flags));
}

static NTSTATUS FastRegister(PRUN Run, CONST STEP *Step, PPOST Post, PSLOT Mr, PSLOT Lam) {
    ULONG Count = (ULONG)StepNumber(Step, SCRIPT_MEMBER_PAGES, Lam->Lam->AdapterPageCount);
    ULONG Fbo = (ULONG)StepNumber(Step, SCRIPT_MEMBER_FBO, Lam->Fbo);
    SIZE_T Bytes = (SIZE_T)StepNumber(Step, SCRIPT_MEMBER_BYTES, Lam->Bytes);
    ULONG64 Base = StepNumber(Step, SCRIPT_MEMBER_BASE, (ULONG64)(ULONG_PTR)Lam->Buffer);
    ULONG64 Offset = StepNumber(Step, SCRIPT_MEMBER_OFFSET, 0);
    NTSTATUS Status;

    Mr->Buffer = (PUCHAR)(ULONG_PTR)Base;
    Mr->Bytes = Bytes;
    Mr->HasToken = FALSE;
    Lam->Lam->AdapterPageArray[0].QuadPart += (LONGLONG)Offset;
    Status = ((CONST NDK_QP_DISPATCH *)StepTable(Run, Step, Post->Queue))
                 ->NdkFastRegister((NDK_QP *)(PVOID)Post->Queue->Object, Post->Context,
                                   (NDK_MR *)(PVOID)Mr->Object, Count, Lam->Lam->AdapterPageArray,
                                   Fbo, Bytes, (PVOID)(ULONG_PTR)Base, Post->Flags);
    Lam->Lam->AdapterPageArray[0].QuadPart -= (LONGLONG)Offset;
    return Status;
}

BOOLEAN StepFastRegister(PRUN Run, CONST STEP *Step) {
    PSLOT Mr = StepObject(Run, Step, SCRIPT_MEMBER_OBJECT);
    PSLOT Lam = StepSlot(Run, Step, SCRIPT_MEMBER_LAM);
    POST Post;

    if (Mr == NULL || !PostBegin(Run, Step, SCRIPT_MEMBER_QP, FAST_RIGHTS, &Post)) {
        return FALSE;
    }
    if (Lam == NULL || Lam->Lam == NULL) {
        return Fail(Step, "the mapping that it names is not built");
    }
    return PostEnd(Step, &Post, FastRegister(Run, Step, &Post, Mr, Lam));
}

BOOLEAN StepInvalidate(PRUN Run, CONST STEP *Step) {
    PSLOT Slot = StepObject(Run, Step, SCRIPT_MEMBER_OBJECT);
    POST Post;

    return Slot != NULL && PostBegin(Run, Step, SCRIPT_MEMBER_QP, 0, &Post) &&
           PostEnd(Step, &Post,
                   QP_TABLE(Post)->NdkInvalidate(QP(Post), Post.Context, Slot->Object, Post.Flags));
}
