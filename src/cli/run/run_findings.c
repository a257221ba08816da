#include "cli/run/run_findings.h"

#include "engine/shrink.h"
#include "trainer/runtime_resolve.h"
#include "json/json_locate.h"

/* An unused image is expected locally: it is a note, not a warning. */
static bool is_image(const struct ty_preflight_finding *it)
{
    size_t n = strlen(it->path);
    return !it->error && n > 6 && strcmp(it->path + n - 6, ".image") == 0;
}

/* ---- where a resource was asked for ---- */

struct request_place {
    const struct ty_doc *doc;
    const struct ty_json *value; /* the quantity */
    const char *path;            /* of it, in doc */
};

static bool find_request(struct ty_arena *a, const struct ty_json *resources, const char *path,
                         const char *name, struct request_place *ret)
{
    static const char *const lists[] = { "limits", "requests" };

    for (size_t i = 0; i < 2; i++) {
        const struct ty_json *v = ty_json_find(ty_json_get(resources, lists[i]), ty_str(name));
        if (!v)
            continue;
        ret->value = v;
        ret->path = ty_arena_printf(a, "%s.%s[%s]", path, lists[i], name);
        return true;
    }
    return false;
}

static bool find_in_pod(struct ty_arena *a, const struct ty_json *pod, const char *path,
                        const char *name, struct request_place *ret)
{
    static const char *const lists[] = { "containers", "initContainers" };

    for (size_t l = 0; l < 2; l++) {
        const struct ty_json *all = ty_json_get(pod, lists[l]);
        for (size_t i = 0; i < ty_json_len(all); i++)
            if (find_request(a, ty_json_get(ty_json_item(all, i), "resources"),
                             ty_arena_printf(a, "%s.%s[%zu].resources", path, lists[l], i), name,
                             ret))
                return true;
    }
    return false;
}

static bool find_in_runtime(struct ty_arena *a, const struct ty_json *runtime, const char *name,
                            struct request_place *ret)
{
    const struct ty_json *rjobs = ty_json_at(runtime, "spec.template.spec.replicatedJobs");

    for (size_t i = 0; i < ty_json_len(rjobs); i++)
        if (find_in_pod(a, ty_json_at(ty_json_item(rjobs, i), "template.spec.template.spec"),
                        ty_arena_printf(a,
                                        "spec.template.spec.replicatedJobs[%zu].template.spec."
                                        "template.spec",
                                        i),
                        name, ret))
            return true;
    return false;
}

static const struct ty_doc *doc_of(const struct ty_inputs *in, const struct ty_json *obj)
{
    for (size_t i = 0; i < in->n; i++)
        if (in->v[i]->obj == obj)
            return in->v[i];
    return NULL;
}

static const struct ty_doc *runtime_doc(struct ty_session *s, const struct ty_json *obj)
{
    const struct ty_doc *d = doc_of(&s->inputs, obj);

    d = d ? d : doc_of(&s->library, obj);
    return d ? d : doc_of(&s->builtin, obj);
}

static const struct ty_doc *job_doc(struct ty_session *s, const char *name)
{
    for (size_t i = 0; name && i < s->inputs.n; i++)
        if (s->inputs.v[i]->kind == &ty_kind_trainjob && ty_str_is(s->inputs.v[i]->name, name))
            return s->inputs.v[i];
    return NULL;
}

/* In the TrainJob before the runtime, as it is planned; patches are not searched. */
static struct request_place place_of(struct ty_session *s, const struct ty_doc *job,
                                     const struct ty_json *runtime, const char *resource)
{
    struct ty_arena *a = s->cli->arena;
    struct request_place at = { .doc = job };

    if (find_request(a, ty_json_at(job->obj, "spec.trainer.resourcesPerNode"),
                     "spec.trainer.resourcesPerNode", resource, &at))
        return at;
    at.doc = runtime_doc(s, runtime);
    if (at.doc && find_in_runtime(a, runtime, resource, &at))
        return at;
    return (struct request_place){ .doc = job, .value = job->obj, .path = "spec" };
}

static void print_shortage(struct ty_run_ctx *r, const struct ty_preflight_finding *it,
                           const struct ty_doc *doc)
{
    struct ty_trainjob job;

    ty_trainjob_parse(&job, doc->obj);
    const struct ty_json *runtime = ty_runtime_live(&job, &r->session.view);
    struct request_place at = place_of(&r->session, doc, runtime, it->resource);
    const char *offer = ty_shrink_offer(r->cli->arena, doc->obj, runtime, &r->host);

    ty_cli_msg(r->cli, TY_MSG_ERROR, "unsupported locally: %s: %s: %s%s%s",
               ty_inputs_place(r->cli->arena, at.doc, at.value), at.path, it->text,
               offer ? "; --shrink runs it here with " : "", offer ? offer : "");
}

/* ---- where a field of the JobSet was written ---- */

/* "FILE:LINE: " of the TrainJob, or of the runtime if its template has this value of the JobSet.
 * "": unknown; patches are not searched. */
static const char *field_place(struct ty_run_ctx *r, const struct ty_preflight_finding *it,
                               const struct ty_doc *doc)
{
    struct ty_arena *a = r->cli->arena;
    const struct ty_json *at = NULL;
    struct ty_trainjob job;

    if (it->in_trainjob) {
        at = ty_json_locate(doc->obj, it->path);
    } else if (it->field && it->value) {
        ty_trainjob_parse(&job, doc->obj);
        const struct ty_json *runtime = ty_runtime_live(&job, &r->session.view);
        doc = runtime ? runtime_doc(&r->session, runtime) : NULL;
        at =
            doc ? ty_json_locate(runtime, ty_arena_printf(a, "spec.template.%s", it->field)) : NULL;
        at = at && ty_str_is(ty_json_text(a, at), it->value) ? at : NULL;
    }
    return at ? ty_arena_printf(a, "%s: ", ty_inputs_place(a, doc, at)) : "";
}

void ty_run_findings_print(struct ty_run_ctx *r, const struct ty_preflight_findings *f)
{
    for (const struct ty_preflight_finding *it = f->first; it; it = it->next) {
        const struct ty_doc *doc = job_doc(&r->session, it->job);
        if (it->note || is_image(it))
            ty_cli_msg(r->cli, TY_MSG_NOTE, "%s", it->text);
        else if (doc && it->resource)
            print_shortage(r, it, doc);
        else
            ty_cli_msg(r->cli, it->error ? TY_MSG_ERROR : TY_MSG_WARNING,
                       "unsupported locally: %s%s: %s", doc ? field_place(r, it, doc) : "",
                       it->path, it->text);
    }
}
