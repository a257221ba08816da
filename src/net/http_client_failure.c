/* What a failure of libcurl means: a message for the user, and whether a retry may help. libcurl's
 * codes are too coarse for that: a TLS handshake fails alike if the peer hangs up and if it knows
 * only old versions, a proxy's refusal and a broken connection are both receive errors. */
#include <gnutls/gnutls.h>

#include "net/http_client_inner.h"

/* In libcurl's message; the rest of the text follows it. */
static const char *why_no_handshake(const char *said)
{
    if (strstr(said, gnutls_alert_get_name(GNUTLS_A_PROTOCOL_VERSION)) ||
        strstr(said, gnutls_strerror(GNUTLS_E_UNSUPPORTED_VERSION_PACKET)))
        return ": the peer knows no TLS 1.2 or later";
    if (strstr(said, gnutls_strerror(GNUTLS_E_UNEXPECTED_PACKET)))
        return ": the peer does not speak TLS";
    return "";
}

/* The connection ended during the handshake; any other failure of it will happen again. */
static bool is_cut_handshake(const char *said)
{
    static const int codes[] = { GNUTLS_E_PREMATURE_TERMINATION, GNUTLS_E_PULL_ERROR,
                                 GNUTLS_E_PUSH_ERROR, GNUTLS_E_TIMEDOUT };

    for (size_t i = 0; i < TY_COUNT(codes); i++)
        if (strstr(said, gnutls_strerror(codes[i])))
            return true;
    return strcasestr(said, "timeout") || strstr(said, "reset by peer");
}

static bool is_passing(CURLcode r)
{
    static const CURLcode passing[] = {
        CURLE_COULDNT_RESOLVE_PROXY,
        CURLE_COULDNT_RESOLVE_HOST,
        CURLE_COULDNT_CONNECT,
        CURLE_PARTIAL_FILE,
        CURLE_OPERATION_TIMEDOUT,
        CURLE_GOT_NOTHING,
        CURLE_SEND_ERROR,
        CURLE_RECV_ERROR,
        CURLE_HTTP2,
        CURLE_HTTP2_STREAM,
        CURLE_AGAIN,
    };
    for (size_t i = 0; i < TY_COUNT(passing); i++)
        if (r == passing[i])
            return true;
    return false;
}

/* The status with which a proxy refused the tunnel; 0: none did. */
static int proxy_status(struct ty_http_client_call *call)
{
    long code = 0;

    call->client->curl.easy_getinfo(call->easy, CURLINFO_HTTP_CONNECTCODE, &code);
    return code >= 200 && code < 300 ? 0 : (int)code;
}

static const char *say(struct ty_http_client_call *call, const char *fmt, ...) TY_PRINTF(2, 3);
static const char *say(struct ty_http_client_call *call, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(call->said, sizeof(call->said), fmt, ap);
    va_end(ap);
    return call->said;
}

void ty_http_client_failure_describe(struct ty_http_client_call *call, CURLcode r,
                                     struct ty_http_client_result *end)
{
    const char *said = call->error[0] ? call->error : call->client->curl.easy_strerror(r);
    int refused = proxy_status(call);

    end->text = said;
    end->lost = is_passing(r);
    if (call->mistrusted) {
        end->text = "the server's certificate: its purpose is another than to be a server";
    } else if (r == CURLE_SSL_CONNECT_ERROR) {
        end->text = say(call, "%s%s", said, why_no_handshake(said));
        end->lost = is_cut_handshake(said);
    } else if ((r == CURLE_OUT_OF_MEMORY && call->headed) || strstr(said, "Too large response")) {
        end->text = "the server's headers are too large"; /* libcurl takes lines of 100 kB */
        end->lost = false;
    } else if (refused) {
        end->text = say(
            call, "the proxy answers %d%s", refused,
            refused == 407 ? ": put user:password@ before the host in the proxy's address" : "");
        end->lost = refused == 408 || refused == 429 || refused >= 500;
    } else if (call->garbled || strstr(said, "HTTP/0.9")) {
        end->text = "what answers there does not speak HTTP";
        end->lost = false;
    }
}
