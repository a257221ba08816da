/* Verdicts of real processes, after restarts and probes, are tests/run/test_views.py. */
#include "engine/engine_testing.h"
#include "engine/job/job_report.h"
#include "engine/pod/pods.h"

/* A pod of job "j" that only talks. */
static struct ty_pod_runtime *pod(struct engine_fixture *w, int64_t index, int64_t attempt)
{
    struct ty_pod_runtime *p = ty_new(w->a, struct ty_pod_runtime);

    *p = (struct ty_pod_runtime){ .e = w->e, .arena = w->a, .index = index, .attempt = attempt };
    p->ns = ty_arena_printf(w->a, "default");
    p->job = ty_arena_printf(w->a, "j");
    p->host = ty_arena_printf(w->a, "j-node-0-%d", (int)index);
    p->trainer = true;
    return p;
}

static const char *status(struct engine_fixture *w)
{
    const struct ty_json *s = ty_job_report_trainer_status(w->e, "j", w->a);

    return ty_arena_printf(w->a, "%.*s", TY_ARG(s ? ty_json_text(w->a, s) : TY_LIT("")));
}

static int64_t percent(struct engine_fixture *w)
{
    int64_t v = -1;

    ty_json_int_at(ty_job_report_trainer_status(w->e, "j", w->a), "progressPercentage", &v);
    return v;
}

static void has(const char *text, const char *part)
{
    if (!ty_str_contains(ty_str(text), ty_str(part)))
        fail_msg("\"%s\" is not in:\n%.*s", part, TY_ARG(ty_str(text)));
}

static void test_progress_is_written_once(void **state)
{
    struct engine_fixture *w = *state;

    fixture_open(w);
    struct ty_pod_runtime *p = pod(w, 0, 0);
    assert_string_equal(status(w), ""); /* nothing is known of it */
    ty_job_report_line(p, TY_LIT("nothing to see"));
    assert_string_equal(status(w), "");
    ty_job_report_line(p, TY_LIT("step 10/40 loss 0.5"));
    const char *text = status(w);
    has(text, "\"progressPercentage\":25");
    has(text, "\"metrics\":[{\"name\":\"loss\",\"value\":\"0.5\"}]");
    has(text, "\"lastUpdatedTime\":\"20");
    assert_string_equal(status(w), ""); /* written: no news */
}

/* Rank 0 speaks for the job as soon as it does; before that the least index. */
static void test_who_speaks(void **state)
{
    struct engine_fixture *w = *state;

    fixture_open(w);
    struct ty_pod_runtime *zero = pod(w, 0, 0), *one = pod(w, 1, 0), *two = pod(w, 2, 0);
    ty_job_report_line(two, TY_LIT("step 20/100"));
    assert_int_equal(percent(w), 20);
    ty_job_report_line(one, TY_LIT("step 10/100"));
    assert_int_equal(percent(w), 10);
    ty_job_report_line(two, TY_LIT("step 30/100"));
    assert_int_equal(percent(w), -1);
    ty_job_report_line(zero, TY_LIT("step 5/100"));
    ty_job_report_line(one, TY_LIT("step 40/100"));
    assert_int_equal(percent(w), 5);
    struct ty_pod_runtime *again = pod(w, 1, 1); /* the JobSet was restarted: that was then */
    ty_job_report_line(again, TY_LIT("step 1/100"));
    assert_int_equal(percent(w), 1);
}

static void test_only_the_trainer(void **state)
{
    struct engine_fixture *w = *state;

    fixture_open(w);
    struct ty_pod_runtime *p = pod(w, 0, 0);
    p->trainer = false; /* an initializer's download */
    ty_job_report_line(p, TY_LIT("step 10/40"));
    assert_string_equal(status(w), "");
    assert_int_equal(p->progress->step, 10); /* but its own line in the table has it */
}

/* From its first report on only the job's own word counts, whole. */
static void test_its_own_word(void **state)
{
    struct engine_fixture *w = *state;
    struct ty_json *own = ty_json_parse(
        w->a, TY_LIT("{\"progressPercentage\":3,\"lastUpdatedTime\":\"2026-01-02T03:04:05Z\"}"),
        NULL, NULL);

    fixture_open(w);
    struct ty_pod_runtime *p = pod(w, 0, 0);
    ty_job_report_line(p, TY_LIT("step 10/40 loss 0.5"));
    ty_engine_progress(w->e, "default", "j", own);
    assert_string_equal(status(w),
                        "{\"progressPercentage\":3,\"lastUpdatedTime\":\"2026-01-02T03:04:05Z\"}");
    ty_job_report_line(p, TY_LIT("step 20/40"));
    assert_string_equal(status(w), "");
    ty_engine_progress(w->e, "default", "j", ty_json_object(w->a));
    assert_string_equal(status(w), "{}");
}

/* The time left: the program's word before our own reckoning, and none out of nothing. */
static void test_time_left(void **state)
{
    struct engine_fixture *w = *state;

    fixture_open(w);
    struct ty_pod_runtime *p = pod(w, 0, 0);
    ty_job_report_line(p, TY_LIT("step 0/100"));
    assert_null(strstr(status(w), "estimatedRemainingSeconds"));
    ty_job_report_line(p, TY_LIT("45%|####      | 45/100 [00:10<00:12,  4.5it/s]"));
    has(status(w), "\"estimatedRemainingSeconds\":12");
}

static struct ty_json *jobset(struct engine_fixture *w, const char *status_text)
{
    return ty_json_parse(w->a,
                         ty_str(ty_arena_printf(
                             w->a,
                             "{\"apiVersion\":\"jobset.x-k8s.io/v1alpha2\",\"kind\":\"JobSet\","
                             "\"metadata\":{\"name\":\"j\",\"namespace\":\"default\"},\"spec\":{},"
                             "\"status\":%s}",
                             status_text)),
                         NULL, NULL);
}
#define FAILED "{\"conditions\":[{\"type\":\"Failed\",\"status\":\"True\",\"message\":\"m\"}]}"

static struct ty_str message(const struct ty_json *obj)
{
    return ty_json_str_at(
        ty_json_find_item(ty_json_at(obj, "status.conditions"), "type", TY_LIT("Failed"), NULL),
        "message");
}

/* The failure summary goes after JobSet's own words, once: when the condition becomes true. */
static void test_why_it_failed(void **state)
{
    struct engine_fixture *w = *state;
    struct ty_err err = { 0 };

    fixture_open(w);
    struct ty_json *none = jobset(w, FAILED), *failed = jobset(w, FAILED);
    ty_job_report_amend_status(w->e, none);
    assert_true(ty_str_is(message(none), "m")); /* nobody knows why */
    ty_job_report_start_failed(pod(w, 1, 0), "node", "no such file");
    ty_job_report_amend_status(w->e, failed);
    struct ty_str text = message(failed);
    has(ty_arena_cstr(w->a, text), "m\nnode-0-1 failed: could not start: no such file");
    assert_true(text.p[text.n - 1] != '\n');
    assert_int_equal(ty_local_create(w->e->store, w->a, failed, &err), 0);
    struct ty_json *later = jobset(w, FAILED);
    ty_job_report_amend_status(w->e, later);
    assert_true(ty_str_is(message(later), "m")); /* it had failed already */
    struct ty_json *fine =
        jobset(w, "{\"conditions\":[{\"type\":\"Failed\",\"status\":\"False\"}]}");
    ty_job_report_amend_status(w->e, fine);
    assert_int_equal(message(fine).n, 0);
}

/* While others run the summary is provisional; with the end of the last pod it is rewritten. */
static void test_the_message_becomes_final(void **state)
{
    struct engine_fixture *w = *state;
    struct ty_err err = { 0 };

    fixture_open(w);
    struct ty_json *failed = jobset(w, FAILED);
    struct ty_pod_runtime *other = pod(w, 0, 0);
    w->e->pods.first = other;
    ty_job_report_start_failed(pod(w, 1, 0), "node", "no such file");
    ty_job_report_amend_status(w->e, failed);
    has(ty_arena_cstr(w->a, message(failed)), "1 other still ran and is stopped");
    assert_int_equal(ty_local_create(w->e->store, w->a, failed, &err), 0);
    ty_job_report_pod_over(w->e, "default", "j"); /* one of them still runs */
    const struct ty_json *now =
        ty_local_get(w->e->store, w->a, &ty_kind_jobset, TY_LIT("default"), TY_LIT("j"));
    has(ty_arena_cstr(w->a, message(now)), "still ran");
    other->over = true;
    ty_job_report_pod_over(w->e, "default", "j");
    now = ty_local_get(w->e->store, w->a, &ty_kind_jobset, TY_LIT("default"), TY_LIT("j"));
    assert_true(
        ty_str_is(message(now), "m\nnode-0-1 failed: could not start: no such file, after 0.0 s"));
    w->e->pods.first = NULL;
}

/* No longer than a condition may be, and cut between characters. */
static void test_a_long_message(void **state)
{
    struct engine_fixture *w = *state;

    fixture_open(w);
    ty_job_report_start_failed(pod(w, 0, 0), "node", "x");
    for (int shift = 0; shift < 3; shift++) {
        struct ty_json *obj = jobset(w, FAILED);
        struct ty_json *c =
            ty_json_find_item(ty_json_at(obj, "status.conditions"), "type", TY_LIT("Failed"), NULL);
        ty_auto_buf b = { 0 };
        ty_buf_put(&b, "xyz", (size_t)shift);
        while (b.n < 40000)
            ty_buf_cstr(&b, "\xe2\x82\xac");
        ty_json_set(w->a, c, "message", ty_json_str(w->a, ty_buf_str(&b)));
        ty_job_report_amend_status(w->e, obj);
        struct ty_str text = message(obj);
        assert_in_range(text.n, 32700, 32768);
        assert_true(ty_str_ends(text, TY_LIT("\xe2\x82\xac\n… (cut)")));
    }
}

static void test_nothing_is_left(void **state)
{
    struct engine_fixture *w = *state;

    fixture_open(w);
    ty_job_report_line(pod(w, 0, 0), TY_LIT("step 1/2"));
    assert_non_null(ty_engine_failure_summary(w->e, "j"));
    assert_false(ty_failure_summary_any(ty_engine_failure_summary(w->e, "j")));
    assert_null(ty_engine_failure_summary(w->e, "other"));
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_progress_is_written_once),
        T(test_who_speaks),
        T(test_only_the_trainer),
        T(test_its_own_word),
        T(test_time_left),
        T(test_why_it_failed),
        T(test_the_message_becomes_final),
        T(test_a_long_message),
        T(test_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
