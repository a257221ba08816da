/* One small request at a time, tried again as often as the run allows: listings. */
#ifndef TY_FETCH_ASK_H
#define TY_FETCH_ASK_H

#include "fetch/run.h"

struct ty_reply {
    struct ty_str body; /* lives with the arena */
    int status;
    const char *next;  /* of Link: <…>; rel="next"; NULL none */
    const char *words; /* when the status is no success: ty_answer_text */
};

/* 0 with any whole answer; negative when there was none. `headers` and `key` as in ty_http_ask. */
int ty_ask(struct ty_run *run, const char *url, const char *const *headers,
           const struct ty_aws_key *key, struct ty_reply *ret, struct ty_err *err);

#endif
