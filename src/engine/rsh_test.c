/* The remote shell of a run, from the asker's side. */
#include "base/wait_testing.h"
#include "engine/engine_testing.h"
#include "engine/pod/pods.h"
#include "engine/rsh.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

struct asker {
    int fd, out; /* connection; what the command prints */
    struct ty_rsh_reply reply;
    bool answered;
};

static int connect_to(const struct engine_fixture *w)
{
    struct sockaddr_un addr = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/run/rsh.sock", w->dir);
    assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
    return fd;
}

static struct asker ask(const struct engine_fixture *w, const char *host, const char *command)
{
    static struct ty_rsh_request req; /* 60 kB */
    struct asker k = { .fd = connect_to(w) };
    int pipe[2], null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    struct iovec iov = { &req, sizeof(req) };
    char control[CMSG_SPACE(3 * sizeof(int))] = { 0 };
    struct msghdr msg = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
    };

    assert_int_equal(pipe2(pipe, O_CLOEXEC), 0);
    snprintf(req.host, sizeof(req.host), "%s", host);
    snprintf(req.command, sizeof(req.command), "%s", command);
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    if (!c)
        abort(); /* there is room for one */
    *c = (struct cmsghdr){ .cmsg_len = CMSG_LEN(3 * sizeof(int)),
                           .cmsg_level = SOL_SOCKET,
                           .cmsg_type = SCM_RIGHTS };
    memcpy(CMSG_DATA(c), (int[]){ null, pipe[1], pipe[1] }, 3 * sizeof(int));
    assert_int_equal(sendmsg(k.fd, &msg, 0), sizeof(req));
    close(null);
    close(pipe[1]);
    k.out = pipe[0];
    return k;
}

/* Turns the loop until the answer is there. */
static void answer(struct engine_fixture *w, struct asker *k)
{
    for (int waited = 0; !k->answered;) {
        uv_run(&w->loop, UV_RUN_NOWAIT);
        ssize_t n = recv(k->fd, &k->reply, sizeof(k->reply), MSG_DONTWAIT);
        k->answered = n == (ssize_t)sizeof(k->reply);
        if (n == 0 || (!k->answered && !wait_a_moment(&waited)))
            fail_msg("no answer");
    }
}

static void prints(struct asker *k, const char *want)
{
    char text[256] = "";
    size_t n = 0;
    ssize_t got;

    while ((got = read(k->out, text + n, sizeof(text) - 1 - n)) > 0)
        n += (size_t)got;
    assert_string_equal(text, want);
}

static void done(struct asker *k)
{
    close(k->fd);
    close(k->out);
}

static bool both_are_up(struct engine_fixture *w)
{
    return fixture_count(w, "/main up\n") == 2;
}

static void two_pods(struct engine_fixture *w)
{
    fixture_submit(w, "j", 2, SH("echo up; exec sleep 60"));
    w->enough = both_are_up;
    fixture_run(w);
    uv_check_stop(&w->check);
}

static void a_command_in_another_pod(void **state)
{
    struct engine_fixture *w = *state;

    two_pods(w);
    struct asker k = ask(w, "j-node-0-1", "echo $HOSTNAME $JOB_COMPLETION_INDEX; exit 7");
    answer(w, &k);
    assert_int_equal(k.reply.code, 7);
    assert_string_equal(k.reply.text, "");
    prints(&k, "j-node-0-1 1\n");
    done(&k);
    k = ask(w, "j-node-0-0.j.default.svc", "kill -TERM $$");
    answer(w, &k);
    assert_int_equal(k.reply.code, 128 + SIGTERM);
    done(&k);
}

/* A job of `nodes` pods, each with a device, on a machine that has two. */
static void submit_with_devices(struct engine_fixture *w, const char *job, int nodes,
                                const char *script)
{
    static const char *const gpus[] = { "4", "7", NULL };

    w->o.host.gpus = gpus;
    w->o.host.gpu_resource = "nvidia.com/gpu";
    w->o.host.gpu_var = "CUDA_VISIBLE_DEVICES";
    fixture_submit(w, job, nodes,
                   ty_arena_printf(w->a,
                                   "{restartPolicy: Never, terminationGracePeriodSeconds: 1, "
                                   "containers: [{name: main, image: x, workingDir: %s/claims, "
                                   "resources: {limits: {nvidia.com/gpu: 1}}, "
                                   "command: [sh, -c, \"%s\"]}]}",
                                   w->dir, script));
}

/* A rank that mpirun starts has its pod's devices, and no others. */
static void a_command_sees_the_devices_of_its_pod(void **state)
{
    struct engine_fixture *w = *state;

    submit_with_devices(w, "j", 2, "echo up; exec sleep 60");
    w->enough = both_are_up;
    fixture_run(w);
    uv_check_stop(&w->check);
    struct asker k = ask(w, "j-node-0-1", "echo $CUDA_VISIBLE_DEVICES");
    answer(w, &k);
    prints(&k, "7\n");
    done(&k);
}

static bool both_wait(struct engine_fixture *w)
{
    size_t waiting = 0;
    for (const struct ty_pod_runtime *p = w->e->pods.first; p; p = p->next)
        waiting += p->waiting;
    return both_are_up(w) && waiting == 2 && ty_engine_queued(w->e) == 0;
}

/* The pods of k wait for the devices of j, until the file `go` is there. */
static void two_pods_that_wait(struct engine_fixture *w)
{
    submit_with_devices(w, "j", 2, "echo up; until test -e go; do sleep 0.02; done");
    submit_with_devices(w, "k", 2, "echo begun; exec sleep 60");
    w->enough = both_wait;
    fixture_run(w);
    uv_check_stop(&w->check);
}

static void let_them_begin(struct engine_fixture *w)
{
    int fd =
        open(ty_arena_printf(w->a, "%s/claims/go", w->dir), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    close(fd);
}

/* A launcher that asks for no device starts at once; its daemons start with the pods they are for.
 */
static void a_pod_that_waits_for_devices(void **state)
{
    struct engine_fixture *w = *state;

    two_pods_that_wait(w);
    struct asker k = ask(w, "k-node-0-1", "echo $HOSTNAME $CUDA_VISIBLE_DEVICES");
    for (int i = 0; i < 50; i++)
        uv_run(&w->loop, UV_RUN_NOWAIT);
    let_them_begin(w);
    answer(w, &k);
    assert_int_equal(k.reply.code, 0);
    prints(&k, "k-node-0-1 7\n");
    done(&k);
}

static bool both_have_begun(struct engine_fixture *w)
{
    return fixture_count(w, "/main begun\n") == 2;
}

/* Nothing is run for one who has left. */
static void the_asker_of_a_pod_that_waits_goes(void **state)
{
    struct engine_fixture *w = *state;

    two_pods_that_wait(w);
    struct asker k = ask(w, "k-node-0-1", "touch ran");
    for (int i = 0; i < 50; i++)
        uv_run(&w->loop, UV_RUN_NOWAIT);
    done(&k);
    for (int i = 0; w->e->rsh.commands && i < 60000; i++)
        uv_run(&w->loop, UV_RUN_NOWAIT);
    assert_null(w->e->rsh.commands);
    let_them_begin(w);
    w->enough = both_have_begun;
    fixture_run(w);
    assert_int_equal(access(ty_arena_printf(w->a, "%s/claims/ran", w->dir), F_OK), -1);
}

static bool one_is_there(struct engine_fixture *w)
{
    return w->e->pods.first && ty_engine_queued(w->e) == 0;
}

static void a_pod_with_gates(void **state)
{
    struct engine_fixture *w = *state;

    fixture_submit(w, "j", 1,
                   "{schedulingGates: [{name: example.com/gate}], containers: [{name: main, image: "
                   "x, command: [sleep, '60']}]}");
    w->enough = one_is_there;
    fixture_run(w);
    uv_check_stop(&w->check);
    struct asker k = ask(w, "j-node-0-0", "true");
    answer(w, &k);
    assert_int_equal(k.reply.code, 255);
    assert_string_equal(k.reply.text, "j-node-0-0 has not started: it has scheduling gates");
    done(&k);
}

static void nobody_of_that_name(void **state)
{
    struct engine_fixture *w = *state;

    two_pods(w);
    struct asker k = ask(w, "elsewhere", "true");
    answer(w, &k);
    assert_int_equal(k.reply.code, 255);
    assert_string_equal(k.reply.text, "no pod of this run is called elsewhere");
    assert_true(k.reply.foreign);
    done(&k);
}

/* Turns the loop until a read of what the command prints returns `want`: 1 for a byte, 0 for the
 * end. */
static void turn_until_read(struct engine_fixture *w, const struct asker *k, ssize_t want)
{
    int waited = 0;
    char byte;

    while (read(k->out, &byte, 1) != want) {
        uv_run(&w->loop, UV_RUN_NOWAIT);
        if (!wait_a_moment(&waited))
            fail_msg("a read of the command's output never returned %zd", want);
    }
}

/* What the asker began ends with it. */
static void the_asker_goes(void **state)
{
    struct engine_fixture *w = *state;

    two_pods(w);
    struct asker k = ask(w, "j-node-0-1", "printf x; exec sleep 60");
    fcntl(k.out, F_SETFL, O_NONBLOCK);
    turn_until_read(w, &k, 1); /* it runs */
    close(k.fd);
    turn_until_read(w, &k, 0); /* the last holder of the pipe is dead */
    close(k.out);
}

/* Whether it has begun or not. */
static void the_pod_goes(void **state)
{
    struct engine_fixture *w = *state;

    two_pods_that_wait(w);
    struct asker k[] = { ask(w, "j-node-0-1", "exec sleep 60"), ask(w, "k-node-0-1", "true") };
    for (int i = 0; i < 50; i++)
        uv_run(&w->loop, UV_RUN_NOWAIT);
    ty_engine_stop(w->e, true, "enough");
    for (int i = 0; i < 2; i++) {
        answer(w, &k[i]);
        assert_int_equal(k[i].reply.code, 255);
        assert_string_equal(k[i].reply.text, "the pod ended");
        done(&k[i]);
    }
}

/* Neither noise nor silence does harm. */
static void bad_askers(void **state)
{
    struct engine_fixture *w = *state;

    two_pods(w);
    int noise = connect_to(w), silent = connect_to(w);
    assert_int_equal(send(noise, "hello", 5, 0), 5);
    struct asker k = ask(w, "j-node-0-0", "exit 3");
    answer(w, &k);
    assert_int_equal(k.reply.code, 3);
    char byte;
    assert_int_equal(recv(noise, &byte, 1, 0), 0); /* hung up on */
    close(noise);
    close(silent);
    done(&k);
}

/* As nobody; 0 if it gets through to the socket. */
static int connect_as_nobody(const struct engine_fixture *w)
{
    struct sockaddr_un addr = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/run/rsh.sock", w->dir);
    if (setgid(65534) < 0 || setuid(65534) < 0)
        return 2;
    return connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 ? errno : 0;
}

/* Whoever may connect runs commands as us: nobody else, even if the folder is open to all, as it
 * is when somebody shows his logs to others. */
static void only_its_owner_may_ask(void **state)
{
    struct engine_fixture *w = *state;
    struct stat st;
    int status = 0;

    fixture_open(w);
    assert_int_equal(stat(ty_arena_printf(w->a, "%s/run/rsh.sock", w->dir), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    if (getuid() != 0)
        return;
    assert_int_equal(chmod(w->dir, 0755), 0);
    assert_int_equal(chmod(w->o.dir, 0755), 0);
    pid_t pid = fork();
    if (pid == 0)
        _exit(connect_as_nobody(w));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), EACCES);
}

static size_t open_fds(void)
{
    size_t n = 0;

    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* One descriptor instead of three, in a request or in an empty message: it is not kept. */
static void descriptors_of_bad_askers(void **state)
{
    struct engine_fixture *w = *state;
    static struct ty_rsh_request req;
    struct iovec iov = { &req, 0 };
    char control[CMSG_SPACE(sizeof(int))] = { 0 };
    struct msghdr msg = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
    };

    two_pods(w);
    size_t before = open_fds();
    for (int i = 0; i < 10; i++) {
        char byte;
        int fd = connect_to(w), one = 0;
        iov.iov_len = i % 2 ? sizeof(req) : 0;
        struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
        if (!c)
            abort(); /* there is room for one */
        *c = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)),
                               .cmsg_level = SOL_SOCKET,
                               .cmsg_type = SCM_RIGHTS };
        memcpy(CMSG_DATA(c), &one, sizeof(one));
        assert_int_equal(sendmsg(fd, &msg, 0), iov.iov_len);
        while (recv(fd, &byte, 1, MSG_DONTWAIT) != 0) /* until it hangs up */
            uv_run(&w->loop, UV_RUN_NOWAIT);
        close(fd);
    }
    assert_int_equal(open_fds(), before);
}

/* Too many who say nothing: the next one waits until one of them leaves. */
static void many_askers(void **state)
{
    struct engine_fixture *w = *state;
    struct rlimit before, less;
    int silent[32];

    two_pods(w);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    less = before;
    less.rlim_cur = 8 * TY_COUNT(silent); /* a client has four, of one half */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &less), 0);
    for (size_t i = 0; i < TY_COUNT(silent); i++)
        silent[i] = connect_to(w);
    struct asker k = ask(w, "j-node-0-0", "exit 3");
    for (int i = 0; i < 100; i++)
        uv_run(&w->loop, UV_RUN_NOWAIT);
    assert_int_equal(w->e->rsh.n, TY_COUNT(silent));
    assert_false(uv_is_active((uv_handle_t *)&w->e->rsh.poll));
    for (size_t i = 0; i < TY_COUNT(silent); i++)
        close(silent[i]);
    answer(w, &k);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(k.reply.code, 3);
    done(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ENGINE_TEST(a_command_in_another_pod),
        ENGINE_TEST(a_command_sees_the_devices_of_its_pod),
        ENGINE_TEST(a_pod_that_waits_for_devices),
        ENGINE_TEST(the_asker_of_a_pod_that_waits_goes),
        ENGINE_TEST(a_pod_with_gates),
        ENGINE_TEST(nobody_of_that_name),
        ENGINE_TEST(the_asker_goes),
        ENGINE_TEST(the_pod_goes),
        ENGINE_TEST(bad_askers),
        ENGINE_TEST(only_its_owner_may_ask),
        ENGINE_TEST(descriptors_of_bad_askers),
        ENGINE_TEST(many_askers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
