/* Test fixture: a snapshot with the objects that the product itself would apply. */
#ifndef TY_ADVISE_ADOPT_TESTING_H
#define TY_ADVISE_ADOPT_TESTING_H

#include <errno.h>

#include "advise/adopt.h"
#include "engine/jobset/jobset.h"
#include "trainer/testing.h"

struct adopt_fixture {
    struct fixture f;
    struct ty_cluster_snapshot *snapshot;
    struct ty_adopt_in in;
    struct ty_adopt result;
};

static inline int adopt_fixture_setup(void **state)
{
    core_setup(state);
    struct fixture *f = *state;
    struct adopt_fixture *s = ty_new(f->arena, struct adopt_fixture);

    s->f = *f;
    s->snapshot = ty_cluster_snapshot_new();
    s->in = (struct ty_adopt_in){ .snapshot = s->snapshot,
                                  .pipeline = &s->f.pipeline,
                                  .settings = &s->f.settings,
                                  .now_s = CORE_NOW,
                                  .entropy = s->f.entropy };
    ty_cluster_snapshot_set_listed(s->snapshot, &ty_kind_trainjob, TY_LIT(""));
    ty_cluster_snapshot_set_listed(s->snapshot, &ty_kind_trainingruntime, TY_LIT(""));
    ty_cluster_snapshot_set_listed(s->snapshot, &ty_kind_clustertrainingruntime, TY_LIT(""));
    ty_cluster_snapshot_set_listed(s->snapshot, &ty_kind_jobset, TY_LIT(""));
    *state = s;
    return 0;
}

static inline int adopt_fixture_teardown(void **state)
{
    struct adopt_fixture *s = *state;
    struct ty_arena *a = s->f.arena;

    ty_cluster_snapshot_free(s->snapshot);
    ty_arena_free(a);
    return 0;
}

static inline void adopt_fixture_put(struct adopt_fixture *s, const struct ty_json *obj)
{
    ty_cluster_snapshot_put(s->snapshot, ty_kind_of(obj), ty_json_str_at(obj, "metadata.namespace"),
                            ty_json_str_at(obj, "metadata.name"), ty_json_text(s->f.arena, obj));
}

/* Puts the job's children, as a pass would render them and the API server default them, into the
 * snapshot; returns the JobSet, to be changed and put again. */
static inline struct ty_json *adopt_fixture_apply(struct adopt_fixture *s,
                                                  const struct ty_json *job)
{
    struct ty_trainjob_reconcile p = core_pass_at(&s->f, job, CORE_NOW);
    struct ty_json *jobset = NULL;

    if (p.err.code < 0)
        fail_msg("%s", p.err.text);
    for (const struct ty_desired_object *w = p.want; w; w = w->next) {
        if (w->kind == &ty_kind_jobset) {
            jobset = ty_json_copy(s->f.arena, w->obj, 0);
            ty_jobset_default(s->f.arena, jobset);
        }
        adopt_fixture_put(s, w->kind == &ty_kind_jobset ? jobset : w->obj);
    }
    return jobset;
}

/* Reads nothing: an object that is not in the snapshot does not exist. */
static inline void adopt_fixture_judge(struct adopt_fixture *s)
{
    struct ty_cluster_query *wants = NULL;

    for (size_t n; (n = ty_adopt_queries(s->f.arena, &s->in, &wants));)
        for (size_t i = 0; i < n; i++)
            ty_cluster_snapshot_put_error(s->snapshot, wants[i].kind, wants[i].ns, wants[i].name,
                                          -ENOENT, TY_LIT("not found"));
    ty_adopt_evaluate(s->f.arena, &s->in, &s->result);
}

static inline const struct ty_adopt_entry *adopt_fixture_entry(const struct adopt_fixture *s,
                                                               const char *name)
{
    for (const struct ty_adopt_entry *e = s->result.first; e; e = e->next)
        if (ty_str_is(e->name, name))
            return e;
    fail_msg("nothing is said of %s", name);
    abort(); /* the compiler does not know that it has gone */
}

#define adopt_fixture_test(fn)                                                                     \
    cmocka_unit_test_setup_teardown(fn, adopt_fixture_setup, adopt_fixture_teardown)

#endif
