/* The log lines of the webhooks: what was admitted or refused, the user, and the start of the
 * reason. Of the object only kind, namespace and name are logged. */
#include "serve/webhook_handler.h"

#define REASON_MAX 200 /* of the reason; the client gets all of it */

static struct ty_str name_of(const struct ty_json *request)
{
    struct ty_str name = ty_json_str_at(request, "name");

    if (!name.n)
        name = ty_json_str_at(request, "object.metadata.name");
    return name.n ? name : ty_json_str_at(request, "object.metadata.generateName");
}

void ty_webhook_handler_log(const struct ty_log *log, struct ty_str path,
                            const struct ty_json *request, const struct ty_json *response)
{
    bool allowed = ty_json_true_at(response, "allowed");
    int level = allowed && ty_str_starts(path, TY_LIT("/mutate-")) ? TY_DEBUG : TY_INFO;
    int64_t code = 200;

    if (!request || !response || !ty_log_enabled(log, level))
        return;
    struct ty_str kind = ty_json_str_at(request, "kind.kind"),
                  op = ty_json_str_at(request, "operation"),
                  ns = ty_json_str_at(request, "namespace"), name = name_of(request),
                  user = ty_json_str_at(request, "userInfo.username"),
                  why = ty_str_head(ty_json_str_at(response, "status.message"), REASON_MAX);
    bool dry = ty_json_true_at(request, "dryRun");
    ty_json_int_at(response, "status.code", &code);
    if (allowed)
        ty_log(log, level, "admitted", TY_STR("kind", kind), TY_STR("namespace", ns),
               TY_STR("name", name), TY_STR("operation", op), TY_STR("user", user),
               TY_B("dryRun", dry),
               TY_I("warnings", ty_json_len(ty_json_get(response, "warnings"))));
    else
        ty_log(log, level, "refused", TY_STR("kind", kind), TY_STR("namespace", ns),
               TY_STR("name", name), TY_STR("operation", op), TY_STR("user", user),
               TY_B("dryRun", dry), TY_I("code", code), TY_STR("reason", why));
}
