/* A pod's folder: volumes, files from objects, the hosts file; and that it goes. */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "engine/engine_testing.h"
#include "engine/pod/pod_files.h"

/* A pod's directory goes with the pod, the files of objects with the run. */
static void assert_nothing_is_left(struct engine_fixture *w)
{
    ty_engine_free(w->e);
    w->e = NULL;
    assert_int_equal(rmdir(ty_arena_printf(w->a, "%s/run/pods", w->dir)), 0);
}

static void submit_with(struct engine_fixture *w, const char *objects, const char *pod)
{
    struct ty_err err = { 0 };
    char *text = ty_arena_printf(w->a, "%s%s", objects, fixture_job_text(w, "j", 1, "", pod));
    if (fixture_submit_text(w, text, &err) < 0)
        fail_msg("%s: %s", err.text, w->findings.first ? w->findings.first->text : "");
}

static void files_of_a_configmap(void **state)
{
    struct engine_fixture *w = *state;

    if (!w->o.host.mounts)
        skip();
    submit_with(
        w, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: one, b: two}\n---\n",
        "{restartPolicy: Never, volumes: [{name: v, configMap: {name: c, items: [{key: b, "
        "path: deep/er/b.txt, mode: 256}]}}, {name: w, configMap: {name: c}}], containers: "
        "[{name: main, image: x, volumeMounts: [{name: v, mountPath: /ty-v}, {name: w, "
        "mountPath: /ty-one/a, subPath: a}], command: [sh, -c, 'cat /ty-v/deep/er/b.txt; "
        "echo; stat -c %a /ty-v/deep/er/b.txt; ls /ty-v; cat /ty-one/a; "
        "echo; touch /ty-v/new 2>&1 | grep -o Read-only']}]}");
    fixture_run(w);
    assert_observed(w, "L j-node-0-0/main two\nL j-node-0-0/main 400\nL j-node-0-0/main deep\n");
    assert_observed(w, "L j-node-0-0/main one\nL j-node-0-0/main Read-only\n");
    assert_nothing_is_left(w);
}

static void scratch_goes_and_claims_stay(void **state)
{
    struct engine_fixture *w = *state;

    if (!w->o.host.mounts)
        skip();
    submit_with(
        w,
        "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: keep}\nspec: "
        "{accessModes: [ReadWriteOnce]}\n---\n",
        "{restartPolicy: Never, volumes: [{name: s, emptyDir: {}}, {name: c, "
        "persistentVolumeClaim: {claimName: keep}}], initContainers: [{name: before, image: "
        "x, volumeMounts: [{name: s, mountPath: /ty-s}], command: [sh, -c, 'echo shared > "
        "/ty-s/f']}], containers: [{name: main, image: x, volumeMounts: [{name: s, "
        "mountPath: /ty-s}, {name: c, mountPath: /ty-c, subPath: run/1}], command: [sh, -c, "
        "'cp /ty-s/f /ty-c/f && cat /ty-c/f']}]}");
    fixture_run(w);
    assert_observed(w, "L j-node-0-0/main shared\n");
    assert_string_equal(fixture_file(w, "claims/keep/run/1/f"), "shared\n");
    assert_nothing_is_left(w);
}

static void a_locked_claim(void **state)
{
    struct engine_fixture *w = *state;
    char *dir = ty_arena_printf(w->a, "%s/claims/keep", w->dir);

    assert_int_equal(mkdir(dir, 0777), 0);
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    submit_with(w,
                "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: keep}\nspec: "
                "{accessModes: [ReadWriteOnce]}\n---\n",
                "{restartPolicy: Never, volumes: [{name: c, persistentVolumeClaim: {claimName: "
                "keep}}], containers: [{name: main, image: x, command: ['true']}]}");
    fixture_run(w);
    close(fd);
    assert_observed(w, "E Warning FailedToBegin j-node-0-0: claim keep: another program has an "
                       "exclusive lock on ");
}

static void aliases_are_in_the_hosts_file(void **state)
{
    struct engine_fixture *w = *state;

    if (!w->o.host.mounts)
        skip();
    fixture_submit(
        w, "j", 1,
        "{restartPolicy: Never, hostAliases: [{ip: 10.1.2.3, hostnames: [db, "
        "db.example.com]}], containers: [{name: main, image: x, command: [sh, -c, 'getent "
        "hosts db.example.com | tr -s \" \"; getent hosts j-node-0-0.j | cut -c1-4']}]}");
    fixture_run(w);
    assert_observed(w, "L j-node-0-0/main 10.1.2.3 db");
    assert_observed(w, "L j-node-0-0/main 127.\n");
    assert_null(strstr(fixture_file(w, "run/hosts-j"), "10.1.2.3")); /* its own alone */
}

/* Pipes in the place of the message, before the container starts and when it ends. */
static void a_message_that_is_no_file(void **state)
{
    struct engine_fixture *w = *state;
    static const char pod[] =
        "{restartPolicy: Never, initContainers: [{name: before, image: x, command: [sh, -c, 'cd "
        "%s/run/pods/*/ && mkfifo message-main']}], containers: [{name: main, image: x, command: "
        "[sh, -c, 'cd %s/run/pods/*/ && test -f message-main && rm message-main && mkfifo "
        "message-main && exit 3']}]}";

    fixture_submit(w, "j", 1, ty_arena_printf(w->a, pod, w->dir, w->dir));
    fixture_run(w);
    assert_observed(w, "P j-node-0-0 main 3 Error");
}

static void a_host_path_of_another_kind(void **state)
{
    struct engine_fixture *w = *state;

    fixture_submit(w, "j", 1,
                   "{restartPolicy: Never, volumes: [{name: h, hostPath: {path: /etc/passwd, type: "
                   "Directory}}], containers: [{name: main, image: x, command: ['true'], "
                   "volumeMounts: [{name: h, mountPath: /ty-h}]}]}");
    fixture_run(w);
    assert_observed(
        w, "E Warning FailedToBegin j-node-0-0: hostPath type check failed: /etc/passwd is "
           "not a directory");
    assert_observed(w, "J j Failed");
}

/* Links that a job left in its folder are removed, not followed. */
static void nothing_outside_is_removed(void **state)
{
    struct engine_fixture *w = *state;

    char *precious = ty_arena_printf(w->a, "%s/claims/precious", w->dir);
    assert_int_equal(mkdir(precious, 0755), 0);
    fixture_submit(w, "j", 1,
                   ty_arena_printf(w->a,
                                   SH("ln -s %s $TMPDIR/link; mkdir -p $TMPDIR/a/b; chmod 0 "
                                      "$TMPDIR/a/b; touch %s/file"),
                                   precious, precious));
    fixture_run(w);
    assert_observed(w, "J j Complete");
    assert_nothing_is_left(w);
    assert_int_equal(access(ty_arena_printf(w->a, "%s/file", precious), F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ENGINE_TEST(files_of_a_configmap),
        ENGINE_TEST(scratch_goes_and_claims_stay),
        ENGINE_TEST(a_locked_claim),
        ENGINE_TEST(aliases_are_in_the_hosts_file),
        ENGINE_TEST(a_host_path_of_another_kind),
        ENGINE_TEST(nothing_outside_is_removed),
        ENGINE_TEST(a_message_that_is_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
