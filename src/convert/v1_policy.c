/* Parts that all V1 kinds share: metadata, runPolicy, schedulingPolicy. */
#include "api/name.h"
#include "convert/v1.h"

#define VOLCANO_QUEUE "scheduling.volcano.sh/queue-name"
#define LAST_APPLIED  "kubectl.kubernetes.io/last-applied-configuration"

/* ---- metadata ---- */

static void take_name(struct ty_v1_conversion *c, const struct ty_json *v,
                      const struct ty_field_path *at)
{
    struct ty_str s = ty_v1_str(c, v, at);
    c->name = ty_v1_cstr(c, s);
    if (!ty_name_is_dns1035_label(s))
        ty_v1_error(c, v, at,
                    "a TrainJob's name begins with a letter, and has at most 63 small letters, "
                    "digits and dashes");
    ty_json_set(c->arena, c->job_meta, "name", ty_json_cstr(c->arena, c->name));
}

static void take_namespace(struct ty_v1_conversion *c, const struct ty_json *v,
                           const struct ty_field_path *at)
{
    struct ty_str s = ty_v1_str(c, v, at);
    if (s.n && !ty_name_is_dns1123_label(s))
        ty_v1_error(c, v, at, "this is no name of a namespace");
    if (s.n)
        ty_json_set(c->arena, c->job_meta, "namespace", ty_json_copy(c->arena, v, 0));
}

static void take_map(struct ty_v1_conversion *c, const struct ty_json *v,
                     const struct ty_field_path *at)
{
    if (!ty_json_is(v, TY_JSON_OBJECT)) {
        ty_v1_error(c, v, at, "must be an object of texts");
        return;
    }
    struct ty_json *copy = ty_json_copy(c->arena, v, 0);
    ty_each_member (m, copy)
        ty_v1_str(c, m->value, TY_MAPKEY(at, m->key));
    if (ty_json_del(copy, TY_LIT(LAST_APPLIED)))
        ty_v1_warn(c, v, TY_MAPKEY(at, TY_LIT(LAST_APPLIED)),
                   "not carried over: kubectl wrote it for the V1 object");
    if (copy->n)
        ty_json_put(c->arena, c->job_meta, at->key, copy);
}

static const char by_server[] = "the API server writes it";
static const struct ty_v1_field meta_rows[] = {
    { "name", take_name, NULL },
    { "namespace", take_namespace, NULL },
    { "labels", take_map, NULL },
    { "annotations", take_map, NULL },
    { "generateName", NULL, "the name is needed" },
    { "uid", NULL, by_server },
    { "resourceVersion", NULL, by_server },
    { "generation", NULL, by_server },
    { "creationTimestamp", NULL, by_server },
    { "deletionTimestamp", NULL, by_server },
    { "deletionGracePeriodSeconds", NULL, by_server },
    { "selfLink", NULL, by_server },
    { "managedFields", NULL, by_server },
    { "finalizers", NULL, "they are those of the V1 object" },
    { "ownerReferences", NULL, "they are those of the V1 object" },
    { NULL, NULL, NULL },
};

void ty_v1_convert_metadata(struct ty_v1_conversion *c)
{
    const struct ty_json *meta = ty_json_get(c->v1, "metadata");
    const struct ty_field_path *at = TY_KEY(NULL, "metadata");
    if (!ty_json_str_at(meta, "name").n)
        ty_v1_error(c, meta, TY_KEY(at, "name"),
                    "a name is needed: the host names of the pods are made of it");
    ty_v1_convert_fields(c, meta, at, meta_rows);
    if (!c->name)
        c->name = "";
}

/* ---- runPolicy ---- */

static void convert_suspend(struct ty_v1_conversion *c, const struct ty_json *v,
                            const struct ty_field_path *at)
{
    bool b = false;
    if (ty_v1_bool(c, v, at, &b))
        ty_json_set(c->arena, c->job_spec, "suspend", ty_json_bool(c->arena, b));
}

static void managed_by(struct ty_v1_conversion *c, const struct ty_json *v,
                       const struct ty_field_path *at)
{
    struct ty_str s = ty_v1_str(c, v, at);
    const char *to = "trainer.kubeflow.org/trainjob-controller";
    if (ty_str_is(s, "kueue.x-k8s.io/multikueue"))
        to = "kueue.x-k8s.io/multikueue";
    else if (!ty_str_is(s, "kubeflow.org/training-operator") &&
             !ty_str_is(s, "kubeflow.org/mpi-operator"))
        ty_v1_error(c, v, at,
                    "only the V1 operator itself or kueue.x-k8s.io/multikueue can be carried over");
    ty_json_set(c->arena, c->job_spec, "managedBy", ty_json_cstr(c->arena, to));
}

static void convert_deadline(struct ty_v1_conversion *c, const struct ty_json *v,
                             const struct ty_field_path *at)
{
    int64_t n = 0;
    if (!ty_v1_int(c, v, at, 1, INT64_MAX, &n))
        return;
    ty_json_set(c->arena, c->job_spec, "activeDeadlineSeconds", ty_json_int(c->arena, n));
    ty_v1_warn(c, v, at,
               "counts from the TrainJob's creation or last resume, not from its start; it "
               "cannot be changed later, and the pods are deleted when it is over");
}

static void convert_ttl(struct ty_v1_conversion *c, const struct ty_json *v,
                        const struct ty_field_path *at)
{
    int64_t n = 0;
    if (!ty_v1_int(c, v, at, 0, INT32_MAX, &n))
        return;
    ty_json_set(c->arena, ty_v1_jobset(c), "ttlSecondsAfterFinished", ty_json_int(c->arena, n));
    ty_v1_warn(c, v, at,
               "removes the JobSet and its pods, the TrainJob stays; Kubeflow Trainer up to 2.3 "
               "may then make the JobSet again (trainer issue 3779)");
}

void ty_v1_clean_pod_policy(struct ty_v1_conversion *c, const struct ty_json *v,
                            const struct ty_field_path *at)
{
    struct ty_str s = ty_v1_str(c, v, at);
    if (ty_str_is(s, "None") || ty_str_is(s, "Running") || ty_str_is(s, ""))
        return; /* that is the behavior of a JobSet */
    if (!ty_str_is(s, "All")) {
        ty_v1_error(c, v, at, "must be None, Running or All");
        return;
    }
    int64_t n = 0;
    if (!ty_json_int_at(c->jobset, "ttlSecondsAfterFinished", &n))
        ty_json_set(c->arena, ty_v1_jobset(c), "ttlSecondsAfterFinished", ty_json_int(c->arena, n));
    ty_v1_warn(c, v, at,
               "is approximated: the JobSet is removed with its pods %lld seconds after it has "
               "finished (ttlSecondsAfterFinished)",
               (long long)n);
}

/* ---- schedulingPolicy ---- */

static void min_available(struct ty_v1_conversion *c, const struct ty_json *v,
                          const struct ty_field_path *at)
{
    int64_t n = 0, all = ty_v1_pods(c);
    if (ty_v1_int(c, v, at, 0, INT32_MAX, &n) && n != all)
        ty_v1_warn(c, v, at,
                   "not carried over: the gang of a TrainJob is all of its %lld pods, so "
                   "training no longer starts with %lld",
                   (long long)all, (long long)n);
}

static void convert_queue(struct ty_v1_conversion *c, const struct ty_json *v,
                          const struct ty_field_path *at)
{
    struct ty_str s = ty_v1_str(c, v, at);
    if (!s.n)
        return;
    if (c->opts.gang == TY_CONVERT_GANG_COSCHEDULING) {
        ty_v1_warn(c, v, at, "not carried over: coscheduling knows no queues");
        return;
    }
    c->own = true;
    ty_json_set(c->arena, ty_json_ensure_object(c->arena, c->template_meta, "annotations"),
                VOLCANO_QUEUE, ty_json_copy(c->arena, v, 0));
}

static void convert_priority(struct ty_v1_conversion *c, const struct ty_json *v,
                             const struct ty_field_path *at)
{
    if (!ty_v1_str(c, v, at).n)
        return;
    for (size_t i = 0; i < c->n_sets; i++) {
        const struct ty_json *own = ty_json_get(c->sets[i].pod, "priorityClassName");
        if (!own)
            ty_json_set(c->arena, ty_v1_pod(c, &c->sets[i]), "priorityClassName",
                        ty_json_copy(c->arena, v, 0));
        else if (!ty_json_eq(own, v))
            ty_v1_warn(c, v, at, "not carried over to the pods of %s: they have a class already",
                       c->sets[i].role->key);
    }
}

static void schedule_timeout(struct ty_v1_conversion *c, const struct ty_json *v,
                             const struct ty_field_path *at)
{
    int64_t n = 0;
    if (!ty_v1_int(c, v, at, 0, INT32_MAX, &n))
        return;
    if (c->opts.gang != TY_CONVERT_GANG_COSCHEDULING) {
        ty_v1_warn(c, v, at, "not carried over: only --gang coscheduling has such a time");
        return;
    }
    c->own = true;
    struct ty_json *cosched = ty_json_ensure_object(c->arena, c->pod_group, "coscheduling");
    ty_json_set(c->arena, cosched, "scheduleTimeoutSeconds", ty_json_int(c->arena, n));
}

static const struct ty_v1_field scheduling_rows[] = {
    { "minAvailable", min_available, NULL },
    { "minResources", NULL, "the operator adds up what the pods ask for" },
    { "queue", convert_queue, NULL },
    { "priorityClass", convert_priority, NULL },
    { "scheduleTimeoutSeconds", schedule_timeout, NULL },
    { NULL, NULL, NULL },
};

static void convert_scheduling(struct ty_v1_conversion *c, const struct ty_json *v,
                               const struct ty_field_path *at)
{
    ty_v1_convert_fields(c, v, at, scheduling_rows);
    if (c->opts.gang == TY_CONVERT_GANG_NONE && ty_json_len(v))
        ty_v1_warn(c, v, at,
                   "which scheduler makes gangs was a flag of the V1 operator: give --gang "
                   "volcano or --gang coscheduling");
}

void ty_v1_convert_gang(struct ty_v1_conversion *c)
{
    if (c->opts.gang == TY_CONVERT_GANG_NONE)
        return;
    c->own = true;
    ty_json_ensure_object(c->arena, c->pod_group,
                          c->opts.gang == TY_CONVERT_GANG_VOLCANO ? "volcano" : "coscheduling");
}

static const struct ty_v1_field run_policy_rows[] = {
    { "suspend", convert_suspend, NULL },
    { "managedBy", managed_by, NULL },
    { "activeDeadlineSeconds", convert_deadline, NULL },
    { "ttlSecondsAfterFinished", convert_ttl, NULL },
    { "cleanPodPolicy", ty_v1_clean_pod_policy, NULL },
    { "backoffLimit", NULL, NULL }, /* v1_restart.c */
    { "schedulingPolicy", convert_scheduling, NULL },
    { NULL, NULL, NULL },
};

void ty_v1_run_policy(struct ty_v1_conversion *c, const struct ty_json *v,
                      const struct ty_field_path *at)
{
    ty_v1_convert_fields(c, v, at, run_policy_rows);
}
