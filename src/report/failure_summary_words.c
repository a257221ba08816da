/* How a container ended, and how long it took, in words. */
#include <signal.h>

#include "report/failure_summary.h"

void ty_failure_summary_duration(int64_t ms, struct ty_buf *out)
{
    long long s = (long long)(ms < 0 ? 0 : ms) / 1000;

    if (ms < 10000)
        ty_buf_printf(out, "%lld.%lld s", s, (long long)(ms < 0 ? 0 : ms) / 100 % 10);
    else if (s < 60)
        ty_buf_printf(out, "%lld s", s);
    else if (s < 3600)
        ty_buf_printf(out, "%lld min %lld s", s / 60, s % 60);
    else
        ty_buf_printf(out, "%lld h %lld min", s / 3600, s / 60 % 60);
}

static void print_bytes(struct ty_buf *out, int64_t n)
{
    static const char *const units[] = { "", "Ki", "Mi", "Gi", "Ti" };
    size_t u = 0;

    while (u < 4 && n % 1024 == 0 && n >= 1024) {
        n /= 1024;
        u++;
    }
    ty_buf_printf(out, "%lld%s", (long long)n, units[u]);
}

static void print_signal(struct ty_buf *out, int sig)
{
    const char *name = sigabbrev_np(sig);
    const char *words = sig == SIGSEGV   ? "segmentation fault"
                        : sig == SIGBUS  ? "bus error"
                        : sig == SIGABRT ? "aborted"
                        : sig == SIGILL  ? "illegal instruction"
                        : sig == SIGFPE  ? "arithmetic error"
                                         : NULL;

    if (words)
        ty_buf_printf(out, "%s (SIG%s)", words, name);
    else if (name)
        ty_buf_printf(out, "killed by signal %d (SIG%s)", sig, name);
    else
        ty_buf_printf(out, "killed by signal %d", sig);
}

static void print_code(struct ty_buf *out, int code)
{
    const char *name = code > 128 && code < 128 + 65 ? sigabbrev_np(code - 128) : NULL;

    ty_buf_printf(out, "exit code %d", code);
    if (code == 127)
        ty_buf_cstr(out, ": command not found");
    else if (code == 126)
        ty_buf_cstr(out, ": command cannot be executed");
    else if (name) /* what a shell makes of a child that died so */
        ty_buf_printf(out, ": something in it died of SIG%s", name);
}

void ty_failure_summary_exit_text(const struct ty_ended_container *end, struct ty_buf *out)
{
    if (end->never)
        ty_buf_printf(out, "could not start: %s", end->never);
    else if (end->forced)
        ty_buf_printf(out, "ended by trainyard: %s", end->forced);
    else if (end->lost)
        ty_buf_cstr(out, end->lost);
    else if (end->oom && end->memory_limit > 0) {
        ty_buf_cstr(out, "out of memory: killed at its limit of ");
        print_bytes(out, end->memory_limit);
    } else if (end->oom)
        ty_buf_cstr(out, "out of memory: killed by the kernel");
    else if (end->sig)
        print_signal(out, end->sig);
    else
        print_code(out, end->code);
}
