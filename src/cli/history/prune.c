/* Deletes directories before their rows: this frees space on a full disk, and the next run finds
 * the rows again if this one is interrupted. */
#include "cli/history/prune.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#include "base/time.h"
#include "cli/history/state_dir.h"
#include "cli/run/run_gc.h"
#include "proc/no_links.h"
#include "store/history/run_lock.h"

#define BEGUN_S 60 /* after that time a run that lives has its lock */

/* ---- what is kept ---- */

bool ty_prune_parse(struct ty_str text, struct ty_prune *ret)
{
    struct ty_prune p = { 0 };
    struct ty_str first, second = ty_str_cut(text, ',', &first);

    if (ty_str_is(text, "all")) {
        *ret = p;
        return true;
    }
    bool number = ty_str_parse_i64(first, &p.runs);
    if (number ? p.runs <= 0 || (second.p && !ty_time_parse_span(second, &p.age_ms))
               : second.p || !ty_time_parse_span(first, &p.age_ms))
        return false;
    *ret = p;
    return true;
}

int ty_prune_settings(struct ty_cli *cli, const struct ty_cmd *cmd, const char *option,
                      struct ty_prune *ret)
{
    const char *variable = secure_getenv("TRAINYARD_HISTORY");

    *ret = TY_PRUNE_DEFAULT;
    if (option)
        return ty_prune_parse(ty_str(option), ret)
                   ? TY_EXIT_OK
                   : ty_cli_usage(cli, cmd, "--history %s: write 200, 90d, 200,90d or all", option);
    if (variable && *variable && !ty_prune_parse(ty_str(variable), ret)) {
        ty_cli_msg(cli, TY_MSG_WARNING,
                   "TRAINYARD_HISTORY=%s: write 200, 90d, 200,90d or all; old runs are kept",
                   variable);
        *ret = (struct ty_prune){ 0 };
    }
    return TY_EXIT_OK;
}

/* ---- what goes ---- */

struct old_run {
    int64_t id;
    char *dir;
};

struct pruning {
    struct ty_arena *a;
    struct ty_history_db *d;
    int64_t now_ms;
    int64_t before_ms; /* 0: no limit */
    struct old_run v[TY_PRUNE_ONCE];
    size_t n;
};

/* Collects the runs first: rows must not be deleted while a statement reads them. */
static bool collect_run(void *ctx, const struct ty_history_db_run *run, bool beyond)
{
    struct pruning *p = ctx;

    if ((!beyond && ty_history_read_run_end_ms(p->d, run) >= p->before_ms) ||
        ty_history_read_run_state(p->d, run) == TY_HISTORY_RUN_LIVE ||
        ty_run_gc_is_excluded(p->a, run->dir))
        return true;
    p->v[p->n++] = (struct old_run){ run->id, ty_arena_strdup(p->a, run->dir) };
    return p->n < TY_PRUNE_ONCE;
}

static bool has_logs(struct ty_arena *a, const char *dir)
{
    DIR *d = ty_no_links_opendir(ty_arena_printf(a, "%s/logs", dir), TY_DEPTH_RUN);
    bool any = !d && errno != ENOENT;

    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    for (struct dirent *e = d ? readdir(d) : NULL; e && !any; e = readdir(d))
        any = e->d_name[0] != '.';
    if (d)
        closedir(d);
    return any;
}

/* True if directory "run-SECONDS-PID" is older than the limit, or that of a run that was killed
 * before it began, and no process holds its lock. */
static bool is_left_over(const struct pruning *p, const char *name, const char *dir)
{
    struct ty_str kind, began, rest = ty_str_cut(ty_str(name), '-', &kind);
    int64_t seconds = 0;

    ty_str_cut(rest, '-', &began);
    return ty_str_is(kind, "run") && ty_str_parse_i64(began, &seconds) && seconds > 0 &&
           (seconds < p->before_ms / 1000 ||
            (seconds < p->now_ms / 1000 - BEGUN_S && !has_logs(p->a, dir))) &&
           !ty_run_lock_is_held(dir) && !ty_run_gc_is_excluded(p->a, dir) &&
           !ty_history_read_has_dir(p->d, dir);
}

/* Deletes directories without a row: their history was moved or never written. */
static int remove_left_over(struct pruning *p, struct ty_err *err)
{
    const char *runs = ty_state_dir_runs(p->a, err);
    DIR *d = runs ? ty_no_links_opendir(runs, TY_DEPTH_DIR) : NULL;
    int r = 0;

    /* One thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    for (struct dirent *e = d ? readdir(d) : NULL; e && r == 0; e = readdir(d)) {
        char *dir = ty_arena_printf(p->a, "%s/%s", runs, e->d_name);
        if (p->n < TY_PRUNE_ONCE && is_left_over(p, e->d_name, dir)) {
            p->n++;
            r = ty_state_dir_remove(p->a, dir, err);
        }
    }
    if (d)
        closedir(d);
    return r;
}

int ty_prune_history(struct ty_arena *a, struct ty_history_db *d, const struct ty_prune *keep,
                     int64_t now_ms, struct ty_err *err)
{
    struct pruning *p = ty_new(a, struct pruning);

    *p = (struct pruning){ .a = a, .d = d, .now_ms = now_ms };
    if (keep->age_ms && keep->age_ms < now_ms)
        p->before_ms = now_ms - keep->age_ms;
    int r = ty_history_read_runs(d, keep->runs, p->before_ms, collect_run, p, err);
    for (size_t i = 0; i < p->n && r == 0; i++) {
        r = ty_state_dir_remove(a, p->v[i].dir, err);
        if (r == 0)
            r = ty_history_read_delete_run(d, p->v[i].id, err);
    }
    return r == 0 ? remove_left_over(p, err) : r;
}
