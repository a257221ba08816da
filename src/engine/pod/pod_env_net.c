/* Lets several jobs share one machine: each JobSet has its own port instead of 29500, communication
 * libraries are configured for the loopback interface, and where a pod cannot have its own
 * /etc/hosts, host names are replaced by addresses.
 */
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
    "UCX_TLS=^sm", /* a pod does not see another's pids, which UCX needs for shared memory */
    "OMPI_MCA_btl_tcp_if_include=lo",
    "OMPI_MCA_oob_tcp_if_include=lo",
    "HYDRA_IFACE=lo", /* MPICH's process manager */
    "MPIR_CVAR_NEMESIS_TCP_NETWORK_IFACE=lo",
    "FI_TCP_IFACE=lo", /* MPICH over libfabric */
    "FI_SOCKETS_IFACE=lo",
    "I_MPI_HYDRA_IFACE=lo",
};
/* Containers usually run as root, so Open MPI's refusal to run as root is switched off. */
static const char *const root_settings[] = {
    "OMPI_ALLOW_RUN_AS_ROOT=1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
};

const char *ty_pod_net_setting(size_t i, bool root)
{
    size_t n = TY_COUNT(settings);

    if (i < n)
        return settings[i];
    i -= n;
    return root && i < TY_COUNT(root_settings) ? root_settings[i] : NULL;
}

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
