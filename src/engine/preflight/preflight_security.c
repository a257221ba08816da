/* Checks securityContext: which fields a process of this user can honor. */
#include "engine/preflight/preflight_inner.h"

/* Ids are those of users inside the image, which is not used: the files, homes and programs that a
 * command finds here belong to the caller, so it runs as the caller. Said once. */
static void told_ids(struct ty_preflight *x, const struct ty_field_path *at)
{
    const char *text = ty_arena_printf(
        x->out->arena, "users of the image do not exist here; everything runs as uid %d, as you do",
        x->pod.host->uid);

    if (!ty_preflight_has_warning(x, text))
        ty_preflight_warn(x, at, "%s", text);
}

static void check_id(struct ty_preflight *x, const struct ty_json *context, const char *key,
                     int ours, const struct ty_field_path *at)
{
    int64_t want;

    if (ty_json_int_at(context, key, &want) && want != ours)
        told_ids(x, TY_KEY(at, key));
}

static void refuse_field(struct ty_preflight *x, const struct ty_field_path *at, const char *field,
                         struct ty_str value)
{
    ty_preflight_error(x, at, "%s=%.*s cannot be enforced for a host process", field,
                       TY_ARG(value));
}

/* Profiles by type: only "unconfined" is what a host process is anyway. */
static void check_profiles(struct ty_preflight *x, const struct ty_json *context,
                           const struct ty_field_path *at)
{
    static const char *const profiles[] = { "seccompProfile", "appArmorProfile" };
    const struct ty_json *labels = ty_json_get(context, "seLinuxOptions");

    for (size_t i = 0; i < 2; i++) {
        struct ty_str type = ty_json_str_at(ty_json_get(context, profiles[i]), "type");
        if (type.n && !ty_str_is(type, "Unconfined"))
            refuse_field(x, TY_KEY(at, profiles[i]), profiles[i], type);
    }
    if (ty_json_len(labels))
        refuse_field(x, TY_KEY(at, "seLinuxOptions"), "seLinuxOptions",
                     ty_preflight_value(x, labels));
    if (ty_json_len(ty_json_get(context, "sysctls")))
        refuse_field(x, TY_KEY(at, "sysctls"), "sysctls",
                     ty_preflight_value(x, ty_json_get(context, "sysctls")));
}

/* Whatever runAsUser says, the process would be who we are. */
static void check_non_root(struct ty_preflight *x, const struct ty_json *context,
                           const struct ty_field_path *at)
{
    if (ty_json_true_at(context, "runAsNonRoot") && x->pod.host->uid == 0)
        ty_preflight_error(x, TY_KEY(at, "runAsNonRoot"),
                           "would run as root, as trainyard does; start it as an ordinary user");
}

static void check_container(struct ty_preflight *x, const struct ty_json *context,
                            const struct ty_field_path *at)
{
    static const char *const unless_false[] = { "privileged", "readOnlyRootFilesystem" };
    const struct ty_json *add = ty_json_at(context, "capabilities.add");
    struct ty_str proc = ty_json_str_at(context, "procMount");

    for (size_t i = 0; i < 2; i++)
        if (ty_json_true_at(context, unless_false[i]))
            refuse_field(x, TY_KEY(at, unless_false[i]), unless_false[i], TY_LIT("true"));
    if (ty_json_len(add))
        refuse_field(x, TY_KEY(TY_KEY(at, "capabilities"), "add"), "capabilities.add",
                     ty_preflight_value(x, add));
    if (proc.n && !ty_str_is(proc, "Default"))
        refuse_field(x, TY_KEY(at, "procMount"), "procMount", proc);
    /* Who is not root has no capabilities to drop. */
    if (x->pod.host->root && ty_json_len(ty_json_at(context, "capabilities.drop")))
        ty_preflight_warn(x, TY_KEY(TY_KEY(at, "capabilities"), "drop"), "has no effect here");
}

void ty_preflight_check_security(struct ty_preflight *x, const struct ty_json *context,
                                 bool container, const struct ty_field_path *at)
{
    const struct ty_host *host = x->pod.host;

    if (!context)
        return;
    check_id(x, context, "runAsUser", host->uid, at);
    check_id(x, context, "runAsGroup", host->gid, at);
    if (!container) {
        size_t i = 0;
        check_id(x, context, "fsGroup", host->gid, at);
        ty_each_item (g, ty_json_get(context, "supplementalGroups")) {
            const struct ty_field_path *here = TY_IDX(TY_KEY(at, "supplementalGroups"), i++);
            if (!ty_json_is(*g, TY_JSON_INT) || (*g)->i != host->gid)
                told_ids(x, here);
        }
    }
    check_profiles(x, context, at);
    check_non_root(x, context, at);
    if (container)
        check_container(x, context, at);
}
