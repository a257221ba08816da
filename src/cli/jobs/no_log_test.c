#include "cli/jobs/no_log.h"
#include "cli/testing.h"
#include "json/json_testing.h"

#define POD(node, attempt, status)                                                                 \
    "{'metadata':{'name':'t-" node "-x7k2p','labels':"                                             \
    "{'jobset.sigs.k8s.io/restart-attempt':'" attempt "'}},'spec':{'hostname':'t-" node "',"       \
    "'initContainers':[{'name':'setup'}],'containers':[{'name':'node'}]},'status':" status "}"
#define WAITS "{'phase':'Pending'}"
#define UNSCHEDULABLE                                                                              \
    "{'phase':'Pending','conditions':[{'type':'PodScheduled','status':'False',"                    \
    "'reason':'Unschedulable','message':'0/1 nodes are available: 1 Insufficient cpu.'}]}"
#define ENDED                                                                                      \
    "{'phase':'Succeeded','initContainerStatuses':[{'name':'setup','state':{'terminated':"         \
    "{'exitCode':0}}}],'containerStatuses':[{'name':'node','state':{'terminated':"                 \
    "{'exitCode':0}}}]}"

struct no_log_case {
    const char *pods; /* a list */
    struct ty_no_log q;
    const char *want;
};

/* attempt: as the user counts; 0: not given. */
#define CASE(list, tried, text, ...)                                                               \
    {                                                                                              \
        "[" list "]", { .job = "t", .attempt = (tried)-1, __VA_ARGS__ }, "error: " text "\n"       \
    }

static const struct no_log_case cases[] = {
    CASE(POD("node-0-0", "0", UNSCHEDULABLE), 0,
         "trainjob \"t\" has no log yet: node-0-0 cannot be scheduled: 0/1 nodes are available: 1 "
         "Insufficient cpu",
         .node = NULL),
    CASE(POD("node-0-0", "0", ENDED) "," POD("node-0-1", "0", WAITS), 0,
         "node \"node-0-1\" has no log yet: pod t-node-0-1-x7k2p is Pending", .node = "node-0-1"),
    CASE(POD("node-0-0", "0", WAITS), 0,
         "trainjob \"t\" has no log: pod t-node-0-0-x7k2p is "
         "NotStarted",
         .local = true, .cut_off = true),
    CASE(POD("node-0-0", "0", WAITS), 0,
         "trainjob \"t\" has no container \"nope\"; it has: setup, node", .container = "nope"),
    CASE(
        POD("node-0-0", "2", ENDED) "," POD("node-0-1", "0", ENDED) "," POD("node-0-1", "2", ENDED),
        9, "trainjob \"t\" has no pod of attempt 9; it has: 1, 3", .node = NULL),
    CASE(POD("node-0-0", "2", ENDED) "," POD("node-0-1", "0", ENDED), 3,
         "node \"node-0-1\" has no pod of attempt 3; it has: 1", .node = "node-0-1"),
    CASE(POD("node-0-0", "2", ENDED), 9, "trainjob \"t\" has no log of attempt 9; it has: 1 to 3",
         .local = true),
    CASE(POD("node-0-0", "0", ENDED), 0,
         "trainjob \"t\" has no earlier log: no container was restarted in place, and no older pod "
         "exists",
         .previous = true),
    CASE(POD("node-0-0", "0", ENDED), 0,
         "trainjob \"t\" has no earlier log: no container was restarted", .previous = true,
         .local = true),
    /* the mistake in the options counts before the state */
    CASE(POD("node-0-0", "0", WAITS), 2, "trainjob \"t\" has no pod of attempt 2; it has: 1",
         .container = "nope", .previous = true),
    CASE(POD("node-0-0", "0", ENDED), 0, "trainjob \"t\" has no log that can be printed",
         .node = NULL),
    CASE("{},[],3", 0, "trainjob \"t\" has no log that can be printed", .node = NULL),
};

static void test_sentences(void **state)
{
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct ty_cli_fixture b;
        struct ty_json *pods[8];
        struct ty_no_log q = cases[i].q;

        fixture_open(&b);
        ty_each_item (it, json_of(b.cli.arena, cases[i].pods))
            pods[q.n++] = *it;
        q.pods = pods;
        assert_int_equal(ty_no_log(&b.cli, &q), TY_EXIT_BAD);
        fixture_flush(&b);
        assert_string_equal(b.err, cases[i].want);
        fixture_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_sentences) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
