/* The table on a real pseudo terminal. What it draws is run_table_draw_test.c; whole runs with
 * Ctrl-C, Ctrl-Z, sudden deaths, typing and every size of terminal are tests/run/test_terminal.py.
 */
#include "cli/run/run_view_testing.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <stdatomic.h>
#include <termios.h>

#include "base/text.h"

struct run_table_fixture {
    struct ty_cli_fixture b;
    struct ty_run_view v;
    uv_loop_t loop;
    int master;
    FILE *memory; /* the fixture's own stream */
    struct ty_buf seen;
};

static void open_at(struct run_table_fixture *w, int cols, int rows,
                    const struct ty_run_view_opts *opts)
{
    struct winsize size = { .ws_col = (unsigned short)cols, .ws_row = (unsigned short)rows };
    struct termios mode;
    int slave = -1;

    fixture_open(&w->b);
    setenv("TERM", "xterm", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    uv_loop_init(&w->loop);
    assert_int_equal(openpty(&w->master, &slave, NULL, NULL, &size), 0);
    assert_int_equal(fcntl(w->master, F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(tcgetattr(slave, &mode), 0);
    mode.c_oflag &= ~(tcflag_t)OPOST; /* byte for byte, as the table wrote it */
    assert_int_equal(tcsetattr(slave, TCSANOW, &mode), 0);
    w->memory = w->b.cli.out;
    w->b.cli.out = fdopen(slave, "w");
    ty_run_view_init(&w->v, &w->b.cli, opts);
    assert_ptr_equal(w->v.renderer, &ty_run_table);
    ty_run_view_open(&w->v, &w->loop);
}

/* What the terminal was sent since the last renderer, NUL-terminated. */
static const char *read_terminal(struct run_table_fixture *w)
{
    char part[4096];
    ssize_t n = 0;

    w->seen.n = 0;
    /* The kernel hands it over in its own time. */
    while (poll(&(struct pollfd){ .fd = w->master, .events = POLLIN }, 1, 300) > 0 &&
           (n = read(w->master, part, sizeof(part))) > 0)
        ty_buf_put(&w->seen, part, (size_t)n);
    ty_buf_chr(&w->seen, 0);
    return w->seen.p;
}

static void on_time(uv_timer_t *t)
{
    uv_stop(t->loop);
}

/* Runs the loop until the table has drawn. */
static const char *draw_text(struct run_table_fixture *w)
{
    uv_timer_t t;

    uv_timer_init(&w->loop, &t);
    uv_timer_start(&t, on_time, 150, 0);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    uv_close((uv_handle_t *)&t, NULL);
    uv_run(&w->loop, UV_RUN_NOWAIT);
    return read_terminal(w);
}

static void close_handle(uv_handle_t *h, void *ctx)
{
    (void)ctx;
    if (!uv_is_closing(h))
        uv_close(h, NULL);
}

static void close_all(struct run_table_fixture *w)
{
    ty_run_view_close(&w->v, NULL);
    uv_walk(&w->loop, close_handle, NULL);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&w->loop), 0);
    fclose(w->b.cli.out);
    w->b.cli.out = w->memory;
    close(w->master);
    ty_buf_done(&w->seen);
    fixture_close(&w->b);
}

static void has_no(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("\"%s\" is in:\n%s", part, text);
}

static struct ty_pod_update running_update(const char *pod)
{
    struct ty_pod_update n = view_news(pod, -1);

    n.container = NULL;
    n.phase = TY_RUNNING;
    return n;
}

/* Failures are printed above the table; pods that the engine stopped or that succeeded are not. */
static void test_ends_above(void **state)
{
    struct run_table_fixture w = { 0 };
    struct ty_run_view_opts opts = { 0 };
    struct ty_pod_update oom = view_news("j-node-0-2", 137), never = view_news("j-node-0-3", 128),
                         again = view_news("j-node-0-4", 3);

    (void)state;
    open_at(&w, 100, 24, &opts);
    oom.exit_signal = 9;
    oom.reason = "OOMKilled";
    never.reason = "StartError";
    again.phase = TY_RUNNING; /* its pod goes on */
    again.restarts_again = true;
    again.restart_ms = 39500;
    again.restart = 4;
    again.restart_limit = 6;
    view_end(&w.v, "j-node-0-0", 0, false, NULL);
    view_end(&w.v, "j-node-0-5", 143, true, NULL);
    view_end(&w.v, "j-node-0-1", 1, false, "KeyError: \033[31m1\n");
    view_pod(&w.v, &oom);
    view_pod(&w.v, &never);
    view_pod(&w.v, &again);
    const char *text = draw_text(&w);
    assert_has(text, "node-0-1: KeyError: 1 (exit code 1)\r\n");
    assert_has(text, "node-0-2: out of memory: killed by the kernel");
    assert_has(text, "node-0-3: could not start: unknown");
    assert_has(text, "node-0-4: exit code 3, restarts in 40 s (4 of 6)\r\n");
    has_no(text, "node-0-0: ");
    has_no(text, "node-0-5: ");
    close_all(&w);
}

static void test_news_above(void **state)
{
    struct run_table_fixture w = { 0 };
    struct ty_run_view_opts opts = { .node = "node-0-1" };

    (void)state;
    open_at(&w, 100, 24, &opts);
    view_event(&w.v, "Warning", "BackOff", "waits");
    view_event(&w.v, "Normal", "Started", "up");
    view_event(&w.v, "Warning", "Unhealthy", "probe\033]0;title\a failed");
    view_say(&w.v, "j-node-0-0", "silent");
    view_say(&w.v, "j-node-0-1", "loud");
    view_status(&w.v, w.b.cli.arena,
                "{\"status\":{\"conditions\":[{\"type\":\"Suspended\",\"status\":\"True\","
                "\"message\":\"first\\nsecond\"},{\"type\":\"Complete\",\"status\":\"True\","
                "\"message\":\"of the summary\"}]}}");
    ty_run_view_note(&w.v, TY_MSG_WARNING, "careful");
    const char *text = draw_text(&w);
    assert_has(text, "pod/p: Unhealthy: probe failed\r\n");
    assert_has(text, "[node-0-1] loud\r\n");
    assert_has(text, "trainjob/j: Suspended: first\r\n");
    assert_has(text, "warning: careful\r\n");
    has_no(text, "BackOff");
    has_no(text, "Started");
    has_no(text, "[node-0-0] ");
    has_no(text, "of the summary");
    has_no(text, "title");
    close_all(&w);
}

/* Ctrl-S: a stopped terminal does not block the run, and gets the newest state afterwards. */
static void test_a_terminal_that_takes_nothing(void **state)
{
    struct run_table_fixture w = { 0 };
    struct ty_run_view_opts opts = { 0 };
    struct ty_pod_update n = running_update("j-node-0-0");

    (void)state;
    open_at(&w, 80, 24, &opts);
    view_pod(&w.v, &n);
    draw_text(&w);
    assert_int_equal(tcflow(fileno(w.b.cli.out), TCOOFF), 0);
    view_say(&w.v, "j-node-0-0", "while stopped");
    has_no(draw_text(&w), "while stopped");
    assert_int_equal(tcflow(fileno(w.b.cli.out), TCOON), 0);
    assert_has(draw_text(&w), "while stopped");
    close_all(&w);
}

/* The terminal is as it was: cursor shown, table gone, what was to stay still there. */
static void test_close(void **state)
{
    struct run_table_fixture w = { 0 };
    struct ty_run_view_opts opts = { 0 };
    struct ty_pod_update n = running_update("j-node-0-0");

    (void)state;
    open_at(&w, 80, 24, &opts);
    assert_has(read_terminal(&w), "\033[?25l");
    view_pod(&w.v, &n);
    draw_text(&w);
    view_end(&w.v, "j-node-0-1", 7, false, NULL); /* not drawn yet */
    ty_run_view_close(&w.v, NULL);
    const char *text = read_terminal(&w);
    assert_has(text, "node-0-1: exit code 7\r\n");
    assert_has(text, "\033[?25h");
    assert_has(text, "\033[A\033[K"); /* row by row: tmux keeps a screen that is erased at once */
    has_no(text, "\033[J");
    assert_null(strchr(strstr(text, "\033[?25h"), '\n')); /* nothing after it */
    close_all(&w);                                        /* again: nothing */
}

/* Twenty columns, wide characters, a name without end: no line is wider than the terminal. */
static void test_narrow(void **state)
{
    static const char *const lines[] = {
        "\xe8\xa8\x93\xe7\xb7\xb4\xe4\xb8\xad\xe8\xa8\x93\xe7\xb7\xb4"
        "\xe4\xb8\xad\xe8\xa8\x93\xe7\xb7\xb4\xe4\xb8\xad",
        "e\xcc\x81 step 1/9 loss 0.1", "\t\t\tx"
    };
    struct run_table_fixture w = { 0 };
    struct ty_run_view_opts opts = { 0 };
    struct ty_pod_update n = running_update("j-a-replicated-job-with-a-very-long-name-indeed-0-0");

    (void)state;
    open_at(&w, 20, 5, &opts);
    view_pod(&w.v, &n);
    for (size_t i = 0; i < 3; i++) {
        view_say(&w.v, n.pod, lines[i]);
        struct ty_str line, rest = ty_str(draw_text(&w));
        assert_true(rest.n > 0);
        while (rest.p) {
            char clean[512];
            rest = ty_str_cut(rest, '\n', &line);
            size_t bytes = ty_text_clean(line, clean, sizeof(clean));
            assert_in_range(ty_text_width((struct ty_str){ clean, bytes }), 0, 19);
        }
    }
    close_all(&w);
}

struct reader {
    int fd;
    atomic_size_t n;
    atomic_bool done;
};

static void *read_much(void *ctx)
{
    struct reader *r = ctx;
    char part[4096];

    while (!r->done) {
        struct pollfd p = { .fd = r->fd, .events = POLLIN };
        ssize_t n = poll(&p, 1, 10) > 0 ? read(r->fd, part, sizeof(part)) : 0;
        r->n += n > 0 ? (size_t)n : 0;
    }
    return NULL;
}

/* Lines that go above are kept for the next tick, but no more than a megabyte of them: the loop
 * does not turn here, and they are written all the same. */
static void test_a_flood(void **state)
{
    struct run_table_fixture w = { 0 };
    struct ty_run_view_opts opts = { .node = "node-0-0" };
    struct reader r = { 0 };
    pthread_t thread;
    char line[4000];

    (void)state;
    open_at(&w, 80, 24, &opts);
    memset(line, 'x', sizeof(line));
    r.fd = w.master;
    assert_int_equal(pthread_create(&thread, NULL, read_much, &r), 0);
    for (int i = 0; i < 280; i++)
        view_line(&w.v, "j-node-0-0", (struct ty_str){ line, sizeof(line) });
    size_t by_then = r.n;
    ty_run_view_close(&w.v, NULL); /* the rest */
    r.done = true;
    pthread_join(thread, NULL);
    assert_true(by_then >= (size_t)1 << 19); /* all but what is in the terminal's own buffers */
    close_all(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends_above),
        cmocka_unit_test(test_news_above),
        cmocka_unit_test(test_a_terminal_that_takes_nothing),
        cmocka_unit_test(test_close),
        cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_a_flood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
