/* Any bytes as the input from a server: a request gets no callbacks after its end or its
 * cancellation, and ends once. Callbacks start and cancel other requests. */
#include "net/h2.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ASKS 8 /* in all; the first three at once */

struct ask {
    struct server *s;
    int32_t id;
    bool started, over; /* has ended, or was cancelled */
    bool status;
};

struct server {
    struct ty_h2 *h2;
    struct ask asks[ASKS];
    size_t n;
};

static void check(bool good)
{
    if (!good)
        abort();
}

static void start(struct server *s)
{
    static const char body[70000] = "more than the window that HTTP/2 begins with";
    static const char *const methods[] = { "GET", "PATCH", "HEAD", "DELETE" };
    struct ask *a = &s->asks[s->n];
    if (s->n == ASKS)
        return;
    struct ty_h2_request ask = { .method = methods[s->n % 4],
                                 .authority = "far:1",
                                 .path = "/x",
                                 .body = { body, s->n % 2 ? sizeof(body) : 0 },
                                 .stream = a };
    a->s = s;
    a->id = ty_h2_start(s->h2, &ask);
    a->started = a->id > 0;
    s->n += a->started;
}

static void cancel(struct server *s, size_t i)
{
    if (!s->asks[i].started || s->asks[i].over)
        return;
    s->asks[i].over = true;
    ty_h2_cancel(s->h2, s->asks[i].id);
}

static void on_sent(void *stream)
{
    check(!((struct ask *)stream)->over);
}

static void on_header(void *stream, struct ty_str name, struct ty_str value)
{
    struct ask *a = stream;
    check(!a->over && name.n);
    check(!memchr(name.p, '\0', name.n) && !memchr(value.p, '\0', value.n));
    a->status = a->status || ty_str_is(name, ":status"); /* if it never comes, it is not whole */
}

static void on_piece(void *stream, struct ty_str piece)
{
    struct ask *a = stream;
    check(!a->over && a->status);
    if (piece.n && piece.p[0] == 'c')
        cancel(a->s, (size_t)(a - a->s->asks)); /* itself */
    else if (piece.n && piece.p[0] == 'o')
        cancel(a->s, (size_t)(a - a->s->asks + 1) % ASKS);
}

static void on_end(void *stream, enum ty_h2_outcome how, const char *why)
{
    struct ask *a = stream;
    check(!a->over && why && (a->status || how != TY_H2_WHOLE));
    a->over = true;
    start(a->s);
}

static void serve(struct ty_str bytes, size_t step)
{
    static const struct ty_h2_events events = { on_sent, on_header, on_piece, on_end };
    struct server s = { .h2 = ty_h2_new(&events) };
    struct ty_err err = { 0 };
    int r = 0;

    for (int i = 0; i < 3; i++)
        start(&s);
    for (size_t at = 0; r == 0 && !ty_h2_over(s.h2) && at < bytes.n; at += step) {
        while (ty_h2_take(s.h2).n)
            ;
        size_t n = bytes.n - at < step ? bytes.n - at : step;
        r = ty_h2_feed(s.h2, (struct ty_str){ bytes.p + at, n }, &err);
        check(r == 0 || err.text[0]);
    }
    ty_h2_free(s.h2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ty_str bytes = { (const char *)data, size };
    serve(bytes, size + 1);
    serve(bytes, 7);
    return 0;
}
