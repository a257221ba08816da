#include "cli/history/job_history_testing.h"

static void test_trainjobs(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "get"), TY_EXIT_OK);
    assert_has(h->b.out,
               "NAME    RUNTIME   NODES       STATE         PROGRESS   RESTARTS   STARTED ");
    assert_has(h->b.out, "\nddp     torch     2           Interrupted              0 ");
    assert_has(h->b.out, "\nddp     torch     2           Failed        40%        1 ");
    assert_has(h->b.out, "ago   60s");
    assert_has(h->b.out, "\nother   torch     <unknown>   Interrupted ");
    hist_hasnt(h->b.out, "RUN ");
    assert_int_equal(HIST_RUN(h, "get", "ddp"), TY_EXIT_OK);
    hist_hasnt(h->b.out, "Failed"); /* its newest run */
    assert_int_equal(HIST_RUN(h, "get", "ddp", "--run", "1"), TY_EXIT_OK);
    assert_has(h->b.out, "Failed");
    assert_int_equal(HIST_RUN(h, "get", "trainjobs", "-o", "wide"), TY_EXIT_OK);
    assert_has(h->b.out, "/trainyard/runs/run-1   trainyard run ddp.yaml\n");
}

static void test_what_is_not_there(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "get", "ddp", "ghost"), TY_EXIT_BAD);
    assert_has(h->b.out, "ddp"); /* what is there is shown */
    assert_string_equal(h->b.err,
                        "error: trainjobs.trainer.kubeflow.org \"ghost\" not found\n"
                        "note: these are the runs of this machine; a cluster's: trainyard "
                        "get ghost --cluster\n");
    assert_int_equal(HIST_RUN(h, "get", "nosuchkind"), TY_EXIT_BAD);
    assert_has(h->b.err, "note: nor is there a kind \"nosuchkind\"; kinds are trainjobs, jobsets");
    assert_int_equal(HIST_RUN(h, "get", "jobsets,jobs"), TY_EXIT_USAGE);
    assert_has(h->b.err, "jobsets,jobs: there is no such kind; kinds are trainjobs, jobsets");
    assert_int_equal(HIST_RUN(h, "get", "nosuchkind/ddp"), TY_EXIT_USAGE);
    assert_int_equal(HIST_RUN(h, "get", "--sort-by", ".nope"), TY_EXIT_BAD);
    assert_string_equal(h->b.err, "error: --sort-by .nope: no object has a field of this path\n");
    assert_string_equal(h->b.out, "");
    assert_int_equal(HIST_RUN(h, "get", "--sort-by", ".nope", "-o", "json"), TY_EXIT_BAD);
    assert_int_equal(HIST_RUN(h, "get", "pods", "ghost"), TY_EXIT_BAD);
    assert_string_equal(h->b.err, "error: pods \"ghost\" not found\n");
    assert_int_equal(HIST_RUN(h, "get", "-n", "elsewhere"), TY_EXIT_OK);
    assert_string_equal(h->b.err, "No resources found\n");
    assert_int_equal(HIST_RUN(h, "get", "-o", "jsonpath"), TY_EXIT_USAGE);
    assert_int_equal(HIST_RUN(h, "get", "pods", "-w", "-o", "json"), TY_EXIT_USAGE);
    assert_int_equal(HIST_RUN(h, "get", "claims", "-w"), TY_EXIT_USAGE);
    assert_int_equal(HIST_RUN(h, "get", "pods", "ghost", "-w"), TY_EXIT_BAD);
    assert_string_equal(h->b.err, "error: pods \"ghost\" not found\n");
    assert_int_equal(HIST_RUN(h, "get", "events", "ghost", "-w"), TY_EXIT_BAD);
    assert_int_equal(HIST_RUN(h, "get", "--run", "x"), TY_EXIT_USAGE);
}

static void test_pods(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "get", "pods"), TY_EXIT_OK);
    assert_has(h->b.out, "ddp-node-0-0-ddddd   0/1     Interrupted   0 ");
    hist_hasnt(h->b.out, "bbbbb"); /* of an older run */
    assert_int_equal(HIST_RUN(h, "get", "po", "--run", "1", "-o", "wide"), TY_EXIT_OK);
    assert_has(h->b.out, "ddp-node-0-0-bbbbb   0/1     Completed   0 ");
    assert_has(h->b.out, "ddp-node-0-1-ccccc   0/1     Error       0 ");
    hist_hasnt(h->b.out, "aaaaa"); /* deleted, and another took its place */
    assert_has(h->b.out, "127.1.2.3   ddp-node-0-1   1\n");
    assert_int_equal(HIST_RUN(h, "get", "pods", "ddp-node-0-1"), TY_EXIT_OK); /* by host name */
    assert_has(h->b.out, "ddp-node-0-1-ccccc");
    assert_int_equal(HIST_RUN(h, "get", "pods", "ddp-node-0-1-ccccc", "-o", "name"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "pod/ddp-node-0-1-ccccc\n");
}

static void test_other_kinds(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "get", "jobsets", "--run", "1"), TY_EXIT_OK);
    assert_has(h->b.out, "ddp    Failed          1 ");
    assert_int_equal(HIST_RUN(h, "get", "jobs"), TY_EXIT_OK);
    assert_string_equal(h->b.err, "No resources found\n");
    assert_int_equal(HIST_RUN(h, "get", "events", "--run", "1"), TY_EXIT_OK);
    assert_has(h->b.out, "jobset/ddp");
    assert_int_equal(HIST_RUN(h, "get", "events", "ddp", "--run", "1"), TY_EXIT_OK);
    assert_has(h->b.out, "pod/ddp-node-0-1");
    assert_int_equal(HIST_RUN(h, "get", "events", "ddp"), TY_EXIT_OK); /* of its newest run */
    assert_null(strstr(h->b.out, "pod/ddp-node-0-1"));
}

static void test_objects(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "get", "trainjob", "ddp", "--run", "1", "-o", "json"), TY_EXIT_OK);
    struct ty_json *v = ty_json_parse(h->b.cli.arena, ty_str(h->b.out), NULL, NULL);
    assert_true(ty_str_is(ty_json_str_at(v, "kind"), "TrainJob"));
    const struct ty_json *notes = ty_json_at(v, "metadata.annotations");
    assert_true(ty_str_is(ty_json_as_str(ty_json_get(notes, "trainyard.dev/run")), "1"));
    assert_true(ty_str_is(ty_json_as_str(ty_json_get(notes, "trainyard.dev/state")), "Failed"));
    assert_int_equal(HIST_RUN(h, "get", "-o", "json"), TY_EXIT_OK);
    v = ty_json_parse(h->b.cli.arena, ty_str(h->b.out), NULL, NULL);
    assert_int_equal(ty_json_len(ty_json_get(v, "items")), 3);
    assert_int_equal(HIST_RUN(h, "get", "-o", "yaml"), TY_EXIT_OK);
    assert_has(h->b.out, "kind: List\n");
    assert_int_equal(HIST_RUN(h, "get", "-o", "name"), TY_EXIT_OK);
    assert_string_equal(h->b.out, "trainjob.trainer.kubeflow.org/ddp\n"
                                  "trainjob.trainer.kubeflow.org/other\n"
                                  "trainjob.trainer.kubeflow.org/ddp\n");
}

static void test_nothing(void **state)
{
    struct hist *h = *state;

    assert_int_equal(HIST_RUN(h, "get"), TY_EXIT_OK);
    assert_string_equal(h->b.err, "No resources found\n");
    assert_int_equal(HIST_RUN(h, "get", "-w"), TY_EXIT_OK); /* there is nothing to watch */
    assert_int_equal(HIST_RUN(h, "get", "-o", "json"), TY_EXIT_OK);
    assert_has(h->b.out, "\"items\": []");
}

/* Rows that trainyard did not write are skipped. */
static void test_objects_that_are_none(void **state)
{
    static const char *const kinds[] = { "trainjobs", "jobsets", "pods" };
    struct hist *h = *state;
    struct ty_history_db *d = NULL;
    struct ty_err err = { 0 };

    assert_int_equal(ty_history_db_open(ty_state_dir_history(h->b.cli.arena, NULL),
                                        TY_HISTORY_DB_WRITE, &d, &err),
                     0);
    assert_int_equal(
        sqlite3_exec(ty_history_db_handle(d), "UPDATE objects SET text = 'no'", NULL, NULL, NULL),
        SQLITE_OK);
    ty_history_db_close(d);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(HIST_RUN(h, "get", kinds[i]), TY_EXIT_OK);
        assert_int_equal(HIST_RUN(h, "get", kinds[i], "-o", "json"), TY_EXIT_OK);
        assert_has(h->b.out, "\"items\": []");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HIST_FULL(test_trainjobs), HIST_FULL(test_what_is_not_there),
        HIST_FULL(test_pods),      HIST_FULL(test_other_kinds),
        HIST_FULL(test_objects),   HIST_FULL(test_objects_that_are_none),
        HIST_EMPTY(test_nothing)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
