/* For the tests of the history's commands: a state folder of their own with two runs in it.
 *   run 1, ended:    TrainJob "ddp", Failed after one restart; two nodes, the second with two pods
 *   run 2, cut off:  TrainJob "ddp" and TrainJob "other", nothing finished */
#ifndef TY_CLI_HISTORY_JOB_HISTORY_TESTING_H
#define TY_CLI_HISTORY_JOB_HISTORY_TESTING_H

#include <sys/stat.h>

#include "cli/history/job_history.h"
#include "cli/history/state_dir.h"
#include "cli/testing.h"
#include "store/history/history_record.h"
#include "store/local/local.h"
#include "json/json_testing.h"

struct hist {
    struct ty_cli_fixture b;
    struct ty_local *l;
    struct ty_history_record *r;
    struct ty_history_db_run run;
    char *dir; /* of the last run */
};

static inline int64_t hist_now(void *ctx)
{
    (void)ctx;
    return 1767323045; /* 2026-01-02T03:04:05Z */
}

static inline void hist_changed(void *ctx, bool urgent)
{
    (void)ctx;
    (void)urgent;
}

static inline void hist_begin(struct hist *h, const char *folder)
{
    struct ty_arena *a = h->b.cli.arena;

    h->l = ty_local_new(hist_now, NULL);
    h->r = ty_history_record_new(h->l, hist_changed, NULL);
    h->dir = ty_arena_printf(a, "%s/runs/%s", ty_state_dir_root(a, NULL), folder);
    h->run = (struct ty_history_db_run){ .pid = 4242,
                                         .dir = h->dir,
                                         .command = "trainyard run ddp.yaml",
                                         .started_ms = 1767323045000,
                                         .how = "" };
    mkdir(ty_state_dir_root(a, NULL), 0700);
    mkdir(ty_arena_printf(a, "%s/runs", ty_state_dir_root(a, NULL)), 0700);
    assert_int_equal(mkdir(h->dir, 0700), 0);
    assert_int_equal(mkdir(ty_arena_printf(a, "%s/logs", h->dir), 0700), 0);
}

/* ' stands for ", for easier reading. */
static inline struct ty_json *hist_add(struct hist *h, const char *text)
{
    struct ty_arena *a = h->b.cli.arena;
    struct ty_json *v = json_of(a, text);
    struct ty_err err = { 0 };

    assert_int_equal(ty_local_create(h->l, a, v, &err), 0);
    return v;
}

static inline void hist_write(struct hist *h)
{
    struct ty_history_db *d = NULL;
    struct ty_err err = { 0 };

    if (ty_history_db_open(ty_state_dir_history(h->b.cli.arena, NULL), TY_HISTORY_DB_WRITE, &d,
                           &err) < 0 ||
        ty_history_record_write(h->r, d, &h->run, &err) < 0)
        fail_msg("%s", err.text);
    ty_history_db_close(d);
}

static inline void hist_end(struct hist *h, const char *how)
{
    h->run.ended_ms = how ? 1767323165000 : 0; /* two minutes later */
    h->run.how = how ? how : "";
    hist_write(h);
    ty_history_record_free(h->r);
    ty_local_free(h->l);
    h->r = NULL;
    h->l = NULL;
}

static inline void hist_log(struct hist *h, const char *pod, const char *name, const char *text)
{
    struct ty_arena *a = h->b.cli.arena;

    mkdir(ty_arena_printf(a, "%s/logs/%s", h->dir, pod), 0700);
    fixture_file(ty_arena_printf(a, "%s/logs/%s/%s", h->dir, pod, name), text);
}

static inline char *hist_trainjob(struct hist *h, const char *name, const char *status)
{
    return ty_arena_printf(
        h->b.cli.arena,
        "{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainJob','metadata':{'name':'%s',"
        "'namespace':'default','uid':'%s-tj'},'spec':{'runtimeRef':{'name':'torch','kind':"
        "'ClusterTrainingRuntime'}},'status':%s}",
        name, name, status);
}

static inline char *hist_jobset(struct hist *h, const char *name, const char *status)
{
    return ty_arena_printf(
        h->b.cli.arena,
        "{'apiVersion':'jobset.x-k8s.io/v1alpha2','kind':'JobSet','metadata':{'name':'%s',"
        "'namespace':'default','uid':'%s-js','ownerReferences':[{'controller':true,'uid':'%s-tj'}]}"
        ","
        "'spec':{'failurePolicy':{'maxRestarts':3},'replicatedJobs':[{'name':'node','replicas':1,"
        "'template':{'metadata':{'labels':{'trainer.kubeflow.org/"
        "trainjob-ancestor-step':'trainer'}},"
        "'spec':{'parallelism':2}}}]},'status':%s}",
        name, name, name, status);
}

/* state: of its one container. */
static inline char *hist_pod(struct hist *h, const char *job, const char *host, const char *suffix,
                             int attempt, const char *phase, const char *state)
{
    return ty_arena_printf(
        h->b.cli.arena,
        "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'%s-%s','namespace':'default',"
        "'labels':{'jobset.sigs.k8s.io/restart-attempt':'%d'},"
        "'ownerReferences':[{'controller':true,'uid':'%s-js'}]},"
        "'spec':{'hostname':'%s','containers':[{'name':'node'}]},'status':{'phase':'%s',"
        "'podIP':'127.1.2.3','containerStatuses':[{'name':'node','ready':false,'restartCount':0,"
        "'state':%s}]}}",
        host, suffix, attempt, job, host, phase, state);
}

static inline void hist_first_run(struct hist *h)
{
    hist_begin(h, "run-1");
    hist_add(h,
             hist_trainjob(h, "ddp",
                           "{'conditions':[{'type':'Failed','status':'True','reason':'FailedJobs',"
                           "'message':'one failed\\nnode-0-1 failed first','lastTransitionTime':"
                           "'2026-01-02T03:05:05Z'}],'trainerStatus':{'progressPercentage':40}}"));
    hist_add(h, hist_jobset(h, "ddp", "{'restarts':1,'terminalState':'Failed'}"));
    hist_add(h, hist_pod(h, "ddp", "ddp-node-0-1", "aaaaa", 0, "Failed",
                         "{'terminated':{'exitCode':1,'reason':'Error'}}"));
    ty_local_finalize(h->l, &ty_kind_pod, TY_LIT("default"), TY_LIT("ddp-node-0-1-aaaaa"));
    hist_add(h, hist_pod(h, "ddp", "ddp-node-0-0", "bbbbb", 1, "Succeeded",
                         "{'terminated':{'exitCode':0,'reason':'Completed'}}"));
    hist_add(h, hist_pod(h, "ddp", "ddp-node-0-1", "ccccc", 1, "Failed",
                         "{'terminated':{'exitCode':143,'reason':'Error'}}"));
    hist_log(h, "ddp-node-0-0", "node.0.0.log", "zero old\n");
    hist_log(h, "ddp-node-0-0", "node.1.0.log", "zero one\nzero two\n");
    hist_log(h, "ddp-node-0-1", "node.0.0.log", "one old\n");
    hist_log(h, "ddp-node-0-1", "node.1.0.log", "one one\none two");
    ty_history_record_event(h->r, &ty_kind_jobset, "ddp", "Warning", "FailedJobs", "one failed",
                            1767323105000);
    ty_history_record_event(h->r, &ty_kind_pod, "ddp-node-0-1", "Normal", "Started", "up",
                            1767323045000);
    ty_history_record_event(h->r, &ty_kind_pod, "ddp-node-0-1", "Normal", "Started", "up",
                            1767323065000);
    hist_end(h, "Failed");
}

static inline void hist_second_run(struct hist *h)
{
    hist_begin(h, "run-2");
    hist_add(h, hist_trainjob(h, "ddp", "{}"));
    hist_add(h, hist_jobset(h, "ddp", "{'restarts':0}"));
    hist_add(h, hist_pod(h, "ddp", "ddp-node-0-0", "ddddd", 0, "Running", "{'running':{}}"));
    hist_log(h, "ddp-node-0-0", "node.0.0.log", "second run\n");
    hist_add(h, hist_trainjob(h, "other", "{}"));
    hist_end(h, NULL);
}

static inline int hist_setup(void **state)
{
    struct hist *h = calloc(1, sizeof(*h));

    fixture_open(&h->b);
    char kubeconfig[600]; /* not there: no test asks the developer's cluster */
    snprintf(kubeconfig, sizeof(kubeconfig), "%s/kubeconfig", h->b.dir);
    setenv("XDG_STATE_HOME", h->b.dir, 1);
    setenv("KUBECONFIG", kubeconfig, 1);
    *state = h;
    return 0;
}

static inline int hist_setup_full(void **state)
{
    hist_setup(state);
    hist_first_run(*state);
    hist_second_run(*state);
    return 0;
}

static inline int hist_teardown(void **state)
{
    struct hist *h = *state;

    ty_history_record_free(h->r);
    ty_local_free(h->l);
    fixture_close(&h->b);
    free(h);
    return 0;
}

#define HIST_EMPTY(fn) cmocka_unit_test_setup_teardown(fn, hist_setup, hist_teardown)
#define HIST_FULL(fn)  cmocka_unit_test_setup_teardown(fn, hist_setup_full, hist_teardown)
/* Runs a command after emptying the captured output. */
#define HIST_RUN(h, ...) (hist_clear(h), FIXTURE_RUN(&(h)->b, __VA_ARGS__))

static inline void hist_clear(struct hist *h)
{
    fclose(h->b.cli.out);
    fclose(h->b.cli.err);
    free(h->b.out);
    free(h->b.err);
    h->b.out = h->b.err = NULL;
    h->b.cli.out = open_memstream(&h->b.out, &h->b.n_out);
    h->b.cli.err = open_memstream(&h->b.err, &h->b.n_err);
}

static inline void hist_hasnt(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("\"%s\" is in:\n%s", part, text);
}

#endif
