/* Parses a JobSet, sorts its Jobs into buckets and counts them. */
#include "engine/jobset/jobset_read.h"

#include <stdlib.h>

#include "engine/changes.h"
#include "engine/jobset/jobset.h"

int64_t ty_jobset_int_at(const struct ty_json *obj, const char *path, int64_t otherwise)
{
    int64_t v = otherwise;

    (void)ty_json_int_at(obj, path, &v);
    return v;
}

char *ty_jobset_job_name(struct ty_arena *a, struct ty_str jobset, struct ty_str rjob,
                         int64_t index)
{
    return ty_arena_printf(a, "%.*s-%.*s-%lld", TY_ARG(jobset), TY_ARG(rjob), (long long)index);
}

static struct ty_str subdomain_of(const struct ty_json *spec, struct ty_str name)
{
    struct ty_str own = ty_json_str_at(spec, "network.subdomain");

    return own.n > 0 ? own : name;
}

char *ty_jobset_coordinator(struct ty_arena *a, const struct ty_json *spec, struct ty_str name)
{
    const struct ty_json *c = ty_json_get(spec, "coordinator");

    return ty_arena_printf(
        a, "%.*s-%.*s-%lld-%lld.%.*s", TY_ARG(name), TY_ARG(ty_json_str_at(c, "replicatedJob")),
        (long long)ty_jobset_int_at(c, "jobIndex", 0),
        (long long)ty_jobset_int_at(c, "podIndex", 0), TY_ARG(subdomain_of(spec, name)));
}

struct ty_jobset_rjob *ty_jobset_rjob(const struct ty_jobset_ctx *js, struct ty_str name)
{
    ty_jobset_each_rjob(r, js) if (ty_str_eq(r->name, name)) return r;
    return NULL;
}

static void read_rjobs(struct ty_jobset_ctx *js)
{
    const struct ty_json *list = ty_json_get(js->spec, "replicatedJobs");

    js->rjobs = ty_new_n(js->arena, struct ty_jobset_rjob, ty_json_len(list));
    ty_each_item (it, list) {
        struct ty_jobset_rjob *r = &js->rjobs[js->n_rjobs++];
        r->obj = *it;
        r->name = ty_json_str_at(*it, "name");
        r->group = ty_json_str_at(*it, "groupName");
        r->replicas = ty_jobset_int_at(*it, "replicas", 1);
        r->before = js->replicas;
        js->replicas += r->replicas;
    }
    ty_jobset_each_rjob(r, js)
    {
        ty_jobset_each_rjob(other, js)
        {
            if (!ty_str_eq(r->group, other->group))
                continue;
            r->group_before += other < r ? other->replicas : 0;
            r->group_replicas += other->replicas;
        }
    }
}

void ty_jobset_init(struct ty_jobset_ctx *js, struct ty_arena *a,
                    const struct ty_jobset_observed *in, struct ty_changes *out)
{
    const struct ty_json *status = ty_json_get(in->jobset, "status");

    *js = (struct ty_jobset_ctx){ .arena = a, .in = in, .out = out };
    ty_changes_init(&js->status_events, a);
    js->spec = ty_json_get(in->jobset, "spec");
    js->failure_policy = ty_json_get(js->spec, "failurePolicy");
    if (!ty_json_is(js->failure_policy, TY_JSON_OBJECT))
        js->failure_policy = NULL;
    js->ns = ty_json_str_at(in->jobset, "metadata.namespace");
    js->name = ty_json_str_at(in->jobset, "metadata.name");
    js->uid = ty_json_str_at(in->jobset, "metadata.uid");
    js->subdomain = subdomain_of(js->spec, js->name);
    js->dns = ty_json_true_at(js->spec, "network.enableDNSHostnames");
    js->suspended = ty_json_true_at(js->spec, "suspend");
    js->in_order =
        ty_str_is(ty_json_str_at(js->spec, "startupPolicy.startupPolicyOrder"), "InOrder");
    js->status =
        ty_json_is(status, TY_JSON_OBJECT) ? ty_json_copy(a, status, 0) : ty_json_object(a);
    js->restarts = ty_jobset_int_at(js->status, "restarts", 0);
    js->toward_max = ty_jobset_int_at(js->status, "restartsCountTowardsMax", 0);
    js->max_restarts = ty_jobset_int_at(js->failure_policy, "maxRestarts", 0);
    read_rjobs(js);
}

/* The owner's UID decides, not its name: a Job of another owner of the same name is ignored. */
static bool is_ours(const struct ty_jobset_ctx *js, const struct ty_json *metadata)
{
    const struct ty_json *owners = ty_json_get(metadata, "ownerReferences");

    ty_each_item (it, owners) {
        const struct ty_json *controller = ty_json_get(*it, "controller");
        if (ty_json_is(controller, TY_JSON_BOOL) && controller->b)
            return ty_str_eq(ty_json_as_str(ty_json_get(*it, "uid")), js->uid);
    }
    return false;
}

static int64_t attempt_of(const struct ty_json *labels)
{
    int64_t v = 0;

    (void)ty_str_parse_i64(ty_json_as_str(ty_json_get(labels, TY_JOBSET_ATTEMPT)), &v);
    return v;
}

/* How the Job ended, if it did: FailureTarget and SuccessCriteriaMet are not the end yet. */
static enum ty_jobset_bucket end_of(const struct ty_json *status)
{
    const struct ty_json *conditions = ty_json_get(status, "conditions");
    enum ty_jobset_bucket bucket = TY_JOBSET_ACTIVE;

    ty_each_item (it, conditions) {
        struct ty_str type = ty_json_as_str(ty_json_get(*it, "type"));
        if (!ty_str_is(ty_json_as_str(ty_json_get(*it, "status")), "True"))
            continue;
        if (ty_str_is(type, "Failed"))
            return TY_JOBSET_FAILED;
        if (ty_str_is(type, "Complete"))
            bucket = TY_JOBSET_SUCCESSFUL;
    }
    return bucket;
}

static enum ty_jobset_bucket bucket_of(const struct ty_jobset_ctx *js,
                                       const struct ty_jobset_child *c,
                                       const struct ty_json *labels)
{
    if (attempt_of(labels) < js->restarts)
        return TY_JOBSET_PREVIOUS;
    return end_of(ty_json_get(c->job, "status"));
}

static int64_t number_at(const struct ty_json *obj, const char *key, int64_t otherwise)
{
    const struct ty_json *v = ty_json_get(obj, key);

    return ty_json_is(v, TY_JSON_INT) ? v->i : otherwise;
}

/* Ready: as many pods ready or done as may run at once. */
static bool is_ready(const struct ty_json *spec, const struct ty_json *status)
{
    int64_t pods = number_at(spec, "parallelism", 1);
    int64_t completions = number_at(spec, "completions", pods);

    if (completions < pods)
        pods = completions;
    return number_at(status, "succeeded", 0) + number_at(status, "ready", 0) >= pods;
}

static void count_job(struct ty_jobset_child *c)
{
    const struct ty_json *spec = ty_json_get(c->job, "spec");
    const struct ty_json *status = ty_json_get(c->job, "status");
    struct ty_jobset_rjob *r = c->rjob;

    r->owned++;
    switch (c->bucket) {
    case TY_JOBSET_ACTIVE:
        r->ready += is_ready(spec, status);
        r->active += number_at(status, "active", 0) > 0;
        r->suspended += ty_json_true_at(spec, "suspend");
        break;
    case TY_JOBSET_SUCCESSFUL:
        r->succeeded++;
        break;
    case TY_JOBSET_FAILED:
        r->failed++;
        break;
    case TY_JOBSET_PREVIOUS:
        break; /* counted no more */
    }
}

/* A JobSet may have thousands of Jobs and is reconciled whenever one of them changes: each object
 * and its labels are read once per pass. */
void ty_jobset_read_children(struct ty_jobset_ctx *js)
{
    js->children = ty_new_n(js->arena, struct ty_jobset_child, js->in->n_jobs);
    for (size_t i = 0; i < js->in->n_jobs; i++) {
        struct ty_jobset_child *c = &js->children[js->n_children];
        const struct ty_json *metadata = ty_json_get(js->in->jobs[i], "metadata");
        const struct ty_json *labels = ty_json_get(metadata, "labels");
        if (!is_ours(js, metadata))
            continue;
        c->job = js->in->jobs[i];
        c->name = ty_json_as_str(ty_json_get(metadata, "name"));
        c->rjob = ty_jobset_rjob(js, ty_json_as_str(ty_json_get(labels, TY_JOBSET_RJOB)));
        c->bucket = bucket_of(js, c, labels);
        js->in_bucket[c->bucket]++;
        js->n_children++;
        if (c->rjob)
            count_job(c);
    }
}

static int by_name(const void *a, const void *b)
{
    const struct ty_jobset_child *const *x = a, *const *y = b;

    return ty_str_cmp((*x)->name, (*y)->name);
}

/* Names are only looked up when a Job is missing, so only then are they sorted. */
struct ty_jobset_child *ty_jobset_child(struct ty_jobset_ctx *js, struct ty_str name)
{
    struct ty_jobset_child wanted = { .name = name }, *key = &wanted, **found;

    if (js->n_children == 0)
        return NULL;
    if (!js->by_name) {
        js->by_name = ty_new_n(js->arena, struct ty_jobset_child *, js->n_children);
        for (size_t i = 0; i < js->n_children; i++)
            js->by_name[i] = &js->children[i];
        qsort(js->by_name, js->n_children, sizeof(*js->by_name), by_name);
    }
    found = bsearch(&key, js->by_name, js->n_children, sizeof(*js->by_name), by_name);
    return found ? *found : NULL;
}
