/* Where the API server is and who we are there: kubeconfig files, merged as kubectl merges them, or
 * what a pod is given. Reads files; speaks to nobody. */
#ifndef TY_STORE_KUBE_KUBECONFIG_H
#define TY_STORE_KUBE_KUBECONFIG_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct ty_kube_env {
    const char *name, *value;
};
enum ty_kube_interactive { TY_KUBE_NEVER, TY_KUBE_IF_POSSIBLE, TY_KUBE_ALWAYS };

/* A program that prints credentials (client.authentication.k8s.io/v1 or v1beta1). */
struct ty_kube_exec {
    const char *command;     /* a name to look for in PATH, or a path */
    const char *const *args; /* ends with NULL */
    const struct ty_kube_env *env;
    size_t n_env;
    const char *api_version, *install_hint; /* the hint may be NULL */
    bool cluster_info;                      /* tell it about the cluster */
    enum ty_kube_interactive interactive;
};

/* A pair: the file's path, or else its content. At most one is set; `data` is decoded. */
struct ty_kube_pem {
    const char *file;
    struct ty_str data;
};

struct ty_kubeconfig {
    const char *context;          /* name; "" in a cluster */
    const char *ns;               /* "default" when nothing says otherwise */
    const char *server;           /* "https://10.96.0.1:443", without a slash at its end */
    const char *tls_name, *proxy; /* or NULL */
    struct ty_kube_pem ca;        /* neither: the system's */
    bool insecure;
    const char *token, *token_file; /* or NULL; the file is read again as it changes */
    struct ty_kube_pem cert, key;
    const struct ty_kube_exec *exec; /* or NULL */
    struct ty_str exec_config;       /* what the cluster has for its exec plugin: JSON, or empty */
    const char *as, *as_uid;         /* impersonation, or NULL */
    const char *const *as_groups;    /* ends with NULL; or NULL */
    const char *const *as_extra;     /* "key", "value", "key", "value", ..., NULL; or NULL */
};

/* What the caller's environment says; every member may be NULL. */
struct ty_kubeconfig_sources {
    const char *kubeconfig;  /* --kubeconfig: this file only, and it must exist */
    const char *context;     /* --context */
    const char *env;         /* $KUBECONFIG: files, separated by ':'; missing ones are left out */
    const char *home;        /* $HOME: .kube/config there */
    const char *host, *port; /* $KUBERNETES_SERVICE_HOST, _PORT: what a pod is told */
    const char *pod_dir;     /* NULL: /var/run/secrets/kubernetes.io/serviceaccount */
};
void ty_kubeconfig_sources_env(
    struct ty_kubeconfig_sources *w); /* fills what is NULL from this process */

/* kubeconfig, else $KUBECONFIG, else what a pod is given, else $HOME/.kube/config.
 * All lives with the arena. -ENOENT: none of these; -EINVAL: a sentence with file and field. */
int ty_kubeconfig_load(struct ty_arena *a, const struct ty_kubeconfig_sources *where,
                       struct ty_kubeconfig *ret, struct ty_err *err);
/* With what we say who we are, for people: "the token in file /x". Lives with the arena. */
const char *ty_kubeconfig_identity(struct ty_arena *a, const struct ty_kubeconfig *c);

#endif
