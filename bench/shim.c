/* Pods in a second: starts a shim through one zygote, runs `true`, waits for its end and frees it,
 * one pod after the other; then four pods at once, from the first request to the last end. "one
 * core" runs all processes of the benchmark on one CPU, which gives the cost of a pod; wall-clock
 * time. */
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "proc/shim.h"
#include "proc/zygote.h"

enum { PODS = 1000, ROUNDS = 21, AT_ONCE = 4, TARGET_US = 1000 };

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void die(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1); /* NOLINT(concurrency-mt-unsafe): one thread */
}

static double bare_us(void)
{
    char word[] = "true", path[] = "PATH=/usr/bin:/bin", *argv[] = { word, NULL };
    char *env[] = { path, NULL };
    double start = now_us();
    for (int i = 0; i < PODS; i++) {
        pid_t pid;
        if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, env) != 0)
            die("true", "cannot be started");
        waitpid(pid, NULL, 0);
    }
    return (now_us() - start) / PODS;
}

static struct ty_shim *start_shim(struct ty_zygote *z, const char *hosts)
{
    const struct ty_bind_mount binds[] = { { .from = hosts, .to = "/etc/hosts", .read_only = true },
                                           { 0 } };
    const struct ty_shim_spec keep = { .hostname = "bench-node-0-0", .binds = binds };
    const char *const argv[] = { "true", NULL }, *const env[] = { "PATH=/usr/bin:/bin", NULL };
    struct ty_process_spec start = ty_process_spec_none;
    struct ty_err err = { 0 };
    struct ty_shim *k = NULL;

    start.argv = argv;
    start.env = env;
    start.cwd = "/";
    if (ty_shim_new(z, &keep, &k, &err) < 0 || ty_shim_start(k, &start, &err) < 0)
        die("start", err.text);
    return k;
}

static void await_exit(struct ty_shim *k)
{
    struct ty_shim_event n = { 0 };
    while (n.what != TY_SHIM_EXITED) {
        struct pollfd p = { ty_shim_fd(k), POLLIN, 0 };
        poll(&p, 1, -1);
        ty_shim_next(k, &n);
        if (n.what == TY_SHIM_GONE || n.what == TY_SHIM_START_FAILED)
            die("pod", n.text);
    }
    if (!WIFEXITED(n.wstatus) || WEXITSTATUS(n.wstatus) != 0)
        die("true", "did not end well");
    ty_shim_free(k);
}

static int by_value(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double four_at_once(struct ty_zygote *z, const char *hosts)
{
    double took[ROUNDS];
    struct ty_shim *k[AT_ONCE];
    for (int r = 0; r < ROUNDS; r++) {
        double start = now_us();
        for (int i = 0; i < AT_ONCE; i++)
            k[i] = start_shim(z, hosts);
        for (int i = 0; i < AT_ONCE; i++)
            await_exit(k[i]);
        took[r] = now_us() - start;
    }
    qsort(took, ROUNDS, sizeof(took[0]), by_value);
    return took[ROUNDS / 2];
}

static void measure_rounds(const char *name)
{
    char hosts[] = "/tmp/trainyard-bench-XXXXXX";
    struct ty_zygote *z = NULL;
    struct ty_err err = { 0 };
    int fd = mkstemp(hosts);
    double start = now_us();

    if (fd < 0 || ty_zygote_start(&z, &err) < 0)
        die("zygote", err.text);
    double ready = now_us() - start;
    struct ty_zygote_caps can = ty_zygote_caps(z);
    start = now_us();
    for (int i = 0; i < PODS; i++)
        await_exit(start_shim(z, hosts));
    double each = (now_us() - start) / PODS, four = four_at_once(z, hosts), bare = bare_us();
    start = now_us();
    ty_zygote_stop(z);
    printf("keeper, %s: %5.0f pods a second, %.0f us each (target %d: %s), of which true alone "
           "%.0f; 4 at once %.1f ms; zygote up %.1f ms, down %.1f ms%s%s%s\n",
           name, 1e6 / each, each, TARGET_US, each <= TARGET_US ? "met" : "MISSED", bare,
           four / 1e3, ready / 1e3, (now_us() - start) / 1e3, can.user_ns ? ", user namespace" : "",
           can.why[0] ? ", poorer: " : "", can.why);
    unlink(hosts);
    close(fd);
}

int main(void)
{
    cpu_set_t one;
    measure_rounds("all cores");
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    if (sched_setaffinity(0, sizeof(one), &one) == 0)
        measure_rounds("one core ");
    return 0;
}
