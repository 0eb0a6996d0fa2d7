/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which statuses the functions of NDKPI may answer with, and on which routes: facts of the
 * interface, not of a provider. Scenarios declare in "shows" which of them they bring about.
 */
#ifndef SCN_MODEL_STATUS_FACTS_H
#define SCN_MODEL_STATUS_FACTS_H

#include <sim/base.h>

enum scn_route {
    SCN_ROUTE_INLINE,  /* returned by the call; STATUS_PENDING announces the next one */
    SCN_ROUTE_PENDING, /* told to the completion routine */
    SCN_ROUTE_RESULT,  /* the status of a request's result in its CQ */
    SCN_ROUTE_COUNT,
};

struct scn_status_fact {
    const char *function; /* "NdkConnect" */
    const char *status;   /* "STATUS_IO_TIMEOUT" */
    uint32_t routes;      /* 1 << enum scn_route */
};

/* In the order of functions, NULL behind the last. */
const struct scn_status_fact *scn_status_fact_at(size_t index);
/* NULL when the interface lists no such status for the function, or no such function. */
const struct scn_status_fact *scn_status_fact_find(const char *function, const char *status);
/* "inline", "pending", "result" */
const char *scn_route_name(enum scn_route route);

#endif
