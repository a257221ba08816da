/* Resolves a context to one server and one user. As in kubectl, the first file wins for entries
 * with the same name, without merging their fields, and relative paths are relative to their file.
 */
#include "store/kube/kubeconfig_inner.h"

#include <errno.h>

#include "base/base64.h"

/* An entry of a file, and its name in messages. */
struct config_entry {
    struct ty_arena *a;
    const struct ty_json *v; /* the object "cluster", "user" or "context" */
    const char *file, *what, *name;
    const char *under; /* prefix of its fields in messages: "exec."; or "" */
};

int ty_kubeconfig_merge_add(struct ty_kubeconfig_merge *m, const char *path,
                            const struct ty_json *doc, struct ty_err *err)
{
    if (!ty_json_is(doc, TY_JSON_OBJECT))
        return ty_fail(err, -EINVAL, "%s: this is not a kubeconfig file", path);
    struct ty_str kind = ty_json_str_at(doc, "kind");
    if (kind.n && !ty_str_is(kind, "Config"))
        return ty_fail(err, -EINVAL, "%s: kind is %.*s, a kubeconfig file has Config", path,
                       TY_ARG(kind));
    if (m->n_files == TY_KUBECONFIG_MAX_FILES)
        return ty_fail(err, -E2BIG, "KUBECONFIG names more than %d files", TY_KUBECONFIG_MAX_FILES);
    m->files[m->n_files++] = (struct ty_kubeconfig_file){ path, doc };
    return 0;
}

/* The first entry of this name in list `plural`, whose content is its member `what`. */
static int find_entry(const struct ty_kubeconfig_merge *m, const char *plural, const char *what,
                      const char *name, struct config_entry *ret, struct ty_err *err)
{
    for (size_t i = 0; i < m->n_files; i++) {
        const struct ty_json *item =
            ty_json_find_item(ty_json_get(m->files[i].doc, plural), "name", ty_str(name), NULL);
        if (!item)
            continue;
        *ret = (struct config_entry){ m->a, ty_json_get(item, what), m->files[i].path, what, name,
                                      "" };
        return 0;
    }
    return ty_fail(err, -EINVAL, "kubeconfig has no %s named \"%s\" (%s%s)", what, name,
                   m->n_files ? m->files[0].path : "", m->n_files > 1 ? " and others" : "");
}

/* Sets *ret to a string member; leaves it unchanged if the member is absent, null or empty. */
static int read_text(const struct config_entry *e, const char *key, const char **ret,
                     struct ty_err *err)
{
    const struct ty_json *v = ty_json_get(e->v, key);
    if (!v || ty_json_is(v, TY_JSON_NULL) || (ty_json_is(v, TY_JSON_STRING) && v->n == 0))
        return 0;
    if (!ty_json_is(v, TY_JSON_STRING))
        return ty_fail(err, -EINVAL, "%s: %s \"%s\": %s%s must be a string", e->file, e->what,
                       e->name, e->under, key);
    *ret = ty_arena_strndup(e->a, v->s, v->n);
    return 0;
}

/* The same for a path, resolved against the directory of its file. */
static int read_path(const struct config_entry *e, const char *key, const char **ret,
                     struct ty_err *err)
{
    const char *p = NULL, *slash = strrchr(e->file, '/');
    int r = read_text(e, key, &p, err);
    if (r < 0 || !p)
        return r;
    if (p[0] != '/' && slash)
        p = ty_arena_printf(e->a, "%.*s/%s", (int)(slash - e->file), e->file, p);
    *ret = p;
    return 0;
}

static int decode_base64(const struct config_entry *e, const char *key, const char *b64,
                         struct ty_str *ret, struct ty_err *err)
{
    *ret = ty_base64_decode(e->a, ty_str(b64));
    if (!ret->p)
        return ty_fail(err, -EINVAL, "%s: %s \"%s\": %s is not base64", e->file, e->what, e->name,
                       key);
    return 0;
}

/* "KEY-data" wins over "KEY". */
static int read_pem(const struct config_entry *e, const char *key, struct ty_kube_pem *ret,
                    struct ty_err *err)
{
    const char *data_key = ty_arena_printf(e->a, "%s-data", key), *data = NULL;
    int r = read_text(e, data_key, &data, err);
    if (r == 0 && data)
        return decode_base64(e, data_key, data, &ret->data, err);
    return r < 0 ? r : read_path(e, key, &ret->file, err);
}

/* The cluster */

static int read_cluster(const struct config_entry *e, struct ty_kubeconfig *c, struct ty_err *err)
{
    int r = read_text(e, "server", &c->server, err);
    if (r == 0 && !c->server)
        r = ty_fail(err, -EINVAL, "%s: cluster \"%s\": server is not set", e->file, e->name);
    if (r == 0)
        r = read_text(e, "tls-server-name", &c->tls_name, err);
    if (r == 0)
        r = read_text(e, "proxy-url", &c->proxy, err);
    if (r == 0)
        r = read_pem(e, "certificate-authority", &c->ca, err);
    if (r < 0)
        return r;
    size_t n = strlen(c->server);
    while (n > 0 && c->server[n - 1] == '/')
        n--;
    c->server = ty_arena_strndup(e->a, c->server, n);
    if (!strstr(c->server, "://"))
        c->server = ty_arena_printf(e->a, "http://%s", c->server); /* as kubectl does */
    if (strncmp(c->server, "http://", 7) != 0 && strncmp(c->server, "https://", 8) != 0)
        return ty_fail(err, -EINVAL, "%s: cluster \"%s\": server: %s is not an http(s) address",
                       e->file, e->name, c->server);
    const struct ty_json *more = ty_json_find_item(
        ty_json_get(e->v, "extensions"), "name", TY_LIT("client.authentication.k8s.io/exec"), NULL);
    if (ty_json_get(more, "extension"))
        c->exec_config = ty_json_text(e->a, ty_json_get(more, "extension"));
    c->insecure = ty_json_true_at(e->v, "insecure-skip-tls-verify");
    if (c->insecure && (c->ca.file || c->ca.data.n))
        return ty_fail(err, -EINVAL,
                       "%s: cluster \"%s\": insecure-skip-tls-verify and certificate-authority "
                       "exclude each other",
                       e->file, e->name);
    return 0;
}

/* The user */

/* Sets *ret to a list of strings, ending with NULL; leaves it unchanged if there are none. */
static int read_strings(const struct config_entry *e, const char *key, const struct ty_json *list,
                        const char *const **ret, struct ty_err *err)
{
    size_t n = 0;
    if (ty_json_len(list) == 0)
        return 0;
    const char **to = ty_new_n(e->a, const char *, ty_json_len(list) + 1);
    ty_each_item (it, list) {
        if (!ty_json_is(*it, TY_JSON_STRING))
            return ty_fail(err, -EINVAL, "%s: %s \"%s\": %s%s[%zu] must be a string", e->file,
                           e->what, e->name, e->under, key, n);
        to[n++] = ty_arena_strndup(e->a, (*it)->s, (*it)->n);
    }
    *ret = to;
    return 0;
}

static int read_interactive(const struct config_entry *e, bool beta, enum ty_kube_interactive *ret,
                            struct ty_err *err)
{
    struct ty_str mode = ty_json_str_at(e->v, "interactiveMode");
    if (ty_str_is(mode, "Never"))
        *ret = TY_KUBE_NEVER;
    else if (ty_str_is(mode, "IfAvailable") || (mode.n == 0 && beta))
        *ret = TY_KUBE_IF_POSSIBLE;
    else if (ty_str_is(mode, "Always"))
        *ret = TY_KUBE_ALWAYS;
    else
        return ty_fail(err, -EINVAL,
                       "%s: user \"%s\": exec.interactiveMode must be Never, IfAvailable or Always",
                       e->file, e->name);
    return 0;
}

static int exec_env(const struct config_entry *e, struct ty_kube_exec *x, struct ty_err *err)
{
    const struct ty_json *list = ty_json_get(e->v, "env");
    struct ty_kube_env *env = ty_new_n(e->a, struct ty_kube_env, ty_json_len(list) + 1);
    ty_each_item (it, list) {
        struct config_entry one = *e;
        one.v = *it;
        one.under = ty_arena_printf(e->a, "exec.env[%zu].", x->n_env);
        struct ty_kube_env v = { NULL, "" };
        int r = read_text(&one, "name", &v.name, err);
        if (r == 0)
            r = read_text(&one, "value", &v.value, err);
        if (r == 0 && !v.name)
            r = ty_fail(err, -EINVAL, "%s: user \"%s\": %sname is not set", e->file, e->name,
                        one.under);
        if (r < 0)
            return r;
        env[x->n_env++] = v;
    }
    x->env = env;
    return 0;
}

static int exec_user(const struct config_entry *user, const struct ty_json *exec,
                     const struct ty_kube_exec **ret, struct ty_err *err)
{
    struct config_entry e = { user->a, exec, user->file, user->what, user->name, "exec." };
    struct ty_kube_exec *x = ty_new(e.a, struct ty_kube_exec);
    const char *slash = strrchr(e.file, '/');

    int r = read_text(&e, "command", &x->command, err);
    if (r == 0)
        r = read_text(&e, "apiVersion", &x->api_version, err);
    if (r == 0)
        r = read_text(&e, "installHint", &x->install_hint, err);
    if (r == 0 && !x->command)
        r = ty_fail(err, -EINVAL, "%s: user \"%s\": exec.command is not set", e.file, e.name);
    if (r < 0)
        return r;
    bool beta =
        x->api_version && strcmp(x->api_version, "client.authentication.k8s.io/v1beta1") == 0;
    if (!beta &&
        (!x->api_version || strcmp(x->api_version, "client.authentication.k8s.io/v1") != 0))
        return ty_fail(err, -EINVAL,
                       "%s: user \"%s\": exec.apiVersion must be client.authentication.k8s.io/v1 "
                       "or /v1beta1, not %s",
                       e.file, e.name, x->api_version ? x->api_version : "empty");
    if (strchr(x->command, '/') && x->command[0] != '/' && slash)
        x->command = ty_arena_printf(e.a, "%.*s/%s", (int)(slash - e.file), e.file, x->command);
    x->cluster_info = ty_json_true_at(exec, "provideClusterInfo");
    r = read_strings(&e, "args", ty_json_get(exec, "args"), &x->args, err);
    if (r == 0)
        r = read_interactive(&e, beta, &x->interactive, err);
    if (r == 0)
        r = exec_env(&e, x, err);
    *ret = x;
    return r;
}

/* Extra attributes of the impersonated user: each key has a list of values. */
static int read_extra(const struct config_entry *e, struct ty_kubeconfig *c, struct ty_err *err)
{
    const struct ty_json *all = ty_json_get(e->v, "as-user-extra");
    size_t n = 0;
    ty_each_member (m, all)
        n += 2 * ty_json_len(m->value);
    if (n == 0)
        return 0;
    const char **to = ty_new_n(e->a, const char *, n + 1);
    c->as_extra = to;
    ty_each_member (m, all) {
        const char *const *values = NULL;
        const char *key = ty_arena_printf(e->a, "as-user-extra.%.*s", TY_ARG(m->key));
        int r = read_strings(e, key, m->value, &values, err);
        if (r < 0)
            return r;
        for (; values && *values; values++) {
            *to++ = ty_arena_cstr(e->a, m->key);
            *to++ = *values;
        }
    }
    return 0;
}

static int read_impersonation(const struct config_entry *e, struct ty_kubeconfig *c,
                              struct ty_err *err)
{
    int r = read_text(e, "as", &c->as, err);
    if (r == 0)
        r = read_text(e, "as-uid", &c->as_uid, err);
    if (r == 0)
        r = read_strings(e, "as-groups", ty_json_get(e->v, "as-groups"), &c->as_groups, err);
    if (r == 0)
        r = read_extra(e, c, err);
    if (r == 0 && !c->as && (c->as_uid || c->as_groups || c->as_extra))
        r = ty_fail(err, -EINVAL, "%s: user \"%s\": as-uid, as-groups and as-user-extra need as",
                    e->file, e->name);
    return r;
}

/* Refuses unsupported settings; otherwise the request would be anonymous and fail later. */
static int refuse_unsupported(const struct config_entry *e, struct ty_err *err)
{
    if (ty_json_str_at(e->v, "username").n || ty_json_str_at(e->v, "password").n)
        return ty_fail(err, -EINVAL,
                       "%s: user \"%s\": Kubernetes has no password sign-in any more (username, "
                       "password): use a token, a client certificate or an exec plugin",
                       e->file, e->name);
    if (ty_json_is(ty_json_get(e->v, "auth-provider"), TY_JSON_OBJECT))
        return ty_fail(err, -EINVAL,
                       "%s: user \"%s\": auth-provider was removed from Kubernetes 1.26: use an "
                       "exec plugin",
                       e->file, e->name);
    return 0;
}

static int read_user(const struct config_entry *e, struct ty_kubeconfig *c, struct ty_err *err)
{
    const struct ty_json *exec = ty_json_get(e->v, "exec");
    int r = refuse_unsupported(e, err);
    if (r == 0)
        r = read_text(e, "token", &c->token, err);
    if (r == 0)
        r = read_path(e, "tokenFile", &c->token_file, err);
    if (r == 0)
        r = read_pem(e, "client-certificate", &c->cert, err);
    if (r == 0)
        r = read_pem(e, "client-key", &c->key, err);
    if (r == 0 && (c->cert.file || c->cert.data.n) != (c->key.file || c->key.data.n))
        r = ty_fail(err, -EINVAL, "%s: user \"%s\": client-certificate and client-key go together",
                    e->file, e->name);
    if (r == 0 && ty_json_is(exec, TY_JSON_OBJECT))
        r = exec_user(e, exec, &c->exec, err);
    return r < 0 ? r : read_impersonation(e, c, err);
}

/* The merged configuration */

static const char *current_context(const struct ty_kubeconfig_merge *m)
{
    for (size_t i = 0; i < m->n_files; i++) {
        struct ty_str name = ty_json_str_at(m->files[i].doc, "current-context");
        if (name.n)
            return ty_arena_cstr(m->a, name);
    }
    return NULL;
}

int ty_kubeconfig_merge_resolve(const struct ty_kubeconfig_merge *m, const char *context,
                                struct ty_kubeconfig *ret, struct ty_err *err)
{
    struct ty_kubeconfig c = { .ns = "default" };
    struct config_entry ctx, e;
    const char *name = NULL;

    c.context = context && context[0] ? context : current_context(m);
    if (!c.context)
        return ty_fail(err, -EINVAL,
                       "kubeconfig has no current-context (%s); choose one with "
                       "--context",
                       m->n_files ? m->files[0].path : "it is empty");
    int r = find_entry(m, "contexts", "context", c.context, &ctx, err);
    if (r == 0)
        r = read_text(&ctx, "namespace", &c.ns, err);
    if (r == 0)
        r = read_text(&ctx, "cluster", &name, err);
    if (r == 0 && !name)
        r = ty_fail(err, -EINVAL, "%s: context \"%s\": cluster is not set", ctx.file, ctx.name);
    if (r == 0)
        r = find_entry(m, "clusters", "cluster", name, &e, err);
    if (r == 0)
        r = read_cluster(&e, &c, err);
    name = NULL;
    if (r == 0)
        r = read_text(&ctx, "user", &name, err);
    if (r == 0 && name)
        r = find_entry(m, "users", "user", name, &e, err);
    if (r == 0 && name)
        r = read_user(&e, &c, err);
    if (r == 0)
        *ret = c;
    return r;
}
