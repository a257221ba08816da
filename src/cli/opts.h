/* Options of a command: a const table read into struct ty_args, printed as help, and turned into
 * shell completion. Written as kubectl's users expect: -f x, -fx, -f=x, --filename x, --filename=x.
 */
#ifndef TY_CLI_OPTS_H
#define TY_CLI_OPTS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/strlist.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* All that any command can be told. */
struct ty_args {
    struct ty_strlist rest; /* what is not an option */
    struct ty_strlist files, runtimes, plugin_dirs;
    struct ty_strlist sets, env; /* --set, --env */
    const char *output, *ns, *config, *gates;
    const char *uri, *to, *include, *ignore, *jobs, *retries, *stall; /* initialize */
    const char *workdir, *timeout, *logs;
    const char *run, *tail, *attempt, *container; /* of the history */
    const char *history, *older_than, *keep_newest;
    bool follow, previous, all, watch, dry_run;
    const char *kubeconfig, *context;              /* operator, adopt, doctor */
    bool verbose, cluster, machine;                /* adopt, doctor */
    const char *operator_ns;                       /* adopt */
    const char *image, *version, *replicas, *pick; /* install */
    bool no_runtimes, no_crds, monitor;
    bool with_runtimes, with_crds, yes; /* uninstall */
    const char *zap_encoder, *zap_level, *zap_stack, *zap_time;
    const char *from, *gang; /* convert */
    bool strict, gang_restart, split_script, converting;
    bool zap_devel;
    bool help, recursive, origins, redact, quiet, keep;
};

enum ty_opt_kind { TY_OPT_FLAG, TY_OPT_WORD, TY_OPT_WORDS };

struct ty_opt {
    const char *name; /* long form without dashes; NULL ends a table */
    char letter;      /* short form; 0 none */
    enum ty_opt_kind kind;
    const char *arg;            /* name of the value in the help: "FILE", "DIR" */
    const char *about;          /* one line */
    const char *const *choices; /* legal values, NULL-terminated; NULL: anything */
    size_t at;                  /* place in struct ty_args */
};
#define TY_OPT_AT(member) offsetof(struct ty_args, member)

/* Reads argv[0..argc). -EINVAL with a sentence for the user; *ret lives with the arena and argv.
 * one_dash: as Go's flag package reads them, -config=x is --config=x and letters stand alone. */
int ty_opts_parse(struct ty_arena *a, const struct ty_opt *opts, bool one_dash, int argc,
                  char **argv, struct ty_args *ret, struct ty_err *err);
/* "  -f, --filename FILE   …", one line an option. */
void ty_opts_help(FILE *out, const struct ty_opt *opts);

#endif
