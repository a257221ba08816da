#include "cli/run/run_output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "engine/engine.h"

#define HIGH        ((size_t)256 << 10) /* queued: logs are no longer read */
#define LOW         ((size_t)64 << 10)  /* they are read again */
#define WAIT_MS     2
#define WAIT_MAX_MS 100
#define PIECE       4096 /* PIPE_BUF: fits into a pipe that poll() calls writable */

static size_t queued(const struct ty_run_output_queue *q)
{
    return q->text.n - q->at;
}

static size_t all_queued(const struct ty_run_output *o)
{
    return queued(&o->queues[0]) + queued(&o->queues[1]);
}

/* ---- writing ---- */

/* Writes without waiting. A descriptor that could not be opened again may be shared with others,
 * who do not expect O_NONBLOCK: it is asked before. */
static ssize_t write_some(const struct ty_run_output_queue *q, const char *p, size_t n)
{
    struct pollfd ask = { .fd = q->fd, .events = POLLOUT };

    if (q->socket)
        return send(q->fd, p, n, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (q->ask && poll(&ask, 1, 0) == 0) {
        errno = EAGAIN;
        return -1;
    }
    return write(q->fd, p, q->ask && n > PIECE ? PIECE : n);
}

/* True if anything was written. */
static bool flush_queue(struct ty_run_output_queue *q)
{
    bool any = false;

    while (queued(q)) {
        ssize_t n = write_some(q, q->text.p + q->at, queued(q));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            break;
        if (n <= 0) {
            q->error = n < 0 ? errno : EIO;
            q->at = q->text.n;
            break;
        }
        q->at += (size_t)n;
        any = true;
    }
    if (queued(q)) {
        memmove(q->text.p, q->text.p + q->at, queued(q));
        q->text.n -= q->at;
    } else {
        ty_buf_done(&q->text);
    }
    q->at = 0;
    return any;
}

static void hold_logs(struct ty_run_output *o, bool hold)
{
    if (hold == o->held)
        return;
    o->held = hold;
    if (o->engine)
        ty_engine_hold_logs(o->engine, hold);
}

static void on_retry(uv_timer_t *t);

static void schedule_retry(struct ty_run_output *o, bool progress)
{
    if (!all_queued(o))
        return;
    o->wait_ms = progress || !o->wait_ms ? WAIT_MS : o->wait_ms * 2;
    o->wait_ms = o->wait_ms < WAIT_MAX_MS ? o->wait_ms : WAIT_MAX_MS;
    uv_timer_start(&o->timer, on_retry, o->wait_ms, 0);
}

static void on_retry(uv_timer_t *t)
{
    struct ty_run_output *o = t->data;
    bool first = flush_queue(&o->queues[0]), second = flush_queue(&o->queues[1]);

    if (all_queued(o) < LOW)
        hold_logs(o, false);
    schedule_retry(o, first || second);
}

/* The write function of both streams. It never fails: an error is kept for the end of the run. */
static ssize_t take_text(void *cookie, const char *p, size_t n)
{
    struct ty_run_output_queue *q = cookie;
    struct ty_run_output *o = q->o;
    bool waiting = queued(q) > 0;

    /* Each has a limit of its own: the summary goes to those who read standard error alone. */
    if (q->error || (o->lossy && queued(q) > HIGH))
        return (ssize_t)n;
    ty_buf_put(&q->text, p, n);
    if (!waiting) {
        flush_queue(q);
        schedule_retry(o, true);
    }
    if (all_queued(o) > HIGH && !o->lossy)
        hold_logs(o, true);
    return (ssize_t)n;
}

/* ---- beginning and end ---- */

/* A pipe or a terminal is opened once more, because O_NONBLOCK would hold for everybody who shares
 * the descriptor, such as the shell. Files never block for long. */
static void open_queue(struct ty_run_output *o, struct ty_run_output_queue *q, int fd)
{
    char path[64];
    struct stat st = { 0 };

    *q = (struct ty_run_output_queue){ .o = o, .fd = fd };
    if (fd < 0 || fstat(fd, &st) < 0)
        return;
    q->socket = S_ISSOCK(st.st_mode);
    if (!S_ISFIFO(st.st_mode) && !isatty(fd))
        return;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    int again = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    q->own = again >= 0;
    q->ask = again < 0;
    q->fd = again < 0 ? fd : again;
}

static bool same_file(int a, int b)
{
    struct stat x, y;

    return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static FILE *open_stream(struct ty_run_output_queue *q)
{
    cookie_io_functions_t io = { .write = take_text };
    FILE *f = ty_xalloc(fopencookie(q, "w", io));

    setvbuf(f, NULL, _IOLBF, 0);
    return f;
}

void ty_run_output_open(struct ty_run_output *o, struct ty_cli *cli, uv_loop_t *loop,
                        struct ty_engine *engine)
{
    *o = (struct ty_run_output){ .cli = cli, .engine = engine, .out = cli->out, .err = cli->err };
    uv_timer_init(loop, &o->timer);
    o->timer.data = o;
    fflush(cli->out);
    fflush(cli->err);
    open_queue(o, &o->queues[0], fileno(cli->out));
    o->of_err = &o->queues[0]; /* of one file: lines stay in order */
    if (!same_file(fileno(cli->out), fileno(cli->err))) {
        o->of_err = &o->queues[1];
        open_queue(o, o->of_err, fileno(cli->err));
    }
    cli->out = open_stream(&o->queues[0]);
    cli->err = open_stream(o->of_err);
}

void ty_run_output_stopping(struct ty_run_output *o)
{
    o->lossy = true;
    if (o->cli)
        hold_logs(o, false);
}

bool ty_run_output_pending(const struct ty_run_output *o)
{
    return o->cli && all_queued(o);
}

static int queue_done(struct ty_run_output_queue *q)
{
    if (q->own)
        close(q->fd);
    ty_buf_done(&q->text);
    bool left = q->error == EPIPE || (q->own && q->error == EIO); /* EIO: of a closed terminal */
    return left ? 0 : q->error;
}

int ty_run_output_close(struct ty_run_output *o)
{
    if (!o->cli)
        return 0;
    fclose(o->cli->out);
    fclose(o->cli->err);
    o->cli->out = o->out;
    o->cli->err = o->err;
    o->cli = NULL;
    uv_close((uv_handle_t *)&o->timer, NULL);
    int first = queue_done(&o->queues[0]), second = queue_done(&o->queues[1]);
    return first ? first : second;
}
