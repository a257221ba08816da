/* The shim: init of one pod, or its guard where there are no PID namespaces. It starts processes on
 * request, reports their exits, and ends with everything in the pod when its socket closes or the
 * zygote dies.
 *
 *   set up ──> serve: START, SIGNAL, children that end ──> end
 *
 * The exit of a container is reported after the processes that it left behind are dead: the next
 * run may need the same port. */
#include "proc/shim.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "proc/exec.h"
#include "proc/netns.h"
#include "proc/proc_failure.h"
#include "proc/reap.h"
#include "proc/shim_event.h"
#include "proc/shim_inner.h"
#include "proc/shim_mounts.h"
#include "proc/wire.h"

enum { LINGER_MS = 2000 }; /* what cannot be killed for longer hangs in the kernel */

struct shim {
    const struct ty_zygote_mode *mode;
    int sigfd;
    pid_t *pids;   /* running */
    uint32_t *ids; /* of the same */
    size_t n;
    struct ty_shim_event *ended; /* reported when none of their processes is left */
    size_t n_ended, cap;
    int64_t ended_ms;       /* when the first of them ended */
    struct ty_wire_msg msg; /* the last member */
};

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The kernel kills the pod with its init; a guard has to kill it itself. */
_Noreturn static void end(const struct shim *k)
{
    if (!k->mode->can.pid_ns)
        ty_reap_everything();
    _exit(0);
}

/* Waits for a reader, but not for a dead one. */
static void send_event(const struct shim *k, const struct ty_shim_event *n)
{
    bool translate = n->what == TY_SHIM_STARTED && k->mode->can.pid_ns;
    int r;
    while ((r = ty_shim_event_send(TY_SHIM_SOCK, n, translate)) == -EAGAIN) {
        struct pollfd p[] = { { TY_SHIM_SOCK, POLLOUT, 0 }, { TY_SHIM_LIFELINE, 0, 0 } };
        poll(p, 2, -1);
        if (p[1].revents)
            end(k);
    }
    if (r < 0)
        end(k);
}

/* Room for one more process, running or ended. */
static void make_room(struct shim *k)
{
    size_t n = k->n + k->n_ended, cap = k->cap; /* of each of the three arrays */

    ty_xroom(k->ids, n, cap);
    cap = k->cap;
    ty_xroom(k->ended, n, cap);
    ty_xroom(k->pids, n, k->cap);
}

static void send_failure(const struct shim *k, enum ty_shim_event_type what, uint32_t id,
                         const struct ty_proc_failure *fail)
{
    struct ty_shim_event n = { .what = what, .id = id, .code = fail->code };
    ty_proc_failure_text(fail, n.text, sizeof(n.text));
    send_event(k, &n);
}

static pid_t pid_of(const struct shim *k, uint32_t id)
{
    for (size_t i = 0; i < k->n; i++)
        if (k->ids[i] == id)
            return k->pids[i];
    return 0;
}

static void spawn_process(struct shim *k, struct ty_exec *x)
{
    uint32_t id = x->start->id;
    struct ty_shim_event n = { .what = TY_SHIM_STARTED, .id = id };

    x->beside = x->start->beside ? pid_of(k, x->start->beside) : 0;
    if (x->start->beside && !x->beside) {
        send_failure(k, TY_SHIM_START_FAILED, id,
                     &(struct ty_proc_failure){ .doing = "join the container", .code = ESRCH });
        return;
    }
    if (ty_exec_spawn(x, &n.pid) < 0) {
        send_failure(k, TY_SHIM_START_FAILED, id, &x->fail);
        return;
    }
    make_room(k);
    k->pids[k->n] = n.pid;
    k->ids[k->n++] = id;
    send_event(k, &n);
}

static void start(struct shim *k)
{
    struct ty_wire_msg *m = &k->msg;
    struct ty_wire_in in = { .p = m->body, .end = m->body + m->n };
    struct ty_process_spec s;
    ty_wire_get(&in, &s, sizeof(s));
    char **argv = ty_wire_get_strs(&in), **env = ty_wire_get_strs(&in);
    const char *cwd = ty_wire_get_str(&in);
    struct ty_bind_mount *binds = ty_wire_get_binds(&in);
    int *fds[] = { &s.in, &s.out, &s.err };
    size_t n = 0;

    for (size_t i = 0; i < 3; i++)
        if (*fds[i] >= 0)
            *fds[i] = n < m->n_fds ? m->fds[n++] : -1;
    if (s.cgroup > 0)
        s.cgroup = n < m->n_fds ? m->fds[n] : 0;
    if (binds) { /* the last: none is bad */
        s.cwd = *cwd ? cwd : NULL;
        s.binds = binds;
        struct ty_exec x = { .mode = k->mode, .start = &s, .argv = argv, .env = env };
        spawn_process(k, &x);
    } else {
        send_failure(k, TY_SHIM_START_FAILED, s.id,
                     &(struct ty_proc_failure){ .doing = "read the order", .code = EBADMSG });
    }
    free(argv);
    free(env);
    free(binds);
}

static void send_signal(const struct shim *k)
{
    int32_t body[3];
    if (k->msg.n != sizeof(body))
        return;
    memcpy(body, k->msg.body, sizeof(body));
    for (size_t i = 0; i < k->n; i++) {
        if (k->ids[i] != (uint32_t)body[0])
            continue;
        if (body[2])
            ty_reap_signal_tree(k->pids[i], body[1]);
        else
            kill(k->pids[i], body[1]);
    }
}

static void note_exit(struct shim *k, pid_t pid, int status, const struct rusage *u)
{
    for (size_t i = 0; i < k->n; i++) {
        if (k->pids[i] != pid)
            continue;
        if (k->n_ended == 0)
            k->ended_ms = now_ms();
        k->ended[k->n_ended++] = (struct ty_shim_event){
            .what = TY_SHIM_EXITED,
            .id = k->ids[i],
            .wstatus = status,
            .user_us = (int64_t)u->ru_utime.tv_sec * 1000000 + u->ru_utime.tv_usec,
            .sys_us = (int64_t)u->ru_stime.tv_sec * 1000000 + u->ru_stime.tv_usec,
            .max_rss_kb = u->ru_maxrss,
        };
        k->pids[i] = k->pids[--k->n];
        k->ids[i] = k->ids[k->n];
        return;
    }
}

/* Reaps as init does; false: there is no child at all. */
static bool reap_child(struct shim *k)
{
    struct rusage usage;
    int status;
    pid_t pid;
    while ((pid = wait4(-1, &status, WNOHANG | __WALL, &usage)) > 0)
        note_exit(k, pid, status, &usage);
    return pid == 0;
}

/* Kills what ended containers left behind. True: some of it is still alive. */
static bool kill_leftovers(struct shim *k)
{
    if (k->n > 0 || !k->mode->can.pid_ns)
        return ty_reap_orphans(k->pids, k->n) > 0;
    if (!reap_child(k))
        return false;
    kill(-1, SIGKILL); /* all of this namespace but us */
    return true;
}

static void settle_children(struct shim *k)
{
    if (k->n_ended == 0 || (kill_leftovers(k) && now_ms() - k->ended_ms < LINGER_MS))
        return;
    for (size_t i = 0; i < k->n_ended; i++)
        send_event(k, &k->ended[i]);
    k->n_ended = 0;
}

static void receive_message(struct shim *k)
{
    int r = ty_wire_recv(TY_SHIM_SOCK, &k->msg);
    if (r == 0 || r == -ECONNRESET)
        end(k);
    if (r < 0)
        return;
    if (k->msg.kind == TY_WIRE_START)
        start(k);
    else if (k->msg.kind == TY_WIRE_SIGNAL)
        send_signal(k);
    else if (k->msg.kind == TY_WIRE_HOLD && k->msg.n_fds)
        ty_wire_take(&k->msg, 0); /* ours from now on; the kernel closes it with us */
    ty_wire_done(&k->msg);
}

static void serve_pod(struct shim *k)
{
    struct pollfd p[] = { { TY_SHIM_SOCK, POLLIN, 0 },
                          { k->sigfd, POLLIN, 0 },
                          { TY_SHIM_LIFELINE, 0, 0 } };
    struct signalfd_siginfo info;

    poll(p, 3, k->n_ended ? 1 : -1);
    if (p[2].revents)
        end(k);
    if (p[1].revents) {
        while (read(k->sigfd, &info, sizeof(info)) > 0)
            ;
        reap_child(k);
    }
    settle_children(k);
    if (p[0].revents)
        receive_message(k);
}

static void set_up(struct shim *k)
{
    struct pollfd p[] = { { TY_SHIM_SOCK, POLLIN, 0 }, { TY_SHIM_LIFELINE, 0, 0 } };
    struct ty_proc_failure fail = { 0 };
    int r = 0;

    poll(p, 2, -1);
    if (p[1].revents || ty_wire_recv(TY_SHIM_SOCK, &k->msg) <= 0)
        end(k);
    struct ty_wire_in in = { .p = k->msg.body, .end = k->msg.body + k->msg.n };
    const char *hostname = ty_wire_get_str(&in);
    struct ty_bind_mount *binds = ty_wire_get_binds(&in);
    const char *address = ty_wire_get_str(&in);
    if (!binds || !address)
        end(k);
    if (k->mode->can.pid_ns)
        r = ty_shim_mounts_proc(&fail);
    if (r == 0 && k->mode->can.mounts && *hostname && sethostname(hostname, strlen(hostname)) < 0)
        r = ty_proc_failure_set(&fail, "host name", hostname);
    if (r == 0 && k->mode->net.bridge && *address)
        r = ty_netns_enter_pod(&k->mode->net, address, &fail);
    if (r == 0 && k->mode->can.mounts)
        r = ty_shim_mounts_bind(binds, NULL, &fail);
    if (r < 0) {
        send_failure(k, TY_SHIM_GONE, 0, &fail);
        end(k);
    }
    free(binds);
    ty_wire_done(&k->msg);
}

_Noreturn void ty_shim_run(const struct ty_zygote_mode *mode)
{
    struct shim *k = ty_xalloc(malloc(sizeof(*k)));
    sigset_t child;

    memset(k, 0, offsetof(struct shim, msg)); /* the room for messages costs no page until used */
    k->mode = mode;
    prctl(PR_SET_NAME, "ty-keeper", 0, 0, 0);
    if (mode->can.pid_ns)
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); /* too late? then the lifeline has ended */
    else
        prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    k->sigfd = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    if (k->sigfd < 0)
        end(k);
    set_up(k);
    for (;;)
        serve_pod(k);
}
