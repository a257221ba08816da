/* Checks that the cluster has what the runtimes need. */
#include "advise/doctor.h"

#include <errno.h>

#include "store/kube/kube_kinds.h"

#define SHOWN 5 /* names in one line */

struct names {
    struct ty_buf text;
    size_t n;
};

static void add_name(struct names *l, const struct ty_cluster_object *o)
{
    if (l->n < SHOWN)
        ty_buf_printf(&l->text, "%s%.*s%s%.*s", l->n ? ", " : "", TY_ARG(o->ns), o->ns.n ? "/" : "",
                      TY_ARG(o->name));
    l->n++;
}

/* "a, b and 3 more" */
static const char *text_of(struct ty_arena *a, struct names *l)
{
    if (l->n > SHOWN)
        ty_buf_printf(&l->text, " and %zu more", l->n - SHOWN);
    const char *text = ty_arena_cstr(a, ty_buf_str(&l->text));
    ty_buf_done(&l->text);
    return text;
}

static bool is_deprecated(const struct ty_json *runtime)
{
    const struct ty_json *labels = ty_json_at(runtime, "metadata.labels");

    return ty_str_is(ty_json_as_str(ty_json_get(labels, "trainer.kubeflow.org/support")),
                     "deprecated");
}

static void each_runtime(const struct ty_doctor_in *in, struct ty_arena *a,
                         bool (*fits)(const struct ty_json *runtime), struct names *ret)
{
    static const struct ty_kind *const kinds[] = { &ty_kind_clustertrainingruntime,
                                                   &ty_kind_trainingruntime };

    for (size_t k = 0; k < 2; k++) {
        size_t at = 0;
        for (const struct ty_cluster_object *o;
             (o = ty_cluster_snapshot_next(in->snapshot, kinds[k], &at));)
            if (fits(ty_cluster_snapshot_parse(a, o)))
                add_name(ret, o);
    }
}

static bool any_runtime(const struct ty_json *runtime TY_UNUSED)
{
    return true;
}

static bool uses_coscheduling(const struct ty_json *runtime)
{
    return ty_json_at(runtime, "spec.podGroupPolicy.coscheduling");
}

static bool uses_volcano(const struct ty_json *runtime)
{
    return ty_json_at(runtime, "spec.podGroupPolicy.volcano");
}

static const struct gang {
    const char *policy, *crd, *who;
    bool (*uses)(const struct ty_json *runtime);
} gangs[] = {
    { "coscheduling", "podgroups.scheduling.x-k8s.io",
      "the Coscheduling plugin of kube-scheduler (scheduler-plugins)", uses_coscheduling },
    { "volcano", "podgroups.scheduling.volcano.sh", "Volcano", uses_volcano },
};

static void check_gang(const struct ty_doctor_in *in, struct ty_check_results *ret,
                       const struct gang *g)
{
    const struct ty_cluster_object *crd =
        ty_cluster_snapshot_find(in->snapshot, &ty_kind_crd, TY_LIT(""), ty_str(g->crd));
    struct names users = { 0 };

    each_runtime(in, ret->arena, g->uses, &users);
    size_t n = users.n;
    const char *names = text_of(ret->arena, &users);
    if (!n || (crd && crd->r != -ENOENT))
        return;
    struct ty_check_result *c =
        ty_check_add(ret, TY_CHECK_LEVEL_FAIL, "gangs",
                     "podGroupPolicy.%s of %s: the cluster has no CRD %s, so their TrainJobs "
                     "cannot start",
                     g->policy, names, g->crd);
    ty_check_set_fix(ret, c, "install %s, or take podGroupPolicy out of the runtime", g->who);
}

void ty_check_runtimes(const struct ty_doctor_in *in, struct ty_check_results *ret)
{
    struct names all = { 0 }, old = { 0 };
    struct ty_check_result *c;

    each_runtime(in, ret->arena, any_runtime, &all);
    size_t n = all.n;
    text_of(ret->arena, &all);
    if (n)
        ty_check_add(ret, TY_CHECK_LEVEL_OK, "runtimes", "%zu runtimes", n);
    else if (!ty_cluster_snapshot_list_error(in->snapshot, &ty_kind_clustertrainingruntime)) {
        c = ty_check_add(ret, TY_CHECK_LEVEL_WARN, "runtimes", "there are no runtimes");
        ty_check_set_fix(ret, c, "trainyard install --no-crds | kubectl apply --server-side -f -");
    }
    each_runtime(in, ret->arena, is_deprecated, &old);
    n = old.n;
    const char *names = text_of(ret->arena, &old);
    if (n) {
        c = ty_check_add(ret, TY_CHECK_LEVEL_WARN, "runtimes", "deprecated: %s", names);
        ty_check_set_fix(ret, c, "\"trainyard runtimes\" lists what takes their place");
    }
    for (size_t i = 0; i < TY_COUNT(gangs); i++)
        check_gang(in, ret, &gangs[i]);
}
