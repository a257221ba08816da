/* Calls over libcurl: sets its options and translates its results. libcurl must not be called from
 * its own callbacks, so what those start or cancel is deferred until it has returned. */
#include "net/http_client_inner.h"

#include <errno.h>
#include <gnutls/x509.h>

#include "net/tcp_keepalive.h"

#define BUFFER_BYTES   (16L << 10)
#define DOWNLOAD_BYTES (256L << 10)
#define SLOW_BYTES     1000L /* in a second: a slower download has stalled */
#define MAX_REDIRECTS  10L

bool ty_http_client_curl_inside(const struct ty_http_client *w)
{
    for (const struct ty_http_client_pool *p = w->pools; p; p = p->next)
        if (p->inside)
            return true;
    return false;
}

int ty_http_client_curl_load(struct ty_http_client *w, struct ty_err *err)
{
    if (w->pools)
        return 0;
    int r = ty_curl_load(&w->curl, err);
    if (r == 0)
        w->pools = ty_http_client_pool_new(w);
    return r;
}

static void keep_handle(struct ty_http_client *w, CURL *easy)
{
    if (w->n_spare == SPARE_HANDLES) {
        w->curl.easy_cleanup(easy);
        return;
    }
    w->curl.easy_reset(easy);
    w->spare[w->n_spare++] = easy;
}

void ty_http_client_curl_drop(struct ty_http_client_call *call)
{
    struct ty_http_client *w = call->client;
    if (call->pool) {
        ty_http_client_pool_guard(call->pool);
        w->curl.multi_remove_handle(call->pool->multi, call->easy);
        call->pool->calls--;
    }
    if (!call->easy)
        return;
    keep_handle(w, call->easy);
    w->curl.slist_free_all(call->headers);
    w->curl.slist_free_all(call->to);
    free(call->error);
}

/* Closes old pools without calls. */
static void close_old_pools(struct ty_http_client *w)
{
    for (struct ty_http_client_pool **at = &w->pools->next; *at;) {
        struct ty_http_client_pool *p = *at;
        if (p->calls > 0) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        ty_http_client_pool_close(p);
    }
}

void ty_http_client_curl_free(struct ty_http_client *w)
{
    if (!w->pools)
        return;
    close_old_pools(w);
    ty_http_client_pool_close(w->pools);
    while (w->n_spare)
        w->curl.easy_cleanup(w->spare[--w->n_spare]);
    ty_curl_done(&w->curl);
}

/* A call's options */

/* libcurl takes numbers as long and everything else as a pointer; a wrong width in a variable
 * argument list would go unnoticed, so each has its function. */
static void set_long(struct ty_http_client_call *call, CURLoption o, long v)
{
    call->client->curl.easy_setopt(call->easy, o, v);
}
static void set_ptr(struct ty_http_client_call *call, CURLoption o, const void *v)
{
    call->client->curl.easy_setopt(call->easy, o, v);
}

static int on_new_socket(void *ctx, curl_socket_t fd, curlsocktype what)
{
    struct ty_http_client_pool *p = ctx;
    if (what != CURLSOCKTYPE_IPCXN)
        return CURL_SOCKOPT_OK;
    ty_tcp_keepalive_set(fd, p->client->set.dead_ms);
    ty_fence_arm(&p->client->set.fence, fd);
    return ty_http_client_pool_opened(p, fd) ? CURL_SOCKOPT_OK : CURL_SOCKOPT_ERROR;
}

static size_t on_body(char *p, size_t size, size_t n, void *ctx)
{
    struct ty_http_client_call *call = ctx;
    if (call->cancelled)
        return 0; /* a short count makes libcurl end the transfer */
    call->heard_ms = uv_now(call->client->set.loop);
    if (call->ask.piece(call->ask.ctx, call, (struct ty_str){ p, size * n }) == 0)
        return call->cancelled ? 0 : size * n;
    call->unwanted = true;
    return 0;
}

static size_t on_header(char *p TY_UNUSED, size_t size, size_t n, void *ctx)
{
    struct ty_http_client_call *call = ctx;
    call->heard_ms = uv_now(call->client->set.loop);
    return size * n;
}

static bool is_server(gnutls_session_t session)
{
    gnutls_x509_crt_t cert = NULL;
    unsigned n = 0;
    const gnutls_datum_t *shown = gnutls_certificate_get_peers(session, &n);

    if (!shown || n == 0 || gnutls_x509_crt_init(&cert) < 0)
        return false;
    bool good = gnutls_x509_crt_import(cert, &shown[0], GNUTLS_X509_FMT_DER) >= 0 &&
                gnutls_x509_crt_check_key_purpose(cert, GNUTLS_KP_TLS_WWW_SERVER, 0);
    gnutls_x509_crt_deinit(cert);
    return good;
}

/* Called after the handshake, before the request: libcurl with GnuTLS does not check the purpose of
 * a certificate, and a cluster's CA signs client certificates, too, with any name. (With OpenSSL
 * libcurl does.) */
static int on_connected(void *ctx, char *to TY_UNUSED, char *from TY_UNUSED, int to_port TY_UNUSED,
                        int from_port TY_UNUSED)
{
    struct ty_http_client_call *call = ctx;
    struct ty_http_client *w = call->client;
    const struct curl_tlssessioninfo *tls = NULL;

    w->curl.easy_getinfo(call->easy, CURLINFO_TLS_SSL_PTR, &tls);
    if (tls && tls->backend != CURLSSLBACKEND_GNUTLS)
        return CURL_PREREQFUNC_OK;
    call->mistrusted = !tls || !tls->internals || !is_server(tls->internals);
    return call->mistrusted ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

static void set_callbacks(struct ty_http_client_call *call)
{
    const struct ty_curl *curl = &call->client->curl;
    size_t (*write)(char *, size_t, size_t, void *) = on_body;
    size_t (*header)(char *, size_t, size_t, void *) = on_header;
    curl->easy_setopt(call->easy, CURLOPT_WRITEFUNCTION, write);
    curl->easy_setopt(call->easy, CURLOPT_WRITEDATA, (void *)call);
    curl->easy_setopt(call->easy, CURLOPT_HEADERFUNCTION, header);
    curl->easy_setopt(call->easy, CURLOPT_HEADERDATA, (void *)call);
    curl->easy_setopt(call->easy, CURLOPT_PRIVATE, (void *)call);
    curl->easy_setopt(call->easy, CURLOPT_ERRORBUFFER, call->error);
}

static void set_limits(struct ty_http_client_call *call)
{
    const struct ty_http_client_settings *s = &call->client->set;
    bool download = s->stall_s > 0;
    set_long(call, CURLOPT_CONNECTTIMEOUT_MS, (long)s->connect_ms);
    if (download) {
        set_long(call, CURLOPT_LOW_SPEED_LIMIT, SLOW_BYTES);
        set_long(call, CURLOPT_LOW_SPEED_TIME, (long)s->stall_s);
    }
    set_long(call, CURLOPT_NOSIGNAL, 1);
    set_long(call, CURLOPT_QUICK_EXIT, 1); /* does not wait for the resolver, as in dns_lookup.h */
    set_long(call, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2); /* or later */
    set_long(call, CURLOPT_BUFFERSIZE, download ? DOWNLOAD_BYTES : BUFFER_BYTES);
    set_long(call, CURLOPT_UPLOAD_BUFFERSIZE, BUFFER_BYTES);
    set_long(call, CURLOPT_HTTP_VERSION,
             s->http1 ? (long)CURL_HTTP_VERSION_1_1 : (long)CURL_HTTP_VERSION_2TLS);
    set_long(call, CURLOPT_PIPEWAIT, !s->http1 && !download);
}

static void set_key(struct ty_http_client_call *call, const struct ty_aws_key *key)
{
    char provider[128];
    snprintf(provider, sizeof(provider), "aws:amz:%s:%s", key->region, key->service);
    set_ptr(call, CURLOPT_AWS_SIGV4, provider);
    set_ptr(call, CURLOPT_USERNAME, key->id);
    set_ptr(call, CURLOPT_PASSWORD, key->secret);
}

static void set_peer(struct ty_http_client_call *call, const struct ty_http_client_peer *peer)
{
    if (!peer)
        return;
    if (peer->ca_file) {
        set_ptr(call, CURLOPT_CAINFO, peer->ca_file);
        /* Otherwise every connection would read all of the system's certificate files. */
        set_ptr(call, CURLOPT_CAPATH, NULL);
    }
    if (peer->cert_file)
        set_ptr(call, CURLOPT_SSLCERT, peer->cert_file);
    if (peer->key_file)
        set_ptr(call, CURLOPT_SSLKEY, peer->key_file);
    if (peer->proxy)
        set_ptr(call, CURLOPT_PROXY, peer->proxy);
    set_long(call, CURLOPT_SSL_VERIFYPEER, peer->insecure ? 0 : 1);
    set_long(call, CURLOPT_SSL_VERIFYHOST, peer->insecure ? 0 : 2);
    if (peer->key)
        set_key(call, peer->key);
}

static bool is_https(const struct ty_http_client_call *call)
{
    return strncmp(call->ask.url, "https:", 6) == 0;
}

static void set_trust(struct ty_http_client_call *call)
{
    const struct ty_curl *curl = &call->client->curl;
    curl_prereq_callback connected = on_connected;

    if (!is_https(call) || (call->ask.peer && call->ask.peer->insecure))
        return;
    curl->easy_setopt(call->easy, CURLOPT_PREREQFUNCTION, connected);
    curl->easy_setopt(call->easy, CURLOPT_PREREQDATA, (void *)call);
}

static void set_request(struct ty_http_client_call *call)
{
    const struct ty_http_client_request *ask = &call->ask;
    const struct ty_curl *curl = &call->client->curl;
    set_ptr(call, CURLOPT_URL, ask->url);
    set_long(call, CURLOPT_PATH_AS_IS, 1); /* "a/../b" is a valid name in an object store */
    set_ptr(call, CURLOPT_PROTOCOLS_STR, "http,https");
    set_ptr(call, CURLOPT_REDIR_PROTOCOLS_STR, is_https(call) ? "https" : "http,https");
    set_long(call, CURLOPT_FOLLOWLOCATION, ask->redirects);
    set_long(call, CURLOPT_MAXREDIRS, MAX_REDIRECTS);
    set_ptr(call, CURLOPT_USERAGENT, call->client->set.agent);
    set_ptr(call, CURLOPT_CUSTOMREQUEST, ask->method);
    if (ask->body.n) {
        set_ptr(call, CURLOPT_POSTFIELDS, ask->body.p);
        curl->easy_setopt(call->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)ask->body.n);
        call->headers = curl->slist_append(call->headers, "Expect:"); /* avoids a round trip */
    }
    for (const char *const *line = ask->headers; line && *line; line++)
        call->headers = curl->slist_append(call->headers, *line);
    set_ptr(call, CURLOPT_HTTPHEADER, call->headers);
}

/* Begin and end */

/* libcurl would accept more calls than it has HTTP/1.1 connections, and then scan all waiting calls
 * whenever one ends. */
static bool at_connection_limit(const struct ty_http_client *w)
{
    return w->set.http1 && w->set.connections && w->pools->calls >= (size_t)w->set.connections;
}

/* A connection belongs to the pool of the call that opened it. */
static void set_pool(struct ty_http_client_call *call, struct ty_http_client_pool *p)
{
    const struct ty_curl *curl = &call->client->curl;
    curl_sockopt_callback opened = on_new_socket;
    curl_closesocket_callback closes = ty_http_client_pool_closes;

    curl->easy_setopt(call->easy, CURLOPT_SOCKOPTFUNCTION, opened);
    curl->easy_setopt(call->easy, CURLOPT_SOCKOPTDATA, (void *)p);
    curl->easy_setopt(call->easy, CURLOPT_CLOSESOCKETFUNCTION, closes);
    curl->easy_setopt(call->easy, CURLOPT_CLOSESOCKETDATA, (void *)p);
    call->pool = p;
    p->calls++;
}

static void call_add(struct ty_http_client_call *call)
{
    struct ty_http_client *w = call->client;
    ty_http_client_link(&w->calls, call);
    set_pool(call, w->pools);
    w->curl.multi_add_handle(
        call->pool->multi,
        call->easy); /* cannot fail: the handle is new, and libcurl is not running */
}

/* In the order of their start. */
static void add_fresh(struct ty_http_client *w)
{
    while (w->fresh && !at_connection_limit(w)) {
        struct ty_http_client_call *call = w->fresh;
        ty_http_client_unlink(call);
        call_add(call);
    }
}

void ty_http_client_curl_reset(struct ty_http_client *w)
{
    for (struct ty_http_client_pool *p = w->pools; p; p = p->next)
        ty_http_client_pool_cut(p);
    ty_http_client_renew(w);
}

static bool is_cut(const struct ty_http_client_call *call)
{
    return call->cut;
}

static bool is_cancelled(const struct ty_http_client_call *call)
{
    return call->cancelled;
}

/* First cut the sockets: libcurl would send a close-notify over them, after the rest of a record.
 * Then end the calls that exist now, but not those that their callbacks start. */
void ty_http_client_curl_fenced(struct ty_http_client *w)
{
    ty_http_client_curl_reset(w);
    struct ty_http_client_call *lists[] = { w->calls, w->fresh };
    for (size_t i = 0; i < 2; i++)
        for (struct ty_http_client_call *call = lists[i]; call; call = call->next)
            call->cut = !call->conn;
    struct ty_http_client_call *call;
    while ((call = ty_http_client_find(w, is_cut)))
        ty_http_client_finish(call, &(struct ty_http_client_result){
                                        .status = ty_http_client_status(call),
                                        .fenced = true, /* it may have been reopened by now */
                                        .text = TY_FENCE_CLOSED });
    ty_http_client_curl_run_deferred(w);
}

void ty_http_client_curl_run_deferred(struct ty_http_client *w)
{
    if (!w->pools)
        return;
    add_fresh(w);
    close_old_pools(w);
}

static void set_all(struct ty_http_client_call *call)
{
    const struct ty_http_client_peer *peer = call->ask.peer;
    struct ty_http_client *w = call->client;
    char line[512];

    call->easy = w->n_spare ? w->spare[--w->n_spare] : ty_xalloc(w->curl.easy_init());
    call->error = ty_xalloc(calloc(1, CURL_ERROR_SIZE));
    set_callbacks(call);
    set_limits(call);
    set_request(call);
    set_peer(call, peer);
    set_trust(call);
    if (peer && peer->to) {
        snprintf(line, sizeof(line), "::%s", peer->to);
        call->to = w->curl.slist_append(NULL, line);
        set_ptr(call, CURLOPT_CONNECT_TO, call->to);
    }
}

void ty_http_client_curl_start(struct ty_http_client_call *call)
{
    struct ty_http_client *w = call->client;
    set_all(call);
    call->next = NULL;
    call->at = w->fresh_end;
    *w->fresh_end = call;
    w->fresh_end = &call->next;
    if (!ty_http_client_curl_inside(w))
        add_fresh(w);
}

/* Whether a retry may help. */
static bool is_passing(CURLcode r)
{
    static const CURLcode passing[] = {
        CURLE_COULDNT_RESOLVE_PROXY,
        CURLE_COULDNT_RESOLVE_HOST,
        CURLE_COULDNT_CONNECT,
        CURLE_PARTIAL_FILE,
        CURLE_OPERATION_TIMEDOUT,
        CURLE_SSL_CONNECT_ERROR,
        CURLE_GOT_NOTHING,
        CURLE_SEND_ERROR,
        CURLE_RECV_ERROR,
        CURLE_HTTP2,
        CURLE_HTTP2_STREAM,
        CURLE_AGAIN,
        CURLE_WEIRD_SERVER_REPLY,
    };
    for (size_t i = 0; i < TY_COUNT(passing); i++)
        if (r == passing[i])
            return true;
    return false;
}

static void call_over(struct ty_http_client_call *call, CURLcode r)
{
    struct ty_http_client *w = call->client;
    struct ty_http_client_result end = { .status = ty_http_client_status(call),
                                         .whole = r == CURLE_OK,
                                         .lost = is_passing(r) && !call->unwanted,
                                         .text = "" };

    if (call->unwanted)
        end.text = "unwanted";
    else if (call->mistrusted)
        end.text = "the server's certificate: its purpose is another than to be a server";
    else if (r != CURLE_OK)
        end.text = call->error[0] ? call->error : w->curl.easy_strerror(r);
    /* The peer does not answer: later calls should not have to time out, too. */
    if (r == CURLE_OPERATION_TIMEDOUT && call->pool == w->pools)
        ty_http_client_renew(w);
    ty_http_client_finish(call, &end);
}

static struct ty_http_client_call *done_call(struct ty_http_client *w, const CURLMsg *msg)
{
    char *p = NULL;
    w->curl.easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &p);
    return (struct ty_http_client_call *)(void *)p;
}

void ty_http_client_curl_settle(struct ty_http_client_pool *p)
{
    struct ty_http_client *w = p->client;
    int left = 0;
    const CURLMsg *msg;
    struct ty_http_client_call *call;

    while (w->cancelled && (call = ty_http_client_find(w, is_cancelled)))
        ty_http_client_finish(call, &(struct ty_http_client_result){ 0 }); /* calls no callback */
    w->cancelled = false;
    while ((msg = w->curl.multi_info_read(p->multi, &left)))
        if (msg->msg == CURLMSG_DONE)
            call_over(done_call(w, msg), msg->data.result);
    ty_http_client_curl_run_deferred(w);
}
