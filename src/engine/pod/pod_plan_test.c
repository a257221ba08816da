#include "engine/pod/pod_testing.h"

#define MAIN(members) "{'containers':[{'name':'main','image':'i','command':['run']" members "}]}"
#define POD(members)  "{'containers':[{'name':'main','image':'i','command':['run']}]" members "}"

static void test_the_whole_plan(void **state)
{
    struct fixture *f = *state;
    const struct ty_container_plan *c;

    assert_int_equal(
        make(f,
             "{'hostname':'js-node-0-3','subdomain':'js','restartPolicy':'Never',"
             "'terminationGracePeriodSeconds':0,'activeDeadlineSeconds':9,'schedulingGates':"
             "[{'name':'g'}],'hostAliases':[{'ip':'1.2.3.4','hostnames':['a','b']}],"
             "'initContainers':[{'name':'side','image':'s','command':['s'],'restartPolicy':"
             "'Always'}],'containers':[{'name':'main','image':'i','command':['run','$(V)'],"
             "'args':['--port','29500'],'workingDir':'/w','env':[{'name':'V','value':'v'}],"
             "'terminationMessagePath':'/t','terminationMessagePolicy':'FallbackToLogsOnError'}]}"),
        0);
    assert_string_equal(f->plan.name, "js-node-0-0-abcde");
    assert_string_equal(f->plan.ns, "ns");
    assert_string_equal(f->plan.uid, "u-1");
    assert_string_equal(f->plan.hostname, "js-node-0-3");
    assert_string_equal(f->plan.subdomain, "js");
    assert_string_equal(f->plan.host_aliases[0], "1.2.3.4\ta\tb");
    assert_null(f->plan.host_aliases[1]);
    assert_int_equal(f->plan.restart, 'N');
    assert_int_equal(f->plan.grace_s, 0);
    assert_int_equal(f->plan.deadline_s, 9);
    assert_true(f->plan.gated);
    assert_int_equal(f->plan.n, 2);
    assert_int_equal(f->plan.n_init, 1);
    c = f->plan.containers;
    assert_true(c[0].init && c[0].sidecar);
    assert_string_equal(c[0].message_path, "/dev/termination-log");
    assert_null(c[0].cwd);
    assert_false(c[1].init);
    assert_string_equal(c[1].argv[0], "run");
    assert_string_equal(c[1].argv[1], "v");
    assert_string_equal(c[1].argv[3], "41000");
    assert_null(c[1].argv[4]);
    assert_string_equal(c[1].cwd, "/w");
    assert_string_equal(c[1].message_path, "/t");
    assert_true(c[1].message_from_log);
}

static void test_what_is_not_said(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(make(f, POD("")), 0);
    assert_string_equal(f->plan.hostname, "js-node-0-0-abcde");
    assert_null(f->plan.subdomain);
    assert_int_equal(f->plan.restart, 'O');
    assert_int_equal(f->plan.grace_s, 30);
    assert_int_equal(f->plan.deadline_s, 0);
    assert_false(f->plan.gated);
    assert_null(f->plan.volumes);
    assert_null(f->plan.host_aliases[0]);
}

static void test_host_names(void **state)
{
    struct fixture *f = *state;
    char spec[256], longest[80];

    memset(longest, 'a', 62);
    memcpy(longest + 62, "-bcdef", 7);
    snprintf(spec, sizeof(spec), POD(",'hostname':'%s'"), longest);
    assert_int_equal(make(f, spec), 0);
    assert_int_equal(strlen(f->plan.hostname), 62); /* cut at 63, then without the dash */
    make(f, POD(",'hostname':'h','subdomain':'s','setHostnameAsFQDN':true"));
    assert_string_equal(f->plan.hostname, "h.s.ns.svc.cluster.local");
    make(f, POD(",'hostname':'h','hostnameOverride':'other.example'"));
    assert_string_equal(f->plan.hostname, "other.example");
}

static void test_resources(void **state)
{
    struct fixture *f = *state;
    const struct ty_container_plan *c;

    assert_int_equal(
        make(f,
             "{'initContainers':[{'name':'i','image':'i','command':['x'],'resources':{'requests':"
             "{'cpu':'5'}}}],'containers':[{'name':'a','image':'i','command':['x'],'resources':"
             "{'limits':{'cpu':'2','memory':'1Gi','nvidia.com/gpu':'1'}}},{'name':'b','image':'i',"
             "'command':['x'],'resources':{'limits':{'cpu':'1500m'},'requests':{'cpu':'100m',"
             "'memory':'64Mi'}}},{'name':'c','image':'i','command':['x'],'resources':{'limits':"
             "{'cpu':'2'},'requests':{'cpu':'1'}}}]}"),
        0);
    c = f->plan.containers;
    assert_int_equal(c[1].cpu_limit_milli, 2000);
    assert_int_equal(c[1].memory_limit, 1 << 30);
    assert_int_equal(c[1].whole_cpus, 2);
    assert_int_equal(c[1].gpus, 1);
    assert_int_equal(c[2].cpu_limit_milli, 1500);
    assert_int_equal(c[2].whole_cpus, 0);
    assert_int_equal(c[3].whole_cpus, 0);      /* asks for less than its limit */
    assert_int_equal(f->plan.cpu_milli, 5000); /* the init container's is the peak */
    assert_int_equal(f->plan.memory, (1 << 30) + (64 << 20));
    assert_int_equal(f->plan.gpus, 1);
}

static void test_rules(void **state)
{
    struct fixture *f = *state;
    const struct ty_container_plan *c;

    assert_int_equal(
        make(f, MAIN(",'restartPolicy':'Never','restartPolicyRules':[{'action':'Restart',"
                     "'exitCodes':{'operator':'In','values':[1,2]}},{'action':"
                     "'RestartAllContainers','exitCodes':{'operator':'NotIn','values':"
                     "[3]}}]")),
        0);
    c = f->plan.containers;
    assert_int_equal(c->restart, 'N');
    assert_int_equal(c->n_rules, 2);
    assert_false(c->rules[0].all || c->rules[0].not_in);
    assert_int_equal(c->rules[0].n_codes, 2);
    assert_int_equal(c->rules[0].codes[1], 2);
    assert_true(c->rules[1].all && c->rules[1].not_in);
}

static void test_programs_that_are_ours(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(make(f, "{'containers':[{'name':'d','image':'x/dataset-initializer:1'}]}"), 0);
    assert_string_equal(f->plan.containers[0].initializer, "dataset");
    assert_null(f->plan.containers[0].argv[0]);
    assert_int_equal(
        make(f, "{'containers':[{'name':'d','image':'x','command':['/usr/sbin/sshd']}]}"), 0);
    assert_true(f->plan.containers[0].holder);
    assert_int_equal(make(f, "{'containers':[{'name':'d','image':'x'}]}"), -EINVAL);
    assert_string_equal(f->err.text,
                        "container d: command is required: the image entrypoint cannot be read");
}

static void test_bad_probe(void **state)
{
    struct fixture *f = *state;

    assert_true(make(f, MAIN(",'lifecycle':{'preStop':{'tcpSocket':{'port':'no'}}}")) < 0);
    assert_string_equal(f->err.text, "container main: lifecycle.preStop: couldn't find port: no");
}

/* The plan outlives the object: its strings are its own. */
static void test_nothing_of_the_object_is_borrowed(void **state)
{
    struct fixture *f = *state;
    struct ty_arena *own = ty_arena_new(1 << 22), *plan = ty_arena_new(1 << 22);
    struct ty_json *pod =
        parse(own, "{'metadata':{'name':'p','namespace':'ns','uid':'u','labels':"
                   "{'batch.kubernetes.io/job-completion-index':'3'}},'spec':"
                   "{'hostname':'h','containers':[{'name':'main','image':'i',"
                   "'command':['run','a'],'env':[{'name':'V','value':'v'},"
                   "{'name':'N','valueFrom':{'fieldRef':{'fieldPath':"
                   "'metadata.name'}}}],'livenessProbe':{'exec':{'command':['p']}},"
                   "'volumeMounts':[{'name':'d','mountPath':'/d','subPath':'s'}]}],"
                   "'volumes':[{'name':'d','downwardAPI':{'items':[{'path':'n',"
                   "'fieldRef':{'fieldPath':'metadata.name'}}]}}]}}");

    assert_int_equal(ty_pod_plan_make(plan, pod, &f->host, &f->view, &f->net, &f->plan, &f->err),
                     0);
    ty_arena_free(own); /* under ASan a borrowed byte is seen now */
    assert_string_equal(f->plan.name, "p");
    assert_string_equal(f->plan.hostname, "h");
    assert_string_equal(f->plan.containers[0].argv[1], "a");
    assert_string_equal(var(f, 0, "V"), "v");
    assert_string_equal(var(f, 0, "N"), "p");
    assert_string_equal(var(f, 0, "JOB_COMPLETION_INDEX"), "3");
    assert_string_equal(f->plan.containers[0].liveness->argv[0], "p");
    assert_string_equal(f->plan.containers[0].mounts->sub_path, "s");
    assert_string_equal(f->plan.volumes->files->path, "n");
    assert_memory_equal(f->plan.volumes->files->data.p, "p", 1);
    ty_arena_free(plan);
}

static char *repeated(struct ty_arena *a, const char *what, size_t times)
{
    ty_auto_buf b = { 0 };

    for (size_t i = 0; i < times; i++)
        ty_buf_cstr(&b, what);
    return ty_arena_cstr(a, ty_buf_str(&b));
}

/* Ten variables, each ten times the one before it: ten billion bytes, or a text that execve refuses
 * and that is no longer than it must be for that. */
static void test_variables_that_laugh(void **state)
{
    struct fixture *f = *state;
    ty_auto_arena *a = ty_arena_new(1 << 22);
    ty_auto_buf env = { 0 };

    ty_buf_cstr(&env, ",'env':[{'name':'V0','value':'0123456789'}");
    for (int i = 1; i < 10; i++)
        ty_buf_printf(&env, ",{'name':'V%d','value':'%s'}", i,
                      repeated(a, ty_arena_printf(a, "$(V%d)", i - 1), 10));
    char *spec = ty_arena_printf(a, MAIN("%.*s]"), (int)env.n, env.p);
    assert_int_equal(make(f, spec), 0);
    assert_int_equal(strlen(var(f, 0, "V3")), 10000);
    assert_true(strlen(var(f, 0, "V9")) >= 128 << 10);
    assert_true(strlen(var(f, 0, "V9")) <= 256 << 10);
}

/* More than any process can be given: said, not tried. */
static void test_a_pod_of_a_hundred_megabytes(void **state)
{
    struct fixture *f = *state;
    ty_auto_arena *a = ty_arena_new(1 << 24);
    char *big = repeated(a, "0123456789", 10000);
    char *args = repeated(a, "'$(V)',", 1000);
    char *spec = ty_arena_printf(
        a,
        "{'containers':[{'name':'main','image':'i','command':['run'],'env':[{'name':'V','value':"
        "'%s'}],'args':[%s'']}]}",
        big, args);

    assert_int_equal(make(f, spec), -EFBIG);
    assert_non_null(strstr(f->err.text, "take more than 64 MiB of memory"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_fixture(test_the_whole_plan),
        with_fixture(test_what_is_not_said),
        with_fixture(test_host_names),
        with_fixture(test_resources),
        with_fixture(test_rules),
        with_fixture(test_programs_that_are_ours),
        with_fixture(test_variables_that_laugh),
        with_fixture(test_a_pod_of_a_hundred_megabytes),
        with_fixture(test_bad_probe),
        with_fixture(test_nothing_of_the_object_is_borrowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
