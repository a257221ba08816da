/* The session of render, validate, convert, plugins and run: configuration, plugins, input objects
 * and their runtimes, and admission. */
#ifndef TY_CLI_SESSION_H
#define TY_CLI_SESSION_H

#include "cli/inputs.h"
#include "cli/view/findings.h"
#include "config/config.h"
#include "plugin_host/extern_plugin.h"
#include "trainer/pipeline.h"

struct ty_config_opts;
struct ty_input_opts;

struct ty_session {
    struct ty_cli *cli;
    struct ty_settings settings;
    bool status_off; /* the gate TrainJobStatus was switched off explicitly */
    struct ty_pipeline pipeline;
    struct ty_extern_plugins externs; /* --plugin-dir */
    struct ty_inputs inputs;          /* the objects of -f and the operands */
    struct ty_inputs library;         /* --runtimes */
    struct ty_inputs builtin;         /* runtimes of the catalog that were requested */
    struct ty_view view;              /* over all three; inputs before library before builtin */
    struct ty_findings findings;
    size_t n_invalid; /* objects of the input that were refused */
};

/* What a session reads, as the command line gives it. NULL members: none. */
struct ty_session_opts {
    const struct ty_strlist *operands; /* more files */
    const struct ty_input_opts *input;
    const struct ty_config_opts *config;
    bool converting;                /* `convert`: keeps unknown kinds, prints no notes */
    bool scripts;                   /* every file is a Slurm batch script */
    struct ty_convert_opts convert; /* how V1 jobs and batch scripts are converted */
};

/* Reads everything that opts name. Files that cannot be used become findings. Negative: the
 * configuration, the plugins or the command line are at fault, *err says how. */
int ty_session_open(struct ty_session *s, struct ty_cli *cli, const struct ty_session_opts *opts,
                    struct ty_err *err);
void ty_session_close(struct ty_session *s);
/* Opens a session, calls fn with it and with ctx, and closes it. Returns fn's exit code, or
 * TY_EXIT_BAD after an error message if the session cannot be opened. */
int ty_session_run(struct ty_cli *cli, const struct ty_session_opts *opts,
                   int (*fn)(struct ty_session *s, const void *ctx), const void *ctx);
/* Runs the checks of the API server and the webhooks; true if the object is accepted. Sets defaults
 * in place, once; errors and warnings go to s->findings. */
bool ty_session_admit(struct ty_session *s, struct ty_doc *doc);
/* Admits all input objects, runtimes first, because TrainJobs are checked against them. */
void ty_session_admit_all(struct ty_session *s);
/* Sorts the findings and prints them on standard error. */
void ty_session_print_findings(struct ty_session *s);

#endif
