/* Parses a command line by the command's option table. */
#include "cli/opts.h"
#include "base/str.h"
#include <errno.h>

static const struct ty_opt *by_name(const struct ty_opt *opts, struct ty_str name)
{
    for (const struct ty_opt *o = opts; o->name; o++)
        if (ty_str_is(name, o->name))
            return o;
    return NULL;
}

static const struct ty_opt *by_letter(const struct ty_opt *opts, char letter)
{
    for (const struct ty_opt *o = opts; o->name; o++)
        if (o->letter && o->letter == letter)
            return o;
    return NULL;
}

/* dashes: "-" or "--", as the user wrote them. */
static int unknown_option(const struct ty_opt *opts, const char *dashes, struct ty_str name,
                          struct ty_err *err)
{
    const char *names[64];
    size_t n = 0;
    for (const struct ty_opt *o = opts; o->name && n < 64; o++)
        names[n++] = o->name;
    const char *near = ty_str_nearest(name, names, n);
    if (near)
        return ty_fail(err, -EINVAL, "unknown option %s%.*s (did you mean --%s?)", dashes,
                       TY_ARG(name), near);
    return ty_fail(err, -EINVAL, "unknown option %s%.*s", dashes, TY_ARG(name));
}

/* Stores one value in its member if it is one of the choices. */
static int store_value(struct ty_arena *a, const struct ty_opt *o, const char *value,
                       struct ty_args *ret, struct ty_err *err)
{
    char *at = (char *)ret + o->at;
    bool legal = !o->choices;
    for (const char *const *c = o->choices; c && *c; c++)
        legal |= strcmp(*c, value) == 0;
    if (!legal) {
        char list[256] = "";
        size_t n = 0;
        for (const char *const *c = o->choices; *c && n < sizeof(list); c++)
            n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", n ? ", " : "", *c);
        return ty_fail(err, -EINVAL, "--%s: \"%s\" is not one of %s", o->name, value, list);
    }
    if (o->kind == TY_OPT_WORDS)
        ty_strlist_add(a, (struct ty_strlist *)(void *)at, value);
    else
        memcpy(at, &value, sizeof(value));
    return 0;
}

struct opts_reader { /* position in argv, and the struct being filled */
    struct ty_arena *a;
    const struct ty_opt *opts;
    char **argv;
    int argc, i;
    bool one_dash; /* long names may have one dash */
    struct ty_args *ret;
    struct ty_err *err;
};

/* The option's value is the rest of its own word, else the next word. */
static int take_value(struct opts_reader *r, const struct ty_opt *o, const char *glued)
{
    if (!glued && r->i + 1 >= r->argc)
        return ty_fail(r->err, -EINVAL, "--%s needs a value: %s", o->name, o->arg);
    return store_value(r->a, o, glued ? glued : r->argv[++r->i], r->ret, r->err);
}

/* The truth values of Go's strconv.ParseBool. */
static const char *const yes[] = { "true", "1", "t", "T", "TRUE", "True", NULL };
static const char *const no[] = { "false", "0", "f", "F", "FALSE", "False", NULL };

static bool is_any(struct ty_str word, const char *const *words)
{
    for (; *words; words++)
        if (ty_str_is(word, *words))
            return true;
    return false;
}

static int read_long(struct opts_reader *r, const char *dashes, const char *word)
{
    struct ty_str name, value = ty_str_cut(ty_str(word), '=', &name);
    const struct ty_opt *o = by_name(r->opts, name);
    if (!o)
        return unknown_option(r->opts, dashes, name, r->err);
    if (o->kind == TY_OPT_CHOICE && !value.p)
        return store_value(r->a, o, o->choices[0], r->ret, r->err);
    if (o->kind != TY_OPT_FLAG)
        return take_value(r, o, value.p);
    bool on = !value.p || is_any(value, yes);
    if (!on && !is_any(value, no))
        return ty_fail(r->err, -EINVAL, "--%s is true or false, not \"%.*s\"", o->name,
                       TY_ARG(value));
    memcpy((char *)r->ret + o->at, &on, sizeof(on));
    return 0;
}

/* Parses the letters of one word: flags may be joined, a value may follow its letter directly. */
static int read_short(struct opts_reader *r, const char *letters)
{
    for (const char *c = letters; *c; c++) {
        const struct ty_opt *o = by_letter(r->opts, *c);
        if (!o)
            return ty_fail(r->err, -EINVAL, "unknown option -%c", *c);
        if (o->kind == TY_OPT_FLAG) {
            const bool on = true;
            memcpy((char *)r->ret + o->at, &on, sizeof(on));
            continue;
        }
        const char *glued = c[1] == '=' ? c + 2 : c + 1;
        return take_value(r, o, *glued ? glued : NULL);
    }
    return 0;
}

/* One word that begins with a dash. */
static int read_option(struct opts_reader *r, const char *word)
{
    if (word[1] == '-')
        return read_long(r, "--", word + 2);
    if (r->one_dash && !(by_letter(r->opts, word[1]) && !word[2]))
        return read_long(r, "-", word + 1);
    return read_short(r, word + 1);
}

static struct ty_args *new_args(struct ty_arena *a, const struct ty_opts *opts)
{
    return ty_arena_alloc(a, opts->size, _Alignof(max_align_t));
}

int ty_opts_parse(struct ty_arena *a, const struct ty_opts *opts, bool one_dash, int argc,
                  char **argv, struct ty_args **ret, struct ty_err *err)
{
    struct ty_args *args = new_args(a, opts);
    struct opts_reader r = { .a = a,
                             .opts = opts->table,
                             .argv = argv,
                             .argc = argc,
                             .one_dash = one_dash,
                             .ret = args,
                             .err = err };
    bool only_words = false;
    for (; r.i < argc; r.i++) {
        const char *word = argv[r.i];
        int rc = 0;
        if (only_words || word[0] != '-' || !word[1])
            ty_strlist_add(a, &args->operands, word); /* "-" alone is standard input */
        else if (strcmp(word, "--") == 0)
            only_words = true;
        else
            rc = read_option(&r, word);
        if (rc < 0)
            return rc;
        if (!only_words)
            args->n_before = args->operands.n;
    }
    *ret = args;
    return 0;
}

struct ty_args *ty_opts_parse_raw(struct ty_arena *a, const struct ty_opts *opts, int argc,
                                  char **argv)
{
    struct ty_args *args = new_args(a, opts);

    args->help = argc > 0 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0);
    for (int i = 0; i < argc; i++)
        ty_strlist_add(a, &args->operands, argv[i]);
    return args;
}

void ty_opts_help(FILE *out, const struct ty_opt *opts)
{
    int width = 0;
    for (const struct ty_opt *o = opts; o->name; o++) {
        int w = (int)(strlen(o->name) + (o->arg ? strlen(o->arg) + 1 : 0));
        width = w > width ? w : width;
    }
    for (const struct ty_opt *o = opts; o->name; o++) {
        char left[64];
        snprintf(left, sizeof(left), "%s%s%s", o->name, o->arg ? " " : "", o->arg ? o->arg : "");
        if (o->letter)
            fprintf(out, "  -%c, --%-*s  %s\n", o->letter, width, left, o->about);
        else
            fprintf(out, "      --%-*s  %s\n", width, left, o->about);
    }
}
