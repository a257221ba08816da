/* Requests for listings: one at a time, with the retries that the run allows. */
#ifndef TY_FETCH_LIST_REQUEST_H
#define TY_FETCH_LIST_REQUEST_H

#include "fetch/fetch_run.h"

/* Limits of a listing. Pages of a thousand names, as the Hub and S3 send them, reach the second
 * limit long before the first. A run stores less than ten times the bytes of a listing, so the
 * second limit also bounds the memory. */
#define TY_LIST_PAGES 100000u
#define TY_LIST_BYTES ((size_t)1 << 30)

struct ty_list_response { /* lives with the arena */
    struct ty_str body;
    int status;
    const char *next;  /* of Link: <…>; rel="next"; NULL none */
    const char *words; /* the error text of an unsuccessful status: ty_retry_response_text */
};

/* Sends a request with the run's headers and key. 0 with any complete response; negative if there
 * was none, -E2BIG beyond the limits of a listing. `a` is for this page only: copy what is needed
 * later to the run's arena. */
int ty_list_request(struct ty_fetch_run *run, struct ty_arena *a, const char *url,
                    struct ty_list_response *ret, struct ty_err *err);

#endif
