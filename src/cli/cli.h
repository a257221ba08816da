/* What a command sees of the process. Tests make their own: streams, clock and entropy are here, so
 * that nothing below reaches for the real ones. */
#ifndef TY_CLI_CLI_H
#define TY_CLI_CLI_H

#include "cli/opts.h"
#include <stdint.h>

/* Exit codes of every command. */
enum { TY_EXIT_OK = 0, TY_EXIT_BAD = 1, TY_EXIT_USAGE = 2 };

struct ty_cli {
    struct ty_arena *arena; /* one for the run */
    int in;                 /* descriptor of standard input */
    FILE *out, *err;
    bool colour;                       /* on err */
    bool colour_out;                   /* on out */
    int64_t now_s;                     /* Unix time at the start */
    int (*entropy)(void *p, size_t n); /* fills p; 0 or a negative errno */
};

struct ty_cmd {
    const char *name;
    const char *about;   /* one line */
    const char *operand; /* of the usage line: "[FILE…]"; NULL none */
    const char *more;    /* a paragraph or two; may be NULL */
    const char *examples;
    struct ty_opts opts;
    int (*run)(struct ty_cli *cli, const void *parsed); /* parsed: the command's options struct,
                                                           filled; returns an exit code */
    bool raw;                    /* no options of its own: every word is an operand */
    bool one_dash;               /* long options may have one dash: it replaces a Go program */
    const char *const *operands; /* words that fit, for completion; NULL-terminated or NULL */
};
extern const struct ty_cmd *const ty_cmds[]; /* NULL-terminated, in the order of the help */
const struct ty_cmd *ty_cli_find_cmd(const char *name); /* or NULL */

/* The whole program after main() has filled the struct. */
int ty_cli_main(struct ty_cli *cli, int argc, char **argv);
/* One command's --help. */
void ty_cli_help(FILE *out, const struct ty_cmd *cmd);

/* The wall clock now, Unix milliseconds. For what happens while a command runs; now_s is its start.
 */
int64_t ty_cli_wall_ms(void);

/* Lines for people, on standard error: "error: …", "warning: …", "note: …". */
enum ty_cli_msg_kind { TY_MSG_ERROR, TY_MSG_WARNING, TY_MSG_NOTE };
void ty_cli_msg(struct ty_cli *cli, enum ty_cli_msg_kind how, const char *fmt, ...) TY_PRINTF(3, 4);
/* The same for a mistake in the command line; gives TY_EXIT_USAGE. */
int ty_cli_usage(struct ty_cli *cli, const struct ty_cmd *cmd, const char *fmt, ...)
    TY_PRINTF(3, 4);
/* Writes all of it to standard output; failures are told. Gives an exit code. */
struct ty_buf;
int ty_cli_print(struct ty_cli *cli, struct ty_buf *b);

#endif
