/* Gathers the objects of a run and applies --set. */
#include <errno.h>

#include "cli/run/run_input.h"
#include "trainer/runtime_resolve.h"
#include "json/yaml.h"

static bool contains_object(const struct ty_json *const *objs, size_t n, const struct ty_json *obj)
{
    for (size_t i = 0; i < n; i++)
        if (objs[i] == obj)
            return true;
    return false;
}

/* The objects of the input first, then runtimes that the jobs refer to and the input lacks. */
size_t ty_run_input_gather(struct ty_run_ctx *r, const struct ty_json **objs, size_t *ret_jobs)
{
    struct ty_session *s = &r->session;
    size_t n = 0;

    *ret_jobs = 0;
    for (size_t i = 0; i < s->inputs.n; i++)
        if (s->inputs.v[i]->state != TY_DOC_REFUSED)
            objs[n++] = s->inputs.v[i]->obj;
    for (size_t i = 0; i < s->inputs.n; i++) {
        const struct ty_doc *d = s->inputs.v[i];
        struct ty_trainjob job;
        if (d->state == TY_DOC_REFUSED || d->kind != &ty_kind_trainjob)
            continue;
        ++*ret_jobs;
        ty_trainjob_parse(&job, d->obj);
        const struct ty_json *runtime = ty_runtime_live(&job, &s->view);
        if (runtime && !contains_object(objs, n, runtime))
            objs[n++] = runtime;
    }
    return n;
}

/* A path such as spec.trainer.numNodes: no part is empty, and apiVersion and kind cannot be set,
 * because the object is already parsed as that kind. */
static int check_path(const char *word, struct ty_str path, struct ty_err *err)
{
    struct ty_str key, rest = path;

    ty_str_cut(path, '.', &key);
    if (ty_str_is(key, "apiVersion") || ty_str_is(key, "kind"))
        return ty_fail(err, -EINVAL, "--set %s: what an object is cannot be changed", word);
    while (rest.p) {
        rest = ty_str_cut(rest, '.', &key);
        if (key.n == 0)
            return ty_fail(err, -EINVAL, "--set %s: a part of the path is empty", word);
    }
    return 0;
}

static void set_in(struct ty_arena *a, struct ty_json *at, struct ty_str path,
                   const struct ty_json *value)
{
    struct ty_str key, rest = path;

    for (rest = ty_str_cut(rest, '.', &key); rest.p; rest = ty_str_cut(rest, '.', &key))
        at = ty_json_ensure_object(a, at, ty_arena_cstr(a, key));
    ty_json_put(a, at, key, ty_json_copy(a, value, 0)); /* jobs are edited later: no sharing */
}

static void unset_in(struct ty_json *at, struct ty_str path)
{
    struct ty_str key, rest = path;

    for (rest = ty_str_cut(rest, '.', &key); rest.p; rest = ty_str_cut(rest, '.', &key))
        at = ty_json_is(at, TY_JSON_OBJECT) ? ty_json_find(at, key) : NULL;
    if (ty_json_is(at, TY_JSON_OBJECT))
        ty_json_del(at, key);
}

static int set_one(struct ty_run_ctx *r, const char *word, struct ty_err *err)
{
    struct ty_arena *a = r->cli->arena;
    struct ty_str path, value = ty_str_cut(ty_str(word), '=', &path);
    struct ty_yaml_docs docs = { 0 };

    if (!value.p || path.n == 0)
        return ty_fail(err, -EINVAL, "--set %s: write PATH=VALUE", word);
    int ret = check_path(word, path, err);
    if (ret == 0)
        ret = ty_yaml_parse(a, "--set", value, NULL, &docs, err);
    if (ret < 0)
        return ret;
    if (docs.n > 1)
        return ty_fail(err, -EINVAL, "--set %.*s: one value, not %zu documents", TY_ARG(path),
                       docs.n);
    bool nothing = ty_str_trim(value).n == 0; /* x= sets an empty string, x=null removes x */
    const struct ty_json *v = docs.n ? docs.v[0] : nothing ? ty_json_cstr(a, "") : NULL;
    for (size_t i = 0; i < r->session.inputs.n; i++) {
        struct ty_doc *d = r->session.inputs.v[i];
        if (d->kind != &ty_kind_trainjob)
            continue;
        if (v)
            set_in(a, d->obj, path, v);
        else
            unset_in(d->obj, path);
    }
    return 0;
}

int ty_run_input_set(struct ty_run_ctx *r, const struct ty_strlist *sets, struct ty_err *err)
{
    for (size_t i = 0; i < sets->n; i++) {
        int ret = set_one(r, sets->v[i], err);
        if (ret < 0)
            return ret;
    }
    return 0;
}
