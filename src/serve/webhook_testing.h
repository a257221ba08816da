/* A webhook over one runtime and one JSON arena, without a server. */
#ifndef TY_SERVE_WEBHOOK_TESTING_H
#define TY_SERVE_WEBHOOK_TESTING_H

#include "base/budget.h"
#include "base/testing.h"
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

static inline const struct ty_json *get(void *ctx, const struct ty_kind *kind,
                                        struct ty_str ns TY_UNUSED, struct ty_str name)
{
    const struct fixture *f = ctx;
    return kind == &ty_kind_clustertrainingruntime && ty_str_is(name, "rt") ? f->runtime : NULL;
}

static inline int64_t now(void *ctx TY_UNUSED)
{
    return 1767323045;
}

static inline int setup(void **state)
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

static inline int teardown(void **state)
{
    struct fixture *f = *state;

    ty_arena_free(f->a);
    free(f);
    return 0;
}

static inline const char *answer(struct fixture *f, const char *path, const char *body, int code)
{
    struct ty_json *v = NULL;

    assert_int_equal(ty_webhook_review(&f->w, f->a, ty_str(path), ty_str(body), &v), code);
    return ty_json_text(f->a, v).p;
}

#endif
