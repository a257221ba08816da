/* The process as a command sees it. Streams, clock and entropy are members of struct ty_cli, so
 * that tests can replace them. */
#ifndef TY_CLI_CLI_H
#define TY_CLI_CLI_H

#include "cli/opts.h"
#include <stdint.h>

/* Exit codes of every command. */
enum { TY_EXIT_OK = 0, TY_EXIT_BAD = 1, TY_EXIT_USAGE = 2 };

enum ty_cli_msg_kind { TY_MSG_ERROR, TY_MSG_WARNING, TY_MSG_NOTE };
/* Takes messages that would go to standard error; fn NULL: none is set. */
struct ty_cli_sink {
    void (*fn)(void *ctx, enum ty_cli_msg_kind how, const char *text);
    void *ctx;
};

struct ty_cli {
    struct ty_arena *arena; /* lives as long as the command */
    int in;                 /* descriptor of standard input */
    FILE *out, *err;
    bool colour;                       /* on err */
    bool colour_out;                   /* on out */
    bool quiet;                        /* ty_cli_msg prints no notes */
    bool kubectl;                      /* called as a plugin of kubectl: kubectl-trainyard */
    int64_t now_s;                     /* Unix time at the start */
    int (*entropy)(void *p, size_t n); /* fills p; 0 or a negative errno */
    struct ty_cli_sink sink;
};

enum ty_cmd_names {
    TY_NAMES_NONE,
    TY_NAMES_JOBS,     /* each operand is a TrainJob */
    TY_NAMES_JOB_NODE, /* a TrainJob, then a node of it */
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
    bool raw;                    /* every word is an operand, except a first --help */
    bool one_dash;               /* long options may have one dash, as in Go programs */
    const char *const *operands; /* possible operands, for completion; NULL-terminated or NULL */
    enum ty_cmd_names names;     /* completion of operands that are names of jobs */
};
extern const struct ty_cmd *const ty_cmds[]; /* NULL-terminated, in the order of the help */
const struct ty_cmd *ty_cli_find_cmd(const char *name); /* or NULL */

/* Runs the command that argv names; main() has filled *cli. Returns the exit code. */
int ty_cli_main(struct ty_cli *cli, int argc, char **argv);

/* The current wall clock in Unix milliseconds; cli->now_s is the time at which the command
 * started. */
int64_t ty_cli_wall_ms(void);
int64_t ty_cli_monotonic_ms(void); /* for timeouts */

/* Prints one line on standard error, "error: …", "warning: …", "note: …", or gives it to the
 * sink. */
void ty_cli_msg(struct ty_cli *cli, enum ty_cli_msg_kind how, const char *fmt, ...) TY_PRINTF(3, 4);
/* Reports a mistake in the command line; returns TY_EXIT_USAGE. */
int ty_cli_usage(struct ty_cli *cli, const struct ty_cmd *cmd, const char *fmt, ...)
    TY_PRINTF(3, 4);
/* Writes the buffer to standard output and reports a failure. Returns an exit code. */
struct ty_buf;
int ty_cli_print(struct ty_cli *cli, struct ty_buf *b);
/* The same for text with names and messages of others, such as those of an API server: on a
 * terminal without escape sequences and other control characters, elsewhere as it is. */
int ty_cli_print_clean(struct ty_cli *cli, struct ty_buf *b);
/* Prints such text on standard output with a format. A failure is reported when the command ends.
 */
void ty_cli_printf(struct ty_cli *cli, const char *fmt, ...) TY_PRINTF(2, 3);

#endif
