/* How a run is shown. A view is a spectator with a beginning and an end. */
#ifndef TY_CLI_RUN_VIEW_H
#define TY_CLI_RUN_VIEW_H

#include "cli/cli.h"
#include "engine/engine.h"

struct ty_run_view {
    struct ty_spectator spectator; /* its ctx is the view */
    struct ty_cli *cli;
    const char *only; /* --logs: show lines of this node only; NULL all */
    bool quiet;
};

/* Prefixed lines, for pipes and logs. */
void ty_run_plain_init(struct ty_run_view *v, struct ty_cli *cli);

#endif
