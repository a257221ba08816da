/* Turns documents into objects: splits lists, determines kinds, finds duplicates. files.c reads the
 * files. */
#include "cli/inputs.h"
#include "base/str.h"
#include "cli/files.h"
#include "json/yaml.h"
#include <stdarg.h>

const struct ty_kind ty_kind_other = {
    .group = "", .version = "", .kind = "object", .plural = "objects", .singular = "object"
};

static void append_error(struct ty_inputs *in, struct ty_input_error *t)
{
    ty_append(in->input_errors, in->input_errors_last, t);
    in->n_input_errors += !t->warning;
}

TY_PRINTF(4, 5)
static void add_error(struct ty_inputs *in, const char *file, const struct ty_json *at,
                      const char *fmt, ...)
{
    struct ty_input_error *t = ty_new(in->cli->arena, struct ty_input_error);
    va_list ap;
    va_start(ap, fmt);
    t->text = ty_arena_vprintf(in->cli->arena, fmt, ap);
    va_end(ap);
    t->file = file;
    t->line = at ? at->line : 0;
    t->col = at ? at->col : 0;
    append_error(in, t);
}

/* ---- V1 jobs and batch scripts ---- */

static void take_note(struct ty_inputs *in, const char *file, const struct ty_convert_note *n,
                      bool warning)
{
    struct ty_input_error *t = ty_new(in->cli->arena, struct ty_input_error);
    *t =
        (struct ty_input_error){ .file = file, .line = n->line, .col = n->col, .warning = warning };
    t->text = ty_arena_printf(in->cli->arena, "%s%s%s", n->path, *n->path ? ": " : "", n->text);
    append_error(in, t);
}

static void take_converted(struct ty_inputs *in, const char *file, struct ty_str what,
                           const struct ty_convert_result *done)
{
    for (const struct ty_convert_note *n = done->warnings; n; n = n->next)
        take_note(in, file, n, true);
    if (done->bad) {
        take_note(in, file, done->bad, false);
        return;
    }
    struct ty_str name = ty_json_str_at(done->job, "metadata.name");
    if (!in->quiet_convert)
        ty_cli_msg(in->cli, TY_MSG_NOTE,
                   "%s:%u: %.*s %.*s is converted to a TrainJob ('trainyard convert' shows it)",
                   file, done->job->line, TY_ARG(what), TY_ARG(name));
    if (done->runtime)
        ty_inputs_add(in, file, done->runtime, &ty_kind_trainingruntime);
    ty_inputs_add(in, file, done->job, &ty_kind_trainjob);
}

static void take_v1(struct ty_inputs *in, const char *file, const struct ty_json *obj)
{
    struct ty_convert_result done;
    ty_convert(in->cli->arena, obj, &in->convert, &done);
    take_converted(in, file, ty_json_str_at(obj, "kind"), &done);
}

static void take_script(struct ty_inputs *in, const char *file, struct ty_str text)
{
    struct ty_convert_result done;
    ty_convert_sbatch(in->cli->arena, file, text, &done);
    take_converted(in, file, TY_LIT("batch script"), &done);
}

static void keep_other(struct ty_inputs *in, const char *file, struct ty_json *obj)
{
    ty_inputs_add(in, file, obj, &ty_kind_other)->name = (struct ty_str){ 0 }; /* no duplicates */
}

/* Splits the parser's "NAME:LINE:COL: text" into position and text of an input error. */
static void syntax_error(struct ty_inputs *in, const char *file, const char *sentence)
{
    struct ty_json place = { 0 };
    size_t n = strlen(file);
    const char *text = sentence;
    if (strncmp(sentence, file, n) == 0 && sentence[n] == ':') {
        text = sentence + n + 1;
        char *end = NULL;
        unsigned long line = strtoul(text, &end, 10);
        if (end > text && *end == ':') {
            place.line = (uint32_t)line;
            text = end + 1;
            unsigned long col = strtoul(text, &end, 10);
            if (end > text && *end == ':') {
                place.col = (uint32_t)col;
                text = end + 1;
            }
        }
        text += *text == ' ';
    }
    add_error(in, file, &place, "%s", text);
}

static void pass_over(struct ty_inputs *in, const char *file, const struct ty_json *at,
                      const char *what)
{
    ty_cli_msg(in->cli, TY_MSG_NOTE, "%s:%u: %s is passed over", file, at->line, what);
    in->n_left_out++;
}

const char *ty_inputs_option(struct ty_arena *a, const struct ty_doc *doc, const struct ty_json *at)
{
    size_t i = at->line & ~TY_JSON_OPTION;

    if (!(at->line & TY_JSON_OPTION) || !doc->sets || i >= doc->sets->n)
        return NULL;
    return ty_arena_printf(a, "--set %s", doc->sets->v[i]);
}

const char *ty_inputs_removed(struct ty_arena *a, const struct ty_doc *doc, const char *path)
{
    for (size_t i = doc->removed ? doc->removed->n : 0; i > 0; i--) {
        const char *word = doc->removed->v[i - 1];
        size_t n = strcspn(word, "=");
        if (strncmp(path, word, n) == 0 && (path[n] == '\0' || path[n] == '.' || path[n] == '['))
            return ty_arena_printf(a, "--set %s", word);
    }
    return NULL;
}

const char *ty_inputs_place(struct ty_arena *a, const struct ty_doc *doc, const struct ty_json *at)
{
    const char *option = ty_inputs_option(a, doc, at);

    if (option)
        return option;
    bool known = at->line && !(at->line & TY_JSON_OPTION);
    return known ? ty_arena_printf(a, "%s:%u", doc->file, at->line) : doc->file;
}

struct ty_doc *ty_inputs_add(struct ty_inputs *in, const char *file, struct ty_json *obj,
                             const struct ty_kind *kind)
{
    ty_room(in->cli->arena, in->v, in->n, in->cap);
    struct ty_doc *d = ty_new(in->cli->arena, struct ty_doc);
    *d = (struct ty_doc){
        .file = file,
        .obj = obj,
        .kind = kind,
        .ns = ty_json_str_at(obj, "metadata.namespace"),
        .name = ty_json_str_at(obj, "metadata.name"),
    };
    in->v[in->n++] = d;
    return d;
}

/* A TrainJob with a misspelled apiVersion must not be skipped as an unknown kind. */
static bool nearly_ours(struct ty_inputs *in, const char *file, const struct ty_json *obj)
{
    struct ty_str version = ty_json_str_at(obj, "apiVersion"), kind = ty_json_str_at(obj, "kind");
    const char *names[8];
    size_t n = 0;
    for (const struct ty_kind *const *k = ty_kinds; *k; k++) {
        if (!(*k)->ours)
            continue;
        if (n < 8)
            names[n++] = (*k)->kind;
        if (!ty_str_is(kind, (*k)->kind))
            continue;
        add_error(in, file, ty_json_get(obj, "apiVersion"),
                  "apiVersion \"%.*s\" has no kind %s (did you mean \"%s\"?)", TY_ARG(version),
                  (*k)->kind, ty_kind_api_version(in->cli->arena, *k));
        return true;
    }
    if (!ty_str_starts(version, TY_LIT("trainer.kubeflow.org/")))
        return false;
    const char *near = ty_str_nearest(kind, names, n);
    add_error(in, file, ty_json_get(obj, "kind"), "%.*s has no kind \"%.*s\"%s%s%s",
              TY_ARG(version), TY_ARG(kind), near ? " (did you mean \"" : "", near ? near : "",
              near ? "\"?)" : "");
    return true;
}

static void take_kind(struct ty_inputs *in, const char *file, struct ty_json *obj)
{
    if (ty_kind_of(obj))
        ty_inputs_add(in, file, obj, ty_kind_of(obj));
    else if (ty_convert_supports(obj))
        take_v1(in, file, obj);
    else if (nearly_ours(in, file, obj))
        return;
    else if (in->keep_others)
        keep_other(in, file, obj);
    else
        pass_over(in, file, obj,
                  ty_arena_printf(in->cli->arena, "%.*s %.*s",
                                  TY_ARG(ty_json_str_at(obj, "apiVersion")),
                                  TY_ARG(ty_json_str_at(obj, "kind"))));
}

static void take_object(struct ty_inputs *in, const char *file, struct ty_json *obj)
{
    static const char *const types[] = { "null",     "a boolean", "a number", "a number",
                                         "a string", "a list",    "an object" };
    if (!ty_json_is(obj, TY_JSON_OBJECT)) {
        add_error(in, file, obj, "an object was expected here, not %s", types[obj->type]);
        return;
    }
    const struct ty_json *kind = ty_json_get(obj, "kind"),
                         *version = ty_json_get(obj, "apiVersion");
    struct ty_str kind_text = ty_json_as_str(kind);
    if (!kind) {
        pass_over(in, file, obj, "a document without kind");
    } else if (!ty_json_is(kind, TY_JSON_STRING) || kind_text.n == 0) {
        add_error(in, file, kind, "kind must be a word such as TrainJob");
    } else if (!ty_json_is(version, TY_JSON_STRING)) {
        add_error(in, file, version ? version : obj, "kind %.*s needs an apiVersion",
                  TY_ARG(kind_text));
    } else if (ty_str_ends(kind_text, TY_LIT("List")) &&
               ty_json_is(ty_json_get(obj, "items"), TY_JSON_ARRAY)) {
        ty_each_item (it, ty_json_get(obj, "items"))
            take_object(in, file, *it);
    } else {
        take_kind(in, file, obj);
    }
}

static void read_text(void *ctx, const char *file, struct ty_str text)
{
    struct ty_inputs *in = ctx;
    struct ty_yaml_docs docs = { 0 };
    struct ty_err err = { 0 };
    in->n_files++;
    in->n_bytes += text.n;
    if (in->scripts || ty_convert_is_sbatch(text)) {
        take_script(in, file, text);
        return;
    }
    if (ty_yaml_parse(in->cli->arena, file, text, NULL, &docs, &err) < 0) {
        syntax_error(in, file, err.text);
        return;
    }
    if (docs.n == 0)
        add_error(in, file, NULL, "the file is empty");
    for (size_t i = 0; i < docs.n; i++)
        take_object(in, file, docs.v[i]);
}

static void file_error(void *ctx, const char *file, const char *text)
{
    add_error(ctx, file, NULL, "%s", text);
}

void ty_inputs_read(struct ty_inputs *in, const char *path, bool recursive)
{
    struct ty_files f = {
        .arena = in->cli->arena,
        .stdin_fd = in->cli->in,
        .recursive = recursive,
        .room_bytes = TY_INPUT_MAX_TOTAL - in->n_bytes,
        .room_files = TY_INPUT_MAX_FILES - in->n_files,
        .text = read_text,
        .trouble = file_error,
        .ctx = in,
    };
    ty_files_read(&f, path);
}

void ty_inputs_namespace(struct ty_inputs *in, const char *ns)
{
    for (size_t i = 0; i < in->n; i++) {
        struct ty_doc *d = in->v[i];
        if (!d->kind->namespaced || ty_str_is(d->ns, ns))
            continue;
        if (d->ns.n) {
            add_error(in, d->file, ty_json_at(d->obj, "metadata.namespace"),
                      "%s %.*s is in namespace \"%.*s\", not in \"%s\" of --namespace",
                      d->kind->kind, TY_ARG(d->name), TY_ARG(d->ns), ns);
            continue;
        }
        struct ty_json *meta = ty_json_get(d->obj, "metadata");
        if (!ty_json_is(meta, TY_JSON_OBJECT))
            continue; /* admission reports it */
        ty_json_set(in->cli->arena, meta, "namespace", ty_json_cstr(in->cli->arena, ns));
        d->ns = ty_str(ns);
    }
}

static int compare_keys(const struct ty_doc *a, const struct ty_doc *b)
{
    if (a->kind != b->kind)
        return (uintptr_t)a->kind < (uintptr_t)b->kind ? -1 : 1;
    int c = ty_str_cmp(a->name, b->name);
    return c ? c : ty_str_cmp(a->ns, b->ns);
}

static int compare_docs(const void *a, const void *b)
{
    const struct ty_doc *const *x = a, *const *y = b;
    int c = compare_keys(*x, *y);
    if (c)
        return c;
    /* Sorts the earlier document first, so that the later one is reported as the duplicate. */
    return (*x)->order < (*y)->order ? -1 : 1;
}

void ty_inputs_index(struct ty_inputs *in)
{
    in->index = ty_new_n(in->cli->arena, struct ty_doc *, in->n + 1);
    for (size_t i = 0; i < in->n; i++) {
        in->v[i]->order = i;
        in->index[i] = in->v[i];
    }
    qsort(in->index, in->n, sizeof(*in->index), compare_docs);
    for (size_t i = 1; i < in->n; i++) {
        const struct ty_doc *first = in->index[i - 1], *again = in->index[i];
        if (!again->name.n || compare_keys(first, again) != 0)
            continue;
        add_error(in, again->file, again->obj,
                  "%s %.*s is given a second time; the first is at %s:%u", again->kind->kind,
                  TY_ARG(again->name), first->file, first->obj->line);
    }
}

static struct ty_doc *look_up(const struct ty_inputs *in, const struct ty_doc *want)
{
    size_t lo = 0, hi = in->n;
    while (lo < hi) { /* the first that is not before `want` */
        size_t mid = lo + (hi - lo) / 2;
        if (compare_keys(in->index[mid], want) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < in->n && compare_keys(in->index[lo], want) == 0 ? in->index[lo] : NULL;
}

struct ty_doc *ty_inputs_get(const struct ty_inputs *in, const struct ty_kind *kind,
                             struct ty_str ns, struct ty_str name)
{
    struct ty_doc want = { .kind = kind, .name = name };
    if (kind->namespaced)
        want.ns = ns;
    struct ty_doc *d = look_up(in, &want);
    if (d || !want.ns.n)
        return d;
    want.ns = (struct ty_str){ 0 };
    return look_up(in, &want);
}
