/* Nothing survives: however a pod, its zygote or the whole program ends, and whatever the processes
 * in it do, a moment later none of them is left: two seconds where there is little else to do, ten
 * here. The program is a child of this test, so that it can be killed; its processes are told by a
 * mark in their environment. A machine too busy even for that gets a second and a third chance;
 * survivors get none. */
#include "proc/testing.h"

#include <dirent.h>

enum { LIMIT_MS = 10000, CHANCES = 3, NPROC = 60 };
enum method { FREE, STOP, ZYGOTE_STOP, KILL_PROGRAM, KILL_ZYGOTE, KILL_KEEPER, N_METHODS };
static const char *const method_names[] = { "ty_keeper_free",        "ty_keeper_stop",
                                            "ty_zygote_stop",        "kill -9 of the program",
                                            "kill -9 of the zygote", "kill -9 of the keeper" };

struct crew {
    const char *name, *program, *script;
    int least; /* processes that must be seen before the end */
    bool limited;
};
static const struct crew crews[] = {
    { .name = "tree",
      .program = "sh",
      .least = 9,
      .script = "trap '' TERM INT HUP; sleep 300 & (sleep 300 & sleep 300) & "
                "setsid sh -c \"trap '' TERM; sleep 300 & wait\" & (setsid sleep 300 &) ; "
                "(trap '' TERM HUP; (setsid setsid sh -c 'sleep 300; :' &) ) ; wait; sleep 300" },
    { .name = "forks and exits for ever",
      .program = "perl",
      .least = 2,
      .limited = true,
      .script = "fork && sleep 300; for(;;){ my $p = fork; exit 0 if $p }" },
    { .name = "forks, leaves its session and exits for ever",
      .program = "perl",
      .least = 2,
      .limited = true,
      .script = "use POSIX; fork && sleep 300; "
                "for(;;){ my $p = fork; exit 0 if $p; POSIX::setsid() if defined $p }" },
    { .name = "fork bomb",
      .program = "perl",
      .least = 30,
      .limited = true,
      .script = "$SIG{TERM} = 'IGNORE'; for(;;){ fork }" },
    { .name = "fork bomb in new sessions",
      .program = "perl",
      .least = 30,
      .limited = true,
      .script = "use POSIX; for(;;){ my $p = fork; POSIX::setsid() if defined $p && !$p }" },
};
enum { N_CREWS = TY_COUNT(crews) };

static bool is_marked(const char *pid, const char *mark)
{
    char path[64], room[4096];
    snprintf(path, sizeof(path), "/proc/%.20s/environ", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, room, sizeof(room));
    if (fd >= 0)
        close(fd);
    return n > 0 && memmem(room, (size_t)n, mark, strlen(mark));
}

/* How many processes carry the mark; kills them when told so, one by one. */
static int count_marked(const char *mark, bool kill_them)
{
    DIR *d = opendir("/proc");
    int n = 0;
    assert_non_null(d);
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        int64_t pid;
        if (!ty_str_parse_i64(ty_str(e->d_name), &pid) || !is_marked(e->d_name, mark))
            continue;
        n++;
        if (kill_them)
            kill((pid_t)pid, SIGKILL);
    }
    closedir(d);
    return n;
}

struct program {
    pid_t pid, zygote, shim;
    int orders; /* a byte: do it */
};

static pid_t child_of(pid_t parent)
{
    char path[64], room[256];
    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)parent, (int)parent);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    read_all(fd, room, sizeof(room));
    close(fd);
    struct ty_str first;
    int64_t pid = 0;
    ty_str_cut(ty_str(room), ' ', &first);
    assert_true(ty_str_parse_i64(first, &pid));
    return (pid_t)pid;
}

/* Not cmocka's: in the program a failure must end the program, not go on with the next test. */
#define NEED(x)                                                                                    \
    do {                                                                                           \
        if (!(x))                                                                                  \
            _exit(99);                                                                             \
    } while (0)

static void await(struct ty_shim *k, enum ty_shim_event_type what)
{
    struct ty_shim_event n = { 0 };
    while (n.what != what) {
        struct pollfd p = { ty_shim_fd(k), POLLIN, 0 };
        NEED(poll(&p, 1, PATIENCE_MS) == 1);
        ty_shim_next(k, &n);
        NEED(n.what != TY_SHIM_START_FAILED);
    }
}

static void start_crew(struct ty_shim *k, const struct crew *c, const char *mark)
{
    const char *const argv[] = { c->program, c->program[0] == 'p' ? "-e" : "-c", c->script, NULL };
    const char *const env[] = { plain_env[0], mark, NULL };
    struct ty_process_spec s = plain(1, argv);
    s.env = env;
    if (c->limited) {
        s.limit_nproc = NPROC;
        if (geteuid() == 0)
            s.uid = s.gid = ordinary_uid(); /* root has no limit of processes */
    }
    NEED(ty_shim_start(k, &s, NULL) == 0);
    await(k, TY_SHIM_STARTED);
}

/* The program: a pod with the crew in it; then waits for its order. */
_Noreturn static void be_program(unsigned without, const struct crew *c, const char *mark,
                                 enum method how, int orders, int answer)
{
    const struct ty_shim_spec keep = { .hostname = "pod-0" };
    struct ty_zygote *z = NULL;
    struct ty_shim *k = NULL;
    char order;

    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); /* a test that is killed leaves nothing either */
    NEED(ty_zygote_start_with(without, false, &z, NULL) == 0);
    NEED(ty_shim_new(z, &keep, &k, NULL) == 0);
    start_crew(k, c, mark);
    pid_t pid = z->pid;
    NEED(write(answer, &pid, sizeof(pid)) == sizeof(pid) && read(orders, &order, 1) == 1);
    if (how == FREE)
        ty_shim_free(k);
    else if (how == ZYGOTE_STOP)
        ty_zygote_stop(z);
    else if (how == STOP)
        stop_shim(k);
    if (how == STOP)
        await(k, TY_SHIM_GONE);
    NEED(write(answer, &order, 1) == 1);
    for (;;)
        pause();
}

static struct program start_program(unsigned without, const struct crew *c, const char *mark,
                                    enum method how, int *ret_answer)
{
    struct program p = { 0 };
    int orders[2], answer[2];
    assert_int_equal(pipe2(orders, O_CLOEXEC), 0);
    assert_int_equal(pipe2(answer, O_CLOEXEC), 0);
    p.pid = fork();
    assert_true(p.pid >= 0);
    if (p.pid == 0) {
        close(orders[1]);
        close(answer[0]);
        be_program(without, c, mark, how, orders[0], answer[1]);
    }
    close(orders[0]);
    close(answer[1]);
    assert_int_equal(read(answer[0], &p.zygote, sizeof(p.zygote)), sizeof(p.zygote));
    p.shim = child_of(p.zygote);
    p.orders = orders[1];
    *ret_answer = answer[0];
    return p;
}

static void carry_out(const struct program *p, enum method how, int answer)
{
    char order = 'x';
    switch (how) {
    case FREE:
    case STOP:
    case ZYGOTE_STOP:
        assert_int_equal(write(p->orders, &order, 1), 1);
        assert_int_equal(read(answer, &order, 1), 1);
        break;
    case KILL_PROGRAM:
        kill(p->pid, SIGKILL);
        break;
    case KILL_ZYGOTE:
        kill(p->zygote, SIGKILL);
        break;
    case KILL_KEEPER:
        kill(p->shim, SIGKILL);
        break;
    case N_METHODS:
        break;
    }
}

static void finish(const struct program *p, int answer)
{
    kill(p->pid, SIGKILL);
    waitpid(p->pid, NULL, 0);
    close(p->orders);
    close(answer);
}

static bool is_over(const struct program *p, const char *mark, enum method how)
{
    bool zygote_too = how == ZYGOTE_STOP || how == KILL_PROGRAM || how == KILL_ZYGOTE;
    return count_marked(mark, false) == 0 && is_dead(p->shim) &&
           (!zygote_too || is_dead(p->zygote));
}

/* Milliseconds until all were dead. */
static int64_t scenario(unsigned without, const struct crew *c, enum method how)
{
    static unsigned serial;
    char mark[64];
    int answer;
    snprintf(mark, sizeof(mark), "TY_MARK=%d.%d.%u", (int)getpid(), (int)geteuid(), ++serial);
    struct program p = start_program(without, c, mark, how, &answer);
    int waited = 0;
    bool complete = true;
    while (complete && count_marked(mark, false) < c->least)
        complete = wait_a_moment(&waited);

    int64_t start_ms = now_ms(), took = 0;
    carry_out(&p, how, answer);
    bool over = is_over(&p, mark, how);
    waited = 0;
    while (!over && how != STOP && wait_a_moment(&waited)) { /* GONE: all are dead already */
        over = is_over(&p, mark, how);
        took = now_ms() - start_ms;
    }
    finish(&p, answer);
    int left = 0;
    for (int i = 0, n = 1; !over && i < 1000 && n; i++)
        left += n = count_marked(mark, true);
    if (!over)
        fail_msg("without %u, %s: %s left %d behind after %d ms", without, c->name,
                 method_names[how], left, (int)took);
    if (!complete)
        fail_msg("without %u, %s: too few came to life", without, c->name);
    return took;
}

static int64_t in_time(unsigned without, const struct crew *c, enum method how)
{
    int64_t took = 0;
    for (int chance = 0; chance < CHANCES; chance++) {
        took = scenario(without, c, how);
        if (took < LIMIT_MS)
            return took;
        print_message("%s, %s: %d ms\n", c->name, method_names[how], (int)took);
    }
    fail_msg("without %u, %s: %s took %d ms", without, c->name, method_names[how], (int)took);
    return took;
}

/* The wild crews only where it matters: with all namespaces, and with none. */
static void nothing_survives(unsigned without)
{
    for (size_t c = 0; c < N_CREWS; c++) {
        int64_t worst = 0;
        if (without == TY_NO_PID_NS && crews[c].limited)
            continue;
        for (enum method how = 0; how < N_METHODS; how++) {
            int64_t took = in_time(without, &crews[c], how);
            worst = took > worst ? took : worst;
        }
        print_message("%s: all dead within %d ms\n", crews[c].name, (int)worst);
    }
}

static void with_namespaces_nothing_survives(void **state)
{
    (void)state;
    nothing_survives(modes[0]);
}

static void without_pid_namespaces_nothing_survives(void **state)
{
    (void)state;
    nothing_survives(modes[1]);
}

static void without_namespaces_nothing_survives(void **state)
{
    (void)state;
    nothing_survives(modes[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_namespaces_nothing_survives),
        cmocka_unit_test(without_pid_namespaces_nothing_survives),
        cmocka_unit_test(without_namespaces_nothing_survives),
    };
    return run_as_both("survive", tests, TY_COUNT(tests));
}
