/* Names, addresses and ports of a JobSet on one machine. Every pod has an address of its own in
 * 127.0.0.0/8; a private /etc/hosts resolves the cluster's host names to them. Separate addresses
 * do not separate ports (torch's store listens on all of them), so each JobSet has its own master
 * port. */
#include "engine/net.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "engine/engine_inner.h"

/* 127.64.0.0 and up. The block derives from our PID, so that two runs do not share addresses. */
static char *next_address(struct ty_engine *e)
{
    char *text = ty_xalloc(malloc(16));
    unsigned n = e->net.next_address++;
    unsigned block = ((unsigned)getpid() * 4 + n / 250) & 0x3fff;

    snprintf(text, 16, "127.%u.%u.%u", 64 + (block >> 8), block & 255, 1 + n % 250);
    return text;
}

static int free_port(void)
{
    struct sockaddr_in addr = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY) };
    socklen_t n = sizeof(addr);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), port = 0;

    if (fd >= 0 && bind(fd, (struct sockaddr *)&addr, n) == 0 &&
        getsockname(fd, (struct sockaddr *)&addr, &n) == 0)
        port = ntohs(addr.sin_port);
    if (fd >= 0)
        close(fd);
    return port;
}

/* A run removes the lock file when it releases the port, so a lock on an unlinked file is void.
 */
static bool is_at(int fd, const char *path)
{
    struct stat ours, there;

    return fstat(fd, &ours) == 0 && stat(path, &there) == 0 && ours.st_ino == there.st_ino &&
           ours.st_dev == there.st_dev;
}

/* Reserves a port with a locked file, because the port itself must stay unbound for the job. */
static int take_port(struct ty_engine *e, struct ty_jobset_net *n, struct ty_err *err)
{
    for (int i = 0; i < 64; i++) {
        char path[4096];
        int port = free_port();
        if (port <= 0)
            break;
        snprintf(path, sizeof(path), "%s/../port-%d.lock", e->o.dir, port);
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && is_at(fd, path)) {
            n->master_port = port;
            n->port_lock = fd;
            return 0;
        }
        if (fd >= 0)
            close(fd);
    }
    return ty_fail(err, -EADDRINUSE, "no free TCP port for the job's rendezvous");
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
        fprintf(f, "127.0.0.1\t%s.%s.svc\n", e->o.settings->webhook_service,
                e->o.settings->operator_ns);
}

static int write_hosts(struct ty_engine *e, struct ty_jobset_net *n, const struct ty_json *jobset,
                       struct ty_err *err)
{
    FILE *f = fopen(n->hosts, "we");

    if (!f)
        return ty_fail(err, -errno, "%s cannot be written: %s", n->hosts, strerrordesc_np(errno));
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

static void jobset_net_free(struct ty_jobset_net *n)
{
    const struct ty_map_slot *s = NULL;
    size_t at = 0;

    if (!n)
        return;
    while ((s = ty_map_next(&n->addresses, &at)))
        free(s->value);
    ty_map_done(&n->addresses);
    if (n->port_lock >= 0) {
        char path[64], file[4096];
        snprintf(path, sizeof(path), "/proc/self/fd/%d", n->port_lock);
        ssize_t got = readlink(path, file, sizeof(file) - 1);
        if (got > 0) {
            file[got] = 0;
            unlink(file);
        }
        close(n->port_lock);
    }
    free(n->hosts);
    free(n->domain);
    free(n->uid);
    free(n);
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
    n->port_lock = -1;
    n->uid = ty_xalloc_cstr(uid);
    snprintf(path, sizeof(path), "%s/hosts-%.*s", e->o.dir,
             TY_ARG(ty_json_str_at(jobset, "metadata.name")));
    n->hosts = ty_xalloc(strdup(path));
    n->domain = ty_xalloc(
        strdup(ty_arena_printf(e->pass, "%.*s.%.*s.svc.cluster.local", TY_ARG(subdomain_of(jobset)),
                               TY_ARG(ty_json_str_at(jobset, "metadata.namespace")))));
    if (take_port(e, n, err) < 0 || write_hosts(e, n, jobset, err) < 0) {
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

void ty_net_done(struct ty_net *net)
{
    const struct ty_map_slot *s = NULL;
    size_t at = 0;

    while ((s = ty_map_next(&net->by_jobset, &at)))
        jobset_net_free(s->value);
    ty_map_done(&net->by_jobset);
}
