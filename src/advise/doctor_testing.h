/* For the tests of the checks: a scene told in JSON with ' for ", and what a check said of it. */
#ifndef TY_ADVISE_DOCTOR_TESTING_H
#define TY_ADVISE_DOCTOR_TESTING_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "advise/doctor.h"
#include "store/kube_kinds.h"

#define WARD_NOW 1767323045 /* 2026-01-02T03:04:05Z */

struct ward {
    struct ty_arena *a;
    struct ty_doctor_in in;
    struct ty_checks said;
};

static inline int ward_setup(void **state)
{
    struct ty_arena *a = ty_arena_new((size_t)256 << 20);
    struct ward *w = ty_new(a, struct ward);

    w->a = a;
    w->in = (struct ty_doctor_in){
        .scene = ty_scene_new(), .ns = "kubeflow-system", .server = "https://x", .now_s = WARD_NOW
    };
    *state = w;
    return 0;
}

static inline int ward_teardown(void **state)
{
    struct ward *w = *state;
    struct ty_arena *a = w->a;

    ty_scene_free(w->in.scene);
    ty_arena_free(a);
    return 0;
}

static inline void ward_put(struct ward *w, const struct ty_kind *kind, const char *ns,
                            const char *name, const char *text)
{
    char *copy = ty_arena_strndup(w->a, text, strlen(text));

    for (char *c = copy; *c; c++)
        if (*c == '\'')
            *c = '"';
    ty_scene_put(w->in.scene, kind, ty_str(ns), ty_str(name), ty_str(copy));
}

static inline void ward_miss(struct ward *w, const struct ty_kind *kind, const char *ns,
                             const char *name, int r)
{
    ty_scene_miss(w->in.scene, kind, ty_str(ns), ty_str(name), r, TY_LIT("forbidden"));
}

/* Runs a check; gives its lines as "level name: what" joined by newlines. */
static inline const char *ward_say(struct ward *w, ty_doctor_fn *check)
{
    const char *text = "";

    w->said = (struct ty_checks){ .arena = w->a, .area = "cluster" };
    check(&w->in, &w->said);
    for (const struct ty_check *c = w->said.first; c; c = c->next) {
        if (c->level != TY_LEVEL_OK)
            assert_non_null(c->fix); /* every bad line says what to do */
        text = ty_arena_printf(w->a, "%s%s%s %s: %s", text, *text ? "\n" : "",
                               ty_level_words[c->level], c->name, c->what);
    }
    return text;
}

#define assert_said(w, check, want) assert_string_equal(ward_say((w), (check)), (want))
#define assert_says(w, check, part)                                                                \
    do {                                                                                           \
        const char *said = ward_say((w), (check));                                                 \
        if (!strstr(said, (part)))                                                                 \
            fail_msg("\"%s\" is not in:\n%s", (part), said);                                       \
    } while (0)
#define ward_test(fn) cmocka_unit_test_setup_teardown(fn, ward_setup, ward_teardown)

#endif
