/* What sources and transfers share: the list of files, messages, and the HTTP client. */
#include "fetch/fetch_run.h"
#include "fetch/download_dir.h"
#include "fetch/patterns.h"
#include "fetch/safename.h"

#include <errno.h>
#include <stdarg.h>

#define CONNECT_S 30
#define TURN_MS   100 /* progress is shown as often */
#define MAX_ITEMS ((size_t)20 << 20)

int64_t ty_fetch_run_now_ns(void)
{
    return (int64_t)uv_hrtime();
}

void ty_fetch_run_note(const struct ty_fetch_run *run, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    run->opts->note(run->opts->ctx, text);
}

int ty_fetch_run_refused(const struct ty_fetch_run *run, const char *what, int status,
                         const char *words, struct ty_err *err)
{
    bool ours = status == 401 || status == 403; /* 401 or 403: the credentials are the problem */
    int code = ours ? -EACCES : status == 404 || status == 410 ? -ENOENT : -EIO;
    bool hint = run->hint && (ours || status == 404);
    if (status == 407)
        return ty_fail(err, -EACCES,
                       "%s: the proxy answers %s: put user:password@ before the host "
                       "in the proxy's address",
                       what, words);
    return ty_fail(err, code, "%s: the server answers %s%s%s%s", what, words, hint ? " (" : "",
                   hint ? run->hint : "", hint ? ")" : "");
}

int ty_fetch_run_check_room(const struct ty_fetch_run *run, struct ty_err *err)
{
    const struct ty_fetch_progress *p = &run->progress;
    int64_t room = ty_download_dir_free_bytes(run->dir), need = p->bytes - p->bytes_done;

    if (!run->http || p->bytes < 0 || need <= room)
        return 0;
    return ty_fail(err, -ENOSPC,
                   "no room on the disk of %s: %lld bytes are to come, and there is room for %lld",
                   run->opts->to, (long long)need, (long long)room);
}

int ty_fetch_run_add(struct ty_fetch_run *run, const char *listed, const struct ty_fetch_item *item,
                     struct ty_err *err)
{
    if ((run->include && !ty_patterns_match(run->include, listed)) ||
        ty_patterns_match(run->opts->ignore, listed)) {
        run->ignored++;
        return 0;
    }
    if (ty_safename_check(ty_str(item->name), err) < 0)
        return ty_wrap(err, "%s", run->uri.shown);
    if (run->n == MAX_ITEMS)
        return ty_fail(err, -E2BIG, "%s: more than %zu files", run->uri.shown, MAX_ITEMS);
    if (ty_arena_full(run->arena))
        return ty_fail(err, -EFBIG, "%s: the listing is too long", run->uri.shown);
    if (run->n == run->cap) {
        size_t cap = run->cap ? 2 * run->cap : 64;
        struct ty_fetch_item *more = ty_new_n(run->arena, struct ty_fetch_item, cap);
        if (run->n)
            memcpy(more, run->items, run->n * sizeof(*more));
        run->items = more;
        run->cap = cap;
    }
    run->items[run->n++] = *item;
    return 0;
}

static void on_turn(uv_timer_t *turn)
{
    (void)turn;
}

int ty_fetch_run_open(struct ty_fetch_run *run, struct ty_err *err)
{
    int64_t stall_s = run->opts->stall_s, connect_s = stall_s < CONNECT_S ? stall_s : CONNECT_S;
    const struct ty_http_client_settings settings = {
        .loop = &run->loop,
        .agent = "trainyard/" TY_VERSION,
        .connect_ms = connect_s * 1000,
        .dead_ms = (stall_s + connect_s) * 1000, /* not before a transfer has stalled */
        .stall_s = stall_s,
    };
    int r = uv_loop_init(&run->loop);
    if (r < 0)
        return ty_fail(err, r, "no event loop: %s", uv_strerror(r));
    r = ty_http_client_new(&run->http, &settings, err);
    if (r < 0) {
        uv_loop_close(&run->loop);
        return r;
    }
    run->peer.ca_file = run->peer.proxy_ca_file = run->opts->ca_file;
    uv_timer_init(&run->loop, &run->turn);
    uv_timer_start(&run->turn, on_turn, TURN_MS, TURN_MS);
    return 0;
}

void ty_fetch_run_close(struct ty_fetch_run *run)
{
    if (!run->http)
        return;
    ty_http_client_free(run->http);
    uv_close((uv_handle_t *)&run->turn, NULL);
    uv_run(&run->loop, UV_RUN_DEFAULT);
    uv_loop_close(&run->loop);
    run->http = NULL;
}

void ty_fetch_run_get(struct ty_fetch_run *run, const struct ty_http_client_request *ask)
{
    struct ty_http_client_request get = *ask;
    get.method = "GET";
    get.peer = &run->peer;
    get.redirects = !run->peer.key; /* a signature is for one host */
    ty_http_client_start(run->http, &get);
}

void ty_fetch_run_poll(struct ty_fetch_run *run)
{
    uv_run(&run->loop, UV_RUN_ONCE);
}
