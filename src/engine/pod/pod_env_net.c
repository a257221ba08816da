/* Lets several jobs share one machine. What is rewritten, and where:
 *
 *   29500                    all text of the user's    the JobSet's own port
 *   host:port of a pod       TF_CONFIG                 the pod's own port: every task's server
 *                                                      listens on all addresses of the machine
 *   these two ports          probes                    the same
 *   host names               all text of the user's    addresses, where a pod cannot have its own
 *                                                      /etc/hosts
 *
 * And communication libraries are configured for the loopback interface. */
#include "engine/pod/pod_env_net.h"

#include <ctype.h>

#define PORT_TEXT "29500"

/* The user's setting of the same name wins. NCCL takes a host name for a machine and would not use
 * shared memory between pods; the others would look for an interface that leaves the machine, where
 * the pods' loopback addresses do not exist. */
static const char *const settings[] = {
    "NCCL_HOSTID=trainyard",
    "NCCL_SOCKET_IFNAME=lo",
    "GLOO_SOCKET_IFNAME=lo",
    "TP_SOCKET_IFNAME=lo", /* torch's RPC */
    "UCX_NET_DEVICES=lo",
    "OMPI_MCA_btl_tcp_if_include=lo",
    "OMPI_MCA_oob_tcp_if_include=lo",
    "HYDRA_IFACE=lo", /* MPICH's process manager */
    "MPIR_CVAR_NEMESIS_TCP_NETWORK_IFACE=lo",
    "MPIR_CVAR_CH4_NETMOD=ofi", /* where MPICH has both: over lo, UCX does not find another pod */
    "FI_TCP_IFACE=lo",          /* MPICH over libfabric */
    /* libfabric's tcp alone may wait for ever when two ranks of one address connect to each other
     * at the same time */
    "FI_PROVIDER=tcp;ofi_rxm",
    "FI_SOCKETS_IFACE=lo",
    "I_MPI_HYDRA_IFACE=lo",
};
/* A pod does not see another's pids, which UCX needs for shared memory. Containers usually run as
 * root, so Open MPI's refusal to run as root is switched off. */
static const char *const any_network[] = {
    "UCX_TLS=^sm",
    /* of root only: */
    "OMPI_ALLOW_RUN_AS_ROOT=1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
};

const char *ty_pod_net_setting(size_t i, bool root, bool own_network)
{
    size_t n = own_network ? 0 : TY_COUNT(settings);

    if (i < n)
        return settings[i];
    i -= n;
    return i < (root ? TY_COUNT(any_network) : 1) ? any_network[i] : NULL;
}

/* Variables that say where each pod of a job listens, every pod on the same port. */
static const char *const endpoint_lists[] = { "TF_CONFIG" };

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

/* The last word before the number and what is between them: "--steps", "=" of "--steps=29500". */
static struct ty_str word_before(struct ty_str s, size_t at, struct ty_str *ret_between)
{
    size_t end = at, start;

    while (end > 0 && strchr(" \t\n=:\"'", s.p[end - 1]))
        end--;
    *ret_between = (struct ty_str){ s.p + end, at - end };
    for (start = end; start > 0 && is_word(s.p[start - 1]);)
        start--;
    return (struct ty_str){ s.p + start, end - start };
}

static bool says_port(struct ty_str word)
{
    for (size_t i = 0; i + 4 <= word.n; i++)
        if (strncasecmp(word.p + i, "port", 4) == 0)
            return true;
    return ty_str_is(word, "-p") || ty_str_is(word, "-P");
}

/* A number stands alone, not inside a word, a path, a fraction or a longer number. */
static bool stands_alone(struct ty_str s, size_t at)
{
    size_t after = at + strlen(PORT_TEXT);

    if (at > 0 && (is_word(s.p[at - 1]) || s.p[at - 1] == '/'))
        return at > 1 && s.p[at - 2] == '-' && strchr("pP", s.p[at - 1]); /* "-p29500" */
    if (after < s.n && s.p[after] == '.')
        return after + 1 == s.n || !is_word(s.p[after + 1]); /* the end of a sentence */
    return after == s.n || !is_word(s.p[after]);
}

/* 29500 is a port unless its own name says otherwise: in "--max-steps 29500", "SEED=29500" or
 * "{'steps': 29500}" it is not, and a job that silently trains another number of steps would be
 * worse than two jobs on one port. */
static bool is_port(struct ty_str s, size_t at)
{
    struct ty_str between, word;

    if (!stands_alone(s, at))
        return false;
    word = word_before(s, at, &between);
    if (ty_str_is(between, ":") || !word.n || says_port(word))
        return true; /* host:29500 */
    return word.p[0] != '-' && !memchr(between.p, '=', between.n) &&
           !memchr(between.p, ':', between.n);
}

/* The text starts at `from` of s; what is before gives the context. */
static void replace_ports(struct ty_buf *out, struct ty_str s, size_t from, int port)
{
    size_t done = from;

    for (size_t i = from; i + strlen(PORT_TEXT) <= s.n; i++) {
        if (memcmp(s.p + i, PORT_TEXT, strlen(PORT_TEXT)) != 0 || !is_port(s, i))
            continue;
        ty_buf_put(out, s.p + done, i - done);
        ty_buf_printf(out, "%d", port);
        i += strlen(PORT_TEXT) - 1;
        done = i + 1;
    }
    ty_buf_put(out, s.p + done, s.n - done);
}

/* Only names with a dot, and the pod's own, are host names: a job may be called "train". A name in
 * a path is not one, except after "//". */
static const char *address_of(const struct ty_pod_ctx *x, struct ty_str s, size_t at, size_t n)
{
    struct ty_str host = { s.p + at, n };
    bool own = ty_str_is(host, x->hostname);

    if (at > 0 && s.p[at - 1] == '/' && !(at > 1 && s.p[at - 2] == '/'))
        return NULL;
    if (own)
        return x->net->address;
    return memchr(host.p, '.', n) ? x->net->lookup(x->net->ctx, host) : NULL;
}

static void replace_names(struct ty_buf *out, const struct ty_pod_ctx *x, struct ty_str s)
{
    for (size_t i = 0; i < s.n;) {
        size_t n = 0;
        const char *address;

        while (i + n < s.n && is_word(s.p[i + n]) && (n || isalnum((unsigned char)s.p[i])))
            n++;
        if (!n) {
            ty_buf_chr(out, s.p[i++]);
            continue;
        }
        size_t host = n; /* without the dot that ends a sentence or makes a name absolute */
        while (host && (s.p[i + host - 1] == '.' || s.p[i + host - 1] == '-'))
            host--;
        address = address_of(x, s, i, host);
        if (address)
            ty_buf_cstr(out, address);
        ty_buf_put(out, s.p + i + (address ? host : 0), address ? n - host : n);
        i += n;
    }
}

/* ":2222" at `at` of s: its length, and the port; else 0. */
static size_t port_at(struct ty_str s, size_t at, int *ret_port)
{
    size_t i = at + 1;
    int port = 0;

    if (at >= s.n || s.p[at] != ':')
        return 0;
    for (; i < s.n && isdigit((unsigned char)s.p[i]) && port <= UINT16_MAX; i++)
        port = port * 10 + (s.p[i] - '0');
    *ret_port = port;
    return port > 0 && port <= UINT16_MAX ? i - at : 0;
}

static void replace_endpoints(struct ty_buf *out, const struct ty_pod_ctx *x, struct ty_str s)
{
    for (size_t i = 0; i < s.n;) {
        size_t n = 0, digits;
        int port = 0, here = 0;

        while (i + n < s.n && is_word(s.p[i + n]))
            n++;
        ty_buf_put(out, s.p + i, n ? n : 1);
        digits = n ? port_at(s, i + n, &port) : 0;
        if (digits)
            here = x->net->task_port(x->net->ctx, (struct ty_str){ s.p + i, n }, port, true);
        if (here)
            ty_buf_printf(out, ":%d", here);
        i += (n ? n : 1) + (here ? digits : 0);
    }
}

struct ty_str ty_pod_net_variable(const struct ty_pod_ctx *x, struct ty_str name,
                                  struct ty_str value)
{
    struct ty_str before = ty_str(ty_arena_printf(x->scratch, "%.*s=", TY_ARG(name)));
    ty_auto_buf out = { 0 };

    for (size_t i = 0; x->net->task_port && i < TY_COUNT(endpoint_lists); i++)
        if (ty_str_is(name, endpoint_lists[i])) {
            replace_endpoints(&out, x, value);
            return ty_pod_net_text(x, before, ty_arena_str(x->scratch, ty_buf_str(&out)));
        }
    return ty_pod_net_text(x, before, value);
}

int ty_pod_net_port(const struct ty_pod_ctx *x, int port)
{
    const struct ty_pod_net *net = x->net;
    int here = net->task_port ? net->task_port(net->ctx, ty_str(x->hostname), port, false) : 0;

    if (!here && port == TY_TRAINER_PORT)
        here = net->master_port;
    return here > 0 ? here : port;
}

struct ty_str ty_pod_net_text(const struct ty_pod_ctx *x, struct ty_str before, struct ty_str text)
{
    ty_auto_buf with = { 0 }, ported = { 0 }, named = { 0 };
    bool port = x->net->master_port > 0 && ty_str_contains(text, TY_LIT(PORT_TEXT));
    bool names = x->net->rewrite_names && x->net->lookup && text.n;
    const struct ty_buf *result = names ? &named : &ported;

    if (!port && !names)
        return text;
    if (port) {
        ty_buf_add(&with, before);
        ty_buf_add(&with, text);
        replace_ports(&ported, ty_buf_str(&with), before.n, x->net->master_port);
    } else {
        ty_buf_add(&ported, text);
    }
    if (names)
        replace_names(&named, x, ty_buf_str(&ported));
    return ty_arena_str(x->a, ty_buf_str(result));
}
