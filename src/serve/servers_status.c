/* The status API on a cluster: a pod's projected token has the TrainJob in its audience and the
 * namespace in its subject; the API server reviews the token and stores the status. */
#include <errno.h>
#include <time.h>

#include "serve/jwt.h"
#include "serve/servers_inner.h"
#include "store/kube/kube_kinds.h"
#include "trainer/trainjob.h"

#define MANAGER "trainer-status"

struct token_review {
    struct ty_servers *s;
    struct ty_status_call *call;
    struct ty_str audience;
};

/* An authenticator that does not support audiences leaves the list empty and has checked the token
 * for the API server's own: TokenReview's documentation tells clients to check that. */
static bool has_audience(const struct ty_json *review, struct ty_str audience)
{
    const struct ty_json *list = ty_json_at(review, "status.audiences");

    ty_each_item (it, list)
        if (ty_str_eq(ty_json_as_str(*it), audience))
            return true;
    return false;
}

static void on_token_review(void *ctx, const struct ty_kube_response *a)
{
    struct token_review *k = ctx;
    struct ty_status_call *call = k->call;
    const char *owner =
        ty_arena_printf(call->arena, "system:serviceaccount:%.*s:", TY_ARG(call->ns));
    bool good = a->r == 0 && ty_json_true_at(a->json, "status.authenticated") &&
                has_audience(a->json, k->audience) &&
                ty_str_starts(ty_json_str_at(a->json, "status.user.username"), ty_str(owner));

    if (a->r == 0)
        ty_token_cache_add(good ? &k->s->accepted : &k->s->refused, call->token, k->audience,
                           uv_now(k->s->s.loop),
                           good ? TY_TOKEN_CACHE_TTL_MS : TY_TOKEN_CACHE_DENIED_TTL_MS);
    else
        ty_servers_auth_log_refused(k->s, a, "cannot ask whose token the status API was shown");
    ty_status_authorized(call, a->r < 0 ? -EIO : good);
}

/* Jobs that do not exist share one subject. */
static struct ty_str review_subject(const struct token_review *k)
{
    const struct ty_status_call *c = k->call;
    const struct ty_cache *w =
        k->s->s.controller ? ty_trainjob_controller_cache(k->s->s.controller) : NULL;
    bool known = !w || ty_cache_get(w, &ty_kind_trainjob, c->ns, c->name);

    return known ? k->audience : TY_LIT("no such job");
}

static int start_review(struct token_review *k)
{
    struct ty_arena *a = k->call->arena;
    struct ty_json *review = ty_json_object(a), *spec = ty_json_object(a);
    bool known = ty_token_cache_had(&k->s->accepted, k->call->token, k->audience);

    ty_json_push(a, ty_json_ensure_array(a, spec, "audiences"), ty_json_str(a, k->audience));
    ty_json_set(a, spec, "token", ty_json_str(a, k->call->token));
    ty_json_set(a, review, "apiVersion", ty_json_cstr(a, "authentication.k8s.io/v1"));
    ty_json_set(a, review, "kind", ty_json_cstr(a, "TokenReview"));
    ty_json_set(a, review, "spec", spec);
    return ty_servers_request_review(k->s, k->call->q,
                                     &(struct ty_kube_request){ .verb = TY_KUBE_CREATE,
                                                                .kind = &ty_kind_tokenreview,
                                                                .body = ty_json_text(a, review),
                                                                .timeout_ms = 5000,
                                                                .fn = on_token_review,
                                                                .ctx = k },
                                     review_subject(k), known);
}

/* No review for a token that could not be accepted: v2.3.0, which verifies tokens itself, refuses
 * the same ones. */
static void authorize_call(void *ctx, struct ty_status_call *call)
{
    struct ty_servers *s = ctx;
    struct ty_str audience = ty_str(ty_trainjob_audience(call->arena, call->ns, call->name));
    struct token_review *k = ty_new(call->arena, struct token_review);
    uint64_t now = uv_now(s->s.loop);

    *k = (struct token_review){ s, call, audience };
    if (ty_token_cache_has(&s->accepted, call->token, audience, now))
        ty_status_authorized(call, 1);
    else if (!ty_jwt_is_plausible(call->arena, call->token, audience, call->ns, time(NULL)) ||
             ty_token_cache_has(&s->refused, call->token, audience, now))
        ty_status_authorized(call, 0);
    else if (start_review(k) < 0)
        ty_status_authorized(call, -EBUSY);
}

static void on_status_written(void *ctx, const struct ty_kube_response *a)
{
    struct ty_status_call *call = ctx;

    if (a->r < 0 && a->code != 400 && a->code != 404 && a->code != 422) /* not the client's fault */
        ty_servers_auth_log_refused(call->api->ctx, a,
                                    "cannot write a status that a trainer reported");
    ty_status_applied(call, a->code, ty_arena_cstr(call->arena, a->message));
}

/* The apply body: a time that was not reported is null, as in v2.3.0, so that the API server's
 * messages are the same. */
static struct ty_json *status_to_apply(struct ty_arena *a, const struct ty_json *trainer_status)
{
    struct ty_json *v = ty_json_copy(a, trainer_status, 0);

    if (!ty_json_get(v, "lastUpdatedTime"))
        ty_json_set(a, v, "lastUpdatedTime", ty_json_null(a));
    return v;
}

static void write_status(void *ctx, struct ty_status_call *call)
{
    struct ty_servers *s = ctx;
    struct ty_arena *a = call->arena;
    struct ty_json *obj = ty_json_object(a), *meta = ty_json_object(a);

    ty_json_set(a, obj, "apiVersion", ty_json_cstr(a, ty_kind_api_version(a, &ty_kind_trainjob)));
    ty_json_set(a, obj, "kind", ty_json_cstr(a, "TrainJob"));
    ty_json_set(a, meta, "name", ty_json_str(a, call->name));
    ty_json_set(a, meta, "namespace", ty_json_str(a, call->ns));
    ty_json_set(a, obj, "metadata", meta);
    ty_json_set(a, ty_json_ensure_object(a, obj, "status"), "trainerStatus",
                status_to_apply(a, call->trainer_status));
    ty_servers_request(s, call->q, s->s.status_kube,
                       &(struct ty_kube_request){ .verb = TY_KUBE_APPLY,
                                                  .kind = &ty_kind_trainjob,
                                                  .ns = call->ns,
                                                  .name = call->name,
                                                  .sub = "status",
                                                  .body = ty_json_text(a, obj),
                                                  .manager = MANAGER,
                                                  .force = true,
                                                  .timeout_ms = 8000,
                                                  .fn = on_status_written,
                                                  .ctx = call });
}

void ty_servers_status_init(struct ty_servers *s)
{
    s->status =
        (struct ty_status_api){ .ctx = s, .authorize = authorize_call, .apply = write_status };
}

void ty_servers_handle_status(void *ctx, struct ty_http_request *q)
{
    struct ty_servers *s = ctx;
    ty_status_handle(&s->status, q);
}
