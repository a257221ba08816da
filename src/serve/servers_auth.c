/* Authorization of /metrics: with metrics.auth.enabled, a TokenReview finds the user, then a
 * SubjectAccessReview checks that the user may get the path. */
#include <errno.h>
#include <stdio.h>

#include "serve/respond.h"
#include "serve/servers_inner.h"
#include "store/kube/kube_kinds.h"

struct metrics_call {
    struct ty_servers *s;
    struct ty_http_request *q;
};

void ty_servers_auth_log_refused(struct ty_servers *s, const struct ty_kube_response *a,
                                 const char *what)
{
    char why[512];

    snprintf(why, sizeof(why), "%.*s", TY_ARG(a->message));
    ty_error(s->s.log, why, what, TY_I("code", a->code));
}

static void send_metrics(struct metrics_call *c)
{
    ty_servers_metrics_update(c->s);
    if (!ty_metrics_handle(c->s->metrics, c->q))
        ty_respond_text(c->q, 404, TY_LIT("404 page not found\n"));
}

static void send_refusal(struct metrics_call *c, int code, const char *text)
{
    ty_respond_text(c->q, code, ty_str(text));
}

static void on_access_review(void *ctx, const struct ty_kube_response *a)
{
    struct metrics_call *c = ctx;

    if (a->r < 0) {
        ty_servers_auth_log_refused(c->s, a, "cannot ask who may see /metrics");
        send_refusal(c, 500, "Authorization for user failed\n");
    } else if (!ty_json_true_at(a->json, "status.allowed")) {
        send_refusal(c, 403, "Authorization denied for user\n");
    } else {
        send_metrics(c);
    }
}

static struct ty_json *send_review(struct ty_arena *a, const struct ty_kind *kind,
                                   struct ty_json *spec)
{
    struct ty_json *r = ty_json_object(a);

    ty_json_set(a, r, "apiVersion", ty_json_cstr(a, ty_kind_api_version(a, kind)));
    ty_json_set(a, r, "kind", ty_json_cstr(a, kind->kind));
    ty_json_set(a, r, "spec", spec);
    return r;
}

static void on_token_review(void *ctx, const struct ty_kube_response *answer)
{
    static const char *const more[] = { "groups",
                                        "extra" }; /* extra: it may restrict what a token allows */
    struct metrics_call *c = ctx;
    struct ty_arena *a = c->q->arena;
    struct ty_json *spec = ty_json_object(a), *path = ty_json_object(a);
    const struct ty_json *user = ty_json_at(answer->json, "status.user");

    if (answer->r < 0) {
        ty_servers_auth_log_refused(c->s, answer, "cannot ask who wants to see /metrics");
        send_refusal(c, 500, "Authentication failed\n");
        return;
    }
    if (!ty_json_true_at(answer->json, "status.authenticated")) {
        send_refusal(c, 401, "Unauthorized\n");
        return;
    }
    ty_json_set(a, path, "path", ty_json_cstr(a, "/metrics"));
    ty_json_set(a, path, "verb", ty_json_cstr(a, "get"));
    ty_json_set(a, spec, "nonResourceAttributes", path);
    ty_json_set(a, spec, "user", ty_json_str(a, ty_json_str_at(user, "username")));
    ty_json_set(a, spec, "uid", ty_json_str(a, ty_json_str_at(user, "uid")));
    for (size_t i = 0; i < TY_COUNT(more); i++)
        if (ty_json_get(user, more[i]))
            ty_json_set(a, spec, more[i], ty_json_get(user, more[i]));
    ty_servers_request(c->s, c->q, c->s->s.review_kube,
                       &(struct ty_kube_request){
                           .verb = TY_KUBE_CREATE,
                           .kind = &ty_kind_accessreview,
                           .body = ty_json_text(a, send_review(a, &ty_kind_accessreview, spec)),
                           .timeout_ms = 5000,
                           .fn = on_access_review,
                           .ctx = c });
}

void ty_servers_handle_metrics(void *ctx, struct ty_http_request *q)
{
    struct ty_servers *s = ctx;
    struct metrics_call *c = ty_new(q->arena, struct metrics_call);
    struct ty_str token = ty_respond_bearer(q);
    struct ty_json *spec = ty_json_object(q->arena);

    *c = (struct metrics_call){ s, q };
    if (!s->s.config->metrics_auth) {
        send_metrics(c);
        return;
    }
    if (token.n == 0) {
        send_refusal(c, 401, "Unauthorized\n");
        return;
    }
    ty_json_set(q->arena, spec, "token", ty_json_str(q->arena, token));
    int r = ty_servers_request_review(
        s, q,
        &(struct ty_kube_request){
            .verb = TY_KUBE_CREATE,
            .kind = &ty_kind_tokenreview,
            .body = ty_json_text(q->arena, send_review(q->arena, &ty_kind_tokenreview, spec)),
            .timeout_ms = 5000,
            .fn = on_token_review,
            .ctx = c },
        TY_LIT("/metrics"), false);
    if (r < 0) {
        ty_http_request_add_header(q, "Retry-After", "1");
        send_refusal(c, 429, "Too many requests\n");
    }
}
