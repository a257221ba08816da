#include "cli/history/job_history.h"

#include <errno.h>

#include "cli/history/state_dir.h"
#include "cli/install/cluster_hint.h"

int ty_job_history_error(struct ty_cli *cli, const struct ty_err *err)
{
    ty_cli_msg(cli, TY_MSG_ERROR, "%s", err->text);
    return TY_EXIT_BAD;
}

int ty_job_history_not_found(struct ty_cli *cli, const struct ty_kind *kind, const char *name)
{
    ty_cli_msg(cli, TY_MSG_ERROR, "%s%s%s \"%s\" not found", kind->plural, *kind->group ? "." : "",
               kind->group, name);
    return TY_EXIT_BAD;
}

int ty_job_history_open(struct ty_cli *cli, enum ty_history_db_mode use, struct ty_history_db **ret)
{
    struct ty_err err = { 0 };
    const char *path = ty_state_dir_history(cli->arena, &err);

    if (!path)
        return ty_job_history_error(cli, &err);
    int r =
        use == TY_HISTORY_DB_WRITE ? ty_history_db_open(path, TY_HISTORY_DB_READ, ret, &err) : 0;
    if (r == 0 && use == TY_HISTORY_DB_WRITE)
        r = ty_state_dir_check(cli->arena, &err);
    /* The file exists by now: opening for writing would create a missing one. */
    if (r == 0 && use == TY_HISTORY_DB_WRITE) {
        ty_history_db_close(*ret);
        *ret = NULL;
    }
    if (r == 0)
        r = ty_history_db_open(path, use, ret, &err);
    if (r == 0 || r == -ENOENT || r == -ENOTDIR)
        return TY_EXIT_OK;
    return ty_job_history_error(cli, &err);
}

int64_t ty_job_history_run_id(struct ty_cli *cli, const struct ty_cmd *cmd,
                              const struct ty_job_history_opts *opts)
{
    int64_t run = 0;

    if (!opts->run || (ty_str_parse_i64(ty_str(opts->run), &run) && run > 0))
        return run;
    ty_cli_usage(cli, cmd, "--run %s: the number of a run, as 'trainyard get -o wide' shows it",
                 opts->run);
    return -1;
}

/* ---- TrainJobs ---- */

struct ty_json *ty_job_history_parse(struct ty_arena *a, const struct ty_history_read_object *o)
{
    if (o->text.n > TY_JSON_MAX_BYTES)
        return NULL;
    return ty_json_parse(a, ty_arena_str(a, o->text), NULL, NULL);
}

struct jobset {
    struct ty_arena *a;
    struct ty_json *obj;
};

static bool take_jobset(void *ctx, const struct ty_history_read_object *o)
{
    struct jobset *j = ctx;

    j->obj = ty_job_history_parse(j->a, o);
    return false;
}

static struct ty_json *jobset_of(struct ty_history_db *d, struct ty_arena *a,
                                 const struct ty_history_read_object *o)
{
    struct jobset j = { .a = a };
    struct ty_history_read_filter which = {
        .run = o->run.id, .job = o->name, .ns = o->ns, .kind = &ty_kind_jobset
    };

    ty_history_read_objects(d, &which, take_jobset, &j, NULL);
    return j.obj;
}

struct job_reading {
    const struct ty_job_history_query *q;
    struct ty_arena *a;
};

static bool on_trainjob(void *ctx, const struct ty_history_read_object *o)
{
    struct job_reading *r = ctx;
    struct ty_job_history_entry job = { .run = o->run, .gone = o->gone };

    ty_arena_reset(r->a);
    job.run.dir = ty_arena_strdup(r->a, o->run.dir);
    job.run.command = ty_arena_strdup(r->a, o->run.command);
    job.run.how = ty_arena_strdup(r->a, o->run.how);
    job.ns = ty_arena_strdup(r->a, o->ns);
    job.name = ty_arena_strdup(r->a, o->name);
    job.alive = ty_history_read_run_state(r->q->d, &o->run);
    job.job = ty_job_history_parse(r->a, o);
    job.jobset = jobset_of(r->q->d, r->a, o);
    return r->q->fn(r->q->ctx, r->a, &job);
}

int ty_job_history_query(const struct ty_job_history_query *q)
{
    ty_auto_arena *a = ty_arena_new(TY_JOB_HISTORY_CEILING);
    struct job_reading r = { q, a };
    struct ty_err err = { 0 };
    struct ty_history_read_filter which = {
        .run = q->run, .job = q->name, .ns = q->ns, .kind = &ty_kind_trainjob
    };

    if (q->d && ty_history_read_objects(q->d, &which, on_trainjob, &r, &err) < 0)
        return ty_job_history_error(q->cli, &err);
    return TY_EXIT_OK;
}

/* Copies an object into another arena by printing and parsing it. */
static struct ty_json *copy_object(struct ty_arena *a, const struct ty_json *v)
{
    return v ? ty_json_parse(a, ty_json_text(a, v), NULL, NULL) : NULL;
}

struct job_found {
    struct ty_arena *a;
    struct ty_job_history_entry *ret;
    bool any;
};

static bool take_first(void *ctx, struct ty_arena *a TY_UNUSED,
                       const struct ty_job_history_entry *job)
{
    struct job_found *f = ctx;

    f->any = true;
    *f->ret = *job;
    f->ret->run.dir = ty_arena_strdup(f->a, job->run.dir);
    f->ret->run.command = ty_arena_strdup(f->a, job->run.command);
    f->ret->run.how = ty_arena_strdup(f->a, job->run.how);
    f->ret->ns = ty_arena_strdup(f->a, job->ns);
    f->ret->name = ty_arena_strdup(f->a, job->name);
    f->ret->job = copy_object(f->a, job->job);
    f->ret->jobset = copy_object(f->a, job->jobset);
    return false;
}

/* ---- names ---- */

const char *ty_job_history_name_of_kind(const char *word, const struct ty_kind *kind)
{
    struct ty_str prefix, rest = ty_str_cut(ty_str(word), '/', &prefix), plain = prefix;

    ty_str_cut(prefix, '.', &plain);
    return rest.p && ty_kind_by_name(plain) == kind ? rest.p : NULL;
}

const char *ty_job_history_name(const char *word)
{
    const char *name = ty_job_history_name_of_kind(word, &ty_kind_trainjob);

    return name ? name : word;
}

struct pod_search {
    struct ty_arena *a;
    const char *name;
    char *job, *host;
    int64_t run;
};

/* A pod is called HOST-x7k2p; both names are accepted. */
static bool match_pod(void *ctx, const struct ty_history_read_object *o)
{
    struct pod_search *s = ctx;
    size_t n = strlen(s->name);

    if (strncmp(o->name, s->name, n) != 0 || (o->name[n] && o->name[n] != '-'))
        return true;
    ty_auto_arena *a = ty_arena_new(TY_JOB_HISTORY_CEILING);
    struct ty_str host = ty_json_str_at(ty_job_history_parse(a, o), "spec.hostname");
    if (o->name[n] && !ty_str_is(host, s->name))
        return true;
    s->host = host.n ? ty_arena_cstr(s->a, host) : ty_arena_strdup(s->a, o->name);
    s->job = ty_arena_strdup(s->a, o->job);
    s->run = o->run.id;
    return false;
}

static int query_by_pod(struct ty_job_history_query *q, const char *word, struct job_found *f)
{
    const char *name = ty_job_history_name_of_kind(word, &ty_kind_pod);
    struct pod_search s = { .a = f->a, .name = name ? name : word };
    struct ty_history_read_filter which = { .run = q->run, .ns = q->ns, .kind = &ty_kind_pod };
    struct ty_err err = { 0 };

    if (q->d && ty_history_read_objects(q->d, &which, match_pod, &s, &err) < 0)
        return ty_job_history_error(q->cli, &err);
    if (!s.job)
        return TY_EXIT_OK;
    q->run = s.run;
    q->name = s.job;
    int code = ty_job_history_query(q);
    if (f->any)
        f->ret->pod = s.host;
    return code;
}

int ty_job_history_find(struct ty_cli *cli, struct ty_history_db *d,
                        const struct ty_job_history_opts *opts, const char *name,
                        struct ty_job_history_entry *ret, bool *ret_found)
{
    struct job_found f = { .a = cli->arena, .ret = ret };
    struct ty_job_history_query q = { .cli = cli,
                                      .d = d,
                                      .ns = opts->ns,
                                      .name = ty_job_history_name(name),
                                      .fn = take_first,
                                      .ctx = &f };

    if (opts->run)
        (void)ty_str_parse_i64(ty_str(opts->run), &q.run);
    int code = ty_job_history_query(&q);
    if (code == TY_EXIT_OK && !f.any)
        code = query_by_pod(&q, q.name, &f);
    *ret_found = f.any;
    return code;
}

int ty_job_history_entry(struct ty_cli *cli, struct ty_history_db *d,
                         const struct ty_job_history_opts *opts, const char *name,
                         struct ty_job_history_entry *ret)
{
    bool found = false;
    int code = ty_job_history_find(cli, d, opts, name, ret, &found);

    if (code || found)
        return code;
    code = ty_job_history_not_found(cli, &ty_kind_trainjob, ty_job_history_name(name));
    if (!opts->run) /* run numbers exist on this machine only */
        ty_cluster_hint(cli, opts->ns, ty_job_history_name(name));
    return code;
}

int ty_job_history_open_job(struct ty_cli *cli, const struct ty_cmd *cmd,
                            const struct ty_job_history_opts *opts, const char *name,
                            struct ty_history_db **ret_d, struct ty_job_history_entry *ret)
{
    if (ty_job_history_run_id(cli, cmd, opts) < 0)
        return TY_EXIT_USAGE;
    int code = ty_job_history_open(cli, TY_HISTORY_DB_READ, ret_d);
    return code ? code : ty_job_history_entry(cli, *ret_d, opts, name, ret);
}
