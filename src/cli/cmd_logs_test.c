#include "cli/history/job_history_testing.h"

static void test_all_nodes(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "logs", "ddp", "--run", "1"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "[node-0-0] zero one\n[node-0-0] zero two\n"
                                  "[node-0-1] one one\n[node-0-1] one two\n");
    assert_int_equal(HIST_RUN(h, "logs", "ddp"), TY_EXIT_OK); /* the newest run */
    assert_string_equal(h->b.out, "[node-0-0] second run\n");
}

static void test_one_node(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "logs", "ddp", "node-0-1", "--run", "1"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "one one\none two"); /* byte for byte */
    assert_int_equal(HIST_RUN(h, "logs", "ddp", "ddp-node-0-1", "--run", "1", "--previous"),
                     TY_EXIT_OK);
    assert_string_equal(h->b.out, "one old\n");
    assert_int_equal(HIST_RUN(h, "logs", "ddp", "--run", "1", "--attempt", "1"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "[node-0-0] zero old\n[node-0-1] one old\n");
    assert_int_equal(HIST_RUN(h, "logs", "ddp", "--run", "1", "--tail", "1"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "[node-0-0] zero two\n[node-0-1] one two\n");
    assert_int_equal(HIST_RUN(h, "logs", "ddp", "node-0-0", "--run", "1", "-c", "node"),
                     TY_EXIT_OK);
    assert_string_equal(h->b.out, "zero one\nzero two\n");
}

/* --follow of a finished job ends at once. */
static void test_follow_what_is_over(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "logs", "-f", "ddp", "--run", "1"), TY_EXIT_OK);
    assert_has(h->b.out, "[node-0-1] one one\n[node-0-1] one two\n"); /* its last line, too */
    assert_int_equal(HIST_RUN(h, "logs", "-f", "ddp", "--run", "1", "--attempt", "1"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "[node-0-0] zero old\n[node-0-1] one old\n");
    assert_int_equal(HIST_RUN(h, "logs", "-f", "ddp", "--run", "1", "--previous"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "[node-0-0] zero old\n[node-0-1] one old\n");
}

static void test_several_containers(void **state)
{
    struct hist *h = *state;

    hist_log(h, "ddp-node-0-0", "sidecar.0.0.log", "beside\n");
    hist_log(h, "ddp-node-0-0", "node.0.1.log", "after a restart\n");
    assert_int_equal(HIST_RUN(h, "logs", "ddp"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "[node-0-0] after a restart\n[node-0-0] beside\n");
    assert_int_equal(HIST_RUN(h, "logs", "ddp", "-c", "sidecar"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "[node-0-0] beside\n");
    assert_int_equal(HIST_RUN(h, "logs", "ddp", "--previous"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "[node-0-0] second run\n"); /* only node has one */
}

static void test_mistakes(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "logs"), TY_EXIT_USAGE);
    assert_int_equal(HIST_RUN(h, "logs", "ddp", "--tail", "few"), TY_EXIT_USAGE);
    assert_int_equal(HIST_RUN(h, "logs", "ddp", "--attempt", "-2"), TY_EXIT_USAGE);
    assert_int_equal(HIST_RUN(h, "logs", "ghost"), TY_EXIT_BAD);
    assert_int_equal(HIST_RUN(h, "logs", "ddp", "node-9", "--run", "1"), TY_EXIT_BAD);
    assert_string_equal(
        h->b.err, "error: trainjob \"ddp\" has no node \"node-9\"; it has: node-0-0, node-0-1\n");
    assert_int_equal(HIST_RUN(h, "logs", "ddp", "-c", "nope"), TY_EXIT_BAD);
    assert_string_equal(h->b.err,
                        "error: trainjob \"ddp\" has no container \"nope\"; it has: node\n");
    assert_int_equal(HIST_RUN(h, "logs", "ddp", "node-0-0", "--previous"), TY_EXIT_BAD);
    assert_string_equal(
        h->b.err, "error: node \"node-0-0\" has no earlier log: no container was restarted\n");
    assert_int_equal(HIST_RUN(h, "logs", "ddp", "--attempt", "5"), TY_EXIT_BAD);
    assert_string_equal(h->b.err, "error: trainjob \"ddp\" has no log of attempt 5; it has: 1\n");
    assert_int_equal(HIST_RUN(h, "logs", "ddp", "--attempt", "5", "--run", "1"), TY_EXIT_BAD);
    assert_string_equal(h->b.err,
                        "error: trainjob \"ddp\" has no log of attempt 5; it has: 1 to 2\n");
}

/* The first part of a rotated log; the rest is printed. */
static void test_a_link_instead_of_the_first_part(void **state)
{
    struct hist *h = *state;
    const char *pod = ty_arena_printf(h->b.cli.arena, "%s/logs/ddp-node-0-0", h->dir);

    assert_int_equal(
        symlink("/etc/passwd", ty_arena_printf(h->b.cli.arena, "%s/node.0.0.log.1", pod)), 0);
    assert_int_equal(HIST_RUN(h, "logs", "ddp"), TY_EXIT_BAD);
    assert_string_equal(h->b.out, "[node-0-0] second run\n");
    assert_has(h->b.err, "node.0.0.log.1 is not a regular file and is not shown\n");
    assert_null(strstr(h->b.err, "node.0.0.log is "));
}

/* The job can create files beside its logs. */
static void test_a_message_as_a_name(void **state)
{
    struct hist *h = *state;
    const char *pod = ty_arena_printf(h->b.cli.arena, "%s/logs/ddp-node-0-0", h->dir);

    assert_int_equal(
        symlink("/etc/passwd",
                ty_arena_printf(h->b.cli.arena, "%s/x\nerror: disk is broken.0.0.log", pod)),
        0);
    assert_int_equal(HIST_RUN(h, "logs", "ddp"), TY_EXIT_OK);
    assert_string_equal(h->b.err, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = { HIST_FULL(test_all_nodes),
                                        HIST_FULL(test_one_node),
                                        HIST_FULL(test_follow_what_is_over),
                                        HIST_FULL(test_several_containers),
                                        HIST_FULL(test_mistakes),
                                        HIST_FULL(test_a_link_instead_of_the_first_part),
                                        HIST_FULL(test_a_message_as_a_name) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
