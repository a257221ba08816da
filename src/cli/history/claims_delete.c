#include "cli/history/claims_delete.h"

#include "cli/history/claims.h"

static int delete_one(struct ty_cli *cli, const char *name, bool must_exist, bool dry_run)
{
    struct ty_err err = { 0 };
    int r = dry_run ? ty_claims_find(cli->arena, name) : ty_claims_remove(cli->arena, name, &err);

    if (r < 0)
        return ty_job_history_error(cli, &err);
    if (r == TY_NOT_FOUND)
        return must_exist ? ty_job_history_not_found(cli, &ty_kind_pvc, name) : TY_EXIT_OK;
    ty_cli_printf(cli, "persistentvolumeclaim \"%s\" deleted%s\n", name,
                  dry_run ? " (dry run)" : "");
    return TY_EXIT_OK;
}

int ty_claims_delete_named(struct ty_cli *cli, const char *const *names, size_t n, bool dry_run)
{
    int bad = TY_EXIT_OK;

    for (size_t i = 0; i < n; i++)
        bad |= delete_one(cli, names[i], true, dry_run);
    return bad;
}

int ty_claims_delete_all(struct ty_cli *cli, bool dry_run)
{
    struct ty_err err = { 0 };
    struct ty_claim *v = NULL;
    size_t n = 0;
    int bad = TY_EXIT_OK;

    if (ty_claims_list(cli->arena, &v, &n, &err) < 0)
        return ty_job_history_error(cli, &err);
    for (size_t i = 0; i < n; i++)
        bad |= delete_one(cli, v[i].name, true, dry_run);
    return bad;
}

static bool mark_found(void *ctx, struct ty_arena *a TY_UNUSED,
                       const struct ty_job_history_entry *job TY_UNUSED)
{
    *(bool *)ctx = true;
    return false;
}

int ty_claims_delete_is_job(struct ty_cli *cli, const char *name, bool *ret)
{
    ty_auto_history_db *d = NULL;
    int code = ty_job_history_open(cli, TY_HISTORY_DB_READ, &d);
    struct ty_job_history_query q = {
        .cli = cli, .d = d, .name = name, .fn = mark_found, .ctx = ret
    };

    *ret = false;
    return code ? code : ty_job_history_query(&q);
}

/* ---- with a run ---- */

struct claims_search {
    struct ty_cli *cli;
    int64_t run;
    struct ty_claims_delete *ret;
};

static void collect_claim(void *ctx, const char *name, bool for_job, bool with_job)
{
    struct claims_search *s = ctx;

    if (for_job && with_job)
        ty_strlist_add(s->cli->arena, &s->ret->names, ty_arena_strdup(s->cli->arena, name));
}

static bool collect_claims(void *ctx, struct ty_arena *a, const struct ty_job_history_entry *job)
{
    struct claims_search *s = ctx;

    s->ret->newer = s->ret->newer || (!job->gone && job->run.id > s->run);
    if (job->run.id == s->run)
        ty_claims_each(a, job->jobset, collect_claim, s);
    return true;
}

int ty_claims_delete_find(struct ty_cli *cli, struct ty_history_db *d,
                          const struct ty_job_history_entry *job, struct ty_claims_delete *ret)
{
    struct claims_search s = { .cli = cli, .run = job->run.id, .ret = ret };
    struct ty_job_history_query q = {
        .cli = cli, .d = d, .ns = job->ns, .name = job->name, .fn = collect_claims, .ctx = &s
    };

    *ret = (struct ty_claims_delete){ 0 };
    return ty_job_history_query(&q);
}

int ty_claims_delete_found(struct ty_cli *cli, const struct ty_claims_delete *c, bool dry_run)
{
    int bad = TY_EXIT_OK;

    for (size_t i = 0; i < c->names.n && !c->newer; i++)
        bad |= delete_one(cli, c->names.v[i], false, dry_run);
    return bad;
}
