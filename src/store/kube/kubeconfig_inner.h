/* Shared by kubeconfig.c (files) and kubeconfig_resolve.c (their meaning). */
#ifndef TY_STORE_KUBE_KUBECONFIG_INNER_H
#define TY_STORE_KUBE_KUBECONFIG_INNER_H

#include "store/kube/kubeconfig.h"
#include "json/json.h"

#define TY_KUBECONFIG_MAX_FILES 64

struct ty_kubeconfig_file {
    const char *path;
    const struct ty_json *doc;
};
struct ty_kubeconfig_merge {
    struct ty_arena *a;
    struct ty_kubeconfig_file files[TY_KUBECONFIG_MAX_FILES]; /* earlier ones take precedence */
    size_t n_files;
};

/* Reads a small file; the text lives with the arena, NUL-terminated. */
int ty_kubeconfig_read_file(struct ty_arena *a, const char *path, struct ty_str *ret,
                            struct ty_err *err);
int ty_kubeconfig_merge_add(struct ty_kubeconfig_merge *m, const char *path,
                            const struct ty_json *doc, struct ty_err *err);
/* context NULL: the current one. */
int ty_kubeconfig_merge_resolve(const struct ty_kubeconfig_merge *m, const char *context,
                                struct ty_kubeconfig *ret, struct ty_err *err);

#endif
