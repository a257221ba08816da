/* Against a scripted server; tests/cluster uses a real one. */
#include "cli/cluster/cluster_session_testing.h"

static struct ty_cluster_session *open_session(struct cluster_fixture *f, struct ty_where_opts opts)
{
    struct ty_cluster_session *s = NULL;

    assert_int_equal(ty_cluster_session_open(&f->b.cli, &opts, &s), TY_EXIT_OK);
    return s;
}

static int get_job(struct ty_cluster_session *s, struct cluster_fixture *f,
                   struct ty_cluster_answer *ret)
{
    return ty_cluster_session_call(s, f->b.cli.arena,
                                   &(struct ty_kube_request){ .verb = TY_KUBE_GET,
                                                              .kind = &ty_kind_trainjob,
                                                              .ns = TY_LIT("team"),
                                                              .name = TY_LIT("x") },
                                   ret);
}

static void test_namespace_and_words(void **state)
{
    struct cluster_fixture *f = *state;

    cluster_kubeconfig("http://127.0.0.1:1");
    ty_auto_cluster_session *s = open_session(f, (struct ty_where_opts){ .cluster = true });
    assert_string_equal(ty_cluster_session_ns(s), "team");
    assert_string_equal(ty_cluster_session_where(s), "context \"c\"");
    assert_string_equal(ty_cluster_session_flags(s), " --context c");
    ty_auto_cluster_session *t =
        open_session(f, (struct ty_where_opts){ .kubeconfig = "kubeconfig", .history.ns = "n" });
    assert_string_equal(ty_cluster_session_ns(t), "n");
    assert_string_equal(ty_cluster_session_flags(t), " --kubeconfig kubeconfig --context c");
}

static void test_the_user_configuration_chooses(void **state)
{
    struct cluster_fixture *f = *state;
    struct ty_cluster_session *none = NULL;

    cluster_kubeconfig("http://127.0.0.1:1");
    assert_int_equal(mkdir("trainyard", 0700), 0);
    fixture_file("trainyard/config.yaml", "namespace: mine\n");
    ty_auto_cluster_session *s = open_session(f, (struct ty_where_opts){ .cluster = true });
    assert_string_equal(ty_cluster_session_ns(s), "mine");
    ty_auto_cluster_session *t = open_session(f, (struct ty_where_opts){ .context = "c" });
    assert_string_equal(ty_cluster_session_ns(t), "team"); /* of that context */
    fixture_file("trainyard/config.yaml", "context: gone\n");
    assert_int_equal(
        ty_cluster_session_open(&f->b.cli, &(struct ty_where_opts){ .cluster = true }, &none),
        TY_EXIT_BAD);
    fixture_flush(&f->b);
    assert_has(f->b.err, "gone");
    f->b.cli.kubectl = true; /* works where kubectl works */
    ty_auto_cluster_session *u = open_session(f, (struct ty_where_opts){ 0 });
    assert_string_equal(ty_cluster_session_ns(u), "team");
}

static void test_no_kubeconfig(void **state)
{
    struct cluster_fixture *f = *state;
    struct ty_cluster_session *s = NULL;

    assert_int_equal(
        ty_cluster_session_open(&f->b.cli, &(struct ty_where_opts){ .cluster = true }, &s),
        TY_EXIT_BAD);
    fixture_flush(&f->b);
    assert_has(f->b.err, "error: no cluster to work on: ");
    assert_int_equal(
        ty_cluster_session_open(&f->b.cli, &(struct ty_where_opts){ .kubeconfig = "no" }, &s),
        TY_EXIT_BAD);
    assert_null(s);
}

static void test_a_call(void **state)
{
    static const char *const answers[] = { OK "{\"metadata\":{\"name\":\"x\"}}", NULL };
    struct cluster_fixture *f = *state;
    struct ty_cluster_answer answer;

    cluster_serve(f, answers);
    ty_auto_cluster_session *s = open_session(f, (struct ty_where_opts){ .cluster = true });
    assert_int_equal(get_job(s, f, &answer), 0);
    assert_true(ty_str_is(ty_json_str_at(answer.json, "metadata.name"), "x"));
    assert_has(f->peer.asked[0],
               "GET /apis/trainer.kubeflow.org/v1alpha1/namespaces/team/trainjobs/x ");
}

static void test_a_list_of_two_pages(void **state)
{
    static const char *const answers[] = { PAGE("1", "t", CM("a", "1", "1")),
                                           LIST("1", CM("b", "2", "1")), NULL };
    struct cluster_fixture *f = *state;
    struct ty_kube_selector which = { .kind = &ty_kind_configmap, .ns = TY_LIT("team") };
    struct ty_cluster_answer answer;
    struct ty_json **objs = NULL;
    size_t n = 0;

    cluster_serve(f, answers);
    ty_auto_cluster_session *s = open_session(f, (struct ty_where_opts){ .cluster = true });
    assert_int_equal(ty_cluster_session_list(s, f->b.cli.arena, &which, &objs, &n, &answer), 0);
    assert_int_equal(n, 2);
    assert_true(ty_str_is(ty_json_str_at(objs[1], "metadata.name"), "b"));
    assert_true(ty_str_is(ty_json_str_at(objs[1], "kind"), "ConfigMap"));
    assert_true(ty_str_is(ty_json_str_at(objs[1], "apiVersion"), "v1"));
}

static void test_a_list_that_does_not_fit(void **state)
{
    static const char *const answers[] = { LIST("1", CM("a", "1", "1") "," CM("b", "2", "1")),
                                           NULL };
    struct cluster_fixture *f = *state;
    struct ty_kube_selector which = { .kind = &ty_kind_configmap };
    ty_auto_arena *small = ty_arena_new_input(600, NULL);
    struct ty_cluster_answer answer;
    struct ty_json **objs = NULL;
    size_t n = 0;

    cluster_serve(f, answers);
    ty_auto_cluster_session *s = open_session(f, (struct ty_where_opts){ .cluster = true });
    assert_int_equal(ty_cluster_session_list(s, small, &which, &objs, &n, &answer), -EFBIG);
    assert_int_equal(ty_cluster_session_error(s, "list", &answer), TY_EXIT_BAD);
    fixture_flush(&f->b);
    assert_has(f->b.err, "more objects than can be read");
}

static void test_errors(void **state)
{
    static const char *const answers[] = {
        FORBIDDEN, "HTTP/1.1 401 Unauthorized\r\n\r\n" STATUS(401, "Unauthorized", "Unauthorized"),
        "HTTP/1.1 404 Not Found\r\n\r\n404 page not found\n", NULL
    };
    static const char *const texts[] = {
        "error: cannot do it: you may not get trainjobs.trainer.kubeflow.org in namespace \"team\" "
        "of context \"c\"; to check: kubectl --context c auth can-i get "
        "trainjobs.trainer.kubeflow.org -n team\n",
        "error: cannot do it: the cluster of context \"c\" does not accept the token in the "
        "kubeconfig\n",
        "error: cannot do it: the cluster of context \"c\" has no trainjobs.trainer.kubeflow.org",
    };
    struct cluster_fixture *f = *state;
    struct ty_cluster_answer answer;

    cluster_serve(f, answers);
    ty_auto_cluster_session *s = open_session(f, (struct ty_where_opts){ .cluster = true });
    for (size_t i = 0; i < TY_COUNT(texts); i++) {
        assert_true(get_job(s, f, &answer) < 0);
        ty_cluster_session_error(s, "do it", &answer);
        fixture_flush(&f->b);
        assert_has(f->b.err, texts[i]);
    }
}

static void test_unreachable(void **state)
{
    struct cluster_fixture *f = *state;
    struct ty_cluster_answer answer;
    int port = 0, fd = port_take(1, &port);

    close(fd); /* nobody listens there now */
    cluster_kubeconfig(ty_arena_printf(f->b.cli.arena, "http://127.0.0.1:%d", port));
    ty_auto_cluster_session *s = open_session(f, (struct ty_where_opts){ .cluster = true });
    assert_int_equal(get_job(s, f, &answer), -EAGAIN);
    ty_cluster_session_error(s, "get TrainJob \"x\"", &answer);
    fixture_flush(&f->b);
    assert_has(f->b.err, "error: cannot get TrainJob \"x\" in the cluster of context \"c\": ");
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, cluster_setup, cluster_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = { T(test_namespace_and_words),
                                        T(test_the_user_configuration_chooses),
                                        T(test_no_kubeconfig),
                                        T(test_a_call),
                                        T(test_a_list_of_two_pages),
                                        T(test_a_list_that_does_not_fit),
                                        T(test_errors),
                                        T(test_unreachable) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
