#include "base/testing.h"
#include "base/text.h"
#include "cli/run/run_table.h"

static void add_node(struct ty_run_model *m, const char *job, int i, enum ty_pod_phase phase)
{
    char pod[64];

    snprintf(pod, sizeof(pod), "%s-node-0-%d", job, i);
    struct ty_pod_update n = { .job = job,
                               .pod = pod,
                               .rjob = "node",
                               .index = i,
                               .phase = phase,
                               .ready = phase == TY_RUNNING,
                               .exit_code = -1,
                               .time_ms = 1000 };
    ty_run_model_pod(m, &n);
}

/* The frame as one string; every line must fit. */
static char *draw_text(struct ty_arena *a, const struct ty_run_model *m, int cols, int rows)
{
    struct ty_run_table_opts d = { .cols = cols, .rows = rows, .now_ms = 62000 };
    struct ty_run_table_frame f = { 0 };
    ty_auto_buf b = { 0 };

    ty_run_table_draw(m, &d, &f);
    assert_true(f.n <= (rows > 1 ? (size_t)rows - 1 : 1));
    for (size_t i = 0; i < f.n; i++) {
        struct ty_str line = ty_run_table_frame_line(&f, i);
        assert_true(ty_text_width(line) <= (cols > 1 ? cols - 1 : 0));
        assert_int_equal(ty_text_width(line), f.width[i]);
        ty_buf_printf(&b, "%.*s\n", TY_ARG(line));
    }
    ty_run_table_frame_done(&f);
    return ty_arena_cstr(a, ty_buf_str(&b));
}

static void test_a_job(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_run_model m = { 0 };

    (void)state;
    add_node(&m, "ddp", 0, TY_RUNNING);
    add_node(&m, "ddp", 1, TY_PENDING);
    add_node(&m, "ddp", 2, TY_SUCCEEDED);
    struct ty_run_node *n =
        ty_run_model_line(&m, "ddp", "ddp-node-0-0", TY_LIT("step 20/50 loss 0.5"), 1000);
    struct ty_progress p = { .percent = 40,
                             .step = -1,
                             .total = -1,
                             .eta_s = 9,
                             .metrics = { { "loss", "0.5" } },
                             .n_metrics = 1 };
    ty_run_model_progress(n, &p);
    m.jobs->progress = p;
    m.jobs->progress_ms = 60000; /* two seconds ago */
    m.jobs->restarts = 1;
    assert_string_equal(
        draw_text(a, &m, 100, 24),
        "ddp  running 1:01  2 of 3 nodes  restart 1  ########------------ 40%  0:07 left  "
        "loss 0.5\n"
        "  node-0-0  running    1:01  ####------ 40%  loss 0.5  step 20/50 "
        "loss 0.5\n"
        "  node-0-1  starting\n");
    /* what does not fit is left out, least useful first */
    assert_string_equal(draw_text(a, &m, 60, 24),
                        "ddp  running 1:01  2 of 3 nodes  restart 1   40%  0:07 left\n"
                        "  node-0-0  running    1:01  ####------ 40%  step 20/50 los\n"
                        "  node-0-1  starting\n");
    /* but never the percentage */
    assert_string_equal(draw_text(a, &m, 40, 24), "ddp  running 1:01  2 of 3 nodes     40%\n"
                                                  "  node-0-0  running    1:01   40%\n"
                                                  "  node-0-1  starting\n");
    assert_string_equal(draw_text(a, &m, 12, 24), "ddp     40%\n"
                                                  "  nod   40%\n"
                                                  "  nod\n");
    ty_run_model_done(&m);
}

static void test_any_size(void **state)
{
    struct ty_run_model m = { 0 };

    (void)state;
    for (int i = 0; i < 30; i++)
        add_node(&m, "漢字-job", i, i % 3 ? TY_RUNNING : TY_PENDING);
    add_node(&m, "second", 0, TY_RUNNING);
    ty_run_model_line(&m, "second", "second-node-0-0", TY_LIT("漢字漢字漢字漢字漢字漢字漢字"), 1);
    for (int cols = 1; cols < 90; cols++)
        for (int rows = 1; rows < 40; rows += 3) {
            ty_auto_arena *a = ty_arena_new(1 << 24);
            draw_text(a, &m, cols, rows);
        }
    ty_run_model_done(&m);
}

static void test_more_nodes_than_rows(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_run_model m = { 0 };

    (void)state;
    for (int i = 0; i < 1000; i++)
        add_node(&m, "big", i, i == 700 ? TY_PENDING : TY_RUNNING);
    for (struct ty_run_node *n = m.jobs->nodes; n; n = n->next) {
        struct ty_progress p = TY_PROGRESS_NONE;
        p.percent = strcmp(n->name, "node-0-333") == 0 ? 10 : 50;
        ty_run_model_progress(n, &p);
    }
    /* one that has not started, the one that is behind, then the first ones */
    assert_string_equal(draw_text(a, &m, 50, 7), "big  running 1:01  1000 nodes\n"
                                                 "  node-0-0    running    1:01  #####----- 50%\n"
                                                 "  node-0-1    running    1:01  #####----- 50%\n"
                                                 "  node-0-333  running    1:01  #--------- 10%\n"
                                                 "  node-0-700  starting         #####----- 50%\n"
                                                 "  ... and 996 more running\n"
                                                 "");
    ty_run_model_done(&m);
}

static void test_several_jobs(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_run_model m = { 0 };
    char name[16];

    (void)state;
    for (int i = 0; i < 5; i++) {
        snprintf(name, sizeof(name), "j%d", i);
        add_node(&m, name, 0, TY_RUNNING);
    }
    m.jobs->result = "Complete"; /* what is over is not in the table */
    char *text = draw_text(a, &m, 60, 24);
    assert_null(strstr(text, "j0"));
    assert_has(text, "j1  running 1:01  1 node\n  node-0-0  running    1:01\nj2");
    assert_has(text, "j4  running");
    text = draw_text(a, &m, 60, 5); /* a line for each job at least */
    assert_has(text, "j1  running");
    assert_has(text, "j4  running");
    ty_run_model_done(&m);
}

static void test_waits_for_its_restart(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    struct ty_run_model m = { 0 };
    struct ty_pod_update n = { .job = "j",
                               .pod = "j-node-0-0",
                               .rjob = "node",
                               .phase = TY_RUNNING,
                               .container = "node",
                               .exit_code = 1,
                               .error = "ImportError: no torch",
                               .time_ms = 1000 };

    (void)state;
    ty_run_model_pod(&m, &n);
    assert_has(draw_text(a, &m, 80, 24), "failed     1:01  ImportError: no torch");
    ty_run_model_done(&m);
}

static void test_nothing_yet(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_run_model m = { 0 };

    (void)state;
    assert_string_equal(draw_text(a, &m, 80, 24), "");
}

static void test_text(void **state)
{
    struct ty_run_table_opts d = { .cols = 9, .rows = 4 };
    struct ty_run_table_frame f = { 0 };

    (void)state;
    ty_run_table_draw_text(TY_LIT("one\ntwo is long\nthree\n"), &d, &f);
    assert_int_equal(f.n, 3);
    assert_true(ty_str_is(ty_run_table_frame_line(&f, 1), "two is l"));
    assert_true(ty_str_is(ty_run_table_frame_line(&f, 2), "three"));
    d.rows = 3;
    d.cols = 80;
    ty_run_table_draw_text(TY_LIT("one\ntwo\nthree\n"), &d, &f);
    assert_int_equal(f.n, 2);
    assert_true(ty_str_is(ty_run_table_frame_line(&f, 1), "... and 2 more"));
    d.rows = 1;
    ty_run_table_draw_text(TY_LIT("one\ntwo\nthree\n"), &d, &f);
    assert_int_equal(f.n, 1);
    ty_run_table_draw_text(TY_LIT(""), &d, &f);
    assert_int_equal(f.n, 0);
    ty_run_table_frame_done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_job),
        cmocka_unit_test(test_any_size),
        cmocka_unit_test(test_more_nodes_than_rows),
        cmocka_unit_test(test_several_jobs),
        cmocka_unit_test(test_waits_for_its_restart),
        cmocka_unit_test(test_nothing_yet),
        cmocka_unit_test(test_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
