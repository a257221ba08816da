/* Cgroups of containers. An ordinary folder stands in for the kernel's where limits are told apart
 * by what is written; who joins is seen on the real cgroup v2, if root may write to it. */
#include "engine/engine_testing.h"

static void without_cgroups_all_runs(void **state)
{
    struct engine_fixture *w = *state;

    fixture_submit(w, "j", 1, SH("kill -KILL $$$$"));
    fixture_run(w);
    assert_null(w->e->limits.cgroups);
    assert_false(w->e->o.host.cgroup_memory);
    assert_observed(w, "P j-node-0-0 main 137 Error"); /* killed, but not for memory */
}

/* The container itself plays the kernel: it counts a kill in its own memory.events. */
static void killed_for_memory(void **state)
{
    struct engine_fixture *w = *state;
    char *dir = ty_arena_printf(w->a, "%s/cg", w->dir);

    mkdir(dir, 0755);
    w->o.cgroup = dir;
    fixture_submit(w, "j", 1,
                   ty_arena_printf(w->a,
                                   SH("cd %s/trainyard-*/j-node-0-0-*.main && printf 'oom "
                                      "1\\\\noom_kill 1\\\\n' > memory.events; kill -KILL $$$$"),
                                   dir));
    fixture_run(w);
    assert_observed(w, "P j-node-0-0 main 137 OOMKilled");
    assert_observed(w, "J j Failed");
}

static const char *real_root(void)
{
    static const char *const roots[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
    for (size_t i = 0; i < 2; i++) {
        char path[128];
        snprintf(path, sizeof(path), "%s/cgroup.subtree_control", roots[i]);
        if (access(path, W_OK) == 0)
            return roots[i];
    }
    return NULL;
}

/* The container, its probes, and what they leave: all in the cgroup, which goes with them. */
static void all_of_a_container_is_in_its_cgroup(void **state)
{
    struct engine_fixture *w = *state;

    w->o.cgroup = real_root();
    if (!w->o.cgroup)
        skip();
    char *mark = ty_arena_printf(w->a, "%s/claims/mark", w->dir);
    char *pod = ty_arena_printf(
        w->a,
        "{restartPolicy: Never, containers: [{name: main, image: x, startupProbe: {periodSeconds: "
        "1, exec: {command: [sh, -c, 'grep ^0:: /proc/self/cgroup > %s']}}, command: [sh, -c, "
        "'grep "
        "^0:: /proc/self/cgroup; until test -s %s; do sleep 0.05; done; sleep 60 & exit 0']}]}",
        mark, mark);
    fixture_submit(w, "j", 1, pod);
    fixture_run(w);
    assert_observed(w, "J j Complete");
    assert_observed(w, ty_arena_printf(w->a, "/trainyard-%d-", getpid()));
    assert_observed(w, ".main\n");
    assert_has(fixture_file(w, "claims/mark"), "/j-node-0-0-");
    ty_engine_free(w->e); /* waits for what is still dying in them */
    w->e = NULL;
    FILE *f = popen(
        ty_arena_printf(w->a, "ls -d %s/trainyard-%d-* 2>/dev/null", w->o.cgroup, getpid()), "re");
    assert_int_equal(fgetc(f), EOF);
    pclose(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ENGINE_TEST(without_cgroups_all_runs),
        ENGINE_TEST(killed_for_memory),
        ENGINE_TEST(all_of_a_container_is_in_its_cgroup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
