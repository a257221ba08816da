#include "cli/cluster/cluster_submit_input.h"

#include <errno.h>

#include "cli/cmds.h"
#include "cli/run/run_env.h"
#include "cli/run/run_input.h"

/* ---- reading ---- */

/* NAME=VALUE words become variables of spec.trainer.env. */
static struct ty_json *env_list(struct ty_arena *a, const char *const *env)
{
    struct ty_json *list = ty_json_array(a);

    for (; env && *env; env++) {
        struct ty_str name, value = ty_str_cut(ty_str(*env), '=', &name);
        struct ty_json *v = ty_json_object(a);
        ty_json_set(a, v, "name", ty_json_str(a, name));
        ty_json_set(a, v, "value", ty_json_str(a, value.p ? value : TY_LIT("")));
        ty_json_push(a, list, v);
    }
    return list;
}

static void add_env(struct ty_session *s, const char *const *env)
{
    struct ty_arena *a = s->cli->arena;

    for (size_t i = 0; env && *env && i < s->inputs.n; i++) {
        struct ty_doc *d = s->inputs.v[i];
        if (d->kind != &ty_kind_trainjob || !ty_json_is(d->obj, TY_JSON_OBJECT))
            continue;
        struct ty_json *spec = ty_json_ensure_object(a, d->obj, "spec"),
                       *trainer = ty_json_ensure_object(a, spec, "trainer");
        ty_json_upsert_all(a, ty_json_ensure_array(a, trainer, "env"), "name", env_list(a, env));
    }
}

int ty_cluster_submit_input_open(struct ty_cli *cli, const struct ty_submit_input *in,
                                 struct ty_session *ret, struct ty_err *err)
{
    struct ty_session_opts opts = { .operands = &in->operands,
                                    .input = &in->input,
                                    .config = &in->config };
    const char **env = NULL;

    int r = ty_session_open(ret, cli, &opts, err);
    if (r < 0)
        return TY_EXIT_BAD;
    if (ty_run_env_read(cli->arena, &in->env_files, &in->env, &env, err) < 0 ||
        ty_run_input_set(&ret->inputs, &in->sets, err) < 0)
        return TY_EXIT_USAGE;
    add_env(ret, env);
    return TY_EXIT_OK;
}

/* ---- runtimes of the cluster ---- */

/* Objects without a namespace go into the session's. */
static void set_namespaces(struct ty_session *in, const char *ns)
{
    struct ty_arena *a = in->cli->arena;

    for (size_t i = 0; i < in->inputs.n; i++) {
        struct ty_doc *d = in->inputs.v[i];
        struct ty_json *meta = ty_json_get(d->obj, "metadata");
        if (!d->kind->namespaced || d->ns.n || !ty_json_is(meta, TY_JSON_OBJECT))
            continue;
        ty_json_set(a, meta, "namespace", ty_json_cstr(a, ns));
        d->ns = ty_str(ns);
    }
    ty_inputs_index(&in->inputs); /* by namespace */
}

static const struct ty_kind *runtime_kind(const struct ty_json *job)
{
    struct ty_str kind = ty_json_str_at(job, "spec.runtimeRef.kind");

    if (!kind.n || ty_str_is(kind, "ClusterTrainingRuntime"))
        return &ty_kind_clustertrainingruntime;
    return ty_str_is(kind, "TrainingRuntime") ? &ty_kind_trainingruntime : NULL;
}

const struct ty_doc *ty_cluster_submit_input_runtime(const struct ty_session *in,
                                                     const struct ty_doc *job)
{
    const struct ty_kind *kind = runtime_kind(job->obj);

    return kind ? ty_inputs_get(&in->inputs, kind, job->ns,
                                ty_json_str_at(job->obj, "spec.runtimeRef.name"))
                : NULL;
}

static void no_runtime(struct ty_session *in, struct ty_doc *job, const struct ty_kind *kind,
                       struct ty_str name, const char *where)
{
    const char *scope = kind->namespaced ? ty_arena_printf(in->cli->arena, " in namespace \"%.*s\"",
                                                           TY_ARG(job->ns))
                                         : "";
    struct ty_field_err e = { .path = "spec.runtimeRef.name",
                              .why = TY_INVALID,
                              .value = ty_arena_printf(in->cli->arena, "\"%.*s\"", TY_ARG(name)),
                              .detail = ty_arena_printf(in->cli->arena,
                                                        "the cluster of %s has no such %s%s", where,
                                                        kind->kind, scope),
                              .hint = "'trainyard runtimes' prints those to install" };

    ty_findings_field(&in->findings, job, &e);
    job->state = TY_DOC_REFUSED;
    in->n_invalid++;
}

/* Adds the runtime of the job to the library, if the input does not have it. */
static void read_runtime(struct ty_session *in, struct ty_cluster_session *s, struct ty_doc *job)
{
    const struct ty_kind *kind = runtime_kind(job->obj);
    struct ty_str name = ty_json_str_at(job->obj, "spec.runtimeRef.name");
    struct ty_cluster_answer answer;

    if (!kind || !name.n || ty_cluster_submit_input_runtime(in, job) ||
        ty_inputs_get(&in->library, kind, job->ns, name))
        return;
    struct ty_kube_request ask = { .verb = TY_KUBE_GET, .kind = kind, .ns = job->ns, .name = name };
    int r = ty_cluster_session_call(s, in->cli->arena, &ask, &answer);
    if (r == 0 && answer.json) {
        struct ty_json *obj = ty_json_copy(in->cli->arena, answer.json, 0);
        ty_inputs_add(
            &in->library,
            ty_arena_printf(in->cli->arena, "%s %.*s of the cluster", kind->kind, TY_ARG(name)),
            obj, kind);
        ty_inputs_index(&in->library);
    } else if (r == -ENOENT) {
        no_runtime(in, job, kind, name, ty_cluster_session_where(s));
    } else { /* the API server will read it, with its own rights */
        ty_cli_msg(in->cli, TY_MSG_NOTE, "%s:%u: not checked before it is sent: %s", job->file,
                   job->obj->line,
                   ty_cluster_session_error_text(s, in->cli->arena,
                                                 ty_arena_printf(in->cli->arena, "read %s \"%.*s\"",
                                                                 kind->kind, TY_ARG(name)),
                                                 &answer));
        job->state = TY_DOC_ACCEPTED;
    }
}

void ty_cluster_submit_input_check(struct ty_session *in, struct ty_cluster_session *s,
                                   const char *ns, struct ty_json ***ret_wanted)
{
    struct ty_arena *a = in->cli->arena;

    if (ns)
        set_namespaces(in, ns);
    *ret_wanted = ty_new_n(a, struct ty_json *, in->inputs.n + 1);
    for (size_t i = 0; i < in->inputs.n; i++)
        (*ret_wanted)[i] = ty_json_copy(a, in->inputs.v[i]->obj, 0);
    for (size_t i = 0; s && i < in->inputs.n; i++)
        if (in->inputs.v[i]->kind == &ty_kind_trainjob)
            read_runtime(in, s, in->inputs.v[i]);
    ty_session_admit_all(in);
}
