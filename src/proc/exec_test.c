/* What a process finds when it starts: program, place, limits, descriptors; and the words when it
 * cannot. */
#include "proc/testing.h"

#include <sched.h>
#include <sys/stat.h>

static void sh_ok(struct ty_shim *k, struct ty_process_spec s, const char *script, const char *want)
{
    const char *const argv[] = { "/bin/sh", "-c", script, NULL };
    s.argv = argv;
    s.id = 5;
    struct said said = run(k, s);
    assert_exit(&said, 0);
    assert_string_equal(said.text, want);
}

static void fails(struct ty_shim *k, const struct ty_process_spec *s, int code, const char *text)
{
    start(k, s);
    struct ty_shim_event n = expect(k, TY_SHIM_START_FAILED, s->id);
    assert_string_equal(n.text, text);
    assert_int_equal(n.code, code);
}

/* Two folders: the first holds a file that may not be executed, the second a program. */
struct folders {
    char dir[64], path[256];
};

static void write_program(const char *dir, const char *sub, const char *text, mode_t mode)
{
    char path[160];
    snprintf(path, sizeof(path), "%s/%s", dir, sub);
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(path, sizeof(path), "%s/%s/prog", dir, sub);
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

static void make_folders(struct folders *f)
{
    snprintf(f->dir, sizeof(f->dir), "/tmp/trainyard-exec-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    assert_int_equal(chmod(f->dir, 0755), 0);
    write_program(f->dir, "locked", "#!/bin/sh\necho locked\n", 0644);
    write_program(f->dir, "good", "#!/bin/sh\necho good $1\n", 0755);
    write_program(f->dir, "broken", "neither a script nor a program", 0755);
    char closed[160];
    snprintf(closed, sizeof(closed), "%s/closed", f->dir);
    assert_int_equal(mkdir(closed, 0), 0);
}

static void remove_folders(const struct folders *f)
{
    char command[128];
    snprintf(command, sizeof(command), "rm -r %s", f->dir);
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    waitpid(pid, NULL, 0);
}

static void programs_are_looked_up_along_path(void **state)
{
    (void)state;
    struct folders f;
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, NULL);
    const char *const argv[] = { "prog", "arg", NULL }, *const rel[] = { "good/prog", "x", NULL };
    const char *env[] = { f.path, NULL };
    struct ty_process_spec s = plain(5, argv);

    make_folders(&f);
    s.env = env;
    snprintf(f.path, sizeof(f.path), "PATH=/nowhere:%s/locked:%s/good", f.dir, f.dir);
    struct said said = run(k, s);
    assert_exit(&said, 0);
    assert_string_equal(said.text, "good arg\n");
    snprintf(f.path, sizeof(f.path), "PATH=%s/locked:/nowhere", f.dir);
    fails(k, &s, EACCES, "exec prog: Permission denied");
    snprintf(f.path, sizeof(f.path), "PATH=%s/closed:/nowhere", f.dir);
    if (geteuid() != 0) /* root may search everywhere */
        fails(k, &s, ENOENT, "exec prog: No such file or directory");
    snprintf(f.path, sizeof(f.path), "PATH=%s/broken:%s/good", f.dir, f.dir);
    fails(k, &s, ENOEXEC, "exec prog: Exec format error");
    snprintf(f.path, sizeof(f.path), "PATH=/nowhere");
    fails(k, &s, ENOENT, "exec prog: No such file or directory");
    s.argv = rel; /* a slash: from the working directory */
    s.cwd = f.dir;
    said = run(k, s);
    assert_exit(&said, 0);
    assert_string_equal(said.text, "good x\n");
    remove_folders(&f);
    ty_shim_free(k);
    ty_zygote_stop(z);
}

static void a_default_path_and_odd_commands(void **state)
{
    (void)state;
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, NULL);
    const char *const argv[] = { "true", NULL }, *const none[] = { NULL },
                      *const empty[] = { "", NULL };
    struct ty_process_spec s = plain(5, argv);
    s.env = none;
    struct said said = run(k, s);
    assert_exit(&said, 0);
    s.argv = none;
    fails(k, &s, ENOENT, "exec: No such file or directory");
    s.argv = empty;
    fails(k, &s, ENOENT, "exec : No such file or directory");
    s = plain(9, argv);
    s.cwd = "/no/such/place";
    fails(k, &s, ENOENT, "working directory /no/such/place: No such file or directory");
    ty_shim_free(k);
    ty_zygote_stop(z);
}

static void limits_are_set(void **state)
{
    (void)state;
    struct rlimit nofile;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &nofile), 0);
    nofile.rlim_cur = 99; /* ours at the zygote's start, and so a container's */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &nofile), 0);
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, NULL);
    struct ty_process_spec s = plain(5, NULL);

    sh_ok(k, s, "ulimit -n", "99\n");
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &nofile), 0);
    assert_true(nofile.rlim_cur == nofile.rlim_max); /* raised here */
    s.limit_nofile = 77;
    s.limit_nproc = 555;
    s.limit_as = 512 << 20;
    s.limit_core = 0;
    sh_ok(k, s, "ulimit -n; ulimit -p; ulimit -v; ulimit -c", "77\n555\n524288\n0\n");
    ty_shim_free(k);
    ty_zygote_stop(z);
}

static void a_limit_above_ours_is_ours(void **state)
{
    (void)state;
    if (geteuid() == 0)
        skip(); /* root may raise */
    struct rlimit core = { 4096, 4096 };
    assert_int_equal(setrlimit(RLIMIT_CORE, &core), 0);
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, NULL);
    struct ty_process_spec s = plain(5, NULL);
    s.limit_core = 1 << 20;
    sh_ok(k, s, "ulimit -c", "8\n"); /* blocks of 512 */
    ty_shim_free(k);
    ty_zygote_stop(z);
}

/* Any descriptor will do: what matters is who writes what, and when. */
static void it_joins_its_cgroup_first(void **state)
{
    (void)state;
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, NULL);
    const char *const argv[] = { "true", NULL };
    struct ty_process_spec s = plain(5, argv);
    char word[8] = "";
    int pipe[2];

    assert_int_equal(pipe2(pipe, O_CLOEXEC), 0);
    s.cgroup = pipe[1];
    struct said said = run(k, s);
    assert_exit(&said, 0);
    close(pipe[1]);
    assert_int_equal(read(pipe[0], word, sizeof(word)), 1);
    assert_string_equal(word, "0"); /* "me", whatever my number is in which namespace */
    s.cgroup = pipe[0];
    fails(k, &s, EBADF, "join its cgroup: Bad file descriptor");
    close(pipe[0]);
    ty_shim_free(k);
    ty_zygote_stop(z);
}

static void the_process_is_pinned(void **state)
{
    (void)state;
    cpu_set_t ours;
    assert_int_equal(sched_getaffinity(0, sizeof(ours), &ours), 0);
    unsigned cpu = 0;
    while (!CPU_ISSET(cpu, &ours))
        cpu++;
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, NULL);
    struct ty_process_spec s = plain(5, NULL);
    char want[64];
    s.cpus_mask[cpu / 64] = (int64_t)(1ULL << (cpu % 64));
    snprintf(want, sizeof(want), "Cpus_allowed_list:\t%u\n", cpu);
    sh_ok(k, s, "grep Cpus_allowed_list /proc/self/status", want);
    ty_shim_free(k);
    ty_zygote_stop(z);
}

static void users_change_where_root_may(void **state)
{
    (void)state;
    const char *const argv[] = { "id", NULL };
    char want[128];
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, NULL);
    struct ty_process_spec s = plain(5, argv);
    s.uid = 12345;
    s.gid = 54321;
    if (geteuid() == 0) {
        sh_ok(k, s, "id -u; id -g; id -G; grep CapEff /proc/self/status",
              "12345\n54321\n54321\nCapEff:\t0000000000000000\n");
    } else { /* only our own is mapped */
        fails(k, &s, EINVAL, "change the group: Invalid argument");
        s.uid = (int)geteuid();
        s.gid = (int)getegid();
        snprintf(want, sizeof(want), "%d\n%d\nCapEff:\t0000000000000000\n", s.uid, s.gid);
        sh_ok(k, s, "id -u; id -g; grep CapEff /proc/self/status", want);
    }
    ty_shim_free(k);
    ty_zygote_stop(z);
}

static void only_its_own_descriptors(void **state)
{
    (void)state;
    for (size_t m = 0; m < N_MODES; m++) {
        struct ty_zygote *z = zygote(modes[m]);
        struct ty_shim *k = shim(z, NULL);
        struct ty_process_spec s = plain(5, NULL);
        int in[2];
        sh_ok(k, s, "ls /proc/self/fd | tr '\\n' ' '; readlink /proc/self/fd/0",
              "0 1 2 3 /dev/null\n");
        assert_int_equal(pipe2(in, O_CLOEXEC), 0);
        assert_int_equal(write(in[1], "hello\n", 6), 6);
        close(in[1]);
        s.in = in[0];
        sh_ok(k, s, "cat; echo error >&2", "hello\nerror\n");
        close(in[0]);
        ty_shim_free(k);
        ty_zygote_stop(z);
    }
}

/* Nothing blocked, nothing ignored, although the program that started us ignored SIGINT. */
static void signals_are_as_new(void **state)
{
    (void)state;
    sigset_t blocked, old;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigprocmask(SIG_BLOCK, &blocked, &old);
    signal(SIGINT, SIG_IGN);
    struct ty_zygote *z = zygote(0);
    struct ty_shim *k = shim(z, NULL);
    const char *const argv[] = { "grep", "-E", "SigBlk|SigIgn", "/proc/self/status", NULL };
    struct said said = run(k, plain(5, argv));
    assert_string_equal(said.text, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
    signal(SIGINT, SIG_DFL);
    sigprocmask(SIG_SETMASK, &old, NULL);
    ty_shim_free(k);
    ty_zygote_stop(z);
}

static void it_leads_a_session(void **state)
{
    (void)state;
    struct ty_zygote *z = zygote(TY_NO_PID_NS | TY_NO_MOUNTS);
    struct ty_shim *k = shim(z, NULL);
    sh_ok(k, plain(5, NULL),
          "read a b c d pgrp sid rest </proc/self/stat; test $pgrp = $$ -a $sid = $$", "");
    ty_shim_free(k);
    ty_zygote_stop(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_looked_up_along_path),
        cmocka_unit_test(a_default_path_and_odd_commands),
        cmocka_unit_test(limits_are_set),
        cmocka_unit_test(a_limit_above_ours_is_ours),
        cmocka_unit_test(it_joins_its_cgroup_first),
        cmocka_unit_test(the_process_is_pinned),
        cmocka_unit_test(users_change_where_root_may),
        cmocka_unit_test(only_its_own_descriptors),
        cmocka_unit_test(signals_are_as_new),
        cmocka_unit_test(it_leads_a_session),
    };
    return run_as_both("exec", tests, TY_COUNT(tests));
}
