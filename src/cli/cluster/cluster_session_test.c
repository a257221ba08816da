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
    assert_has(f->b.err, "cannot list in the cluster of context \"c\": the list takes more than");
}

/* Also of an arena that has room. */
static void test_a_list_that_is_too_large(void **state)
{
    static const char *const answers[] = { LIST("1", CM("a", "1", "1") "," CM("b", "2", "1")),
                                           NULL };
    struct cluster_fixture *f = *state;
    struct ty_kube_selector which = { .kind = &ty_kind_configmap };
    struct ty_cluster_answer answer;
    struct ty_json **objs = NULL;
    size_t n = 0;

    cluster_serve(f, answers);
    ty_auto_cluster_session *s = open_session(f, (struct ty_where_opts){ .cluster = true });
    ty_cluster_session_limit_lists(s, 600);
    assert_int_equal(ty_cluster_session_list(s, f->b.cli.arena, &which, &objs, &n, &answer),
                     -EFBIG);
    assert_has(ty_cluster_session_error_text(s, f->b.cli.arena, "list", &answer),
               "; name an object, or choose a namespace with -n");
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

    close(fd); /* no server listens there now */
    cluster_kubeconfig(ty_arena_printf(f->b.cli.arena, "http://127.0.0.1:%d", port));
    ty_auto_cluster_session *s = open_session(f, (struct ty_where_opts){ .cluster = true });
    assert_int_equal(get_job(s, f, &answer), -EAGAIN);
    ty_cluster_session_error(s, "get TrainJob \"x\"", &answer);
    fixture_flush(&f->b);
    assert_has(f->b.err, "error: cannot get TrainJob \"x\" in the cluster of context \"c\": ");
}

/* For shell completion: a server that accepts and says nothing. */
static void test_no_time(void **state)
{
    struct cluster_fixture *f = *state;
    struct ty_cluster_answer answer;
    struct ty_json **objs = NULL;
    size_t n = 0;
    int port = 0, fd = port_take(16, &port);
    char url[64];

    snprintf(url, sizeof(url), "http://127.0.0.1:%d", port);
    cluster_kubeconfig(url);
    struct ty_cluster_session *s =
        open_session(f, (struct ty_where_opts){ .cluster = true, .quick_ms = 50 });
    assert_int_equal(get_job(s, f, &answer), -ETIMEDOUT);
    assert_int_equal(ty_cluster_session_list(s, f->b.cli.arena,
                                             &(struct ty_kube_selector){ .kind = &ty_kind_pod },
                                             &objs, &n, &answer),
                     -ETIMEDOUT); /* the time is that of both */
    ty_cluster_session_free(s);
    close(fd);
}

static void on_soon(uv_timer_t *timer)
{
    ty_cluster_session_interrupt(timer->data);
}

/* Such as by Ctrl-C during `top`. */
static void test_interrupt(void **state)
{
    struct cluster_fixture *f = *state;
    struct ty_cluster_answer answer;
    int port = 0, fd = port_take(16, &port);
    char url[64];
    uv_timer_t timer;

    snprintf(url, sizeof(url), "http://127.0.0.1:%d", port);
    cluster_kubeconfig(url);
    struct ty_cluster_session *s = open_session(f, (struct ty_where_opts){ .cluster = true });
    uv_timer_init(ty_cluster_session_loop(s), &timer);
    timer.data = s;
    uv_timer_start(&timer, on_soon, 50, 0);
    assert_int_equal(get_job(s, f, &answer), -EINTR);
    assert_int_equal(get_job(s, f, &answer), -EINTR); /* the next of a command with several */
    uv_close((uv_handle_t *)&timer, NULL);
    ty_cluster_session_free(s);
    close(fd);
}

/* ---- text of the server on the terminal ---- */

#define EVIL "\\u001b]0;owned\\u0007\\u001b[31mx\\u009b2J"
#define EVIL_META                                                                                  \
    "\"metadata\":{\"name\":\"" EVIL "\",\"namespace\":\"" EVIL "\",\"uid\":\"" EVIL "\"}"
#define EVIL_JOB                                                                                   \
    "{" EVIL_META ",\"spec\":{\"runtimeRef\":{\"name\":\"" EVIL                                    \
    "\"}},\"status\":{\"conditions\":[{"                                                           \
    "\"type\":\"Suspended\",\"status\":\"True\",\"reason\":\"" EVIL "\",\"message\":\"" EVIL       \
    "\"}]}}"
#define EVIL_EVENT                                                                                 \
    "{" EVIL_META ",\"involvedObject\":{\"kind\":\"Pod\",\"name\":\"" EVIL "\"},\"type\":\"" EVIL  \
    "\",\"reason\":\"" EVIL "\",\"message\":\"" EVIL "\"}"
#define EVIL_POD                                                                                   \
    "{" EVIL_META ",\"spec\":{\"hostname\":\"" EVIL "\",\"containers\":[{\"name\":\"" EVIL         \
    "\"}]},\"status\":{\"phase\":\"Running\",\"containerStatuses\":[{\"name\":\"" EVIL             \
    "\",\"state\":{\"running\":{}}}]}}"
#define EVIL_LOG "HTTP/1.1 200 OK\r\n\r\n2026-11-17T18:40:00Z a line\n"

static const struct evil_command {
    const char *words[8];
    const char *answers[6];
    const char *seen; /* what is left of the names */
} evil_commands[] = {
    { { "get", "-o", "name" }, { LIST("1", EVIL_JOB), LIST("1", "") }, "org/x" },
    { { "get", "-o", "yaml" }, { LIST("1", EVIL_JOB), LIST("1", "") }, "kind: TrainJob" },
    { { "get" }, { LIST("1", EVIL_JOB), LIST("1", "") }, "Created" },
    { { "get", "pods" }, { FORBIDDEN, LIST("1", EVIL_POD) }, "Running" },
    { { "get", "events" }, { LIST("1", EVIL_EVENT) }, "pod/" },
    { { "describe", "t" },
      { OK EVIL_JOB, NOT_FOUND, LIST("1", ""), LIST("1", "") },
      "Name:        x2J" },
    { { "delete", "--all", "--yes", "--wait=false" },
      { LIST("1", EVIL_JOB), OK EVIL_JOB },
      "\"x2J\" deleted" },
    { { "suspend", "t" }, { OK EVIL_JOB, NOT_FOUND, OK EVIL_JOB }, "org/x2J suspended" },
    { { "resume", "t" }, { OK EVIL_JOB, NOT_FOUND, OK EVIL_JOB }, "org/x2J resumed" },
    { { "wait", "t", "--for", "suspended" },
      { OK EVIL_JOB, NOT_FOUND, LIST("1", EVIL_JOB), OK },
      "org/x2J condition met" },
    { { "logs", "t" }, { OK EVIL_JOB, NOT_FOUND, LIST("1", EVIL_POD), EVIL_LOG }, "[x2J] a line" },
    { { "top" }, { LIST("1", ""), LIST("1", EVIL_POD) }, "0m" },
    { { "submit", "job.yaml" }, { FORBIDDEN, OK EVIL_JOB }, "org/x2J created" },
    { { "submit", "job.yaml", "-o", "name" }, { FORBIDDEN, OK EVIL_JOB }, "org/x2J" },
};

/* Names and messages of a server never control the terminal. */
static void test_escape_sequences(void **state)
{
    struct cluster_fixture *f = *state;
    char seen[8192];

    setenv("TERM", "dumb", 1); /* top prints its table once */
    for (size_t i = 0; i < TY_COUNT(evil_commands); i++) {
        const struct evil_command *c = &evil_commands[i];
        const char *words[10] = { 0 };
        size_t n = 0;
        cluster_serve(f, c->answers);
        fixture_file("job.yaml", "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\n"
                                 "metadata: {name: t}\nspec: {runtimeRef: {name: r}}\n");
        int master = fixture_terminal(&f->b);
        for (; c->words[n]; n++)
            words[n] = c->words[n];
        words[n] = "--cluster";
        int code = fixture_run(&f->b, words);
        fixture_terminal_read(&f->b, master, seen, sizeof(seen));
        if (code || !strstr(seen, c->seen) || strstr(seen, "\033") || strstr(seen, "\302\233") ||
            strstr(f->b.err, "\033") || strstr(f->b.err, "\302\233"))
            fail_msg("%s %s: %d\n%s%s", words[0], words[1], code, seen, f->b.err);
        peer_stop(&f->peer);
        f->serving = false;
    }
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
                                        T(test_a_list_that_is_too_large),
                                        T(test_errors),
                                        T(test_unreachable),
                                        T(test_no_time),
                                        T(test_interrupt),
                                        T(test_escape_sequences) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
