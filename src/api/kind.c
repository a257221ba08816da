/* The kinds that trainyard reads, writes or watches. ty_kind_by_name depends on the order: kinds of
 * trainer.kubeflow.org come first. */
#include "api/kind.h"

#include <strings.h>

const struct ty_kind ty_kind_trainjob = { .group = "trainer.kubeflow.org",
                                          .version = "v1alpha1",
                                          .kind = "TrainJob",
                                          .plural = "trainjobs",
                                          .singular = "trainjob",
                                          .namespaced = true,
                                          .schema = &ty_schema_TrainJob,
                                          .ours = true };
const struct ty_kind ty_kind_trainingruntime = { .group = "trainer.kubeflow.org",
                                                 .version = "v1alpha1",
                                                 .kind = "TrainingRuntime",
                                                 .plural = "trainingruntimes",
                                                 .singular = "trainingruntime",
                                                 .namespaced = true,
                                                 .schema = &ty_schema_TrainingRuntime,
                                                 .ours = true };
const struct ty_kind ty_kind_clustertrainingruntime = { .group = "trainer.kubeflow.org",
                                                        .version = "v1alpha1",
                                                        .kind = "ClusterTrainingRuntime",
                                                        .plural = "clustertrainingruntimes",
                                                        .singular = "clustertrainingruntime",
                                                        .schema = &ty_schema_ClusterTrainingRuntime,
                                                        .ours = true };
const struct ty_kind ty_kind_jobset = { .group = "jobset.x-k8s.io",
                                        .version = "v1alpha2",
                                        .kind = "JobSet",
                                        .plural = "jobsets",
                                        .singular = "jobset",
                                        .namespaced = true,
                                        .schema = &ty_schema_JobSet };
const struct ty_kind ty_kind_configmap = { .group = "",
                                           .version = "v1",
                                           .kind = "ConfigMap",
                                           .plural = "configmaps",
                                           .singular = "configmap",
                                           .namespaced = true };
const struct ty_kind ty_kind_secret = { .group = "",
                                        .version = "v1",
                                        .kind = "Secret",
                                        .plural = "secrets",
                                        .singular = "secret",
                                        .namespaced = true };
const struct ty_kind ty_kind_podgroup_cosched = { .group = "scheduling.x-k8s.io",
                                                  .version = "v1alpha1",
                                                  .kind = "PodGroup",
                                                  .plural = "podgroups",
                                                  .singular = "podgroup",
                                                  .namespaced = true };
const struct ty_kind ty_kind_podgroup_volcano = { .group = "scheduling.volcano.sh",
                                                  .version = "v1beta1",
                                                  .kind = "PodGroup",
                                                  .plural = "podgroups",
                                                  .singular = "podgroup",
                                                  .namespaced = true };
const struct ty_kind ty_kind_priorityclass = { .group = "scheduling.k8s.io",
                                               .version = "v1",
                                               .kind = "PriorityClass",
                                               .plural = "priorityclasses",
                                               .singular = "priorityclass" };
const struct ty_kind ty_kind_runtimeclass = { .group = "node.k8s.io",
                                              .version = "v1",
                                              .kind = "RuntimeClass",
                                              .plural = "runtimeclasses",
                                              .singular = "runtimeclass" };
const struct ty_kind ty_kind_limitrange = { .group = "",
                                            .version = "v1",
                                            .kind = "LimitRange",
                                            .plural = "limitranges",
                                            .singular = "limitrange",
                                            .namespaced = true };
/* Created by the local engine for a JobSet. They have no schema: their templates were validated
 * with the JobSet. */
const struct ty_kind ty_kind_job = { .group = "batch",
                                     .version = "v1",
                                     .kind = "Job",
                                     .plural = "jobs",
                                     .singular = "job",
                                     .namespaced = true };
const struct ty_kind ty_kind_pod = { .group = "",
                                     .version = "v1",
                                     .kind = "Pod",
                                     .plural = "pods",
                                     .singular = "pod",
                                     .namespaced = true };
const struct ty_kind ty_kind_service = { .group = "",
                                         .version = "v1",
                                         .kind = "Service",
                                         .plural = "services",
                                         .singular = "service",
                                         .namespaced = true };
const struct ty_kind ty_kind_pvc = { .group = "",
                                     .version = "v1",
                                     .kind = "PersistentVolumeClaim",
                                     .plural = "persistentvolumeclaims",
                                     .singular = "persistentvolumeclaim",
                                     .namespaced = true };

const struct ty_kind *const ty_kinds[] = {
    &ty_kind_trainjob,
    &ty_kind_trainingruntime,
    &ty_kind_clustertrainingruntime,
    &ty_kind_jobset,
    &ty_kind_configmap,
    &ty_kind_secret,
    &ty_kind_podgroup_cosched,
    &ty_kind_podgroup_volcano,
    &ty_kind_priorityclass,
    &ty_kind_runtimeclass,
    &ty_kind_limitrange,
    &ty_kind_job,
    &ty_kind_pod,
    &ty_kind_service,
    &ty_kind_pvc,
    NULL,
};

const struct ty_kind *ty_kind_of(const struct ty_json *obj)
{
    struct ty_str kind = ty_json_str_at(obj, "kind");
    struct ty_str group, version = ty_str_cut(ty_json_str_at(obj, "apiVersion"), '/', &group);

    if (!version.p) { /* the core group has no name and no slash */
        version = group;
        group = TY_LIT("");
    }
    for (const struct ty_kind *const *k = ty_kinds; *k; k++)
        if (ty_str_is(kind, (*k)->kind) && ty_str_is(group, (*k)->group) &&
            ty_str_is(version, (*k)->version))
            return *k;
    return NULL;
}

static bool same_word(struct ty_str typed, const char *word)
{
    return typed.n == strlen(word) && strncasecmp(typed.p, word, typed.n) == 0;
}

const struct ty_kind *ty_kind_by_name(struct ty_str name)
{
    for (const struct ty_kind *const *k = ty_kinds; name.n > 0 && *k; k++)
        if (same_word(name, (*k)->kind) || same_word(name, (*k)->plural) ||
            same_word(name, (*k)->singular))
            return *k;
    return NULL;
}

const char *ty_kind_api_version(struct ty_arena *a, const struct ty_kind *k)
{
    size_t g = strlen(k->group), v = strlen(k->version);

    if (!g)
        return k->version;
    char *text = ty_arena_raw(a, g + v + 2,
                              1); /* called for every object that is cached or created: no printf */
    memcpy(text, k->group, g);
    text[g] = '/';
    memcpy(text + g + 1, k->version, v + 1);
    return text;
}
