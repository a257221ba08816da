#include "failure/failure_job.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { PODS = 1000 };

/* What is kept of a pod, with its place in the table, is less than 200 bytes. */
static void test_bytes_of_a_pod(void **state)
{
    struct ty_failure_job *job =
        ty_failure_job_new(NULL, TY_LIT("team-a"), TY_LIT("llama-finetune"), TY_LIT("u"));
    struct ty_failure_pod_state is = { .container = TY_LIT("node") };
    struct ty_object_table t = { 0 };
    size_t bytes = 0;

    (void)state;
    for (int k = 0; k < 2; k++) /* the second time replaces */
        for (int i = 0; i < PODS; i++) {
            char name[64], uid[64];
            int n = snprintf(name, sizeof(name), "llama-finetune-node-0-%d-x7k2p", i);
            int m = snprintf(uid, sizeof(uid), "0f8fad5b-d9cb-469f-a165-7086%08d", i);
            struct ty_kube_object o = { .ns = TY_LIT("team-a"),
                                        .name = { name, (size_t)n },
                                        .uid = { uid, (size_t)m },
                                        .version = TY_LIT("4711") };
            const struct ty_failure_pod *pod = ty_failure_job_put_pod(job, &t, &o, &is);
            bytes += k ? ty_failure_job_pod_bytes(pod) : 0;
        }
    bytes += ty_object_table_bytes(&t);
    print_message("%zu bytes for each pod\n", bytes / PODS);
    assert_in_range(bytes / PODS, 100, 200);
    assert_int_equal(job->pods, PODS);
    assert_null(job->names->next);
    struct ty_object_entry *e = NULL;
    size_t at = 0;
    while ((e = ty_object_table_next(&t, NULL, &at)))
        assert_ptr_equal(ty_failure_job_del_pod(&t, TY_LIT("team-a"), ty_str(e->name)), job);
    assert_int_equal(job->pods, 0);
    assert_null(job->names);
    assert_null(ty_failure_job_del_pod(&t, TY_LIT("team-a"), TY_LIT("none")));
    ty_object_table_done(&t);
    ty_failure_job_free(job);
    ty_failure_job_free(NULL);
}

/* A name goes with its last pod: a template whose name changes with each attempt takes no memory.
 */
static void test_names_of_containers(void **state)
{
    struct ty_failure_job *job = ty_failure_job_new(NULL, TY_LIT("ns"), TY_LIT("j"), TY_LIT("u"));
    struct ty_kube_object o = { .ns = TY_LIT("ns"), .name = TY_LIT("p"), .uid = TY_LIT("1") };
    struct ty_object_table t = { 0 };

    (void)state;
    for (int i = 0; i < 3; i++) {
        char name[16];
        int n = snprintf(name, sizeof(name), "node-%d", i);
        struct ty_failure_pod_state is = { .container = { name, (size_t)n }, .attempt = i };
        assert_string_equal(ty_failure_job_put_pod(job, &t, &o, &is)->container->text, name);
        assert_ptr_equal(job->names->next, NULL);
        assert_int_equal(job->names->pods, 1);
    }
    assert_ptr_equal(ty_failure_job_del_pod(&t, TY_LIT("ns"), TY_LIT("p")), job);
    assert_null(job->names);
    ty_object_table_done(&t);
    ty_failure_job_free(job);
}

#define STATUS(state, count)                                                                       \
    "{\"metadata\":{\"name\":\"j-node-0-0-x\"},\"spec\":{\"containers\":[{\"name\":\"node\"},{"    \
    "\"name\":\"log\"}]},\"status\":{\"phase\":\"Running\",\"containerStatuses\":[{\"name\":"      \
    "\"node\",\"restartCount\":" #count "," state "}]}}"
#define ENDED(code)                                                                                \
    "{\"terminated\":{\"exitCode\":" #code ",\"startedAt\":\"2026-01-02T03:04:05Z\","              \
    "\"finishedAt\":\"2026-01-02T03:04:09Z\"}}"

static struct ty_failure_pod_state state_of(struct ty_arena *a, const char *text)
{
    struct ty_failure_pod_state is;

    ty_failure_job_read_pod(a, ty_json_parse(a, ty_str(text), NULL, NULL), TY_LIT("j"), &is);
    return is;
}

static void test_states(void **state)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_failure_pod_state is = state_of(a, STATUS("\"state\":{\"running\":{}}", 0));

    (void)state;
    assert_true(ty_str_is(is.container, "node"));
    assert_false(is.ended);
    assert_int_equal(is.failed, 0);
    is = state_of(a, STATUS("\"state\":" ENDED(0), 0));
    assert_true(is.ended);
    assert_int_equal(is.failed, 0);
    is = state_of(a, STATUS("\"state\":" ENDED(1), 0));
    assert_int_equal(is.failed, 1);
    assert_int_equal(is.failed_ms / 1000, 1767323049);
    /* Restarted in place: the last instance counts, and the present one when it ends. */
    is = state_of(a, STATUS("\"state\":{\"running\":{}},\"lastState\":" ENDED(1), 3));
    assert_false(is.ended);
    assert_int_equal(is.failed, 3);
    is = state_of(a, STATUS("\"state\":" ENDED(2) ",\"lastState\":" ENDED(1), 3));
    assert_int_equal(is.failed, 4);
    is = state_of(a, "{}");
    assert_false(is.ended);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_bytes_of_a_pod),
                                        cmocka_unit_test(test_names_of_containers),
                                        cmocka_unit_test(test_states) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
