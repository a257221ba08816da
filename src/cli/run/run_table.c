/* The table on a terminal. Everything that changes is written at once, at most ten times a second:
 * the cursor goes up to the table's first line, lines that changed are written over, what
 * matters beyond the moment is put above and scrolls away.
 *
 *       lines that stay: failures, warnings, --logs
 *       ddp  running 0:12  2 nodes …          <- the frame
 *         node-0-0  running …
 *     _                                        <- the cursor rests here, hidden
 */
#include "cli/run/run_table.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/run/run_summary.h"
#include "cli/run/run_view.h"

#define EVERY_MS    100
#define PENDING_MAX ((size_t)1 << 20)
#define SHOW_CURSOR "\033[?25h"
#define HIDE_CURSOR "\033[?25l"

struct ty_run_screen {
    struct ty_run_view *v;
    int fd;
    uv_timer_t timer;
    uv_signal_t resized, stopped;
    struct ty_run_table_frame now, before;
    struct ty_buf above; /* formatted lines to write above the frame */
    int cols, rows;
    bool dirty, fresh, closed; /* fresh: the frame is not on the terminal */
    bool utf8;
    int64_t drawn_ms;
    bool quiet; /* echo is switched off */
};

static void write_all(int fd, struct ty_str s)
{
    while (s.n) {
        ssize_t n = write(fd, s.p, s.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return; /* the terminal is gone: the run continues */
        s.p += n;
        s.n -= (size_t)n;
    }
}

/* A terminal whose size was never set reports 0 x 0. */
static void measure_terminal(struct ty_run_screen *s)
{
    struct winsize w = { 0 };
    bool known = ioctl(s->fd, TIOCGWINSZ, &w) == 0;

    s->cols = known && w.ws_col ? w.ws_col : 80;
    s->rows = known && w.ws_row ? w.ws_row : 24;
}

/* Switches echo off, because typed characters would break the table. A background process must not
 * change the terminal: SIGTTOU would stop it. Async-signal-safe. False: no change. */
static bool set_echo(int fd, bool on)
{
    struct termios t;

    if (tcgetpgrp(fd) != getpgrp() || tcgetattr(fd, &t) < 0 || !(t.c_lflag & ECHO) == !on)
        return false;
    t.c_lflag ^= ECHO;
    return tcsetattr(fd, TCSANOW, &t) == 0;
}

static void hide_typing(struct ty_run_screen *s)
{
    s->quiet |= set_echo(s->fd, false);
}

static void show_typing(struct ty_run_screen *s)
{
    if (s->quiet)
        set_echo(s->fd, true);
    s->quiet = false;
}

/* ---- drawing ---- */

/* Rows of the last frame at the current width: a narrower terminal wraps its lines. */
static int rows_taken(const struct ty_run_screen *s)
{
    int rows = 0;

    for (size_t i = 0; i < s->before.n; i++)
        rows += s->before.width[i] > s->cols ? (s->before.width[i] + s->cols - 1) / s->cols : 1;
    return rows < s->rows ? rows : s->rows - 1;
}

static void go_up(const struct ty_run_screen *s, struct ty_buf *out)
{
    int rows = s->fresh ? 0 : rows_taken(s);

    ty_buf_chr(out, '\r');
    if (rows > 0)
        ty_buf_printf(out, "\033[%dA", rows);
}

static bool same_line(const struct ty_run_screen *s, size_t i)
{
    return i < s->before.n &&
           ty_str_eq(ty_run_table_frame_line(&s->before, i), ty_run_table_frame_line(&s->now, i));
}

static void draw_screen(struct ty_run_screen *s)
{
    struct ty_run_table_opts d = { .cols = s->cols,
                                   .rows = s->rows,
                                   .colour = s->v->cli->colour_out,
                                   .utf8 = s->utf8,
                                   .now_ms = ty_cli_wall_ms() };
    ty_auto_buf out = { 0 };
    bool all = s->fresh || s->above.n;

    ty_run_table_draw(&s->v->model, &d, &s->now);
    go_up(s, &out);
    if (all)
        ty_buf_cstr(&out, "\033[J");
    ty_buf_add(&out, ty_buf_str(&s->above));
    for (size_t i = 0; i < s->now.n; i++) {
        if (all || !same_line(s, i)) {
            ty_buf_add(&out, ty_run_table_frame_line(&s->now, i));
            ty_buf_cstr(&out, "\033[K");
        }
        ty_buf_cstr(&out, "\r\n");
    }
    ty_buf_cstr(&out, "\033[J"); /* erase rows of a longer frame and typed characters */
    write_all(s->fd, ty_buf_str(&out));
    struct ty_run_table_frame old = s->before;
    s->before = s->now;
    s->now = old;
    s->above.n = 0;
    s->dirty = s->fresh = false;
    s->drawn_ms = d.now_ms;
}

/* A stopped terminal (Ctrl-S) must not block the event loop. */
static bool takes_more(const struct ty_run_screen *s)
{
    struct pollfd p = { .fd = s->fd, .events = POLLOUT };

    return poll(&p, 1, 0) > 0 && (p.revents & POLLOUT);
}

static void on_tick(uv_timer_t *t)
{
    struct ty_run_screen *s = t->data;

    if ((s->dirty || ty_cli_wall_ms() - s->drawn_ms >= 1000) && takes_more(s))
        draw_screen(s);
}

static void on_resize(uv_signal_t *h, int sig TY_UNUSED)
{
    struct ty_run_screen *s = h->data;
    ty_auto_buf out = { 0 };

    measure_terminal(s);
    go_up(s, &out);
    ty_buf_cstr(&out, "\033[J");
    write_all(s->fd, ty_buf_str(&out));
    s->fresh = s->dirty = true;
}

/* Ctrl-Z: restores the cursor for the shell, and redraws the table afterwards. */
static void on_stop(uv_signal_t *h, int sig TY_UNUSED)
{
    struct ty_run_screen *s = h->data;

    write_all(s->fd, TY_LIT(SHOW_CURSOR));
    show_typing(s);
    raise(SIGSTOP);
    hide_typing(s);
    write_all(s->fd, TY_LIT(HIDE_CURSOR));
    measure_terminal(s);
    s->fresh = s->dirty = true;
}

/* ---- lines above ---- */

static void add_above(struct ty_run_view *v, const char *hue, const char *who, struct ty_str text)
{
    struct ty_run_screen *s = v->screen;
    bool colour = hue && v->cli->colour_out;
    char clean[4096];
    size_t n = ty_text_clean(text, clean, sizeof(clean));

    if (!s)
        return;
    ty_buf_printf(&s->above, "%s%s%s", colour ? hue : "", who, colour ? "\033[0m" : "");
    ty_buf_put(&s->above, clean, n);
    ty_buf_cstr(&s->above, "\r\n");
    s->dirty = true;
    if (s->above.n > PENDING_MAX)
        draw_screen(s);
}

static void mark_dirty(struct ty_run_view *v)
{
    if (v->screen)
        v->screen->dirty = true;
}

static void table_line(struct ty_run_view *v, const struct ty_run_node *n,
                       const char *container TY_UNUSED, struct ty_str text, int64_t ms TY_UNUSED)
{
    char who[96];

    mark_dirty(v);
    if (!v->only || strcmp(v->only, n->name) != 0)
        return;
    snprintf(who, sizeof(who), "[%s] ", n->name);
    add_above(v, "\033[2m", who, text);
}

static void table_pod(struct ty_run_view *v, const struct ty_run_node *n,
                      const struct ty_pod_update *news)
{
    ty_auto_buf b = { 0 };
    struct ty_ended_container end = { .code = news->exit_code };
    char who[96];

    mark_dirty(v);
    if (!news->container || news->exit_code <= 0 || news->by_us)
        return;
    end.oom = news->reason && strcmp(news->reason, "OOMKilled") == 0;
    if (news->reason && strcmp(news->reason, "StartError") == 0)
        end.never = news->message ? news->message : "unknown";
    if (news->error)
        ty_buf_printf(&b, "%s (", news->error);
    ty_failure_summary_exit_text(&end, &b);
    if (news->error)
        ty_buf_chr(&b, ')');
    if (ty_run_node_alive(n))
        ty_buf_cstr(&b, ", it is restarted");
    snprintf(who, sizeof(who), "%s: ", n->name);
    add_above(v, "\033[31m", who, ty_buf_str(&b));
}

static void table_progress(struct ty_run_view *v, const struct ty_run_node *n TY_UNUSED,
                           int64_t ms TY_UNUSED)
{
    mark_dirty(v);
}

static void table_event(struct ty_run_view *v, const struct ty_kind *kind, const char *name,
                        const char *type, const char *reason, const char *message,
                        int64_t ms TY_UNUSED)
{
    char who[256];

    if (strcmp(type, "Warning") != 0 || strcmp(reason, "BackOff") == 0)
        return; /* the table shows a container that waits for its restart */
    snprintf(who, sizeof(who), "%s/%s: %s: ", kind->singular, name, reason);
    add_above(v, "\033[33m", who, ty_str(message));
}

/* The summary prints the end of a job. */
static void table_condition(struct ty_run_view *v, const struct ty_run_job *j,
                            const struct ty_json *condition)
{
    struct ty_str type = ty_json_str_at(condition, "type"), first;
    char who[256];

    mark_dirty(v);
    if (!ty_str_is(ty_json_str_at(condition, "status"), "True") || ty_str_is(type, "Complete") ||
        ty_str_is(type, "Failed"))
        return;
    snprintf(who, sizeof(who), "trainjob/%s: %.*s: ", j->name, TY_ARG(type));
    ty_str_cut(ty_json_str_at(condition, "message"), '\n', &first);
    add_above(v, "\033[33m", who, first);
}

static void table_note(struct ty_run_view *v, enum ty_cli_msg_kind how, const char *text)
{
    add_above(v, how == TY_MSG_ERROR ? "\033[1;31m" : "\033[1;36m",
              how == TY_MSG_ERROR     ? "error: "
              : how == TY_MSG_WARNING ? "warning: "
                                      : "note: ",
              ty_str(text));
}

/* ---- beginning and end ---- */

/* Restores cursor and echo when a fatal signal ends the process. */
static void on_death(int sig)
{
    ssize_t n = write(STDOUT_FILENO, SHOW_CURSOR, sizeof(SHOW_CURSOR) - 1);

    (void)n;
    set_echo(STDOUT_FILENO, true);
    raise(sig); /* SA_RESETHAND has restored the default action */
}

static const int deaths[] = { SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE };

static void watch_deaths(void (*handler)(int), void (*instead_of)(int))
{
    struct sigaction now, want = { .sa_handler = handler };

    want.sa_flags = handler == SIG_DFL ? 0 : (int)(SA_RESETHAND | SA_NODEFER);
    for (size_t i = 0; i < TY_COUNT(deaths); i++)
        if (sigaction(deaths[i], NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
            now.sa_handler == instead_of) /* do not replace handlers of nohup or a sanitizer */
            sigaction(deaths[i], &want, NULL);
}

static bool speaks_utf8(void)
{
    static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

    for (size_t i = 0; i < 3; i++) {
        const char *value = secure_getenv(names[i]);
        if (value && *value)
            return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
    }
    return false;
}

static void table_open(struct ty_run_view *v, uv_loop_t *loop)
{
    struct ty_run_screen *s = ty_new(v->cli->arena, struct ty_run_screen);

    *s = (struct ty_run_screen){ .v = v, .fd = fileno(v->cli->out), .fresh = true, .dirty = true };
    s->utf8 = speaks_utf8();
    fflush(v->cli->out);
    measure_terminal(s);
    watch_deaths(on_death, SIG_DFL);
    write_all(s->fd, TY_LIT(HIDE_CURSOR));
    hide_typing(s);
    uv_timer_init(loop, &s->timer);
    uv_signal_init(loop, &s->resized);
    uv_signal_init(loop, &s->stopped);
    s->timer.data = s->resized.data = s->stopped.data = s;
    uv_timer_start(&s->timer, on_tick, EVERY_MS, EVERY_MS);
    uv_signal_start(&s->resized, on_resize, SIGWINCH);
    uv_signal_start(&s->stopped, on_stop, SIGTSTP);
    v->screen = s;
}

static void table_close(struct ty_run_view *v)
{
    struct ty_run_screen *s = v->screen;
    ty_auto_buf out = { 0 };

    if (!s)
        return;
    uv_timer_stop(&s->timer);
    uv_signal_stop(&s->resized);
    uv_signal_stop(&s->stopped);
    go_up(s, &out);
    ty_buf_cstr(&out, "\033[J");
    ty_buf_add(&out, ty_buf_str(&s->above));
    ty_buf_cstr(&out, SHOW_CURSOR);
    write_all(s->fd, ty_buf_str(&out));
    show_typing(s);
    watch_deaths(SIG_DFL, on_death);
    ty_run_table_frame_done(&s->now);
    ty_run_table_frame_done(&s->before);
    ty_buf_done(&s->above);
    v->screen = NULL;
}

/* Escape sequences of ours are in it already; the terminal's driver adds the carriage returns. */
static void table_summary(struct ty_run_view *v, const struct ty_run_outcome *o)
{
    ty_auto_buf b = { 0 };

    ty_run_summary(&b, &v->model, o, v->cli->colour_out);
    write_all(fileno(v->cli->out), ty_buf_str(&b));
}

const struct ty_run_renderer ty_run_table = {
    .name = "table",
    .open = table_open,
    .line = table_line,
    .pod = table_pod,
    .progress = table_progress,
    .event = table_event,
    .condition = table_condition,
    .note = table_note,
    .close = table_close,
    .summary = table_summary,
};
