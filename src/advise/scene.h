/* What was read of a cluster, to be judged later by functions that read nothing themselves: objects
 * as text by kind, namespace and name, and what could not be read, with the reason. One thread. */
#ifndef TY_ADVISE_SCENE_H
#define TY_ADVISE_SCENE_H

#include "api/kinds.h"

struct ty_scene;

/* One object, or the answer to the question for it; for a whole kind the name is empty. Lives with
 * the scene. */
struct ty_seen {
    const struct ty_kind *kind;
    struct ty_str ns, name;
    struct ty_str text; /* JSON; empty unless r is 0 */
    int r;              /* 0 it is there, -ENOENT it is not, other negative: it could not be read;
                           1: a list that is whole */
    const char *why;    /* a sentence when it could not be read, else "" */
};

struct ty_scene *ty_scene_new(void); /* gives */
void ty_scene_free(struct ty_scene *s);

/* An object; the text is copied. What is known of that name already is replaced. -EFBIG: there is
 * no room for more. */
int ty_scene_put(struct ty_scene *s, const struct ty_kind *kind, struct ty_str ns,
                 struct ty_str name, struct ty_str text);
/* It could not be had: r is negative. With an empty name: the list of the kind. */
void ty_scene_miss(struct ty_scene *s, const struct ty_kind *kind, struct ty_str ns,
                   struct ty_str name, int r, struct ty_str why);

/* The kind's list is whole: of this namespace, or with an empty one of all. */
void ty_scene_listed(struct ty_scene *s, const struct ty_kind *kind, struct ty_str ns);
/* Somebody has asked for it, or for a list that would hold it. */
bool ty_scene_asked(const struct ty_scene *s, const struct ty_kind *kind, struct ty_str ns,
                    struct ty_str name);

/* NULL: nobody has asked for it by name, and no list had it. */
const struct ty_seen *ty_scene_find(const struct ty_scene *s, const struct ty_kind *kind,
                                    struct ty_str ns, struct ty_str name);
/* Parsed, with apiVersion and kind, which items of lists do not carry; NULL: it is not there. Lives
 * with the arena and the scene. */
struct ty_json *ty_scene_get(struct ty_arena *a, const struct ty_scene *s,
                             const struct ty_kind *kind, struct ty_str ns, struct ty_str name);
struct ty_json *ty_scene_read(struct ty_arena *a, const struct ty_seen *o); /* the same */
/* Why a kind's list could not be read; NULL: it could. */
const struct ty_seen *ty_scene_trouble(const struct ty_scene *s, const struct ty_kind *kind);

/* The objects of a kind by namespace, then name: those that are there. NULL after the last; begin
 * with *at = 0. Nothing may be put in meanwhile. */
const struct ty_seen *ty_scene_next(struct ty_scene *s, const struct ty_kind *kind, size_t *at);
size_t ty_scene_count(const struct ty_scene *s, const struct ty_kind *kind);

#endif
