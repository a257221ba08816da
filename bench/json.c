/* Parsing and printing a JobSet of 2 kB: src/json against jansson, alternating in one process, so
 * that the load of the machine affects both. Prints medians.
 *
 *     meson setup build-bench -Dbuildtype=release -Dbench=true && ninja -C build-bench
 *     build-bench/bench-json [ROUNDS]
 */
#include <jansson.h>

#include "json/json.h"

static const char jobset[] =
    "{\"apiVersion\":\"jobset.x-k8s.io/"
    "v1alpha2\",\"kind\":\"JobSet\",\"metadata\":{\"name\":\"llama-ft-7c2\","
    "\"namespace\":\"team-a\",\"labels\":{\"app.kubernetes.io/"
    "managed-by\":\"trainer\",\"team\":\"nlp\"},"
    "\"annotations\":{\"kueue.x-k8s.io/queue-name\":\"gpu\",\"note\":\"nightly \\\"base\\\" run\"},"
    "\"ownerReferences\":[{\"apiVersion\":\"trainer.kubeflow.org/v1alpha1\",\"kind\":\"TrainJob\","
    "\"name\":\"llama-ft-7c2\",\"uid\":\"0f6e5a52-7b1c-4c6e-9a55-2f3d8f6a1b90\",\"controller\":"
    "true,"
    "\"blockOwnerDeletion\":true}]},\"spec\":{\"network\":{\"publishNotReadyAddresses\":true},"
    "\"suspend\":false,\"failurePolicy\":{\"maxRestarts\":3},\"replicatedJobs\":["
    "{\"name\":\"dataset-initializer\",\"replicas\":1,\"template\":{\"metadata\":{\"labels\":{"
    "\"trainer.kubeflow.org/"
    "trainjob-ancestor-step\":\"dataset-initializer\"}},\"spec\":{\"backoffLimit\":0,"
    "\"template\":{\"spec\":{\"restartPolicy\":\"OnFailure\",\"containers\":[{\"name\":\"dataset-"
    "initializer\","
    "\"image\":\"ghcr.io/kubeflow/trainer/"
    "dataset-initializer:v2.3.0\",\"env\":[{\"name\":\"STORAGE_URI\","
    "\"value\":\"hf://tatsu-lab/"
    "alpaca\"}],\"volumeMounts\":[{\"name\":\"initializer\",\"mountPath\":\"/workspace\"}]}],"
    "\"volumes\":[{\"name\":\"initializer\",\"persistentVolumeClaim\":{\"claimName\":\"llama-ft-"
    "7c2\"}}]}}}}},"
    "{\"name\":\"node\",\"replicas\":1,\"dependsOn\":[{\"name\":\"dataset-initializer\",\"status\":"
    "\"Complete\"}],"
    "\"template\":{\"metadata\":{\"labels\":{\"trainer.kubeflow.org/"
    "trainjob-ancestor-step\":\"trainer\"}},"
    "\"spec\":{\"parallelism\":4,\"completions\":4,\"backoffLimit\":0,\"template\":{\"spec\":{"
    "\"containers\":[{\"name\":\"node\",\"image\":\"pytorch/"
    "pytorch:2.9.1-cuda12.8-cudnn9-runtime\","
    "\"command\":[\"torchrun\",\"/workspace/"
    "train.py\"],\"args\":[\"--epochs=3\",\"--lr\",\"2e-5\"],"
    "\"env\":[{\"name\":\"PET_NNODES\",\"value\":\"4\"},{\"name\":\"PET_NPROC_PER_NODE\",\"value\":"
    "\"8\"},"
    "{\"name\":\"PET_NODE_RANK\",\"valueFrom\":{\"fieldRef\":{\"fieldPath\":"
    "\"metadata.annotations['batch.kubernetes.io/job-completion-index']\"}}},"
    "{\"name\":\"PET_MASTER_ADDR\",\"value\":\"llama-ft-7c2-node-0-0.llama-ft-7c2\"},"
    "{\"name\":\"PET_MASTER_PORT\",\"value\":\"29500\"}],\"ports\":[{\"containerPort\":29500}],"
    "\"resources\":{\"limits\":{\"cpu\":\"32\",\"memory\":\"256Gi\",\"nvidia.com/"
    "gpu\":8}}}]}}}}}]}}";

/* CPU time: on a busy machine the slower of the two would be interrupted more often. */
static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

enum { TIMES = 200, LANES = 4 };

static double ours_parse(struct ty_arena *a)
{
    double from = cpu_seconds();
    for (int i = 0; i < TIMES; i++) {
        ty_arena_reset(a);
        if (!ty_json_parse(a, ty_str(jobset), NULL, NULL))
            abort();
    }
    return cpu_seconds() - from;
}

static double jansson_parse(void)
{
    double from = cpu_seconds();
    for (int i = 0; i < TIMES; i++) {
        json_t *v = json_loadb(jobset, strlen(jobset), JSON_REJECT_DUPLICATES, NULL);
        if (!v)
            abort();
        json_decref(v);
    }
    return cpu_seconds() - from;
}

static double ours_print(const struct ty_json *v, struct ty_buf *out)
{
    double from = cpu_seconds();
    for (int i = 0; i < TIMES; i++) {
        out->n = 0;
        ty_json_print(out, v);
    }
    return cpu_seconds() - from;
}

/* Into an existing buffer: the fastest way with jansson. */
static double jansson_print(const json_t *v, char *out, size_t n)
{
    double from = cpu_seconds();
    for (int i = 0; i < TIMES; i++)
        if (json_dumpb(v, out, n, JSON_COMPACT) != strlen(jobset))
            abort();
    return cpu_seconds() - from;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_speed(double *seconds, size_t n) /* MB/s of the median */
{
    qsort(seconds, n, sizeof(*seconds), by_value);
    return (double)(strlen(jobset) * TIMES) / seconds[n / 2] / 1e6;
}

int main(int argc, char **argv)
{
    int64_t rounds = 301;
    if (argc > 1 && (!ty_str_parse_i64(ty_str(argv[1]), &rounds) || rounds < 1 || rounds > 1000000))
        return fprintf(stderr, "usage: %s [ROUNDS]\n", argv[0]), 2;
    size_t n = (size_t)rounds;
    ty_auto_arena *a = ty_arena_new(1 << 24);
    ty_auto_arena *keep = ty_arena_new(1 << 24);
    ty_auto_buf out = { 0 };
    static char dump[1 << 14];
    const struct ty_json *ours = ty_json_parse(keep, ty_str(jobset), NULL, NULL);
    json_t *theirs = json_loads(jobset, 0, NULL);
    double *lane[LANES];
    for (int i = 0; i < LANES; i++)
        lane[i] = calloc(n, sizeof(double));
    for (size_t i = 0; i < n; i++) {
        lane[0][i] = ours_parse(a);
        lane[1][i] = jansson_parse();
        lane[2][i] = ours_print(ours, &out);
        lane[3][i] = jansson_print(theirs, dump, sizeof(dump));
    }
    if (!ty_str_is(ty_buf_str(&out), jobset)) /* check the output */
        abort();
    double mb[LANES];
    for (int i = 0; i < LANES; i++) {
        mb[i] = median_speed(lane[i], n);
        free(lane[i]);
    }
    json_decref(theirs);
    printf("%zu bytes, median of %zu rounds of %d\n", strlen(jobset), n, TIMES);
    printf("parse  ours %7.1f MB/s   jansson %6.1f MB/s   ratio %5.2f\n", mb[0], mb[1],
           mb[0] / mb[1]);
    printf("print  ours %7.1f MB/s   jansson %6.1f MB/s   ratio %5.2f\n", mb[2], mb[3],
           mb[2] / mb[3]);
    return 0;
}
