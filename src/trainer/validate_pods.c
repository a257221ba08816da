/* Checks for TrainJobs that get no pods, or pods without the settings of spec.trainer (B36, B37).
 * v2.3.0 accepts them; the Job that the JobSet controller creates is refused, and the TrainJob does
 * not show it. */
#include "api/quantity.h"
#include "base/map.h"
#include "trainer/registry.h"
#include "trainer/validate.h"

#define INDEXED_MAX 100000 /* parallelism of an indexed Job, by Kubernetes' own validation */
#define ERRS_MAX    16     /* reported errors of one kind */

/* ---- counts ---- */

/* spec.trainer.numNodes decides how many pods this set has. */
static bool counted_by_job(const struct ty_plan *plan, const struct ty_trainjob *job,
                           const struct ty_podset *set)
{
    bool launcher = ty_registry_launcher(plan->ml) != NULL;

    return job->num_nodes.set && (launcher ? ty_str_is(set->name, TY_NODE) : set == plan->trainer);
}

int64_t ty_validate_pod_count(const struct ty_plan *plan, const struct ty_trainjob *job,
                              const struct ty_podset *set)
{
    int64_t nodes = set->count;

    if (counted_by_job(plan, job, set))
        nodes = job->num_nodes.v;
    else if (!ty_registry_launcher(plan->ml) || !ty_str_is(set->name, TY_NODE) ||
             !ty_json_int_at(plan->ml, "numNodes", &nodes))
        return nodes;
    if (ty_registry_launcher_is_node(plan->ml))
        nodes = nodes > 1 ? nodes - 1 : 1;
    return nodes;
}

/* Why a Job cannot have so many pods, and what to do; NULL: it can. */
static const char *wrong_count(struct ty_arena *a, const struct ty_podset *set, int64_t pods)
{
    bool indexed = !ty_str_is(ty_json_str_at(set->job, "completionMode"), "NonIndexed");

    if (pods == 0)
        return "it is over at once, without a pod; use 1 or more";
    if (pods < 0)
        return "a Job cannot have fewer than 0 pods; use 1 or more";
    return pods > INDEXED_MAX && indexed
               ? ty_arena_printf(a, "an indexed Job can have at most %d pods", INDEXED_MAX)
               : NULL;
}

static void check_count(const struct ty_plan *plan, const struct ty_trainjob *job,
                        const struct ty_podset *set, struct ty_errs *errs)
{
    int64_t pods = ty_validate_pod_count(plan, job, set);
    const char *why = wrong_count(errs->arena, set, pods);
    struct ty_str name = ty_str_head(set->name, TY_VALIDATE_NAME_MAX);

    if (!why || set->replicas < 1)
        return;
    bool own = counted_by_job(plan, job, set);
    struct ty_str runtime = ty_str_head(plan->runtime_name, TY_VALIDATE_NAME_MAX);
    long long n = own ? job->num_nodes.v : pods;
    const char *asked =
        own ? ty_arena_printf(errs->arena, "numNodes is %lld", n)
            : ty_arena_printf(errs->arena, "runtime \"%.*s\" asks for %lld", TY_ARG(runtime), n);
    struct ty_field_err *e = ty_errs_add(
        errs, own ? TY_KEY(&ty_trainjob_trainer_path, "numNodes") : &ty_trainjob_ref_path,
        TY_INVALID, own ? ty_arena_printf(errs->arena, "%lld", n) : NULL, "job \"%.*s\" %s: %s: %s",
        TY_ARG(name), pods > 0 ? "has too many pods" : "gets no pods", asked, why);
    e->at = own ? ty_json_get(job->trainer, "numNodes") : job->ref;
    e->warn_only = true;
}

void ty_validate_counts(const struct ty_plan *plan, const struct ty_trainjob *job,
                        struct ty_errs *errs)
{
    size_t before = errs->n;

    ty_each_set (s, plan)
        if (errs->n < before + ERRS_MAX)
            check_count(plan, job, s, errs);
}

/* ---- requests and limits ---- */

/* One container whose resources are compared. */
struct holder {
    const struct ty_plan *plan;
    const struct ty_trainjob *job;
    const struct ty_podset *set;
    struct ty_str container;
    struct ty_map limits; /* name -> quantity, so that n requests are checked in linear time */
    bool merged;          /* spec.trainer.resourcesPerNode is part of its resources */
    struct ty_errs *errs;
};

/* False for extended resources, devices and huge pages: their request must equal the limit. */
static bool is_overcommittable(struct ty_str name)
{
    return !memchr(name.p, '/', name.n) && !ty_str_starts(name, TY_LIT("hugepages-"));
}

/* The problem, as the words between request and limit in the message; NULL: none. */
static const char *find_misfit(struct ty_str name, const struct ty_json *request,
                               const struct ty_json *limit)
{
    struct ty_quantity want, most;

    if (!ty_quantity_of(request, &want))
        return NULL; /* the schema reports it */
    if (!limit)
        return is_overcommittable(name) ? NULL : "needs an equal limit, there is none";
    if (!ty_quantity_of(limit, &most))
        return NULL;
    int order = ty_quantity_cmp(want, most);
    if (order > 0)
        return "is above the limit";
    return order < 0 && !is_overcommittable(name) ? "must equal the limit" : NULL;
}

/* What to change, if the TrainJob can. */
static const char *remedy_text(const struct holder *h, struct ty_str name,
                               const struct ty_json *request, bool has_limit)
{
    struct ty_str text = ty_str_head(ty_json_as_str(request), TY_VALIDATE_NAME_MAX);

    if (!h->merged)
        return "mend the runtime, or patch it in spec.runtimePatches";
    return ty_arena_printf(h->errs->arena, "set resourcesPerNode.limits.%.*s to %.*s%s",
                           TY_ARG(ty_str_head(name, TY_VALIDATE_NAME_MAX)), TY_ARG(text),
                           has_limit && is_overcommittable(name) ? " or more, or lower the request"
                                                                 : "");
}

/* The field that the user wrote: the request, else the limit, else the runtime. */
static struct ty_field_err *add_at_place(const struct holder *h, struct ty_str name,
                                         const struct ty_json *request, const char *detail)
{
    static const char *const lists[] = { "requests", "limits" };
    const struct ty_field_path *resources = TY_KEY(&ty_trainjob_trainer_path, "resourcesPerNode");
    const struct ty_json *place = NULL;
    const char *value = ty_json_text(h->errs->arena, request).p;

    for (size_t i = 0; h->merged && i < 2; i++) {
        place = ty_json_find(ty_json_get(h->job->resources, lists[i]), name);
        if (!place)
            continue;
        struct ty_field_err *e =
            ty_errs_add(h->errs, TY_KEYS(TY_KEY(resources, lists[i]), name), TY_INVALID,
                        ty_json_text(h->errs->arena, place).p, "%s", detail);
        e->at = place;
        return e;
    }
    struct ty_field_err *e =
        ty_errs_add(h->errs, &ty_trainjob_ref_path, TY_INVALID, value, "%s", detail);
    e->at = h->job->ref;
    return e;
}

static void check_request(const struct holder *h, const struct ty_json_member *m)
{
    const struct ty_json *limit = ty_map_get(&h->limits, m->key);
    const char *what = find_misfit(m->key, m->value, limit);

    if (!what)
        return;
    const char *detail = ty_arena_printf(
        h->errs->arena,
        "job \"%.*s\" gets no pods: %.*s request %.*s of container \"%.*s\" %s%s%.*s; %s",
        TY_ARG(ty_str_head(h->set->name, TY_VALIDATE_NAME_MAX)),
        TY_ARG(ty_str_head(m->key, TY_VALIDATE_NAME_MAX)),
        TY_ARG(ty_str_head(ty_json_as_str(m->value), TY_VALIDATE_NAME_MAX)),
        TY_ARG(ty_str_head(h->container, TY_VALIDATE_NAME_MAX)), what, limit ? " " : "",
        TY_ARG(ty_str_head(ty_json_as_str(limit), TY_VALIDATE_NAME_MAX)),
        remedy_text(h, m->key, m->value, limit));
    add_at_place(h, m->key, m->value, detail)->warn_only = true;
}

static void check_container(struct holder *h, const struct ty_json *resources, size_t room)
{
    const struct ty_json *requests = ty_json_get(resources, "requests");
    const struct ty_json *limits = ty_json_get(resources, "limits");

    if (ty_json_len(requests) == 0)
        return;
    h->limits = (struct ty_map){ 0 };
    ty_each_member (m, limits)
        ty_map_put(&h->limits, m->key, m->value);
    ty_each_member (m, requests)
        if (h->errs->n < room)
            check_request(h, m);
    ty_map_done(&h->limits);
}

static void check_containers(struct holder *h, const char *list, size_t room)
{
    bool all_nodes = ty_registry_launcher_is_node(h->plan->ml);
    bool trains =
        h->set->role == TY_ROLE_TRAINER || (all_nodes && ty_str_is(h->set->name, TY_NODE));
    const struct ty_json *containers = ty_json_get(h->set->pod, list);

    ty_each_item (c, containers) {
        h->container = ty_json_str_at(*c, "name");
        h->merged = trains && strcmp(list, "containers") == 0 && ty_str_is(h->container, TY_NODE);
        check_container(h, ty_json_get(*c, "resources"), room);
    }
}

void ty_validate_requests(const struct ty_plan *plan, const struct ty_trainjob *job,
                          struct ty_errs *errs)
{
    size_t room = errs->n + ERRS_MAX;

    ty_each_set (s, plan) {
        struct holder h = { .plan = plan, .job = job, .set = s, .errs = errs };
        check_containers(&h, "initContainers", room);
        check_containers(&h, "containers", room);
    }
}

/* ---- whether a job takes spec.trainer ---- */

/* Among jobs without a role, the one to label: the only one, else unknown. */
static struct ty_str unlabeled_candidate(const struct ty_plan *plan)
{
    struct ty_str found = { 0 };

    ty_each_set (s, plan) {
        if (s->role != TY_ROLE_NONE)
            continue;
        if (found.n)
            return (struct ty_str){ 0 };
        found = s->name;
    }
    return found;
}

void ty_validate_trainer(const struct ty_plan *plan, const struct ty_trainjob *job,
                         struct ty_errs *errs)
{
    struct ty_str runtime = ty_str_head(plan->runtime_name, TY_VALIDATE_NAME_MAX);
    struct ty_str found = ty_str_head(unlabeled_candidate(plan), TY_VALIDATE_NAME_MAX);

    if (plan->trainer || ty_json_len(job->trainer) == 0)
        return;
    const char *who = found.n ? ty_arena_printf(errs->arena, "job \"%.*s\"", TY_ARG(found))
                              : "the job that trains";
    struct ty_field_err *e = ty_errs_add(
        errs, &ty_trainjob_trainer_path, TY_INVALID, NULL,
        "ignored: no job of runtime \"%.*s\" has label " TY_LABEL_ANCESTOR ": trainer; add it to "
        "template.metadata.labels of %s",
        TY_ARG(runtime), who);
    e->at = job->trainer;
    e->warn_only = true;
}
