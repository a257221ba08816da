/* The YAML printer, in the style of kubectl. Notes are comments at the end of a value's line; a
 * note is omitted if it equals that of the enclosing value. */
#include "json/yaml.h"

#include "json/json_inner.h"
#include "json/yaml_inner.h"

enum { LONGEST_KEY = 1000 }; /* YAML wants "key:" within 1024 characters; longer ones need "? " */

/* A slice of printer.notes, which is used as a stack; empty: none. */
struct note {
    size_t at, n;
};

struct printer {
    struct ty_buf *out;
    const struct ty_yaml_style *style;
    struct ty_buf notes;
};

/* The context in which a value is printed. */
struct spot {
    size_t indent;      /* of the key or dash of the list or mapping */
    struct note around; /* the note that applies to the whole enclosing value */
    struct note owed;   /* to be printed at the end of the next line */
};

static struct note ask_note(struct printer *p, const struct ty_json *v)
{
    size_t at = p->notes.n;
    if (p->style->note)
        p->style->note(p->style->ctx, v, &p->notes);
    return (struct note){ at, p->notes.n - at };
}

static bool same_note(const struct printer *p, struct note a, struct note b)
{
    return a.n == b.n && (a.n == 0 || memcmp(p->notes.p + a.at, p->notes.p + b.at, a.n) == 0);
}

/* The note that must be printed for a value with this note, in this context. */
static struct note to_say(const struct printer *p, struct note own, const struct spot *at)
{
    if (at->owed.n > 0)
        return at->owed;
    return same_note(p, own, at->around) ? (struct note){ 0 } : own;
}

static void end_line(struct printer *p, struct note say)
{
    if (say.n > 0)
        ty_buf_cstr(p->out, " # ");
    for (size_t i = 0; i < say.n; i++) {
        char c = p->notes.p[say.at + i];
        ty_buf_chr(p->out, (unsigned char)c < 0x20 || c == 0x7f ? ' ' : c); /* one line */
    }
    ty_buf_chr(p->out, '\n');
}

static void put_indent(struct printer *p, size_t indent)
{
    while (indent-- > 0)
        ty_buf_chr(p->out, ' ');
}

static bool is_nested(const struct ty_json *v)
{
    return ty_json_len(v) > 0;
}

/* A scalar or an empty list or mapping, to the end of its line and of its block. */
static void put_leaf(struct printer *p, const struct ty_json *v, struct note say, size_t indent,
                     bool one_line)
{
    struct ty_str s = ty_json_as_str(v);
    enum ty_yaml_quoting how = TY_YAML_PLAIN;
    if (v->type == TY_JSON_STRING) {
        how = ty_yaml_quote_choose(s, one_line);
        if (how == TY_YAML_BLOCK)
            ty_yaml_quote_header(p->out, s);
        else
            ty_yaml_quote_put(p->out, s, how);
    } else if (v->type == TY_JSON_NUMBER && v->n == 2 && memcmp(v->s, "-0", 2) == 0) {
        ty_buf_cstr(p->out, "-0.0"); /* "-0" would be read as the integer 0 */
    } else {
        ty_json_print(p->out, v);
    }
    end_line(p, say);
    if (how == TY_YAML_BLOCK)
        ty_yaml_quote_block(p->out, s, indent + 2);
}

static void put_nested(struct printer *p, const struct ty_json *v, struct spot at, bool inside);

static void put_member(struct printer *p, const struct ty_json_member *m, const struct spot *at)
{
    size_t notes = p->notes.n;
    struct note own = ask_note(p, m->value), say = to_say(p, own, at);
    enum ty_yaml_quoting how = ty_yaml_quote_choose(m->key, true);
    if (m->key.n > LONGEST_KEY)
        ty_buf_cstr(p->out, "? ");
    ty_yaml_quote_put(p->out, m->key, how);
    if (m->key.n > LONGEST_KEY) {
        ty_buf_chr(p->out, '\n');
        put_indent(p, at->indent);
    }
    ty_buf_chr(p->out, ':');
    if (is_nested(m->value)) {
        end_line(p, say);
        size_t deeper = m->value->type == TY_JSON_OBJECT ? 2 : 0;
        struct spot in = { at->indent + deeper, own.n > 0 ? own : at->around, { 0 } };
        put_nested(p, m->value, in, false);
    } else {
        ty_buf_chr(p->out, ' ');
        put_leaf(p, m->value, say, at->indent, false);
    }
    p->notes.n = notes;
}

/* The value that is printed first. */
static const struct ty_json *first_of(const struct printer *p, const struct ty_json *v)
{
    if (v->type == TY_JSON_ARRAY)
        return v->items[0];
    const struct ty_json_member *first = v->members;
    for (uint32_t i = 1; i < v->n && p->style->sorted; i++)
        if (ty_str_cmp(v->members[i].key, first->key) < 0)
            first = &v->members[i];
    return first->value;
}

/* A list or mapping without a line of its own (in a list, or at the root): its note goes to the
 * line of its first value, unless that has another note; then every value inside prints its own. */
static void put_lineless(struct printer *p, const struct ty_json *v, const struct spot *at,
                         size_t indent)
{
    size_t notes = p->notes.n;
    struct note own = ask_note(p, v), say = to_say(p, own, at), first = ask_note(p, first_of(p, v));
    struct spot in = { indent, own.n > 0 ? own : at->around, say };
    if (say.n > 0 && first.n > 0 && !same_note(p, first, say)) {
        in.owed.n = 0;
        in.around = at->around;
    }
    put_nested(p, v, in, true);
    p->notes.n = notes;
}

static void put_item(struct printer *p, const struct ty_json *v, const struct spot *at)
{
    size_t notes = p->notes.n;
    ty_buf_cstr(p->out, "- ");
    if (is_nested(v)) {
        put_lineless(p, v, at, at->indent + 2);
    } else {
        struct note own = ask_note(p, v);
        put_leaf(p, v, to_say(p, own, at), at->indent, false);
    }
    p->notes.n = notes;
}

/* The lines of a list or mapping that is not empty. `inside`: its first line has begun. */
static void put_nested(struct printer *p, const struct ty_json *v, struct spot at, bool inside)
{
    bool map = v->type == TY_JSON_OBJECT;
    const struct ty_json_member **sorted =
        map && p->style->sorted ? ty_json_members_sorted(v->members, v->n) : NULL;
    for (uint32_t i = 0; i < v->n; i++) {
        if (i > 0 || !inside)
            put_indent(p, at.indent);
        if (map)
            put_member(p, sorted ? sorted[i] : &v->members[i], &at);
        else
            put_item(p, v->items[i], &at);
        at.owed.n = 0;
    }
    free(sorted);
}

void ty_yaml_print(struct ty_buf *out, const struct ty_json *v, const struct ty_yaml_style *style)
{
    static const struct ty_yaml_style plain = { 0 };
    struct printer p = { .out = out, .style = style ? style : &plain };
    const struct spot root = { 0 };
    if (is_nested(v)) {
        put_lineless(&p, v, &root, 0);
    } else {
        struct note own = ask_note(&p, v);
        put_leaf(&p, v, own, 0, true);
    }
    ty_buf_done(&p.notes);
}
