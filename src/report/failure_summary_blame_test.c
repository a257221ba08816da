/* Who is to blame: evidence in the logs comes before the order of exits. */
#include "report/failure_summary_testing.h"

/* The victim exits first, and the culprit is even stopped by the engine: evidence decides. */
static void test_evidence_before_time(void **state)
{
    struct ty_failure_summary *v = ty_failure_summary_new();
    const struct ty_log_arrival arrive[] = { { 0, 2000 } };
    struct ty_ended_container victim = failed("node-0-0", 1, 3000),
                              culprit = failed("node-0-1", 143, 4000);

    (void)state;
    victim.log = traceback("RuntimeError: Connection closed by peer");
    ty_failure_summary_add(v, &victim);
    blames(v, "node-0-0", -1);
    culprit.log = traceback("ValueError: boom");
    culprit.stopped = true;
    culprit.stop_ms = 3100;
    culprit.arrive = arrive;
    culprit.n_arrive = 1;
    culprit.first_rank = 1;
    culprit.procs = 1;
    ty_failure_summary_add(v, &culprit);
    blames(v, "node-0-1", 1);
    prints(v, 0,
           "node-0-1 (rank 1) failed first: ValueError: boom, after 1.0 s\n"
           "    Traceback (most recent call last):\n      File \"t.py\"\n    ValueError: boom\n"
           "node-0-0 lost its peer 1.0 s later: RuntimeError: Connection closed by peer (exit code "
           "1)\n");
    ty_failure_summary_free(v);
}

#define BOOM "Traceback (most recent call last):\n  File \"t.py\"\nKeyError: 'x'\n"

/* A stopped container whose error arrived at `at_ms`. */
static struct ty_ended_container stopped_with(const char *node, struct ty_str log,
                                              struct ty_log_arrival *at)
{
    struct ty_ended_container end = failed(node, 143, 30000);

    end.stopped = true;
    end.stop_ms = 29000;
    end.log = log;
    end.arrive = at;
    end.n_arrive = 1;
    return end;
}

/* What a stopped container printed counts less than an error of one that ended by itself; less than
 * a bare exit, too, if it came long before that, or if its process went on. */
static void test_survived_by_one_that_is_stopped(void **state)
{
    static const char caught[] = BOOM, went_on[] = BOOM "recovered\n",
                      ends[] = BOOM "wandb: Run history: 3/9\n";
    static const struct {
        const char *log;
        int64_t at_ms;
        const char *other; /* the log of the one that exits with 1 at 20 s */
        const char *want;
    } cases[] = {
        { caught, 19900, "Traceback (most recent call last):\nValueError: boom\n", "other" },
        { caught, 19900, "", "survivor" },
        { went_on, 19900, "", "other" },
        { ends, 19900, "", "survivor" },
        { caught, 2000, "", "other" },
        { went_on, 19900, "Traceback (most recent call last):\nEOFError\n", "survivor" },
        { went_on, 2000, "Traceback (most recent call last):\nEOFError\n", "other" },
        { went_on, 2000, "Traceback (most recent call last):\nTimeoutError: timed out\n",
          "survivor" },
    };

    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct ty_log_arrival at = { 0, cases[i].at_ms };
        struct ty_ended_container survivor = stopped_with("survivor", ty_str(cases[i].log), &at),
                                  other = failed("other", 1, 20000);
        struct ty_failure_summary *v = ty_failure_summary_new();
        other.log = ty_str(cases[i].other);
        ty_failure_summary_add(v, &survivor);
        ty_failure_summary_add(v, &other);
        struct ty_ended_container third = failed("third", 143, 30000);
        third.stopped = true; /* so the only silent one is not the survivor alone */
        ty_failure_summary_add(v, &third);
        if (strcmp(ty_failure_summary_node(v), cases[i].want) != 0)
            fail_msg("case %zu: %s", i, ty_failure_summary_node(v));
        ty_failure_summary_free(v);
    }
}

/* Only one of three misses a peer: it tried to reach something else. A timeout may be of a peer. */
static void test_lost_alone(void **state)
{
    static const struct {
        const char *error;
        bool want;
    } cases[] = { { "ConnectionRefusedError: license server", false },
                  { "RuntimeError: Socket Timeout", true } };

    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct ty_failure_summary *v = ty_failure_summary_new();
        struct ty_ended_container end = failed("node-0-2", 1, 2000);
        ty_auto_buf b = { 0 };
        end.log = traceback(cases[i].error);
        ty_failure_summary_add(v, &end);
        for (int k = 0; k < 2; k++) {
            struct ty_ended_container other = failed(k ? "node-0-1" : "node-0-0", 143, 3000);
            other.stopped = true;
            ty_failure_summary_add(v, &other);
        }
        ty_failure_summary_print(v, 0, &b);
        ty_buf_chr(&b, '\0');
        assert_int_equal(!!strstr(b.p, "No process shows"), cases[i].want);
        assert_has(b.p, "2 others were stopped by trainyard because of it\n");
        ty_failure_summary_free(v);
    }
}

/* own error > exit without a word > own error after the order to end > loss of a peer */
static void test_order_of_evidence(void **state)
{
    struct ty_failure_summary *v = ty_failure_summary_new();
    const struct ty_log_arrival arrive[] = { { 0, 5000 } };
    struct ty_ended_container peer = failed("peer", 1, 1000), late = failed("late", 143, 6000),
                              silent = failed("silent", 3, 7000), own = failed("own", 1, 9000);

    (void)state;
    peer.log = traceback("BrokenPipeError: [Errno 32] Broken pipe");
    ty_failure_summary_add(v, &peer);
    blames(v, "peer", -1);
    late.log = traceback("RuntimeError: terminated");
    late.stopped = true;
    late.stop_ms = 4000;
    late.arrive = arrive;
    late.n_arrive = 1;
    ty_failure_summary_add(v, &late);
    blames(v, "late", -1);
    ty_failure_summary_add(v, &silent);
    blames(v, "silent", -1);
    own.log = traceback("ValueError: boom");
    ty_failure_summary_add(v, &own);
    blames(v, "own", -1);
    ty_failure_summary_free(v);
}

static void test_nobody_has_an_error(void **state)
{
    struct ty_failure_summary *v = ty_failure_summary_new();
    struct ty_ended_container a = failed("node-0-0", 1, 3000), b = failed("node-0-1", 1, 2000);

    (void)state;
    a.log = traceback("RuntimeError: Socket Timeout");
    ty_failure_summary_add(v, &a);
    b.log = traceback("RuntimeError: Socket Timeout");
    ty_failure_summary_add(v, &b);
    prints(v, 0,
           "node-0-1 failed first: RuntimeError: Socket Timeout (exit code 1), after 1.0 s\n"
           "    Traceback (most recent call last):\n      File \"t.py\"\n"
           "    RuntimeError: Socket Timeout\n"
           "No process shows an error of its own: one hung, or was lost without a word\n"
           "node-0-0 lost its peer 1.0 s later: RuntimeError: Socket Timeout (exit code 1)\n");
    struct ty_ended_container c = failed("node-0-2", 143, 3000);
    c.stopped = true; /* the only one that says nothing: it is the one, also for scripts */
    ty_failure_summary_add(v, &c);
    prints(v, 0,
           "node-0-2 hung, or was lost without a word: node-0-1 lost its peer: RuntimeError: "
           "Socket Timeout (exit code 1), after 1.0 s\n"
           "    Traceback (most recent call last):\n      File \"t.py\"\n"
           "    RuntimeError: Socket Timeout\n"
           "No process shows an error of its own: node-0-2 hung, or was lost without a word\n"
           "node-0-0 lost its peer 1.0 s later: RuntimeError: Socket Timeout (exit code 1)\n");
    blames(v, "node-0-2", -1);
    ty_failure_summary_free(v);
}

/* A server outside of the job: who waits for it, too, does not hang. */
static void test_a_server_that_refuses(void **state)
{
    struct ty_failure_summary *v = ty_failure_summary_new();
    struct ty_ended_container a = failed("node-0-0", 1, 3000), b = failed("node-0-1", 143, 3500);

    (void)state;
    a.log = traceback("ConnectionRefusedError: [Errno 111] Connection refused");
    ty_failure_summary_add(v, &a);
    b.stopped = true;
    b.log = TY_LIT("the server refuses, once more in 1 s\n");
    ty_failure_summary_add(v, &b);
    prints(v, 0,
           "node-0-0 failed first: ConnectionRefusedError: [Errno 111] Connection refused (exit "
           "code 1), after 2.0 s\n"
           "    Traceback (most recent call last):\n      File \"t.py\"\n"
           "    ConnectionRefusedError: [Errno 111] Connection refused\n"
           "1 other was stopped by trainyard because of it\n");
    blames(v, "node-0-0", -1);
    struct ty_ended_container c = failed("node-0-2", 1, 4000); /* the same */
    c.log = a.log;
    ty_failure_summary_add(v, &c);
    blames(v, "node-0-0", -1);
    struct ty_ended_container d = failed("node-0-3", 1, 5000); /* a peer that does not answer */
    d.log = traceback("RuntimeError: Socket Timeout");
    ty_failure_summary_add(v, &d);
    blames(v, "node-0-1", -1);
    ty_failure_summary_free(v);
}

/* The culprit comes last of a thousand: it is not lost among those that are only counted. */
static void test_a_late_culprit(void **state)
{
    struct ty_failure_summary *v = ty_failure_summary_new();
    char name[32];

    (void)state;
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof(name), "node-0-%d", i);
        struct ty_ended_container end = failed(name, 1, 2000 + i);
        end.log = i == 999 ? traceback("ValueError: boom") : traceback("EOFError");
        ty_failure_summary_add(v, &end);
    }
    blames(v, "node-0-999", -1);
    ty_failure_summary_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_evidence_before_time),
        cmocka_unit_test(test_survived_by_one_that_is_stopped),
        cmocka_unit_test(test_lost_alone),
        cmocka_unit_test(test_order_of_evidence),
        cmocka_unit_test(test_nobody_has_an_error),
        cmocka_unit_test(test_a_server_that_refuses),
        cmocka_unit_test(test_a_late_culprit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
