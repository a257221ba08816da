#include "controller/cache_testing.h"
#include "controller/owner_conflict.h"

#include <errno.h>

#define OWNER(api, kind, name, uid, more)                                                          \
    "{\"apiVersion\":\"" api "\",\"kind\":\"" kind "\",\"name\":\"" name "\",\"uid\":\"" uid       \
    "\"" more "}"
#define TRAINJOB(name, uid)                                                                        \
    OWNER("trainer.kubeflow.org/v1alpha1", "TrainJob", name, uid, ",\"controller\":true")
#define APPLIED                                                                                    \
    ",\"managedFields\":[{\"manager\":\"trainer\",\"operation\":\"Apply\",\"time\":"               \
    "\"2026-01-02T03:04:05Z\",\"fieldsV1\":{}}]"
#define EDITED                                                                                     \
    ",\"managedFields\":[{\"manager\":\"kubectl\",\"operation\":\"Update\",\"time\":"              \
    "\"2026-01-02T03:04:05Z\",\"fieldsV1\":{}}]"

static const struct ty_cached *put(struct fixture *f, const struct ty_kind *kind, const char *text)
{
    return tell(f, kind, text);
}

/* A JobSet j with these owners and more metadata, asked for by TrainJob j of uid u1. */
static int whose(struct fixture *f, const char *owners, const char *more)
{
    const struct ty_cached *job = put(
        f, &ty_kind_trainjob, "{\"metadata\":{\"name\":\"j\",\"namespace\":\"a\",\"uid\":\"u1\"}}");
    const char *text =
        ty_arena_printf(f->a,
                        "{\"metadata\":{\"name\":\"j\",\"namespace\":\"a\",\"uid\":\"u9\","
                        "\"ownerReferences\":[%s]%s}}",
                        owners, more);
    f->err = (struct ty_err){ 0 };
    return ty_owner_conflict(f->a, put(f, &ty_kind_jobset, text), job, &f->err);
}

static void test_ours(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(whose(f, TRAINJOB("j", "u1"), ""), 0);
    assert_int_equal(whose(f, OWNER("v1", "ConfigMap", "c", "u2", "") "," TRAINJOB("j", "u1"), ""),
                     0);
    assert_int_equal(whose(f, "", APPLIED), 0); /* orphaned */
    assert_int_equal(whose(f, OWNER("v1", "ConfigMap", "c", "u2", ""), APPLIED), 0);
    assert_string_equal(f->err.text, "");
}

static void test_somebody_elses(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(whose(f, "", EDITED), -EEXIST);
    assert_string_equal(
        f->err.text, "JobSet \"a/j\" exists and is not this TrainJob's: field manager \"kubectl\" "
                     "made it. Give the TrainJob another name, or delete the JobSet: kubectl -n "
                     "a delete jobsets.jobset.x-k8s.io j");
    assert_int_equal(whose(f, "", ""), -EEXIST);
    assert_has(f->err.text, "somebody else made it. ");
    assert_int_equal(whose(f, OWNER("v1", "ConfigMap", "c", "u2", ""), ""), -EEXIST);
    assert_has(f->err.text, "ConfigMap \"c\" owns it. ");
    assert_int_equal(whose(f, OWNER("v1", "ConfigMap", "c", "u2", ",\"controller\":true"), APPLIED),
                     -EEXIST);
    assert_string_equal(
        f->err.text, "JobSet \"a/j\" exists and is not this TrainJob's: ConfigMap \"c\" controls "
                     "it. Give the TrainJob another name, or delete the JobSet: kubectl -n a "
                     "delete jobsets.jobset.x-k8s.io j");
    assert_int_equal(whose(f, TRAINJOB("other", "u3"), APPLIED), -EEXIST);
    assert_has(f->err.text, "TrainJob \"other\" controls it");
    assert_int_equal(whose(f, "\"nonsense\"", ""), -EEXIST);
}

static void test_an_earlier_job_of_that_name(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(whose(f, TRAINJOB("j", "u0"), APPLIED), -EEXIST);
    assert_string_equal(f->err.text, "JobSet \"a/j\" is still there from an earlier TrainJob of "
                                     "that name; waiting for it to be deleted");
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, up, down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_ours),
        TEST(test_somebody_elses),
        TEST(test_an_earlier_job_of_that_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
