/* Reads what it is told to of an API server into a scene. Asks with GET only: nothing here can
 * change a cluster. Waits, with a loop of its own. */
#ifndef TY_ADVISE_LOOK_H
#define TY_ADVISE_LOOK_H

#include "advise/scene.h"
#include "store/kubeconfig.h"

struct ty_look;

/* One question. Texts are borrowed until ty_look_at returns. */
struct ty_look_want {
    const struct ty_kind *kind;
    struct ty_str ns;            /* empty: all, or a kind without */
    struct ty_str name;          /* empty: a list */
    const char *labels, *fields; /* of a list; NULL none */
    const char *path; /* instead: GET this, and keep the answer as `kind`, named `name` */
    bool meta;        /* only its metadata: no data of Secrets leaves the server */
};

/* Told with each answer, and now and then while there is none: so many of so many. */
typedef void ty_look_fn(void *ctx, size_t done, size_t of);

/* gives. -EINVAL, -ENOENT: it cannot even begin. config outlives it. */
int ty_look_new(struct ty_look **ret, const struct ty_kubeconfig *config, struct ty_err *err);
void ty_look_free(struct ty_look *l); /* takes; NULL is fine */
/* Every answer goes into the scene: objects, "not there" of what was asked for by name, and what
 * could not be read. tick may be NULL. */
void ty_look_at(struct ty_look *l, struct ty_scene *scene, const struct ty_look_want *wants,
                size_t n, ty_look_fn *tick, void *ctx);

#endif
