/* Names, addresses and ports of JobSets. */
#include "engine/engine_testing.h"
#include "engine/net.h"

#include <arpa/inet.h>
#include <sys/file.h>
#include <sys/socket.h>

static struct ty_json *jobset(struct engine_fixture *w, const char *name, const char *network)
{
    struct ty_yaml_docs docs = { 0 };
    struct ty_err err = { 0 };
    char *text = ty_arena_printf(
        w->a,
        "metadata: {name: %s, namespace: default, uid: uid-%s}\nspec: {%s replicatedJobs: [{name: "
        "launcher, template: {spec: {}}}, {name: node, replicas: 2, template: {spec: {parallelism: "
        "3, completions: 3}}}]}\n",
        name, name, network);

    if (ty_yaml_parse(w->a, "test", ty_str(text), NULL, &docs, &err) < 0)
        fail_msg("%s", err.text);
    return docs.v[0];
}

static struct ty_jobset_net *net_of(struct engine_fixture *w, const struct ty_json *js)
{
    struct ty_err err = { 0 };
    struct ty_jobset_net *n = ty_net_get(w->e, js, &err);
    if (!n)
        fail_msg("%s", err.text);
    return n;
}

static const char *look(struct ty_jobset_net *n, const char *name)
{
    return ty_net_lookup(n, ty_str(name));
}

static void every_form_of_a_name(void **state)
{
    struct engine_fixture *w = *state;

    fixture_open(w);
    struct ty_jobset_net *n = net_of(w, jobset(w, "j", ""));
    const char *address = look(n, "j-node-1-2");
    assert_non_null(address);
    assert_true(strncmp(address, "127.", 4) == 0);
    assert_ptr_equal(look(n, "j-node-1-2.j"), address);
    assert_ptr_equal(look(n, "j-node-1-2.j.default"), address);
    assert_ptr_equal(look(n, "j-node-1-2.j.default.svc"), address);
    assert_ptr_equal(look(n, "j-node-1-2.j.default.svc.cluster.local"), address);
    assert_null(look(n, "j-node-1-2.j.default.svc.cluster"));
    assert_null(look(n, "j-node-1-2.j.other"));
    assert_null(look(n, "j-node-1-2.k"));
    assert_null(look(n, "j-node-1-2."));
    assert_null(look(n, "j-node-1-3"));
    assert_null(look(n, "j-node-2-0"));
    assert_non_null(look(n, "j-launcher-0-0"));
    assert_string_not_equal(look(n, "j-node-1-1"), address);
    assert_int_equal(n->addresses.n, 7);
    assert_ptr_equal(net_of(w, jobset(w, "j", "")), n); /* made once */
}

static void a_subdomain_of_its_own(void **state)
{
    struct engine_fixture *w = *state;

    fixture_open(w);
    struct ty_jobset_net *n = net_of(w, jobset(w, "j", "network: {subdomain: mesh},"));
    assert_non_null(look(n, "j-node-0-0.mesh"));
    assert_null(look(n, "j-node-0-0.j"));
}

static void the_hosts_file_says_the_same(void **state)
{
    struct engine_fixture *w = *state;

    fixture_open(w);
    struct ty_jobset_net *n = net_of(w, jobset(w, "j", ""));
    const char *text = fixture_file(w, "run/hosts-j");
    const char *at = look(n, "j-node-0-1");
    assert_has(text, ty_arena_printf(
                         w->a,
                         "\n%s\tj-node-0-1.j.default.svc.cluster.local j-node-0-1.j.default.svc "
                         "j-node-0-1.j.default j-node-0-1.j j-node-0-1\n%s\tj\n",
                         at, at));
    assert_true(strncmp(text, "127.0.0.1\tlocalhost\n", 20) == 0);
}

/* Taken among all runs: the file of the port is locked, the port itself is free. */
static void ports_are_apart_and_free(void **state)
{
    struct engine_fixture *w = *state;

    fixture_open(w);
    struct ty_jobset_net *a = net_of(w, jobset(w, "a", "")), *b = net_of(w, jobset(w, "b", ""));
    assert_in_range(a->master.port, 1, 65535);
    assert_int_not_equal(a->master.port, b->master.port);
    int fd =
        open(ty_arena_printf(w->a, "%s/port-%d.lock", w->dir, a->master.port), O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), -1);
    close(fd);
    struct sockaddr_in addr = { .sin_family = AF_INET,
                                .sin_port = htons((uint16_t)a->master.port) };
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
    close(fd);
}

/* TensorFlow's servers listen on all addresses of the machine: each task has a port of its own. */
static void every_pod_has_its_own_task_port(void **state)
{
    struct engine_fixture *w = *state;

    fixture_open(w);
    struct ty_jobset_net *n = net_of(w, jobset(w, "j", ""));
    int first = ty_net_task_port(n, TY_LIT("j-node-0-0.j"), 2222, true);
    int second = ty_net_task_port(n, TY_LIT("j-node-0-1.j"), 2222, true);
    assert_in_range(first, 1, 65535);
    assert_int_not_equal(first, second);
    assert_int_not_equal(first, n->master.port);
    /* the same for everyone, in every form of the name */
    assert_int_equal(ty_net_task_port(n, TY_LIT("j-node-0-0.j.default.svc"), 2222, true), first);
    assert_int_equal(ty_net_task_port(n, TY_LIT("j-node-0-1"), 2222, false), second);
    assert_int_not_equal(ty_net_task_port(n, TY_LIT("j-node-0-0.j"), 2223, true), first);
    assert_int_equal(ty_net_task_port(n, TY_LIT("j-node-0-2"), 2222, false), 0); /* nobody asked */
    assert_int_equal(ty_net_task_port(n, TY_LIT("elsewhere.j"), 2222, true), 0);
    assert_int_equal(ty_net_task_port(n, TY_LIT("j-node-0-0.k"), 2222, true), 0);
}

static void no_task_port(void **state)
{
    struct engine_fixture *w = *state;

    fixture_open(w);
    struct ty_jobset_net *n = net_of(w, jobset(w, "j", ""));
    const char *dir = w->e->o.dir;
    w->e->o.dir = "/nowhere/run";
    assert_int_equal(ty_net_task_port(n, TY_LIT("j-node-0-0.j"), 2222, true), 0);
    w->e->o.dir = dir;
    assert_int_equal(n->task_error.code, -ENOENT);
    assert_non_null(strstr(n->task_error.text, "cannot be made"));
}

static void no_place_for_the_hosts_file(void **state)
{
    struct engine_fixture *w = *state;
    struct ty_err err = { 0 };

    fixture_open(w);
    assert_int_equal(mkdir(ty_arena_printf(w->a, "%s/run/hosts-j", w->dir), 0755), 0);
    assert_null(ty_net_get(w->e, jobset(w, "j", ""), &err));
    assert_has(err.text, "hosts-j");
}

static void pods_reach_each_other_by_name(void **state)
{
    struct engine_fixture *w = *state;

    if (!w->o.host.mounts)
        skip();
    fixture_submit(w, "j", 2, SH("getent hosts j-node-0-1.j | cut -d' ' -f1; hostname"));
    fixture_run(w);
    assert_observed(w, "L j-node-0-0/main 127.");
    assert_observed(w, "L j-node-0-0/main j-node-0-0\n");
    assert_observed(w, "J j Complete");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ENGINE_TEST(every_form_of_a_name),
        ENGINE_TEST(a_subdomain_of_its_own),
        ENGINE_TEST(the_hosts_file_says_the_same),
        ENGINE_TEST(ports_are_apart_and_free),
        ENGINE_TEST(no_place_for_the_hosts_file),
        ENGINE_TEST(pods_reach_each_other_by_name),
        ENGINE_TEST(every_pod_has_its_own_task_port),
        ENGINE_TEST(no_task_port),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
