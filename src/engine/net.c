/* Names, addresses and ports of a JobSet on one machine. Without a network of pods, every pod has
 * an address of its own in 127.0.0.0/8; a private /etc/hosts resolves the cluster's host names to
 * them. Separate addresses do not separate ports (torch's store and gRPC's servers listen on all of
 * them), so each JobSet has its own master port, and each pod its own where all pods would listen
 * on one. */
#include "engine/net.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "engine/engine_inner.h"
#include "proc/netns.h"
#include "proc/regular_file.h"

/* With a network of pods, 10.244.1.1 and up; else 127.64.0.0 and up, a block that derives from our
 * PID, so that two runs do not share addresses. */
static char *next_address(struct ty_engine *e)
{
    char *text = ty_xalloc(malloc(16));
    unsigned n = e->net.next_address++;

    if (e->o.pod_network) {
        n %= TY_NETNS_ADDRESSES;
        snprintf(text, 16, "10.244.%u.%u", 1 + n / 254, 1 + n % 254);
        return text;
    }
    unsigned block = ((unsigned)getpid() * 4 + n / 250) & 0x3fff;

    snprintf(text, 16, "127.%u.%u.%u", 64 + (block >> 8), block & 255, 1 + n % 250);
    return text;
}

/* The lines of one pod: all forms of its name, longest first; the subdomain resolves to every pod.
 */
static void add_pod(struct ty_engine *e, struct ty_jobset_net *n, FILE *f, const char *host,
                    struct ty_str domain, struct ty_str ns)
{
    char *address = next_address(e);

    fprintf(f, "%s\t%s.%s", address, host, n->domain);
    fprintf(f, " %s.%.*s.%.*s.svc", host, TY_ARG(domain), TY_ARG(ns));
    fprintf(f, " %s.%.*s.%.*s", host, TY_ARG(domain), TY_ARG(ns));
    fprintf(f, " %s.%.*s %s\n", host, TY_ARG(domain), host);
    fprintf(f, "%s\t%.*s\n", address, TY_ARG(domain));
    free(ty_map_put(&n->addresses, ty_str(host), address));
}

static struct ty_str subdomain_of(const struct ty_json *jobset)
{
    struct ty_str domain = ty_json_str_at(jobset, "spec.network.subdomain");
    return domain.n ? domain : ty_json_str_at(jobset, "metadata.name");
}

static void add_jobs(struct ty_engine *e, struct ty_jobset_net *n, FILE *f,
                     const struct ty_json *jobset)
{
    struct ty_str js = ty_json_str_at(jobset, "metadata.name");
    struct ty_str ns = ty_json_str_at(jobset, "metadata.namespace");
    struct ty_str domain = subdomain_of(jobset);
    const struct ty_json *rjobs = ty_json_at(jobset, "spec.replicatedJobs");

    ty_each_item (r, rjobs) {
        int64_t replicas = 1, pods = 1;
        ty_json_int_at(*r, "replicas", &replicas);
        ty_json_int_at(*r, "template.spec.parallelism", &pods);
        ty_json_int_at(*r, "template.spec.completions", &pods);
        for (int64_t i = 0; i < replicas; i++)
            for (int64_t k = 0; k < pods; k++) {
                char host[512];
                snprintf(host, sizeof(host), "%.*s-%.*s-%lld-%lld", TY_ARG(js),
                         TY_ARG(ty_json_str_at(*r, "name")), (long long)i, (long long)k);
                add_pod(e, n, f, host, domain, ns);
            }
    }
}

/* The status API has the name of the operator's service. */
static void add_api(const struct ty_engine *e, FILE *f)
{
    if (e->o.token)
        fprintf(f, "%s\t%s.%s.svc\n", e->o.pod_network ? TY_NETNS_GATEWAY : "127.0.0.1",
                e->o.settings->webhook_service, e->o.settings->operator_ns);
}

static int write_hosts(struct ty_engine *e, struct ty_jobset_net *n, const struct ty_json *jobset,
                       struct ty_err *err)
{
    FILE *f = ty_regular_file_fopen(n->hosts, TY_DEPTH_RUN, "w");

    if (!f)
        return ty_fail(err, -errno, "%s cannot be written: %s", n->hosts,
                       ty_regular_file_error(errno));
    fputs("127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n", f);
    char self[256] = "";
    if (gethostname(self, sizeof(self) - 1) == 0 && self[0])
        fprintf(f, "127.0.1.1\t%s\n", self);
    add_api(e, f);
    add_jobs(e, n, f, jobset);
    errno = EIO; /* unless closing says better */
    bool bad = ferror(f);
    if (fclose(f) != 0 || bad)
        return ty_fail(err, -errno, "%s cannot be written: %s", n->hosts, strerrordesc_np(errno));
    return 0;
}

/* The machine's name servers may listen on its loopback address, which pods do not reach. */
static int write_resolver(struct ty_engine *e, struct ty_err *err)
{
    char path[4096];

    if (!e->o.uplink || e->net.resolver)
        return 0;
    snprintf(path, sizeof(path), "%s/resolv.conf", e->o.dir);
    FILE *f = ty_regular_file_fopen(path, TY_DEPTH_RUN, "w");
    bool bad = !f || fputs("nameserver " TY_NETNS_DNS "\n", f) < 0;
    if (f && fclose(f) != 0)
        bad = true;
    if (bad)
        return ty_fail(err, -EIO, "%s cannot be written", path);
    e->net.resolver = ty_xalloc(strdup(path));
    return 0;
}

static void jobset_net_free(struct ty_jobset_net *n)
{
    const struct ty_map_slot *s = NULL;
    size_t at = 0;

    if (!n)
        return;
    while ((s = ty_map_next(&n->addresses, &at)))
        free(s->value);
    ty_map_done(&n->addresses);
    at = 0;
    while ((s = ty_map_next(&n->tasks, &at))) {
        ty_net_port_release(s->value);
        free(s->value);
    }
    ty_map_done(&n->tasks);
    ty_net_port_release(&n->master);
    free(n->hosts);
    free(n->domain);
    free(n->uid);
    free(n);
}

static int reserve_port(struct ty_engine *e, struct ty_net_port *ret, struct ty_err *err)
{
    const char *run = strrchr(e->o.dir, '/'); /* "/.." would count as one more name */
    const char *runs =
        run ? ty_arena_printf(e->pass, "%.*s", (int)(run - e->o.dir), e->o.dir) : ".";

    return ty_net_port_reserve(runs, &e->net.next_port, ret, err);
}

struct ty_jobset_net *ty_net_get(struct ty_engine *e, const struct ty_json *jobset,
                                 struct ty_err *err)
{
    struct ty_str uid = ty_json_str_at(jobset, "metadata.uid");
    struct ty_jobset_net *n = ty_map_get(&e->net.by_jobset, uid);
    char path[4096];

    if (n)
        return n;
    n = ty_xalloc(calloc(1, sizeof(*n)));
    n->e = e;
    n->uid = ty_xalloc_cstr(uid);
    snprintf(path, sizeof(path), "%s/hosts-%.*s", e->o.dir,
             TY_ARG(ty_json_str_at(jobset, "metadata.name")));
    n->hosts = ty_xalloc(strdup(path));
    n->domain = ty_xalloc(
        strdup(ty_arena_printf(e->pass, "%.*s.%.*s.svc.cluster.local", TY_ARG(subdomain_of(jobset)),
                               TY_ARG(ty_json_str_at(jobset, "metadata.namespace")))));
    if (write_resolver(e, err) < 0 || reserve_port(e, &n->master, err) < 0 ||
        write_hosts(e, n, jobset, err) < 0) {
        jobset_net_free(n);
        return NULL;
    }
    ty_map_put(&e->net.by_jobset, uid, n);
    return n;
}

/* "sub", "sub.ns", "sub.ns.svc" or all of it: the domain, cut off at one of its first dots. */
static bool is_ours(const struct ty_jobset_net *n, struct ty_str tail)
{
    struct ty_str whole = ty_str(n->domain);

    return ty_str_starts(whole, tail) &&
           (tail.n == whole.n || (whole.p[tail.n] == '.' && whole.n - tail.n != strlen(".local")));
}

const char *ty_net_lookup(void *ctx, struct ty_str host)
{
    const struct ty_jobset_net *n = ctx;
    struct ty_str head, tail = ty_str_cut(host, '.', &head);

    return !tail.p || is_ours(n, tail) ? ty_map_get(&n->addresses, head) : NULL;
}

int ty_net_task_port(void *ctx, struct ty_str host, int port, bool reserve)
{
    struct ty_jobset_net *n = ctx;
    struct ty_net_port mine = { 0 };
    struct ty_str head;
    char key[512];

    ty_str_cut(host, '.', &head);
    snprintf(key, sizeof(key), "%.*s:%d", TY_ARG(head), port);
    struct ty_net_port *known = ty_map_get(&n->tasks, ty_str(key));
    if (!ty_net_lookup(n, host))
        return 0;
    if (known || !reserve || reserve_port(n->e, &mine, &n->task_error) < 0)
        return known ? known->port : 0;
    known = ty_xalloc(malloc(sizeof(*known)));
    *known = mine;
    ty_map_put(&n->tasks, ty_str(key), known);
    return mine.port;
}

void ty_net_done(struct ty_net *net)
{
    const struct ty_map_slot *s = NULL;
    size_t at = 0;

    while ((s = ty_map_next(&net->by_jobset, &at)))
        jobset_net_free(s->value);
    ty_map_done(&net->by_jobset);
    free(net->resolver);
}
