/* On a terminal of the test; tests/history/test_top.py shows jobs of this machine on one. */
#include "cli/jobs/top_screen.h"
#include "cli/testing.h"

#include <uv.h>

struct screen_world {
    struct ty_cli_fixture b;
    uv_loop_t loop;
    int master;
    struct ty_buf text;
    int samples, last; /* taken; the one that ends it */
    bool key;          /* a sample types q */
    bool stopped;
    char seen[8192];
};

static bool take_sample(void *ctx)
{
    struct screen_world *w = ctx;

    w->samples++;
    w->text.n = 0;
    ty_buf_printf(&w->text, "sample-%d \302\2332Jx\n", w->samples);
    ty_cli_msg(&w->b.cli, TY_MSG_NOTE, "note-%d", w->samples);
    if (w->key)
        assert_int_equal(write(w->master, "q\n", 2), 2);
    return w->samples != w->last;
}

static void on_stop(void *ctx)
{
    struct screen_world *w = ctx;

    w->stopped = true;
}

static void close_handle(uv_handle_t *h, void *arg TY_UNUSED)
{
    uv_close(h, NULL);
}

static bool show_screen(struct screen_world *w)
{
    setenv("TERM", "xterm", 1);
    fixture_open(&w->b);
    uv_loop_init(&w->loop);
    w->master = fixture_terminal(&w->b);
    w->b.cli.in = fileno(w->b.cli.out);
    ty_buf_cstr(&w->text, "before\n");
    assert_true(ty_top_screen_can_draw(&w->b.cli));
    bool stopped = ty_top_screen_run(&(struct ty_top_screen){ .cli = &w->b.cli,
                                                              .loop = &w->loop,
                                                              .first_ms = 100,
                                                              .every_ms = 100,
                                                              .text = &w->text,
                                                              .sample = take_sample,
                                                              .stop = on_stop,
                                                              .ctx = w });

    uv_walk(&w->loop, close_handle, NULL);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&w->loop), 0);
    fixture_terminal_read(&w->b, w->master, w->seen, sizeof(w->seen));
    fixture_flush(&w->b);
    ty_buf_done(&w->text);
    return stopped;
}

static void test_until_the_last_sample(void **state)
{
    struct screen_world w = { .last = 2 };

    (void)state;
    assert_false(show_screen(&w));
    assert_has(w.seen, "before");
    assert_has(w.seen, "sample-1 2Jx"); /* C1 characters control terminals, too */
    assert_null(strstr(w.seen, "\302\233"));
    assert_string_equal(w.b.err, "note: note-1\nnote: note-2\n");
    assert_false(w.stopped);
    fixture_close(&w.b);
}

static void test_until_a_key(void **state)
{
    struct screen_world w = { .key = true };

    (void)state;
    assert_true(show_screen(&w));
    assert_true(w.stopped);
    assert_string_equal(w.b.err, "");
    fixture_close(&w.b);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_until_the_last_sample),
                                        cmocka_unit_test(test_until_a_key) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
