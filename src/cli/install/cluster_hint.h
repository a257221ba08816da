/* A hint for a TrainJob that is not in the history of this machine but may be in a cluster. */
#ifndef TY_CLI_INSTALL_CLUSTER_HINT_H
#define TY_CLI_INSTALL_CLUSTER_HINT_H

#include "cli/cli.h"

/* Prints one note: the cluster of the current context has a TrainJob of this name, has none, or did
 * not answer within two seconds; without a kubeconfig, how to look there. A cluster with an exec
 * credential plugin is not contacted, because the plugin could prompt the user. ns NULL: the
 * context's namespace. Read-only. Returns true if the cluster has it. */
bool ty_cluster_hint(struct ty_cli *cli, const char *ns, const char *name);

#endif
