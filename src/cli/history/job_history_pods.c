#include "cli/history/job_history_pods.h"
#include "cli/history/job_history.h"

#include <errno.h>

struct pod_list {
    struct ty_arena *a;
    const struct ty_job_history_entry *job;
    struct ty_map by_host;
    struct ty_job_history_pod *v;
    size_t n, cap;
};

/* The part of a host name after "JOB-". */
static const char *node_of(const char *job, const char *host)
{
    size_t n = strlen(job);
    return strncmp(job, host, n) == 0 && host[n] == '-' ? host + n + 1 : host;
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
    struct ty_str host = ty_json_str_at(pod, "spec.hostname");
    const char *name = host.n ? ty_arena_cstr(g->a, host) : ty_arena_strdup(g->a, o->name);
    struct ty_job_history_pod it = { .host = name,
                                     .node = node_of(g->job->name, name),
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

/* Compares names with numbers in numeric order: node-0-2 before node-0-10. */
static int by_name(const void *x, const void *y)
{
    const char *a = ((const struct ty_job_history_pod *)x)->host,
               *b = ((const struct ty_job_history_pod *)y)->host;

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
    if (g.n)
        qsort(g.v, g.n, sizeof(*g.v), by_name);
    *ret = g.v;
    *ret_n = g.n;
    return TY_EXIT_OK;
}

bool ty_job_history_pod_is(const struct ty_job_history_pod *pod, const char *node)
{
    return strcmp(pod->host, node) == 0 || strcmp(pod->node, node) == 0;
}
