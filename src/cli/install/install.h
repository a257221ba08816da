/* The objects to apply to a cluster to run the operator: the embedded manifests/ and catalog/, with
 * the settings of struct ty_install. */
#ifndef TY_CLI_INSTALL_INSTALL_H
#define TY_CLI_INSTALL_INSTALL_H

#include "api/kind.h"
#include "base/strlist.h"
#include "json/json.h"

struct ty_install {
    const char *ns;             /* where the operator runs */
    const char *image;          /* with its tag */
    const char *version;        /* app.kubernetes.io/version */
    int64_t replicas;           /* of the operator */
    struct ty_strlist runtimes; /* names in the catalog */
    bool crds;                  /* include the CustomResourceDefinitions */
    bool no_user_roles;         /* omit the user roles */
    bool monitor;               /* include a ServiceMonitor for the Prometheus operator */
    bool failure_summary;       /* enable failure summaries, with the rights that they need */
};

/* A runtime of the catalog as it is installed: labeled so that the webhook does not validate it. */
struct ty_json *ty_install_runtime(struct ty_arena *a, struct ty_str name);
/* The objects in the order in which they are to be applied. Lives with the arena. */
struct ty_json *ty_install_list(struct ty_arena *a, const struct ty_install *s);
/* A kind with just the fields that printing a name needs; most of these kinds have no table entry.
 * Lives with the arena. */
struct ty_kind ty_install_kind(struct ty_arena *a, const struct ty_json *obj);

#endif
