/* Nothing survives: however a pod, its zygote or the whole program ends, and whatever the processes
 * in it do, two seconds later none of them is left. The program is a child of this test, so that it
 * can be killed; its processes are told by a mark in their environment. */
#include "proc/testing.h"

#include <dirent.h>

enum { LIMIT_MS = 2000, NPROC = 100 };
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
enum { N_CREWS = sizeof(crews) / sizeof(crews[0]) };

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
        if (!ty_parse_i64(ty_str(e->d_name), &pid) || !is_marked(e->d_name, mark))
            continue;
        n++;
        if (kill_them)
            kill((pid_t)pid, SIGKILL);
    }
    closedir(d);
    return n;
}

struct program {
    pid_t pid, zygote, keeper;
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
    assert_true(ty_parse_i64(first, &pid));
    return (pid_t)pid;
}

/* The program: a pod with the crew in it; then waits for its order. */
_Noreturn static void be_program(unsigned without, const struct crew *c, const char *mark,
                                 enum method how, int orders, int answer)
{
    struct ty_zygote *z = zygote(without);
    struct ty_keeper *k = keeper(z, NULL);
    const char *const argv[] = { c->program, c->program[0] == 'p' ? "-e" : "-c", c->script, NULL };
    const char *const env[] = { plain_env[0], mark, NULL };
    struct ty_start s = plain(1, argv);
    char order;

    s.env = env;
    if (c->limited) {
        s.limit_nproc = NPROC;
        if (geteuid() == 0)
            s.uid = s.gid = NOBODY; /* root has no limit of processes */
    }
    start(k, &s);
    expect(k, TY_STARTED, 1);
    pid_t pid = ty_zygote_pid(z);
    if (write(answer, &pid, sizeof(pid)) < 0 || read(orders, &order, 1) != 1)
        _exit(1);
    if (how == FREE)
        ty_keeper_free(k);
    else if (how == ZYGOTE_STOP)
        ty_zygote_stop(z);
    else if (how == STOP)
        ty_keeper_stop(k);
    if (how == STOP)
        while (next(k).what != TY_GONE)
            ;
    if (write(answer, &order, 1) < 0)
        _exit(1);
    for (;;)
        pause();
}

static struct program begin(unsigned without, const struct crew *c, const char *mark,
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
    p.keeper = child_of(p.zygote);
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
        kill(p->keeper, SIGKILL);
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

/* Milliseconds until all were dead. */
static int64_t scenario(unsigned without, const struct crew *c, enum method how)
{
    static unsigned serial;
    char mark[64];
    int answer;
    snprintf(mark, sizeof(mark), "TY_MARK=%d.%d.%u", (int)getpid(), (int)geteuid(), ++serial);
    struct program p = begin(without, c, mark, how, &answer);
    int64_t begun = now_ms();
    while (count_marked(mark, false) < c->least && now_ms() - begun < PATIENCE_MS)
        nap();
    assert_true(now_ms() - begun < PATIENCE_MS);

    int64_t start_ms = now_ms(), took;
    carry_out(&p, how, answer);
    bool over;
    do {
        over = count_marked(mark, false) == 0 && is_dead(p.keeper);
        if (how >= ZYGOTE_STOP && how <= KILL_ZYGOTE)
            over = over && is_dead(p.zygote);
        took = now_ms() - start_ms;
        if (how == STOP && !over)
            break; /* all must be dead before GONE comes */
    } while (!over && took < LIMIT_MS);
    finish(&p, answer);
    if (!over) {
        int left = 0;
        for (int i = 0, n = 1; i < 1000 && n; i++)
            left += n = count_marked(mark, true);
        fail_msg("without %u, %s: %s left %d behind after %d ms", without, c->name,
                 method_names[how], left, (int)took);
    }
    return took;
}

static void nothing_survives(unsigned without)
{
    for (size_t c = 0; c < N_CREWS; c++) {
        int64_t worst = 0;
        for (enum method how = 0; how < N_METHODS; how++) {
            int64_t took = scenario(without, &crews[c], how);
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
    return run_as_both("survive", tests, sizeof(tests) / sizeof(tests[0]));
}
