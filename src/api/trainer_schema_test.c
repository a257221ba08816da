#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/gen/gen.h"
#include "api/kind.h"
#include "api/trainer_tables.h"

/* Looks up "spec.trainer.env" from a root; list and map items are passed through. */
static const struct ty_field *field_at(const struct ty_schema *s, const char *path)
{
    struct ty_str rest = ty_str(path), key;
    const struct ty_field *f = NULL;

    while (rest.p) {
        rest = ty_str_cut(rest, '.', &key);
        while (s->items)
            s = s->items;
        for (f = s->fields; f && f->name && !ty_str_is(key, f->name); f++)
            ;
        if (!f || !f->name) {
            fail_msg("no field %s (at %.*s)", path, TY_ARG(key));
            return NULL;
        }
        s = f->schema;
    }
    return f;
}

/* ---- every table that the kinds reach ---- */

struct walk {
    const struct ty_schema *seen[1024];
    size_t n;
    size_t rules, ours, deprecated;
};

static bool enter(struct walk *w, const struct ty_schema *s)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->seen[i] == s)
            return false;
    assert_true(w->n < TY_COUNT(w->seen));
    w->seen[w->n++] = s;
    return true;
}

static void check_rules(struct walk *w, const struct ty_schema *s)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);

    for (const struct ty_rule *r = s->rules; r && r->message; r++, w->rules++) {
        const char *cel = r->cel_of ? r->cel_of(a) : r->cel;
        assert_non_null(r->ok);
        assert_int_equal(r->transition, strstr(cel, "oldSelf") != NULL);
    }
}

/* A default must be of its field's type, or the API server refuses the CRD. */
static void check_default(const struct ty_field *f)
{
    static const int types[] = {
        [TY_T_STRING] = TY_JSON_STRING, [TY_T_INTEGER] = TY_JSON_INT, [TY_T_BOOLEAN] = TY_JSON_BOOL
    };
    ty_auto_arena *a = ty_arena_new(1 << 16);
    const struct ty_json *v = ty_json_parse(a, ty_str(f->def), NULL, NULL);

    assert_non_null(v);
    assert_in_range(f->schema->type, TY_T_STRING, TY_T_BOOLEAN);
    assert_int_equal(v->type, types[f->schema->type]);
}

static void walk(struct walk *w, const struct ty_schema *s)
{
    if (!s || !enter(w, s))
        return;
    check_rules(w, s);
    assert_int_equal(s->pattern != NULL, s->pattern_ok != NULL);
    assert_int_equal(s->type == TY_T_ARRAY || s->type == TY_T_MAP, s->items != NULL);
    assert_int_equal(s->type == TY_T_OBJECT, s->fields != NULL);
    assert_true(s->type != TY_T_OBJECT || s->go);
    walk(w, s->items);
    for (const struct ty_field *f = s->fields; f && f->name; f++) {
        w->ours += (f->flags & TY_F_OURS) != 0;
        w->deprecated += (f->flags & TY_F_DEPRECATED) != 0;
        assert_true(!(f->flags & TY_F_OURS) || f->doc);
        assert_true(!(f->flags & TY_F_ALWAYS) || !(f->flags & (TY_F_ZERO | TY_F_OMITZERO)));
        if (f->def)
            check_default(f);
        walk(w, f->schema);
    }
}

static void test_tables(void **state TY_UNUSED)
{
    struct walk w = { .n = 0 };

    for (const struct ty_kind *const *k = ty_kinds; *k; k++)
        walk(&w, (*k)->schema);
    assert_in_range(w.n, 200, 400);
    assert_in_range(w.rules, 30, 60);
    assert_in_range(w.ours, 14, 100);
    assert_int_equal(w.deprecated, 4);
}

/* Our own fields are documented, down to where Kubernetes' types begin. */
static void check_docs(const struct ty_schema *s, const char *at)
{
    while (s->items)
        s = s->items;
    for (const struct ty_field *f = s->fields; f && f->name; f++) {
        size_t n = f->doc ? strlen(f->doc) : 0;
        if (n == 0) {
            if (f != s->fields)
                fail_msg("%s.%s has no doc, its neighbours have", at, f->name);
            return;
        }
        if (n < 20 || n > 240 || f->doc[n - 1] != '.')
            fail_msg("%s.%s: one to three short sentences are wanted: %s", at, f->name, f->doc);
        check_docs(f->schema, f->name);
    }
}

static void test_docs(void **state TY_UNUSED)
{
    check_docs(&ty_schema_TrainJob, "TrainJob");
    check_docs(&ty_schema_TrainingRuntime, "TrainingRuntime");
}

/* ---- facts of v2.3.0 that readers of the tables rely on ---- */

static void test_facts(void **state TY_UNUSED)
{
    const struct ty_schema *job = &ty_schema_TrainJob, *rt = &ty_schema_TrainingRuntime;

    assert_int_equal(field_at(job, "spec.runtimeRef")->flags, TY_F_REQUIRED | TY_F_OMITZERO);
    assert_string_equal(field_at(job, "spec.runtimeRef.kind")->def, "\"ClusterTrainingRuntime\"");
    assert_string_equal(field_at(job, "spec.suspend")->def, "false");
    assert_false(field_at(job, "spec.trainer.numNodes")->schema->has_min);
    assert_int_equal(field_at(job, "spec.runtimePatches")->schema->max_items, 16);
    assert_string_equal(field_at(job, "spec.runtimePatches")->schema->list_keys[0], "manager");
    assert_int_equal(field_at(job, "status")->schema->min_props, 1);
    assert_int_equal(field_at(job, "status.trainerStatus.lastUpdatedTime")->flags, TY_F_ALWAYS);
    assert_string_equal(field_at(rt, "spec.mlPolicy.mpi.mpiImplementation")->def, "\"OpenMPI\"");
    assert_null(field_at(rt, "spec.mlPolicy.mpi.mpiImplementation")->schema->enums);
    assert_null(field_at(rt, "spec.mlPolicy.mpi.numProcPerNode")->schema->rules);
    assert_null(field_at(rt, "spec.mlPolicy.torch.numProcPerNode")->def);
    assert_string_equal(field_at(rt, "spec.mlPolicy.tensorflow.port")->def, "2222");
}

/* ---- what strategic merge and Go's encoder read from the generated tables ---- */

static void test_generated(void **state TY_UNUSED)
{
    const struct ty_schema *pod = &ty_schema_PodSpec, *set = &ty_schema_JobSetSpec;

    assert_int_equal(field_at(pod, "volumes")->flags, TY_F_OMITZERO | TY_F_MERGE | TY_F_RETAIN);
    assert_string_equal(field_at(pod, "containers")->patch_key, "name");
    assert_string_equal(field_at(pod, "containers.ports")->patch_key, "containerPort");
    assert_string_equal(field_at(pod, "containers.volumeMounts")->patch_key, "mountPath");
    assert_int_equal(field_at(pod, "tolerations")->flags, TY_F_OMITZERO);
    assert_int_equal(field_at(pod, "containers.resources")->flags, TY_F_ALWAYS);
    assert_int_equal(field_at(pod, "containers.env.valueFrom.resourceFieldRef.divisor")->flags,
                     TY_F_ALWAYS);
    assert_string_equal(field_at(set, "replicatedJobs")->patch_key, "name");
    assert_string_equal(field_at(set, "replicatedJobs.replicas")->def, "1");
    assert_int_equal(field_at(set, "replicatedJobs.name")->flags, TY_F_REQUIRED | TY_F_ZERO);
    assert_int_equal(field_at(set, "replicatedJobs.template.metadata")->flags, TY_F_ALWAYS);
    assert_string_equal(field_at(&ty_schema_ObjectMeta, "finalizers")->name, "finalizers");
    assert_true(ty_schema_metadata.metadata);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_docs),
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_generated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
