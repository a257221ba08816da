/* Requests to the API server on behalf of clients, in a list: to cancel them when the servers are
 * freed, and to limit the reviews that unauthenticated clients can cause. A client that forges
 * well-formed tokens, for one job or for jobs that do not exist, uses up the reviews of that
 * subject, and never all of them. */
#include <errno.h>

#include "serve/respond.h"
#include "serve/servers_inner.h"

struct ty_servers_pending_request { /* lives with the request */
    struct ty_servers *s;
    struct ty_servers_pending_request *next, **at;
    struct ty_http_request *q;
    struct ty_kube_op *op;
    ty_kube_fn *fn;
    void *ctx;
    bool review;
    struct ty_str about;
};

static void remove_request(struct ty_servers_pending_request *k)
{
    *k->at = k->next;
    if (k->next)
        k->next->at = k->at;
    k->s->reviews -= k->review;
}

static void on_answer(void *ctx, const struct ty_kube_response *a)
{
    struct ty_servers_pending_request *k = ctx;

    remove_request(k);
    k->fn(k->ctx, a);
}

static struct ty_servers_pending_request *send_request(struct ty_servers *s,
                                                       struct ty_http_request *q,
                                                       struct ty_kube *kube,
                                                       const struct ty_kube_request *ask)
{
    struct ty_servers_pending_request *k = ty_new(q->arena, struct ty_servers_pending_request);
    struct ty_kube_request ours = *ask;

    *k = (struct ty_servers_pending_request){
        .s = s, .q = q, .fn = ask->fn, .ctx = ask->ctx, .next = s->pending, .at = &s->pending
    };
    if (s->pending)
        s->pending->at = &k->next;
    s->pending = k;
    ours.fn = on_answer;
    ours.ctx = k;
    k->op = ty_kube_start(kube, &ours);
    return k;
}

void ty_servers_request(struct ty_servers *s, struct ty_http_request *q, struct ty_kube *kube,
                        const struct ty_kube_request *what)
{
    send_request(s, q, kube, what);
}

int ty_servers_request_review(struct ty_servers *s, struct ty_http_request *q,
                              const struct ty_kube_request *what, struct ty_str about, bool known)
{
    struct ty_kube_request ours = *what;
    size_t most = known ? TY_REVIEWS_MAX : TY_REVIEWS_MAX - TY_REVIEWS_RESERVED, same = 0;

    for (const struct ty_servers_pending_request *k = s->pending; k; k = k->next)
        same += k->review && ty_str_eq(k->about, about);
    if (s->reviews >= most || (!known && same >= TY_REVIEWS_PER_SUBJECT))
        return -EBUSY;
    ours.unlimited = known;
    struct ty_servers_pending_request *k = send_request(s, q, s->s.review_kube, &ours);
    k->review = true;
    s->reviews++;
    k->about = ty_arena_str(q->arena, about);
    return 0;
}

void ty_servers_request_cancel_all(struct ty_servers *s)
{
    while (s->pending) {
        struct ty_servers_pending_request *k = s->pending;
        remove_request(k);
        ty_kube_cancel(k->op);
        ty_respond_text(k->q, 503, TY_LIT("the server ends\n"));
    }
}
