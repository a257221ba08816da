/* What the files of adopt share: one object under judgement. */
#ifndef TY_ADVISE_ADOPT_INNER_H
#define TY_ADVISE_ADOPT_INNER_H

#include "advise/adopt.h"

struct ty_judge {
    const struct ty_adopt_in *in;
    struct ty_arena *keep; /* outlives the object: entries and reasons */
    struct ty_arena *a;    /* reset for each object */
    struct ty_adopt_entry *entry;
    const struct ty_json *job;   /* under judgement; NULL: a runtime is */
    const struct ty_seen *blind; /* what could not be read and matters; NULL nothing */
    struct ty_map *asked;        /* collect here what is not known, as keys; NULL: do not */
    struct ty_look_want *wants;
    size_t n_wants, cap_wants;
};

/* The scene as passes see it; what is missing is remembered in the judge. */
struct ty_view ty_judge_view(struct ty_judge *j);
/* Is it there? 0, or as struct ty_seen says; -EAGAIN: nobody knows. */
int ty_judge_there(struct ty_judge *j, const struct ty_kind *kind, struct ty_str ns,
                   struct ty_str name);
/* As ty_owner_conflict (control/owner_conflict.h) for an object of the scene and the job under
 * judgement. */
int ty_judge_foreign(struct ty_judge *j, const struct ty_kind *kind, const struct ty_json *obj,
                     struct ty_err *err);
void ty_judge_reason(struct ty_judge *j, const char *path, const char *fmt, ...) TY_PRINTF(3, 4);
void ty_judge_note(struct ty_judge *j, const char *path, const char *fmt, ...) TY_PRINTF(3, 4);
/* The more serious of the two stays. */
void ty_judge_result(struct ty_judge *j, enum ty_adopt_result result, const char *text);

void ty_judge_trainjob(struct ty_judge *j, const struct ty_seen *o);
void ty_judge_runtime(struct ty_judge *j, const struct ty_seen *o);
/* False: refused; then the reasons are there. serious false: only noted. */
bool ty_judge_admit(struct ty_judge *j, const struct ty_json *obj, bool serious);

#endif
