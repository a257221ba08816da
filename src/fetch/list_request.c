#include "fetch/list_request.h"
#include "base/buf.h"
#include "fetch/retry.h"
#include "net/url.h"

#include <errno.h>
#include <stdlib.h>

#define MAX_ANSWER ((size_t)32 << 20)

struct list_call {
    struct ty_fetch_run *run;
    struct ty_arena *arena;
    struct ty_buf body;
    struct ty_retry retry;
    struct ty_list_response reply;
    struct ty_err *err;
    const char *shown;
    int result;      /* 1 running, 0 answered, negative failed */
    int64_t wait_ms; /* before the next attempt; -1: no further one */
};

static int on_body(void *ctx, struct ty_http_client_call *call, struct ty_str piece)
{
    (void)call;
    struct list_call *q = ctx;
    ty_buf_add(&q->body, piece);
    return q->body.full ? -EFBIG : 0;
}

/* Link: <https://…>; rel="next". One header may have several links, separated by commas. */
static const char *next_page(struct ty_arena *a, const char *link)
{
    struct ty_str rest = ty_str(link ? link : "");
    while (rest.n) {
        struct ty_str url, params;
        rest = ty_str_cut(rest, '<', &params);
        rest = ty_str_cut(rest, '>', &url);
        rest = ty_str_cut(rest, ',', &params);
        if (ty_str_contains(params, TY_LIT("rel=\"next\"")))
            return ty_arena_cstr(a, url);
    }
    return NULL;
}

static void on_end(void *ctx, struct ty_http_client_call *call,
                   const struct ty_http_client_result *end)
{
    struct list_call *q = ctx;
    struct ty_arena *a = q->arena;
    bool good = end->status >= 200 && end->status < 300;
    const char *words = good ? "" : ty_retry_response_text(a, call, ty_buf_str(&q->body));
    const char *why = end->whole ? words : end->text;
    const char *after = ty_http_client_header(call, "Retry-After");
    if (ty_retry_again(&q->retry, end, after, (int64_t)time(NULL), arc4random(), &q->wait_ms)) {
        ty_fetch_run_note(q->run, "%s: %s; trying again in %.1f s (%u of %u)", q->shown, why,
                          (double)q->wait_ms / 1000, q->retry.tries, q->retry.most);
        return;
    }
    q->wait_ms = -1;
    if (!end->whole) {
        q->result = q->body.full ? ty_fail(q->err, -EFBIG, "%s: the answer is too long", q->shown)
                                 : ty_fail(q->err, -EIO, "%s: %s", q->shown, why);
        return;
    }
    q->result = 0;
    q->reply = (struct ty_list_response){
        .body = ty_arena_str(a, ty_buf_str(&q->body)),
        .status = end->status,
        .next = next_page(a, ty_http_client_header(call, "Link")),
        .words = words,
    };
}

/* Counts a page, and checks the limits. */
static int count_page(struct ty_fetch_run *run, size_t bytes, struct ty_err *err)
{
    if (bytes > TY_LIST_BYTES - run->listed_bytes)
        return ty_fail(err, -E2BIG, "%s: the listing has more than %zu MB: name a part of it",
                       run->uri.shown, TY_LIST_BYTES >> 20);
    run->listed_bytes += bytes;
    return 0;
}

int ty_list_request(struct ty_fetch_run *run, struct ty_arena *a, const char *url,
                    struct ty_list_response *ret, struct ty_err *err)
{
    if (run->listed_pages == TY_LIST_PAGES)
        return ty_fail(err, -E2BIG, "%s: the listing has more than %u pages: name a part of it",
                       run->uri.shown, TY_LIST_PAGES);
    run->listed_pages++;
    struct list_call q = {
        .run = run,
        .arena = a,
        .body = { .ceiling = MAX_ANSWER },
        .retry = { .most = run->opts->retries },
        .err = err,
        .shown = ty_url_redacted(a, ty_str(url)),
        .result = 1,
    };
    const struct ty_http_client_request ask = {
        .url = url, .headers = run->headers, .piece = on_body, .end = on_end, .ctx = &q
    };
    if (ty_arena_full(run->arena)) /* the listing so far fills it */
        return ty_fail(err, -EFBIG, "%s: the listing is too long", run->uri.shown);
    while (q.result == 1) {
        q.body.n = 0;
        q.wait_ms = 0;
        ty_fetch_run_get(run, &ask);
        while (q.result == 1 && q.wait_ms == 0)
            ty_fetch_run_poll(run);
        if (q.wait_ms > 0)
            uv_sleep((unsigned)q.wait_ms);
    }
    ty_buf_done(&q.body);
    if (q.result == 0)
        q.result = count_page(run, q.reply.body.n, err);
    if (q.result == 0)
        *ret = q.reply;
    return q.result;
}
