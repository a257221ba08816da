/* A plugin that has ended is not killed: its process id may be another's by now. Process ids are
 * chosen in a new namespace, where the test is root. */
#include "store/kube/kube_exec.h"

#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "store/kube/kube_testing.h"

#define LIMIT_MS 10000 /* of a plugin; a plugin that ends at once takes less */

enum outcome { SPARED, KILLED, TOO_LATE, BROKEN, NOT_PERMITTED };

static void on_cred(void *ctx, const struct ty_kube_cred *cred, const struct ty_err *err)
{
    (void)cred, (void)err;
    ++*(int *)ctx;
}

/* Ends at once, and leaves a process that holds its output open. */
static void write_plugin(char *path)
{
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_true(dprintf(fd, "#!/bin/sh\necho $$ >%s.pid\nsleep 600 &\n", path) > 0);
    assert_int_equal(fchmod(fd, 0700), 0);
    close(fd);
}

static pid_t read_pid(const char *path)
{
    char name[64];
    int pid = 0;

    snprintf(name, sizeof(name), "%s.pid", path);
    FILE *f = fopen(name, "r");
    if (f && fscanf(f, "%d", &pid) != 1)
        pid = 0;
    if (f)
        fclose(f);
    return pid;
}

/* A process with this id. */
static pid_t start_stranger(pid_t pid)
{
    struct clone_args args = { .exit_signal = SIGCHLD,
                               .set_tid = (uint64_t)(uintptr_t)&pid,
                               .set_tid_size = 1 };
    long r = syscall(SYS_clone3, &args, sizeof(args));

    if (r == 0)
        for (;;)
            syscall(SYS_pause);
    return (pid_t)r;
}

/* Runs as process 1 of a namespace, which ends with it. */
static enum outcome run_scene(const char *path, bool cancel)
{
    struct ty_kube_exec exec = { .command = path,
                                 .api_version = "client.authentication.k8s.io/v1" };
    struct ty_kubeconfig config = { .server = "https://x", .exec = &exec };
    uv_loop_t loop;
    int calls = 0;
    pid_t pid = 0;

    uv_loop_init(&loop);
    struct ty_kube_exec_run *run = ty_kube_exec_start(&(struct ty_kube_exec_settings){
        .loop = &loop, .config = &config, .limit_ms = LIMIT_MS, .fn = on_cred, .ctx = &calls });
    while (!calls && ((pid = read_pid(path)) == 0 || kill(pid, 0) == 0))
        uv_run(&loop, UV_RUN_NOWAIT);
    if (calls)
        return TOO_LATE;
    if (start_stranger(pid) != pid)
        return errno == EPERM || errno == ENOSYS ? NOT_PERMITTED : BROKEN;
    if (cancel)
        ty_kube_exec_cancel(run);
    while (!cancel && !calls)
        uv_run(&loop, UV_RUN_ONCE);
    /* A signal would have been delivered by now: to the same process, before this one. */
    kill(pid, SIGTERM);
    int status = 0;
    waitpid(pid, &status, 0);
    return WTERMSIG(status) == SIGTERM ? SPARED : KILLED;
}

static void a_process_of_the_same_id(void **state)
{
    (void)state;
    for (int cancel = 0; cancel < 2; cancel++) {
        char path[] = "/tmp/ty-plugin.XXXXXX", name[64];
        int status = 0;

        write_plugin(path);
        fflush(NULL);
        pid_t outer = fork();
        if (outer == 0) { /* unshare: for the children of a process that has no other thread */
            if (unshare((geteuid() ? CLONE_NEWUSER : 0) | CLONE_NEWPID) < 0)
                _exit(NOT_PERMITTED);
            pid_t first = fork();
            if (first == 0)
                _exit((int)run_scene(path, cancel));
            waitpid(first, &status, 0);
            _exit(WIFEXITED(status) ? WEXITSTATUS(status) : BROKEN);
        }
        assert_int_equal(waitpid(outer, &status, 0), outer);
        snprintf(name, sizeof(name), "%s.pid", path);
        unlink(name);
        unlink(path);
        assert_true(WIFEXITED(status));
        if (WEXITSTATUS(status) == NOT_PERMITTED)
            skip();
        assert_int_equal(WEXITSTATUS(status), SPARED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_process_of_the_same_id) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
