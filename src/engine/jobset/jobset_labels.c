/* Labels and annotations that identify a Job and its pods within the JobSet. */
#include "engine/jobset/jobset_labels.h"

#include <nettle/sha1.h>

#include "engine/jobset/jobset.h"
#include "engine/jobset/jobset_read.h"

#define EXCLUSIVE     "alpha.jobset.sigs.k8s.io/exclusive-topology"
#define NODE_SELECTOR "alpha.jobset.sigs.k8s.io/node-selector"

/* Hex SHA-1 of "<ns>/<job>": a label value of fixed length, whatever the names. */
static struct ty_json *job_key(struct ty_jobset_ctx *js, struct ty_str job)
{
    char *hex = ty_arena_alloc(js->arena, 2 * SHA1_DIGEST_SIZE + 1, 1);
    uint8_t digest[SHA1_DIGEST_SIZE];
    struct sha1_ctx ctx;

    sha1_init(&ctx);
    sha1_update(&ctx, js->ns.n, (const uint8_t *)js->ns.p);
    sha1_update(&ctx, 1, (const uint8_t *)"/");
    sha1_update(&ctx, job.n, (const uint8_t *)job.p);
    sha1_digest(&ctx, sizeof(digest), digest);
    for (size_t i = 0; i < sizeof(digest); i++) {
        hex[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    return ty_json_cstr(js->arena, hex);
}

/* Both as a label and as an annotation. */
static void put_label_and_annotation(struct ty_jobset_ctx *js, struct ty_json *metadata,
                                     const char *key, struct ty_json *v)
{
    ty_json_set(js->arena, ty_json_ensure_object(js->arena, metadata, "labels"), key, v);
    ty_json_set(js->arena, ty_json_ensure_object(js->arena, metadata, "annotations"), key, v);
}

static struct ty_json *number_text(struct ty_jobset_ctx *js, int64_t n)
{
    return ty_json_strf(js->arena, "%lld", (long long)n);
}

/* Exclusive placement is an annotation of the JobSet or of one replicated job; the latter wins. */
static void mark_exclusive(struct ty_jobset_ctx *js, const struct ty_json *from,
                           struct ty_json *metadata)
{
    const struct ty_json *annotations = ty_json_get(from, "annotations");
    struct ty_json *domain = ty_json_get(annotations, EXCLUSIVE);
    struct ty_json *strategy = ty_json_get(annotations, NODE_SELECTOR);
    struct ty_json *into = ty_json_get(metadata, "annotations");

    if (!domain)
        return;
    ty_json_set(js->arena, into, EXCLUSIVE, domain);
    if (strategy)
        ty_json_set(js->arena, into, NODE_SELECTOR, strategy);
}

void ty_jobset_mark(struct ty_jobset_ctx *js, const struct ty_jobset_rjob *r, int64_t index,
                    struct ty_json *metadata)
{
    struct ty_arena *a = js->arena;
    struct ty_str job = ty_str(ty_jobset_job_name(a, js->name, r->name, index));

    put_label_and_annotation(js, metadata, TY_JOBSET_NAME, ty_json_str(a, js->name));
    put_label_and_annotation(js, metadata, "jobset.sigs.k8s.io/jobset-uid",
                             ty_json_str(a, js->uid));
    put_label_and_annotation(js, metadata, TY_JOBSET_RJOB, ty_json_str(a, r->name));
    put_label_and_annotation(js, metadata, TY_JOBSET_ATTEMPT, number_text(js, js->restarts));
    put_label_and_annotation(js, metadata, "jobset.sigs.k8s.io/replicatedjob-replicas",
                             number_text(js, r->replicas));
    put_label_and_annotation(js, metadata, "jobset.sigs.k8s.io/global-replicas",
                             number_text(js, js->replicas));
    put_label_and_annotation(js, metadata, TY_JOBSET_INDEX, number_text(js, index));
    put_label_and_annotation(js, metadata, "jobset.sigs.k8s.io/job-key", job_key(js, job));
    put_label_and_annotation(js, metadata, "jobset.sigs.k8s.io/job-global-index",
                             number_text(js, r->before + index));
    put_label_and_annotation(js, metadata, "jobset.sigs.k8s.io/group-name",
                             ty_json_str(a, r->group));
    put_label_and_annotation(js, metadata, "jobset.sigs.k8s.io/group-replicas",
                             number_text(js, r->group_replicas));
    put_label_and_annotation(js, metadata, "jobset.sigs.k8s.io/job-group-index",
                             number_text(js, r->group_before + index));
    if (ty_json_is(ty_json_get(js->spec, "coordinator"), TY_JSON_OBJECT))
        put_label_and_annotation(js, metadata, TY_JOBSET_COORDINATOR,
                                 ty_json_cstr(a, ty_jobset_coordinator(a, js->spec, js->name)));
    mark_exclusive(js, ty_json_get(js->in->jobset, "metadata"), metadata);
    mark_exclusive(js, ty_json_at(r->obj, "template.metadata"), metadata);
}

/* What a JobSet's own pod webhook and its node selector strategy add to pods; `metadata` is the
 * Job's, which has been marked. */
void ty_jobset_mark_placement(struct ty_jobset_ctx *js, const struct ty_json *metadata,
                              struct ty_json *pod_template)
{
    struct ty_arena *a = js->arena;
    struct ty_json *pod = ty_json_ensure_object(a, pod_template, "spec"), *taint;
    const struct ty_json *annotations = ty_json_get(metadata, "annotations");
    struct ty_str job = ty_json_str_at(metadata, "name");
    int64_t priority;

    if (!ty_json_get(annotations, NODE_SELECTOR)) {
        if (ty_json_int_at(pod, "priority", &priority))
            ty_json_set(a, ty_json_at(pod_template, "metadata.labels"),
                        "jobset.sigs.k8s.io/priority", number_text(js, priority));
        return;
    }
    if (!ty_json_get(annotations, EXCLUSIVE))
        return;
    ty_json_set(a, ty_json_ensure_object(a, pod, "nodeSelector"),
                "alpha.jobset.sigs.k8s.io/namespaced-job",
                ty_json_strf(a, "%.*s_%.*s", TY_ARG(js->ns), TY_ARG(job)));
    taint = ty_json_object(a);
    ty_json_set(a, taint, "key", ty_json_cstr(a, "alpha.jobset.sigs.k8s.io/no-schedule"));
    ty_json_set(a, taint, "operator", ty_json_cstr(a, "Exists"));
    ty_json_set(a, taint, "effect", ty_json_cstr(a, "NoSchedule"));
    ty_json_push(a, ty_json_ensure_array(a, pod, "tolerations"), taint);
}
