/* For the tests of the history: a file of their own, and an embedded store to fill it from. */
#ifndef TY_STORE_PAST_TESTING_H
#define TY_STORE_PAST_TESTING_H

#include <errno.h>
#include <unistd.h>

#include "base/tree_testing.h"
#include "store/local_testing.h"
#include "store/past.h"
#include "store/record.h"

struct past_world {
    struct ty_arena *a;
    struct ty_local *l;
    struct ty_record *r;
    struct ty_durable_run run;
    int told, urgent;
    char dir[64], path[128];
};

static inline int64_t past_noon(void *ctx)
{
    (void)ctx;
    return 1767323045;
}

static inline void past_changed(void *ctx, bool urgent)
{
    struct past_world *w = ctx;

    w->told++;
    w->urgent += urgent;
}

static inline int past_setup(void **state)
{
    struct past_world *w = calloc(1, sizeof(*w));

    w->a = ty_arena_new((size_t)256 << 20);
    w->l = ty_local_new(past_noon, NULL);
    w->r = ty_record_new(w->l, past_changed, w);
    snprintf(w->dir, sizeof(w->dir), "%s", "/tmp/trainyard-past-XXXXXX");
    if (!mkdtemp(w->dir))
        return -1;
    snprintf(w->path, sizeof(w->path), "%s/%s", w->dir, TY_DURABLE_FILE);
    w->run = (struct ty_durable_run){
        .pid = 42, .dir = w->dir, .command = "trainyard run x.yaml", .started_ms = 1000, .how = ""
    };
    *state = w;
    return 0;
}

static inline int past_teardown(void **state)
{
    struct past_world *w = *state;

    ty_record_free(w->r);
    ty_local_free(w->l);
    ty_arena_free(w->a);
    tree_remove(w->dir);
    free(w);
    return 0;
}

static inline struct ty_durable *past_open(struct past_world *w, enum ty_durable_use use)
{
    struct ty_durable *d = NULL;
    struct ty_err err = { 0 };

    if (ty_durable_open(w->path, use, &d, &err) < 0)
        fail_msg("%s", err.text);
    return d;
}

/* Stored; gives what was. */
static inline struct ty_json *past_create(struct past_world *w, const char *api, const char *kind,
                                          const char *name, const struct ty_json *owner)
{
    struct ty_err err = { 0 };
    struct ty_json *v = local_make(w->a, "default", api, kind, name, owner);

    assert_int_equal(ty_local_create(w->l, w->a, v, &err), 0);
    return v;
}

static inline struct ty_json *past_trainjob(struct past_world *w, const char *name)
{
    return past_create(w, "trainer.kubeflow.org/v1alpha1", "TrainJob", name, NULL);
}

static inline void past_write(struct past_world *w)
{
    struct ty_durable *d = past_open(w, TY_DURABLE_WRITE);
    struct ty_err err = { 0 };

    if (ty_record_write(w->r, d, &w->run, &err) < 0)
        fail_msg("%s", err.text);
    ty_durable_close(d);
}

struct past_list {
    char text[8192]; /* "1 Pod/a(job)-gone " */
};

static inline bool past_note(void *ctx, const struct ty_past_object *o)
{
    struct past_list *l = ctx;
    size_t n = strlen(l->text);

    snprintf(l->text + n, sizeof(l->text) - n, "%d %s/%s(%s)%s ", (int)o->run.id, o->kind->kind,
             o->name, o->job, o->gone ? "-gone" : "");
    return true;
}

static inline bool past_note_event(void *ctx, const struct ty_past_event *e)
{
    struct past_list *l = ctx;
    size_t n = strlen(l->text);

    snprintf(l->text + n, sizeof(l->text) - n, "%s/%s(%s) %s %s x%d %d-%d; ", e->kind, e->name,
             e->job, e->type, e->reason, (int)e->count, (int)e->first_ms, (int)e->last_ms);
    return true;
}

static inline void past_expect(struct past_world *w, const struct ty_past_which *which,
                               const char *want)
{
    struct ty_durable *d = past_open(w, TY_DURABLE_READ);
    struct past_list got = { "" };
    struct ty_err err = { 0 };

    assert_int_equal(ty_past_objects(d, which, past_note, &got, &err), 0);
    ty_durable_close(d);
    assert_string_equal(got.text, want);
}

#define PAST_T(fn) cmocka_unit_test_setup_teardown(fn, past_setup, past_teardown)

#endif
