#include "trainer/plugins/ml.h"

#include <stdlib.h>

#include "api/schema.h"

void ty_ml_scale(struct ty_plan *plan, const struct ty_trainjob *job)
{
    if (plan->trainer && job->num_nodes.set)
        ty_plan_podset_scale(plan->trainer, job->num_nodes.v);
}

static bool name_listed(const char *const *names, struct ty_str name)
{
    for (; *names; names++)
        if (ty_str_is(name, *names))
            return true;
    return false;
}

static int by_name(const void *a, const void *b)
{
    const struct ty_str *x = a, *y = b;
    return ty_str_cmp(*x, *y);
}

/* Go prints a sorted set of strings as [A B]. */
static const char *set_text(struct ty_arena *a, struct ty_str *names, size_t n)
{
    ty_auto_buf out = { 0 };

    qsort(names, n, sizeof(*names), by_name);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && ty_str_eq(names[i], names[i - 1]))
            continue;
        if (out.n > 0)
            ty_buf_chr(&out, ' ');
        ty_buf_add(&out, names[i]);
    }
    return ty_arena_cstr(a, ty_buf_str(&out));
}

void ty_ml_reserved(const struct ty_trainjob *job, const char *const *names, struct ty_errs *errs)
{
    struct ty_arena *a = errs->arena;
    struct ty_str *bad = ty_new_n(a, struct ty_str, ty_json_len(job->env) + 1);
    struct ty_json *list = ty_json_array(a);
    size_t n = 0;

    ty_each_item (it, job->env) {
        struct ty_str name = ty_json_as_str(ty_json_get(*it, "name"));
        if (name_listed(names, name))
            bad[n++] = name;
        ty_json_push(a, list, ty_schema_normalize(a, &ty_schema_EnvVar, *it));
    }
    if (n == 0)
        return;
    struct ty_field_err *e = ty_errs_add(
        errs, &ty_trainjob_env_path, TY_INVALID, ty_json_text(a, list).p,
        "must not have reserved envs, invalid envs configured: [%s]", set_text(a, bad, n));
    e->at = job->env;
    e->hint = "remove them: the operator sets these variables";
}

void ty_ml_reserved_for(const struct ty_trainjob *job, const char *const *names, const char *owner,
                        struct ty_errs *errs)
{
    int i = 0;

    ty_each_item (it, job->env) {
        struct ty_str name = ty_json_as_str(ty_json_get(*it, "name"));
        if (name_listed(names, name))
            ty_errs_add(errs, TY_IDX(&ty_trainjob_env_path, i), TY_FORBIDDEN, NULL,
                        "%.*s is reserved for %s", TY_ARG(name), owner)
                ->at = *it;
        i++;
    }
}

void ty_ml_int_numproc(const struct ty_trainjob *job, const struct ty_trainjob *old,
                       const char *framework, struct ty_errs *errs)
{
    bool cpu = job->num_proc.kind == TY_NUMPROC_CPU;

    if (cpu || job->num_proc.kind == TY_NUMPROC_GPU)
        ty_errs_add(errs, TY_KEY(&ty_trainjob_trainer_path, "numProcPerNode"), TY_INVALID,
                    cpu ? "\"cpu\"" : "\"gpu\"", "must have an int value for %s TrainJob",
                    framework)
            ->warn_only = old; /* the runtime may have changed since it was stored */
}

const char *ty_ml_ref_text(struct ty_arena *a, const struct ty_trainjob *job)
{
    return job->ref ? ty_json_text(a, ty_schema_normalize(a, &ty_schema_RuntimeRef, job->ref)).p
                    : "null";
}

const char *ty_ml_quoted(struct ty_arena *a, struct ty_str s)
{
    return ty_json_text(a, ty_json_str(a, s)).p;
}

struct ty_json *ty_ml_item(struct ty_arena *a, const char *key, const char *path, int mode)
{
    struct ty_json *item = ty_json_object(a);

    ty_json_set(a, item, "key", ty_json_cstr(a, key));
    ty_json_set(a, item, "path", ty_json_cstr(a, path));
    if (mode >= 0)
        ty_json_set(a, item, "mode", ty_json_int(a, mode));
    return item;
}

struct ty_json *ty_ml_volume(struct ty_arena *a, const char *name, const char *kind,
                             struct ty_json *source)
{
    struct ty_json *v = ty_json_object(a);

    ty_json_set(a, v, "name", ty_json_cstr(a, name));
    ty_json_set(a, v, kind, source);
    return v;
}
