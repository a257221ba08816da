#include "cli/jobs/run_stopped.h"
#include "cli/testing.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static int setup(void **state)
{
    return fixture_new(state) ? 0 : -1;
}

static void test_a_process_that_is_stopped(void **state)
{
    struct ty_cli_fixture *b = *state;
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    struct ty_job_history_entry job = { .run.pid = pid,
                                        .name = "ddp",
                                        .alive = TY_HISTORY_RUN_LIVE };
    assert_false(ty_run_stopped_is(pid));
    assert_int_equal(ty_run_stopped_check(&b->cli, &job), TY_EXIT_OK);
    kill(pid, SIGSTOP);
    assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
    assert_true(ty_run_stopped_is(pid));
    job.alive = TY_HISTORY_RUN_LOST; /* the number belongs to another process by now */
    assert_int_equal(ty_run_stopped_check(&b->cli, &job), TY_EXIT_OK);
    job.alive = TY_HISTORY_RUN_LIVE;
    assert_int_equal(ty_run_stopped_check(&b->cli, &job), TY_EXIT_BAD);
    fixture_flush(b);
    assert_non_null(strstr(b->err, ") is stopped; continue it: kill -CONT "));
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_false(ty_run_stopped_is(pid));
    assert_false(ty_run_stopped_is(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_process_that_is_stopped, setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
