#include "fetch/retry.h"
#include "fetch/xml.h"
#include "json/json.h"

#include <time.h>

#define FIRST_MS  500
#define LONGEST_S 300 /* a longer Retry-After is not waited for */

int64_t ty_retry_after_s(const char *after, int64_t now_s)
{
    uint64_t s;
    struct tm tm = { 0 };
    if (ty_str_parse_u64(ty_str_trim(ty_str(after)), &s))
        return s > INT32_MAX ? INT32_MAX : (int64_t)s;
    const char *end = strptime(after, "%a, %d %b %Y %H:%M:%S GMT", &tm);
    if (!end)
        return -1;
    int64_t at = (int64_t)timegm(&tm);
    return at > now_s ? at - now_s : 0;
}

static bool is_passing(const struct ty_http_client_result *end)
{
    if (!end->whole)
        return end->lost;
    return end->status == 408 || end->status == 425 || end->status == 429 ||
           (end->status >= 500 && end->status != 501 && end->status != 505);
}

bool ty_retry_again(struct ty_retry *r, const struct ty_http_client_result *end, const char *after,
                    int64_t now_s, uint32_t dice, int64_t *ret_ms)
{
    if (!is_passing(end) || r->tries >= r->most)
        return false;
    int64_t asked = after && end->whole ? ty_retry_after_s(after, now_s) : -1;
    if (asked > LONGEST_S)
        return false;
    int64_t ms = FIRST_MS << (r->tries < 6 ? r->tries : 6);
    ms += ms * (dice % 256) /
          1024; /* up to a quarter of jitter: clients that failed together spread out */
    *ret_ms = asked * 1000 > ms ? asked * 1000 : ms;
    r->tries++;
    return true;
}

struct refusal { /* the content of <Error> */
    struct ty_arena *a;
    char *code, *message, *region;
};

static int read_refusal(void *ctx, const char *path, struct ty_str text, struct ty_err *err)
{
    (void)err;
    struct refusal *r = ctx;
    char **at = strcmp(path, "Error/Code") == 0      ? &r->code
                : strcmp(path, "Error/Message") == 0 ? &r->message
                : strcmp(path, "Error/Region") == 0  ? &r->region
                                                     : NULL;
    if (at)
        *at = ty_arena_cstr(r->a, text);
    return 0;
}

/* One line without control characters, for a terminal. */
static char *clean_line(struct ty_arena *a, struct ty_str s)
{
    char *out = ty_arena_printf(a, "%.*s", s.n > 300 ? 300 : (int)s.n, s.p);
    for (char *c = out; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = ' ';
    return out;
}

char *ty_retry_response_text(struct ty_arena *a, const struct ty_http_client_call *call,
                             struct ty_str body)
{
    int status = ty_http_client_status(call);
    const char *said = ty_http_client_header(call, "X-Error-Message"); /* the Hub */
    struct refusal xml = { .a = a };
    if (said)
        return ty_arena_printf(a, "%d: %s", status, clean_line(a, ty_str(said)));
    if (ty_str_contains(body, TY_LIT("<Error>")) &&
        ty_xml_parse(body, read_refusal, &xml, NULL) == 0 && xml.code) {
        const char *region = ty_http_client_header(call, "x-amz-bucket-region");
        region = xml.region ? xml.region : region;
        return ty_arena_printf(a, "%d: %s%s%s%s%s", status, clean_line(a, ty_str(xml.code)),
                               xml.message ? ": " : "",
                               xml.message ? clean_line(a, ty_str(xml.message)) : "",
                               region ? "; the bucket is in region " : "",
                               region ? clean_line(a, ty_str(region)) : "");
    }
    struct ty_str error = ty_json_str_at(ty_json_parse(a, body, NULL, NULL), "error");
    if (error.n)
        return ty_arena_printf(a, "%d: %s", status, clean_line(a, error));
    return ty_arena_printf(a, "%d", status);
}
