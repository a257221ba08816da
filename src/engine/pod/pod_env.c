/* Builds the environment of a container's process; later lines overwrite earlier ones:
 *
 *   variables of every container (net->extra_env), HOSTNAME
 *   settings for one machine (pod_env_net.c), unless the user sets them
 *   envFrom, in order: later sources overwrite earlier
 *   env, in order: each value sees envFrom and the variables before it
 *   JOB_COMPLETION_INDEX, unless the container defines it
 *
 * $(VAR) sees only the last three. The devices a pod got come later, in pods.c. */
#include "engine/pod/pod_env.h"

#include <errno.h>

#include "engine/pod/env_expand.h"
#include "engine/pod/pod_env_net.h"
#include "engine/pod/pod_env_ref.h"
#include "engine/pod/pod_plan.h"
#include "engine/pod/pod_plan_inner.h"

#define INDEX_KEY  "batch.kubernetes.io/job-completion-index"
#define INDEX_NAME "JOB_COMPLETION_INDEX"

/* NAME=value, which stays where it is. */
static void put_variable(struct ty_env_list *e, const char *text)
{
    size_t name = (size_t)(strchr(text, '=') - text), i = 0;

    while (i < e->n && strncmp(e->v[i], text, name + 1) != 0)
        i++;
    ty_room(e->list, e->v, e->n + 1, e->cap); /* one more, and the NULL that ends it */
    e->v[i] = text;
    e->n += i == e->n;
}

void ty_pod_env_set(struct ty_env_list *e, struct ty_str name, struct ty_str value)
{
    char *text = ty_arena_raw(e->a, name.n + value.n + 2, 1);

    memcpy(text, name.p, name.n);
    text[name.n] = '=';
    if (value.n)
        memcpy(text + name.n + 1, value.p, value.n);
    text[name.n + 1 + value.n] = '\0';
    put_variable(e, text);
}

/* A value of the user's, with this run's ports and addresses. */
static void declare_variable(struct ty_pod_ctx *x, struct ty_env_list *e, struct ty_str name,
                             struct ty_str value)
{
    ty_pod_env_set(e, name, ty_pod_net_variable(x, name, value));
}

static void add_keys(struct ty_pod_ctx *x, const struct ty_kind *kind, const struct ty_json *obj,
                     const char *member, struct ty_str prefix, struct ty_env_list *e)
{
    ty_each_member (m, ty_json_get(obj, member)) {
        if (!ty_pod_plan_has_room(x))
            return;
        struct ty_str name =
            ty_str(ty_arena_printf(x->scratch, "%.*s%.*s", TY_ARG(prefix), TY_ARG(m->key)));
        struct ty_str value;
        if (name.n && !memchr(name.p, '=', name.n) &&
            ty_pod_key(x->scratch, kind, obj, m->key, false, &value))
            declare_variable(x, e, name, value);
    }
}

static int add_source(struct ty_pod_ctx *x, const struct ty_json *from, struct ty_env_list *e,
                      struct ty_err *err)
{
    bool secret = ty_json_get(from, "secretRef");
    const struct ty_json *ref = ty_json_get(from, secret ? "secretRef" : "configMapRef");
    const struct ty_kind *kind = secret ? &ty_kind_secret : &ty_kind_configmap;
    struct ty_str name = ty_json_str_at(ref, "name");
    const struct ty_json *obj = ty_pod_object(x, kind, name);

    if (!obj && ty_json_true_at(ref, "optional"))
        return 0;
    if (!obj)
        return ty_fail(err, -ENOENT, "%s %.*s/%.*s was not supplied", kind->kind, TY_ARG(x->ns),
                       TY_ARG(name));
    add_keys(x, kind, obj, "data", ty_json_str_at(from, "prefix"), e);
    if (secret)
        add_keys(x, kind, obj, "stringData", ty_json_str_at(from, "prefix"), e);
    return 0;
}

/* 0: *ret is set; TY_NOT_FOUND: optional and not there, so the variable is not set at all. */
static int key_value(struct ty_pod_ctx *x, const struct ty_kind *kind, const struct ty_json *ref,
                     struct ty_str *ret, struct ty_err *err)
{
    struct ty_str name = ty_json_str_at(ref, "name"), key = ty_json_str_at(ref, "key");
    const struct ty_json *obj = ty_pod_object(x, kind, name);

    if (obj && ty_pod_key(x->scratch, kind, obj, key, false, ret))
        return 0;
    if (ty_json_true_at(ref, "optional"))
        return TY_NOT_FOUND;
    if (!obj)
        return ty_fail(err, -ENOENT, "%s %.*s/%.*s was not supplied", kind->kind, TY_ARG(x->ns),
                       TY_ARG(name));
    return ty_fail(err, -ENOENT, "couldn't find key %.*s in %s %.*s/%.*s", TY_ARG(key), kind->kind,
                   TY_ARG(x->ns), TY_ARG(name));
}

static int value_from(struct ty_pod_ctx *x, const struct ty_json *container,
                      const struct ty_json *from, struct ty_str *ret, struct ty_err *err)
{
    const struct ty_json *ref = ty_json_get(from, "fieldRef");
    if (ref)
        return ty_pod_env_field_ref(x, ty_json_str_at(ref, "fieldPath"), false, ret, err);
    ref = ty_json_get(from, "resourceFieldRef");
    if (ref)
        return ty_pod_env_resource_ref(x, ref, container, ret, err);
    ref = ty_json_get(from, "configMapKeyRef");
    if (ref)
        return key_value(x, &ty_kind_configmap, ref, ret, err);
    ref = ty_json_get(from, "secretKeyRef");
    if (ref)
        return key_value(x, &ty_kind_secret, ref, ret, err);
    if (ty_json_get(from, "fileKeyRef"))
        return ty_fail(err, -ENOTSUP, "fileKeyRef is not read here");
    *ret = TY_LIT("");
    return 0;
}

static int add_variable(struct ty_pod_ctx *x, const struct ty_json *container,
                        const struct ty_json *var, struct ty_env_list *e, struct ty_err *err)
{
    struct ty_str name = ty_json_str_at(var, "name"), value = ty_json_str_at(var, "value");
    const struct ty_json *from = ty_json_get(var, "valueFrom");
    int r = 0;

    if (value.n)
        value = ty_str(ty_env_expand(x->scratch, value, e->v));
    else if (from)
        r = value_from(x, container, from, &value, err);
    if (r < 0)
        return ty_wrap(err, "variable %.*s", TY_ARG(name));
    if (r == 0 && name.n)
        declare_variable(x, e, name, value);
    return 0;
}

int ty_pod_env_declared(struct ty_pod_ctx *x, const struct ty_json *container,
                        struct ty_env_list *ret, struct ty_err *err)
{
    const struct ty_json *env = ty_json_get(container, "env");
    const struct ty_json *labels = ty_json_at(x->pod, "metadata.labels");
    const struct ty_json *index = ty_json_find(labels, TY_LIT(INDEX_KEY));
    int r = 0;

    *ret = (struct ty_env_list){ .a = x->a, .list = x->scratch };
    ty_each_item (from, ty_json_get(container, "envFrom")) {
        if (!ty_pod_plan_has_room(x))
            return 0;
        r = add_source(x, *from, ret, err);
        if (r < 0)
            return r;
    }
    ty_each_item (var, env) {
        if (!ty_pod_plan_has_room(x))
            return 0;
        r = add_variable(x, container, *var, ret, err);
        if (r < 0)
            return r;
    }
    if (!index)
        index = ty_json_find(ty_json_at(x->pod, "metadata.annotations"), TY_LIT(INDEX_KEY));
    if (index && !ty_json_find_item(env, "name", TY_LIT(INDEX_NAME), NULL))
        ty_pod_env_set(ret, TY_LIT(INDEX_NAME), ty_json_as_str(index));
    return 0;
}

const char **ty_pod_env_whole(struct ty_pod_ctx *x, const struct ty_env_list *declared)
{
    struct ty_env_list e = { .a = x->a, .list = x->scratch };
    bool root = x->host->uid == 0;
    const char *setting, **exact;

    ty_pod_env_set(&e, TY_LIT("HOSTNAME"), ty_str(x->hostname));
    for (const char *const *v = x->net->extra_env; v && *v; v++)
        if (strchr(*v, '='))
            put_variable(&e, *v);
    for (size_t i = 0; i < declared->n; i++)
        put_variable(&e, declared->v[i]);
    for (size_t i = 0; (setting = ty_pod_net_setting(i, root, x->net->own_network)); i++) {
        struct ty_str name;
        ty_str_cut(ty_str(setting), '=', &name);
        if (!ty_env_find(e.v, name))
            put_variable(&e, setting);
    }
    exact = ty_new_n(x->a, const char *, e.n + 1);
    memcpy(exact, e.v, e.n * sizeof(*exact));
    return exact;
}

const char **ty_pod_env_literal(struct ty_arena *a, const struct ty_json *container)
{
    struct ty_env_list e = { .a = a, .list = a };

    ty_each_item (var, ty_json_get(container, "env")) {
        struct ty_str name = ty_json_str_at(*var, "name");
        if (name.n)
            ty_pod_env_set(&e, name, ty_json_str_at(*var, "value"));
    }
    return e.v;
}
