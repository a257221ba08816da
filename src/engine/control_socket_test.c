#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/control_socket.h"

struct world {
    uv_loop_t loop;
    uv_timer_t tick;
    struct ty_control_socket *c;
    char dir[64], log[4096];
    pid_t child;
    int status;
};

static int obey(void *ctx, const char *verb, const char *name, struct ty_err *err)
{
    struct world *w = ctx;
    size_t n = strlen(w->log);

    snprintf(w->log + n, sizeof(w->log) - n, "%s %s;", verb, name);
    return strcmp(name, "ghost") == 0 ? ty_fail(err, -ENOENT, "no \"%s\" here", name) : 0;
}

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof(*w));
    struct ty_err err = { 0 };

    snprintf(w->dir, sizeof(w->dir), "%s", "/tmp/trainyard-control-XXXXXX");
    if (!mkdtemp(w->dir) || uv_loop_init(&w->loop) < 0)
        return -1;
    uv_timer_init(&w->loop, &w->tick);
    w->tick.data = w;
    *state = w;
    return ty_control_socket_listen(&w->loop, w->dir, obey, w, &w->c, &err);
}

static int teardown(void **state)
{
    struct world *w = *state;

    ty_control_socket_free(w->c);
    uv_close((uv_handle_t *)&w->tick, NULL);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    if (uv_loop_close(&w->loop) < 0 || rmdir(w->dir) < 0) /* the socket's file is gone, too */
        return -1;
    free(w);
    return 0;
}

static void until_child(uv_timer_t *t)
{
    struct world *w = t->data;

    if (waitpid(w->child, &w->status, WNOHANG) == w->child)
        uv_stop(&w->loop);
}

/* Another process asks while this one serves; gives its exit status. */
static int serve(struct world *w, int (*ask)(const char *dir))
{
    w->child = fork();
    if (w->child == 0)
        _exit(ask(w->dir));
    uv_timer_start(&w->tick, until_child, 1, 1);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    uv_timer_stop(&w->tick);
    assert_true(WIFEXITED(w->status));
    return WEXITSTATUS(w->status);
}

static int ask_three(const char *dir)
{
    struct ty_err err = { 0 };

    if (ty_control_socket_send(dir, "suspend", "a\"b", &err) < 0)
        return 1;
    if (ty_control_socket_send(dir, "delete", "ghost", &err) != -EINVAL)
        return 2;
    if (strcmp(err.text, "no \"ghost\" here") != 0)
        return 3;
    return ty_control_socket_send(dir, "resume", "a", &err) < 0 ? 4 : 0;
}

static void test_orders_and_answers(void **state)
{
    struct world *w = *state;
    struct stat st;
    char path[128];

    assert_int_equal(serve(w, ask_three), 0);
    assert_string_equal(w->log, "suspend a\"b;delete ghost;resume a;");
    snprintf(path, sizeof(path), "%s/control.sock", w->dir);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

static int dial(const char *dir)
{
    struct sockaddr_un addr = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/control.sock", dir);
    return connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 ? -1 : fd;
}

/* Garbage gets a sentence, a line without end is hung up on, a nul byte is no name. */
static int ask_garbage(const char *dir)
{
    static const char nul[] = "{\"verb\":\"delete\",\"name\":\"a\\u0000b\"}\n";
    char big[9000], reply[512] = "";
    int fd = dial(dir), other = dial(dir);

    memset(big, 'x', sizeof(big));
    if (send(fd, "\n{}\n[[[\n", 8, MSG_NOSIGNAL) != 8 ||
        send(fd, nul, sizeof(nul) - 1, MSG_NOSIGNAL) < 0)
        return 1;
    for (size_t n = 0, lines = 0; lines < 4;) {
        ssize_t got = recv(fd, reply + n, sizeof(reply) - 1 - n, 0);
        if (got <= 0)
            return 2;
        n += (size_t)got;
        lines = 0;
        for (size_t i = 0; i < n; i++)
            lines += reply[i] == '\n';
    }
    if (!strstr(reply, "{\"error\":\"an order is one line"))
        return 3;
    send(other, big, sizeof(big), MSG_NOSIGNAL);
    return recv(other, reply, 1, 0) <= 0 ? 0 : 4;
}

static void test_garbage_hurts_nobody(void **state)
{
    struct world *w = *state;

    assert_int_equal(serve(w, ask_garbage), 0);
    assert_string_equal(w->log, "");
    assert_int_equal(serve(w, ask_three), 0);
}

/* Who never says anything, or never listens, keeps nobody out. */
static int ask_among_many(const char *dir)
{
    static const char order[] = "{\"verb\":\"x\",\"name\":\"y\"}\n";

    for (int i = 0; i < 60; i++)
        if (dial(dir) < 0)
            return 1;
    int deaf = dial(dir);
    for (int i = 0; i < 20000; i++)
        if (send(deaf, order, sizeof(order) - 1, MSG_NOSIGNAL) < 0)
            break;
    struct ty_err err = { 0 };
    return ty_control_socket_send(dir, "resume", "a", &err) < 0 ? 3 : 0;
}

static void test_many_and_deaf_clients(void **state)
{
    struct world *w = *state;
    assert_int_equal(serve(w, ask_among_many), 0);
}

static void test_nobody_listens(void **state)
{
    struct ty_err err = { 0 };

    (void)state;
    assert_int_equal(ty_control_socket_send("/nonexistent", "resume", "a", &err), -ENOENT);
}

static void test_a_long_folder(void **state)
{
    struct world *w = *state;
    struct ty_control_socket *c = NULL;
    struct ty_err err = { 0 };
    char dir[400];

    snprintf(dir, sizeof(dir), "%s/%0200d", w->dir, 7);
    assert_int_equal(mkdir(dir, 0700), 0);
    assert_int_equal(ty_control_socket_listen(&w->loop, dir, obey, w, &c, &err), 0);
    ty_control_socket_free(c);
    uv_run(&w->loop, UV_RUN_NOWAIT);
    assert_int_equal(rmdir(dir), 0);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_orders_and_answers), T(test_garbage_hurts_nobody), T(test_many_and_deaf_clients),
        T(test_nobody_listens),     T(test_a_long_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
