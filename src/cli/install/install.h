/* Everything that a cluster needs to run the operator, as objects to apply. The content is
 * manifests/ and catalog/, embedded; here the few values that differ from cluster to cluster are
 * put in. */
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
    bool crds;                  /* the CustomResourceDefinitions, too */
    bool no_user_roles;         /* without the roles for people */
    bool monitor;               /* a ServiceMonitor for the Prometheus operator, too */
};

/* A runtime of the catalog as it is installed: the webhook need not answer for it. */
struct ty_json *ty_install_runtime(struct ty_arena *a, struct ty_str name);
/* The objects in the order in which they are to be applied. Lives with the arena. */
struct ty_json *ty_install_list(struct ty_arena *a, const struct ty_install *s);
/* Enough of an object's kind to print its name: most of these kinds are of no further interest.
 * Lives with the arena. */
struct ty_kind ty_install_kind(struct ty_arena *a, const struct ty_json *obj);

#endif
