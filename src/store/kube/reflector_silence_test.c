/* Watches without events, over HTTP/2: of a server that has none, and of one that is gone. */
#include "net/h2_testing.h"
#include "store/kube/kube_testing.h"
#include "store/kube/reflector.h"

#define IDLE_MS 4000 /* a busy machine may need a second for an answer */

struct world {
    struct kube_world k; /* told: "S ! " */
    struct ty_far far;
    struct ty_reflector *reflect;
    int synced, troubles;
    char trouble[256];
};

static void on_changed(void *ctx, enum ty_reflector_change what, const struct ty_kube_object *o)
{
    (void)ctx, (void)what, (void)o;
    fail_msg("there are no objects");
}

static void on_state(void *ctx, enum ty_reflector_state state, const struct ty_kube_response *why,
                     int64_t again_ms)
{
    struct world *w = ctx;

    (void)again_ms;
    kube_tell(&w->k, state == TY_REFLECTOR_SYNCED ? "S" : "!");
    w->synced += state == TY_REFLECTOR_SYNCED;
    w->troubles += state == TY_REFLECTOR_FAILED;
    if (why)
        snprintf(w->trouble, sizeof(w->trouble), "%.*s", TY_ARG(why->message));
}

static void begin(struct world *w, const char *const *watches)
{
    static const char *const none[] = { NULL };
    struct ty_err err = { 0 };

    w->k.set.idle_ms = IDLE_MS;
    kube_begin(&w->k, none);
    ty_kube_free(w->k.kube);
    w->far.list = "{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[]}";
    w->far.watches = watches;
    far_start(&w->far, "h2");
    w->k.config.server = w->far.url;
    w->k.config.ca.file = w->far.ca;
    assert_int_equal(ty_kube_new(&w->k.kube, &w->k.set, &err), 0);
    struct ty_reflector_opts want = {
        .which = { .kind = &ty_kind_configmap }, .changed = on_changed, .state = on_state, .ctx = w
    };
    w->reflect = ty_reflector_new(w->k.kube, &want);
}

static void finish(struct world *w)
{
    ty_reflector_free(w->reflect);
    kube_finish(&w->k);
    far_stop(&w->far);
}

/* A kind without any event: the watch stays as it is, as long as the server answers pings. */
static void a_kind_that_never_changes(void **state)
{
    static const char *const watches[] = { "/empty", "/silent", NULL }; /* the first times out */
    struct world w = { 0 };

    (void)state;
    begin(&w, watches);
    while (w.far.pings < 4 && !w.troubles) /* the fourth comes after twice the time */
        uv_run(&w.k.loop, UV_RUN_ONCE);
    assert_told(&w.k, "S ");
    assert_int_equal(w.far.requests, 3); /* one list */
    assert_int_equal(w.far.connections, 1);
    assert_false(ty_reflector_is_stale(w.reflect));
    w.far.holds = true; /* the process hangs; its kernel acknowledges every byte */
    while (!w.troubles)
        uv_run(&w.k.loop, UV_RUN_ONCE);
    assert_has(w.trouble, "the server has said nothing for 4 s");
    assert_true(ty_reflector_is_stale(w.reflect));
    w.far.holds = false;
    finish(&w);
}

/* After a connection was lost, the version may be one that the server does not know: it was
 * restored from a backup. Bookmarks that cease are followed by a new watch, then by a list. None of
 * it is an error. */
static void silence_that_is_looked_into(void **state)
{
    static const char *const lost[] = { "/cut", "/silent", NULL };
    static const char *const ceased[] = { "/bookmark", "/silent", NULL };
    static const struct {
        const char *const *watches;
        const char *told;
    } cases[] = { { lost, "S ! S " }, { ceased, "S S " } };

    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct world w = { 0 };
        begin(&w, cases[i].watches);
        while (w.synced < 2)
            uv_run(&w.k.loop, UV_RUN_ONCE);
        assert_told(&w.k, cases[i].told);
        assert_in_range(w.far.requests, 4, 5); /* list, watch, watch, list, and a watch */
        finish(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kind_that_never_changes),
        cmocka_unit_test(silence_that_is_looked_into),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
