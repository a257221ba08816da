/* JSON and text answers. */
#include "serve/respond.h"

#include <strings.h>

void ty_respond_json(struct ty_http_request *q, int code, const struct ty_json *v)
{
    ty_auto_buf b = { 0 };

    ty_json_print(&b, v);
    ty_buf_chr(&b, '\n');
    ty_http_request_respond(q, code, "application/json", ty_buf_str(&b));
}

void ty_respond_failure(struct ty_http_request *q, int code, const char *reason,
                        const char *message)
{
    struct ty_arena *a = q->arena;
    struct ty_json *v = ty_json_object(a);

    ty_json_set(a, v, "metadata", ty_json_object(a)); /* as Go writes a Status */
    ty_json_set(a, v, "status", ty_json_cstr(a, "Failure"));
    ty_json_set(a, v, "message", ty_json_cstr(a, message));
    ty_json_set(a, v, "reason", ty_json_cstr(a, reason));
    ty_json_set(a, v, "code", ty_json_int(a, code));
    ty_respond_json(q, code, v);
}

void ty_respond_text(struct ty_http_request *q, int code, struct ty_str text)
{
    ty_http_request_add_header(q, "X-Content-Type-Options", "nosniff");
    ty_http_request_respond(q, code, "text/plain; charset=utf-8", text);
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Takes the next word off s. */
static struct ty_str next_word(struct ty_str *s)
{
    struct ty_str w = ty_str_trim(*s);
    size_t n = 0;

    while (n < w.n && !is_space(w.p[n]))
        n++;
    *s = (struct ty_str){ w.p ? w.p + n : NULL, w.n - n };
    return (struct ty_str){ w.p, n };
}

struct ty_str ty_respond_bearer(const struct ty_http_request *q)
{
    struct ty_str header = ty_str(ty_http_request_header(q, "Authorization"));
    struct ty_str scheme = next_word(&header), token = next_word(&header);
    const struct ty_str none = { "", 0 };

    if (scheme.n != 6 || strncasecmp(scheme.p, "bearer", 6) != 0 || next_word(&header).n)
        return none;
    return token.n ? token : none;
}
