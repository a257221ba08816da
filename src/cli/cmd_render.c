/* trainyard render: prints the objects that the operator would apply for TrainJobs. */
#include "cli/cmds.h"
#include "cli/session.h"
#include "cli/view/printer.h"
#include "trainer/trainjob_reconcile.h"

/* Memory limit for rendering one TrainJob; an input file has at most 32 MB. */
#define PASS_CEILING ((size_t)4 << 30)

static const char *const formats[] = { "yaml", "json", "name", NULL };
struct render_opts {
    struct ty_args args;
    struct ty_input_opts input;
    struct ty_config_opts config;
    const char *output;
    bool origins, redact;
};
static const struct ty_opt options[] = {
    TY_OPTS_INPUT(struct render_opts),
    { "output", 'o', TY_OPT_WORD, "FORMAT", "yaml (default), json or name", formats,
      TY_OPT_AT(struct render_opts, output) },
    { "origins", 0, TY_OPT_FLAG, NULL, "comment each field with where it came from", NULL,
      TY_OPT_AT(struct render_opts, origins) },
    { "redact-secrets", 0, TY_OPT_FLAG, NULL, "print <redacted> instead of key material", NULL,
      TY_OPT_AT(struct render_opts, redact) },
    TY_OPTS_CONFIG(struct render_opts),
    TY_OPT_HELP(struct render_opts),
    TY_OPT_END,
};

static void explain_nothing(struct ty_session *s, const struct ty_doc *job)
{
    struct ty_str by = ty_json_str_at(job->obj, "spec.managedBy");
    const char *why = "it is finished";
    if (by.n && !ty_str_is(by, "trainer.kubeflow.org/trainjob-controller"))
        why = ty_arena_printf(s->cli->arena, "it is managed by %.*s", TY_ARG(by));
    ty_cli_msg(s->cli, TY_MSG_NOTE, "%s:%u: TrainJob %.*s renders to nothing: %s", job->file,
               job->obj->line, TY_ARG(job->name), why);
}

/* Renders one TrainJob. False: it failed; the reason is a finding. */
static bool render_job(struct ty_session *s, struct ty_arena *a, const struct ty_doc *job,
                       struct ty_printer *printer)
{
    unsigned char entropy[TY_ENTROPY];
    int r = s->cli->entropy(entropy, sizeof(entropy));
    if (r < 0) {
        ty_findings_error(&s->findings, job, "no random bytes for keys: %s", strerrordesc_np(-r));
        return false;
    }
    struct ty_trainjob_reconcile_in in = {
        .pipeline = &s->pipeline,
        .settings = &s->settings,
        .view = &s->view,
        .job = job->obj,
        .now_s = s->cli->now_s,
        .entropy = entropy,
    };
    struct ty_trainjob_reconcile pass = { 0 };
    ty_trainjob_reconcile(a, &in, &pass);
    if (pass.err.code < 0) {
        ty_findings_error(&s->findings, job, "%s", pass.err.text);
        return false;
    }
    if (!pass.want)
        explain_nothing(s, job);
    for (const struct ty_desired_object *w = pass.want; w; w = w->next)
        ty_printer_add(printer, a, w->kind, w->obj, &pass.plan);
    return true;
}

static int render_inputs(struct ty_session *s, const void *ctx)
{
    const struct render_opts *opts = ctx;
    struct ty_cli *cli = s->cli;
    ty_auto_arena *scratch = ty_arena_new_input(PASS_CEILING, NULL);
    struct ty_printer printer = { .cli = cli, .origins = opts->origins, .redact = opts->redact };
    ty_printer_begin(&printer, opts->output);
    size_t jobs = 0;
    if (!s->inputs.n_input_errors && !s->library.n_input_errors)
        ty_session_admit_all(s); /* else a runtime in an unreadable file would be "missing" */
    for (size_t i = 0; i < s->inputs.n && printer.code == TY_EXIT_OK; i++) {
        struct ty_doc *d = s->inputs.v[i];
        jobs += d->kind == &ty_kind_trainjob;
        if (d->kind != &ty_kind_trainjob || d->state != TY_DOC_ACCEPTED)
            continue;
        if (!render_job(s, scratch, d, &printer))
            s->n_invalid++;
        ty_arena_reset(scratch);
    }
    ty_printer_end(&printer);
    ty_session_print_findings(s);
    if (!jobs && !s->findings.n_errors)
        ty_cli_msg(cli, TY_MSG_NOTE, "no TrainJob in the input: nothing to render");
    return s->findings.n_errors ? TY_EXIT_BAD : printer.code;
}

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct render_opts *opts = parsed;
    struct ty_session_opts session = { .operands = &opts->args.operands,
                                       .input = &opts->input,
                                       .config = &opts->config };

    if (!opts->input.files.n && !opts->args.operands.n)
        return ty_cli_usage(cli, &ty_cmd_render, "nothing to render: give a file with -f");
    if (opts->origins && opts->output && strcmp(opts->output, "yaml") != 0)
        return ty_cli_usage(cli, &ty_cmd_render, "--origins writes comments: it needs -o yaml");
    return ty_session_run(cli, &session, render_inputs, opts);
}

const struct ty_cmd ty_cmd_render = {
    .name = "render",
    .about = "Print the objects that TrainJobs become",
    .operand = "[FILE…]",
    .more =
        "Reads TrainJobs with their runtimes and prints the child objects in the order in which\n"
        "they are applied. Runtimes are looked up in the same files, then in --runtimes, then\n"
        "in the built-in catalog. Other kinds in the files (Secret, PriorityClass, LimitRange\n"
        "…) are used as the state of the cluster. No cluster is needed or contacted.\n"
        "\n"
        "An invalid TrainJob is reported as by 'trainyard validate', and not rendered.\n",
    .examples = "  trainyard render -f job.yaml\n"
                "  trainyard render -f job.yaml --runtimes runtimes/ --origins\n"
                "  trainyard render -f job.yaml -o json | jq '.items[].kind'\n",
    .opts = TY_OPTS(options, struct render_opts),
    .run = run,
};
