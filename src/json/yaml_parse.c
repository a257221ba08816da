/* The YAML parser: checks the text, parses JSON as JSON, else lets libfyaml produce events for each
 * document, from which the builder makes a tree. libfyaml's diagnostics are collected, never
 * printed. */
#include "json/yaml.h"

#include <errno.h>
#include <libfyaml.h>

#include "json/yaml_inner.h"

struct yaml_reader {
    struct ty_arena *a;
    const char *name;
    struct ty_json_limits limits; /* without zeros: defaults are filled in */
    struct ty_json *docs;         /* a list while reading */
    struct ty_yaml_build *build;
    struct ty_yaml_part part;
    struct ty_yaml_mark last; /* position of the last event */
    struct fy_token_iter *iter;
};

/* JSON. The JSON parser is stricter, faster and uses less memory; what it refuses may still be
 * YAML. */

/* The end of the bracketed value at p, or NULL. Only counts brackets: the parser checks the rest.
 */
static const char *json_end(const char *p, const char *end)
{
    size_t depth = 0;
    bool quoted = false;
    for (; p < end; p++) {
        if (*p == '"')
            quoted = !quoted;
        else if (quoted && *p == '\\')
            p++; /* skip the escaped character */
        else if (!quoted && (*p == '{' || *p == '['))
            depth++;
        else if (!quoted && (*p == '}' || *p == ']') && --depth == 0)
            return p + 1;
    }
    return NULL;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Makes positions relative to the whole text, and normalizes numbers as in YAML. */
static bool adopt_json(struct yaml_reader *r, struct ty_json *v, struct ty_yaml_mark start)
{
    if (v->line == 1)
        v->col += start.col - 1;
    v->line += start.line - 1;
    if (v->type == TY_JSON_NUMBER)
        return ty_yaml_number_parse(r->a, (struct ty_str){ v->s, v->n }, v);
    ty_each_item (it, v)
        if (!adopt_json(r, *it, start))
            return false;
    ty_each_member (m, v)
        if (!adopt_json(r, m->value, start))
            return false;
    return true;
}

/* Parses a text of JSON objects and lists with white space in between; false if it is anything
 * else. */
static bool read_json(struct yaml_reader *r, struct ty_str text)
{
    const char *p = text.p, *end = text.p + text.n;
    struct ty_yaml_mark at = { 1, 1 };
    for (;;) {
        for (; p < end && is_space(*p); p++)
            at = *p == '\n' ? (struct ty_yaml_mark){ at.line + 1, 1 }
                            : (struct ty_yaml_mark){ at.line, at.col + 1 };
        if (p == end)
            return r->docs->n > 0;
        if (*p != '{' && *p != '[')
            return false;
        const char *next = json_end(p, end);
        struct ty_json *v = NULL;
        if (next)
            v = ty_json_parse(r->a, (struct ty_str){ p, (size_t)(next - p) }, &r->limits, NULL);
        if (!v || !adopt_json(r, v, at))
            return false;
        ty_json_push(r->a, r->docs, v);
        for (; p < next; p++)
            at = *p == '\n' ? (struct ty_yaml_mark){ at.line + 1, 1 }
                            : (struct ty_yaml_mark){ at.line, at.col + 1 };
    }
}

/* libfyaml */

static bool is_inside(struct ty_str all, const char *p, size_t n)
{
    return (uintptr_t)p >= (uintptr_t)all.p && (uintptr_t)p + n <= (uintptr_t)all.p + all.n;
}

/* The text of a token. Read in chunks, because libfyaml returns a wrong total length for some
 * scalars. Text inside the input is borrowed, other text is copied. */
static struct ty_str take_text(struct yaml_reader *r, struct fy_token *token)
{
    const struct fy_iter_chunk *piece = NULL;
    struct ty_str first = { "", 0 };
    ty_auto_buf joined = { 0 };
    int error = 0;
    if (!token)
        return first;
    fy_token_iter_start(token, r->iter);
    while ((piece = fy_token_iter_chunk_next(r->iter, piece, &error))) {
        if (first.n == 0 && joined.n == 0 && is_inside(r->part.text, piece->str, piece->len)) {
            first = (struct ty_str){ piece->str, piece->len };
            continue;
        }
        ty_buf_add(&joined, first); /* chunks outside the input are valid only until the next one */
        ty_buf_put(&joined, piece->str, piece->len);
        first.n = 0;
    }
    fy_token_iter_finish(r->iter);
    if (joined.n == 0)
        return first;
    return ty_arena_str(r->a, ty_buf_str(&joined));
}

static struct ty_str take_scalar(struct yaml_reader *r, struct fy_token *token)
{
    const struct fy_mark *from = fy_token_start_mark(token), *to = fy_token_end_mark(token);
    enum fy_scalar_style style = fy_token_scalar_style(token);
    bool quoted = style == FYSS_DOUBLE_QUOTED || style == FYSS_SINGLE_QUOTED;
    struct ty_str text;
    if (!quoted || !from || !to)
        return take_text(r, token);
    struct ty_str raw = { r->part.text.p + from->input_pos, to->input_pos - from->input_pos };
    if (ty_yaml_unquote(r->a, raw, style == FYSS_DOUBLE_QUOTED ? '"' : '\'', &text))
        return text;
    return take_text(r, token);
}

/* libfyaml's position is behind an opening quote, and behind the star of an alias. */
static bool points_behind(const struct fy_event *e)
{
    if (e->type != FYET_SCALAR)
        return e->type == FYET_ALIAS;
    enum fy_scalar_style style = fy_token_scalar_style(e->scalar.value);
    return style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
}

static struct ty_yaml_mark place_of(const struct yaml_reader *r, struct fy_event *e)
{
    const struct fy_mark *mark = fy_event_start_mark(e);
    if (!mark)
        return r->last;
    uint32_t col = (uint32_t)mark->column + 1;
    return (struct ty_yaml_mark){ r->part.line + (uint32_t)mark->line,
                                  col - (col > 1 && points_behind(e)) };
}

/* False for events that the builder does not need. */
static bool translate_event(struct yaml_reader *r, struct fy_event *e, struct ty_yaml_event *ret)
{
    *ret = (struct ty_yaml_event){ .at = place_of(r, e) };
    r->last = ret->at;
    switch (e->type) {
    case FYET_SCALAR:
        ret->kind = TY_YAML_SCALAR;
        ret->scalar.text = take_scalar(r, e->scalar.value);
        ret->scalar.plain = fy_token_scalar_style(e->scalar.value) == FYSS_PLAIN;
        break;
    case FYET_SEQUENCE_START:
    case FYET_MAPPING_START:
        ret->kind = e->type == FYET_MAPPING_START ? TY_YAML_MAPPING : TY_YAML_LIST;
        ret->flow = fy_event_get_node_style(e) == FYNS_FLOW;
        break;
    case FYET_SEQUENCE_END:
    case FYET_MAPPING_END:
        ret->kind = TY_YAML_END;
        return true;
    case FYET_ALIAS:
        ret->kind = TY_YAML_ALIAS;
        ret->anchor = take_text(r, e->alias.anchor);
        return true;
    case FYET_NONE:
    case FYET_STREAM_START:
    case FYET_STREAM_END:
    case FYET_DOCUMENT_START:
    case FYET_DOCUMENT_END:
        return false;
    }
    ret->anchor = take_text(r, fy_event_get_anchor_token(e));
    ret->scalar.tag = take_text(r, fy_event_get_tag_token(e));
    return true;
}

/* The position of the part's last character. */
static struct ty_yaml_mark end_of(const struct ty_yaml_part *part)
{
    struct ty_yaml_mark at = { part->line, 0 };
    struct ty_str s = ty_str_trim(part->text);
    for (const char *p = part->text.p; p < s.p + s.n; p++)
        at = *p == '\n' ? (struct ty_yaml_mark){ at.line + 1, 0 }
                        : (struct ty_yaml_mark){ at.line, at.col + 1 };
    return at;
}

/* The parser stopped at the end of the text, inside brackets. */
static bool is_unclosed(const struct yaml_reader *r, struct ty_yaml_mark at)
{
    struct ty_yaml_mark last = end_of(&r->part);
    return at.line > last.line || (at.line == last.line && at.col > last.col);
}

/* Finds a tab in the indentation of a line. libfyaml often points behind it, or complains about
 * something else: a line that a tab indents continues the text of the line before, so that the
 * error may be up to there, at a key of several lines. */
static bool find_tab(const struct ty_yaml_part *part, bool several, struct ty_yaml_mark *at)
{
    struct ty_str line, rest = part->text;
    for (uint32_t n = part->line; rest.p; n++) {
        rest = ty_str_cut(rest, '\n', &line);
        size_t indent = 0;
        while (indent < line.n && line.p[indent] == ' ')
            indent++;
        if (n >= at->line && indent < line.n && line.p[indent] == '\t') {
            *at = (struct ty_yaml_mark){ n, (uint32_t)indent + 1 };
            return true;
        }
        if (n >= at->line && (!several || (n > at->line && memchr(line.p, ':', line.n))))
            return false;
    }
    return false;
}

/* Builds one error message from the collected diagnostics. */
static int fail_from_diag(struct yaml_reader *r, struct fy_diag *diag, struct ty_err *err)
{
    void *iter = NULL;
    const struct fy_diag_error *e = fy_diag_errors_iterate(diag, &iter);
    struct ty_yaml_mark at = r->last, open_at = { 0 };
    const char *msg = e && e->msg ? e->msg : "";
    if (e && e->line > 0)
        at = (struct ty_yaml_mark){ r->part.line + (uint32_t)e->line - 1,
                                    e->column > 0 ? (uint32_t)e->column : 1 };
    char open = ty_yaml_build_open(r->build, &open_at);
    bool quote = strstr(msg, "without closing quote");
    if (open == '-' && strstr(msg, "expected node content"))
        return TY_YAML_FAIL(err, r->name, at, "the list item before this is %s",
                            "empty; write null if that is meant");
    if ((open == '[' || open == '{') && !quote && is_unclosed(r, at))
        return TY_YAML_FAIL(err, r->name, open_at, "this %c is never closed", open);
    if (quote && at.col > 1)
        at.col--; /* libfyaml points behind it */
    if (!quote && open != '[' && open != '{' && find_tab(&r->part, strstr(msg, "multiline"), &at))
        msg = "tab"; /* inside brackets it may indent */
    return TY_YAML_FAIL(err, r->name, at, "%s",
                        *msg ? ty_yaml_diag_text(r->a, msg) : "this is not YAML");
}

static int take_event(struct yaml_reader *r, const struct ty_yaml_event *ev, struct ty_err *err)
{
    if (r->limits.plain && ev->kind == TY_YAML_ALIAS)
        return TY_YAML_FAIL(err, r->name, ev->at, "%s", "aliases are not taken here");
    if (ty_arena_full(r->a))
        return ty_fail(err, -EFBIG, "%s:%u:%u: the text takes too much memory", r->name,
                       ev->at.line, ev->at.col);
    return ty_yaml_build_add(r->build, ev, err);
}

static int run_parser(struct yaml_reader *r, struct fy_parser *parser, struct fy_diag *diag,
                      struct ty_err *err)
{
    for (;;) {
        struct ty_yaml_event ev;
        struct fy_event *e = fy_parser_parse(parser);
        if (!e)
            return fy_parser_get_stream_error(parser) ? fail_from_diag(r, diag, err) : 0;
        int done = translate_event(r, e, &ev) ? take_event(r, &ev, err) : 0;
        fy_parser_event_free(parser, e);
        if (done < 0)
            return done;
    }
}

static int read_part(struct yaml_reader *r, struct ty_err *err)
{
    struct fy_diag_cfg diag_cfg = { .level = FYET_ERROR, .module_mask = ~0u };
    struct fy_diag *diag = fy_diag_create(&diag_cfg);
    struct fy_parse_cfg cfg = {
        .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE |
                 FYPCF_SLOPPY_FLOW_INDENTATION | FYPCF_DISABLE_DEPTH_LIMIT,
        .diag = diag,
    };
    if (!diag)
        return ty_fail(err, -ENOMEM, "%s:1:1: out of memory", r->name);
    fy_diag_set_collect_errors(diag, true);
    struct fy_parser *parser = fy_parser_create(&cfg);
    int done = -ENOMEM;
    if (!parser || fy_parser_set_string(parser, r->part.text.p, r->part.text.n) != 0)
        ty_fail(err, -ENOMEM, "%s:1:1: out of memory", r->name);
    else
        done = run_parser(r, parser, diag, err);
    fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    return done;
}

static int read_parts(struct yaml_reader *r, struct ty_str text, struct ty_err *err)
{
    uint32_t line = 1;
    while (ty_yaml_text_next(&text, &line, &r->part)) {
        r->last = (struct ty_yaml_mark){ r->part.line, 1 };
        int done = read_part(r, err);
        if (done < 0)
            return done;
        struct ty_json *doc = ty_yaml_build_take(r->build);
        if (doc && doc->type != TY_JSON_NULL)
            ty_json_push(r->a, r->docs, doc);
    }
    return 0;
}

static int read_yaml(struct yaml_reader *r, struct ty_str text, struct ty_err *err)
{
    int done = ty_yaml_text_check(r->name, text, err);
    if (done < 0)
        return done;
    r->docs = ty_json_array(r->a);
    r->build = ty_yaml_build_new(r->a, r->name, r->limits.depth);
    r->iter = fy_token_iter_create(NULL);
    done = r->iter ? read_parts(r, text, err)
                   : ty_fail(err, -ENOMEM, "%s:1:1: out of memory", r->name);
    fy_token_iter_destroy(r->iter);
    ty_yaml_build_free(r->build);
    return done;
}

int ty_yaml_parse(struct ty_arena *a, const char *name, struct ty_str text,
                  const struct ty_json_limits *limits, struct ty_yaml_docs *ret_docs,
                  struct ty_err *err)
{
    struct yaml_reader r = { .a = a, .name = name, .docs = ty_json_array(a) };
    r.limits.bytes = limits && limits->bytes ? limits->bytes : TY_JSON_MAX_BYTES;
    r.limits.depth = limits && limits->depth ? limits->depth : TY_JSON_MAX_DEPTH;
    r.limits.plain = limits && limits->plain;
    if (text.n > r.limits.bytes || text.n > INT32_MAX)
        return ty_fail(err, -E2BIG, "%s:1:1: the text has %zu bytes, more than the %zu allowed",
                       name, text.n, r.limits.bytes);
    if (ty_str_starts(text, TY_LIT("\xef\xbb\xbf")))
        text = (struct ty_str){ text.p + 3, text.n - 3 };
    if (text.n > 0 && !read_json(&r, text)) {
        int done = read_yaml(&r, text, err);
        if (done < 0)
            return done;
    }
    *ret_docs = (struct ty_yaml_docs){ r.docs->items, r.docs->n };
    return 0;
}
