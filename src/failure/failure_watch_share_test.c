/* Many failures in one namespace, and one in another. */
#include "failure/failure_watch_testing.h"

struct objects { /* of lists, as JSON */
    struct ty_buf trainjobs, jobsets, pods;
    int n;
};

static void add_comma(struct ty_buf *list)
{
    if (list->n)
        ty_buf_chr(list, ',');
}

/* A TrainJob with its JobSet and one pod that has failed. */
static void add_failed(struct objects *o, const char *ns, const char *name)
{
    add_comma(&o->trainjobs);
    ty_buf_printf(&o->trainjobs,
                  "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"%s\",\"uid\":\"u%d\","
                  "\"resourceVersion\":\"7\",\"creationTimestamp\":\"2026-01-02T03:04:05Z\"},"
                  "\"spec\":{\"runtimeRef\":{\"name\":\"rt\",\"kind\":\"ClusterTrainingRuntime\","
                  "\"apiGroup\":\"trainer.kubeflow.org\"},\"trainer\":{}}}",
                  name, ns, o->n);
    add_comma(&o->jobsets);
    ty_buf_printf(&o->jobsets,
                  "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"%s\",\"uid\":\"s%d\","
                  "\"resourceVersion\":\"7\",\"ownerReferences\":[{\"apiVersion\":"
                  "\"trainer.kubeflow.org/v1alpha1\",\"kind\":\"TrainJob\",\"name\":\"%s\",\"uid\":"
                  "\"u%d\",\"controller\":true}]},\"spec\":{\"suspend\":false},\"status\":{}}",
                  name, ns, o->n, name, o->n);
    add_comma(&o->pods);
    ty_buf_printf(&o->pods,
                  "{\"metadata\":{\"name\":\"%s-node-0-0\",\"namespace\":\"%s\",\"uid\":\"p%d\","
                  "\"resourceVersion\":\"7\",\"ownerReferences\":[{\"kind\":\"Job\",\"name\":"
                  "\"%s-node-0\",\"controller\":true}],\"labels\":{"
                  "\"jobset.sigs.k8s.io/jobset-name\":\"%s\","
                  "\"jobset.sigs.k8s.io/replicatedjob-name\":\"node\","
                  "\"jobset.sigs.k8s.io/job-index\":\"0\","
                  "\"jobset.sigs.k8s.io/restart-attempt\":\"0\"}},\"spec\":{\"containers\":[{"
                  "\"name\":\"node\"}]},\"status\":" WATCH_EXITED(1) "}",
                  name, ns, o->n, name, name);
    o->n++;
}

static char *list_of(struct ty_arena *a, struct ty_buf *items)
{
    char *text = ty_arena_printf(a, CONTROLLER_LIST("%.*s"), (int)items->n, items->p);

    ty_buf_done(items);
    return text;
}

static int is_synced(struct controller_fixture *w)
{
    return watch_of(w)->watch->synced;
}

/* `many` TrainJobs fail, of one namespace or each of its own, then one of another. No log is ever
 * answered. */
static void fail_all(struct watch_fixture *f, int many, bool apart)
{
    struct ty_arena *a = f->w->a;
    struct objects o = { 0 };

    for (int i = 0; i < many; i++)
        add_failed(&o, apart ? ty_arena_printf(a, "many-%d", i) : "many",
                   ty_arena_printf(a, "m%d", i));
    add_failed(&o, "few", "j");
    const struct api_row all[] = {
        { "GET " CONTROLLER_GROUP "/trainjobs?limit", 200, list_of(a, &o.trainjobs) },
        { "GET " CONTROLLER_GROUP "/clustertrainingruntimes?limit", 200,
          CONTROLLER_LIST(CONTROLLER_RUNTIME) },
        { "GET /apis/jobset.x-k8s.io/v1alpha2/jobsets?limit", 200, list_of(a, &o.jobsets) },
        { WATCH_PODS "&limit", 200, list_of(a, &o.pods) },
        { "GET /api/v1/namespaces/many", 0, NULL },
        { "GET /api/v1/namespaces/few/pods/", 0, NULL },
        { 0 }
    };
    struct api_row *rows = ty_arena_alloc(a, sizeof(all), _Alignof(struct api_row));
    memcpy(rows, all, sizeof(all));
    watch_begin(f, rows);
    controller_run_until(f->w, is_synced);
}

static size_t collections_of(const struct ty_failure_watch *w, const char *ns)
{
    const struct ty_map_slot *s = NULL;
    size_t at = 0, n = 0;

    while ((s = ty_map_next(&w->jobs, &at))) {
        const struct ty_failure_job *job = s->value;
        n += strcmp(job->ns, ns) == 0 && job->collection;
    }
    return n;
}

static bool is_started(const struct ty_failure_watch *w, const char *ns, const char *name)
{
    const struct ty_failure_job *job = ty_failure_watch_find(w, ty_str(ns), ty_str(name));

    return job && job->collection && ty_failure_collection_started(job->collection);
}

/* The other namespace has its turn before the rest of the first. */
static void test_each_namespace_has_its_turn(void **state)
{
    struct watch_fixture *f = *state;

    fail_all(f, 20, false);
    assert_int_equal(f->watch->turns.alive, 21);
    assert_int_equal(f->watch->turns.active, 4);
    assert_true(is_started(f->watch, "few", "j"));
}

/* As many wait as may: the namespace that has most of them loses one, and adds none. */
static void test_room_for_another_namespace(void **state)
{
    struct watch_fixture *f = *state;

    fail_all(f, TY_FAILURE_WATCH_COLLECTIONS + 1, false);
    assert_int_equal(f->watch->turns.alive, TY_FAILURE_WATCH_COLLECTIONS);
    assert_int_equal(collections_of(f->watch, "many"), TY_FAILURE_WATCH_COLLECTIONS - 1);
    assert_true(is_started(f->watch, "few", "j"));
    const char *line = strstr(controller_log(f->w), "no failure summary: too many TrainJobs wait");
    assert_non_null(line);
    assert_non_null(strstr(
        line, ty_arena_printf(f->w->a, "\"name\":\"m%d\"", TY_FAILURE_WATCH_COLLECTIONS - 1)));
}

/* Nobody has more than the newest would have: those that wait stay. */
static void test_the_newest_takes_no_place(void **state)
{
    struct watch_fixture *f = *state;

    fail_all(f, TY_FAILURE_WATCH_COLLECTIONS, true);
    assert_int_equal(f->watch->turns.alive, TY_FAILURE_WATCH_COLLECTIONS);
    assert_int_equal(collections_of(f->watch, "few"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WATCH_TEST(test_each_namespace_has_its_turn),
        WATCH_TEST(test_room_for_another_namespace),
        WATCH_TEST(test_the_newest_takes_no_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
