/* What render and validate share: the objects, the runtimes they may use, the settings, and the
 * door through which every object goes. */
#ifndef TY_CLI_SESSION_H
#define TY_CLI_SESSION_H

#include "cli/inputs.h"
#include "cli/view/findings.h"
#include "config/config.h"
#include "plugin_host/extern_plugin.h"
#include "trainer/pipeline.h"

struct ty_session {
    struct ty_cli *cli;
    struct ty_settings settings;
    bool status_off; /* the gate TrainJobStatus was switched off, not just left alone */
    struct ty_pipeline pipeline;
    struct ty_extern_plugins externs; /* --plugin-dir */
    struct ty_inputs inputs;          /* what was asked about */
    struct ty_inputs library;         /* --runtimes */
    struct ty_inputs builtin;         /* runtimes of the catalog that were needed */
    struct ty_view view;              /* of all three; earlier ones win */
    struct ty_findings findings;
    size_t n_invalid; /* objects of the input that were refused */
};

/* Reads everything that args name. Files that cannot be used become findings. Negative: the
 * configuration, the plugins or the command line are at fault, *err says how. */
int ty_session_open(struct ty_session *s, struct ty_cli *cli, const struct ty_args *args,
                    struct ty_err *err);
void ty_session_close(struct ty_session *s);
/* Opens one, gives it to fn, closes it. Gives fn's exit code, or TY_EXIT_BAD and says why not. */
int ty_session_run(struct ty_cli *cli, const struct ty_args *args,
                   int (*fn)(struct ty_session *s, const struct ty_args *args));
/* What the API server and the webhooks say: true if the object is accepted. It is defaulted in
 * place, once; mistakes and warnings go to s->findings. */
bool ty_session_admit(struct ty_session *s, struct ty_doc *doc);
/* All of the input: runtimes first, since TrainJobs are checked against them. */
void ty_session_admit_all(struct ty_session *s);
/* The findings so far go to standard error, before anything that comes later. */
void ty_session_print_findings(struct ty_session *s);

#endif
