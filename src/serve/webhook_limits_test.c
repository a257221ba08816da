/* Reviews that are too large, and objects of any shape: an answer, never an abort. */
#include "serve/webhook_testing.h"
#include "json/json_testing.h"

/* A review with a list of n numbers in its job. */
static void numbers(struct ty_buf *out, size_t n)
{
    ty_buf_cstr(out, REVIEW "{\"uid\":\"u\"," KIND ",\"operation\":\"CREATE\",\"object\":" JOB);
    out->n -= 2; /* of the job and its spec */
    ty_buf_cstr(out, ",\"podSpecOverrides\":[{\"targetJobs\":[{\"name\":\"node\"}],"
                     "\"supplementalGroups\":[0");
    for (size_t i = 1; i < n; i++)
        ty_buf_cstr(out, ",0");
    ty_buf_printf(out, "]}]}}}}%c", '\0');
}

/* The maximum number of values fits into the memory of a request; more are refused before that. */
static void far_too_many_values(void **state)
{
    struct fixture *f = *state;
    ty_auto_buf most = { 0 }, more = { 0 };

    ty_arena_free(f->a);
    f->a = ty_arena_new((size_t)256 << 20);
    f->runtime = NULL;
    numbers(&most, 499900);
    assert_has(answer(f, PATH("mutate", "trainjob"), most.p, 200), "\"allowed\":true");
    assert_has(answer(f, PATH("validate", "trainjob"), most.p, 200), "\"allowed\":false");
    numbers(&more, 500000);
    assert_has(answer(f, PATH("mutate", "trainjob"), more.p, 413),
               "the review is too large: line 1, column ");
}

/* `count` times `item`, as spec.FIELD of a TrainJob, old and new. */
static void review_of(struct ty_buf *out, const char *op, const char *field, const char *item,
                      size_t count)
{
    ty_auto_buf job = { 0 };

    ty_buf_cstr(&job, "{\"apiVersion\":\"trainer.kubeflow.org/v1alpha1\",\"kind\":\"TrainJob\","
                      "\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\"},\"spec\":{"
                      "\"runtimeRef\":{\"name\":\"rt\",\"apiGroup\":\"trainer.kubeflow.org\","
                      "\"kind\":\"ClusterTrainingRuntime\"},");
    ty_buf_printf(&job, "\"%s\":[", field);
    for (size_t i = 0; i < count; i++) {
        ty_buf_cstr(&job, i ? "," : "");
        ty_buf_cstr(&job, item);
    }
    ty_buf_cstr(&job, "]}}");
    ty_buf_printf(out, REVIEW "{\"uid\":\"u-1\"," KIND ",\"operation\":\"%s\",\"object\":", op);
    ty_buf_add(out, ty_buf_str(&job));
    ty_buf_cstr(out, ",\"oldObject\":");
    ty_buf_add(out, ty_buf_str(&job));
    ty_buf_cstr(out, "}}");
}

/* Half a million patches, more than the CRD allows, so that the API server refuses them next: no
 * patch is built, and memory is bounded by the parser. */
static void more_patches_than_the_crd_allows(void **state)
{
    struct fixture *f = *state;
    ty_auto_buf all = { 0 };

    ty_arena_free(f->a);
    f->a = ty_arena_new_input((size_t)64 << 20, NULL);
    f->runtime = NULL;
    review_of(&all, "UPDATE", "runtimePatches", "{}", 240000);
    const char *text = answer(f, PATH("mutate", "trainjob"), all.p, 200);
    assert_has(text, "\"allowed\":true");
    assert_null(strstr(text, "patch"));
}

/* Longer than the CRD allows: an API server does not send it, and other clients cause no work with
 * it. */
static void longer_than_the_schema(void **state)
{
    struct fixture *f = *state;
    static const char *const fields[] = { "runtimePatches", "podTemplateOverrides",
                                          "podSpecOverrides" };

    for (size_t i = 0; i < 3; i++) {
        ty_auto_buf all = { 0 };
        review_of(&all, "CREATE", fields[i], "{\"manager\":\"!/^\"}", 10000);
        assert_has(answer(f, PATH("validate", "trainjob"), all.p, 200), "not checked: ");
    }
}

/* Its rendering is many times as large: it ends at the ceiling, not in an abort. */
static void larger_than_the_arena(void **state)
{
    struct fixture *f = *state;
    ty_auto_buf all = { 0 };
    ty_auto_buf text = { 0 }; /* not in the arena, which is full */
    ty_auto_arena *a = ty_arena_new_input((size_t)12 << 20, NULL);
    struct ty_json *v = NULL;

    ty_buf_cstr(&all, REVIEW "{\"uid\":\"u-1\",\"kind\":{\"group\":\"trainer.kubeflow.org\","
                             "\"version\":\"v1alpha1\",\"kind\":\"TrainingRuntime\"},"
                             "\"operation\":\"CREATE\",\"object\":{\"apiVersion\":"
                             "\"trainer.kubeflow.org/v1alpha1\",\"kind\":\"TrainingRuntime\","
                             "\"metadata\":{\"name\":\"r\"},\"spec\":{\"template\":{\"spec\":{"
                             "\"replicatedJobs\":[");
    for (int i = 0; i < 40000; i++)
        ty_buf_printf(&all,
                      "%s{\"template\":{\"metadata\":{\"labels\":{\"" TY_LABEL_ANCESTOR
                      "\":\"trainer\"}}}}",
                      i ? "," : "");
    ty_buf_cstr(&all, "]}}}}}}");
    int code = ty_webhook_review(&f->w, a, ty_str(PATH("validate", "trainingruntime")),
                                 ty_buf_str(&all), &v);
    assert_int_equal(code, 413);
    assert_true(ty_arena_used(a) < (size_t)24 << 20);
    ty_json_print(&text, v);
    ty_buf_chr(&text, '\0');
    assert_has(text.p, "too large");
}

/* Not too large: memory is short. */
static void no_memory_now(void **state)
{
    struct fixture *f = *state;
    struct ty_budget budget = { .ceiling = 40000 };
    ty_auto_arena *a = ty_arena_new_input((size_t)12 << 20, &budget);
    ty_auto_buf all = { 0 };
    struct ty_json *v = NULL;

    review_of(&all, "CREATE", "runtimePatches", "{\"manager\":\"a.b/c\"}", 1000);
    assert_int_equal(
        ty_webhook_review(&f->w, a, ty_str(PATH("validate", "trainjob")), ty_buf_str(&all), &v),
        503);
}

/* Replaces *v, then everything in it, by each of these, and runs a review. */
struct swap {
    struct fixture *f;
    const struct ty_json *job, *old;
    size_t asked;
};

static void ask_swapped(struct swap *s)
{
    static const char *const paths[] = { PATH("mutate", "trainjob"), PATH("validate", "trainjob") };
    ty_auto_arena *a = ty_arena_new_input((size_t)16 << 20, NULL);

    for (size_t i = 0; i < 4; i++) {
        struct ty_json *v = NULL;
        const char *body = ty_arena_printf(
            a,
            REVIEW "{\"uid\":\"u-1\"," KIND
                   ",\"operation\":\"%s\",\"object\":%s,\"oldObject\":%s}}",
            i < 2 ? "CREATE" : "UPDATE", ty_json_text(a, s->job).p, ty_json_text(a, s->old).p);
        int code = ty_webhook_review(&s->f->w, a, ty_str(paths[i % 2]), ty_str(body), &v);
        assert_true(code == 200 || code == 400 || code == 413);
        s->asked++;
    }
}

static void swap_all(struct swap *s, struct ty_json *v)
{
    static const char *const others[] = { "null",
                                          "true",
                                          "0",
                                          "-5",
                                          "1.5",
                                          "\"\"",
                                          "\"text\"",
                                          "[]",
                                          "{}",
                                          "[{\"name\":\"a\"},{}]",
                                          "{\"aaaaaaaaaaaaaaaa\":{},\"name\":[]}" };
    const struct ty_json was = *v;

    for (size_t i = 0; i < TY_COUNT(others); i++) {
        ty_auto_arena *a = ty_arena_new(1 << 20);
        *v = *ty_json_parse(a, ty_str(others[i]), NULL, NULL);
        ask_swapped(s);
        *v = was;
    }
    ty_each_item (it, v)
        swap_all(s, *it);
    ty_each_member (m, v)
        swap_all(s, m->value);
}

/* Every value of a TrainJob or runtime, replaced by each other type: any client that reaches the
 * port can call the validating webhooks, not only an API server that has validated the schema. */
static void every_other_type(void **state)
{
    struct fixture *f = *state;
    struct swap s = { .f = f };
    struct ty_json *job = json_file(f->a, "src/serve/testdata/every-field.yaml");
    struct ty_json *runtime = ty_json_copy(f->a, f->runtime, 0);

    s.job = job;
    s.old = ty_json_copy(f->a, job, 0);
    swap_all(&s, job);
    f->runtime = runtime; /* a stored runtime may be older than its schema */
    swap_all(&s, ty_json_get(runtime, "spec"));
    assert_true(s.asked > 5000);
}

static void odd_objects(void **state)
{
    static const char *const specs[] = {
        "null",
        "[]",
        "5",
        "{\"runtimeRef\":7}",
        "{\"runtimeRef\":{\"name\":\"rt\"},\"trainer\":[],\"runtimePatches\":{}}",
        "{\"runtimeRef\":{\"apiGroup\":\"trainer.kubeflow.org\",\"kind\":"
        "\"ClusterTrainingRuntime\",\"name\":\"rt\"},\"trainer\":{\"env\":[7,null,"
        "{\"name\":[]}]},\"initializer\":[],\"runtimePatches\":[1,{\"manager\":{}}]}"
    };
    static const char *const verbs[] = { PATH("validate", "trainjob"), PATH("mutate", "trainjob") };
    struct fixture *f = *state;

    for (size_t i = 0; i < TY_COUNT(specs); i++) {
        const char *obj =
            ty_arena_printf(f->a,
                            "{\"apiVersion\":\"trainer.kubeflow.org/v1alpha1\",\"kind\":"
                            "\"TrainJob\",\"metadata\":{\"name\":\"j\"},\"spec\":%s}",
                            specs[i]);
        const char *body =
            ty_arena_printf(f->a,
                            REVIEW "{\"uid\":\"u\"," KIND
                                   ",\"operation\":\"UPDATE\",\"object\":%s,\"oldObject\":%s}}",
                            obj, obj);
        for (size_t k = 0; k < 2; k++)
            assert_has(answer(f, verbs[k], body, 200), "\"uid\":\"u\"");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(far_too_many_values, setup, teardown),
        cmocka_unit_test_setup_teardown(more_patches_than_the_crd_allows, setup, teardown),
        cmocka_unit_test_setup_teardown(longer_than_the_schema, setup, teardown),
        cmocka_unit_test_setup_teardown(larger_than_the_arena, setup, teardown),
        cmocka_unit_test_setup_teardown(no_memory_now, setup, teardown),
        cmocka_unit_test_setup_teardown(every_other_type, setup, teardown),
        cmocka_unit_test_setup_teardown(odd_objects, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
