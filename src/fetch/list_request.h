/* One small request at a time, tried again as often as the run allows: listings. */
#ifndef TY_FETCH_LIST_REQUEST_H
#define TY_FETCH_LIST_REQUEST_H

#include "fetch/fetch_run.h"

/* A listing ends somewhere, whatever the server says: pages of a thousand names each, which is what
 * the Hub and S3 send, reach the second bound long before the first. What a run keeps of a listing
 * is less than ten times its bytes, so the second one also bounds the memory. */
#define TY_LIST_PAGES 100000u
#define TY_LIST_BYTES ((size_t)1 << 30)

struct ty_list_response { /* lives with the arena */
    struct ty_str body;
    int status;
    const char *next;  /* of Link: <…>; rel="next"; NULL none */
    const char *words; /* when the status is no success: ty_retry_response_text */
};

/* Asks with the run's headers and key. 0 with any whole answer; negative when there was none, or
 * -E2BIG when the run has been told more than a listing may hold. `a` is for this page alone: what
 * is kept of it belongs into the run's arena. */
int ty_list_request(struct ty_fetch_run *run, struct ty_arena *a, const char *url,
                    struct ty_list_response *ret, struct ty_err *err);

#endif
