/* A TrainJob that is not in the history of this machine may be one of a cluster: whoever asks for
 * it by name is told so. */
#ifndef TY_CLI_INSTALL_CLUSTER_HINT_H
#define TY_CLI_INSTALL_CLUSTER_HINT_H

#include "cli/cli.h"

/* Prints one note: that the cluster of the current context has a TrainJob of this name, has none,
 * or did not answer within two seconds; without a kubeconfig, how to look there. A cluster whose
 * credentials come from a program is not asked: that could wait for a person. ns: NULL: the
 * context's. Reads, and writes nothing. */
void ty_cluster_hint(struct ty_cli *cli, const char *ns, const char *name);

#endif
