/* Error messages. A message is formatted into a local buffer first, so that a caller may pass the
 * old err->text as an argument of the new message. */
#include "base/err.h"

#include <errno.h>
#include <stdbool.h>

/* A truncated message must not end inside a UTF-8 character: it may become JSON. */
static void trim_utf8(char *text, size_t n)
{
    size_t i = n;
    while (i > 0 && n - i < 3 && ((unsigned char)text[i - 1] & 0xc0) == 0x80)
        i--;
    if (i == 0 || (unsigned char)text[i - 1] < 0xc0)
        return;
    unsigned char lead = (unsigned char)text[i - 1];
    size_t want = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (n - (i - 1) < want)
        text[i - 1] = '\0';
}

static void write_text(struct ty_err *err, const char *text, int n)
{
    size_t len = n < 0 ? 0 : (size_t)n;
    bool cut = len >= sizeof(err->text);
    if (cut)
        len = sizeof(err->text) - 1;
    memcpy(err->text, text, len);
    err->text[len] = '\0';
    if (cut)
        trim_utf8(err->text, len);
}

int ty_fail(struct ty_err *err, int code, const char *fmt, ...)
{
    if (!err)
        return code;
    char text[sizeof(err->text)];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    write_text(err, text, n);
    err->code = code;
    return code;
}

int ty_wrap(struct ty_err *err, const char *fmt, ...)
{
    if (!err)
        return -EINVAL; /* the caller did not ask for the code */
    char head[sizeof(err->text)], text[sizeof(err->text)];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(head, sizeof(head), fmt, ap);
    va_end(ap);
    if (n >= 0) {
        n = snprintf(text, sizeof(text), "%s: %s", head, err->text);
        write_text(err, text, n);
    }
    return err->code;
}
