/* Downloads a dataset or a model into a directory, as Kubeflow's initializers do.
 *
 *   URI ──list──> items ──skip complete ones──> concurrent transfers ──> files
 *
 * A file gets its final name only when it is complete and its checksum is right. Unfinished files
 * are in DIR/.trainyard, and the next run resumes them. */
#ifndef TY_FETCH_FETCH_H
#define TY_FETCH_FETCH_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct ty_fetch_progress {
    size_t files, files_done;
    int64_t bytes, bytes_done; /* bytes -1: not known */
    int64_t bytes_got;         /* by this run, the rest was there */
    int64_t spent_ns;          /* since the transfers began */
};

struct ty_fetch_opts {
    const char *uri, *to;
    bool model;                 /* else a dataset */
    const char *const *include; /* only these of a listing; NULL: by the source's habit */
    const char *const *ignore;  /* never these; NULL: none */
    const char *hub, *token;    /* the Hub's address and the user's token; token may be NULL */
    const char *s3;             /* the object store's address; NULL: Amazon's */
    const char *key_id, *secret, *session, *region; /* key_id NULL: unsigned; session may be NULL */
    const char *ca_file;                            /* NULL: the system's certificates */
    unsigned jobs;                                  /* files at once, from 1 */
    unsigned retries;                               /* of one request without a byte of progress */
    int64_t stall_s;                                /* a peer that is silent so long is given up */
    void (*note)(void *ctx, const char *text);      /* for people: trying again, starting over */
    void (*progress)(void *ctx, const struct ty_fetch_progress *p); /* several times a second */
    void *ctx;
};
#define TY_FETCH_JOBS_MAX 64u

struct ty_fetch_result {
    struct ty_fetch_progress total;
    size_t files_there; /* were complete before */
    size_t ignored;     /* listed, but not wanted */
};

/* 0 with every wanted file in place; else negative with a sentence. */
int ty_fetch(struct ty_arena *a, const struct ty_fetch_opts *opts, struct ty_fetch_result *ret,
             struct ty_err *err);

#endif
