#include "trainer/testing.h"

/* A container with two variables, a port and a mount, to be edited. */
static struct ty_json *container(struct fixture *f)
{
    fx_plan(f,
            RUNTIME("{}", ",'env':[{'name':'A','value':'1'},{'name':'B','value':'2'}],'ports':["
                          "{'containerPort':8080}],'volumeMounts':[{'name':'v','mountPath':'/m'}]"),
            JOB(""));
    return fx_container(f, "node", "node");
}

static const char *member(struct fixture *f, const char *key)
{
    return fx_member(f, "node", "node", key);
}

static void test_env_replaces_in_place(void **state)
{
    struct fixture *f = *state;
    struct ty_json *c = container(f);

    ty_plan_env(&f->plan, c, "A", "%d-%s", 7, "x");
    ty_plan_env(&f->plan, c, "C", "new");
    assert_string_equal(fx_env(f, "node", "node"), "A=7-x;B=2;C=new");
}

static void test_env_into_nothing(void **state)
{
    struct fixture *f = *state;
    struct ty_json *empty = ty_json_object(f->arena);

    container(f);
    ty_plan_env(&f->plan, empty, "A", "%s", "");
    assert_string_equal(fx_text(f, empty), "{'env':[{'name':'A','value':''}]}");
}

static void test_env_field_takes_the_place_of_a_value(void **state)
{
    struct fixture *f = *state;

    ty_plan_env_field(&f->plan, container(f), "A", "metadata.name");
    assert_string_equal(member(f, "env"), "[{'name':'A','valueFrom':{'fieldRef':{'fieldPath':"
                                          "'metadata.name'}}},{'name':'B','value':'2'}]");
}

static void add_list(struct fixture *f, const char *list)
{
    ty_plan_env_list(&f->plan, container(f), fx_json(f->arena, list));
}

static void test_env_list(void **state)
{
    struct fixture *f = *state;

    add_list(f, "[{'name':'N'},{'name':'B','value':'two'},{'name':'N','value':'again'}]");
    assert_string_equal(fx_env(f, "node", "node"), "A=1;B=two;N=again");
}

/* An absent value is written as "", a reference has none. */
static void test_env_list_writes_empty_values(void **state)
{
    struct fixture *f = *state;

    add_list(f, "[{'name':'A'},{'name':'B','valueFrom':{'secretKeyRef':{'name':'s','key':'k'}}}]");
    assert_string_equal(member(f, "env"), "[{'name':'A','value':''},{'name':'B','valueFrom':"
                                          "{'secretKeyRef':{'name':'s','key':'k'}}}]");
}

/* B7: neither fileKeyRef nor a field's apiVersion is lost. */
static void test_env_list_keeps_references_whole(void **state)
{
    struct fixture *f = *state;

    add_list(f, "[{'name':'A','valueFrom':{'fieldRef':{'apiVersion':'v1','fieldPath':'p'}}},"
                "{'name':'B','valueFrom':{'fileKeyRef':{'volumeName':'v','path':'p','key':'k'}}}]");
    assert_string_equal(member(f, "env"),
                        "[{'name':'A','valueFrom':{'fieldRef':{'apiVersion':'v1','fieldPath':'p'}}}"
                        ",{'name':'B','valueFrom':{'fileKeyRef':{'volumeName':'v','path':'p','key':"
                        "'k'}}}]");
}

static void test_env_list_completes_resource_refs(void **state)
{
    struct fixture *f = *state;

    add_list(f, "[{'name':'A','valueFrom':{'resourceFieldRef':{'resource':'limits.cpu'}}}]");
    const struct ty_json *ref =
        ty_json_at(fx_json(f->arena, member(f, "env"))->items[0], "valueFrom.resourceFieldRef");
    assert_true(ty_json_eq(
        ref, fx_json(f->arena, "{'containerName':'','resource':'limits.cpu','divisor':'0'}")));
}

static void test_env_list_of_nothing(void **state)
{
    struct fixture *f = *state;
    struct ty_json *empty = ty_json_object(f->arena);

    container(f);
    ty_plan_env_list(&f->plan, empty, NULL);
    ty_plan_env_list(&f->plan, empty, ty_json_array(f->arena));
    assert_int_equal(empty->n, 0);
}

/* The user's list is borrowed. */
static void test_env_list_is_copied(void **state)
{
    struct fixture *f = *state;
    struct ty_json *list = fx_json(f->arena, "[{'name':'A'}]");

    ty_plan_env_list(&f->plan, container(f), list);
    assert_string_equal(fx_text(f, list), "[{'name':'A'}]");
    assert_int_equal(list->items[0]->origin, 0);
}

/* B1: an unnamed port of another number stays. */
static void test_port(void **state)
{
    struct fixture *f = *state;
    struct ty_json *c = container(f);

    ty_plan_port(&f->plan, c, 29500);
    ty_plan_port(&f->plan, c, 29500);
    assert_string_equal(member(f, "ports"), "[{'containerPort':8080},{'containerPort':29500}]");
}

static void test_port_of_another_protocol(void **state)
{
    struct fixture *f = *state;
    struct ty_json *c = fx_json(f->arena, "{'ports':[{'containerPort':29500,'protocol':'UDP'}]}");

    container(f);
    ty_plan_port(&f->plan, c, 29500);
    assert_string_equal(fx_text(f, c), "{'ports':[{'containerPort':29500,'protocol':'UDP'},"
                                       "{'containerPort':29500}]}");
    c = fx_json(f->arena, "{'ports':[{'name':'x','containerPort':29500,'protocol':'TCP'}]}");
    ty_plan_port(&f->plan, c, 29500);
    assert_int_equal(ty_json_len(ty_json_get(c, "ports")), 1);
}

/* Mounts are matched by mountPath, not by volume name. */
static void test_mount_by_path(void **state)
{
    struct fixture *f = *state;
    struct ty_json *c = container(f);

    ty_plan_mount(&f->plan, c, "v", "/other", false);
    ty_plan_mount(&f->plan, c, "w", "/m", true);
    assert_string_equal(member(f, "volumeMounts"), "[{'name':'w','mountPath':'/m','readOnly':true},"
                                                   "{'name':'v','mountPath':'/other'}]");
}

static void test_volume_by_name(void **state)
{
    struct fixture *f = *state;

    container(f);
    ty_plan_volume(&f->plan, f->plan.trainer, fx_json(f->arena, "{'name':'v','emptyDir':{}}"));
    ty_plan_volume(&f->plan, f->plan.trainer, fx_json(f->arena, "{'name':'w','emptyDir':{}}"));
    ty_plan_volume(&f->plan, f->plan.trainer,
                   fx_json(f->arena, "{'name':'v','secret':{'secretName':'s'}}"));
    assert_string_equal(fx_text(f, ty_json_get(f->plan.trainer->pod, "volumes")),
                        "[{'name':'v','secret':{'secretName':'s'}},{'name':'w','emptyDir':{}}]");
}

static void test_child(void **state)
{
    struct fixture *f = *state;

    container(f);
    ty_plan_child(&f->plan, &f->job, &ty_kind_secret, "s");
    struct ty_json *c = ty_plan_child(&f->plan, &f->job, &ty_kind_jobset, "j");
    assert_string_equal(
        fx_text(f, c),
        "{'apiVersion':'jobset.x-k8s.io/v1alpha2','kind':'JobSet','metadata':{'name':'j',"
        "'namespace':'ns','ownerReferences':[{'apiVersion':'trainer.kubeflow.org/v1alpha1',"
        "'kind':'TrainJob','name':'j','uid':'test-uid','controller':true,'blockOwnerDeletion':"
        "true}]}}");
    assert_true(f->plan.want->kind == &ty_kind_secret && f->plan.want->next->obj == c);
    assert_ptr_equal(f->plan.want_last, f->plan.want->next);
}

/* A file has neither uid nor namespace. */
static void test_child_of_a_file(void **state)
{
    struct fixture *f = *state;
    struct ty_trainjob job;

    ty_trainjob_parse(&job, fx_json(f->arena, "{'metadata':{'name':'j'}}"));
    const struct ty_json *c = ty_plan_child_new(f->arena, &job, &ty_kind_configmap, "c");
    assert_string_equal(
        fx_text(f, c),
        "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'c','ownerReferences':[{"
        "'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainJob','name':'j',"
        "'controller':true,'blockOwnerDeletion':true}]}}");
}

static void test_edits_are_stamped(void **state)
{
    struct fixture *f = *state;
    struct ty_json *c = container(f);

    ty_plan_origin(&f->plan, "plugin %s", "X");
    ty_plan_env(&f->plan, c, "A", "1");
    ty_plan_mount(&f->plan, c, "v", "/x", false);
    ty_plan_port(&f->plan, c, 1);
    const struct ty_json *env = ty_json_get(c, "env");
    assert_string_equal(core_origin(&f->plan, ty_json_get(env->items[0], "value")), "plugin X");
    assert_string_equal(core_origin(&f->plan, env->items[1]), "runtime rt");
    assert_string_equal(core_origin(&f->plan, ty_json_get(c, "volumeMounts")->items[1]),
                        "plugin X");
    assert_string_equal(core_origin(&f->plan, ty_json_get(c, "ports")->items[1]), "plugin X");
}

static void test_origin_texts(void **state)
{
    struct fixture *f = *state;
    struct ty_plan plan = { .arena = f->arena };

    assert_null(ty_plan_origin_text(&plan, 0));
    assert_null(ty_plan_origin_text(&plan, 1));
    assert_int_equal(ty_plan_origin(&plan, "one"), 1);
    assert_int_equal(ty_plan_origin(&plan, "two"), 2);
    assert_string_equal(ty_plan_origin_text(&plan, 1), "one");
    assert_string_equal(ty_plan_origin_text(&plan, 2), "two");
    assert_null(ty_plan_origin_text(&plan, 3));
}

/* An origin is 16 bits: the last name stands for all that come after. */
static void test_origins_run_out(void **state)
{
    struct fixture *f = *state;
    struct ty_plan plan = { .arena = f->arena };

    for (unsigned i = 1; i <= UINT16_MAX; i++)
        assert_int_equal(ty_plan_origin(&plan, "n%u", i), i);
    for (unsigned i = 0; i < 100000; i++)
        assert_int_equal(ty_plan_origin(&plan, "more"), UINT16_MAX);
    assert_string_equal(ty_plan_origin_text(&plan, UINT16_MAX), "n65535");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(test_env_replaces_in_place),
        core_test(test_env_into_nothing),
        core_test(test_env_field_takes_the_place_of_a_value),
        core_test(test_env_list),
        core_test(test_env_list_writes_empty_values),
        core_test(test_env_list_keeps_references_whole),
        core_test(test_env_list_completes_resource_refs),
        core_test(test_env_list_of_nothing),
        core_test(test_env_list_is_copied),
        core_test(test_port),
        core_test(test_port_of_another_protocol),
        core_test(test_mount_by_path),
        core_test(test_volume_by_name),
        core_test(test_child),
        core_test(test_child_of_a_file),
        core_test(test_edits_are_stamped),
        core_test(test_origin_texts),
        core_test(test_origins_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
