/* The reverse of an installation: references to the objects to delete, in order, and facts from the
 * cluster. A Namespace is never included, because it may contain other objects. */
#ifndef TY_CLI_INSTALL_UNINSTALL_H
#define TY_CLI_INSTALL_UNINSTALL_H

#include "advise/cluster_reader.h"
#include "base/strlist.h"

struct ty_uninstall {
    const char *ns; /* where the operator runs */
    bool crds;      /* the CustomResourceDefinitions, too: they take every TrainJob with them; and
                       the roles for people, who until then need them for their TrainJobs */
    bool runtimes;  /* include the runtimes of the catalog */
    bool monitor;   /* include the ServiceMonitor */
    bool failure_summary; /* include the rights of failure summaries */
    const char *at;       /* options for kubectl that name the cluster, after a space; NULL: none */
};

/* apiVersion, kind, name and namespace of each: webhook configurations first, CRDs last. Lives with
 * the arena. */
struct ty_json *ty_uninstall_list(struct ty_arena *a, const struct ty_uninstall *s);

/* The queries to run on a cluster before a removal; ret lives with the arena. */
size_t ty_uninstall_wants(struct ty_arena *a, struct ty_cluster_query **ret);

/* Facts from the cluster; texts live with the arena. */
struct ty_uninstall_facts {
    const char *unread;           /* why TrainJobs or runtimes could not be listed; else NULL */
    size_t jobs, job_spaces;      /* TrainJobs, and the namespaces that hold any */
    const char *hook_ns;          /* the namespace that the webhooks call; NULL: no webhooks */
    struct ty_strlist spaces;     /* where else an operator was found: of its Deployments or, where
                                   there is none any more, of its Leases */
    const char *release, *rel_ns; /* Helm's, where it installed the webhooks; else NULL */
    const char *upstream;         /* NAMESPACE/NAME and image of a Deployment that runs Kubeflow
                                     Trainer's own manager; NULL: none. Its objects have the same
                                     names as ours */
    struct ty_strlist held;       /* kubectl commands, one for each runtime that goes and has the
                                   operator's finalizer: with the operator gone nobody else
                                   removes it, and the deletion would wait for ever */
};
void ty_uninstall_inspect(struct ty_arena *a, struct ty_cluster_snapshot *snapshot,
                          const struct ty_uninstall *s, struct ty_uninstall_facts *ret);

#endif
