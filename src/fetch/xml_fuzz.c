/* Any text: it is refused with a message, or every element that ends has the reported path. */
#include "fetch/xml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
    if (!good)
        abort();
}

struct seen {
    size_t ends, bytes;
    bool root;
};

static int note(void *ctx, const char *path, struct ty_str text, struct ty_err *err)
{
    struct seen *s = ctx;
    (void)err;
    check(path[0] && path[0] != '/' && path[strlen(path) - 1] != '/' && !s->root);
    s->root = !strchr(path, '/');
    s->ends++;
    s->bytes += text.n;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct seen s = { 0 };
    struct ty_err err = { 0 };
    int r = ty_xml_parse((struct ty_str){ (const char *)data, size }, note, &s, &err);
    check((r < 0) == (err.text[0] != '\0'));
    check(r < 0 || s.root);                  /* the last end is the root's */
    check(s.bytes + 4 * s.ends <= size + 1); /* nothing grows, "<a/>" is the shortest element */
    return 0;
}
