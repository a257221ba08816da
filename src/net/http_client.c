/* Calls: start, timeouts, end. http_client_h2.c and http_client_curl.c transfer their bytes. */
#include "net/http_client_inner.h"

#include <errno.h>
#include <strings.h>

#define LATE_MS 200 /* a timer that fires so late was held up */

static void arm_timer(struct ty_http_client *w, const struct ty_http_client_call *call);

/* The client */

int ty_http_client_new(struct ty_http_client **ret, const struct ty_http_client_settings *s,
                       struct ty_err *err)
{
    struct ty_http_client *w = ty_xalloc(calloc(1, sizeof(*w)));
    w->set = *s;
    w->fresh_end = &w->fresh;
    w->due_ms = UINT64_MAX;
    int r = s->h2 ? 0 : ty_http_client_curl_load(w, err); /* reports now that it is missing */
    if (r < 0) {
        free(w);
        return r;
    }
    w->timer = ty_xalloc(calloc(1, sizeof(*w->timer)));
    uv_timer_init(s->loop, w->timer);
    uv_unref((uv_handle_t *)w->timer); /* sockets of calls keep the loop running */
    w->timer->data = w;
    if (s->h2)
        ty_http_client_h2_init(w);
    *ret = w;
    return 0;
}

void ty_http_client_link(struct ty_http_client_call **list, struct ty_http_client_call *call)
{
    call->next = *list;
    call->at = list;
    if (call->next)
        call->next->at = &call->next; /* NOLINT(clang-analyzer-unix.Malloc): does not follow `at` */
    *list = call;
}

void ty_http_client_unlink(struct ty_http_client_call *call)
{
    if (call->client->fresh_end == &call->next)
        call->client->fresh_end = call->at;
    *call->at = call->next;
    if (call->next)
        call->next->at = call->at;
}

static void call_free(struct ty_http_client_call *call)
{
    if (call->conn)
        ty_http_client_h2_drop(call);
    else
        ty_http_client_curl_drop(call);
    ty_http_client_unlink(call);
    ty_buf_done(&call->answer);
    free(call->hopeless);
    free(call);
}

static void on_closed(uv_handle_t *h)
{
    free(h);
}

void ty_http_client_free(struct ty_http_client *w)
{
    if (!w)
        return;
    struct ty_http_client_call *lists[] = { w->calls, w->fresh };
    for (size_t i = 0; i < 2; i++) {
        for (struct ty_http_client_call *call = lists[i], *next; call; call = next) {
            next = call->next;
            call_free(call);
        }
    }
    ty_http_client_h2_free(w);
    ty_http_client_curl_free(w);
    uv_close((uv_handle_t *)w->timer, on_closed);
    free(w);
}

void ty_http_client_renew(struct ty_http_client *w)
{
    ty_http_client_h2_renew(w);
    if (w->pools) {
        struct ty_http_client_pool *p = ty_http_client_pool_new(w);
        p->next = w->pools;
        w->pools = p;
    }
    if (!ty_http_client_curl_inside(w))
        ty_http_client_curl_run_deferred(w);
}

/* Begin */

static size_t request_len(const struct ty_http_client_request *ask)
{
    size_t n = strlen(ask->method) + strlen(ask->url) + ask->body.n + 3 + sizeof(char *);
    for (const char *const *line = ask->headers; line && *line; line++)
        n += strlen(*line) + 1 + sizeof(char *);
    return n + sizeof(char *);
}

static const char *copy_str(char **at, struct ty_str s)
{
    char *to = *at;
    if (s.n)
        memcpy(to, s.p, s.n);
    to[s.n] = '\0';
    *at += s.n + 1;
    return to;
}

/* The array of headers first, because of its alignment. */
static void copy_ask(struct ty_http_client_call *call, const struct ty_http_client_request *ask)
{
    uintptr_t from = ((uintptr_t)call->text + sizeof(char *) - 1) & ~(sizeof(char *) - 1);
    const char **headers = (const char **)from;
    size_t n = 0;

    while (ask->headers && ask->headers[n])
        n++;
    char *at = (char *)(headers + n + 1);
    for (size_t i = 0; i < n; i++)
        headers[i] = copy_str(&at, ty_str(ask->headers[i]));
    headers[n] = NULL;
    call->ask = *ask;
    call->ask.headers = headers;
    call->ask.method = copy_str(&at, ty_str(ask->method));
    call->ask.url = copy_str(&at, ty_str(ask->url));
    call->ask.body.p = copy_str(&at, ask->body);
}

void ty_http_client_begin(struct ty_http_client_call *call)
{
    struct ty_http_client *w = call->client;
    struct ty_err err = { 0 };

    if (ty_http_client_h2_start(call))
        return;
    if (ty_http_client_curl_load(w, &err) == 0) {
        ty_http_client_curl_start(call);
        return;
    }
    call->hopeless = ty_xalloc(strdup(err.text)); /* reported from the loop */
    uv_ref((uv_handle_t *)w->timer);
    ty_http_client_link(&w->calls, call);
    arm_timer(w, call);
}

struct ty_http_client_call *ty_http_client_start(struct ty_http_client *w,
                                                 const struct ty_http_client_request *ask)
{
    struct ty_http_client_call *call = ty_xalloc(calloc(1, sizeof(*call) + request_len(ask)));
    call->client = w;
    copy_ask(call, ask);
    call->begun_ms = call->heard_ms = uv_now(w->set.loop);
    ty_http_client_begin(call);
    arm_timer(w, call);
    return call;
}

/* End */

void ty_http_client_cancel(struct ty_http_client_call *call)
{
    if (!call)
        return;
    struct ty_http_client *w = call->client;
    if (!call->conn && ty_http_client_curl_inside(w)) {
        call->cancelled = true; /* freed when libcurl has returned */
        w->cancelled = true;
        return;
    }
    bool curl = !call->conn;
    call_free(call);
    if (curl)
        ty_http_client_curl_run_deferred(w);
}

void ty_http_client_finish(struct ty_http_client_call *call,
                           const struct ty_http_client_result *end)
{
    struct ty_http_client_result told = *end;

    if (!told.whole && !ty_fence_is_open(&call->client->set.fence)) {
        told.fenced = true;
        told.text = TY_FENCE_CLOSED;
    }
    call->ending = true;
    if (!call->cancelled)
        call->ask.end(call->ask.ctx, call, &told);
    call_free(call);
}

struct ty_http_client_call *ty_http_client_find(const struct ty_http_client *w,
                                                bool (*is)(const struct ty_http_client_call *call))
{
    struct ty_http_client_call *lists[] = { w->calls, w->fresh }, *call = NULL;
    for (size_t i = 0; i < 2 && !call; i++)
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): what is freed has left the lists */
        for (call = lists[i]; call && !is(call); call = call->next)
            ;
    return call;
}

static bool is_left(const struct ty_http_client_call *call)
{
    return !call->cancelled && !call->ending;
}

void ty_http_client_reset(struct ty_http_client *w)
{
    ty_http_client_h2_reset(w); /* before the calls are canceled, so that this sends nothing */
    ty_http_client_curl_reset(w);
    struct ty_http_client_call *call;
    while ((call = ty_http_client_find(w, is_left)))
        ty_http_client_cancel(call);
    ty_http_client_h2_renew(w);
}

/* Time */

static bool can_ping(const struct ty_http_client_call *call)
{
    return call->ask.pings && ty_http_client_h2_can_ping(call);
}

/* A peer that is silent for half the timeout is pinged: time is left for its answer. */
static uint64_t idle_due_ms(const struct ty_http_client_call *call)
{
    uint64_t heard = call->ask.pings ? ty_http_client_h2_heard_ms(call) : 0;
    uint64_t ms = (uint64_t)call->ask.idle_ms;

    return (heard > call->heard_ms ? heard : call->heard_ms) + (can_ping(call) ? ms / 2 : ms);
}

static uint64_t due_ms(const struct ty_http_client_call *call)
{
    uint64_t total = call->hopeless ? 0 : UINT64_MAX, idle = UINT64_MAX;
    if (call->ask.total_ms && !call->hopeless)
        total = call->begun_ms + (uint64_t)call->ask.total_ms;
    if (call->ask.idle_ms)
        idle = idle_due_ms(call);
    return total < idle ? total : idle;
}

static void time_out(struct ty_http_client_call *call, uint64_t now)
{
    struct ty_http_client *w = call->client;
    struct ty_http_client_result end = { .status = ty_http_client_status(call) };
    char text[256];
    bool total = call->ask.total_ms && call->begun_ms + (uint64_t)call->ask.total_ms <= now;

    if (call->hopeless)
        snprintf(text, sizeof(text), "%s", call->hopeless);
    else if (total)
        snprintf(text, sizeof(text), "timed out: no whole answer in %lld ms",
                 (long long)call->ask.total_ms);
    else
        snprintf(text, sizeof(text), "the server has said nothing for %lld s",
                 (long long)(call->ask.idle_ms / 1000));
    end.text = text;
    /* The peer does not answer: later calls should not have to time out, too. */
    if (call->conn ? !ty_http_client_h2_is_old(call) : call->pool && call->pool == w->pools)
        ty_http_client_renew(w);
    ty_http_client_finish(call, &end);
}

static void on_time(uv_timer_t *timer);

/* Some callback has blocked the loop, such as one that writes to a pager: what the peers have sent
 * in the meantime waits in the sockets. Silence is counted from now on, and nothing times out
 * before the loop has polled. */
static bool was_blocked(struct ty_http_client *w, uint64_t now)
{
    struct ty_http_client_call *lists[] = { w->calls, w->fresh };
    if (now < w->due_ms + LATE_MS)
        return false;
    for (size_t i = 0; i < 2; i++)
        for (struct ty_http_client_call *call = lists[i]; call; call = call->next)
            call->heard_ms = now;
    w->due_ms = now + LATE_MS / 2;
    uv_timer_start(w->timer, on_time, LATE_MS / 2, 0);
    return true;
}

static void on_time(uv_timer_t *timer)
{
    struct ty_http_client *w = timer->data;
    uint64_t now = uv_now(w->set.loop), soonest = UINT64_MAX;
    struct ty_http_client_call *call;

    if (was_blocked(w, now))
        return;
    uv_unref((uv_handle_t *)timer);
    do { /* from the start after each: `end` may have changed the lists */
        struct ty_http_client_call *lists[] = { w->calls, w->fresh };
        call = NULL;
        soonest = UINT64_MAX;
        for (size_t i = 0; i < 2 && !call; i++) {
            /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): what is freed has left the lists */
            for (call = lists[i]; call && due_ms(call) > now; call = call->next)
                soonest = due_ms(call) < soonest ? due_ms(call) : soonest;
        }
        if (call && can_ping(call))
            ty_http_client_h2_ping(call);
        else if (call)
            time_out(call, now);
    } while (call);
    w->due_ms = soonest;
    if (soonest != UINT64_MAX)
        uv_timer_start(w->timer, on_time, soonest - now, 0);
    ty_http_client_curl_run_deferred(w);
}

/* The timer is set for the earliest timeout that is known now. When it fires and the call has
 * received data since, the timer is set again; so receiving bytes and ending calls need not touch
 * the timer. */
static void arm_timer(struct ty_http_client *w, const struct ty_http_client_call *call)
{
    uint64_t now = uv_now(w->set.loop), due = due_ms(call);
    if (due >= w->due_ms)
        return;
    w->due_ms = due > now ? due : now;
    uv_timer_start(w->timer, on_time, w->due_ms - now, 0);
}

/* Responses */

int ty_http_client_status(const struct ty_http_client_call *call)
{
    long status = 0;
    if (call->conn || !call->easy)
        return call->status;
    call->client->curl.easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &status);
    return (int)status;
}

const char *ty_http_client_header(const struct ty_http_client_call *call, const char *name)
{
    struct curl_header *found = NULL;
    const char *p = call->answer.p, *end = p ? p + call->answer.n : NULL;

    while (p < end) {
        const char *value = p + strlen(p) + 1;
        if (strcasecmp(p, name) == 0)
            return value;
        p = value + strlen(value) + 1;
    }
    if (!call->easy ||
        call->client->curl.easy_header(call->easy, name, 0, CURLH_HEADER, -1, &found) != CURLHE_OK)
        return NULL;
    return found->value;
}
