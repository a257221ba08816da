/* For tests of the history: a temporary file, and an embedded store to fill it. */
#ifndef TY_STORE_HISTORY_HISTORY_READ_TESTING_H
#define TY_STORE_HISTORY_HISTORY_READ_TESTING_H

#include <errno.h>
#include <unistd.h>

#include "base/tree_testing.h"
#include "store/history/history_read.h"
#include "store/history/history_record.h"
#include "store/local/local_testing.h"

struct history_read_world {
    struct ty_arena *a;
    struct ty_local *l;
    struct ty_history_record *r;
    struct ty_history_db_run run;
    int told, urgent;
    char dir[64], path[128];
};

static inline int64_t history_read_noon(void *ctx)
{
    (void)ctx;
    return 1767323045;
}

static inline void history_read_changed(void *ctx, bool urgent)
{
    struct history_read_world *w = ctx;

    w->told++;
    w->urgent += urgent;
}

static inline int history_read_setup(void **state)
{
    struct history_read_world *w = calloc(1, sizeof(*w));

    w->a = ty_arena_new((size_t)256 << 20);
    w->l = ty_local_new(history_read_noon, NULL);
    w->r = ty_history_record_new(w->l, history_read_changed, w);
    snprintf(w->dir, sizeof(w->dir), "%s", "/tmp/trainyard-past-XXXXXX");
    if (!mkdtemp(w->dir))
        return -1;
    snprintf(w->path, sizeof(w->path), "%s/%s", w->dir, TY_HISTORY_DB_FILE);
    w->run = (struct ty_history_db_run){
        .pid = 42, .dir = w->dir, .command = "trainyard run x.yaml", .started_ms = 1000, .how = ""
    };
    *state = w;
    return 0;
}

static inline int history_read_teardown(void **state)
{
    struct history_read_world *w = *state;

    ty_history_record_free(w->r);
    ty_local_free(w->l);
    ty_arena_free(w->a);
    tree_remove(w->dir);
    free(w);
    return 0;
}

static inline struct ty_history_db *history_read_open(struct history_read_world *w,
                                                      enum ty_history_db_mode use)
{
    struct ty_history_db *d = NULL;
    struct ty_err err = { 0 };

    if (ty_history_db_open(w->path, use, &d, &err) < 0)
        fail_msg("%s", err.text);
    return d;
}

/* Stores an object and returns it. */
static inline struct ty_json *history_read_create(struct history_read_world *w, const char *api,
                                                  const char *kind, const char *name,
                                                  const struct ty_json *owner)
{
    struct ty_err err = { 0 };
    struct ty_json *v = local_make(w->a, "default", api, kind, name, owner);

    assert_int_equal(ty_local_create(w->l, w->a, v, &err), 0);
    return v;
}

static inline struct ty_json *history_read_trainjob(struct history_read_world *w, const char *name)
{
    return history_read_create(w, "trainer.kubeflow.org/v1alpha1", "TrainJob", name, NULL);
}

static inline void history_read_write(struct history_read_world *w)
{
    struct ty_history_db *d = history_read_open(w, TY_HISTORY_DB_WRITE);
    struct ty_err err = { 0 };

    if (ty_history_record_write(w->r, d, &w->run, &err) < 0)
        fail_msg("%s", err.text);
    ty_history_db_close(d);
}

struct history_read_list {
    char text[8192]; /* "1 Pod/a(job)-gone " */
};

static inline bool history_read_note(void *ctx, const struct ty_history_read_object *o)
{
    struct history_read_list *l = ctx;
    size_t n = strlen(l->text);

    snprintf(l->text + n, sizeof(l->text) - n, "%d %s/%s(%s)%s ", (int)o->run.id, o->kind->kind,
             o->name, o->job, o->gone ? "-gone" : "");
    return true;
}

static inline bool history_read_note_event(void *ctx, const struct ty_history_read_event *e)
{
    struct history_read_list *l = ctx;
    size_t n = strlen(l->text);

    snprintf(l->text + n, sizeof(l->text) - n, "%s/%s(%s) %s %s x%d %d-%d; ", e->kind, e->name,
             e->job, e->type, e->reason, (int)e->count, (int)e->first_ms, (int)e->last_ms);
    return true;
}

static inline void history_read_expect(struct history_read_world *w,
                                       const struct ty_history_read_filter *which, const char *want)
{
    struct ty_history_db *d = history_read_open(w, TY_HISTORY_DB_READ);
    struct history_read_list got = { "" };
    struct ty_err err = { 0 };

    assert_int_equal(ty_history_read_objects(d, which, history_read_note, &got, &err), 0);
    ty_history_db_close(d);
    assert_string_equal(got.text, want);
}

#define PAST_T(fn) cmocka_unit_test_setup_teardown(fn, history_read_setup, history_read_teardown)

#endif
