/* The user's configuration of the command line:
 * ${XDG_CONFIG_HOME:-$HOME/.config}/trainyard/config.yaml
 *
 *   where: cluster      # local (default) or cluster
 *   context: gpu-lab    # of the kubeconfig; default: the current one
 *   namespace: team-a   # default: the context's
 */
#ifndef TY_CLI_JOBS_USER_CONFIG_H
#define TY_CLI_JOBS_USER_CONFIG_H

#include "base/arena.h"
#include "base/err.h"

struct ty_user_config {
    const char *file;         /* NULL: there is none */
    bool cluster;             /* where: cluster */
    const char *context, *ns; /* NULL: not set */
};

/* Results live with the arena. A missing file is an empty one. -EINVAL and others: *err names the
 * file and the field. */
int ty_user_config_read(struct ty_arena *a, struct ty_user_config *ret, struct ty_err *err);

#endif
