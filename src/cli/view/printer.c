/* Writes each object when it is added: ten thousand TrainJobs need no more memory than one. */
#include "cli/view/printer.h"
#include "json/yaml.h"

static void flush_buf(struct ty_printer *p, struct ty_buf *b)
{
    if (p->code == TY_EXIT_OK)
        p->code = ty_cli_print_clean(p->cli, b);
}

static void flush_text(struct ty_printer *p, const char *text)
{
    ty_auto_buf b = { 0 };
    ty_buf_cstr(&b, text);
    flush_buf(p, &b);
}

void ty_printer_begin(struct ty_printer *p, const char *format)
{
    p->how = TY_PRINT_YAML;
    if (format && strcmp(format, "json") == 0)
        p->how = TY_PRINT_JSON;
    else if (format && strcmp(format, "name") == 0)
        p->how = TY_PRINT_NAME;
    if (p->how == TY_PRINT_JSON)
        flush_text(p, "{\n  \"apiVersion\": \"v1\",\n  \"kind\": \"List\",\n  \"items\": [");
}

/* A comment for values that are written on their key's line. */
static void note_origin(void *ctx, const struct ty_json *v, struct ty_buf *out)
{
    const char *text = ty_plan_origin_text(ctx, v->origin);
    if (text && (v->type < TY_JSON_ARRAY || v->n == 0))
        ty_buf_cstr(out, text);
}

static void redact_secret(struct ty_arena *a, struct ty_json *secret)
{
    static const char *const maps[] = { "data", "stringData" };
    for (size_t i = 0; i < 2; i++)
        ty_each_member (m, ty_json_get(secret, maps[i]))
            m->value = ty_json_cstr(a, "<redacted>");
}

static void print_yaml(struct ty_printer *p, struct ty_buf *b, const struct ty_json *obj,
                       const struct ty_plan *plan)
{
    const void *ctx = plan;
    struct ty_yaml_style style = { .note = p->origins && plan ? note_origin : NULL };
    memcpy(&style.ctx, &ctx, sizeof(ctx)); /* note_origin does not write to it */
    if (p->n)
        ty_buf_cstr(b, "---\n");
    ty_yaml_print(b, obj, &style);
}

/* Prints the object indented as an item of the list; JSON strings contain no newline. */
static void print_json(struct ty_printer *p, struct ty_buf *b, const struct ty_json *obj)
{
    ty_auto_buf one = { 0 };
    ty_json_pretty(&one, obj, 2, false);
    ty_buf_cstr(b, p->n ? ",\n    " : "\n    ");
    for (struct ty_str line, rest = ty_buf_str(&one); rest.p;) {
        rest = ty_str_cut(rest, '\n', &line);
        ty_buf_add(b, line);
        if (rest.p)
            ty_buf_cstr(b, "\n    ");
    }
}

/* As kubectl -o name: "jobset.jobset.x-k8s.io/name", "secret/name". */
static void print_name(struct ty_buf *b, const struct ty_kind *kind, const struct ty_json *obj)
{
    ty_buf_printf(b, "%s%s%s/%.*s\n", kind->singular, *kind->group ? "." : "", kind->group,
                  TY_ARG(ty_json_str_at(obj, "metadata.name")));
}

void ty_printer_add(struct ty_printer *p, struct ty_arena *a, const struct ty_kind *kind,
                    struct ty_json *obj, const struct ty_plan *plan)
{
    ty_auto_buf b = { 0 };
    if (p->redact && kind == &ty_kind_secret)
        redact_secret(a, obj);
    switch (p->how) {
    case TY_PRINT_YAML:
        print_yaml(p, &b, obj, plan);
        break;
    case TY_PRINT_JSON:
        print_json(p, &b, obj);
        break;
    case TY_PRINT_NAME:
        print_name(&b, kind, obj);
        break;
    }
    p->n++;
    flush_buf(p, &b);
}

void ty_printer_end(struct ty_printer *p)
{
    if (p->how == TY_PRINT_JSON)
        flush_text(p, p->n ? "\n  ]\n}\n" : "]\n}\n");
}
