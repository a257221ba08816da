/* Pods at work: starts that fail, ends of every sort, names that find them. */
#include "engine/engine_testing.h"
#include "engine/pod/pods.h"
#include "proc/zygote_inner.h"

static const struct ty_json *terminated(struct engine_fixture *w, const char *host)
{
    const struct ty_json *all = ty_json_at(fixture_stored(w, host), "status.containerStatuses");
    return ty_json_at(ty_json_find_item(all, "name", TY_LIT("main"), NULL), "state.terminated");
}

static void a_program_that_is_not_there(void **state)
{
    struct engine_fixture *w = *state;

    fixture_submit(w, "j", 1,
                   "{restartPolicy: Never, containers: [{name: main, image: x, command: "
                   "[no-such-program]}]}");
    fixture_run(w);
    assert_observed(w, "P j-node-0-0 main 128 StartError");
    assert_true(ty_str_contains(ty_json_str_at(terminated(w, "j-node-0-0"), "message"),
                                TY_LIT("no-such-program")));
    assert_observed(w, "J j Failed");
}

static void exit_codes_and_signals(void **state)
{
    struct engine_fixture *w = *state;

    fixture_submit(w, "j", 1, SH("exit 42"));
    fixture_submit(w, "k", 1, SH("kill -SEGV $$$$"));
    fixture_run(w);
    assert_observed(w, "P j-node-0-0 main 42 Error");
    assert_observed(w, "P k-node-0-0 main 139 Error");
}

static void last_words(void **state)
{
    struct engine_fixture *w = *state;

    if (!w->o.host.mounts)
        skip();
    fixture_submit(w, "j", 1, SH("echo my last words > /dev/termination-log; exit 1"));
    fixture_run(w);
    assert_true(
        ty_str_is(ty_json_str_at(terminated(w, "j-node-0-0"), "message"), "my last words\n"));
}

static void init_containers_come_first(void **state)
{
    struct engine_fixture *w = *state;

    fixture_submit(
        w, "j", 1,
        "{restartPolicy: Never, initContainers: [{name: one, image: x, command: [sh, -c, "
        "'sleep 0.1; echo 1']}, {name: two, image: x, command: [echo, '2']}], containers: "
        "[{name: main, image: x, command: [echo, '3']}]}");
    fixture_run(w);
    assert_observed(w, "L j-node-0-0/one 1\nL j-node-0-0/two 2\nL j-node-0-0/main 3\n");
}

static bool is_up(struct engine_fixture *w)
{
    return fixture_observed(w, "L j-node-0-0/main up\n");
}

/* The shim is the parent of all that is in the pod; without it everything there is dead. */
static void a_keeper_that_is_killed(void **state)
{
    struct engine_fixture *w = *state;
    char path[64], text[64] = "";
    pid_t z = w->z->pid;

    fixture_submit(w, "j", 1, SH("echo up; exec sleep 60"));
    w->enough = is_up;
    fixture_run(w);
    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", z, z);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0);
    close(fd);
    assert_int_equal(kill((pid_t)strtol(text, NULL, 10), SIGKILL), 0);
    w->enough = NULL;
    fixture_run(w);
    assert_observed(w, "P j-node-0-0 main 137 Error");
    assert_observed(w, "J j Failed");
}

static bool ten_are_up(struct engine_fixture *w)
{
    return fixture_count(w, "/main up\n") == 11;
}

static void found_by_any_of_its_names(void **state)
{
    struct engine_fixture *w = *state;

    fixture_submit(w, "j", 11, SH("echo up; exec sleep 60"));
    w->enough = ten_are_up;
    fixture_run(w);
    const struct ty_pod_runtime *one = ty_pods_by_host(w->e, TY_LIT("j-node-0-1"));
    const struct ty_pod_runtime *ten = ty_pods_by_host(w->e, TY_LIT("j-node-0-10"));
    assert_non_null(one);
    assert_non_null(ten);
    assert_ptr_not_equal(one, ten);
    assert_int_equal(one->index, 1);
    assert_ptr_equal(ty_pods_by_host(w->e, TY_LIT("j-node-0-10.j")), ten);
    assert_ptr_equal(ty_pods_by_host(w->e, ty_str(one->address)), one);
    assert_null(ty_pods_by_host(w->e, TY_LIT("j-node-0-11")));
    assert_null(ty_pods_by_host(w->e, TY_LIT("j-node-0")));
    assert_null(ty_pods_by_host(w->e, TY_LIT("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ENGINE_TEST(a_program_that_is_not_there),
        ENGINE_TEST(exit_codes_and_signals),
        ENGINE_TEST(last_words),
        ENGINE_TEST(init_containers_come_first),
        ENGINE_TEST(a_keeper_that_is_killed),
        ENGINE_TEST(found_by_any_of_its_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
