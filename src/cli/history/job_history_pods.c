#include "cli/history/job_history_pods.h"
#include "cli/history/job_history.h"

#include <errno.h>
#include <time.h>

#define STARTING_MS 5000

struct pod_list {
    struct ty_arena *a;
    const struct ty_job_history_entry *job;
    struct ty_map by_host;
    struct ty_job_history_pod *v;
    size_t n, cap;
};

const char *ty_job_history_pods_host(struct ty_arena *a, const struct ty_json *pod,
                                     const char *name)
{
    struct ty_str host = ty_json_str_at(pod, "spec.hostname");

    return host.n ? ty_arena_cstr(a, host) : ty_arena_strdup(a, name);
}

const char *ty_job_history_pods_node(const char *job, const char *host)
{
    size_t n = strlen(job);
    return strncmp(job, host, n) == 0 && host[n] == '-' && host[n + 1] ? host + n + 1 : host;
}

static void add_pod(struct pod_list *g, const struct ty_job_history_pod *pod)
{
    ty_room(g->a, g->v, g->n, g->cap);
    g->v[g->n++] = *pod;
}

static bool on_pod(void *ctx, const struct ty_history_read_object *o)
{
    struct pod_list *g = ctx;
    struct ty_json *pod = ty_job_history_parse(g->a, o);
    const char *name = ty_job_history_pods_host(g->a, pod, o->name);
    struct ty_job_history_pod it = { .host = name,
                                     .node = ty_job_history_pods_node(g->job->name, name),
                                     .obj = pod,
                                     .version = o->version,
                                     .gone = o->gone };
    size_t at = (size_t)(uintptr_t)ty_map_get(&g->by_host, ty_str(name)); /* index + 1 */

    if (!at) {
        add_pod(g, &it);
        ty_map_put(&g->by_host, ty_str(name), (void *)(uintptr_t)g->n);
    } else if (o->version > g->v[at - 1].version) {
        g->v[at - 1] = it;
    }
    return !ty_arena_full(g->a);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

int ty_job_history_pods_compare(const char *a, const char *b)
{
    while (*a && *b) {
        if (is_digit(*a) && is_digit(*b)) {
            size_t na = strspn(a, "0123456789"), nb = strspn(b, "0123456789");
            int d = na != nb ? (na < nb ? -1 : 1) : memcmp(a, b, na);
            if (d)
                return d;
            a += na;
            b += nb;
        } else if (*a != *b) {
            break;
        } else {
            a++;
            b++;
        }
    }
    return (unsigned char)*a - (unsigned char)*b;
}

static int by_name(const void *x, const void *y)
{
    const struct ty_job_history_pod *a = x, *b = y;

    return ty_job_history_pods_compare(a->host, b->host);
}

void ty_job_history_pods_sort(struct ty_job_history_pod *pods, size_t n)
{
    if (n)
        qsort(pods, n, sizeof(*pods), by_name);
}

int ty_job_history_pods(struct ty_cli *cli, struct ty_history_db *d, struct ty_arena *a,
                        const struct ty_job_history_entry *job, struct ty_job_history_pod **ret,
                        size_t *ret_n)
{
    struct pod_list g = { .a = a, .job = job };
    struct ty_history_read_filter which = { .run = job->run.id,
                                            .job = job->name,
                                            .kind = &ty_kind_pod };
    struct ty_err err = { 0 };
    int r = ty_history_read_objects(d, &which, on_pod, &g, &err);

    ty_map_done(&g.by_host);
    if (r == 0 && ty_arena_full(a))
        r = ty_fail(&err, -EFBIG, "trainjob \"%s\" has more pods than can be read", job->name);
    if (r < 0)
        return ty_job_history_error(cli, &err);
    ty_job_history_pods_sort(g.v, g.n);
    *ret = g.v;
    *ret_n = g.n;
    return TY_EXIT_OK;
}

bool ty_job_history_is_starting(struct ty_history_db *d, const struct ty_job_history_entry *job)
{
    return ty_cli_wall_ms() - job->run.started_ms < STARTING_MS && !job->gone &&
           !ty_json_true_at(job->job, "spec.suspend") &&
           ty_history_read_run_state(d, &job->run) == TY_HISTORY_RUN_LIVE;
}

int ty_job_history_pods_soon(struct ty_cli *cli, struct ty_history_db *d, struct ty_arena *a,
                             const struct ty_job_history_entry *job,
                             struct ty_job_history_pod **ret, size_t *ret_n)
{
    int code = ty_job_history_pods(cli, d, a, job, ret, ret_n);

    while (code == TY_EXIT_OK && !*ret_n && ty_job_history_is_starting(d, job)) {
        nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
        code = ty_job_history_pods(cli, d, a, job, ret, ret_n);
    }
    return code;
}

bool ty_job_history_pod_is(const struct ty_job_history_pod *pod, const char *node)
{
    struct ty_str name = ty_str(node), prefix, rest = ty_str_cut(name, '/', &prefix);

    if (rest.p && ty_kind_by_name(prefix) == &ty_kind_pod)
        name = rest;
    return ty_str_is(name, pod->host) || ty_str_is(name, pod->node) ||
           ty_str_eq(name, ty_json_str_at(pod->obj, "metadata.name"));
}
