/* The objects that `submit` sends: reads them, and checks them here before anything is sent. */
#ifndef TY_CLI_CLUSTER_CLUSTER_SUBMIT_INPUT_H
#define TY_CLI_CLUSTER_CLUSTER_SUBMIT_INPUT_H

#include "cli/cluster/cluster_session.h"
#include "cli/session.h"

struct ty_submit_input;

/* Reads the files and applies --set, --env and --env-file. ty_session_close must follow in any
 * case. TY_EXIT_OK, or an exit code with *err: the error is not printed. */
int ty_cluster_submit_input_open(struct ty_cli *cli, const struct ty_submit_input *in,
                                 struct ty_session *ret, struct ty_err *err);
/* Admits all objects; runtimes that the input lacks are read from the cluster. s NULL: only those
 * of --runtimes and the catalog are known. ns: of objects without a namespace; NULL: they stay so.
 * *ret_wanted: copies without defaults, to be sent, in the order of the inputs. Errors are in
 * in->findings. */
void ty_cluster_submit_input_check(struct ty_session *in, struct ty_cluster_session *s,
                                   const char *ns, struct ty_json ***ret_wanted);
/* The runtime of the TrainJob, if it is in the input; else NULL. */
const struct ty_doc *ty_cluster_submit_input_runtime(const struct ty_session *in,
                                                     const struct ty_doc *job);

#endif
