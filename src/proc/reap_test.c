/* Strangers are killed with all below them; what is mine is left alone. Every case runs in a child
 * of its own that adopts orphans, so that nothing of the test's own is in reach. */
#include "proc/testing.h"

#include <pthread.h>
#include <sys/mman.h>

#include "proc/reap.h"

enum { A, B, C, D, MINE, MINE_TOO, N_SLOTS };
static pid_t *slots; /* shared: who is who */

typedef int case_fn(void); /* 0, or the line that failed */
#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x))                                                                                  \
            return __LINE__;                                                                       \
    } while (0)

static void in_child(case_fn *fn)
{
    int line = 0, pipe[2], status = 0;
    slots = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(slots != MAP_FAILED);
    assert_int_equal(pipe2(pipe, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        setpgid(0, 0);
        line = fn();
        ty_reap_everything();
        _exit(write(pipe[1], &line, sizeof(line)) == sizeof(line) ? 0 : 1);
    }
    close(pipe[1]);
    ssize_t n = read(pipe[0], &line, sizeof(line));
    close(pipe[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    munmap(slots, 4096);
    assert_int_equal(n, sizeof(line));
    assert_int_equal(status, 0);
    if (line)
        fail_msg("line %d", line);
}

/* A process for its slot; A ignores SIGTERM. */
static pid_t fork_at(int slot)
{
    pid_t pid = fork();
    signal(SIGTERM, pid == 0 && slot != A ? SIG_DFL : SIG_IGN);
    if (pid == 0)
        __atomic_store_n(&slots[slot], getpid(), __ATOMIC_SEQ_CST);
    return pid;
}

_Noreturn static void stand(void)
{
    signal(SIGHUP, SIG_IGN);
    for (;;)
        pause();
}

static bool all_stand(int from, int to)
{
    int waited = 0;
    for (int i = from; i <= to; i++)
        while (!__atomic_load_n(&slots[i], __ATOMIC_SEQ_CST))
            if (!wait_a_moment(&waited))
                return false;
    return true;
}

/* A leads a session; B is its child, C too in a session of its own, D a daemon nobody waits for. */
static bool make_tree(void)
{
    if (fork_at(A) == 0) {
        setsid();
        if (fork_at(B) == 0)
            stand();
        if (fork_at(C) == 0) {
            setsid();
            stand();
        }
        if (fork() == 0) {
            setsid();
            if (fork_at(D) == 0)
                stand();
            _exit(0);
        }
        stand();
    }
    return all_stand(A, D);
}

static pid_t make_mine(void)
{
    pid_t pid = fork_at(MINE);
    if (pid == 0) {
        setsid();
        if (fork_at(MINE_TOO) == 0)
            stand();
        stand();
    }
    return all_stand(MINE, MINE_TOO) ? pid : 0;
}

static int everything_dies(void)
{
    CHECK(make_tree());
    CHECK(make_mine());
    ty_reap_everything();
    for (int i = 0; i < N_SLOTS; i++)
        CHECK(kill(slots[i], 0) < 0 && errno == ESRCH);
    CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
    return 0;
}

static int mine_live_on(void)
{
    CHECK(make_tree());
    pid_t mine = make_mine();
    CHECK(mine);
    int waited = 0;
    while (ty_reap_orphans(&mine, 1) && wait_a_moment(&waited))
        ;
    for (int i = A; i <= D; i++)
        CHECK(is_dead(slots[i]));
    CHECK(!is_dead(slots[MINE]) && !is_dead(slots[MINE_TOO]));
    return 0;
}

/* A stranger in the process group of one of mine: the group is spared. */
static int groups_of_mine_live_on(void)
{
    pid_t mine = fork_at(MINE);
    if (mine == 0) {
        setpgid(0, 0);
        stand();
    }
    CHECK(all_stand(MINE, MINE));
    setpgid(mine, mine);
    pid_t other = fork_at(A);
    if (other == 0)
        stand();
    CHECK(setpgid(other, mine) == 0);
    ty_reap_orphans(&mine, 1);
    CHECK(waitpid(other, NULL, 0) == other);
    CHECK(!is_dead(mine));
    CHECK(ty_reap_orphans(&mine, 1) == 0);
    return 0;
}

static int the_dead_do_not_count(void)
{
    CHECK(ty_reap_orphans(NULL, 0) == 0);
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    siginfo_t info;
    CHECK(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0);
    CHECK(ty_reap_orphans(NULL, 0) == 0);
    CHECK(waitpid(pid, NULL, WNOHANG) == pid);
    return 0;
}

static void *go_on(void *unused)
{
    (void)unused;
    stand();
}

/* Its first thread has ended, so it looks like a zombie. */
static int half_a_zombie_dies(void)
{
    pid_t pid = fork_at(A);
    if (pid == 0) {
        pthread_t t;
        pthread_create(&t, NULL, go_on, NULL);
        pthread_exit(NULL);
    }
    CHECK(all_stand(A, A));
    wait_dead(pid);
    CHECK(waitpid(pid, NULL, WNOHANG) == 0);
    ty_reap_orphans(NULL, 0);
    CHECK(waitpid(pid, NULL, 0) == pid);
    return 0;
}

static int signals_reach_the_tree(void)
{
    CHECK(make_tree());
    CHECK(make_mine());
    ty_reap_signal_tree(slots[A], SIGTERM);
    for (int i = B; i <= C; i++)
        wait_dead(slots[i]);
    CHECK(is_dead(slots[B]) && is_dead(slots[C]));
    CHECK(!is_dead(slots[A])); /* ignores it */
    CHECK(!is_dead(slots[MINE]) && !is_dead(slots[MINE_TOO]));
    return 0;
}

#define CASE(name)                                                                                 \
    static void test_##name(void **state)                                                          \
    {                                                                                              \
        (void)state;                                                                               \
        in_child(name);                                                                            \
    }
CASE(everything_dies)
CASE(mine_live_on)
CASE(groups_of_mine_live_on)
CASE(the_dead_do_not_count)
CASE(half_a_zombie_dies)
CASE(signals_reach_the_tree)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_dies),
        cmocka_unit_test(test_mine_live_on),
        cmocka_unit_test(test_groups_of_mine_live_on),
        cmocka_unit_test(test_the_dead_do_not_count),
        cmocka_unit_test(test_half_a_zombie_dies),
        cmocka_unit_test(test_signals_reach_the_tree),
    };
    return run_as_both("reap", tests, TY_COUNT(tests));
}
