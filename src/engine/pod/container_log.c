/* Reads a container's output from a pipe, appends it to the log file and splits it into lines for
 * observers.
 */
#include "engine/pod/container_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "engine/engine_inner.h"
#include "engine/job/job_report.h"
#include "engine/log_times.h"
#include "engine/pod/pods.h"
#include "proc/regular_file.h"
#include "report/log_arrivals.h"

#define LINE_MAX_BYTES 65536
#define TURNS          4  /* chunks read in one go: a flood must not starve the others */
#define LAST_TURNS     64 /* more than a pipe can hold */
#define LOG_MAX        ((int64_t)128 << 20)
#define LOG_OVER       ((int64_t)1 << 20) /* so much more if a line does not end */

/* The output stream of one run of a container. */
struct ty_container_log {
    struct ty_pod_runtime *pod;
    size_t c;
    int fd, file; /* pipe; log file */
    int64_t size; /* of the file */
    struct ty_log_times times;
    uv_poll_t poll;
    bool full;      /* writing failed: one event, then the rest is not written */
    bool rotated;   /* one event was sent */
    bool ends_line; /* the last byte in the file ends a line */
    char *part;     /* the unfinished last line */
    size_t part_n;
    int attempt;
    bool exited; /* the exit is reported when the pipe has been read to its end */
    int wstatus;
};

static char *log_path(struct ty_arena *a, const struct ty_pod_runtime *p, size_t c, int attempt)
{
    return ty_arena_printf(a, "%s/logs/%s/%s.%lld.%d.log", p->e->o.dir, p->host,
                           p->plan.containers[c].name, (long long)p->attempt, attempt);
}

static void on_readable(uv_poll_t *poll, int status, int events);

/* The log file stops, the job does not: one event, then lines only go to observers. */
static void give_up(struct ty_container_log *u, int code)
{
    const char *why =
        code == EBADF ? "its path is taken by something that is no file" : strerrordesc_np(code);
    char text[512];

    u->full = true;
    u->pod->log_faults[u->c] = why;
    snprintf(text, sizeof(text), "the log of container %s of %s is cut off here: %s",
             u->pod->plan.containers[u->c].name, u->pod->host, why);
    ty_engine_event(u->pod->e, &ty_kind_pod, u->pod->host, "Warning", "LogWriteFailed", text);
}

static void log_freed(uv_handle_t *h)
{
    struct ty_container_log *u = h->data;

    free(u->part);
    free(u);
}

struct ty_container_log *ty_container_log_new(struct ty_pod_runtime *p, size_t c, int attempt,
                                              int *ret_fd, struct ty_err *err)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    char *dir = ty_arena_printf(a, "%s/logs/%s", p->e->o.dir, p->host);
    struct ty_container_log *u = ty_xalloc(calloc(1, sizeof(*u)));
    int fds[2];

    if (pipe2(fds, O_CLOEXEC) < 0) {
        free(u);
        ty_fail(err, -errno, "no pipe for the log of %s: %s", p->host, strerrordesc_np(errno));
        return NULL;
    }
    fcntl(fds[0], F_SETFL, O_NONBLOCK);
    (void)ty_no_links_mkdir(dir, TY_DEPTH_POD, 0755); /* a failure shows at open */
    p->log_faults[c] = NULL;
    if (p->arrivals[c])
        *p->arrivals[c] = (struct ty_log_arrivals){ 0 };
    *u = (struct ty_container_log){ .pod = p, .c = c, .fd = fds[0], .attempt = attempt };
    u->file = ty_regular_file_open(log_path(a, p, c, attempt), TY_DEPTH_LOG,
                                   O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (u->file == -EBADF) {
        give_up(u, EBADF);
    } else if (u->file < 0) {
        ty_fail(err, u->file, "%s: %s", log_path(a, p, c, attempt), strerrordesc_np(-u->file));
        close(fds[0]);
        close(fds[1]);
        free(u);
        return NULL;
    }
    uv_poll_init(p->e->o.loop, &u->poll, u->fd);
    u->poll.data = u;
    uv_poll_start(&u->poll, UV_READABLE, on_readable);
    *ret_fd = fds[1];
    return u;
}

static void notify_line(struct ty_container_log *u, struct ty_str text)
{
    struct ty_pod_runtime *p = u->pod;

    if (text.n && text.p[text.n - 1] == '\r')
        text.n--;
    ty_engine_notify(p->e, line, p->job, p->host, p->plan.containers[u->c].name, text,
                     ty_engine_wall_ms());
    ty_job_report_line(p, text);
}

/* Frees the buffer: with thousands of pods, the buffers of past long lines would add up. */
static void notify_partial_line(struct ty_container_log *u)
{
    notify_line(u, (struct ty_str){ u->part, u->part_n });
    free(u->part);
    u->part = NULL;
    u->part_n = 0;
}

static void hold_partial_line(struct ty_container_log *u, struct ty_str rest)
{
    if (rest.n == 0)
        return;
    if (u->part_n && u->part_n + rest.n > LINE_MAX_BYTES)
        notify_partial_line(u); /* a line without end: in pieces */
    char *more = ty_xalloc(realloc(u->part, u->part_n + rest.n));
    memcpy(more + u->part_n, rest.p, rest.n);
    u->part = more;
    u->part_n += rest.n;
}

/* A carriage return ends a line for observers, too: progress bars rewrite theirs. */
static void cut_lines(struct ty_container_log *u, struct ty_str s)
{
    for (size_t i = 0, from = 0; i <= s.n; i++) {
        bool end =
            i < s.n && (s.p[i] == '\n' || (s.p[i] == '\r' && i + 1 < s.n && s.p[i + 1] != '\n'));
        if (i == s.n)
            hold_partial_line(u, (struct ty_str){ s.p + from, i - from });
        if (!end)
            continue;
        if (u->part_n) {
            hold_partial_line(u, (struct ty_str){ s.p + from, i - from });
            notify_partial_line(u);
        } else {
            notify_line(u, (struct ty_str){ s.p + from, i - from });
        }
        from = i + 1;
    }
}

/* For the failure summary: when was a line written? The index is as small as the pod is silent. */
static void note_arrival(struct ty_container_log *u, int64_t bytes)
{
    struct ty_pod_runtime *p = u->pod;

    if (!p->arrivals[u->c])
        p->arrivals[u->c] = ty_new(p->arena, struct ty_log_arrivals);
    ty_log_arrivals_add(p->arrivals[u->c], bytes, ty_engine_wall_ms());
}

static void write_out(struct ty_container_log *u, const char *p, size_t n)
{
    while (n > 0 && !u->full) {
        ssize_t done = write(u->file, p, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            give_up(u, errno);
            return;
        }
        u->size += done;
        note_arrival(u, done);
        p += done;
        n -= (size_t)done;
    }
}

/* NAME.log becomes NAME.log.1 in the place of an older one, as the kubelet does it. */
static void rotate_file(struct ty_container_log *u)
{
    ty_auto_arena *a = ty_arena_new(1 << 16);
    char *path = log_path(a, u->pod, u->c, u->attempt);
    char *old = ty_arena_printf(a, "%s.1", path);
    int fd = ty_no_links_rename(path, TY_DEPTH_LOG, strrchr(old, '/') + 1);

    if (fd == 0)
        fd = ty_regular_file_open(path, TY_DEPTH_LOG, O_WRONLY | O_CREAT | O_APPEND, 0644);

    if (fd < 0) {
        give_up(u, -fd);
        return;
    }
    ty_log_times_rotate(&u->times, path, old);
    close(u->file);
    u->file = fd;
    u->size = 0;
    if (!u->rotated)
        ty_engine_event(u->pod->e, &ty_kind_pod, u->pod->host, "Normal", "LogRotated",
                        ty_arena_printf(a, "the log of container %s is long: its older part is %s",
                                        u->pod->plan.containers[u->c].name, old));
    u->rotated = true;
}

static void note_time(struct ty_container_log *u)
{
    int64_t now_ms = ty_engine_wall_ms();

    if (u->full || !ty_log_times_due(&u->times, now_ms))
        return;
    ty_auto_arena *a = ty_arena_new(1 << 16);
    ty_log_times_note(&u->times, log_path(a, u->pod, u->c, u->attempt), u->size, now_ms);
}

/* A file that is long enough gets the rest of its last line, and a new one begins. */
static void append_to_file(struct ty_container_log *u, const char *p, size_t n)
{
    int64_t max = u->pod->e->o.log_max > 0 ? u->pod->e->o.log_max : LOG_MAX;

    if (u->size >= max && !u->full) {
        const char *end = memchr(p, '\n', n);
        size_t rest = u->ends_line ? 0 : end ? (size_t)(end - p) + 1 : n;
        if (u->ends_line || end || u->size > max + LOG_OVER) {
            write_out(u, p, rest);
            p += rest;
            n -= rest;
            if (n > 0)
                rotate_file(u);
        }
    }
    if (n > 0)
        note_time(u);
    write_out(u, p, n);
    if (n > 0)
        u->ends_line = p[n - 1] == '\n';
}

/* True when the pipe is read to its end. */
static bool drain_pipe(struct ty_container_log *u, int turns)
{
    char *chunk = u->pod->e->log_chunk;

    for (int i = 0; i < turns; i++) {
        ssize_t n = read(u->fd, chunk, TY_LOG_CHUNK);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno != EAGAIN;
        if (n == 0)
            return true;
        append_to_file(u, chunk, (size_t)n);
        cut_lines(u, (struct ty_str){ chunk, (size_t)n });
    }
    return false;
}

static void finish_log(struct ty_container_log *u)
{
    struct ty_pod_runtime *p = u->pod;

    if (u->part_n)
        notify_partial_line(u);
    uv_poll_stop(&u->poll);
    if (u->exited) {
        size_t c = u->c;
        int wstatus = u->wstatus;
        ty_container_log_close(u); /* also forgets it in the pod */
        ty_pods_exited(p, c, wstatus);
    }
}

static void on_readable(uv_poll_t *poll, int status TY_UNUSED, int events TY_UNUSED)
{
    struct ty_container_log *u = poll->data;

    if (u->pod->e->logs_held)
        uv_poll_stop(poll);
    else if (drain_pipe(u, TURNS))
        finish_log(u);
}

void ty_container_log_continue(struct ty_container_log *u)
{
    if (u)
        uv_poll_start(&u->poll, UV_READABLE, on_readable);
}

void ty_container_log_exited(struct ty_container_log *u, int wstatus)
{
    u->exited = true;
    u->wstatus = wstatus;
    /* All that the process wrote is in the pipe by now; daemons of its own were killed before. */
    drain_pipe(u, LAST_TURNS);
    finish_log(u);
}

void ty_container_log_close(struct ty_container_log *u)
{
    if (!u)
        return;
    u->pod->logs[u->c] = NULL;
    if (u->file >= 0)
        close(u->file);
    uv_poll_stop(&u->poll);
    uv_close((uv_handle_t *)&u->poll, log_freed);
    close(u->fd);
}

/* The last bytes of a file, at the end of `room`: how many. */
static size_t read_tail(const char *path, char *room, size_t n)
{
    int fd = ty_regular_file_open(path, TY_DEPTH_LOG, O_RDONLY, 0644);
    off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
    size_t take = size > 0 && (size_t)size < n ? (size_t)size : size > 0 ? n : 0;
    ssize_t got = take ? pread(fd, room + n - take, take, size - (off_t)take) : 0;

    if (fd >= 0)
        close(fd);
    return got == (ssize_t)take ? take : 0;
}

struct ty_str ty_container_log_tail(struct ty_arena *a, const struct ty_pod_runtime *p, size_t c,
                                    size_t max_bytes, size_t max_lines)
{
    char *path = log_path(a, p, c, p->attempts[c] - 1);
    char *text = ty_arena_alloc(a, max_bytes + 1, 1);
    size_t n = read_tail(path, text, max_bytes), lines = 0;

    if (n < max_bytes) /* a new file has just begun */
        n += read_tail(ty_arena_printf(a, "%s.1", path), text, max_bytes - n);
    const char *end = text + max_bytes, *start = end;
    while (start > end - n) {
        if (start[-1] == '\n' && start != end && ++lines == max_lines)
            break;
        start--;
    }
    return (struct ty_str){ start, (size_t)(end - start) };
}
