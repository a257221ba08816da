/* The address of the API server and the credentials for it: kubeconfig files, merged as in kubectl,
 * or the service account of a pod. Reads files; opens no connection. */
#ifndef TY_STORE_KUBE_KUBECONFIG_H
#define TY_STORE_KUBE_KUBECONFIG_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "base/strlist.h"

struct ty_kube_env {
    const char *name, *value;
};
enum ty_kube_interactive { TY_KUBE_NEVER, TY_KUBE_IF_POSSIBLE, TY_KUBE_ALWAYS };

/* A program that prints credentials (client.authentication.k8s.io/v1 or v1beta1). */
struct ty_kube_exec {
    const char *command;     /* a name in PATH, or a path */
    const char *const *args; /* ends with NULL */
    const struct ty_kube_env *env;
    size_t n_env;
    const char *api_version, *install_hint; /* the hint may be NULL */
    bool cluster_info;                      /* provideClusterInfo */
    enum ty_kube_interactive interactive;
};

/* The file's path, or else its content. At most one is set; `data` is decoded. */
struct ty_kube_pem {
    const char *file;
    struct ty_str data;
};

struct ty_kubeconfig {
    const char *context;          /* name; "" in a cluster */
    const char *ns;               /* "default" if not configured */
    const char *server;           /* "https://10.96.0.1:443", without a trailing slash */
    const char *tls_name, *proxy; /* or NULL */
    struct ty_kube_pem ca;        /* neither: the system's certificates */
    bool insecure;
    const char *token, *token_file; /* or NULL; the file is read again when it changes */
    struct ty_kube_pem cert, key;
    const struct ty_kube_exec *exec; /* or NULL */
    struct ty_str exec_config; /* the cluster's configuration for its exec plugin: JSON, or empty */
    const char *as, *as_uid;   /* impersonation, or NULL */
    const char *const *as_groups; /* ends with NULL; or NULL */
    const char *const *as_extra;  /* "key", "value", "key", "value", ..., NULL; or NULL */
};

/* Options and environment; every member may be NULL. */
struct ty_kubeconfig_sources {
    const char *kubeconfig;  /* --kubeconfig: this file only, and it must exist */
    const char *context;     /* --context */
    const char *env;         /* $KUBECONFIG: files, separated by ':'; missing ones are skipped */
    const char *home;        /* $HOME: .kube/config there */
    const char *host, *port; /* $KUBERNETES_SERVICE_HOST, _PORT: set in a pod */
    const char *pod_dir;     /* NULL: /var/run/secrets/kubernetes.io/serviceaccount */
};
void ty_kubeconfig_sources_env(
    struct ty_kubeconfig_sources *w); /* sets members that are NULL from the environment */

/* kubeconfig, else $KUBECONFIG, else (unless a context is given) the service account of a pod, else
 * $HOME/.kube/config. Results live with the arena. -ENOENT: none of these exists; -EINVAL: a
 * message with file and field. */
int ty_kubeconfig_load(struct ty_arena *a, const struct ty_kubeconfig_sources *where,
                       struct ty_kubeconfig *ret, struct ty_err *err);
/* Adds the names of all contexts of these files, which live with the arena; none in a pod. -ENOENT,
 * -EINVAL as above. */
int ty_kubeconfig_contexts(struct ty_arena *a, const struct ty_kubeconfig_sources *where,
                           struct ty_strlist *ret, struct ty_err *err);
/* The credentials in use, for messages: "the token in file /x". Lives with the arena. */
const char *ty_kubeconfig_identity(struct ty_arena *a, const struct ty_kubeconfig *c);

#endif
