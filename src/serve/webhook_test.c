/* Verdicts are compared with the recordings in tests/golden; here are HTTP and AdmissionReview. */
#include "base/budget.h"
#include "net/http_server_testing.h"
#include "serve/webhook.h"

#define PATH(verb, kind) "/" verb "-trainer-kubeflow-org-v1alpha1-" kind
#define JOB                                                                                        \
    "{\"apiVersion\":\"trainer.kubeflow.org/"                                                      \
    "v1alpha1\",\"kind\":\"TrainJob\",\"metadata\":{\"name\":"                                     \
    "\"j\",\"namespace\":\"ns\"},\"spec\":{\"runtimeRef\":{\"apiGroup\":\"trainer.kubeflow.org\"," \
    "\"kind\":\"ClusterTrainingRuntime\",\"name\":\"rt\"},\"runtimePatches\":[{\"manager\":\"a.b/" \
    "c\"}]}}"
#define KIND                                                                                       \
    "\"kind\":{\"group\":\"trainer.kubeflow.org\",\"version\":\"v1alpha1\",\"kind\":\"TrainJob\"}"
#define REVIEW "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":"
#define CREATE REVIEW "{\"uid\":\"u-1\"," KIND ",\"operation\":\"CREATE\",\"object\":" JOB "}}"

struct fixture {
    struct ty_pipeline pipeline;
    struct ty_view view;
    struct ty_webhook w;
    struct ty_arena *a;
    const struct ty_json *runtime;
};

static const struct ty_json *get(void *ctx, const struct ty_kind *kind, struct ty_str ns TY_UNUSED,
                                 struct ty_str name)
{
    const struct fixture *f = ctx;
    return kind == &ty_kind_clustertrainingruntime && ty_str_is(name, "rt") ? f->runtime : NULL;
}

static int64_t now(void *ctx TY_UNUSED)
{
    return 1767323045;
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    f->a = ty_arena_new(1 << 26);
    assert_int_equal(ty_pipeline_init(&f->pipeline, NULL, NULL, NULL, NULL), 0);
    f->view = (struct ty_view){ .ctx = f, .get = get };
    f->w = (struct ty_webhook){
        .pipeline = &f->pipeline, .settings = &ty_settings_default, .view = &f->view, .now_s = now
    };
    f->runtime = ty_json_parse(
        f->a,
        TY_LIT(
            "{\"apiVersion\":\"trainer.kubeflow.org/v1alpha1\",\"kind\":\"ClusterTrainingRuntime\","
            "\"metadata\":{\"name\":\"rt\",\"labels\":{\"trainer.kubeflow.org/"
            "support\":\"deprecated\"}},"
            "\"spec\":{\"template\":{\"spec\":{\"replicatedJobs\":[{\"name\":\"node\",\"template\":"
            "{"
            "\"metadata\":{\"labels\":{\"trainer.kubeflow.org/"
            "trainjob-ancestor-step\":\"trainer\"}},"
            "\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"node\",\"image\":\"i\"}]"
            "}}}"
            "}}]}}}}"),
        NULL, NULL);
    assert_non_null(f->runtime);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    ty_arena_free(f->a);
    free(f);
    return 0;
}

static const char *answer(struct fixture *f, const char *path, const char *body, int code)
{
    struct ty_json *v = NULL;

    assert_int_equal(ty_webhook_review(&f->w, f->a, ty_str(path), ty_str(body), &v), code);
    return ty_json_text(f->a, v).p;
}

static void a_patch(void **state)
{
    struct fixture *f = *state;

    /* [{"op":"add","path":"/spec/runtimePatches/0/time","value":"2026-01-02T03:04:05Z"}] */
    assert_string_equal(
        answer(f, PATH("mutate", "trainjob"), CREATE, 200),
        "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/"
        "v1\",\"response\":{\"uid\":"
        "\"u-1\",\"allowed\":true,\"patch\":"
        "\"W3sib3AiOiJhZGQiLCJwYXRoIjoiL3NwZWMvcnVudGltZVBhdGNoZXMv"
        "MC90aW1lIiwidmFsdWUiOiIyMDI2LTAxLTAyVDAzOjA0OjA1WiJ9XQ==\",\"patchType\":\"JSONPatch\"}}");
}

/* Go's message names no field: a warning does. */
static void a_denial_with_a_hint(void **state)
{
    static const char body[] = REVIEW
        "{\"uid\":\"u-1\"," KIND ",\"operation\":\"CREATE\",\"object\":{\"apiVersion\":"
        "\"trainer.kubeflow.org/v1alpha1\",\"kind\":\"TrainJob\",\"metadata\":{\"name\":\"j\"},"
        "\"spec\":{\"runtimeRef\":{\"name\":\"rt\"},\"trainer\":{\"resourcesPerNode\":{\"limits\":{"
        "\"memory\":\"10GB\"}}}}}}}";
    const char *got = answer(*state, PATH("mutate", "trainjob"), body, 200);

    assert_has(got, "\"allowed\":false");
    assert_has(got, "\"message\":\"quantities must match the regular expression");
    assert_has(got, "\"warnings\":[\"spec.trainer.resourcesPerNode.limits.memory: \\\"10GB\\\": "
                    "use 10G or 10Gi\"]");
}

static void warnings_and_denials(void **state)
{
    struct fixture *f = *state;
    const char *got = answer(f, PATH("validate", "trainjob"), CREATE, 200);

    assert_has(got, "\"allowed\":true");
    assert_has(got, "\"warnings\":[\"Referenced ClusterTrainingRuntime \\\"rt\\\" is deprecated");
    f->runtime = NULL;
    got = answer(f, PATH("validate", "trainjob"), CREATE, 200);
    assert_has(
        got,
        "\"uid\":\"u-1\",\"allowed\":false,\"status\":{\"message\":\"spec.RuntimeRef: Invalid");
    assert_has(got, "\"reason\":\"Forbidden\",\"code\":403}");
}

static void what_is_none_of_ours(void **state)
{
    struct fixture *f = *state;
    static const char *const bodies[] = {
        REVIEW "{\"uid\":\"u\"," KIND ",\"operation\":\"DELETE\",\"object\":null,\"oldObject\":" JOB
               "}}",
        REVIEW "{\"uid\":\"u\"," KIND ",\"operation\":\"CONNECT\"}}",
        REVIEW "{\"uid\":\"u\"," KIND
               ",\"operation\":\"UPDATE\",\"subResource\":\"status\",\"object\":{}}}",
    };

    f->runtime = NULL;
    for (size_t i = 0; i < 3; i++)
        assert_has(answer(f, PATH("validate", "trainjob"), bodies[i], 200),
                   "\"response\":{\"uid\":\"u\",\"allowed\":true}}");
}

static void those_who_do_not_speak_it(void **state)
{
    static const struct {
        const char *body, *want;
    } cases[] = {
        { "", "the body is not JSON: " },
        { "\x01\xff", "the body is not JSON: " },
        { "[]", "an AdmissionReview of admission.k8s.io/v1 was expected" },
        { "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1beta1\"}",
          "an AdmissionReview of admission.k8s.io/v1 was expected" },
        { REVIEW "null}", "request: Required value" },
        { REVIEW "[]}", "request: Required value" },
        { REVIEW "{}}", "request.uid: Required value" },
        { REVIEW "{\"uid\":\"u\"}}",
          "request.kind: this webhook is for TrainJob.trainer.kubeflow.org" },
        { REVIEW "{\"uid\":\"u\",\"kind\":{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Pod\"}}}",
          "not Pod." },
        { REVIEW "{\"uid\":\"u\"," KIND ",\"operation\":\"CREATE\"}}",
          "request.object: a TrainJob was expected here" },
        { REVIEW "{\"uid\":\"u\"," KIND ",\"operation\":\"CREATE\",\"object\":{\"kind\":\"Pod\"}}}",
          "request.object: a TrainJob was expected here" },
        { REVIEW "{\"uid\":\"u\"," KIND ",\"operation\":\"UPDATE\",\"object\":" JOB "}}",
          "request.oldObject: a TrainJob was expected here" },
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const char *got = answer(f, PATH("validate", "trainjob"), cases[i].body, 400);
        assert_has(got, cases[i].want);
        assert_has(got, "\"kind\":\"Status\"");
        assert_has(answer(f, PATH("mutate", "trainjob"), cases[i].body, 400), cases[i].want);
    }
    answer(f, "/validate", CREATE, 404);
    answer(f, PATH("mutate", "trainingruntime"), CREATE, 404);
}

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

/* Every value of a TrainJob or runtime, replaced by each other type: any client that reaches the
 * port can call the validating webhooks, not only an API server that has validated the schema. */
static const char whole_job[] =
    "{\"apiVersion\":\"trainer.kubeflow.org/"
    "v1alpha1\",\"kind\":\"TrainJob\",\"metadata\":{\"name\":"
    "\"j\",\"namespace\":\"ns\",\"labels\":{\"a\":\"b\"},\"annotations\":{\"a\":\"b\"}},\"spec\":{"
    "\"runtimeRef\":{\"apiGroup\":\"trainer.kubeflow.org\",\"kind\":\"ClusterTrainingRuntime\","
    "\"name\":\"rt\"},\"suspend\":true,\"managedBy\":\"trainer.kubeflow.org/trainjob-controller\","
    "\"labels\":{\"a\":\"b\"},\"annotations\":{\"a\":\"b\"},\"activeDeadlineSeconds\":5,"
    "\"initializer\":{\"dataset\":{\"storageUri\":\"hf://a/b\",\"env\":[{\"name\":\"A\",\"value\":"
    "\"b\"}],\"secretRef\":{\"name\":\"s\"}},\"model\":{\"storageUri\":\"hf://a/b\"}},\"trainer\":{"
    "\"image\":\"i\",\"command\":[\"c\"],\"args\":[\"a\"],\"numNodes\":2,\"numProcPerNode\":2,"
    "\"env\":[{\"name\":\"A\",\"valueFrom\":{\"secretKeyRef\":{\"name\":\"s\",\"key\":\"k\"}}}],"
    "\"resourcesPerNode\":{\"limits\":{\"cpu\":1},\"requests\":{\"cpu\":\"1\"},\"claims\":[{"
    "\"name\":\"c\",\"request\":\"r\"}]}},\"runtimePatches\":[{\"manager\":\"a.b/c\",\"time\":"
    "\"2025-01-01T00:00:00Z\",\"trainingRuntimeSpec\":{\"template\":{\"metadata\":{\"labels\":{"
    "\"a\":\"b\"}},\"spec\":{\"replicatedJobs\":[{\"name\":\"node\",\"template\":{\"metadata\":{"
    "\"labels\":{\"a\":\"b\"}},\"spec\":{\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},"
    "\"spec\":{\"nodeSelector\":{\"a\":\"b\"},\"tolerations\":[{\"key\":\"a\"}],\"volumes\":[{"
    "\"name\":\"v\",\"emptyDir\":{}}],\"containers\":[{\"name\":\"node\",\"env\":[{\"name\":\"B\","
    "\"value\":\"c\"}],\"volumeMounts\":[{\"name\":\"v\",\"mountPath\":\"/v\"}]}]}}}}}]}}}}],"
    "\"podTemplateOverrides\":[{\"targetJobs\":[{\"name\":\"node\"}],\"metadata\":{\"labels\":{"
    "\"a\":\"b\"}},\"spec\":{\"containers\":[{\"name\":\"node\",\"env\":[{\"name\":\"C\"}]}]}}],"
    "\"podSpecOverrides\":[{\"targetJobs\":[{\"name\":\"node\"}],\"serviceAccountName\":\"s\"}]}}";

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

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
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

static void every_other_type(void **state)
{
    struct fixture *f = *state;
    struct swap s = { .f = f };
    struct ty_json *job = ty_json_parse(f->a, ty_str(whole_job), NULL, NULL);
    struct ty_json *runtime = ty_json_copy(f->a, f->runtime, 0);

    assert_non_null(job);
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

    for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
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

static void handle(void *ctx, struct ty_http_request *q)
{
    if (!ty_webhook_handle(ctx, q))
        ty_http_request_respond(q, 404, NULL, TY_LIT("else"));
}

static const char *ask(struct serve_world *w, const char *head, const char *body)
{
    static char text[8192];

    snprintf(text, sizeof(text),
             "%s\r\nHost: x\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n%s", head,
             strlen(body), body);
    return serve_talk(w, text);
}

static void over_http(void **state)
{
    struct fixture *f = *state;
    struct serve_world w;
    char big[5000] = "";

    serve_begin(&w,
                (struct ty_http_server_opts){ .body_bytes = 4000, .handle = handle, .ctx = &f->w });
    assert_has(
        ask(&w,
            "POST " PATH("validate",
                         "trainjob") "?timeout=10s HTTP/1.1\r\nContent-Type: application/json",
            CREATE),
        "\"allowed\":true");
    assert_has(w.t.got, "Content-Type: application/json\r\n");
    assert_has(ask(&w, "GET " PATH("validate", "trainjob") " HTTP/1.1", ""), "405 ");
    assert_has(w.t.got, "Allow: POST\r\n");
    assert_has(ask(&w, "POST " PATH("validate", "trainjob") " HTTP/1.1", CREATE), "415 ");
    assert_has(
        ask(&w,
            "POST " PATH("validate",
                         "trainjob") " HTTP/1.1\r\nContent-Type: application/json; charset=x",
            "rubbish"),
        "400 Bad Request");
    memset(big, 'x', sizeof(big) - 1);
    assert_has(
        ask(&w, "POST " PATH("validate", "trainjob") " HTTP/1.1\r\nContent-Type: application/json",
            big),
        "413 ");
    assert_has(ask(&w, "POST /other HTTP/1.1", CREATE), "else");
    serve_finish(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_patch, setup, teardown),
        cmocka_unit_test_setup_teardown(a_denial_with_a_hint, setup, teardown),
        cmocka_unit_test_setup_teardown(warnings_and_denials, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_none_of_ours, setup, teardown),
        cmocka_unit_test_setup_teardown(those_who_do_not_speak_it, setup, teardown),
        cmocka_unit_test_setup_teardown(far_too_many_values, setup, teardown),
        cmocka_unit_test_setup_teardown(more_patches_than_the_crd_allows, setup, teardown),
        cmocka_unit_test_setup_teardown(longer_than_the_schema, setup, teardown),
        cmocka_unit_test_setup_teardown(larger_than_the_arena, setup, teardown),
        cmocka_unit_test_setup_teardown(no_memory_now, setup, teardown),
        cmocka_unit_test_setup_teardown(every_other_type, setup, teardown),
        cmocka_unit_test_setup_teardown(odd_objects, setup, teardown),
        cmocka_unit_test_setup_teardown(over_http, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
