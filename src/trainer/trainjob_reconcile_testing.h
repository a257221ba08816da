/* For tests of passes: a job, its JobSet, and the result of a pass. */
#ifndef TY_TRAINER_TRAINJOB_RECONCILE_TESTING_H
#define TY_TRAINER_TRAINJOB_RECONCILE_TESTING_H

#include "trainer/testing.h"

#define CREATED "2026-01-02T03:04:05Z" /* CORE_NOW */
#define TRAINJOB(spec, status)                                                                     \
    "{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainJob','metadata':{'name':'j',"      \
    "'namespace':'ns','uid':'test-uid','creationTimestamp':'" CREATED "'},'spec':{'runtimeRef':{"  \
    "'name':'rt','kind':'ClusterTrainingRuntime','apiGroup':'trainer.kubeflow.org'}" spec          \
    "}" status "}"
#define JOBSET(spec, status)                                                                       \
    "{'apiVersion':'jobset.x-k8s.io/v1alpha2','kind':'JobSet','metadata':{'name':'j','namespace':" \
    "'ns'},'spec':{" spec "},'status':{" status "}}"
#define JOBSET_FAILED                                                                              \
    "'conditions':[{'type':'Failed','status':'True','reason':'FailedJobs','message':'it broke',"   \
    "'lastTransitionTime':'2026-01-02T04:00:00Z'}]"
#define JOBSET_COMPLETED                                                                           \
    "'conditions':[{'type':'Completed','status':'True','reason':'AllJobsCompleted','message':"     \
    "'done','lastTransitionTime':'2026-01-02T04:00:00Z'}]"

#define ENDED(type, reason)                                                                        \
    ",'status':{'conditions':[{'type':'" type "','status':'True','reason':'" reason                \
    "','message':'m','lastTransitionTime':'" CREATED "'}]}"

static inline int setup(void **state)
{
    core_setup(state);
    core_put(*state, RUNTIME("{'numNodes':1}", ""));
    return 0;
}
#define pass_test(fn) cmocka_unit_test_setup_teardown(fn, setup, fx_teardown)

/* "Type=Status/Reason@time", in order. */
static inline const char *conditions(struct fixture *f, const struct ty_json *status)
{
    ty_auto_buf out = { 0 };

    ty_each_item (c, ty_json_get(status, "conditions"))
        ty_buf_printf(&out, "%s%.*s=%.*s/%.*s@%.*s", out.n ? " " : "",
                      TY_ARG(ty_json_str_at(*c, "type")), TY_ARG(ty_json_str_at(*c, "status")),
                      TY_ARG(ty_json_str_at(*c, "reason")),
                      TY_ARG(ty_json_str_at(*c, "lastTransitionTime")));
    return ty_arena_cstr(f->arena, ty_buf_str(&out));
}

/* A pass whose status is written back to the job, as the operator does. */
static inline struct ty_trainjob_reconcile pass_at(struct fixture *f, struct ty_json *job,
                                                   int64_t now_s)
{
    struct ty_trainjob_reconcile p = core_pass_at(f, job, now_s);

    if (p.status)
        ty_json_set(f->arena, job, "status", p.status);
    return p;
}

/* One pass, then a second one that must change nothing: otherwise the operator would write the
 * status for ever. */
static inline struct ty_trainjob_reconcile settles(struct fixture *f, struct ty_json *job,
                                                   int64_t now_s)
{
    struct ty_trainjob_reconcile p = pass_at(f, job, now_s);

    assert_null(pass_at(f, job, now_s + 10).status);
    assert_null(pass_at(f, job, now_s + 20).status);
    return p;
}

#endif
