/* --env and --env-file: the variables that a run adds to every container. */
#ifndef TY_CLI_RUN_RUN_ENV_H
#define TY_CLI_RUN_RUN_ENV_H

#include "cli/cli.h"
#include "cli/opts.h"

#define TY_RUN_ENV_MAX ((size_t)1 << 20) /* bytes of a file; execve takes two in all */

/* The words of --env: NAME=VALUE, or NAME for the value that the caller has. -EINVAL: a word
 * without a name, or with one that the caller has not set. *ret: a NULL-terminated list of
 * NAME=VALUE that lives with the arena, the files' variables first: --env wins. */
int ty_run_env_read(struct ty_arena *a, const struct ty_strlist *files,
                    const struct ty_strlist *words, const char ***ret, struct ty_err *err);
/* The text of a file, in docker's format: NAME=VALUE or NAME on each line, the value as it is,
 * without quotes; empty lines and lines that begin with # are ignored. Appends to `out`. *err names
 * file and line. */
int ty_run_env_parse(struct ty_arena *a, const char *file, struct ty_str text,
                     struct ty_strlist *out, struct ty_err *err);

#endif
