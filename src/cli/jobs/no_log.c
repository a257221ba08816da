/* Reads it from the pods: a log that does not exist leaves no other trace. */
#include "cli/jobs/no_log.h"

#include <stdlib.h>

#include "cli/cluster/log_pods.h"
#include "cli/history/pod_state.h"
#include "report/pod_failure.h"

#define NAMES_MAX 20

struct no_log {
    const struct ty_no_log *q;
    struct ty_cli *cli;
    struct ty_arena *a;
    struct ty_log_pod *pods; /* of the node */
    const struct ty_json **objs;
    size_t n;
};

static void read_pods(struct no_log *w)
{
    w->pods = ty_new_n(w->a, struct ty_log_pod, w->q->n + 1);
    w->objs = ty_new_n(w->a, const struct ty_json *, w->q->n + 1);
    for (size_t i = 0; i < w->q->n && !ty_arena_full(w->a); i++) {
        struct ty_log_pod *pod = &w->pods[w->n];
        ty_log_pods_parse(w->a, w->q->pods[i], w->q->job, pod);
        if (!w->q->node || ty_log_pods_is(pod, w->q->node))
            w->objs[w->n++] = w->q->pods[i];
    }
}

/* `node "node-0-0"`, or `trainjob "ddp"` */
static const char *subject(const struct no_log *w)
{
    return ty_arena_printf(w->a, "%s \"%s\"", w->q->node ? "node" : "trainjob",
                           w->q->node ? w->q->node : w->q->job);
}

/* ---- --attempt ---- */

static int by_number(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

    return (a > b) - (a < b);
}

/* "1, 2"; on this machine "1 to 2". Users count from 1. */
static void list_attempts(const struct no_log *w, int64_t *attempts, struct ty_buf *out)
{
    int64_t last = -1;
    size_t shown = 0;

    qsort(attempts, w->n, sizeof(*attempts), by_number);
    if (w->q->local) {
        last = attempts[w->n - 1];
        ty_buf_printf(out, last ? "1 to %lld" : "%lld", (long long)last + 1);
        return;
    }
    for (size_t i = 0; i < w->n && shown < NAMES_MAX; i++) {
        if (attempts[i] == last)
            continue;
        last = attempts[i];
        ty_buf_printf(out, "%s%lld", shown++ ? ", " : "", (long long)last + 1);
    }
}

static bool is_attempt_missing(const struct no_log *w)
{
    ty_auto_buf list = { 0 };
    int64_t *attempts = ty_new_n(w->a, int64_t, w->n + 1);

    if (w->q->attempt < 0)
        return false;
    for (size_t i = 0; i < w->n; i++) {
        attempts[i] = w->pods[i].attempt;
        if (attempts[i] == w->q->attempt || (w->q->local && attempts[i] > w->q->attempt))
            return false;
    }
    list_attempts(w, attempts, &list);
    ty_cli_msg(w->cli, TY_MSG_ERROR, "%s has no %s attempt %lld; it has: %.*s", subject(w),
               w->q->local ? "log of" : "pod of", (long long)w->q->attempt + 1,
               TY_ARG(ty_buf_str(&list)));
    return true;
}

/* ---- --container ---- */

static bool has_container(const struct ty_log_pod *pod, const char *name)
{
    for (size_t i = 0; i < pod->n; i++)
        if (strcmp(pod->containers[i].name, name) == 0)
            return true;
    return false;
}

static void list_containers(const struct no_log *w, struct ty_strlist *ret)
{
    for (size_t i = 0; i < w->n; i++)
        for (size_t k = 0; k < w->pods[i].n && ret->n < NAMES_MAX; k++) {
            const char *name = w->pods[i].containers[k].name;
            bool known = false;
            for (size_t at = 0; at < ret->n; at++)
                known |= strcmp(ret->v[at], name) == 0;
            if (!known)
                ty_strlist_add(w->a, ret, name);
        }
}

static bool is_container_missing(const struct no_log *w)
{
    struct ty_strlist names = { 0 };
    ty_auto_buf list = { 0 };

    for (size_t i = 0; i < w->n; i++)
        if (!w->q->container || has_container(&w->pods[i], w->q->container))
            return false;
    list_containers(w, &names);
    for (size_t i = 0; i < names.n; i++)
        ty_buf_printf(&list, "%s%s", i ? ", " : "", names.v[i]);
    ty_cli_msg(w->cli, TY_MSG_ERROR, "%s has no container \"%s\"; it has: %.*s", subject(w),
               w->q->container, TY_ARG(ty_buf_str(&list)));
    return true;
}

/* ---- not started ---- */

static bool is_unstarted(const struct no_log *w, const struct ty_log_pod *pod)
{
    for (size_t i = 0; i < pod->n; i++)
        if (pod->containers[i].instance < 0 &&
            (!w->q->container || strcmp(w->q->container, pod->containers[i].name) == 0))
            return w->q->attempt < 0 || pod->attempt == w->q->attempt;
    return false;
}

/* "node-0-0 cannot be scheduled: …", or "pod ddp-node-0-0-x7k2p is Pending" */
static const char *pod_text(const struct no_log *w, size_t i)
{
    struct ty_pod_problem why;

    if (ty_pod_failure_problem(w->a, w->objs[i], ty_str(w->q->job), &why))
        return why.text;
    return ty_arena_printf(w->a, "pod %s is %s", w->pods[i].name,
                           ty_pod_state_text(w->a, w->objs[i], w->q->cut_off, false));
}

static void print_state(const struct no_log *w)
{
    for (size_t i = 0; i < w->n; i++) {
        if (!is_unstarted(w, &w->pods[i]))
            continue;
        ty_cli_msg(w->cli, TY_MSG_ERROR, "%s has no log%s: %s", subject(w),
                   w->pods[i].over || w->q->cut_off ? "" : " yet", pod_text(w, i));
        return;
    }
    ty_cli_msg(w->cli, TY_MSG_ERROR, "%s has no log that can be printed", subject(w));
}

int ty_no_log(struct ty_cli *cli, const struct ty_no_log *q)
{
    ty_auto_arena *a = ty_arena_new_input((size_t)1 << 30, NULL);
    struct no_log w = { .q = q, .cli = cli, .a = a };

    read_pods(&w);
    if (w.n && (is_attempt_missing(&w) || is_container_missing(&w)))
        return TY_EXIT_BAD;
    if (q->previous)
        ty_cli_msg(cli, TY_MSG_ERROR, "%s has no earlier log: no container was restarted%s",
                   subject(&w), q->local ? "" : " in place, and no older pod exists");
    else
        print_state(&w);
    return TY_EXIT_BAD;
}
