/* The options of a call over libcurl, all of them: TLS, timeouts, proxies, redirects, callbacks. */
#include "net/http_client_inner.h"

#include <gnutls/x509.h>

#define BUFFER_BYTES   (16L << 10)
#define DOWNLOAD_BYTES (256L << 10)
#define SLOW_BYTES     1000L /* in a second: a slower download has stalled */
#define MAX_REDIRECTS  10L

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

static size_t on_header(char *p, size_t size, size_t n, void *ctx)
{
    struct ty_http_client_call *call = ctx;
    if (!call->headed)
        call->garbled = !ty_str_starts((struct ty_str){ p, size * n }, TY_LIT("HTTP/"));
    call->headed = true;
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
    const char *scheme = NULL;

    w->curl.easy_getinfo(call->easy, CURLINFO_SCHEME, &scheme); /* a redirect may have changed it */
    if (scheme && strcasecmp(scheme, "http") == 0)
        return CURL_PREREQFUNC_OK;
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
    set_long(call, CURLOPT_PROXY_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
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

static curl_socket_t on_open(void *ctx, curlsocktype purpose TY_UNUSED, struct curl_sockaddr *to)
{
    const struct ty_http_client_peer *peer = ctx;
    int fd = to->family == AF_INET ? peer->socket(peer->socket_ctx) : -EAFNOSUPPORT;

    return fd < 0 ? CURL_SOCKET_BAD : fd;
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
    if (peer->proxy_ca_file) {
        set_ptr(call, CURLOPT_PROXY_CAINFO, peer->proxy_ca_file);
        set_ptr(call, CURLOPT_PROXY_CAPATH, NULL);
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
    if (peer->socket) {
        curl_opensocket_callback opens = on_open;
        call->client->curl.easy_setopt(call->easy, CURLOPT_OPENSOCKETFUNCTION, opens);
        set_ptr(call, CURLOPT_OPENSOCKETDATA, peer);
    }
}

static bool is_https(const struct ty_http_client_call *call)
{
    return strncmp(call->ask.url, "https:", 6) == 0;
}

static void set_trust(struct ty_http_client_call *call)
{
    const struct ty_curl *curl = &call->client->curl;
    curl_prereq_callback connected = on_connected;

    if (call->ask.peer && call->ask.peer->insecure)
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

void ty_http_client_options_set(struct ty_http_client_call *call)
{
    const struct ty_http_client_peer *peer = call->ask.peer;
    struct ty_http_client *w = call->client;
    char line[512];

    call->easy = ty_xalloc(w->curl.easy_init());
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
