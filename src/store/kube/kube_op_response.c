/* Responses to operations: their bytes, their end, and whether the operation is sent again. */
#include "store/kube/kube_inner.h"

#include <errno.h>

#include "base/budget.h"
#include "store/kube/truncate.h"

#define SMALL_ANSWER ((size_t)16 << 10)
#define CUT_EACH     ((size_t)4 << 10) /* bytes of a member, if an object is too large */
#define CUT_BYTES    ((size_t)64 << 10)
#define PAUSE_MS     1000 /* for 429 without Retry-After; such a 503 is not retried */

void ty_kube_op_report(const struct ty_kube_op *op, const struct ty_http_client_result *end,
                       bool again)
{
    const struct ty_kube_settings *s = &op->k->set;
    if (s->seen)
        s->seen(s->ctx, &(struct ty_kube_request_result){ .method = op->method,
                                                          .code = end->status,
                                                          .whole = end->whole,
                                                          .watch = op->total_ms != 0,
                                                          .log = op->log,
                                                          .again = again,
                                                          .text = end->whole ? NULL : end->text });
}

/* The server asked for a retry, and time and retries are left. */
static bool pause_op(struct ty_kube_op *op, const struct ty_kube_response *answer)
{
    bool asked = answer->code == 429 || (answer->code == 503 && answer->retry_after_ms > 0);
    int64_t ms = answer->retry_after_ms ? answer->retry_after_ms : PAUSE_MS;
    /* Jitter: all requests that were refused together get the same Retry-After. */
    ms += (int64_t)(ty_kube_random_next(&op->k->random) % (uint64_t)(ms / 4 + 1));
    if (!asked || op->tries <= 0 || ty_kube_now(op->k) + ms >= op->deadline_ms)
        return false;
    op->tries--;
    ty_kube_op_wait(op, TY_KUBE_PAUSE, ty_kube_now(op->k) + ms);
    return true;
}

void ty_kube_renew_connections(struct ty_kube *k)
{
    ty_http_client_renew(k->reads);
    ty_http_client_renew(k->writes);
    if (k->fenced)
        ty_http_client_renew(k->fenced);
    if (k->logs)
        ty_http_client_renew(k->logs);
}

/* Once for each operation: the credentials may have been replaced. */
static bool with_other_credentials(struct ty_kube_op *op, const struct ty_kube_response *answer)
{
    bool changed = false;
    if (answer->code != 401 || op->refused ||
        !ty_kube_auth_refused(op->k->auth, op->serial, &changed))
        return false;
    if (changed)
        ty_kube_renew_connections(op->k);
    op->refused = true;
    ty_kube_op_begin(op);
    return true;
}

/* The caller wants no tree. */
static bool is_raw(const struct ty_kube_op *op, int status, struct ty_kube_response *ret)
{
    *ret = (struct ty_kube_response){ .code = status,
                                      .text = ty_buf_str(&op->answer),
                                      .message = TY_LIT("") };
    return op->raw && status == 200;
}

static void end_op(struct ty_kube_op *op, struct ty_http_client_call *call,
                   const struct ty_http_client_result *end)
{
    struct ty_kube *k = op->k;
    struct ty_kube_response answer;

    op->call = NULL;
    if (op->error.code < 0) { /* from a chunk, or too long */
        ty_kube_op_report(op, end, false);
        ty_kube_op_lost(op, op->error.code, ty_str(op->error.text));
        return;
    }
    if (end->fenced && ty_kube_check_fence(op))
        return;
    if (!end->whole) {
        ty_kube_op_report(op, end, false);
        ty_kube_op_lost(op, -EAGAIN,
                        ty_str(ty_arena_printf(k->a, "%s: %s", k->set.config->server, end->text)));
        return;
    }
    if (op->class->piece && end->status == 200)
        answer = (struct ty_kube_response){ .code = 200 };
    else if (!is_raw(op, end->status, &answer))
        ty_kube_response_parse(k->a, end->status, ty_buf_str(&op->answer),
                               ty_http_client_header(call, "Retry-After"), &answer);
    bool again = pause_op(op, &answer) || with_other_credentials(op, &answer);
    ty_kube_op_report(op, end, again);
    if (!again)
        ty_kube_op_end(op, &answer);
}

/* A large response is freed right after its callback, not with the next response. */
void ty_kube_op_on_end(void *ctx, struct ty_http_client_call *call,
                       const struct ty_http_client_result *end)
{
    struct ty_kube_op *op = ctx;
    struct ty_kube *k = op->k;

    ty_arena_reset(k->a);
    end_op(op, call, end);
    ty_arena_reset(k->a);
}

static int collect_body(struct ty_kube_op *op, struct ty_str piece)
{
    size_t cap = op->answer.cap;

    ty_buf_add(&op->answer, piece);
    if (op->answer.full)
        return ty_fail(&op->error, -EFBIG, "the answer of the server is longer than %zu MB",
                       op->answer.ceiling >> 20);
    size_t more = op->answer.cap - cap;
    /* A small response is parsed even if the budget is used up: the lease must be renewed. */
    if (op->answer.cap <= SMALL_ANSWER)
        ty_budget_charge(op->k->set.budget, more);
    else if (!ty_budget_reserve(op->k->set.budget, more))
        return ty_fail(&op->error, -EAGAIN, "no memory is left for the answer of the server");
    op->charged += more;
    return 0;
}

struct ty_json *ty_kube_parse(struct ty_kube_op *op, struct ty_str text, int levels, bool *ret_cut,
                              struct ty_err *err)
{
    struct ty_arena *a = op->k->a;
    ty_auto_buf less = { .ceiling = CUT_BYTES };

    *ret_cut = false;
    ty_arena_reset(a);
    struct ty_json *json = ty_json_parse(a, text, NULL, err);
    if (json && !ty_arena_full(a))
        return json;
    if (json || err->code == -EFBIG)
        ty_fail(err, -EFBIG, "an object of %zu bytes is too large for the memory that is left",
                text.n);
    ty_arena_reset(a);
    if (err->code != -EFBIG || !op->cut || !ty_truncate_object(&less, text, levels, CUT_EACH))
        return NULL;
    *ret_cut = true;
    char *copy = ty_arena_cstr(a, ty_buf_str(&less));
    return ty_json_parse(a, (struct ty_str){ copy, less.n }, NULL, err);
}

int ty_kube_op_on_piece(void *ctx, struct ty_http_client_call *call, struct ty_str piece)
{
    struct ty_kube_op *op = ctx;
    if (!op->class->piece || ty_http_client_status(call) != 200)
        return collect_body(op, piece);
    op->busy = true;
    int r = op->class->piece(op, piece, &op->error);
    op->busy = false;
    if (op->cancelled) {
        ty_kube_op_free(op);
        return 0;
    }
    if (r < 0)
        op->error.code = r;
    return r;
}
