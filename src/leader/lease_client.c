/* Executes the actions of leader_election.h: one request at a time, a timer for the next action,
 * and a watch of the Lease to notice its release at once. */
#include "leader/lease_client.h"
#include "base/xalloc.h"
#include "leader/leader_election.h"
#include "store/kube/kube_kinds.h"
#include "json/json.h"
#include <errno.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#define MS             ((int64_t)1000000)
#define BODY_CEILING   ((size_t)64 << 20)
#define WATCH_AGAIN_MS 300000 /* after a refusal: the role may have been changed */

struct ty_lease_client {
    struct ty_lease_client_settings s;
    struct ty_log log;
    struct ty_leader_election e;
    struct ty_arena *arena; /* holds copies of the settings */
    uv_timer_t *timer;
    struct ty_kube_op *op, *watch;
    char *meta; /* the live metadata, as text: members of others are preserved */
    size_t n_meta;
    int64_t no_watch_ms;            /* earliest time of the next watch */
    bool leading_called, releasing; /* `leading` was called */
    bool creating;   /* op creates it: a 404 then means that its namespace does not exist */
    char other[256]; /* the last argument of `holder` */
    void (*done)(void *ctx);
    void *done_ctx;
};

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / MS;
}

static int64_t wall_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void run_election(struct ty_lease_client *l);
static void start_watch(struct ty_lease_client *l);

/* ---- callbacks ---- */

static void notify_holder(struct ty_lease_client *l)
{
    const char *other = ty_leader_election_other_holder(&l->e);
    if (strcmp(other, l->other) == 0)
        return;
    snprintf(l->other, sizeof(l->other), "%s", other);
    if (!*other)
        return;
    ty_info(&l->log, "another replica leads: standing by", TY_S("holder", other),
            TY_S("lease", l->s.name));
    if (l->s.holder)
        l->s.holder(l->s.ctx, other);
}

static void notify_leading(struct ty_lease_client *l)
{
    if (l->leading_called || !ty_leader_election_is_leader(&l->e, now_ms()))
        return;
    l->leading_called = true;
    ty_info(&l->log, "became leader", TY_S("identity", l->e.me), TY_S("lease", l->s.name));
    l->s.leading(l->s.ctx);
}

static void notify_lost(struct ty_lease_client *l)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);
    const char *other = ty_leader_election_other_holder(&l->e);
    const char *why =
        *other ? ty_arena_printf(a, "leader election lost: %s holds the lease now", other)
               : ty_arena_printf(a, "leader election lost: the lease could not be renewed for %g s",
                                 (double)l->s.renew_ms / 1000);
    ty_kube_cancel(l->op);
    l->op = NULL;
    uv_timer_stop(l->timer);
    ty_error(&l->log, why, "lease lost, stopping writes", TY_S("identity", l->e.me),
             TY_S("lease", l->s.name));
    l->s.lost(l->s.ctx, why);
}

/* ---- requests ---- */

static void save_metadata(struct ty_lease_client *l, const struct ty_json *lease)
{
    ty_auto_buf text = { 0 };
    const struct ty_json *meta = ty_json_get(lease, "metadata");
    if (!meta)
        return;
    ty_json_print(&text, meta);
    free(l->meta);
    l->meta = text.p;
    l->n_meta = text.n;
    text = (struct ty_buf){ 0 };
}

/* Empty: the metadata of the Lease does not fit into memory. */
static struct ty_str body_of(struct ty_lease_client *l, struct ty_arena *a,
                             const struct ty_leader_election_record *r)
{
    struct ty_err err = { 0 };
    struct ty_json *meta = NULL;
    if (l->meta)
        meta = ty_json_parse(a, (struct ty_str){ l->meta, l->n_meta }, NULL, &err);
    struct ty_str body = ty_leader_election_encode(a, ty_str(l->s.ns), ty_str(l->s.name), r, meta);
    return ty_arena_full(a) ? (struct ty_str){ 0 } : body;
}

static void log_error(struct ty_lease_client *l, const struct ty_kube_response *answer,
                      const char *what)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    ty_error(&l->log, ty_arena_cstr(a, answer->message), what, TY_S("namespace", l->s.ns),
             TY_S("lease", l->s.name), TY_I("code", answer->code));
}

static void on_got(void *ctx, const struct ty_kube_response *answer)
{
    struct ty_lease_client *l = ctx;
    struct ty_leader_election_record r;
    l->op = NULL;
    if (answer->r == 0 && ty_leader_election_decode(answer->json, &r)) {
        save_metadata(l, answer->json);
        ty_leader_election_observed(&l->e, &r, now_ms());
    } else if (answer->r == -ENOENT) {
        ty_leader_election_absent(&l->e, now_ms());
    } else {
        log_error(l, answer, "cannot read the lease");
        ty_leader_election_failed(&l->e, now_ms());
    }
    run_election(l);
}

static void on_wrote(void *ctx, const struct ty_kube_response *answer)
{
    struct ty_lease_client *l = ctx;
    struct ty_leader_election_record r;
    l->op = NULL;
    if (answer->r == 0 && ty_leader_election_decode(answer->json, &r)) {
        save_metadata(l, answer->json);
        ty_leader_election_updated(&l->e, &r, now_ms());
    } else if (answer->r == -ESTALE || answer->r == -EEXIST ||
               (answer->r == -ENOENT && !l->creating)) {
        ty_leader_election_conflict(&l->e, now_ms());
    } else {
        log_error(l, answer, l->e.leading ? "cannot renew the lease" : "cannot take the lease");
        ty_leader_election_failed(&l->e, now_ms());
    }
    run_election(l);
}

/* The timeout of a request leaves time for another attempt before we must stop, as in controller-
 * runtime. */
static int64_t request_timeout(const struct ty_lease_client *l)
{
    int64_t half = l->s.renew_ms / 2;
    return half > 100 ? half : 100;
}

static void send_request(struct ty_lease_client *l, enum ty_leader_election_action what)
{
    ty_auto_arena *a = ty_arena_new_input(BODY_CEILING, NULL); /* outside of the budget */
    struct ty_leader_election_record r;
    struct ty_kube_request q = {
        .verb = TY_KUBE_GET,
        .kind = &ty_kind_lease,
        .ns = ty_str(l->s.ns),
        .name = ty_str(l->s.name),
        .timeout_ms = request_timeout(l),
        .unlimited = true, /* losing the lease would end the process */
        .tries = -1,
        .fn = on_got,
        .ctx = l,
    };
    if (what != TY_LEADER_ELECTION_GET) {
        ty_leader_election_desired(&l->e, wall_us(), &r);
        l->creating = what == TY_LEADER_ELECTION_CREATE;
        q.verb = what == TY_LEADER_ELECTION_CREATE ? TY_KUBE_CREATE : TY_KUBE_UPDATE;
        q.name = what == TY_LEADER_ELECTION_CREATE ? (struct ty_str){ 0 } : q.name;
        if (what == TY_LEADER_ELECTION_CREATE) {
            free(l->meta);
            l->meta = NULL;
            r.version[0] = '\0';
        }
        q.body = body_of(l, a, &r);
        q.fn = on_wrote;
    }
    l->op = ty_kube_start(l->s.kube, &q);
}

/* ---- watch ---- */

static void on_event(void *ctx, enum ty_kube_event what, const struct ty_kube_object *o)
{
    struct ty_lease_client *l = ctx;
    struct ty_leader_election_record r;
    if (what == TY_KUBE_BOOKMARK)
        return;
    if (what == TY_KUBE_DELETED) {
        ty_leader_election_watched(&l->e, NULL, now_ms());
    } else if (ty_leader_election_decode(o->json, &r) &&
               ty_leader_election_watched(&l->e, &r, now_ms())) {
        save_metadata(l, o->json); /* metadata and version belong together */
    }
    run_election(l);
}

/* The next GET starts a new watch from its resourceVersion. */
static void on_watch_end(void *ctx, const struct ty_kube_response *answer)
{
    struct ty_lease_client *l = ctx;
    l->watch = NULL;
    l->no_watch_ms = now_ms() + l->s.retry_ms;
    if (answer->r == -EACCES) {
        l->no_watch_ms = now_ms() + WATCH_AGAIN_MS;
        ty_debug(&l->log, "leases cannot be watched: polling instead",
                 TY_STR("error", answer->message));
    }
    run_election(l);
}

static void start_watch(struct ty_lease_client *l)
{
    if (l->watch || !l->e.known || !*l->e.seen.version || now_ms() < l->no_watch_ms)
        return;
    char fields[300];
    snprintf(fields, sizeof(fields), "metadata.name=%s", l->s.name);
    l->watch = ty_kube_watch(
        l->s.kube,
        &(struct ty_kube_watch){
            .which = { .kind = &ty_kind_lease, .ns = ty_str(l->s.ns), .fields = ty_str(fields) },
            .version = ty_str(l->e.seen.version),
            .event = on_event,
            .end = on_watch_end,
            .ctx = l,
        });
}

/* ---- next action ---- */

static void on_timer(uv_timer_t *timer)
{
    run_election(timer->data);
}

static void wait_until(struct ty_lease_client *l, int64_t at_ms)
{
    int64_t now = now_ms(), ms = at_ms > now ? at_ms - now : 0;
    if (!l->watch && !l->e.leading && ms > TY_LEASE_CLIENT_POLL_MS &&
        !l->op) { /* without a watch: poll */
        ms = TY_LEASE_CLIENT_POLL_MS;
        if (l->e.next_ms > now + ms)
            l->e.next_ms = now + ms;
    }
    if (at_ms < INT64_MAX)
        uv_timer_start(l->timer, on_timer, (uint64_t)ms, 0);
}

static void run_election(struct ty_lease_client *l)
{
    int64_t at = INT64_MAX;
    if (l->releasing || l->e.lost)
        return;
    start_watch(l);
    notify_holder(l);
    notify_leading(l);
    if (l->releasing) /* released by the callback */
        return;
    enum ty_leader_election_action what = ty_leader_election_next(&l->e, now_ms(), &at);
    switch (what) {
    case TY_LEADER_ELECTION_GET:
    case TY_LEADER_ELECTION_CREATE:
    case TY_LEADER_ELECTION_UPDATE:
        send_request(l, what);
        ty_leader_election_next(&l->e, now_ms(), &at); /* for the timeout */
        wait_until(l, at);
        return;
    case TY_LEADER_ELECTION_WAIT:
        wait_until(l, at);
        return;
    case TY_LEADER_ELECTION_LOST:
        notify_lost(l);
        return;
    }
}

/* ---- public functions ---- */

const char *ty_lease_client_identity(struct ty_arena *a)
{
    char host[256] = "";
    unsigned char u[16] = { 0 };
    if (gethostname(host, sizeof(host) - 1) < 0 || !*host)
        snprintf(host, sizeof(host), "unknown");
    if (getrandom(u, sizeof(u), 0) != (ssize_t)sizeof(u))
        abort(); /* never fails for 16 bytes */
    u[6] = (unsigned char)((u[6] & 0x0f) | 0x40);
    u[8] = (unsigned char)((u[8] & 0x3f) | 0x80);
    return ty_arena_printf(a,
                           "%.200s_%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
                           "%02x%02x%02x%02x%02x%02x",
                           host, u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10],
                           u[11], u[12], u[13], u[14], u[15]);
}

static void on_start(uv_timer_t *timer)
{
    run_election(timer->data);
}

struct ty_lease_client *ty_lease_client_new(const struct ty_lease_client_settings *s)
{
    struct ty_lease_client *l = ty_xalloc(calloc(1, sizeof(*l)));
    l->arena = ty_arena_new_small(1 << 16, 512);
    l->s = *s;
    l->s.ns = ty_arena_strdup(l->arena, s->ns);
    l->s.name = ty_arena_strdup(l->arena, s->name);
    l->log = ty_log_named(s->log, "lease");
    l->e = (struct ty_leader_election){ .lease_ms = s->lease_ms / 1000 *
                                                    1000, /* in whole seconds, as in the Lease */
                                        .renew_ms = s->renew_ms,
                                        .retry_ms = s->retry_ms };
    snprintf(l->e.me, sizeof(l->e.me), "%s", s->identity);
    l->timer = ty_xalloc(calloc(1, sizeof(uv_timer_t)));
    uv_timer_init(s->loop, l->timer);
    l->timer->data = l;
    uv_timer_start(l->timer, on_start, 0, 0);
    return l;
}

bool ty_lease_client_held(const struct ty_lease_client *l)
{
    return l && !l->releasing && ty_leader_election_is_leader(&l->e, now_ms());
}

/* Called from a timer and not inside a callback of the client, so that done may free the client. */
static void on_done(uv_timer_t *timer)
{
    struct ty_lease_client *l = timer->data;
    if (l->done)
        l->done(l->done_ctx);
}

static void finish_release(struct ty_lease_client *l)
{
    uv_timer_start(l->timer, on_done, 0, 0);
}

static void on_released(void *ctx, const struct ty_kube_response *answer)
{
    struct ty_lease_client *l = ctx;
    l->op = NULL;
    if (answer->r < 0)
        log_error(l, answer, "cannot give the lease back; it ends by itself");
    else
        ty_info(&l->log, "released the lease", TY_S("lease", l->s.name));
    finish_release(l);
}

static void write_release(struct ty_lease_client *l)
{
    ty_auto_arena *a = ty_arena_new_input(BODY_CEILING, NULL);
    struct ty_leader_election_record r;
    ty_leader_election_release(&l->e, wall_us(), &r);
    l->op = ty_kube_start(l->s.kube, &(struct ty_kube_request){
                                         .verb = TY_KUBE_UPDATE,
                                         .kind = &ty_kind_lease,
                                         .ns = ty_str(l->s.ns),
                                         .name = ty_str(l->s.name),
                                         .body = body_of(l, a, &r),
                                         .timeout_ms = request_timeout(l),
                                         .unlimited = true,
                                         .tries = -1,
                                         .fn = on_released,
                                         .ctx = l,
                                     });
}

/* Gets the current record, because a renewal that was in flight may have changed it. */
static void on_final_get(void *ctx, const struct ty_kube_response *answer)
{
    struct ty_lease_client *l = ctx;
    struct ty_leader_election_record r;
    l->op = NULL;
    if (answer->r != 0 || !ty_leader_election_decode(answer->json, &r) ||
        strcmp(r.holder, l->e.me) != 0) {
        finish_release(l); /* we do not hold it */
        return;
    }
    save_metadata(l, answer->json);
    ty_leader_election_observed(&l->e, &r, now_ms());
    write_release(l);
}

void ty_lease_client_release(struct ty_lease_client *l, void (*done)(void *ctx), void *ctx)
{
    bool busy = l->op || l->e.leading; /* a request in flight may make us leader */
    l->releasing = true;
    l->done = done;
    l->done_ctx = ctx;
    ty_kube_cancel(l->op);
    ty_kube_cancel(l->watch);
    l->op = l->watch = NULL;
    uv_timer_stop(l->timer);
    if (!busy || l->e.lost) {
        finish_release(l);
        return;
    }
    l->op = ty_kube_start(l->s.kube, &(struct ty_kube_request){ .verb = TY_KUBE_GET,
                                                                .kind = &ty_kind_lease,
                                                                .ns = ty_str(l->s.ns),
                                                                .name = ty_str(l->s.name),
                                                                .timeout_ms = request_timeout(l),
                                                                .unlimited = true,
                                                                .tries = -1,
                                                                .fn = on_final_get,
                                                                .ctx = l });
}

static void on_closed(uv_handle_t *h)
{
    free(h);
}

void ty_lease_client_free(struct ty_lease_client *l)
{
    if (!l)
        return;
    ty_kube_cancel(l->op);
    ty_kube_cancel(l->watch);
    uv_close((uv_handle_t *)l->timer, on_closed);
    ty_arena_free(l->arena);
    free(l->meta);
    free(l);
}
