/* Gathers the objects of a run and applies --set. */
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "cli/run/run_input.h"
#include "cli/run/set_path.h"
#include "trainer/runtime_resolve.h"
#include "json/yaml.h"

#define GENERATED_MAX 58 /* bytes of generateName that are used; the name has 63 */

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

/* Errors about the value name the option instead of a line. */
static void mark_option(struct ty_json *v, uint32_t line)
{
    v->line = line;
    v->col = 0;
    ty_each_item (it, v)
        mark_option(*it, line);
    ty_each_member (m, v)
        mark_option(m->value, line);
}

static int set_one(struct ty_inputs *in, const char *word, struct ty_err *err)
{
    struct ty_arena *a = in->cli->arena;
    struct ty_str path, value;
    struct ty_yaml_docs docs = { 0 };

    if (!ty_set_path_split(ty_str(word), &path, &value))
        return ty_fail(err, -EINVAL, "--set %s: write PATH=VALUE", word);
    int ret = ty_yaml_parse(a, ty_arena_printf(a, "--set %s", word), value, NULL, &docs, err);
    if (ret < 0)
        return ret;
    if (docs.n > 1)
        return ty_fail(err, -EINVAL, "--set %.*s: one value, not %zu documents", TY_ARG(path),
                       docs.n);
    bool nothing = ty_str_trim(value).n == 0; /* x= sets an empty string, x=null removes x */
    struct ty_json *v = docs.n ? docs.v[0] : nothing ? ty_json_cstr(a, "") : NULL;
    if (v)
        mark_option(v, TY_JSON_OPTION | (uint32_t)in->sets.n);
    else if (path.p[path.n - 1] != ']') /* behind a removed item, others take its index */
        ty_strlist_add(a, &in->removed, word);
    ty_strlist_add(a, &in->sets, word);
    for (size_t i = 0; i < in->n && ret == 0; i++) {
        struct ty_doc *d = in->v[i];
        if (d->kind != &ty_kind_trainjob)
            continue;
        ret = ty_set_path(a, d->obj, path, v, err);
        d->sets = &in->sets;
        d->removed = &in->removed;
    }
    return ret < 0 ? ty_wrap(err, "--set %s", word) : 0;
}

int ty_run_input_set(struct ty_inputs *in, const struct ty_strlist *sets, struct ty_err *err)
{
    for (size_t i = 0; i < sets->n; i++) {
        int ret = set_one(in, sets->v[i], err);
        if (ret < 0)
            return ret;
    }
    return 0;
}

/* Five letters and digits that spell no words, as Kubernetes uses them. */
static void add_random_end(struct ty_buf *b)
{
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    uint32_t seed[5];

    if (getrandom(seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
        abort();
    for (size_t i = 0; i < TY_COUNT(seed); i++)
        ty_buf_chr(b, letters[seed[i] % (sizeof(letters) - 1)]);
}

void ty_run_input_generate_names(struct ty_run_ctx *r)
{
    struct ty_arena *a = r->cli->arena;

    for (size_t i = 0; i < r->session.inputs.n; i++) {
        struct ty_json *meta = ty_json_get(r->session.inputs.v[i]->obj, "metadata");
        const struct ty_json *name = ty_json_get(meta, "name");
        struct ty_str prefix = ty_json_str_at(meta, "generateName");
        ty_auto_buf b = { 0 };
        if (!prefix.n || (name && (name->type != TY_JSON_STRING || name->n)))
            continue; /* of another type: admission reports it */
        ty_buf_put(&b, prefix.p, prefix.n < GENERATED_MAX ? prefix.n : GENERATED_MAX);
        add_random_end(&b);
        ty_json_set(a, meta, "name", ty_json_cstr(a, ty_arena_cstr(a, ty_buf_str(&b))));
    }
}
