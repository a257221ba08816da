/*   files -> --set, --env -> runtimes of the cluster -> local checks -> create or apply -> wait
 *                                                                                         or logs
 */
#include "cli/cluster/cluster_submit.h"

#include <errno.h>
#include <signal.h>

#include "cli/cluster/cluster_logs.h"
#include "cli/cluster/cluster_submit_input.h"
#include "cli/cluster/cluster_wait.h"
#include "cli/cluster/refusal.h"
#include "cli/cmds.h"
#include "cli/view/printer.h"

#define EXIT_INTERRUPTED 130

struct cluster_submit {
    struct ty_cli *cli;
    const struct ty_cluster_submit_opts *o;
    struct ty_session *in;
    struct ty_cluster_session *s; /* NULL: --dry-run=client */
    struct ty_json **wanted;      /* of each input, as the user wrote it: without defaults */
    struct ty_printer printer;
    struct ty_strlist jobs, spaces; /* names and namespaces of the TrainJobs that were created */
    bool lost;                      /* no connection, no right: the rest is not tried */
};

/* ---- one object ---- */

static const char *dry_text(const struct cluster_submit *w)
{
    return w->o->dry_client ? " (dry run)" : w->o->dry_server ? " (server dry run)" : "";
}

static void print_object(struct cluster_submit *w, const struct ty_doc *doc,
                         const struct ty_json *obj)
{
    struct ty_arena *a = w->cli->arena;
    ty_auto_buf text = { 0 };

    if (w->o->output && strcmp(w->o->output, "json") == 0 && w->in->inputs.n == 1) {
        ty_json_pretty(&text, obj, 4, false);
        ty_buf_chr(&text, '\n');
        w->printer.code |= ty_cli_print_clean(w->cli, &text);
    } else if (w->o->output) {
        ty_printer_add(&w->printer, a, doc->kind, ty_json_copy(a, obj, 0), NULL);
    } else {
        struct ty_str name = ty_json_str_at(obj, "metadata.name");
        const char *group = doc->kind->group;
        if (!name.n)
            name = ty_json_str_at(obj, "metadata.generateName");
        ty_cli_printf(w->cli, "%s%s%s/%.*s %s%s\n", doc->kind->singular, *group ? "." : "", group,
                      TY_ARG(name), w->o->apply ? "serverside-applied" : "created", dry_text(w));
    }
    fflush(w->cli->out);
}

/* The object that has the name goes, and whatever is written to it. */
static const char *wait_hint(struct cluster_submit *w, const struct ty_doc *doc)
{
    const char *flags = ty_cluster_session_flags(w->s);

    if (doc->kind != &ty_kind_trainjob)
        return "submit it again when it is gone";
    return ty_arena_printf(w->cli->arena,
                           "submit it again when it is gone: trainyard wait %.*s --for delete%s -n "
                           "%.*s",
                           TY_ARG(doc->name), *flags ? flags : " --cluster", TY_ARG(doc->ns));
}

static void print_findings(struct cluster_submit *w, struct ty_findings *f)
{
    ty_auto_buf text = { 0 };

    ty_findings_print(&text, f, w->cli->colour);
    fwrite(text.p, 1, text.n, w->cli->err);
    ty_findings_done(f);
}

static void print_deleting(struct cluster_submit *w, const struct ty_doc *doc)
{
    struct ty_findings f = { .arena = w->cli->arena };

    ty_findings_error(&f, doc, "it is being deleted");
    f.last->hint = wait_hint(w, doc);
    print_findings(w, &f);
}

/* The runtime in the same input that the cluster does not have, or NULL. */
static const struct ty_doc *unstored_runtime(struct cluster_submit *w, const struct ty_doc *job)
{
    const struct ty_doc *rt =
        job->kind == &ty_kind_trainjob ? ty_cluster_submit_input_runtime(w->in, job) : NULL;
    struct ty_cluster_answer answer;

    if (!rt)
        return NULL;
    struct ty_kube_request ask = {
        .verb = TY_KUBE_GET, .kind = rt->kind, .ns = rt->ns, .name = rt->name
    };
    return ty_cluster_session_call(w->s, w->cli->arena, &ask, &answer) == -ENOENT ? rt : NULL;
}

/* A server dry run stores nothing, so the webhook refuses each job whose runtime is as new. True:
 * that was it, and was printed. */
static bool print_unstored(struct cluster_submit *w, const struct ty_doc *doc,
                           const struct ty_findings *refused)
{
    const char *path = refused->last ? refused->last->path : NULL;
    struct ty_findings f = { .arena = w->cli->arena };
    const struct ty_doc *rt = NULL;

    if (w->o->dry_server && path && ty_str_starts(ty_str(path), TY_LIT("spec.runtimeRef")))
        rt = unstored_runtime(w, doc);
    if (!rt)
        return false;
    ty_findings_error(&f, doc,
                      "the server cannot check it: %s \"%.*s\" is in the same input (%s) and not "
                      "in the cluster yet, and a server dry run stores nothing",
                      rt->kind->kind, TY_ARG(rt->name),
                      ty_inputs_place(w->cli->arena, rt, rt->obj));
    f.last->hint = "--dry-run=client checks it against that runtime";
    print_findings(w, &f);
    return true;
}

static void print_refusal(struct cluster_submit *w, const struct ty_doc *doc,
                          const struct ty_cluster_answer *answer)
{
    struct ty_findings f = { .arena = w->cli->arena };
    const struct ty_json *status =
        answer->text.n ? ty_json_parse(w->cli->arena, answer->text, NULL, NULL) : NULL;

    if (answer->r == -EEXIST && strstr(answer->message, "object is being deleted")) {
        print_deleting(w, doc);
        return;
    }
    ty_refusal_add(&f, doc, status, answer->message);
    if (answer->r == -EEXIST && f.last)
        f.last->hint = "--apply changes it";
    if (print_unstored(w, doc, &f))
        ty_findings_done(&f);
    else
        print_findings(w, &f);
}

static int report_error(struct cluster_submit *w, const struct ty_doc *doc,
                        const struct ty_cluster_answer *answer)
{
    bool refused = answer->r == -EINVAL || answer->r == -EEXIST || answer->r == -ESTALE ||
                   (answer->r == -EACCES && answer->code == 403 && !ty_refusal_is_rights(answer));

    if (refused) {
        print_refusal(w, doc, answer);
        return TY_EXIT_BAD;
    }
    w->lost = answer->code == 0 || answer->code == 401;
    return ty_cluster_session_error(w->s,
                                    ty_arena_printf(w->cli->arena, "%s %s \"%.*s\"",
                                                    w->o->apply ? "apply" : "create",
                                                    doc->kind->kind, TY_ARG(doc->name)),
                                    answer);
}

static int submit_one(struct cluster_submit *w, const struct ty_doc *doc,
                      const struct ty_json *wanted)
{
    struct ty_arena *a = w->cli->arena;
    struct ty_cluster_answer answer;

    if (w->o->dry_client) {
        print_object(w, doc, wanted);
        return TY_EXIT_OK;
    }
    struct ty_kube_request ask = { .verb = w->o->apply ? TY_KUBE_APPLY : TY_KUBE_CREATE,
                                   .kind = doc->kind,
                                   .ns = doc->ns,
                                   .body = ty_json_text(a, wanted),
                                   .force = w->o->force,
                                   .dry_run = w->o->dry_server };
    if (w->o->apply)
        ask.name = ty_json_str_at(wanted, "metadata.name");
    int r = ty_cluster_session_call(w->s, a, &ask, &answer);
    if (r < 0 && w->o->apply && ty_refusal_is_own_conflict(a, &answer)) {
        ask.force = true;
        r = ty_cluster_session_call(w->s, a, &ask, &answer);
    }
    if (r < 0)
        return report_error(w, doc, &answer);
    if (ty_json_at(answer.json, "metadata.deletionTimestamp")) {
        print_deleting(w, doc);
        return TY_EXIT_BAD;
    }
    if (doc->kind == &ty_kind_trainjob && !w->o->dry_server) {
        ty_strlist_add(a, &w->jobs, ty_json_cstr_at(a, answer.json, "metadata.name"));
        ty_strlist_add(a, &w->spaces, ty_json_cstr_at(a, answer.json, "metadata.namespace"));
    }
    print_object(w, doc, answer.json);
    return TY_EXIT_OK;
}

/* What others refer to comes first. */
static int rank_of(const struct ty_doc *doc)
{
    return !doc->kind->ours ? 0 : doc->kind == &ty_kind_trainjob ? 2 : 1;
}

static int submit_all(struct cluster_submit *w)
{
    const struct ty_inputs *in = &w->in->inputs;
    bool list = w->o->output && (in->n > 1 || strcmp(w->o->output, "json") != 0);
    int bad = TY_EXIT_OK;

    w->printer.cli = w->cli;
    if (list)
        ty_printer_begin(&w->printer, w->o->output);
    for (int rank = 0; rank < 3; rank++)
        for (size_t i = 0; i < in->n && !w->lost; i++)
            if (rank_of(in->v[i]) == rank)
                bad |= submit_one(w, in->v[i], w->wanted[i]);
    if (list)
        ty_printer_end(&w->printer);
    return bad | w->printer.code;
}

/* ---- afterwards ---- */

static void say_detached(struct cluster_submit *w, size_t from)
{
    const char *flags = ty_cluster_session_flags(w->s);

    for (size_t i = from; i < w->jobs.n; i++)
        ty_cli_msg(w->cli, TY_MSG_NOTE,
                   "trainjob \"%s\" goes on in the cluster; to wait for it: trainyard wait %s%s -n "
                   "%s; to delete it: trainyard delete %s%s -n %s",
                   w->jobs.v[i], w->jobs.v[i], *flags ? flags : " --cluster", w->spaces.v[i],
                   w->jobs.v[i], *flags ? flags : " --cluster", w->spaces.v[i]);
}

/* The namespace is that of the object, which may not be the session's. */
static int follow_logs(struct cluster_submit *w, enum ty_job_watch_end *ret_end)
{
    struct ty_where_opts where = *w->o->where;
    struct ty_cluster_logs_opts logs = { .job = w->jobs.v[0],
                                         .tail = -1,
                                         .attempt = -1,
                                         .follow = true,
                                         .end_ms = w->o->end_ms,
                                         .sigint = true };
    ty_auto_cluster_session *s = NULL;

    where.history.ns = w->spaces.v[0];
    int code = ty_cluster_session_open(w->cli, &where, &s);
    return code ? code : ty_cluster_logs(w->cli, s, &logs, ret_end);
}

static int wait_all(struct cluster_submit *w)
{
    enum ty_job_watch_end end = TY_JOB_WATCH_DONE;
    int bad = TY_EXIT_OK;
    size_t i = 0;

    ty_job_watch_block_sigint(true); /* only the loops below know what it means */
    ty_cli_msg(w->cli, TY_MSG_NOTE, "waiting for the end; Ctrl-C stops waiting, not the job");
    if (w->o->logs) /* a log that cannot be read was named; the exit code is the job's */
        (void)follow_logs(w, &end);
    while (i < w->jobs.n && end != TY_JOB_WATCH_INTERRUPTED) {
        bad |= ty_cluster_wait_over(w->cli, w->s, w->spaces.v[i], w->jobs.v[i], w->o->end_ms, true,
                                    &end);
        i += end != TY_JOB_WATCH_INTERRUPTED;
    }
    if (end == TY_JOB_WATCH_INTERRUPTED)
        say_detached(w, i);
    ty_job_watch_block_sigint(false);
    return end == TY_JOB_WATCH_INTERRUPTED ? EXIT_INTERRUPTED : bad;
}

/* ---- the whole ---- */

/* Usage errors that depend on the objects. */
static int check_objects(struct cluster_submit *w)
{
    const struct ty_inputs *in = &w->in->inputs;
    size_t jobs = 0;

    if (!in->n) {
        ty_cli_msg(w->cli, TY_MSG_ERROR,
                   "nothing to submit: the input has no object of a known kind");
        return TY_EXIT_BAD;
    }
    for (size_t i = 0; i < in->n; i++) {
        jobs += in->v[i]->kind == &ty_kind_trainjob;
        if (w->o->apply && !in->v[i]->name.n)
            return ty_cli_usage(w->cli, &ty_cmd_submit,
                                "%s:%u: --apply needs a name; generateName is for create",
                                in->v[i]->file, in->v[i]->obj->line);
    }
    if (w->o->wait && jobs == 0)
        return ty_cli_usage(w->cli, &ty_cmd_submit, "no TrainJob in the input to wait for");
    if (w->o->logs && jobs > 1)
        return ty_cli_usage(w->cli, &ty_cmd_submit,
                            "--logs follows one TrainJob; the input has %zu", jobs);
    return TY_EXIT_OK;
}

static void drop_message(void *ctx TY_UNUSED, enum ty_cli_msg_kind how TY_UNUSED,
                         const char *text TY_UNUSED)
{
}

/* The namespace of -n or of the context, for --dry-run=client: objects go there, and the runtime of
 * a job is looked for there. It works without a kubeconfig, too: NULL. */
static const char *offline_namespace(struct cluster_submit *w)
{
    struct ty_cli silent = *w->cli;
    ty_auto_cluster_session *s = NULL;

    silent.sink.fn = drop_message;
    return ty_cluster_session_open(&silent, w->o->where, &s) == TY_EXIT_OK
               ? ty_arena_strdup(w->cli->arena, ty_cluster_session_ns(s))
               : NULL;
}

static int submit_inputs(struct cluster_submit *w)
{
    struct ty_session *in = w->in;
    ty_auto_cluster_session *s = NULL;
    int code = TY_EXIT_OK;

    if (in->findings.n_errors) {
        ty_session_print_findings(in);
        return TY_EXIT_BAD;
    }
    code = check_objects(w);
    if (code == TY_EXIT_OK && !w->o->dry_client)
        code = ty_cluster_session_open(w->cli, w->o->where, &s);
    if (code)
        return code;
    w->s = s;
    ty_cluster_submit_input_check(in, s, s ? ty_cluster_session_ns(s) : offline_namespace(w),
                                  &w->wanted);
    ty_session_print_findings(in);
    if (in->findings.n_errors)
        return TY_EXIT_BAD;
    code = submit_all(w);
    if (code || !w->o->wait || w->o->dry_client || w->o->dry_server)
        return code;
    return wait_all(w);
}

int ty_cluster_submit(struct ty_cli *cli, const struct ty_cluster_submit_opts *opts)
{
    struct cluster_submit w = { .cli = cli, .o = opts };
    struct ty_session in;
    struct ty_err err = { 0 };
    int code = ty_cluster_submit_input_open(cli, opts->input, &in, &err);

    if (code == TY_EXIT_USAGE)
        ty_cli_usage(cli, &ty_cmd_submit, "%s", err.text);
    else if (code)
        ty_cli_msg(cli, TY_MSG_ERROR, "%s", err.text);
    w.in = &in;
    if (code == TY_EXIT_OK)
        code = submit_inputs(&w);
    ty_session_close(&in);
    return code;
}
