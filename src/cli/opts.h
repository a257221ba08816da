/* Options of a command. A const table maps each option to a member of the command's own options
 * struct; help and shell completion are generated from the table. A new option is one row and one
 * member. Spellings are those of kubectl: -f x, -fx, -f=x, --filename x, --filename=x.
 *
 *   struct render_opts {
 *       struct ty_args args;        // always first
 *       struct ty_input_opts input; // a shared group, with its rows (cmds.h)
 *       bool origins;
 *   };
 *   static const struct ty_opt options[] = {
 *       TY_OPTS_INPUT(struct render_opts),
 *       { "origins", 0, TY_OPT_FLAG, NULL, "…", NULL, TY_OPT_AT(struct render_opts, origins) },
 *       TY_OPT_HELP(struct render_opts),
 *       TY_OPT_END,
 *   };
 */
#ifndef TY_CLI_OPTS_H
#define TY_CLI_OPTS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/strlist.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The part that all commands have: the first member of every options struct. */
struct ty_args {
    struct ty_strlist operands; /* the words that are not options */
    size_t n_before;            /* how many operands are before "--"; all of them without it */
    bool help;
};

enum ty_opt_kind {
    TY_OPT_FLAG,   /* the member is a bool */
    TY_OPT_WORD,   /* a const char *; the last one given counts */
    TY_OPT_WORDS,  /* a struct ty_strlist; repeatable */
    TY_OPT_CHOICE, /* a const char *: --x=VALUE, or --x for the first of its choices */
};

struct ty_opt {
    const char *name; /* long form without dashes; NULL ends a table */
    char letter;      /* short form; 0 none */
    enum ty_opt_kind kind;
    const char *arg;            /* name of the value in the help: "FILE", "DIR" */
    const char *about;          /* one line */
    const char *const *choices; /* legal values, NULL-terminated; NULL: anything */
    size_t at;                  /* offset of the member in the options struct */
};
#define TY_OPT_AT(type, member) offsetof(type, member)
/* clang-format off */
/* Rows that end every table. */
#define TY_OPT_HELP(type)                                                                          \
    { "help", 'h', TY_OPT_FLAG, NULL, "show this help", NULL, TY_OPT_AT(type, args.help) }
#define TY_OPT_END { 0 }

/* A table with the size of the struct that its offsets refer to. */
struct ty_opts {
    const struct ty_opt *table;
    size_t size;
};
#define TY_OPTS(table, type) { (table), sizeof(type) }
/* clang-format on */

/* Parses argv[0..argc) into a new options struct, zeroed where nothing is given; *ret points to its
 * first member and lives with the arena and argv. -EINVAL: a sentence for the user.
 * one_dash: as Go's flag package, -config=x is --config=x and letters cannot be joined. */
int ty_opts_parse(struct ty_arena *a, const struct ty_opts *opts, bool one_dash, int argc,
                  char **argv, struct ty_args **ret, struct ty_err *err);
/* Takes every word as an operand; only a first word --help or -h counts as an option. */
struct ty_args *ty_opts_parse_raw(struct ty_arena *a, const struct ty_opts *opts, int argc,
                                  char **argv);
/* "  -f, --filename FILE   …", one line an option. */
void ty_opts_help(FILE *out, const struct ty_opt *opts);

#endif
