/* HTTP requests over libcurl's multi interface. */
#include "net/http_multi.h"
#include "net/curl.h"

#include <errno.h>

#define MAX_REDIRECTS 10L
#define RECEIVE_BYTES (256L << 10)
#define SLOW_BYTES    1000L /* bytes in a second: a slower peer is considered stuck */

struct ty_http_multi_call {
    struct ty_http_multi_call *next,
        **at; /* in the list of all calls: points to the pointer to this call */
    struct ty_http_multi *http;
    CURL *easy;
    struct curl_slist *headers;
    struct ty_http_multi_request ask;
    bool refused;
    char error[CURL_ERROR_SIZE];
};

struct ty_http_multi {
    struct ty_curl curl;
    CURLM *multi;
    struct ty_http_multi_settings set;
    struct ty_http_multi_call *calls;
};

int ty_http_multi_new(struct ty_http_multi **ret, const struct ty_http_multi_settings *s,
                      struct ty_err *err)
{
    struct ty_http_multi *h = calloc(1, sizeof(*h));
    if (!h)
        abort(); /* as the arena: out of memory is not handled */
    h->set = *s;
    int r = ty_curl_load(&h->curl, err);
    if (r == 0) {
        h->multi = h->curl.multi_init();
        if (!h->multi)
            r = ty_fail(err, -EIO, "libcurl cannot be initialised");
    }
    if (r < 0) {
        ty_http_multi_free(h);
        return r;
    }
    *ret = h;
    return 0;
}

static void call_free(struct ty_http_multi_call *call)
{
    const struct ty_curl *curl = &call->http->curl;
    curl->multi_remove_handle(call->http->multi, call->easy);
    curl->easy_cleanup(call->easy);
    curl->slist_free_all(call->headers);
    *call->at = call->next;
    if (call->next)
        call->next->at = call->at;
    free(call);
}

void ty_http_multi_free(struct ty_http_multi *h)
{
    if (!h)
        return;
    for (struct ty_http_multi_call *call = h->calls, *next; call; call = next) {
        next = call->next;
        call_free(call);
    }
    if (h->multi)
        h->curl.multi_cleanup(h->multi);
    ty_curl_done(&h->curl);
    free(h);
}

int ty_http_multi_call_status(const struct ty_http_multi_call *call)
{
    long status = 0;
    call->http->curl.easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &status);
    return (int)status;
}

const char *ty_http_multi_call_header(const struct ty_http_multi_call *call, const char *name)
{
    struct curl_header *found = NULL;
    if (call->http->curl.easy_header(call->easy, name, 0, CURLH_HEADER, -1, &found) != CURLHE_OK)
        return NULL;
    return found->value;
}

static size_t on_body(char *p, size_t size, size_t n, void *ctx)
{
    struct ty_http_multi_call *call = ctx;
    if (call->ask.body(call->ask.ctx, call, (struct ty_str){ p, size * n }) == 0)
        return size * n;
    call->refused = true;
    return 0; /* a short count makes libcurl end the transfer */
}

/* libcurl takes numbers as long and everything else as a pointer; a wrong width in a variable
 * argument list would go unnoticed, so each has its function. */
static void set_long(struct ty_http_multi_call *call, CURLoption o, long v)
{
    call->http->curl.easy_setopt(call->easy, o, v);
}
static void set_ptr(struct ty_http_multi_call *call, CURLoption o, const void *v)
{
    call->http->curl.easy_setopt(call->easy, o, v);
}

static void set_limits(struct ty_http_multi_call *call)
{
    const struct ty_http_multi_settings *s = &call->http->set;
    set_long(call, CURLOPT_CONNECTTIMEOUT, (long)s->connect_s);
    set_long(call, CURLOPT_LOW_SPEED_LIMIT, SLOW_BYTES);
    set_long(call, CURLOPT_LOW_SPEED_TIME, (long)s->stall_s);
    set_long(call, CURLOPT_NOSIGNAL, 1);
    set_long(call, CURLOPT_TCP_KEEPALIVE, 1);
    set_long(call, CURLOPT_BUFFERSIZE, RECEIVE_BYTES);
}

static void set_request(struct ty_http_multi_call *call)
{
    const struct ty_http_multi_request *ask = &call->ask;
    bool secure = strncmp(ask->url, "https:", 6) == 0;
    set_ptr(call, CURLOPT_URL, ask->url);
    set_long(call, CURLOPT_PATH_AS_IS, 1); /* "a/../b" is a valid name in an object store */
    set_ptr(call, CURLOPT_PROTOCOLS_STR, "http,https");
    set_ptr(call, CURLOPT_REDIR_PROTOCOLS_STR, secure ? "https" : "http,https");
    set_long(call, CURLOPT_FOLLOWLOCATION, ask->key == NULL);
    set_long(call, CURLOPT_MAXREDIRS, MAX_REDIRECTS);
    set_ptr(call, CURLOPT_USERAGENT, call->http->set.agent);
    if (call->http->set.ca_file)
        set_ptr(call, CURLOPT_CAINFO, call->http->set.ca_file);
    for (const char *const *line = ask->headers; line && *line; line++)
        call->headers = call->http->curl.slist_append(call->headers, *line);
    set_ptr(call, CURLOPT_HTTPHEADER, call->headers);
}

static void set_key(struct ty_http_multi_call *call, const struct ty_aws_key *key)
{
    char provider[128];
    snprintf(provider, sizeof(provider), "aws:amz:%s:%s", key->region, key->service);
    set_ptr(call, CURLOPT_AWS_SIGV4, provider);
    set_ptr(call, CURLOPT_USERNAME, key->id);
    set_ptr(call, CURLOPT_PASSWORD, key->secret);
}

int ty_http_multi_start(struct ty_http_multi *h, const struct ty_http_multi_request *ask,
                        struct ty_err *err)
{
    struct ty_http_multi_call *call = calloc(1, sizeof(*call));
    if (!call)
        abort();
    *call =
        (struct ty_http_multi_call){ .http = h, .ask = *ask, .next = h->calls, .at = &h->calls };
    call->easy = h->curl.easy_init();
    if (!call->easy)
        abort();
    if (h->calls)
        h->calls->at = &call->next;
    h->calls = call;

    set_limits(call);
    set_request(call);
    if (ask->key)
        set_key(call, ask->key);
    size_t (*write)(char *, size_t, size_t, void *) = on_body;
    h->curl.easy_setopt(call->easy, CURLOPT_WRITEFUNCTION, write);
    h->curl.easy_setopt(call->easy, CURLOPT_WRITEDATA, (void *)call);
    h->curl.easy_setopt(call->easy, CURLOPT_PRIVATE, (void *)call);
    h->curl.easy_setopt(call->easy, CURLOPT_ERRORBUFFER, call->error);
    CURLMcode r = h->curl.multi_add_handle(h->multi, call->easy);
    if (r == CURLM_OK)
        return 0;
    call_free(call);
    return ty_fail(err, -EIO, "cannot start a request: %s", h->curl.multi_strerror(r));
}

/* Errors that may be temporary are LOST. */
static enum ty_http_multi_outcome how_of(CURLcode r, const struct ty_http_multi_call *call)
{
    if (r == CURLE_OK)
        return TY_HTTP_MULTI_DONE;
    if (call->refused)
        return TY_HTTP_MULTI_FATAL;
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
            return TY_HTTP_MULTI_LOST;
    return TY_HTTP_MULTI_FATAL;
}

static void finish_call(struct ty_http_multi *h, const CURLMsg *msg)
{
    char *p = NULL;
    h->curl.easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &p);
    struct ty_http_multi_call *call = (struct ty_http_multi_call *)(void *)p;
    CURLcode r = msg->data.result; /* msg is invalid after the removal below */
    const char *text = call->error[0] ? call->error : h->curl.easy_strerror(r);
    struct ty_http_multi_result end = {
        .how = how_of(r, call),
        .status = ty_http_multi_call_status(call),
        .text = r == CURLE_OK ? "" : text,
    };
    h->curl.multi_remove_handle(h->multi, call->easy);
    call->ask.end(call->ask.ctx, call, &end);
    call_free(call);
}

int ty_http_multi_poll(struct ty_http_multi *h, int wait_ms, struct ty_err *err)
{
    int running = 0, left = 0;
    const CURLMsg *msg;
    CURLMcode r = h->curl.multi_poll(h->multi, NULL, 0, wait_ms, NULL);
    if (r == CURLM_OK)
        r = h->curl.multi_perform(h->multi, &running);
    if (r != CURLM_OK)
        return ty_fail(err, -EIO, "cannot move requests on: %s", h->curl.multi_strerror(r));
    while ((msg = h->curl.multi_info_read(h->multi, &left)))
        if (msg->msg == CURLMSG_DONE)
            finish_call(h, msg);
    return 0;
}
