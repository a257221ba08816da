/* Runs of plugins, on a terminal and without one; what they print is read in kube_cred_test.c, and
 * a client with one against an API server is in tests/cluster. */
#include "store/kube/kube_exec.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>

#include "store/kube/kube_testing.h"

#define V1 "client.authentication.k8s.io/v1"
#define GIVE(t)                                                                                    \
    "printf '{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1                                    \
    "\",\"status\":{\"token\":\"%s\"}}' " t

struct heard {
    int calls;
    char token[64];
    struct ty_err err;
};

static void on_cred(void *ctx, const struct ty_kube_cred *cred, const struct ty_err *err)
{
    struct heard *h = ctx;

    h->calls++;
    snprintf(h->token, sizeof(h->token), "%s", cred && cred->token ? cred->token : "");
    h->err = *err;
}

static void check_no_child(void)
{
    int status = 0;

    assert_int_equal(waitpid(-1, &status, 0), -1); /* neither running nor dead and unburied */
    assert_int_equal(errno, ECHILD);
}

/* A plugin: a shell script in a file, as a user has it. */
struct plugin {
    char path[32];
    struct ty_kube_exec exec;
    struct ty_kubeconfig config;
};

static void plugin_begin(struct plugin *p, const char *script, enum ty_kube_interactive mode)
{
    *p = (struct plugin){ .path = "/tmp/ty-plugin.XXXXXX" };
    int fd = mkstemp(p->path);
    assert_true(fd >= 0 && dprintf(fd, "#!/bin/sh\n%s\n", script) > 0);
    assert_int_equal(fchmod(fd, 0700), 0);
    close(fd);
    p->exec = (struct ty_kube_exec){ .command = p->path, .api_version = V1, .interactive = mode };
    p->config = (struct ty_kubeconfig){ .server = "https://x", .exec = &p->exec };
}

/* Runs it to its end; cancelled after so many turns of the loop, if that is not 0. */
static void run_plugin(struct plugin *p, const struct ty_kube_exec_settings *how, int cancel_after,
                       struct heard *ret)
{
    struct ty_kube_exec_settings s = *how;
    uv_loop_t loop;

    *ret = (struct heard){ 0 };
    assert_int_equal(uv_loop_init(&loop), 0);
    s.loop = &loop;
    s.config = &p->config;
    s.fn = on_cred;
    s.ctx = ret;
    struct ty_kube_exec_run *r = ty_kube_exec_start(&s);
    for (int i = 0; i < cancel_after; i++)
        uv_run(&loop, UV_RUN_NOWAIT);
    if (cancel_after)
        ty_kube_exec_cancel(r);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    check_no_child();
    unlink(p->path);
}

static void run(const char *script, int cancel_after, struct heard *ret)
{
    struct plugin p;
    plugin_begin(&p, script, TY_KUBE_NEVER);
    run_plugin(&p, &(struct ty_kube_exec_settings){ 0 }, cancel_after, ret);
}

static void to_its_end(void **state)
{
    struct heard h;

    (void)state;
    run(GIVE("t"), 0, &h);
    assert_int_equal(h.calls, 1);
    assert_string_equal(h.token, "t");
    run("exit 7", 0, &h);
    assert_int_equal(h.calls, 1);
    assert_has(h.err.text, "failed with exit code 7");
    run("kill -9 $$", 0, &h);
    assert_has(h.err.text, "was ended by signal 9");
}

/* A killed plugin must be reaped by this process: the operator is usually process 1. */
static void cancelled(void **state)
{
    struct heard h;

    (void)state;
    for (int turns = 1; turns < 4; turns++) {
        run("exec sleep 600", turns, &h);
        assert_int_equal(h.calls, 0);
    }
    run("exec sleep 600 >/dev/null", 3, &h); /* its output has ended before it */
    assert_int_equal(h.calls, 0);
}

/* Terminals */

/* A pseudo terminal as standard input and error of this process; somebody reads the prompt and
 * answers it. */
struct somebody {
    int master, slave, in, err; /* in, err: the real ones of this process */
    pthread_t thread;
    const char *says; /* after the prompt, "Password: "; NULL: nothing */
    int after_ms;     /* thinks so long */
    bool prompted;
};

static void *somebody_run(void *ctx)
{
    struct somebody *s = ctx;
    char seen[1024] = "";
    size_t n = 0;

    while (n + 1 < sizeof(seen)) {
        ssize_t got = read(s->master, seen + n, sizeof(seen) - 1 - n);
        if (got <= 0)
            break;
        n += (size_t)got;
        seen[n] = '\0';
        if (s->prompted || !strstr(seen, "Password: "))
            continue;
        s->prompted = true;
        poll(NULL, 0, s->after_ms);
        if (s->says && write(s->master, s->says, strlen(s->says)) < 0)
            break;
    }
    return NULL;
}

static void replace_fd(int fd, int with, int *ret_saved)
{
    *ret_saved = fcntl(fd, F_DUPFD_CLOEXEC, 100);
    assert_true(*ret_saved >= 0 && dup2(with, fd) == fd);
}

static void restore_fd(int fd, int saved)
{
    assert_int_equal(dup2(saved, fd), fd);
    close(saved);
}

static void somebody_comes(struct somebody *s)
{
    assert_int_equal(openpty(&s->master, &s->slave, NULL, NULL, NULL), 0);
    replace_fd(0, s->slave, &s->in);
    replace_fd(2, s->slave, &s->err);
    assert_int_equal(pthread_create(&s->thread, NULL, somebody_run, s), 0);
}

static void somebody_goes(struct somebody *s)
{
    restore_fd(0, s->in);
    restore_fd(2, s->err);
    close(s->slave); /* the last one: the thread reads the end */
    pthread_join(s->thread, NULL);
    close(s->master);
}

/* Without a terminal, whatever the test was started from. */
static void nobody_comes(struct somebody *s)
{
    s->slave = open("/dev/null", O_RDWR | O_CLOEXEC);
    replace_fd(0, s->slave, &s->in);
    replace_fd(2, s->slave, &s->err);
}

static void nobody_goes(struct somebody *s)
{
    restore_fd(0, s->in);
    restore_fd(2, s->err);
    close(s->slave);
}

#define WHAT_IT_GETS                                                                               \
    "[ -t 0 ] && in=terminal || in=null\n"                                                         \
    "case $KUBERNETES_EXEC_INFO in *'\"interactive\":true'*) in=$in-told;; esac\n" GIVE("$in")

/* The rules of client-go (isInteractive): what the plugin finds, or why it does not run. */
static void interactive_modes(void **state)
{
    static const struct {
        enum ty_kube_interactive mode;
        bool allowed, terminal;
        const char *finds, *why;
    } cases[] = {
        { TY_KUBE_NEVER, false, false, "null", "" },
        { TY_KUBE_NEVER, false, true, "null", "" },
        { TY_KUBE_NEVER, true, false, "null", "" },
        { TY_KUBE_NEVER, true, true, "null", "" },
        { TY_KUBE_IF_POSSIBLE, false, false, "null", "" },
        { TY_KUBE_IF_POSSIBLE, false, true, "null", "" },
        { TY_KUBE_IF_POSSIBLE, true, false, "null", "" },
        { TY_KUBE_IF_POSSIBLE, true, true, "terminal-told", "" },
        { TY_KUBE_ALWAYS, false, false, "", "this program runs unattended" },
        { TY_KUBE_ALWAYS, false, true, "", "this program runs unattended" },
        { TY_KUBE_ALWAYS, true, false, "", "this is not a terminal" },
        { TY_KUBE_ALWAYS, true, true, "terminal-told", "" },
    };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct somebody who = { 0 };
        struct plugin p;
        struct heard h;
        plugin_begin(&p, WHAT_IT_GETS, cases[i].mode);
        (cases[i].terminal ? somebody_comes : nobody_comes)(&who);
        run_plugin(&p, &(struct ty_kube_exec_settings){ .interactive = cases[i].allowed }, 0, &h);
        (cases[i].terminal ? somebody_goes : nobody_goes)(&who);
        assert_int_equal(h.calls, 1);
        assert_string_equal(h.token, cases[i].finds);
        assert_has(h.err.text, cases[i].why);
    }
}

#define ASKS "printf 'Password: ' >&2\nread -r word\n" GIVE("\"$word\"")

/* It prompts, and the person takes longer than a plugin without a person may. */
static void somebody_answers(void **state)
{
    struct somebody who = { .says = "secret\n", .after_ms = 300 };
    struct plugin p;
    struct heard h;

    (void)state;
    plugin_begin(&p, ASKS, TY_KUBE_IF_POSSIBLE);
    somebody_comes(&who);
    run_plugin(&p, &(struct ty_kube_exec_settings){ .interactive = true, .limit_ms = 100 }, 0, &h);
    somebody_goes(&who);
    assert_true(who.prompted);
    assert_string_equal(h.token, "secret");
}

/* Without a person it is killed when its time is over. */
static void nobody_answers(void **state)
{
    struct somebody who = { 0 };
    struct plugin p;
    struct heard h;

    (void)state;
    plugin_begin(&p, "exec sleep 600", TY_KUBE_IF_POSSIBLE);
    nobody_comes(&who);
    run_plugin(&p, &(struct ty_kube_exec_settings){ .interactive = true, .limit_ms = 100 }, 0, &h);
    nobody_goes(&who);
    assert_int_equal(h.calls, 1);
    assert_int_equal(h.err.code, -ETIMEDOUT);
}

/* The command ends while the plugin reads a password: the terminal shows again what is typed. */
static void killed_at_the_prompt(void **state)
{
    struct somebody who = { 0 };
    struct plugin p;
    struct heard h = { 0 };
    struct termios mode;
    uv_loop_t loop;

    (void)state;
    plugin_begin(&p, "stty -echo; printf 'Password: ' >&2; exec sleep 600", TY_KUBE_ALWAYS);
    somebody_comes(&who);
    assert_int_equal(uv_loop_init(&loop), 0);
    struct ty_kube_exec_run *r = ty_kube_exec_start(&(struct ty_kube_exec_settings){
        .loop = &loop, .config = &p.config, .interactive = true, .fn = on_cred, .ctx = &h });
    do
        assert_int_equal(tcgetattr(0, &mode), 0);
    while (mode.c_lflag & ECHO);
    ty_kube_exec_cancel(r);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(tcgetattr(0, &mode), 0);
    somebody_goes(&who);
    assert_int_equal(uv_loop_close(&loop), 0);
    assert_true(mode.c_lflag & ECHO);
    assert_int_equal(h.calls, 0);
    check_no_child();
    unlink(p.path);
}

/* A client: the answer comes after the timeout of the operation, and the operation has all of its
 * time left. */
static void the_operation_waits(void **state)
{
    static const char *const answers[] = { OK "{\"metadata\":{}}", NULL };
    struct somebody who = { .says = "secret\n", .after_ms = 1500 };
    struct plugin p;
    struct kube_world w = { .set = { .timeout_ms = 1000, .interactive = true } };

    (void)state;
    plugin_begin(&p, ASKS, TY_KUBE_ALWAYS);
    somebody_comes(&who);
    w.config.exec = &p.exec;
    kube_begin(&w, answers);
    ty_kube_start(w.kube, &(struct ty_kube_request){ .path = "/x", .fn = kube_on_end, .ctx = &w });
    assert_true(ty_kube_is_prompting(w.kube));
    kube_run(&w);
    assert_false(ty_kube_is_prompting(w.kube));
    somebody_goes(&who);
    assert_ended(&w, 0, "");
    assert_has(w.peer.asked[0], "Authorization: Bearer secret\r\n");
    kube_finish(&w);
    unlink(p.path);
}

/* The same client without the setting, as in the operator. */
static void the_operator_never_asks(void **state)
{
    static const char *const none[] = { NULL };
    struct somebody who = { .says = "secret\n" };
    struct plugin p;
    struct kube_world w = { 0 };

    (void)state;
    plugin_begin(&p, ASKS, TY_KUBE_ALWAYS);
    somebody_comes(&who);
    w.config.exec = &p.exec;
    kube_begin(&w, none);
    ty_kube_start(w.kube, &(struct ty_kube_request){ .path = "/x", .fn = kube_on_end, .ctx = &w });
    assert_false(ty_kube_is_prompting(w.kube));
    kube_run(&w);
    somebody_goes(&who);
    assert_ended(&w, -EAGAIN, "this program runs unattended");
    assert_false(who.prompted);
    kube_finish(&w);
    unlink(p.path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(to_its_end),          cmocka_unit_test(cancelled),
        cmocka_unit_test(interactive_modes),   cmocka_unit_test(somebody_answers),
        cmocka_unit_test(nobody_answers),      cmocka_unit_test(killed_at_the_prompt),
        cmocka_unit_test(the_operation_waits), cmocka_unit_test(the_operator_never_asks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
