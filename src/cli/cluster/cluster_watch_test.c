/* Against a scripted server; tests/operator/test_cli_cluster.py uses a real control plane. */
#include "cli/cluster/cluster_session_testing.h"
#include "cli/cluster/cluster_watch.h"
#include "store/kube/kube_kinds.h"

#define LINE  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define WORDS LINE LINE LINE LINE LINE LINE LINE LINE
#define ITEM(name)                                                                                 \
    "{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"team\",\"uid\":\"" name                  \
    "\",\"resourceVersion\":\"1\"},\"message\":\"" WORDS "\"}"

/* More objects than an arena has room for: each is given once, by as many calls as that needs. */
static void test_objects_that_do_not_fit(void **state)
{
    static const char *const answers[] = {
        LIST("1", ITEM("a") "," ITEM("b") "," ITEM("c") "," ITEM("d") "," ITEM("e")), NULL
    };
    struct cluster_fixture *f = *state;
    struct ty_cluster_session *s = NULL;
    size_t given = 0, calls = 0;

    cluster_serve(f, answers);
    assert_int_equal(
        ty_cluster_session_open(&f->b.cli, &(struct ty_where_opts){ .cluster = true }, &s), 0);
    struct ty_cluster_watch *w =
        ty_cluster_watch_new(s, &(struct ty_cluster_watch_opts){
                                    .which = { .kind = &ty_kind_event, .ns = TY_LIT("team") } });
    for (; given < 5 && calls < 5; calls++) {
        ty_auto_arena *a = ty_arena_new_input(6000, NULL);
        struct ty_json **objs = NULL;
        size_t n = 0;
        assert_int_equal(ty_cluster_watch_wait(w), TY_EXIT_OK);
        ty_cluster_watch_take(w, a, NULL, NULL, &objs, &n);
        given += n;
    }
    assert_int_equal(given, 5);
    assert_true(calls > 1);
    ty_cluster_watch_free(w);
    ty_cluster_session_free(s);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, cluster_setup, cluster_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = { T(test_objects_that_do_not_fit) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
