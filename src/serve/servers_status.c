/* The status API on a cluster: a pod's projected token says for which TrainJob it was made (its
 * audience) and in which namespace it lives; the API server checks it and takes the status. */
#include <errno.h>

#include "serve/servers_inner.h"
#include "store/kube_kinds.h"
#include "trainer/trainjob.h"

#define MANAGER "trainer-status"

struct asking {
    struct ty_servers *s;
    struct ty_status_call *call;
    struct ty_str audience;
};

/* An authenticator that does not know of audiences leaves the list empty and has checked the token
 * for the API server's own: the API asks its clients to look. */
static bool is_for(const struct ty_json *review, struct ty_str audience)
{
    const struct ty_json *list = ty_json_at(review, "status.audiences");

    ty_each_item (it, list)
        if (ty_str_eq(ty_json_text_of(*it), audience))
            return true;
    return false;
}

static void reviewed(void *ctx, const struct ty_kube_answer *a)
{
    struct asking *k = ctx;
    struct ty_status_call *call = k->call;
    const char *owner =
        ty_arena_printf(call->arena, "system:serviceaccount:%.*s:", TY_ARG(call->ns));
    bool good = a->r == 0 && ty_json_true_at(a->json, "status.authenticated") &&
                is_for(a->json, k->audience) &&
                ty_str_starts(ty_json_str_at(a->json, "status.user.username"), ty_str(owner));

    if (good)
        ty_vouched_add(&k->s->vouched, call->token, k->audience, uv_now(k->s->s.loop));
    if (a->r < 0)
        ty_servers_say_refused(k->s, a, "cannot ask whose token the status API was shown");
    ty_status_authorized(call, a->r < 0 ? -EIO : good);
}

static void ask(struct asking *k)
{
    struct ty_arena *a = k->call->arena;
    struct ty_json *review = ty_json_object(a), *spec = ty_json_object(a);

    ty_json_push(a, ty_json_need_array(a, spec, "audiences"), ty_json_str(a, k->audience));
    ty_json_set(a, spec, "token", ty_json_str(a, k->call->token));
    ty_json_set(a, review, "apiVersion", ty_json_cstr(a, "authentication.k8s.io/v1"));
    ty_json_set(a, review, "kind", ty_json_cstr(a, "TokenReview"));
    ty_json_set(a, review, "spec", spec);
    ty_kube_start(k->s->s.kube, &(struct ty_kube_ask){ .verb = TY_KUBE_CREATE,
                                                       .kind = &ty_kind_tokenreview,
                                                       .body = ty_json_text(a, review),
                                                       .timeout_ms = 5000,
                                                       .fn = reviewed,
                                                       .ctx = k });
}

static void authorize(void *ctx, struct ty_status_call *call)
{
    struct ty_servers *s = ctx;
    struct ty_str audience = ty_str(ty_trainjob_audience(call->arena, call->ns, call->name));
    struct asking *k = ty_new(call->arena, struct asking);

    *k = (struct asking){ s, call, audience };
    if (call->token.n == 0)
        ty_status_authorized(call, 0);
    else if (ty_vouched_for(&s->vouched, call->token, audience, uv_now(s->s.loop)))
        ty_status_authorized(call, 1);
    else
        ask(k);
}

static void written(void *ctx, const struct ty_kube_answer *a)
{
    struct ty_status_call *call = ctx;

    if (a->r < 0 && a->code != 400 && a->code != 404 && a->code != 422) /* not the client's fault */
        ty_servers_say_refused(call->api->ctx, a, "cannot write a status that a trainer reported");
    ty_status_applied(call, a->code, ty_arena_printf(call->arena, "%.*s", TY_ARG(a->message)));
}

/* What is applied: a time that was not reported is null, as v2.3.0 has it, so that the API server's
 * words are the same. */
static struct ty_json *reported(struct ty_arena *a, const struct ty_json *trainer_status)
{
    struct ty_json *v = ty_json_copy(a, trainer_status, 0);

    if (!ty_json_get(v, "lastUpdatedTime"))
        ty_json_set(a, v, "lastUpdatedTime", ty_json_null(a));
    return v;
}

static void apply(void *ctx, struct ty_status_call *call)
{
    struct ty_servers *s = ctx;
    struct ty_arena *a = call->arena;
    struct ty_json *obj = ty_json_object(a), *meta = ty_json_object(a);

    ty_json_set(a, obj, "apiVersion", ty_json_cstr(a, ty_kind_api_version(a, &ty_kind_trainjob)));
    ty_json_set(a, obj, "kind", ty_json_cstr(a, "TrainJob"));
    ty_json_set(a, meta, "name", ty_json_str(a, call->name));
    ty_json_set(a, meta, "namespace", ty_json_str(a, call->ns));
    ty_json_set(a, obj, "metadata", meta);
    ty_json_set(a, ty_json_need_object(a, obj, "status"), "trainerStatus",
                reported(a, call->trainer_status));
    ty_kube_start(s->s.status_kube, &(struct ty_kube_ask){ .verb = TY_KUBE_APPLY,
                                                           .kind = &ty_kind_trainjob,
                                                           .ns = call->ns,
                                                           .name = call->name,
                                                           .sub = "status",
                                                           .body = ty_json_text(a, obj),
                                                           .manager = MANAGER,
                                                           .force = true,
                                                           .timeout_ms = 8000,
                                                           .fn = written,
                                                           .ctx = call });
}

void ty_servers_status_init(struct ty_servers *s)
{
    s->status = (struct ty_status_api){ .ctx = s, .authorize = authorize, .apply = apply };
}

void ty_servers_handle_status(void *ctx, struct ty_request *q)
{
    struct ty_servers *s = ctx;
    ty_status_handle(&s->status, q);
}
