/* Runs operations from start to end; kube_op_response.c receives the responses. An operation is in
 * one of the states of kube_inner.h, whose transitions are drawn in kube.h; waiting operations are
 * in one list, sorted by time. */
#include "store/kube/kube_inner.h"

#include <errno.h>
#include <time.h>

#include "base/budget.h"
#include "base/xalloc.h"
#include "store/kube/kube_headers.h"

#define ANSWER_BYTES ((size_t)32 << 20)
#define TRIES        10

int64_t ty_kube_now(const struct ty_kube *k)
{
    return (int64_t)uv_now(k->set.loop);
}

static int64_t wall_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec;
}

/* Creation */

struct ty_kube_op *ty_kube_op_new(struct ty_kube *k, size_t size, const struct ty_kube_class *class,
                                  const char *method, const char *path, struct ty_str body)
{
    struct ty_kube_op *op = ty_xalloc(calloc(1, size));
    op->k = k;
    op->class = class;
    op->method = method;
    op->path = ty_xalloc(strdup(path));
    if (body.n) {
        op->body = ty_xalloc(malloc(body.n));
        op->body_n = body.n;
    }
    if (body.n)
        memcpy(op->body, body.p, body.n);
    ty_budget_charge(k->set.budget, body.n);
    op->charged = body.n;
    op->answer.ceiling = ANSWER_BYTES;
    op->tries = TRIES;
    op->timeout_ms = k->set.timeout_ms;
    op->deadline_ms = ty_kube_now(k) + op->timeout_ms;
    op->next = k->ops;
    op->at = &k->ops;
    if (op->next)
        op->next->at = &op->next;
    k->ops = op;
    return op;
}

/* Waiting */

static void on_time(uv_timer_t *timer);

static void wait_arm(struct ty_kube *k)
{
    if (!k->waits) {
        uv_timer_stop(k->timer);
        return;
    }
    int64_t left = k->waits->due_ms - ty_kube_now(k);
    uv_timer_start(k->timer, on_time, left > 0 ? (uint64_t)left : 0, 0);
}

/* Stops the timer with the last wait, so that it does not keep the loop running. */
static void wait_end(struct ty_kube_op *op)
{
    if (!op->waiting)
        return;
    *op->waiting = op->later;
    if (op->later)
        op->later->waiting = op->waiting;
    op->waiting = NULL;
    op->later = NULL;
    wait_arm(op->k);
}

/* Operations with equal times keep their order. */
void ty_kube_op_wait(struct ty_kube_op *op, enum ty_kube_state state, int64_t due_ms)
{
    struct ty_kube_op **at = &op->k->waits;
    wait_end(op);
    op->state = state;
    op->due_ms = due_ms;
    while (*at && (*at)->due_ms <= due_ms)
        at = &(*at)->later;
    op->later = *at;
    op->waiting = at;
    if (op->later)
        op->later->waiting = &op->later;
    *at = op;
    wait_arm(op->k);
}

/* End */

void ty_kube_op_free(struct ty_kube_op *op)
{
    if (op->call)
        ty_http_client_cancel(op->call);
    op->call = NULL;
    if (op->busy) {
        op->cancelled = true;
        return;
    }
    wait_end(op);
    if (op->class->free)
        op->class->free(op);
    *op->at = op->next;
    if (op->next)
        op->next->at = op->at;
    ty_budget_release(op->k->set.budget, op->charged);
    ty_buf_done(&op->answer);
    free(op->path);
    free(op->body);
    free(op);
}

void ty_kube_cancel(struct ty_kube_op *op)
{
    if (!op)
        return;
    op->fn = NULL;
    ty_kube_op_free(op);
}

void ty_kube_op_end(struct ty_kube_op *op, struct ty_kube_response *answer)
{
    bool goes_on = false;
    op->busy = true;
    if (op->class->end)
        goes_on = op->class->end(op, answer);
    else if (op->fn)
        op->fn(op->ctx, answer);
    op->busy = false;
    if (!goes_on || op->cancelled)
        ty_kube_op_free(op);
}

void ty_kube_op_lost(struct ty_kube_op *op, int r, struct ty_str why)
{
    struct ty_kube_response answer;
    ty_kube_response_lost(why, &answer);
    answer.r = r;
    ty_kube_op_end(op, &answer);
}

void ty_kube_op_fail(struct ty_kube_op *op, int r, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(op->error.text, sizeof(op->error.text), fmt, ap);
    va_end(ap);
    op->error.code = r;
    ty_kube_op_wait(op, TY_KUBE_FAILED, ty_kube_now(op->k));
}

/* Sending */

static int64_t total_ms(const struct ty_kube_op *op)
{
    int64_t left = op->deadline_ms - ty_kube_now(op->k);
    if (op->log || op->total_ms)
        return op->total_ms;
    return left > 0 ? left : 1;
}

static void op_send(struct ty_kube_op *op)
{
    struct ty_kube *k = op->k;
    const char *host = NULL;

    wait_end(op);
    if (ty_kube_check_fence(op))
        return;
    ty_arena_reset(k->sent);
    op->answer.n = 0;
    op->state = TY_KUBE_SENT;
    op->serial = ty_kube_auth_serial(k->auth);
    const char *base = ty_kube_auth_base(k->auth, k->sent, &host);
    struct ty_kube_head head = { .accept = op->accept,
                                 .type = op->type,
                                 .has_body = op->body != NULL,
                                 .auth = ty_kube_auth_header(k->auth),
                                 .host = host };
    struct ty_http_client_request ask = {
        .method = op->method,
        .url = ty_arena_printf(k->sent, "%s%s", base, op->path),
        .headers = ty_kube_headers(k->sent, k->set.config, &head),
        .body = { op->body, op->body_n },
        .peer = ty_kube_auth_peer(k->auth),
        .total_ms = total_ms(op),
        .idle_ms = op->idle_ms,
        .pings = op->pings,
        .piece = ty_kube_op_on_piece,
        .end = ty_kube_op_on_end,
        .ctx = op,
    };
    k->requests++;
    op->call = ty_http_client_start(ty_kube_http_client(op), &ask);
}

/* A person who is asked may take longer than the timeout. */
static void wait_for_creds(struct ty_kube_op *op)
{
    bool patient = ty_kube_auth_is_patient(op->k->auth);
    op->asked_ms = patient ? ty_kube_now(op->k) : 0;
    ty_kube_op_wait(op, TY_KUBE_CREDS, patient ? INT64_MAX : op->deadline_ms);
}

static void op_creds(struct ty_kube_op *op)
{
    struct ty_err err = { 0 };
    int r = ty_kube_auth_ready(op->k->auth, wall_s(), &err);
    if (r == 0)
        op_send(op);
    else if (r > 0)
        wait_for_creds(op);
    else
        ty_kube_op_fail(op, -EAGAIN, "%s", err.text);
}

void ty_kube_op_begin(struct ty_kube_op *op)
{
    struct ty_kube *k = op->k;
    int64_t now = ty_kube_now(k);
    int64_t wait = op->unlimited ? 0 : ty_kube_limiter_take(&k->limiter, now);
    if (wait == 0)
        op_creds(op);
    else
        ty_kube_op_wait(op, TY_KUBE_LIMIT,
                        now + wait < op->deadline_ms ? now + wait : op->deadline_ms);
}

void ty_kube_on_auth(void *ctx, bool changed, const struct ty_err *err)
{
    struct ty_kube *k = ctx;
    if (changed)
        ty_kube_renew_connections(k);
    for (struct ty_kube_op *op = k->ops; op; op = op->next) {
        if (op->state != TY_KUBE_CREDS)
            continue;
        if (op->asked_ms)
            op->deadline_ms += ty_kube_now(k) - op->asked_ms;
        if (err)
            ty_kube_op_fail(op, -EAGAIN, "%s", err->text);
        else
            op_send(op);
    }
}

/* No credentials: nothing is sent. */
static void op_unsent(struct ty_kube_op *op, const char *why)
{
    ty_kube_op_report(op, &(struct ty_http_client_result){ .text = why }, false);
    ty_kube_op_lost(op, -EAGAIN, ty_str(why));
}

static void op_due(struct ty_kube_op *op)
{
    wait_end(op);
    if (op->state == TY_KUBE_FAILED && op->error.code == -EAGAIN)
        op_unsent(op, op->error.text);
    else if (op->state == TY_KUBE_FAILED)
        ty_kube_op_lost(op, op->error.code, ty_str(op->error.text));
    else if (op->state == TY_KUBE_CREDS)
        op_unsent(op, "no credentials in time");
    else if (ty_kube_now(op->k) >= op->deadline_ms)
        ty_kube_op_lost(op, -EAGAIN, TY_LIT("the limit on requests (qps) left no time"));
    else if (op->state == TY_KUBE_LIMIT)
        op_creds(op);
    else
        ty_kube_op_begin(op);
}

static void on_time(uv_timer_t *timer)
{
    struct ty_kube *k = timer->data;
    int64_t now = ty_kube_now(k);
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): what is freed has left the list */
    while (k->waits && k->waits->due_ms <= now)
        op_due(k->waits);
    wait_arm(k);
}
