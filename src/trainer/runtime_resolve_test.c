#include <errno.h>

#include "trainer/runtime_resolve.h"
#include "trainer/testing.h"
#include "json/yaml.h"

#define REF(kind)                                                                                  \
    "{'metadata':{'name':'j','namespace':'ns','uid':'u1'},'spec':{'runtimeRef':{'name':'rt',"      \
    "'kind':'" kind "','apiGroup':'trainer.kubeflow.org'}}}"
#define CLUSTER "ClusterTrainingRuntime"
#define RT(kind, name, more)                                                                       \
    "{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'" kind "','metadata':{'name':'" name    \
    "'" more "},'spec':{'template':{'spec':{'replicatedJobs':[{'name':'node'}]}}}}"
#define MAP(owner, data)                                                                           \
    "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'j-runtime-snapshot','namespace':"   \
    "'ns'" owner "},'data':{" data "}}"
#define YAML(kind, name)                                                                           \
    "'runtime':'apiVersion: trainer.kubeflow.org/v1alpha1\\nkind: " kind                           \
    "\\nmetadata:\\n  name: " name "\\n'"

static void read_job(struct fixture *f, const char *text)
{
    ty_trainjob_parse(&f->job, fx_json(f->arena, text));
    f->err = (struct ty_err){ 0 };
}

/* ---- which kind ---- */

static void test_kinds(void **state)
{
    struct fixture *f = *state;

    read_job(f, REF(CLUSTER));
    assert_ptr_equal(ty_runtime_kind(&f->job), &ty_kind_clustertrainingruntime);
    read_job(f, REF("TrainingRuntime"));
    assert_ptr_equal(ty_runtime_kind(&f->job), &ty_kind_trainingruntime);
}

static void test_unsupported_kinds(void **state)
{
    struct fixture *f = *state;

    read_job(f, REF("Other"));
    assert_null(ty_runtime_kind(&f->job));
    assert_string_equal(ty_runtime_unsupported(f->arena, &f->job),
                        "unsupported runtime: Other.trainer.kubeflow.org");
    read_job(f, "{'spec':{'runtimeRef':{'name':'rt','kind':'TrainingRuntime','apiGroup':''}}}");
    assert_null(ty_runtime_kind(&f->job));
    assert_string_equal(ty_runtime_unsupported(f->arena, &f->job),
                        "unsupported runtime: TrainingRuntime");
    read_job(f, "{}");
    assert_null(ty_runtime_kind(&f->job));
    assert_null(ty_runtime_live(&f->job, &f->view));
}

static void test_live_runtime(void **state)
{
    struct fixture *f = *state;
    const struct ty_json *cluster = core_put(f, RT(CLUSTER, "rt", ""));

    core_put(f, RT("TrainingRuntime", "rt", ",'namespace':'other'"));
    read_job(f, REF(CLUSTER));
    assert_ptr_equal(ty_runtime_live(&f->job, &f->view), cluster);
    read_job(f, REF("TrainingRuntime"));
    assert_null(ty_runtime_live(&f->job, &f->view));
    assert_null(ty_runtime_live(&f->job, NULL));
}

/* ---- reading a snapshot ---- */

static int read_snapshot(struct fixture *f, const char *map, const char *job,
                         const struct ty_json **ret)
{
    core_put(f, map);
    read_job(f, job);
    return ty_runtime_snapshot_load(f->arena, &f->job, &f->view, ret, &f->err);
}

/* A snapshot owned by the TrainJob is returned with its kind, for both kinds of runtime. */
static void test_snapshot(void **state)
{
    struct fixture *f = *state;
    const struct ty_json *rt = NULL;

    assert_int_equal(read_snapshot(f, MAP("," OWNER("u1"), YAML(CLUSTER, "rt")), REF(CLUSTER), &rt),
                     0);
    assert_string_equal(fx_text(f, rt), "{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':"
                                        "'ClusterTrainingRuntime','metadata':{'name':'rt'}}");
    assert_int_equal(read_snapshot(f, MAP("," OWNER("u1"), YAML("TrainingRuntime", "rt")),
                                   REF("TrainingRuntime"), &rt),
                     0);
    assert_true(ty_str_is(ty_json_str_at(rt, "kind"), "TrainingRuntime"));
}

/* Without a ConfigMap the caller is told to read the runtime itself. */
static void test_no_snapshot(void **state)
{
    struct fixture *f = *state;
    const struct ty_json *rt = NULL;

    read_job(f, REF(CLUSTER));
    assert_int_equal(ty_runtime_snapshot_load(f->arena, &f->job, &f->view, &rt, &f->err),
                     TY_NOT_FOUND);
    assert_int_equal(ty_runtime_snapshot_load(f->arena, &f->job, NULL, &rt, &f->err), TY_NOT_FOUND);
    assert_null(rt);
}

static void refused(struct fixture *f, const char *map, const char *job, const char *text)
{
    const struct ty_json *rt = NULL;

    assert_true(read_snapshot(f, map, job, &rt) < 0);
    assert_string_equal(f->err.text, text);
    assert_null(rt);
}

/* A ConfigMap without the TrainJob as its controller is refused: no owner, an owner that does not
 * control, another owner. */
static void test_snapshot_of_another(void **state)
{
    struct fixture *f = *state;
    static const char text[] = "getting runtime snapshot: invalid runtime snapshot: a snapshot "
                               "configmap exists but is owned by another object";

    refused(f, MAP("", YAML(CLUSTER, "rt")), REF(CLUSTER), text);
    refused(f, MAP("," OWNER("u2"), YAML(CLUSTER, "rt")), REF(CLUSTER), text);
    refused(f, MAP(",'ownerReferences':[{'uid':'u1'}]", YAML(CLUSTER, "rt")), REF(CLUSTER), text);
    refused(f,
            MAP(",'ownerReferences':[{'uid':'u2','controller':true},{'uid':'u1'}]",
                YAML(CLUSTER, "rt")),
            REF(CLUSTER), text);
    refused(f, MAP(",'ownerReferences':'u1'", YAML(CLUSTER, "rt")), REF(CLUSTER), text);
}

/* A snapshot without the key "runtime" is refused; the message's prefix differs by kind. */
static void test_snapshot_without_key(void **state)
{
    struct fixture *f = *state;

    refused(f, MAP("," OWNER("u1"), "'other':'x'"), REF("TrainingRuntime"),
            "unable to get runtime snapshot: invalid runtime snapshot: snapshot ConfigMap missing "
            "\"runtime\" data key");
}

static void test_snapshot_that_is_no_object(void **state)
{
    struct fixture *f = *state;
    static const char text[] = "getting runtime snapshot: invalid runtime snapshot: unable to "
                               "unmarshal the snapshot: not one object";

    refused(f, MAP("," OWNER("u1"), "'runtime':''"), REF(CLUSTER), text);
    refused(f, MAP("," OWNER("u1"), "'runtime':'- 1'"), REF(CLUSTER), text);
    refused(f, MAP("," OWNER("u1"), "'runtime':'a: 1\\n---\\nb: 2\\n'"), REF(CLUSTER), text);
    refused(f, MAP("," OWNER("u1"), "'runtime':7"), REF(CLUSTER), text);
}

/* A snapshot that is no YAML is refused. */
static void test_snapshot_of_broken_yaml(void **state)
{
    struct fixture *f = *state;
    const struct ty_json *rt = NULL;

    assert_int_equal(read_snapshot(f, MAP("," OWNER("u1"), "'runtime':'a: [1'"), REF(CLUSTER), &rt),
                     -EINVAL);
    assert_ptr_equal(strstr(f->err.text, "getting runtime snapshot: invalid runtime snapshot: "
                                         "unable to unmarshal the snapshot: runtime:"),
                     f->err.text);
}

/* A megabyte of it could mean gigabytes. */
static void test_snapshot_with_aliases(void **state)
{
    struct fixture *f = *state;

    refused(f, MAP("," OWNER("u1"), "'runtime':'a: &x 1\\nb: *x'"), REF(CLUSTER),
            "getting runtime snapshot: invalid runtime snapshot: unable to unmarshal the snapshot: "
            "runtime:2:4: aliases are not taken here");
}

/* Nobody checked a ConfigMap's text against the schema; Go's decoder would refuse it. */
static void test_snapshot_of_wrong_types(void **state)
{
    struct fixture *f = *state;

    refused(f,
            MAP("," OWNER("u1"),
                "'runtime':'{apiVersion: trainer.kubeflow.org/v1alpha1, kind: " CLUSTER
                ", metadata: {name: rt}, spec: {template: {spec: {replicatedJobs: 7}}}}'"),
            REF(CLUSTER),
            "getting runtime snapshot: invalid runtime snapshot: unable to unmarshal the snapshot: "
            "json: cannot unmarshal number into Go struct field "
            "JobSetSpec.spec.template.spec.replicatedJobs of type []v1alpha2.ReplicatedJob");
}

/* A snapshot of a runtime with another name is refused; the message quotes both references. */
static void test_snapshot_of_another_runtime(void **state)
{
    refused(*state, MAP("," OWNER("u1"), YAML(CLUSTER, "other-runtime")), REF(CLUSTER),
            "getting runtime snapshot: invalid runtime snapshot: the snapshot refers to the wrong "
            "runtime: expecting a runtime with name, api group and kind of \"rt\", "
            "\"trainer.kubeflow.org\", \"ClusterTrainingRuntime\" but found runtime with name, api "
            "group and kind of \"other-runtime\", \"trainer.kubeflow.org\", "
            "\"ClusterTrainingRuntime\"");
}

/* So is a snapshot of another kind. */
static void test_snapshot_of_another_kind(void **state)
{
    struct fixture *f = *state;
    const struct ty_json *rt = NULL;

    assert_int_equal(
        read_snapshot(f, MAP("," OWNER("u1"), YAML(CLUSTER, "rt")), REF("TrainingRuntime"), &rt),
        -EINVAL);
    assert_has(f->err.text, "of \"rt\", \"trainer.kubeflow.org\", \"TrainingRuntime\" "
                            "but found runtime with name, api group and kind of "
                            "\"rt\", \"trainer.kubeflow.org\", "
                            "\"ClusterTrainingRuntime\"");
}

static void test_snapshot_of_another_group(void **state)
{
    struct fixture *f = *state;
    const struct ty_json *rt = NULL;

    assert_int_equal(read_snapshot(f,
                                   MAP("," OWNER("u1"), "'runtime':'{apiVersion: v1, kind: " CLUSTER
                                                        ", metadata: {name: rt}}'"),
                                   REF(CLUSTER), &rt),
                     -EINVAL);
    assert_has(f->err.text, "found runtime with name, api group and kind of \"rt\", "
                            "\"\", \"ClusterTrainingRuntime\"");
}

/* A reference without group and kind fits any. */
static void test_reference_to_any(void **state)
{
    struct fixture *f = *state;
    const struct ty_json *rt = NULL;
    static const char job[] = "{'metadata':{'name':'j','namespace':'ns','uid':'u1'},'spec':{"
                              "'runtimeRef':{'name':'rt'}}}";

    assert_int_equal(read_snapshot(f, MAP("," OWNER("u1"), YAML(CLUSTER, "rt")), job, &rt), 0);
    assert_int_equal(read_snapshot(f, MAP("," OWNER("u1"), YAML(CLUSTER, "x")), job, &rt), -EINVAL);
    assert_has(f->err.text, "kind of \"rt\", \"<any>\", \"<any>\" but");
}

/* ---- resolving ---- */

static int resolve(struct fixture *f, const char *job, const struct ty_json **ret_rt,
                   struct ty_json **ret_map)
{
    read_job(f, job);
    return ty_runtime_resolve(f->arena, &f->job, &f->view, ret_rt, ret_map, &f->err);
}

/* v2.3.0's texts for a missing runtime, which differ between the kinds. */
static void test_runtime_not_found(void **state)
{
    struct fixture *f = *state;
    const struct ty_json *rt = NULL;
    struct ty_json *map = NULL;

    assert_int_equal(resolve(f, REF(CLUSTER), &rt, &map), -ENOENT);
    assert_string_equal(f->err.text,
                        "not found ClusterTrainingRuntime specified in TrainJob: "
                        "ClusterTrainingRuntime.trainer.kubeflow.org \"rt\" not found");
    assert_int_equal(resolve(f, REF("TrainingRuntime"), &rt, &map), -ENOENT);
    assert_string_equal(f->err.text, "TrainingRuntime specified in TrainJob is not found: "
                                     "TrainingRuntime.trainer.kubeflow.org \"rt\" not found");
    assert_true(!rt && !map);
}

static const char *forbidden(void *ctx TY_UNUSED, const struct ty_kind *kind,
                             struct ty_str ns TY_UNUSED, struct ty_str name TY_UNUSED)
{
    return kind == &ty_kind_clustertrainingruntime ? "forbidden" : NULL;
}

/* The nearest first, then what there is, however much that is. */
static void test_runtime_hint(void **state)
{
    struct fixture *f = *state;
    const char *names[40];

    for (int i = 0; i < 40; i++)
        names[i] = ty_arena_printf(f->arena, "n%d", i);
    assert_null(ty_runtime_hint(f->arena, TY_LIT("x"), names, 0));
    assert_string_equal(ty_runtime_hint(f->arena, TY_LIT("elsewhere"), names, 2),
                        "there are: n0, n1");
    assert_string_equal(ty_runtime_hint(f->arena, TY_LIT("n39x"), names, 40),
                        "did you mean \"n39\"? there are: n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, "
                        "n10, n11, n12, n13, n14, n15 and 24 more");
}

/* A runtime that cannot be read may exist: it is not reported as missing. */
static void test_runtime_unread(void **state)
{
    struct fixture *f = *state;
    const struct ty_json *rt = NULL;
    struct ty_json *map = NULL;

    f->view.unread = forbidden;
    assert_int_equal(resolve(f, REF(CLUSTER), &rt, &map), -EAGAIN);
    assert_string_equal(f->err.text, "ClusterTrainingRuntime \"rt\" cannot be read: forbidden");
    assert_null(ty_runtime_snapshot_read_error(f->arena, &f->job, &f->view));
    assert_int_equal(resolve(f, REF("TrainingRuntime"), &rt, &map), -ENOENT);
    assert_true(!rt && !map);
    read_job(f, REF("Other"));
    assert_null(ty_runtime_read_error(f->arena, &f->job, &f->view));
    assert_null(ty_runtime_read_error(f->arena, &f->job, NULL));
    core_put(f, RT(CLUSTER, "rt", "")); /* what is known is known */
    assert_int_equal(resolve(f, REF(CLUSTER), &rt, &map), 0);
}

/* A snapshot reads back as it was written, has the TrainJob as its controller, and no
 * managedFields.
 */
static void test_round_trip(void **state)
{
    struct fixture *f = *state;
    const struct ty_json *live =
        core_put(f, RT(CLUSTER, "rt",
                       ",'uid':'r','labels':{'yes':'no','n':'1e3'},'managedFields':[{'a':1}]"));
    const struct ty_json *rt = NULL, *again = NULL;
    struct ty_json *map = NULL;

    assert_int_equal(resolve(f, REF(CLUSTER), &rt, &map), 0);
    assert_ptr_equal(rt, live);
    assert_string_equal(fx_text(f, ty_json_get(map, "metadata")),
                        "{'name':'j-runtime-snapshot','namespace':'ns'," OWNER("u1") "}");
    core_keep(f, map);
    assert_int_equal(resolve(f, REF(CLUSTER), &again, &map), 0);
    assert_null(map);
    assert_true(ty_str_is(ty_json_str_at(again, "metadata.labels.yes"), "no"));
    assert_true(ty_str_is(ty_json_str_at(again, "metadata.labels.n"), "1e3"));
    assert_null(ty_json_at(again, "metadata.managedFields")); /* B19 */
    assert_true(
        ty_json_eq(ty_schema_normalize(f->arena, &ty_schema_TrainingRuntime, again), again));
}

/* Once there is a snapshot, changes of the live runtime have no effect. */
static void test_snapshot_wins(void **state)
{
    struct fixture *f = *state;
    const struct ty_json *rt = NULL;
    struct ty_json *map = NULL;

    core_put(f, RT(CLUSTER, "rt", ",'labels':{'new':'1'}"));
    core_put(f, MAP("," OWNER("u1"), YAML(CLUSTER, "rt")));
    assert_int_equal(resolve(f, REF(CLUSTER), &rt, &map), 0);
    assert_null(ty_json_at(rt, "metadata.labels"));
    assert_null(map);
}

/* A snapshot that cannot be used is an error, not a reason to take another runtime. */
static void test_bad_snapshot_ends_it(void **state)
{
    struct fixture *f = *state;
    const struct ty_json *rt = NULL;
    struct ty_json *map = NULL;

    core_put(f, RT(CLUSTER, "rt", ""));
    core_put(f, MAP("", YAML(CLUSTER, "rt")));
    assert_int_equal(resolve(f, REF(CLUSTER), &rt, &map), -EEXIST);
    assert_true(!rt && !map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(test_kinds),
        core_test(test_unsupported_kinds),
        core_test(test_live_runtime),
        core_test(test_snapshot),
        core_test(test_no_snapshot),
        core_test(test_snapshot_of_another),
        core_test(test_snapshot_without_key),
        core_test(test_snapshot_that_is_no_object),
        core_test(test_snapshot_of_broken_yaml),
        core_test(test_snapshot_with_aliases),
        core_test(test_snapshot_of_wrong_types),
        core_test(test_snapshot_of_another_runtime),
        core_test(test_snapshot_of_another_kind),
        core_test(test_snapshot_of_another_group),
        core_test(test_reference_to_any),
        core_test(test_runtime_not_found),
        core_test(test_runtime_hint),
        core_test(test_runtime_unread),
        core_test(test_round_trip),
        core_test(test_snapshot_wins),
        core_test(test_bad_snapshot_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
