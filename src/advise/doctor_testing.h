/* Test fixture: a snapshot of JSON with ' for ", and the results of a check. */
#ifndef TY_ADVISE_DOCTOR_TESTING_H
#define TY_ADVISE_DOCTOR_TESTING_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "advise/doctor.h"
#include "store/kube/kube_kinds.h"

#define DOCTOR_NOW 1767323045 /* 2026-01-02T03:04:05Z */

struct doctor_fixture {
    struct ty_arena *a;
    struct ty_doctor_in in;
    struct ty_check_results said;
};

static inline int doctor_fixture_setup(void **state)
{
    struct ty_arena *a = ty_arena_new((size_t)256 << 20);
    struct doctor_fixture *w = ty_new(a, struct doctor_fixture);

    w->a = a;
    w->in = (struct ty_doctor_in){ .snapshot = ty_cluster_snapshot_new(),
                                   .ns = "kubeflow-system",
                                   .server = "https://x",
                                   .now_s = DOCTOR_NOW };
    *state = w;
    return 0;
}

static inline int doctor_fixture_teardown(void **state)
{
    struct doctor_fixture *w = *state;
    struct ty_arena *a = w->a;

    ty_cluster_snapshot_free(w->in.snapshot);
    ty_arena_free(a);
    return 0;
}

static inline void doctor_fixture_put(struct doctor_fixture *w, const struct ty_kind *kind,
                                      const char *ns, const char *name, const char *text)
{
    char *copy = ty_arena_strdup(w->a, text);

    for (char *c = copy; *c; c++)
        if (*c == '\'')
            *c = '"';
    ty_cluster_snapshot_put(w->in.snapshot, kind, ty_str(ns), ty_str(name), ty_str(copy));
}

static inline void doctor_fixture_miss(struct doctor_fixture *w, const struct ty_kind *kind,
                                       const char *ns, const char *name, int r)
{
    ty_cluster_snapshot_put_error(w->in.snapshot, kind, ty_str(ns), ty_str(name), r,
                                  TY_LIT("forbidden"));
}

/* Runs a check; returns its lines as "level name: what" joined by newlines. */
static inline const char *doctor_fixture_say(struct doctor_fixture *w, ty_doctor_fn *check)
{
    const char *text = "";

    w->said = (struct ty_check_results){ .arena = w->a, .area = "cluster" };
    check(&w->in, &w->said);
    for (const struct ty_check_result *c = w->said.first; c; c = c->next) {
        if (c->level != TY_CHECK_LEVEL_OK)
            assert_non_null(c->fix); /* every bad line says what to do */
        text = ty_arena_printf(w->a, "%s%s%s %s: %s", text, *text ? "\n" : "",
                               ty_check_level_names[c->level], c->name, c->what);
    }
    return text;
}

#define assert_results(w, check, want) assert_string_equal(doctor_fixture_say((w), (check)), (want))
#define assert_result_has(w, check, part)                                                          \
    do {                                                                                           \
        const char *said = doctor_fixture_say((w), (check));                                       \
        if (!strstr(said, (part)))                                                                 \
            fail_msg("\"%s\" is not in:\n%s", (part), said);                                       \
    } while (0)
#define doctor_fixture_test(fn)                                                                    \
    cmocka_unit_test_setup_teardown(fn, doctor_fixture_setup, doctor_fixture_teardown)

#endif
