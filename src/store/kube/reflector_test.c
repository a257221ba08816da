/* The reflector and the client below it, against a scripted peer with the responses of failing
 * servers. tests/cluster tests it against an API server. */
#include "store/kube/reflector.h"

#include "store/kube/kube_testing.h"

struct world {
    struct kube_world k; /* told: "+a/1 ~a/2 -a/3 ! S " */
    struct ty_reflector *reflect;
    int troubles_left; /* stop at the last */
    int synced_left;
    const char *const *writes; /* versions of "mine", answered after the first list */
    const char *write_at;      /* version of "mine", answered while "b" is listed */
    char trouble[256];
};

static void stop(struct world *w)
{
    ty_reflector_free(w->reflect);
    w->reflect = NULL;
    uv_stop(&w->k.loop);
}

static void write_mine(struct world *w, const char *version);

static void on_changed(void *ctx, enum ty_reflector_change what, const struct ty_kube_object *o)
{
    struct world *w = ctx;
    ty_buf_printf(&w->k.told, "%c%.*s/%.*s%.*s ", "+~-"[what], TY_ARG(o->name), TY_ARG(o->uid),
                  o -> json ? 0 : 1, "?");
    assert_true(what == TY_REFLECTOR_DELETED || o->text.n > 0);
    if (w->write_at && ty_str_is(o->name, "b"))
        write_mine(w, w->write_at);
    if (ty_str_is(o->name, "last"))
        stop(w);
}

/* Reports the response to a write of object "mine". */
static void write_mine(struct world *w, const char *version)
{
    struct ty_arena *a = ty_arena_new((size_t)1 << 20);
    struct ty_json *json = ty_json_object(a);
    struct ty_kube_object o = { .json = json,
                                .text = TY_LIT("{}"),
                                .ns = TY_LIT("d"),
                                .name = TY_LIT("mine"),
                                .uid = TY_LIT("7"),
                                .version = ty_str(version) };
    ty_reflector_observe_write(w->reflect, &o);
    ty_arena_free(a);
}

static void on_state(void *ctx, enum ty_reflector_state state, const struct ty_kube_response *why,
                     int64_t again_ms)
{
    struct world *w = ctx;
    ty_buf_printf(&w->k.told, "%c ", "SA!"[state]);
    for (const char *const *v = w->writes; state == TY_REFLECTOR_SYNCED && v && *v; v++)
        write_mine(w, *v);
    if (state == TY_REFLECTOR_SYNCED)
        w->writes = NULL;
    if (state != TY_REFLECTOR_SYNCED) {
        snprintf(w->trouble, sizeof(w->trouble), "%.*s", TY_ARG(why->message));
        assert_true(again_ms > 0);
        assert_true(again_ms <= 60000);
        ty_reflector_retry_now(w->reflect);
    }
    if ((state == TY_REFLECTOR_FAILED && --w->troubles_left == 0) ||
        (state == TY_REFLECTOR_SYNCED && --w->synced_left == 0))
        stop(w);
}

/* Runs a reflector with these responses until it stops, and compares what it reported. */
static void run_reflector(struct world *w, const char *const *answers, const char *told)
{
    kube_begin(&w->k, answers);
    struct ty_reflector_opts want = {
        .which = { .kind = &ty_kind_configmap }, .changed = on_changed, .state = on_state, .ctx = w
    };
    w->reflect = ty_reflector_new(w->k.kube, &want);
    kube_run(&w->k);
    ty_reflector_free(w->reflect);
    assert_told(&w->k, told);
    kube_finish(&w->k);
}

static void changes(void **state)
{
    static const char *const answers[] = {
        LIST("10", CM("a", "1", "5") "," CM("b", "2", "6")),
        OK EVENT("MODIFIED", CM("a", "1", "11")) EVENT("ADDED", CM("c", "3", "12"))
            EVENT("MODIFIED", CM("a", "1", "11")) /* twice: told once */
        EVENT("BOOKMARK", "{\"metadata\":{\"resourceVersion\":\"20\"}}")
            EVENT("DELETED", CM("b", "2", "21")),
        OK EVENT("ADDED", CM("last", "9", "22")),
        NULL,
    };
    struct world w = { 0 };
    (void)state;
    run_reflector(&w, answers, "+a/1 +b/2 S ~a/1 +c/3 -b/2 +last/9 ");
    assert_has(w.k.peer.asked[0], "GET /api/v1/configmaps?limit=500 ");
    assert_has(w.k.peer.asked[1], "watch=1&allowWatchBookmarks=true&resourceVersion=10&");
    assert_has(w.k.peer.asked[2], "resourceVersion=21&"); /* from where the last one ended */
}

/* The event of an own write is not reported again. */
static void own_writes(void **state)
{
    static const char *const answers[] = {
        LIST("10", CM("a", "1", "5")),
        OK EVENT("ADDED", CM("mine", "7", "11")) EVENT("MODIFIED", CM("mine", "7", "12")),
        OK EVENT("MODIFIED", CM("mine", "7", "13")) /* somebody else's */
        EVENT("DELETED", CM("mine", "7", "14")) EVENT("ADDED", CM("last", "9", "15")),
        NULL,
    };
    static const char *const writes[] = { "11", "12", NULL };
    struct world w = { .writes = writes };
    (void)state;
    run_reflector(&w, answers, "+a/1 S +mine/7 ~mine/7 ~mine/7 -mine/7 +last/9 ");
    assert_has(w.k.peer.asked[2], "resourceVersion=12&");
}

static void list_after_410(void **state)
{
    static const char *const answers[] = {
        LIST("10", CM("a", "1", "5") "," CM("b", "2", "6") "," CM("c", "3", "7")),
        OK EVENT("ERROR", STATUS(410, "Expired", "too old")),
        LIST("30", CM("b", "2", "6") "," CM("c", "4", "28")), /* a gone, c another */
        OK EVENT("DELETED", CM("c", "3", "20"))               /* of the old c: known already */
        EVENT("ADDED", CM("last", "9", "31")),
        NULL,
    };
    struct world w = { 0 };
    (void)state;
    run_reflector(&w, answers, "+a/1 +b/2 +c/3 S -c/3? +c/4 -a/1? S +last/9 ");
    assert_has(w.k.peer.asked[2], "GET /api/v1/configmaps?limit=500 ");
}

/* etcd was restored from a backup: the same objects in older states, and smaller numbers. */
static void data_that_were_restored(void **state)
{
    static const char *const answers[] = {
        LIST("100", CM("a", "1", "50") "," CM("b", "2", "90") "," CM("c", "3", "95")),
        "HTTP/1.1 504 Late\r\n\r\n" STATUS(504, "Timeout",
                                           "Too large resource version: 100, current: 60"),
        LIST("60", CM("a", "1", "50") "," CM("b", "2", "40")),
        LIST("61", CM("a", "1", "50") "," CM("b", "2", "40")),
        OK EVENT("MODIFIED", CM("b", "2", "62")) EVENT("ADDED", CM("last", "9", "63")),
        NULL,
    };
    struct world w = { 0 };
    (void)state;
    run_reflector(&w, answers, "+a/1 +b/2 +c/3 S ! ~a/1 ~b/2 -c/3? S ~b/2 +last/9 ");
    assert_has(w.k.peer.asked[2], "GET /api/v1/configmaps?limit=500 ");
    assert_has(w.k.peer.asked[4], "resourceVersion=61&");
}

/* A server that was restored and has counted beyond the known version since: the list is newer, but
 * has an object in an older state than the known one. */
static void data_that_were_restored_a_while_ago(void **state)
{
    static const char *const answers[] = {
        LIST("100", CM("a", "1", "50") "," CM("b", "2", "90")),
        OK EVENT("ERROR", STATUS(410, "Expired", "too old")),
        LIST("120", CM("a", "1", "50") "," CM("b", "2", "40")),
        LIST("121", CM("a", "1", "50") "," CM("b", "2", "40")),
        OK EVENT("ADDED", CM("last", "9", "122")),
        NULL,
    };
    struct world w = { 0 };
    (void)state;
    run_reflector(&w, answers, "+a/1 +b/2 S ~a/1 ~b/2 S +last/9 ");
}

/* The server was lost after the response to a write and before its event, and restored without the
 * write: an object that is known only from the response is DELETED, not kept as newer than the
 * list. */
static void a_write_that_was_lost(void **state)
{
    static const char *const answers[] = {
        LIST("10", CM("a", "1", "5")),
        OK EVENT("ERROR", STATUS(410, "Expired", "too old")),
        LIST("10", CM("a", "1", "5")),
        LIST("10", CM("a", "1", "5")),
        OK EVENT("ADDED", CM("last", "9", "12")),
        NULL,
    };
    static const char *const writes[] = { "11", NULL };
    struct world w = { .writes = writes };
    (void)state;
    run_reflector(&w, answers, "+a/1 S +mine/7 ~a/1 -mine/7? S +last/9 ");
}

/* The event of an own write never came: the restored server uses its version for another object. */
static void numbers_of_writes_before_a_restore(void **state)
{
    static const char *const answers[] = {
        LIST("10", CM("a", "1", "5")),
        OK EVENT("ERROR", STATUS(410, "Expired", "too old")),
        LIST("6", CM("a", "1", "5")),
        LIST("6", CM("a", "1", "5")),
        OK EVENT("ADDED", CM("c", "3", "11")) EVENT("ADDED", CM("last", "9", "12")),
        NULL,
    };
    static const char *const writes[] = { "11", NULL };
    struct world w = { .writes = writes };
    (void)state;
    run_reflector(&w, answers, "+a/1 S +mine/7 ~a/1 -mine/7? S +c/3 +last/9 ");
}

/* The same without a new list: a watch continues where the last one ended. */
static void numbers_of_writes_before_a_new_watch(void **state)
{
    static const char *const answers[] = {
        LIST("10", CM("a", "1", "5")),
        OK EVENT("MODIFIED", CM("a", "1", "11")),
        OK EVENT("ADDED", CM("c", "3", "12")) EVENT("ADDED", CM("last", "9", "13")),
        NULL,
    };
    static const char *const writes[] = { "12", NULL };
    struct world w = { .writes = writes };
    (void)state;
    run_reflector(&w, answers, "+a/1 S +mine/7 ~a/1 +c/3 +last/9 ");
}

/* The response to an own write comes in the middle of a list that does not have the object. */
static void answers_while_it_lists(void **state)
{
    static const char *const answers[] = {
        LIST("10", CM("a", "1", "5")),
        OK EVENT("ERROR", STATUS(410, "Expired", "too old")),
        LIST("20", CM("a", "1", "5") "," CM("b", "2", "19")),
        OK EVENT("ADDED", CM("mine", "7", "25")) EVENT("ADDED", CM("last", "9", "26")),
        NULL,
    };
    static const struct {
        const char *version, *told;
    } rows[] = {
        { "25", "+a/1 S +b/2 +mine/7 S +last/9 " },                  /* after the list */
        { "15", "+a/1 S +b/2 +mine/7 -mine/7? S +mine/7 +last/9 " }, /* deleted before the list */
        { "9", "+a/1 S +b/2 S +mine/7 +last/9 " }, /* even before the first list */
    };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        struct world w = { .write_at = rows[i].version };
        run_reflector(&w, answers, rows[i].told);
    }
}

static void pages_that_expire(void **state)
{
    static const char *const answers[] = {
        PAGE("10", "to/ken", CM("a", "1", "5")),
        "HTTP/1.1 410 Gone\r\n\r\n{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":410}",
        LIST("12", CM("b", "2", "11")),
        NULL,
    };
    struct world w = { .synced_left = 1 };
    (void)state;
    run_reflector(&w, answers, "+a/1 +b/2 -a/1? S ");
    assert_has(w.k.peer.asked[1], "continue=to%2Fken ");
    assert_has(w.k.peer.asked[2], "GET /api/v1/configmaps?limit=500 ");
}

static void bad_days(void **state)
{
    static const struct {
        const char *answer, *says;
    } cases[] = {
        { OK "hello", "not a list" },
        { OK, "not a list" },
        { OK "{\"items\":[{\"metadata\":{}}", "not a list" },
        { OK "{\"items\":[{]}]}", "not JSON" },
        { OK "{\"items\":[7]}", "items are not objects" },
        { "HTTP/1.1 500 Oh\r\n\r\noh no", "HTTP 500: oh no" },
        { "HTTP/1.1 403 No\r\n\r\n{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"message\":\"not "
          "you\"}",
          "not you" },
        { "rubbish\r\n\r\n", "http" },
        /* A wish of a day is one of a proxy that does not know better. */
        { "HTTP/1.1 503 No\r\nRetry-After: 86400\r\n\r\nmaintenance", "maintenance" },
    };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        const char *const answers[] = { cases[i].answer, NULL };
        struct world w = { .troubles_left = 1 };
        run_reflector(&w, answers, "! ");
        assert_has(w.trouble, cases[i].says);
    }
}

static void bad_watches(void **state)
{
    static const struct {
        const char *answer, *says;
    } cases[] = {
        { OK "{\"type\":\"ADDED\",\n", "not JSON" },
        { OK "{\"type\":\"ADDED\"}\n", "has no object" },
        { OK EVENT("WHAT", "{}"), "unknown type: WHAT" },
        { OK EVENT("ERROR", "{\"code\":500,\"message\":\"etcd\"}"), "etcd" },
    };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        const char *const answers[] = { LIST("1", ""), cases[i].answer, NULL };
        struct world w = { .troubles_left = 1 };
        run_reflector(&w, answers, "S ! ");
        assert_has(w.trouble, cases[i].says);
    }
}

static void a_kind_that_goes(void **state)
{
    static const char *const answers[] = {
        LIST("1", CM("a", "1", "1")),
        "HTTP/1.1 404 No\r\n\r\n404 page not found\n",
        "HTTP/1.1 404 No\r\n\r\n404 page not found\n",
        LIST("9", CM("last", "9", "9")),
        NULL,
    };
    struct world w = { 0 };
    (void)state;
    run_reflector(&w, answers, "+a/1 S -a/1? A +last/9 ");
    assert_has(w.trouble, "404 page not found");
}

/* ABSENT is reported again after FAILED, for callers that wait for a definite state. */
static void a_kind_that_is_absent_still(void **state)
{
    static const char *const answers[] = {
        "HTTP/1.1 404 No\r\n\r\n404 page not found\n",
        "HTTP/1.1 500 Oh\r\n\r\noh no",
        "HTTP/1.1 404 No\r\n\r\n404 page not found\n",
        LIST("9", CM("last", "9", "9")),
        NULL,
    };
    struct world w = { 0 };
    (void)state;
    run_reflector(&w, answers, "A ! A +last/9 ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes),
        cmocka_unit_test(own_writes),
        cmocka_unit_test(list_after_410),
        cmocka_unit_test(pages_that_expire),
        cmocka_unit_test(bad_days),
        cmocka_unit_test(bad_watches),
        cmocka_unit_test(a_kind_that_goes),
        cmocka_unit_test(data_that_were_restored),
        cmocka_unit_test(data_that_were_restored_a_while_ago),
        cmocka_unit_test(numbers_of_writes_before_a_restore),
        cmocka_unit_test(numbers_of_writes_before_a_new_watch),
        cmocka_unit_test(answers_while_it_lists),
        cmocka_unit_test(a_write_that_was_lost),
        cmocka_unit_test(a_kind_that_is_absent_still),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
