/* The state of one run: sources fill `items`, transfers process them. */
#ifndef TY_FETCH_FETCH_RUN_H
#define TY_FETCH_FETCH_RUN_H

#include "fetch/digest.h"
#include "fetch/fetch.h"
#include "fetch/uri.h"
#include "net/http_client.h"

struct ty_download_dir;

struct ty_fetch_item {
    const char *name; /* relative to the destination, validated */
    const char *url;  /* for HTTP; or NULL */
    const char *from; /* a file of this machine; or NULL */
    int64_t size;     /* -1: known only from the response, and may change */
    enum ty_digest_type sum;
    const char *hex;  /* the checksum; NULL with TY_DIGEST_NONE */
    const char *tag;  /* equal tags mean equal content; NULL: known only from the response */
    const char *etag; /* the server's ETag must still be this one, S3 only; or NULL */
    const char
        *place; /* 16 hex digits of the URL's hash, if the tag is known only from the response */
    bool done;
};

struct ty_fetch_run {
    struct ty_arena *arena;
    const struct ty_fetch_opts *opts;
    struct ty_uri uri;
    struct ty_http_client *http; /* NULL: the source does not use HTTP */
    uv_loop_t loop;              /* of the client */
    uv_timer_t turn;             /* ends the wait of ty_fetch_run_poll */
    const char *const *include;  /* only these; NULL: all */
    struct ty_fetch_item *items;
    size_t n, cap;
    size_t ignored, there;           /* excluded by patterns; complete before this run */
    const char *const *headers;      /* for every request; NULL none */
    struct ty_http_client_peer peer; /* of every request */
    unsigned listed_pages;           /* pages of the listing so far */
    size_t listed_bytes;
    const char *hint; /* for messages when a server refuses a request; or NULL */
    struct ty_download_dir *dir;
    struct ty_fetch_progress progress;
    int64_t began_ns;
};

/* One row for each scheme. */
struct ty_fetch_source {
    enum ty_uri_scheme scheme;
    bool http;
    int (*list)(struct ty_fetch_run *run, struct ty_err *err); /* adds all files */
};
extern const struct ty_fetch_source ty_source_file, ty_source_http, ty_source_s3, ty_source_hf;

/* For sources. Adds a file unless the patterns exclude it: `listed` is the name that is matched.
 * -EINVAL: item->name is not a valid file name. */
int ty_fetch_run_add(struct ty_fetch_run *run, const char *listed, const struct ty_fetch_item *item,
                     struct ty_err *err);
void ty_fetch_run_note(const struct ty_fetch_run *run, const char *fmt, ...) TY_PRINTF(2, 3);
/* "…: 403: AccessDenied: …", with the source's hint if it may help. Returns -EACCES, -ENOENT or
 * -EIO. */
int ty_fetch_run_refused(const struct ty_fetch_run *run, const char *what, int status,
                         const char *words, struct ty_err *err);
/* -ENOSPC: the disk has no room for what is to come, as far as that is known. */
int ty_fetch_run_check_room(const struct ty_fetch_run *run, struct ty_err *err);
int64_t ty_fetch_run_now_ns(void); /* monotonic */

/* HTTP. ty_fetch_run_close drops what is running; it needs no ty_fetch_run_open. */
int ty_fetch_run_open(struct ty_fetch_run *run, struct ty_err *err);
void ty_fetch_run_close(struct ty_fetch_run *run);
/* Starts a GET with the run's peer; *ask has the url, headers and callbacks. */
void ty_fetch_run_get(struct ty_fetch_run *run, const struct ty_http_client_request *ask);
void ty_fetch_run_poll(struct ty_fetch_run *run); /* makes progress on all; waits at most 100 ms */

#endif
