#include "store/history/history_read_testing.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "store/history/run_lock.h"

static void test_held_while_open(void **state)
{
    struct history_read_world *w = *state;
    struct ty_err err = { 0 };

    assert_false(ty_run_lock_is_held(w->dir));
    int fd = ty_run_lock_acquire(w->dir, &err);
    assert_true(fd >= 0);
    assert_true(ty_run_lock_is_held(w->dir));
    assert_int_equal(ty_run_lock_acquire(w->dir, &err), -EWOULDBLOCK);
    close(fd);
    assert_false(ty_run_lock_is_held(w->dir));
    assert_false(ty_run_lock_is_held("/nonexistent"));
    assert_int_equal(ty_run_lock_acquire("/nonexistent", &err), -ENOENT);
}

/* A job can put a pipe there: opening it would wait for ever. */
static void test_a_pipe_instead(void **state)
{
    struct history_read_world *w = *state;
    struct ty_err err = { 0 };
    char path[4096];

    snprintf(path, sizeof(path), "%s/lock", w->dir);
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(ty_run_lock_is_held(w->dir));
    assert_int_equal(ty_run_lock_acquire(w->dir, &err), -EBADF);
    assert_non_null(strstr(err.text, "it is not a regular file"));
    unlink(path);
}

static void test_a_killed_holder_lets_go(void **state)
{
    struct history_read_world *w = *state;
    int p[2];
    char c = 0;

    assert_int_equal(pipe(p), 0);
    pid_t pid = fork();
    if (pid == 0) {
        if (ty_run_lock_acquire(w->dir, NULL) < 0 || write(p[1], "x", 1) != 1)
            _exit(1);
        pause();
        _exit(0);
    }
    assert_int_equal(read(p[0], &c, 1), 1);
    assert_true(ty_run_lock_is_held(w->dir));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    assert_false(ty_run_lock_is_held(w->dir));
    close(p[0]);
    close(p[1]);
}

/* A check takes the lock for a moment, shared. */
static void test_acquired_while_others_check(void **state)
{
    struct history_read_world *w = *state;
    struct ty_err err = { 0 };
    pid_t pid = fork();

    if (pid == 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* it ends with a test that fails, too */
    while (pid == 0)
        ty_run_lock_is_held(w->dir);
    for (int i = 0; i < 2000; i++) {
        int fd = ty_run_lock_acquire(w->dir, &err);
        if (fd < 0)
            fail_msg("attempt %d: %s", i, err.text);
        close(fd);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { PAST_T(test_held_while_open), PAST_T(test_a_pipe_instead),
                                        PAST_T(test_acquired_while_others_check),
                                        PAST_T(test_a_killed_holder_lets_go) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
