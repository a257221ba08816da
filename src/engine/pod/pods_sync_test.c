/* How pods begin: environment, devices, and the reason when they cannot. */
#include "engine/engine_testing.h"

static void the_environment_is_small_and_known(void **state)
{
    struct engine_fixture *w = *state;
    static const char *const more[] = { "EXTRA=of mine", "LANG=xx", NULL };

    setenv("TRAINYARD_TEST_SECRET", "leaked", 1);
    w->o.env = more;
    fixture_submit(w, "j", 1,
                   SH("env | sort; test -d $TMPDIR && touch $TMPDIR/x && echo tmp is there"));
    fixture_run(w);
    assert_observed(w, "L j-node-0-0/main HOSTNAME=j-node-0-0\n");
    assert_observed(w, "L j-node-0-0/main TRAINYARD_POD=j-node-0-0\n");
    assert_observed(w, "L j-node-0-0/main PYTHONUNBUFFERED=1\n");
    assert_observed(w, "L j-node-0-0/main EXTRA=of mine\n");
    assert_observed(w, "L j-node-0-0/main LANG=xx\n"); /* the caller's word, not the machine's */
    assert_observed(w, ty_arena_printf(w->a, "L j-node-0-0/main PATH=%s/run/bin:", w->dir));
    assert_observed(w, "L j-node-0-0/main tmp is there\n");
    assert_not_observed(w, "leaked");
    unsetenv("TRAINYARD_TEST_SECRET");
}

/* One device, two jobs: one after the other, and each sees it. */
static void devices_are_waited_for(void **state)
{
    struct engine_fixture *w = *state;
    static const char *const gpus[] = { "7", NULL };
    static const char pod[] =
        "{restartPolicy: Never, containers: [{name: main, image: x, resources: {limits: "
        "{nvidia.com/gpu: 1}}, command: [sh, -c, 'echo begin $CUDA_VISIBLE_DEVICES; sleep 0.1; "
        "echo "
        "end']}]}";

    w->o.host.gpus = gpus;
    w->o.host.gpu_resource = "nvidia.com/gpu";
    w->o.host.gpu_var = "CUDA_VISIBLE_DEVICES";
    fixture_submit(w, "a", 1, pod);
    fixture_submit(w, "b", 1, pod);
    fixture_run(w);
    bool a_first = fixture_observed(w, "L a-node-0-0/main begin 7\nL a-node-0-0/main end\n"
                                       "L b-node-0-0/main begin 7\nL b-node-0-0/main end\n");
    bool b_first = fixture_observed(w, "L b-node-0-0/main begin 7\nL b-node-0-0/main end\n"
                                       "L a-node-0-0/main begin 7\nL a-node-0-0/main end\n");
    if (!a_first && !b_first)
        fail_msg("%.*s", TY_ARG(ty_buf_str(&w->lines)));
    assert_observed(w, "J a Complete");
    assert_observed(w, "J b Complete");
    assert_int_equal(w->e->gpus.used, 0);
}

static void who_asks_for_none_sees_none(void **state)
{
    struct engine_fixture *w = *state;
    static const char *const gpus[] = { "0", "1", NULL };

    w->o.host.gpus = gpus;
    w->o.host.gpu_var = "CUDA_VISIBLE_DEVICES";
    fixture_submit(w, "j", 1, SH("echo devices=$CUDA_VISIBLE_DEVICES."));
    fixture_run(w);
    assert_observed(w, "L j-node-0-0/main devices=.\n");
}

static void no_room_for_its_folder(void **state)
{
    struct engine_fixture *w = *state;

    assert_int_equal(rmdir(ty_arena_printf(w->a, "%s/run/pods", w->dir)), 0);
    fixture_submit(w, "j", 1, SH("true"));
    fixture_run(w);
    assert_observed(w, "E Warning FailedToBegin j-node-0-0: ");
    assert_observed(w, "/run/pods/");
    assert_observed(w, "J j Failed");
}

static void a_plan_takes_what_the_last_one_took(void **state)
{
    struct engine_fixture *w = *state;

    fixture_submit(w, "j", 3, SH("true"));
    fixture_run(w);
    assert_in_range(w->e->pods.plan_size, 100, 64 << 10);
    assert_observed(w, "J j Complete");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ENGINE_TEST(the_environment_is_small_and_known),  ENGINE_TEST(devices_are_waited_for),
        ENGINE_TEST(who_asks_for_none_sees_none),         ENGINE_TEST(no_room_for_its_folder),
        ENGINE_TEST(a_plan_takes_what_the_last_one_took),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
