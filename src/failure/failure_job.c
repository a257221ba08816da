/* Jobs and pods that are watched for failures. */
#include "failure/failure_job.h"

#include <limits.h>
#include <malloc.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "report/failure_summary.h"
#include "report/pod_failure.h"

/* ---- pods ---- */

static bool has_ended(const struct ty_json *pod)
{
    const struct ty_json *list = ty_json_at(pod, "status.containerStatuses");
    struct ty_str phase = ty_json_str_at(pod, "status.phase");

    if (ty_str_is(phase, "Failed") || ty_str_is(phase, "Succeeded"))
        return true;
    ty_each_item (it, list)
        if (!ty_json_at(*it, "state.terminated"))
            return false;
    return ty_json_len(list) > 0;
}

void ty_failure_job_read_pod(struct ty_arena *a, const struct ty_json *pod, struct ty_str job,
                             struct ty_failure_pod_state *ret)
{
    struct ty_ended_container *ended = NULL;
    size_t n = ty_pod_failure_ended(a, pod, job, &ended);
    const struct ty_json *first = ty_json_item(ty_json_at(pod, "spec.containers"), 0);

    *ret = (struct ty_failure_pod_state){
        .container = ty_json_str_at(first, "name"),
        .attempt = ty_pod_failure_attempt(pod),
        .ended = has_ended(pod),
        .terminating = ty_json_at(pod, "metadata.deletionTimestamp") != NULL,
    };
    for (size_t i = 0; i < n; i++) {
        if (!ty_pod_failure_is_bad(&ended[i]))
            continue;
        int ends = ended[i].restarts < INT_MAX ? ended[i].restarts + 1 : INT_MAX;
        ret->failed = ends > ret->failed ? ends : ret->failed;
        if (ended[i].ended_ms > ret->failed_ms)
            ret->failed_ms = ended[i].ended_ms;
    }
}

static struct ty_failure_container_name *take_name(struct ty_failure_job *job, struct ty_str name)
{
    struct ty_failure_container_name *it = job->names;

    while (it && !ty_str_is(name, it->text))
        it = it->next;
    if (!it) {
        it = ty_xalloc(calloc(1, sizeof(*it) + name.n + 1));
        if (name.n)
            memcpy(it->text, name.p, name.n);
        it->next = job->names;
        job->names = it;
    }
    it->pods++;
    return it;
}

static void pod_free(struct ty_failure_pod *pod)
{
    if (!pod)
        return;
    struct ty_failure_container_name **at = &pod->job->names, *name = pod->container;
    pod->job->pods--;
    if (--name->pods == 0) {
        while (*at != name)
            at = &(*at)->next;
        *at = name->next;
        free(name);
    }
    free(pod);
}

static uint16_t small(int64_t n)
{
    return (uint16_t)(n < 0 ? 0 : n > UINT16_MAX ? UINT16_MAX : n);
}

struct ty_failure_pod *ty_failure_job_put_pod(struct ty_failure_job *job, struct ty_object_table *t,
                                              const struct ty_kube_object *o,
                                              const struct ty_failure_pod_state *is)
{
    struct ty_failure_pod *pod = ty_xalloc(calloc(1, sizeof(*pod) + o->name.n + o->uid.n + 2));
    char *name = (char *)(pod + 1), *uid = name + o->name.n + 1;
    uint64_t version = 0;

    memcpy(name, o->name.p, o->name.n);
    memcpy(uid, o->uid.p, o->uid.n);
    ty_str_parse_u64(o->version, &version);
    *pod = (struct ty_failure_pod){
        .id = { .kind = &ty_kind_pod, .ns = job->ns, .name = name, .uid = uid, .version = version },
        .job = job,
        .container = take_name(job, is->container),
        .attempt = small(is->attempt),
        .failed = small(is->failed),
        .generation = job->generation,
        .ended = is->ended,
        .terminating = is->terminating
    };
    struct ty_failure_pod *was = (struct ty_failure_pod *)ty_object_table_put(t, &pod->id);
    job->pods++;
    pod_free(was);
    return pod;
}

struct ty_failure_job *ty_failure_job_del_pod(struct ty_object_table *t, struct ty_str ns,
                                              struct ty_str name)
{
    struct ty_failure_pod *pod =
        (struct ty_failure_pod *)ty_object_table_del(t, &ty_kind_pod, ns, name);
    struct ty_failure_job *job = pod ? pod->job : NULL;

    pod_free(pod);
    return job;
}

size_t ty_failure_job_pod_bytes(const struct ty_failure_pod *pod)
{
    return malloc_usable_size((void *)(uintptr_t)pod) + sizeof(size_t);
}

/* ---- jobs ---- */

struct ty_failure_job *ty_failure_job_new(struct ty_failure_watch *w, struct ty_str ns,
                                          struct ty_str name, struct ty_str uid)
{
    struct ty_failure_job *job = ty_xalloc(calloc(1, sizeof(*job)));

    job->watch = w;
    job->ns = ty_xalloc_cstr(ns);
    job->name = ty_xalloc_cstr(name);
    job->uid = ty_xalloc_cstr(uid);
    return job;
}

static void forget_failures(struct ty_failure_job *job)
{
    ty_failure_collection_free(job->collection);
    ty_failure_collection_free(job->last);
    free(job->note);
    free(job->problem);
    job->collection = job->last = NULL;
    job->note = job->problem = NULL;
    job->problem_reason = NULL;
    job->problem_final = job->problem_told = job->told = job->told_before = job->noted =
        job->phase_known = false;
    job->said_ms = 0;
    job->told_reasons = 0;
    job->collections = 0;
    job->attempt = 0;
}

void ty_failure_job_reset(struct ty_failure_job *job, struct ty_str uid)
{
    forget_failures(job);
    job->generation++;
    free(job->uid);
    job->uid = ty_xalloc_cstr(uid);
}

void ty_failure_job_next_attempt(struct ty_failure_job *job, int64_t attempt)
{
    free(job->problem);
    job->problem = NULL;
    job->problem_reason = NULL;
    job->told_before = job->told;
    job->problem_final = job->problem_told = job->told = job->noted = false;
    job->said_ms = 0;
    job->told_reasons = 0;
    job->collections = 0;
    job->attempt = attempt;
}

void ty_failure_job_free(struct ty_failure_job *job)
{
    if (!job)
        return;
    forget_failures(job);
    for (struct ty_failure_container_name *it = job->names, *next = NULL; it; it = next) {
        next = it->next;
        free(it);
    }
    free(job->ns);
    free(job->name);
    free(job->uid);
    free(job);
}
