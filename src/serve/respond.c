/* JSON and text answers. */
#include "serve/respond.h"

void ty_respond_json(struct ty_request *q, int code, const struct ty_json *v)
{
    ty_auto_buf b = { 0 };

    ty_json_print(&b, v);
    ty_buf_chr(&b, '\n');
    ty_request_answer(q, code, "application/json", ty_buf_str(&b));
}

void ty_respond_failure(struct ty_request *q, int code, const char *reason, const char *message)
{
    struct ty_arena *a = q->arena;
    struct ty_json *v = ty_json_object(a);

    ty_json_set(a, v, "status", ty_json_cstr(a, "Failure"));
    ty_json_set(a, v, "message", ty_json_cstr(a, message));
    ty_json_set(a, v, "reason", ty_json_cstr(a, reason));
    ty_json_set(a, v, "code", ty_json_int(a, code));
    ty_respond_json(q, code, v);
}

void ty_respond_text(struct ty_request *q, int code, struct ty_str text)
{
    ty_request_add(q, "X-Content-Type-Options", "nosniff");
    ty_request_answer(q, code, "text/plain; charset=utf-8", text);
}
