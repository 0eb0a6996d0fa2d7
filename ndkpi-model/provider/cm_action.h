/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the connection manager does at a transition. Each runs under the CM lock, after the state
 * was set; `Message` is the message that came, NULL for other events. X(name).
 */
#ifndef PROVIDER_CM_ACTION_H
#define PROVIDER_CM_ACTION_H

#include "connector.h"

typedef VOID RNIC_CM_ACTION(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message);

/* cm_establish.c, active side */
RNIC_CM_ACTION ActIgnore;
RNIC_CM_ACTION ActResolve;         /* wait for a neighbour that does not answer */
RNIC_CM_ACTION ActUnreachable;     /* it did not */
RNIC_CM_ACTION ActResolveClosed;   /* the consumer gave up before */
RNIC_CM_ACTION ActSendReq;         /* and wait for an answer */
RNIC_CM_ACTION ActResend;          /* the REQ or REP, and wait again */
RNIC_CM_ACTION ActExtend;          /* the peer needs the time that its MRA tells */
RNIC_CM_ACTION ActTakeRep;         /* connect has succeeded */
RNIC_CM_ACTION ActRefused;         /* connect has failed */
RNIC_CM_ACTION ActConnectTimedOut; /* nobody answered */
RNIC_CM_ACTION ActConnectClosed;   /* the consumer gave up before an answer */
RNIC_CM_ACTION ActMraRep;          /* the consumer needs time with it */
RNIC_CM_ACTION ActRejectRep;       /* the consumer does not want the answer it got */
RNIC_CM_ACTION ActPeerAbandoned;   /* the peer gave up, no request of ours is pending */
RNIC_CM_ACTION ActStartActive;     /* take the QP to RTS */
RNIC_CM_ACTION ActConnected;       /* say so to the peer */
RNIC_CM_ACTION ActCompleteFailed;  /* the device refused */
RNIC_CM_ACTION ActCompleteAborted; /* the peer gave up meanwhile */
RNIC_CM_ACTION ActCompleteClosed;  /* the consumer gave up meanwhile */
RNIC_CM_ACTION ActResendRtu;       /* the peer did not get it */

/* cm_accept.c, passive side */
RNIC_CM_ACTION ActSendMra;           /* our consumer needs time */
RNIC_CM_ACTION ActStartPassive;      /* take the QP to RTR */
RNIC_CM_ACTION ActSendRep;           /* and wait for the RTU */
RNIC_CM_ACTION ActRejectReq;         /* the consumer does not want the connection */
RNIC_CM_ACTION ActRefuseReq;         /* nobody listens */
RNIC_CM_ACTION ActAcceptFailed;      /* the device refused */
RNIC_CM_ACTION ActAcceptAborted;     /* the peer gave up */
RNIC_CM_ACTION ActAcceptTimedOut;    /* the peer did not complete */
RNIC_CM_ACTION ActAcceptClosed;      /* the consumer gave up */
RNIC_CM_ACTION ActStartSending;      /* take the QP to RTS */
RNIC_CM_ACTION ActAccepted;          /* the connection is up */
RNIC_CM_ACTION ActAcceptedHeld;      /* ... but the first message is the peer's */
RNIC_CM_ACTION ActAcceptedNotice;    /* ... and the peer disconnects already */
RNIC_CM_ACTION ActAcceptedAborted;   /* ... and was aborted by the peer already */
RNIC_CM_ACTION ActAcceptedBroken;    /* ... and failed already */
RNIC_CM_ACTION ActAcceptedForgotten; /* ... and the peer knows nothing of it */
RNIC_CM_ACTION ActFirstMessage;      /* what was held may be sent */

/* cm_end.c */
RNIC_CM_ACTION ActSendDreq; /* and wait for the peer's notice */
RNIC_CM_ACTION ActResendDreq;
RNIC_CM_ACTION ActStartDraining; /* requests are under way: look again later */
RNIC_CM_ACTION ActDrainMore;
RNIC_CM_ACTION ActNotice;         /* the peer disconnects */
RNIC_CM_ACTION ActGraceful;       /* both sides gave notice */
RNIC_CM_ACTION ActGracefulAnswer; /* we give ours now */
RNIC_CM_ACTION ActEndAborted;     /* the peer aborted instead */
RNIC_CM_ACTION ActEndTimedOut;    /* the peer's notice did not come */
RNIC_CM_ACTION ActDrainTimedOut;  /* requests did not end */
RNIC_CM_ACTION ActEndBroken;      /* the connection failed instead */
RNIC_CM_ACTION ActEndForgotten;   /* the peer knows nothing of us */
RNIC_CM_ACTION ActAbortedByPeer;
RNIC_CM_ACTION ActBroken; /* the QP failed */
RNIC_CM_ACTION ActForgotten;
RNIC_CM_ACTION ActFlushedBroken;    /* all is cancelled: now the event */
RNIC_CM_ACTION ActDisconnectBroken; /* disconnect after an abort */
RNIC_CM_ACTION ActFlushed;          /* the disconnect is complete */
RNIC_CM_ACTION ActCloseConnected;   /* closing is an abort */
RNIC_CM_ACTION ActCloseBroken;      /* closing after an abort */
RNIC_CM_ACTION ActCloseNoticed;     /* closing answers the peer's notice */

#endif
