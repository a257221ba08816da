#include "cli/cmds.h"
#include "cli/run/run_input.h"
#include "cli/testing.h"

#define API "apiVersion: trainer.kubeflow.org/v1alpha1\n"
#define RUNTIME                                                                                    \
    API "kind: ClusterTrainingRuntime\nmetadata: {name: rt}\nspec: {mlPolicy: {numNodes: 1}, "     \
        "template: {spec: {replicatedJobs: [{name: node, template: {metadata: {labels: {"          \
        "trainer.kubeflow.org/trainjob-ancestor-step: trainer}}, spec: {template: {spec: {"        \
        "containers: [{name: node, image: i}]}}}}}]}}}\n"
#define NO_API "apiVersion: trainer.kubeflow.org/v1alpha1, "
#define JOB(name)                                                                                  \
    "---\n" API "kind: TrainJob\nmetadata: {name: " name                                           \
    ", namespace: a}\nspec: {runtimeRef: {name: rt}, trainer: {image: i}}\n"

struct run_input_fixture {
    struct ty_cli_fixture b;
    struct ty_run_ctx r;
};

static void open_files(struct run_input_fixture *w, const char *first, const char *second,
                       const char *in)
{
    struct ty_input_opts input = { 0 };
    struct ty_session_opts session = { .input = &input };
    struct ty_err err = { 0 };
    int ends[2];

    memset(w, 0, sizeof(*w));
    fixture_open(&w->b);
    w->r.cli = &w->b.cli;
    fixture_file("a.yaml", first);
    ty_strlist_add(w->b.cli.arena, &input.files, "a.yaml");
    if (second) {
        fixture_file("b.yaml", second);
        ty_strlist_add(w->b.cli.arena, &input.files, "b.yaml");
    }
    if (in) {
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], in, strlen(in)), strlen(in));
        close(ends[1]);
        w->b.cli.in = ends[0];
        ty_strlist_add(w->b.cli.arena, &input.files, "-");
    }
    assert_int_equal(ty_session_open(&w->r.session, &w->b.cli, &session, &err), 0);
}

static void close_files(struct run_input_fixture *w)
{
    if (w->b.cli.in >= 0)
        close(w->b.cli.in);
    ty_session_close(&w->r.session);
    fixture_close(&w->b);
}

static int set_field(struct run_input_fixture *w, const char *word, struct ty_err *err)
{
    struct ty_strlist sets = { 0 };

    ty_strlist_add(w->b.cli.arena, &sets, word);
    return ty_run_input_set(&w->r.session.inputs, &sets, err);
}

static struct ty_json *find_job(struct run_input_fixture *w, const char *name)
{
    for (size_t i = 0; i < w->r.session.inputs.n; i++)
        if (ty_str_is(w->r.session.inputs.v[i]->name, name))
            return w->r.session.inputs.v[i]->obj;
    fail_msg("no %s", name);
    return NULL;
}

static void test_set(void **state)
{
    struct run_input_fixture w;
    struct ty_err err = { 0 };
    int64_t n = 0;

    (void)state;
    open_files(&w, RUNTIME JOB("x"), JOB("w"), NULL);
    assert_int_equal(set_field(&w, "spec.trainer.numNodes=4", &err), 0);
    assert_true(ty_json_int_at(find_job(&w, "x"), "spec.trainer.numNodes", &n) && n == 4);
    assert_true(ty_json_int_at(find_job(&w, "w"), "spec.trainer.numNodes", &n) && n == 4);
    assert_true(ty_json_int_at(find_job(&w, "rt"), "spec.mlPolicy.numNodes", &n) && n == 1);
    assert_null(ty_json_at(find_job(&w, "rt"), "spec.trainer"));          /* TrainJobs only */
    assert_int_equal(set_field(&w, "metadata.labels.made=a=b", &err), 0); /* made on the way */
    assert_true(ty_str_is(ty_json_str_at(find_job(&w, "x"), "metadata.labels.made"), "a=b"));
    assert_int_equal(set_field(&w, "spec.trainer.command=[sh, -c, \"a, b\"]", &err), 0);
    assert_string_equal(
        ty_json_text(w.b.cli.arena, ty_json_at(find_job(&w, "x"), "spec.trainer.command")).p,
        "[\"sh\",\"-c\",\"a, b\"]");
    assert_int_equal(set_field(&w, "spec.trainer.image=", &err), 0);
    assert_int_equal(ty_json_str_at(find_job(&w, "x"), "spec.trainer.image").n, 0);
    assert_int_equal(set_field(&w, "spec.trainer.numNodes=null", &err), 0); /* taken away */
    assert_null(ty_json_at(find_job(&w, "x"), "spec.trainer.numNodes"));
    assert_int_equal(set_field(&w, "spec.initializer.dataset=~", &err), 0);
    assert_int_equal(set_field(&w, "spec.trainer.image.x.y=null", &err), 0);
    assert_null(ty_json_at(find_job(&w, "x"), "spec.initializer")); /* and nothing made for it */
    assert_true(ty_json_at(find_job(&w, "x"), "spec.trainer.command") !=
                ty_json_at(find_job(&w, "w"), "spec.trainer.command")); /* each its own */
    close_files(&w);
}

static void test_set_items(void **state)
{
    struct run_input_fixture w;
    struct ty_err err = { 0 };

    (void)state;
    open_files(&w, RUNTIME JOB("x"), NULL, NULL);
    assert_int_equal(set_field(&w, "spec.trainer.env=[{name: A, value: a}]", &err), 0);
    assert_int_equal(set_field(&w, "spec.trainer.env[0].value=b", &err), 0);
    assert_int_equal(set_field(&w, "spec.trainer.env[1]={name: B}", &err), 0); /* one more */
    assert_int_equal(set_field(&w, "spec.trainer.env[1].value=c=d", &err), 0);
    assert_string_equal(
        ty_json_text(w.b.cli.arena, ty_json_at(find_job(&w, "x"), "spec.trainer.env")).p,
        "[{\"name\":\"A\",\"value\":\"b\"},{\"name\":\"B\",\"value\":\"c=d\"}]");
    assert_int_equal(set_field(&w, "spec.trainer.env[0]=null", &err), 0);
    assert_int_equal(ty_json_len(ty_json_at(find_job(&w, "x"), "spec.trainer.env")), 1);
    assert_true(set_field(&w, "spec.trainer.env[5].value=1", &err) < 0);
    assert_string_equal(err.text, "--set spec.trainer.env[5].value=1: the list has 1 item: [5] is "
                                  "beyond its end");
    assert_int_equal(set_field(&w, "metadata.labels.example\\.com/team=a", &err), 0);
    assert_string_equal(
        ty_json_text(w.b.cli.arena, ty_json_at(find_job(&w, "x"), "metadata.labels")).p,
        "{\"example.com/team\":\"a\"}");
    close_files(&w);
}

static void test_sets_that_are_wrong(void **state)
{
    static const char *const rows[][2] = {
        { "spec.trainer.numNodes", "--set spec.trainer.numNodes: write PATH=VALUE" },
        { "=4", "--set =4: write PATH=VALUE" },
        { "", "--set : write PATH=VALUE" },
        { "spec..x=1", "--set spec..x=1: a part of the path is empty" },
        { ".spec=1", "--set .spec=1: a part of the path is empty" },
        { "spec.=1", "--set spec.=1: a part of the path is empty" },
        { "kind=JobSet", "--set kind=JobSet: what an object is cannot be changed" },
        { "apiVersion=v1", "--set apiVersion=v1: what an object is cannot be changed" },
        { "spec.x=a\n---\nb", "--set spec.x: one value, not 2 documents" },
        { "spec.x=[a", "--set spec.x=[a:1:1: this [ is never closed" },
        { "spec.trainer.env[x].value=1",
          "--set spec.trainer.env[x].value=1: [x is not the number of an item, such as [0]" },
        { "spec.x[0]y=1", "--set spec.x[0]y=1: a dot is missing after [0]" },
    };
    struct run_input_fixture w;

    (void)state;
    open_files(&w, RUNTIME JOB("x"), NULL, NULL);
    const char *before = ty_json_text(w.b.cli.arena, find_job(&w, "x")).p;
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        struct ty_err err = { 0 };
        assert_true(set_field(&w, rows[i][0], &err) < 0);
        assert_string_equal(err.text, rows[i][1]);
        assert_string_equal(ty_json_text(w.b.cli.arena, find_job(&w, "x")).p, before);
    }
    close_files(&w);
}

/* A path through a value that is no object replaces the value; the schema check reports it. */
static void test_set_through_a_value(void **state)
{
    struct run_input_fixture w;
    struct ty_err err = { 0 };

    (void)state;
    open_files(&w, RUNTIME JOB("x"), NULL, NULL);
    assert_int_equal(set_field(&w, "spec.trainer.image.tag=1", &err), 0);
    ty_session_admit_all(&w.r.session);
    assert_int_equal(w.r.session.n_invalid, 1);
    close_files(&w);
}

static void test_gather(void **state)
{
    struct run_input_fixture w;
    const struct ty_json *objs[16];
    size_t jobs = 0;

    (void)state;
    open_files(&w, JOB("x") JOB("w"), RUNTIME, JOB("z"));
    ty_session_admit_all(&w.r.session);
    assert_int_equal(ty_run_input_gather(&w.r, objs, &jobs), 4);
    assert_int_equal(jobs, 3);
    close_files(&w);
}

/* A runtime of the catalog that two jobs need is submitted once; refused objects are not
 * submitted. */
static void test_gather_what_is_needed(void **state)
{
    struct run_input_fixture w;
    const struct ty_json *objs[16];
    size_t jobs = 0;
    static const char two[] = API
        "kind: TrainJob\nmetadata: {name: x}\nspec: {runtimeRef: {name: torch-distributed}}\n"
        "---\n" API
        "kind: TrainJob\nmetadata: {name: w}\nspec: {runtimeRef: {name: torch-distributed}}\n"
        "---\n" API "kind: TrainJob\nmetadata: {name: bad}\nspec: {runtimeRef: {name: nowhere}}\n";

    (void)state;
    open_files(&w, two, NULL, NULL);
    ty_session_admit_all(&w.r.session);
    size_t n = ty_run_input_gather(&w.r, objs, &jobs);
    assert_int_equal(jobs, 2);
    assert_int_equal(n, 3);
    close_files(&w);
}

static void test_nothing(void **state)
{
    struct run_input_fixture w;
    const struct ty_json *objs[4];
    size_t jobs = 7;

    (void)state;
    open_files(&w, "", NULL, "");
    assert_int_equal(ty_run_input_gather(&w.r, objs, &jobs), 0);
    assert_int_equal(jobs, 0);
    close_files(&w);
}

/* The only finding of TrainJob x after these two options. */
static const struct ty_finding *only_finding(struct run_input_fixture *w, const char *first,
                                             const char *second)
{
    struct ty_err err = { 0 };

    open_files(w, RUNTIME JOB("x"), NULL, NULL);
    assert_int_equal(set_field(w, first, &err), 0);
    assert_int_equal(set_field(w, second, &err), 0);
    ty_session_admit_all(&w->r.session);
    assert_int_equal(w->r.session.findings.n_errors, 1);
    return w->r.session.findings.first;
}

/* A required field that an option removed is missed at that option, whatever else was set. */
static void test_removed_fields(void **state TY_UNUSED)
{
    static const struct {
        const char *word, *path;
    } cases[] = { { "spec=null", "spec.runtimeRef" },
                  { "spec.runtimeRef=null", "spec.runtimeRef" },
                  { "spec.runtimeRef.name=null", "spec.runtimeRef.name" },
                  { "metadata=null", "metadata.name" },
                  { "metadata.name=~", "metadata.name" } };
    struct run_input_fixture w;

    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        const struct ty_finding *x = only_finding(&w, "spec.suspend=true", cases[i].word);
        assert_string_equal(x->file, ty_arena_printf(w.b.cli.arena, "--set %s", cases[i].word));
        assert_int_equal(x->line, 0);
        assert_string_equal(x->path, cases[i].path);
        assert_string_equal(x->type, "Required value");
        close_files(&w);
    }
}

/* A field that is missing in the file is missed there, as before. */
static void test_missing_fields(void **state TY_UNUSED)
{
    struct run_input_fixture w;

    open_files(&w, RUNTIME "---\n{kind: TrainJob, " NO_API "metadata: {name: x}}\n", NULL, NULL);
    ty_session_admit_all(&w.r.session);
    assert_int_equal(w.r.session.findings.n_errors, 1);
    assert_string_equal(w.r.session.findings.first->file, "a.yaml");
    assert_string_equal(w.r.session.findings.first->path, "spec.runtimeRef");
    assert_string_equal(w.r.session.findings.first->type, "Required value");
    close_files(&w);
}

static void generated_names(void **state TY_UNUSED)
{
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    struct run_input_fixture w;
    const char *names[3];

    open_files(&w,
               "{kind: TrainJob, " NO_API "metadata: {generateName: bert-}}\n---\n"
               "{kind: TrainJob, " NO_API "metadata: {generateName: bert-}}\n---\n"
               "{kind: TrainJob, " NO_API "metadata: {generateName: bert-, name: mine}}\n",
               NULL, NULL);
    ty_run_input_generate_names(&w.r);
    for (size_t i = 0; i < 3; i++)
        names[i] = ty_json_cstr_at(w.b.cli.arena, w.r.session.inputs.v[i]->obj, "metadata.name");
    for (size_t i = 0; i < 2; i++) {
        assert_memory_equal(names[i], "bert-", 5);
        assert_int_equal(strlen(names[i]), 10);
        assert_int_equal(strspn(names[i] + 5, letters), 5);
    }
    assert_string_not_equal(names[0], names[1]);
    assert_string_equal(names[2], "mine");
    close_files(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_names),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_set_items),
        cmocka_unit_test(test_sets_that_are_wrong),
        cmocka_unit_test(test_set_through_a_value),
        cmocka_unit_test(test_removed_fields),
        cmocka_unit_test(test_missing_fields),
        cmocka_unit_test(test_gather),
        cmocka_unit_test(test_gather_what_is_needed),
        cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
