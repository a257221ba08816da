/* Any body gets an answer: a review with 200, which says whether it allows; else a Status. */
#include "serve/webhook.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char runtime_text[] = "{\"apiVersion\":\"trainer.kubeflow.org/"
                                   "v1alpha1\",\"kind\":\"ClusterTrainingRuntime\",\"metadata\":{"
                                   "\"name\":\"rt\"},\"spec\":{\"mlPolicy\":{\"torch\":{}},"
                                   "\"template\":{\"spec\":{\"replicatedJobs\":[{"
                                   "\"name\":\"node\",\"replicas\":1,\"template\":{\"metadata\":{"
                                   "\"labels\":{\"trainer.kubeflow.org/"
                                   "trainjob-ancestor-step\":\"trainer\"}},\"spec\":{\"template\":{"
                                   "\"spec\":{\"containers\":[{\"name\":"
                                   "\"node\",\"image\":\"i\"}]}}}}}]}}}}";

static const struct ty_json *get(void *ctx, const struct ty_kind *kind, struct ty_str ns TY_UNUSED,
                                 struct ty_str name TY_UNUSED)
{
    return kind == &ty_kind_clustertrainingruntime ? ctx : NULL;
}

static int64_t now(void *ctx TY_UNUSED)
{
    return 1767323045;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const paths[] = {
        "/mutate-trainer-kubeflow-org-v1alpha1-trainjob",
        "/validate-trainer-kubeflow-org-v1alpha1-trainjob",
        "/validate-trainer-kubeflow-org-v1alpha1-trainingruntime",
        "/validate-trainer-kubeflow-org-v1alpha1-clustertrainingruntime"
    };
    ty_auto_arena *a = ty_arena_new((size_t)256 << 20);
    struct ty_pipeline pipeline;
    struct ty_view view = { .get = get };
    struct ty_webhook w = {
        .pipeline = &pipeline, .settings = &ty_settings_default, .view = &view, .now_s = now
    };

    view.ctx = ty_json_parse(a, ty_str(runtime_text), NULL, NULL);
    if (size > 65536 || ty_pipeline_init(&pipeline, NULL, NULL, NULL, NULL) < 0)
        return 0;
    for (size_t i = 0; i < 4; i++) {
        struct ty_json *v = NULL;
        int code = ty_webhook_review(&w, a, ty_str(paths[i]),
                                     (struct ty_str){ (const char *)data, size }, &v);
        bool review = ty_json_is(ty_json_at(v, "response.allowed"), TY_JSON_BOOL);
        if (review != (code == 200) ||
            (code != 200 && !ty_str_is(ty_json_str_at(v, "kind"), "Status")))
            abort();
    }
    return 0;
}
