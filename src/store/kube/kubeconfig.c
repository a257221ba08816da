/* Loads kubeconfig files, merges them and resolves one context. */
#include "store/kube/kubeconfig.h"

#include <errno.h>
#include <unistd.h>

#include "store/kube/kubeconfig_inner.h"
#include "json/yaml.h"

#define POD_DIR    "/var/run/secrets/kubernetes.io/serviceaccount"
#define FILE_BYTES ((size_t)4 << 20)

/* Files */

int ty_kubeconfig_read_file(struct ty_arena *a, const char *path, struct ty_str *ret,
                            struct ty_err *err)
{
    ty_auto_buf b = { .ceiling = FILE_BYTES };
    char piece[4096];
    size_t n = 0;
    FILE *f = fopen(path, "re");

    if (!f)
        return ty_fail(err, -errno, "%s: %s", path, strerrordesc_np(errno));
    while ((n = fread(piece, 1, sizeof(piece), f)) > 0)
        ty_buf_put(&b, piece, n);
    int failed = ferror(f) ? errno : 0;
    fclose(f);
    if (failed)
        return ty_fail(err, -failed, "%s: %s", path, strerrordesc_np(failed));
    if (b.full)
        return ty_fail(err, -EFBIG, "%s: longer than %zu MB", path, FILE_BYTES >> 20);
    *ret = ty_arena_str(a, ty_buf_str(&b));
    return 0;
}

/* Adds the document of a file; an empty file adds nothing. */
static int read_config(struct ty_kubeconfig_merge *m, const char *path, struct ty_err *err)
{
    struct ty_str text = { 0 };
    struct ty_yaml_docs docs = { 0 };
    int r = ty_kubeconfig_read_file(m->a, path, &text, err);
    if (r == 0)
        r = ty_yaml_parse(m->a, path, text, NULL, &docs, err);
    if (r < 0)
        return r;
    if (docs.n > 1)
        return ty_fail(err, -EINVAL, "%s: one document is expected, not %zu", path, docs.n);
    if (docs.n == 1)
        return ty_kubeconfig_merge_add(m, path, docs.v[0], err);
    return 0;
}

/* $KUBECONFIG: missing and empty files are skipped; it is an error if none is left. */
static int read_env(struct ty_kubeconfig_merge *m, const char *env, struct ty_err *err)
{
    struct ty_str rest = ty_str(env), path;
    while (rest.p) {
        rest = ty_str_cut(rest, ':', &path);
        if (path.n == 0)
            continue;
        struct ty_err why = { 0 };
        int r = read_config(m, ty_arena_cstr(m->a, path), &why);
        if (r < 0 && r != -ENOENT)
            return ty_fail(err, r, "%s", why.text);
    }
    if (m->n_files == 0)
        return ty_fail(err, -ENOENT, "KUBECONFIG names no file that exists: %s", env);
    return 0;
}

/* In a pod */

static int in_cluster(struct ty_arena *a, const struct ty_kubeconfig_sources *w,
                      struct ty_kubeconfig *ret, struct ty_err *err)
{
    const char *dir = w->pod_dir ? w->pod_dir : POD_DIR;
    bool six = strchr(w->host, ':') != NULL;
    struct ty_str text = { 0 };
    struct ty_kubeconfig c = {
        .context = "",
        .ns = "default",
        .server = ty_arena_printf(a, "https://%s%s%s:%s", six ? "[" : "", w->host, six ? "]" : "",
                                  w->port && w->port[0] ? w->port : "443"),
        .token_file = ty_arena_printf(a, "%s/token", dir),
        .ca.file = ty_arena_printf(a, "%s/ca.crt", dir),
        .proxy = "",
    };
    int r = ty_kubeconfig_read_file(a, c.token_file, &text, err);
    if (r == 0 && access(c.ca.file, R_OK) < 0)
        r = ty_fail(err, -errno, "%s: %s", c.ca.file, strerrordesc_np(errno));
    if (r < 0)
        return ty_wrap(err, "this pod has no service account to use");
    if (ty_kubeconfig_read_file(a, ty_arena_printf(a, "%s/namespace", dir), &text, NULL) == 0) {
        text = ty_str_trim(text);
        if (text.n)
            c.ns = ty_arena_cstr(a, text);
    }
    *ret = c;
    return 0;
}

/* Choosing a source */

static bool is_set(const char *s)
{
    return s && s[0];
}

void ty_kubeconfig_sources_env(struct ty_kubeconfig_sources *w)
{
    /* NOLINTBEGIN(concurrency-mt-unsafe): read before there are threads; nobody changes it */
    if (!w->env)
        w->env = getenv("KUBECONFIG");
    if (!w->home)
        w->home = getenv("HOME");
    if (!w->host)
        w->host = getenv("KUBERNETES_SERVICE_HOST");
    if (!w->port)
        w->port = getenv("KUBERNETES_SERVICE_PORT");
    /* NOLINTEND(concurrency-mt-unsafe) */
}

static bool is_in_pod(const struct ty_kubeconfig_sources *w)
{
    return !is_set(w->kubeconfig) && !is_set(w->env) && is_set(w->host) && !is_set(w->context);
}

static int read_files(struct ty_kubeconfig_merge *m, const struct ty_kubeconfig_sources *where,
                      struct ty_err *err)
{
    if (is_set(where->kubeconfig))
        return read_config(m, where->kubeconfig, err);
    if (is_set(where->env))
        return read_env(m, where->env, err);
    if (is_set(where->home))
        return read_config(m, ty_arena_printf(m->a, "%s/.kube/config", where->home), err);
    return ty_fail(err, -ENOENT,
                   "no cluster: neither --kubeconfig nor KUBECONFIG nor HOME is "
                   "set, and this is not a pod");
}

int ty_kubeconfig_load(struct ty_arena *a, const struct ty_kubeconfig_sources *where,
                       struct ty_kubeconfig *ret, struct ty_err *err)
{
    struct ty_kubeconfig_merge m = { .a = a };

    if (is_in_pod(where))
        return in_cluster(a, where, ret, err);
    int r = read_files(&m, where, err);
    if (r < 0)
        return r;
    return ty_kubeconfig_merge_resolve(&m, where->context, ret, err);
}

int ty_kubeconfig_contexts(struct ty_arena *a, const struct ty_kubeconfig_sources *where,
                           struct ty_strlist *ret, struct ty_err *err)
{
    struct ty_kubeconfig_merge m = { .a = a };
    int r = is_in_pod(where) ? 0 : read_files(&m, where, err);

    for (size_t i = 0; r == 0 && i < m.n_files; i++)
        ty_each_item (c, ty_json_get(m.files[i].doc, "contexts"))
            ty_strlist_add(a, ret, ty_json_cstr_at(a, *c, "name"));
    return r;
}

/* In the order of precedence of kube_auth.c. */
const char *ty_kubeconfig_identity(struct ty_arena *a, const struct ty_kubeconfig *c)
{
    if (c->token_file)
        return ty_arena_printf(a, "the token in file %s", c->token_file);
    if (c->token)
        return "the token in the kubeconfig";
    if (c->exec)
        return ty_arena_printf(a, "what the exec plugin %s gave", c->exec->command);
    if (c->cert.file)
        return ty_arena_printf(a, "the client certificate %s", c->cert.file);
    return c->cert.data.n ? "the client certificate in the kubeconfig" : "no credentials";
}
