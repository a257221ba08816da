/* Which states of objects are reported. No server: the tests pass the objects. */
#include "store/kube/reflector_inner.h"

#include <errno.h>

#include "base/testing.h"

struct world {
    struct ty_reflector *f;
    struct ty_buf told; /* "+a/1 ~a/1 -a/1? S " */
    const char *free_at;
    struct ty_kube_object late; /* written from the callback that tells of a deletion */
};

/* As ty_reflector_free, without its operation and its timer. */
static void free_it(struct world *w)
{
    w->f->freed = true;
    if (!w->f->busy)
        ty_reflector_destroy(w->f);
    w->f = NULL;
}

static void on_changed(void *ctx, enum ty_reflector_change what, const struct ty_kube_object *o)
{
    struct world *w = ctx;
    struct ty_kube_object late = w->late;
    ty_buf_printf(&w->told, "%c%.*s/%.*s%s ", "+~-"[what], TY_ARG(o->name), TY_ARG(o->uid),
                  o -> version.n ? "" : "?");
    w->late = (struct ty_kube_object){ 0 };
    if (what == TY_REFLECTOR_DELETED && late.name.n)
        ty_reflector_notify_object(w->f, &late, true);
    if (w->free_at && ty_str_is(o->name, w->free_at))
        free_it(w);
}

static void on_state(void *ctx, enum ty_reflector_state state, const struct ty_kube_response *why,
                     int64_t again_ms)
{
    struct world *w = ctx;
    assert_null(why);
    assert_int_equal(again_ms, 7);
    ty_buf_printf(&w->told, "%c ", "SA!"[state]);
    if (w->free_at && strcmp(w->free_at, "state") == 0)
        free_it(w);
}

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof(*w));
    assert_non_null(w);
    w->f = calloc(1, sizeof(*w->f));
    assert_non_null(w->f);
    w->f->want = (struct ty_reflector_opts){
        .which = { .kind = &ty_kind_jobset }, .changed = on_changed, .state = on_state, .ctx = w
    };
    w->f->table = &w->f->own;
    w->f->round = 1;
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;
    if (w->f)
        ty_reflector_destroy(w->f);
    ty_buf_done(&w->told);
    free(w);
    return 0;
}

static struct ty_kube_object object(const char *name, const char *uid, const char *version)
{
    return (struct ty_kube_object){
        .ns = TY_LIT("d"), .name = ty_str(name), .uid = ty_str(uid), .version = ty_str(version)
    };
}

static bool put_object(struct world *w, const char *name, const char *uid, const char *version)
{
    struct ty_kube_object o = object(name, uid, version);
    return ty_reflector_notify_object(w->f, &o, false);
}

#define assert_told(w, text)                                                                       \
    do {                                                                                           \
        ty_buf_chr(&(w)->told, '\0');                                                              \
        assert_string_equal((w)->told.p, (text));                                                  \
        (w)->told.n = 0;                                                                           \
    } while (0)

static void numbers(void **state)
{
    (void)state;
    assert_int_equal(ty_reflector_parse_version(TY_LIT("42")), 42);
    assert_int_equal(ty_reflector_parse_version(TY_LIT("18446744073709551615")), UINT64_MAX);
    assert_int_equal(ty_reflector_parse_version(TY_LIT("18446744073709551616")), 0);
    assert_int_equal(ty_reflector_parse_version(TY_LIT("")), 0);
    assert_int_equal(ty_reflector_parse_version(TY_LIT("4x")), 0);
    assert_int_equal(ty_reflector_parse_version(TY_LIT("-1")), 0);
}

static void each_state_once(void **state)
{
    struct world *w = *state;
    assert_true(put_object(w, "a", "1", "5"));
    assert_true(put_object(w, "a", "1", "5")); /* from a list and from its watch */
    assert_true(put_object(w, "a", "1", "4")); /* late */
    assert_true(put_object(w, "a", "1", "6"));
    assert_true(put_object(w, "b", "2", "6"));
    assert_told(w, "+a/1 ~a/1 +b/2 ");
    assert_int_equal(w->f->own.n, 2);
}

static void nameless(void **state)
{
    struct world *w = *state;
    assert_true(put_object(w, "", "1", "5"));
    assert_told(w, "");
    assert_int_equal(w->f->own.n, 0);
}

/* Deleted and recreated between two events: the old object is DELETED first, without its last
 * state. */
static void another_of_that_name(void **state)
{
    struct world *w = *state;
    put_object(w, "a", "1", "5");
    assert_true(put_object(w, "a", "2", "9"));
    assert_told(w, "+a/1 -a/1? +a/2 ");
    assert_int_equal(w->f->own.n, 1);
}

/* The callback for DELETED recreates the object, and the response to that write is newer or older
 * than the object that caused DELETED. */
static void another_that_is_written_meanwhile(void **state)
{
    struct world *w = *state;
    put_object(w, "a", "1", "5");
    w->late = object("a", "2", "9");
    assert_true(put_object(w, "a", "2", "8"));
    assert_told(w, "+a/1 -a/1? +a/2 ");
    assert_true(put_object(w, "a", "2", "9")); /* known */
    assert_told(w, "");
    w->late = object("a", "3", "11");
    assert_true(put_object(w, "a", "3", "12"));
    assert_told(w, "-a/2? +a/3 ~a/3 ");
    assert_int_equal(w->f->own.n, 1);
}

static void what_a_list_did_not_have(void **state)
{
    struct world *w = *state;
    put_object(w, "listed", "1", "5");
    put_object(w, "gone", "2", "6");
    put_object(w, "written", "3", "12"); /* after the list: it could not have it */
    put_object(w, "odd", "4", "x9");     /* of a server that does not count */
    w->told.n = 0;
    w->f->round++;
    put_object(w, "listed", "1", "5");
    assert_true(ty_reflector_sweep(w->f, TY_LIT("10")));
    ty_buf_chr(&w->told, '\0');
    assert_has(w->told.p, "-gone/2? ");
    assert_has(w->told.p, "-odd/4? ");
    assert_null(strstr(w->told.p, "listed"));
    assert_null(strstr(w->told.p, "written"));
    assert_int_equal(w->f->own.n, 2);
    w->told.n = 0;
    w->f->round++;
    assert_true(ty_reflector_sweep(w->f, (struct ty_str){ 0 })); /* the kind is gone: all of them */
    assert_int_equal(w->f->own.n, 0);
}

static void freed_from_a_callback(void **state)
{
    struct world *w = *state;
    w->free_at = "a";
    assert_false(put_object(w, "a", "1", "5"));
    assert_null(w->f);
    assert_told(w, "+a/1 ");
}

/* Freed by the first of several DELETED callbacks: no more callbacks, and no leaks. */
static void freed_while_it_sweeps(void **state)
{
    struct world *w = *state;
    put_object(w, "a", "1", "5");
    put_object(w, "b", "2", "6");
    put_object(w, "c", "3", "7");
    w->told.n = 0;
    w->f->round++;
    w->free_at = "a"; /* the first that was added */
    assert_false(ty_reflector_sweep(w->f, TY_LIT("10")));
    assert_null(w->f);
    assert_told(w, "-a/1? ");
}

/* Freed from a nested callback: the outermost one destroys the reflector. */
static void freed_deep_inside(void **state)
{
    struct world *w = *state;
    put_object(w, "a", "1", "5");
    w->late = object("b", "2", "9");
    w->free_at = "b";
    assert_false(put_object(w, "a", "3", "8"));
    assert_null(w->f);
    assert_told(w, "+a/1 -a/1? +b/2 ");
}

static void states(void **state)
{
    struct world *w = *state;
    assert_true(ty_reflector_notify_state(w->f, TY_REFLECTOR_SYNCED, NULL, 7));
    assert_true(ty_reflector_notify_state(w->f, TY_REFLECTOR_ABSENT, NULL, 7));
    assert_told(w, "S A ");
    w->f->want.state = NULL; /* nobody wants to know */
    assert_true(ty_reflector_notify_state(w->f, TY_REFLECTOR_FAILED, NULL, 7));
    assert_told(w, "");
    w->f->want.state = on_state;
    w->free_at = "state";
    assert_false(ty_reflector_notify_state(w->f, TY_REFLECTOR_FAILED, NULL, 7));
    assert_null(w->f);
    assert_told(w, "! ");
}

#define WITH(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        WITH(each_state_once),
        WITH(nameless),
        WITH(another_of_that_name),
        WITH(another_that_is_written_meanwhile),
        WITH(what_a_list_did_not_have),
        WITH(freed_from_a_callback),
        WITH(freed_while_it_sweeps),
        WITH(freed_deep_inside),
        WITH(states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
