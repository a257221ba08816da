/* What a run is made of: the accepted objects of the input, and what --set changes in them. */
#include <errno.h>

#include "cli/run.h"
#include "trainer/resolve.h"
#include "json/yaml.h"

/* Everything that was accepted, and the runtimes that the jobs refer to, wherever they are. */
size_t ty_run_gather(struct ty_run *r, const struct ty_json **objs, size_t *ret_jobs)
{
    struct ty_session *s = &r->session;
    size_t n = 0;

    *ret_jobs = 0;
    for (size_t i = 0; i < s->inputs.n; i++) {
        struct ty_doc *d = s->inputs.v[i];
        if (d->state == TY_DOC_REFUSED)
            continue;
        objs[n++] = d->obj;
        if (d->kind != &ty_kind_trainjob)
            continue;
        ++*ret_jobs;
        struct ty_trainjob job;
        ty_trainjob_read(&job, d->obj);
        const struct ty_json *runtime = ty_runtime_live(&job, &s->view);
        bool there = !runtime;
        for (size_t k = 0; k < n; k++)
            there |= objs[k] == runtime;
        if (!there)
            objs[n++] = runtime;
    }
    return n;
}

int ty_run_sets(struct ty_run *r, const struct ty_args *args, struct ty_err *err)
{
    struct ty_arena *a = r->cli->arena;

    for (size_t i = 0; i < args->sets.n; i++) {
        struct ty_str path, value = ty_str_cut(ty_str(args->sets.v[i]), '=', &path);
        struct ty_docs docs = { 0 };
        if (!value.p || path.n == 0)
            return ty_fail(err, -EINVAL, "--set %s: write PATH=VALUE", args->sets.v[i]);
        if (ty_yaml_read(a, "--set", value, NULL, &docs, err) < 0)
            return err->code;
        struct ty_json *v = docs.n ? docs.v[0] : ty_json_cstr(a, "");
        for (size_t k = 0; k < r->session.inputs.n; k++) {
            struct ty_json *at = r->session.inputs.v[k]->obj;
            struct ty_str key, rest = path;
            if (r->session.inputs.v[k]->kind != &ty_kind_trainjob)
                continue;
            for (rest = ty_str_cut(rest, '.', &key); rest.p; rest = ty_str_cut(rest, '.', &key))
                at = ty_json_need_object(a, at, ty_arena_strndup(a, key.p, key.n));
            ty_json_put(a, at, key, v);
        }
    }
    return 0;
}
