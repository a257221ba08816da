/* trainyard run: the TrainJob of the cluster, on this machine. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cmds.h"
#include "cli/run_view.h"
#include "cli/session.h"
#include "store/local.h"
#include "trainer/pass.h"
#include "trainer/resolve.h"
#include "json/yaml.h"

static const struct ty_opt options[] = {
    TY_OPTS_INPUT,
    { "quiet", 'q', TY_OPT_FLAG, NULL, "print only what goes wrong and the summary", NULL,
      TY_OPT_AT(quiet) },
    { "logs", 0, TY_OPT_WORD, "NODE", "print the lines of one node only: node-0-1", NULL,
      TY_OPT_AT(logs) },
    { "set", 0, TY_OPT_WORDS, "PATH=VALUE", "change the TrainJob: spec.trainer.numNodes=4", NULL,
      TY_OPT_AT(sets) },
    { "env", 'e', TY_OPT_WORDS, "NAME=VALUE", "a variable for every container; repeatable", NULL,
      TY_OPT_AT(env) },
    { "workdir", 0, TY_OPT_WORD, "DIR", "working directory of the containers (default: this one)",
      NULL, TY_OPT_AT(workdir) },
    { "timeout", 0, TY_OPT_WORD, "SECONDS", "stop everything after so long", NULL,
      TY_OPT_AT(timeout) },
    TY_OPTS_CONFIG,
    TY_OPT_HELP,
    TY_OPT_END,
};

struct run {
    struct ty_cli *cli;
    struct ty_session session;
    uv_loop_t loop;
    struct ty_zygote *zygote;
    struct ty_engine *engine;
    struct ty_run_view view;
    uv_signal_t sigint, sigterm;
    uv_check_t check;
    uv_timer_t timeout;
    int interrupts;
    bool timed_out;
    char *dir, *claims;
    char *program, *workdir;
    const char **env; /* --env, NULL-terminated */
};

static void on_signal(uv_signal_t *h, int sig)
{
    struct run *r = h->data;

    r->interrupts++;
    ty_cli_say(r->cli, TY_SAY_NOTE, "%s: %s", sig == SIGINT ? "interrupted" : "terminated",
               r->interrupts == 1 ? "stopping; once more to stop at once" : "stopping at once");
    ty_engine_stop(r->engine, r->interrupts > 1, "interrupted");
}

static void on_timeout(uv_timer_t *h)
{
    struct run *r = h->data;

    r->timed_out = true;
    ty_cli_say(r->cli, TY_SAY_ERROR, "the time is over: stopping");
    ty_engine_stop(r->engine, false, "timeout");
}

static void on_turn(uv_check_t *h)
{
    struct run *r = h->data;

    if (ty_engine_done(r->engine))
        uv_stop(&r->loop);
}

/* One level at a time. */
static int make_dirs(const char *path, struct ty_err *err)
{
    char *copy = strdup(path);
    int r = 0;

    for (char *p = copy + 1; copy && r == 0; p++) {
        bool end = !*p;
        if (!end && *p != '/')
            continue;
        *p = 0;
        if (mkdir(copy, 0700) < 0 && errno != EEXIST)
            r = ty_fail(err, -errno, "%s: %s", copy, strerrordesc_np(errno));
        if (end)
            break;
        *p = '/';
    }
    free(copy);
    return r;
}

static int make_folders(struct run *r, const char *name, struct ty_err *err)
{
    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    struct ty_arena *a = r->cli->arena;
    char *root = state && state[0]
                     ? ty_arena_printf(a, "%s/trainyard", state)
                     : ty_arena_printf(a, "%s/.local/state/trainyard", home ? home : "/tmp");

    r->dir =
        ty_arena_printf(a, "%s/runs/%s-%lld-%d", root, name, (long long)r->cli->now_s, getpid());
    r->claims = ty_arena_printf(a, "%s/claims", root);
    int ret = make_dirs(ty_arena_printf(a, "%s/logs", r->dir), err);
    if (ret == 0)
        ret = make_dirs(ty_arena_printf(a, "%s/pods", r->dir), err);
    return ret == 0 ? make_dirs(r->claims, err) : ret;
}

/* Everything that was accepted, and the runtimes that the jobs refer to, wherever they are. */
static size_t gather(struct run *r, const struct ty_json **objs, size_t *ret_jobs)
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

static void tell_findings(struct run *r, const struct ty_unfits *f)
{
    for (const struct ty_unfit *it = f->first; it; it = it->next)
        ty_cli_say(r->cli, it->error ? TY_SAY_ERROR : TY_SAY_WARNING, "unsupported locally: %s: %s",
                   it->path, it->text);
}

static int begin(struct run *r, const struct ty_args *args, const char *name, struct ty_err *err)
{
    struct ty_engine_opts opts = { .loop = &r->loop,
                                   .zygote = r->zygote,
                                   .pipeline = &r->session.pipeline,
                                   .settings = &r->session.settings };
    int ret = make_folders(r, name, err);

    if (ret < 0)
        return ret;
    opts.dir = r->dir;
    opts.claims_dir = r->claims;
    r->program = realpath("/proc/self/exe", NULL);
    r->workdir = args->workdir ? realpath(args->workdir, NULL) : getcwd(NULL, 0);
    if (!r->workdir || !r->program)
        return ty_fail(err, -errno, "--workdir %s: %s", args->workdir ? args->workdir : ".",
                       strerrordesc_np(errno));
    opts.program = r->program;
    opts.workdir = r->workdir;
    opts.env = r->env;
    opts.spectators[0] = &r->view.spectator;
    ty_host_find(r->cli->arena, r->zygote, &opts.host);
    return ty_engine_new(&opts, &r->engine, err);
}

/* --set spec.trainer.numNodes=4: the value is YAML, on every TrainJob of the input. */
static int apply_sets(struct run *r, const struct ty_args *args, struct ty_err *err)
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

static void print_findings(struct run *r)
{
    ty_auto_buf b = { 0 };

    ty_findings_print(&b, &r->session.findings, r->cli->colour);
    if (b.n)
        fwrite(b.p, 1, b.n, r->cli->err);
}

static void watch_signals(struct run *r, const struct ty_args *args)
{
    int64_t seconds = 0;

    uv_signal_init(&r->loop, &r->sigint);
    uv_signal_init(&r->loop, &r->sigterm);
    uv_check_init(&r->loop, &r->check);
    uv_timer_init(&r->loop, &r->timeout);
    r->sigint.data = r->sigterm.data = r->check.data = r->timeout.data = r;
    uv_signal_start(&r->sigint, on_signal, SIGINT);
    uv_signal_start(&r->sigterm, on_signal, SIGTERM);
    uv_check_start(&r->check, on_turn);
    if (args->timeout && ty_parse_i64(ty_str(args->timeout), &seconds) && seconds > 0)
        uv_timer_start(&r->timeout, on_timeout, (uint64_t)seconds * 1000, 0);
}

struct failed {
    struct run *r;
    size_t n;
};

static void count_failed(void *ctx, const struct ty_stored *obj)
{
    struct failed *f = ctx;
    struct ty_json *job = ty_local_read(f->r->cli->arena, obj);
    const struct ty_json *c = ty_condition(ty_json_get(job, "status"), "Complete");

    f->n += !c || !ty_str_is(ty_json_str_at(c, "status"), "True");
}

/* 0: all complete; 130 and 143 as shells have it for a signal; 124 as timeout(1) has it. */
static int exit_code(struct run *r)
{
    struct failed f = { r, 0 };

    ty_local_each(ty_engine_store(r->engine), &ty_kind_trainjob, count_failed, &f);
    if (r->timed_out)
        return 124;
    if (r->interrupts)
        return 130;
    return f.n ? TY_EXIT_BAD : TY_EXIT_OK;
}

static int go(struct run *r, const struct ty_args *args)
{
    struct ty_session *s = &r->session;
    const struct ty_json **objs =
        ty_new_n(r->cli->arena, const struct ty_json *, s->inputs.n * 2 + 1);
    struct ty_unfits unfit = { .arena = r->cli->arena };
    struct ty_err err = { 0 };
    size_t jobs = 0, n = gather(r, objs, &jobs);

    if (!jobs) {
        ty_cli_say(r->cli, TY_SAY_ERROR, "no TrainJob in the input: nothing to run");
        return TY_EXIT_BAD;
    }
    if (begin(r, args, "run", &err) < 0) {
        ty_cli_say(r->cli, TY_SAY_ERROR, "%s", err.text);
        return TY_EXIT_BAD;
    }
    watch_signals(r, args);
    int ret = ty_engine_submit(r->engine, objs, n, &unfit, &err);
    tell_findings(r, &unfit);
    if (ret < 0) {
        ty_cli_say(r->cli, TY_SAY_ERROR, "%s", err.text);
        return TY_EXIT_BAD;
    }
    uv_run(&r->loop, UV_RUN_DEFAULT);
    return exit_code(r);
}

static void close_handle(uv_handle_t *h, void *arg TY_UNUSED)
{
    if (!uv_is_closing(h))
        uv_close(h, NULL);
}

static void end(struct run *r)
{
    ty_engine_free(r->engine);
    uv_walk(&r->loop, close_handle, NULL);
    uv_run(&r->loop, UV_RUN_DEFAULT);
    uv_loop_close(&r->loop);
    ty_zygote_stop(r->zygote);
    free(r->program);
    free(r->workdir);
}

static int run(struct ty_cli *cli, const struct ty_args *args)
{
    struct run r = { .cli = cli };
    struct ty_err err = { 0 };
    int code = TY_EXIT_BAD;

    if (!args->files.n && !args->rest.n)
        return ty_cli_usage(cli, &ty_cmd_run, "nothing to run: give a file");
    if (ty_zygote_start(&r.zygote, &err) < 0) { /* first, while this process is small */
        ty_cli_say(cli, TY_SAY_ERROR, "%s", err.text);
        return code;
    }
    r.env = ty_new_n(cli->arena, const char *, args->env.n + 1);
    if (args->env.n)
        memcpy(r.env, args->env.v, args->env.n * sizeof(*r.env));
    uv_loop_init(&r.loop);
    ty_run_plain_init(&r.view, cli);
    r.view.quiet = args->quiet;
    r.view.only = args->logs;
    if (ty_session_open(&r.session, cli, args, &err) < 0 || apply_sets(&r, args, &err) < 0)
        ty_cli_say(cli, TY_SAY_ERROR, "%s", err.text);
    else {
        if (!r.session.inputs.n_troubles && !r.session.library.n_troubles)
            ty_session_admit_all(&r.session);
        print_findings(&r);
        code = r.session.findings.n_errors ? TY_EXIT_BAD : go(&r, args);
    }
    end(&r);
    ty_session_close(&r.session);
    return code;
}

const struct ty_cmd ty_cmd_run = {
    .name = "run",
    .about = "Run TrainJobs on this machine, multi-node included",
    .operand = "FILE…",
    .more =
        "Runs the JobSets that TrainJobs become as processes of this machine: every pod has its\n"
        "own address and host name, files and logs; restarts, dependencies, success and failure\n"
        "policies are those of the cluster. Container images are not used: commands run on this\n"
        "host's software. Nothing survives the end of this command, however it ends.\n"
        "\n"
        "Exit status: 0 all complete, 1 a job failed or the input is invalid, 124 --timeout,\n"
        "130 interrupted.\n",
    .examples = "  trainyard run examples/torch-ddp.yaml\n"
                "  trainyard run job.yaml --set spec.trainer.numNodes=4 --logs node-0-0\n",
    .opts = options,
    .run = run,
};
