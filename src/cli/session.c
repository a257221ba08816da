/* Opens a session (configuration, plugins, files) and admits its objects. */
#include "cli/session.h"
#include "cli/cmds.h"
#include "cli/install/catalog.h"
#include "trainer/admission.h"
#include "trainer/runtime_resolve.h"
#include <strings.h>

#define REF "spec.runtimeRef"

static bool is_runtime(const struct ty_kind *k)
{
    return k == &ty_kind_trainingruntime || k == &ty_kind_clustertrainingruntime;
}

/* Adds a runtime of the catalog to s->builtin when it is first requested. */
static struct ty_doc *builtin_runtime(struct ty_session *s, struct ty_str name)
{
    for (size_t i = 0; i < s->builtin.n; i++)
        if (ty_str_eq(s->builtin.v[i]->name, name))
            return s->builtin.v[i];
    struct ty_json *obj = ty_catalog_get(s->cli->arena, name);
    if (!obj)
        return NULL;
    const char *file = ty_arena_printf(s->cli->arena, "built-in %.*s", TY_ARG(name));
    return ty_inputs_add(&s->builtin, file, obj, &ty_kind_clustertrainingruntime);
}

static struct ty_doc *find_doc(struct ty_session *s, const struct ty_kind *kind, struct ty_str ns,
                               struct ty_str name)
{
    struct ty_doc *d = ty_inputs_get(&s->inputs, kind, ns, name);
    if (!d)
        d = ty_inputs_get(&s->library, kind, ns, name);
    if (!d && kind == &ty_kind_clustertrainingruntime)
        d = builtin_runtime(s, name);
    return d;
}

/* Callback of struct ty_view. Runtimes are admitted first, as the API server would have done. */
static const struct ty_json *view_get(void *ctx, const struct ty_kind *kind, struct ty_str ns,
                                      struct ty_str name)
{
    struct ty_session *s = ctx;
    struct ty_doc *d = find_doc(s, kind, ns, name);
    if (!d || (is_runtime(kind) && !ty_session_admit(s, d)))
        return NULL;
    return d->obj;
}

/* The runtime kind that a TrainJob's reference names; NULL: unknown. */
static const struct ty_kind *ref_kind(const struct ty_json *job)
{
    struct ty_str kind = ty_json_str_at(job, "spec.runtimeRef.kind");
    if (!kind.n || ty_str_is(kind, "ClusterTrainingRuntime"))
        return &ty_kind_clustertrainingruntime;
    return ty_str_is(kind, "TrainingRuntime") ? &ty_kind_trainingruntime : NULL;
}

static struct ty_doc *runtime_of(struct ty_session *s, const struct ty_doc *job)
{
    const struct ty_kind *kind = ref_kind(job->obj);
    struct ty_str name = ty_json_str_at(job->obj, "spec.runtimeRef.name");
    return kind && name.n ? find_doc(s, kind, job->ns, name) : NULL;
}

/* Collects the names of a kind's runtimes, those of the input first. */
enum { NAMES_MAX = TY_RUNTIME_NAMES };
static size_t runtime_names(struct ty_session *s, const struct ty_kind *kind,
                            const char *ret[NAMES_MAX])
{
    const struct ty_inputs *all[] = { &s->inputs, &s->library };
    size_t n = 0;
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < all[k]->n && n < NAMES_MAX; i++) {
            const struct ty_doc *d = all[k]->v[i];
            if (d->kind == kind && d->name.n)
                ret[n++] = ty_arena_cstr(s->cli->arena, d->name);
        }
    if (kind == &ty_kind_clustertrainingruntime)
        for (const struct ty_embedded *e = ty_catalog_files; e->name && n < NAMES_MAX; e++)
            ret[n++] = e->name;
    return n;
}

/* A hint with the runtimes that exist and the most similar name; NULL: there are none. */
static const char *runtime_hint(struct ty_session *s, const struct ty_doc *job)
{
    const char *names[NAMES_MAX];
    size_t n = runtime_names(s, ref_kind(job->obj), names);
    return ty_runtime_hint(s->cli->arena, ty_json_str_at(job->obj, "spec.runtimeRef.name"), names,
                           n);
}

/* Checks only the schema of a TrainJob whose runtime was refused; the other checks need the
 * runtime. */
static void admit_shape(struct ty_session *s, struct ty_doc *doc, const struct ty_doc *runtime)
{
    struct ty_arena *a = s->cli->arena;
    struct ty_errs errs = { .arena = a };
    ty_schema_prune(a, doc->kind->schema, doc->obj, NULL, &errs);
    ty_schema_default(a, doc->kind->schema, doc->obj);
    ty_schema_validate(doc->kind->schema, doc->obj, NULL, NULL, NULL, &errs);
    for (const struct ty_field_err *e = errs.first; e; e = e->next)
        ty_findings_field(&s->findings, doc, e);
    ty_findings_error(&s->findings, doc,
                      "not checked against its runtime \"%.*s\", which is invalid (%s:%u)",
                      TY_ARG(runtime->name), runtime->file, runtime->obj->line);
}

/* Whether e is the webhook's opinion of a reference without a name, of which the schema has said
 * more (`said`): that no runtime has an empty name. The schema says nothing of a TrainJob without
 * spec; then e becomes the missing field. */
static bool says_nothing(struct ty_field_err *e, bool said)
{
    if (e->why == TY_REQUIRED || strcasecmp(e->path, REF) != 0)
        return false;
    *e = (struct ty_field_err){ .next = e->next, .path = REF, .why = TY_REQUIRED };
    return said;
}

static void add_findings(struct ty_session *s, struct ty_doc *doc, struct ty_admission_response *v,
                         bool no_runtime)
{
    bool no_name = no_runtime && !ty_json_str_at(doc->obj, REF ".name").n, said = false;

    for (struct ty_field_err *e = v->errs.first; e; e = e->next) {
        if (no_name && says_nothing(e, said))
            continue;
        said |= strncmp(e->path, REF, strlen(REF)) == 0;
        if (no_runtime && !e->hint && strcasecmp(e->path, REF) == 0)
            e->hint = runtime_hint(s, doc);
        ty_findings_field(&s->findings, doc, e);
    }
    if (v->code >= 400 && !v->errs.first)
        ty_findings_error(&s->findings, doc, "%s", v->message ? v->message : "refused");
    for (size_t i = 0; i < v->warnings.n; i++)
        ty_findings_warn(&s->findings, doc, v->warnings.v[i]);
}

static bool admit_doc(struct ty_session *s, struct ty_doc *doc)
{
    ty_admission_fill_name(s->cli->arena, doc->obj);
    doc->name = ty_json_str_at(doc->obj, "metadata.name");
    bool is_job = doc->kind == &ty_kind_trainjob;
    struct ty_doc *runtime = is_job ? runtime_of(s, doc) : NULL;
    if (runtime && !ty_session_admit(s, runtime)) {
        admit_shape(s, doc, runtime);
        return false;
    }
    struct ty_admission_request in = {
        .pipeline = &s->pipeline,
        .settings = &s->settings,
        .view = &s->view,
        .op = TY_ADMISSION_CREATE,
        .obj = doc->obj,
        .now_s = s->cli->now_s,
        .all = true,
        .strict = true,
        .lint = true,
    };
    struct ty_admission_response v = { 0 };
    ty_admission_handle(s->cli->arena, &in, &v);
    add_findings(s, doc, &v, is_job && !runtime);
    return v.code < 400;
}

bool ty_session_admit(struct ty_session *s, struct ty_doc *doc)
{
    if (doc->state == TY_DOC_NEW) {
        bool ok = !doc->kind->ours || admit_doc(s, doc);
        doc->state = ok ? TY_DOC_ACCEPTED : TY_DOC_REFUSED;
    }
    return doc->state == TY_DOC_ACCEPTED;
}

void ty_session_admit_all(struct ty_session *s)
{
    for (int jobs = 0; jobs < 2; jobs++)
        for (size_t i = 0; i < s->inputs.n; i++) {
            struct ty_doc *d = s->inputs.v[i];
            if ((d->kind == &ty_kind_trainjob) == jobs && !ty_session_admit(s, d))
                s->n_invalid++;
        }
}

static void take_input_errors(struct ty_session *s, const struct ty_inputs *in)
{
    for (const struct ty_input_error *t = in->input_errors; t; t = t->next)
        ty_findings_input_error(&s->findings, t);
}

static void read_files(struct ty_inputs *in, const struct ty_strlist *paths, bool recursive)
{
    for (size_t i = 0; paths && i < paths->n; i++)
        ty_inputs_read(in, paths->v[i], recursive);
}

static void read_inputs(struct ty_session *s, const struct ty_session_opts *opts)
{
    const struct ty_input_opts none = { 0 }, *in = opts->input ? opts->input : &none;

    s->inputs.keep_others = s->inputs.quiet_convert = opts->converting;
    s->inputs.convert = opts->convert;
    s->inputs.scripts = opts->scripts;
    read_files(&s->inputs, &in->files, in->recursive);
    read_files(&s->inputs, opts->operands, in->recursive);
    if (in->ns)
        ty_inputs_namespace(&s->inputs, in->ns);
    ty_inputs_index(&s->inputs);
    read_files(&s->library, &in->runtimes, in->recursive);
    ty_inputs_index(&s->library);
    take_input_errors(s, &s->inputs);
    take_input_errors(s, &s->library);
}

int ty_session_open(struct ty_session *s, struct ty_cli *cli, const struct ty_session_opts *opts,
                    struct ty_err *err)
{
    *s = (struct ty_session){
        .cli = cli,
        .inputs.cli = cli,
        .library.cli = cli,
        .builtin.cli = cli,
        .findings.arena = cli->arena,
        .view = { .ctx = s, .get = view_get },
    };
    const struct ty_config_opts none = { 0 }, *from = opts->config ? opts->config : &none;
    struct ty_config config;
    int r = ty_config_read(cli->arena, from->file, from->gates, &config, err);
    for (size_t i = 0; r == 0 && i < from->plugin_dirs.n; i++)
        r = ty_extern_plugins_load(&s->externs, cli->arena, from->plugin_dirs.v[i], err);
    if (r == 0) {
        s->settings = config.settings;
        s->status_off = config.status_said && !config.settings.status_gate;
        r = ty_pipeline_init(&s->pipeline, config.enabled.v, config.disabled.v, s->externs.v, err);
    }
    if (r == 0)
        read_inputs(s, opts);
    return r;
}

void ty_session_close(struct ty_session *s)
{
    ty_findings_done(&s->findings);
    ty_extern_plugins_done(&s->externs);
}

int ty_session_run(struct ty_cli *cli, const struct ty_session_opts *opts,
                   int (*fn)(struct ty_session *s, const void *ctx), const void *ctx)
{
    struct ty_session s;
    struct ty_err err = { 0 };
    int code = TY_EXIT_BAD;

    if (ty_session_open(&s, cli, opts, &err) < 0)
        ty_cli_msg(cli, TY_MSG_ERROR, "%s", err.text);
    else
        code = fn(&s, ctx);
    ty_session_close(&s);
    return code;
}

void ty_session_print_findings(struct ty_session *s)
{
    ty_auto_buf b = { 0 };
    ty_findings_sort(&s->findings);
    ty_findings_print(&b, &s->findings, s->cli->colour);
    if (b.n)
        fwrite(b.p, 1, b.n, s->cli->err);
}
