/* Credentials from kubeconfig: token files are read again, exec plugins run again. libcurl with
 * GnuTLS, the fallback client, accepts certificates only as files, so certificate data of a
 * kubeconfig is written to memory files (memfd), whose paths are valid while their descriptors are
 * open. */
#include "store/kube/kube_auth.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "store/kube/kube.h"
#include "store/kube/kube_exec.h"
#include "store/kube/kubeconfig_inner.h"

/* Seconds until a token file is read again; kubelets rotate it long before it expires. */
#define TOKEN_SECONDS 10
#define EARLY_SECONDS 10 /* renew credentials so many seconds before they expire */

struct memory_file {
    int fd; /* -1: none */
    char path[32];
};

struct ty_kube_auth {
    uv_loop_t *loop;
    const struct ty_kubeconfig *config;
    bool interactive;
    ty_kube_auth_fn *fn;
    void *ctx;
    struct ty_http_client_peer peer;
    struct memory_file ca, cert, key;
    char *header, *to;
    uint64_t serial;
    int64_t read_s, until_s; /* when the header was read, when it expires */
    bool known;              /* there are credentials */
    struct stat cert_was;    /* config->cert.file when the current connections were opened */
    struct ty_kube_exec_run *run;
};

static int write_memory_file(struct memory_file *m, const char *name, struct ty_str data,
                             struct ty_err *err)
{
    int fd = memfd_create(name, MFD_CLOEXEC);
    if (fd < 0 || write(fd, data.p, data.n) != (ssize_t)data.n) {
        int e = errno;
        if (fd >= 0)
            close(fd);
        return ty_fail(err, -EIO, "cannot keep the %s in memory: %s", name, strerrordesc_np(e));
    }
    if (m->fd >= 0)
        close(m->fd);
    m->fd = fd;
    snprintf(m->path, sizeof(m->path), "/proc/self/fd/%d", fd);
    return 0;
}

static int write_pem_file(struct memory_file *m, const char *name, const struct ty_kube_pem *pem,
                          const char **ret_path, struct ty_err *err)
{
    if (pem->data.n == 0) {
        *ret_path = pem->file;
        return 0;
    }
    int r = write_memory_file(m, name, pem->data, err);
    if (r == 0)
        *ret_path = m->path;
    return r;
}

/* The proxy of the environment is not used for servers on this machine. */
static bool is_loopback(const char *server)
{
    const char *host = strstr(server, "://");
    host = host ? host + 3 : server;
    return strncmp(host, "127.", 4) == 0 || strncmp(host, "localhost", 9) == 0 ||
           strncmp(host, "[::1]", 5) == 0;
}

static void set_header(struct ty_kube_auth *auth, struct ty_str token)
{
    free(auth->header);
    auth->header = NULL;
    auth->serial++;
    if (token.n && asprintf(&auth->header, "Authorization: Bearer %.*s", TY_ARG(token)) < 0)
        ty_xalloc_die();
}

/* "host:port" of the server. */
static struct ty_str host_of(const char *server)
{
    struct ty_str host;
    ty_str_cut(ty_str(strstr(server, "://") + 3), '/', &host);
    return host;
}

static bool has_port(struct ty_str host)
{
    const char *colon = memrchr(host.p, ':', host.n), *bracket = memrchr(host.p, ']', host.n);
    return colon && (!bracket || colon > bracket);
}

/* With tls-server-name, the URL has that name, and the connection goes to the host. */
static void set_to(struct ty_kube_auth *auth)
{
    struct ty_str host = host_of(auth->config->server);
    if (asprintf(&auth->to, "%.*s%s", TY_ARG(host), has_port(host) ? "" : ":443") < 0)
        ty_xalloc_die();
    auth->peer.to = auth->to;
}

const char *ty_kube_auth_base(const struct ty_kube_auth *auth, struct ty_arena *a,
                              const char **ret_host)
{
    const struct ty_kubeconfig *c = auth->config;
    struct ty_str host = host_of(c->server);
    *ret_host = NULL;
    if (!c->tls_name)
        return c->server;
    *ret_host = ty_arena_printf(a, "Host: %.*s", TY_ARG(host));
    return ty_arena_printf(a, "%.*s%s%s", (int)(host.p - c->server), c->server, c->tls_name,
                           host.p + host.n);
}

/* Whether the file of the client certificate was replaced: a connection keeps its old certificate,
 * which the server checks with every request. */
static bool cert_replaced(struct ty_kube_auth *auth)
{
    const struct stat *was = &auth->cert_was;
    struct stat is;
    if (!auth->config->cert.file || stat(auth->config->cert.file, &is) < 0)
        return false;
    bool same = is.st_dev == was->st_dev && is.st_ino == was->st_ino &&
                is.st_size == was->st_size && is.st_mtim.tv_sec == was->st_mtim.tv_sec &&
                is.st_mtim.tv_nsec == was->st_mtim.tv_nsec;
    auth->cert_was = is;
    return !same;
}

int ty_kube_auth_new(struct ty_kube_auth **ret, const struct ty_kube_settings *s,
                     ty_kube_auth_fn *fn, void *ctx, struct ty_err *err)
{
    const struct ty_kubeconfig *config = s->config;
    struct ty_kube_auth *auth = ty_xalloc(calloc(1, sizeof(*auth)));
    auth->loop = s->loop;
    auth->config = config;
    auth->interactive = s->interactive;
    auth->fn = fn;
    auth->ctx = ctx;
    auth->ca.fd = auth->cert.fd = auth->key.fd = -1;
    auth->peer.insecure = config->insecure;
    auth->peer.proxy = config->proxy;
    if (!auth->peer.proxy && is_loopback(config->server))
        auth->peer.proxy = "";
    int r = write_pem_file(&auth->ca, "CA certificate", &config->ca, &auth->peer.ca_file, err);
    if (r == 0)
        r = write_pem_file(&auth->cert, "client certificate", &config->cert, &auth->peer.cert_file,
                           err);
    if (r == 0)
        r = write_pem_file(&auth->key, "client key", &config->key, &auth->peer.key_file, err);
    if (r < 0) {
        ty_kube_auth_free(auth);
        return r;
    }
    if (config->token && !config->token_file) /* a file wins, as in kubectl */
        set_header(auth, ty_str(config->token));
    if (config->tls_name)
        set_to(auth);
    cert_replaced(auth);
    *ret = auth;
    return 0;
}

void ty_kube_auth_free(struct ty_kube_auth *auth)
{
    if (!auth)
        return;
    ty_kube_exec_cancel(auth->run);
    int fds[] = { auth->ca.fd, auth->cert.fd, auth->key.fd };
    for (size_t i = 0; i < TY_COUNT(fds); i++)
        if (fds[i] >= 0)
            close(fds[i]);
    free(auth->header);
    free(auth->to);
    free(auth);
}

/* Token files */

static int read_token(struct ty_kube_auth *auth, int64_t now_s, struct ty_err *err)
{
    ty_auto_arena *a = ty_arena_new((size_t)16 << 20);
    struct ty_str token;
    if (auth->known && now_s - auth->read_s < TOKEN_SECONDS && now_s >= auth->read_s)
        return 0;
    int r = ty_kubeconfig_read_file(a, auth->config->token_file, &token, err);
    token = r == 0 ? ty_str_trim(token) : token;
    if (r == 0 && token.n == 0)
        r = ty_fail(err, -EINVAL, "%s: the token file is empty", auth->config->token_file);
    if (r < 0 && !auth->known)
        return ty_wrap(err, "no credentials");
    if (r == 0)
        set_header(auth, token); /* otherwise the current one may still be valid */
    auth->known = true;
    auth->read_s = now_s;
    return 0;
}

/* Exec plugins */

static int take_cert(struct ty_kube_auth *auth, const struct ty_kube_cred *cred, struct ty_err *err)
{
    int r = write_memory_file(&auth->cert, "client certificate", cred->cert, err);
    if (r == 0)
        r = write_memory_file(&auth->key, "client key", cred->key, err);
    if (r == 0) {
        auth->peer.cert_file = auth->cert.path;
        auth->peer.key_file = auth->key.path;
    }
    return r;
}

static void on_cred(void *ctx, const struct ty_kube_cred *cred, const struct ty_err *why)
{
    struct ty_kube_auth *auth = ctx;
    struct ty_err err = *why;
    int r = cred ? 0 : -EIO;

    auth->run = NULL;
    if (r == 0 && cred->cert.n)
        r = take_cert(auth, cred, &err);
    if (r == 0) {
        set_header(auth, ty_str(cred->token));
        auth->known = true;
        auth->until_s = cred->expires_s;
    }
    auth->fn(auth->ctx, r == 0 && cred->cert.n, r == 0 ? NULL : &err);
}

static int run_plugin(struct ty_kube_auth *auth, int64_t now_s)
{
    if (auth->known && (auth->until_s == INT64_MAX || now_s < auth->until_s - EARLY_SECONDS))
        return 0;
    struct ty_kube_exec_settings s = { .loop = auth->loop,
                                       .config = auth->config,
                                       .interactive = auth->interactive,
                                       .fn = on_cred,
                                       .ctx = auth };
    if (!auth->run)
        auth->run = ty_kube_exec_start(&s);
    return TY_WAIT;
}

bool ty_kube_auth_is_patient(const struct ty_kube_auth *auth)
{
    return auth->run && ty_kube_exec_is_patient(auth->run);
}

/* All kinds of credentials */

int ty_kube_auth_ready(struct ty_kube_auth *auth, int64_t now_s, struct ty_err *err)
{
    if (auth->config->token_file)
        return read_token(auth, now_s, err);
    if (auth->config->exec && !auth->config->token)
        return run_plugin(auth, now_s);
    return 0;
}

uint64_t ty_kube_auth_serial(const struct ty_kube_auth *auth)
{
    return auth->serial;
}

bool ty_kube_auth_refused(struct ty_kube_auth *auth, uint64_t serial, bool *ret_changed)
{
    bool newer = serial != auth->serial;
    *ret_changed = !newer && cert_replaced(auth);
    if (!newer)
        auth->known = false;
    if (*ret_changed)
        auth->serial++;
    return auth->config->token_file || auth->config->exec || newer || *ret_changed;
}

const char *ty_kube_auth_header(const struct ty_kube_auth *auth)
{
    return auth->header;
}

const struct ty_http_client_peer *ty_kube_auth_peer(const struct ty_kube_auth *auth)
{
    return &auth->peer;
}
