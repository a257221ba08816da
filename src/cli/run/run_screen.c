/* Everything that changes is written at once, at most ten times a second: the cursor goes up to the
 * first line of the frame, lines that changed are written over, what matters beyond the moment is
 * put above and scrolls away.
 *
 *       lines that stay: failures, warnings, --logs
 *       ddp  running 0:12  2 nodes …          <- the frame
 *         node-0-0  running …
 *     _                                        <- the cursor rests here, hidden
 */
#include "cli/run/run_screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/text.h"

#define EVERY_MS    100
#define PENDING_MAX ((size_t)1 << 20)
#define SHOW_CURSOR "\033[?25h"
#define HIDE_CURSOR "\033[?25l"

struct ty_run_screen {
    struct ty_run_screen_spec spec;
    int fd;
    uv_timer_t timer;
    uv_signal_t resized, stopped;
    struct ty_run_table_frame now, before;
    struct ty_buf above; /* formatted lines to write above the frame */
    int cols, rows;
    bool dirty, fresh; /* fresh: the frame is not on the terminal */
    bool utf8;
    int64_t drawn_ms;
    tcflag_t off; /* modes of the terminal that are switched off */
};

void ty_run_screen_write(int fd, struct ty_str s)
{
    struct pollfd room = { .fd = fd, .events = POLLOUT };

    while (s.n && poll(&room, 1, 1000) != 0) {
        ssize_t n = write(fd, s.p, s.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return; /* the terminal is gone: the run continues */
        s.p += n;
        s.n -= (size_t)n;
    }
}

/* A terminal whose size was never set reports 0 x 0. True: its size has changed. */
static bool measure_terminal(struct ty_run_screen *s)
{
    struct winsize w = { 0 };
    bool known = ioctl(s->fd, TIOCGWINSZ, &w) == 0;
    int cols = s->cols, rows = s->rows;

    s->cols = known && w.ws_col ? w.ws_col : 80;
    s->rows = known && w.ws_row ? w.ws_row : 24;
    return cols != s->cols || rows != s->rows;
}

/* A background process must not change the terminal: SIGTTOU would stop it. Async-signal-safe.
 * Returns those of the modes that it has changed. */
static tcflag_t set_modes(int fd, tcflag_t modes, bool on)
{
    struct termios t;

    if (tcgetpgrp(fd) != getpgrp() || tcgetattr(fd, &t) < 0)
        return 0;
    modes &= on ? ~t.c_lflag : t.c_lflag;
    t.c_lflag ^= modes;
    return modes && tcsetattr(fd, TCSANOW, &t) == 0 ? modes : 0;
}

/* Typed characters would break the table. */
static void hide_typing(struct ty_run_screen *s)
{
    s->off |= set_modes(s->fd, s->spec.keys ? ECHO | ICANON : ECHO, false);
}

static void show_typing(struct ty_run_screen *s)
{
    set_modes(s->fd, s->off, true);
    s->off = 0;
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

/* Erases the frame row by row and goes to its first one. Not by erasing to the end of the screen:
 * if the frame begins in the topmost row, tmux saves what is erased so in its history. */
static void erase_frame(const struct ty_run_screen *s, struct ty_buf *out)
{
    int rows = s->fresh ? 0 : rows_taken(s);

    ty_buf_cstr(out, "\r\033[K");
    for (int i = 0; i < rows; i++)
        ty_buf_cstr(out, "\033[A\033[K");
}

static bool same_line(const struct ty_run_screen *s, size_t i)
{
    return i < s->before.n &&
           ty_str_eq(ty_run_table_frame_line(&s->before, i), ty_run_table_frame_line(&s->now, i));
}

static void draw_screen(struct ty_run_screen *s)
{
    bool all = measure_terminal(s) || s->fresh || s->above.n; /* SIGWINCH may still be on its way */
    struct ty_run_table_opts d = { .cols = s->cols,
                                   .rows = s->rows,
                                   .colour = s->spec.cli->colour_out,
                                   .utf8 = s->utf8,
                                   .now_ms = ty_cli_wall_ms() };
    ty_auto_buf out = { 0 };
    s->spec.draw(s->spec.ctx, &d, &s->now);
    if (all)
        erase_frame(s, &out);
    else
        go_up(s, &out);
    ty_buf_add(&out, ty_buf_str(&s->above));
    for (size_t i = 0; i < s->now.n; i++) {
        if (all || !same_line(s, i)) {
            ty_buf_add(&out, ty_run_table_frame_line(&s->now, i));
            ty_buf_cstr(&out, "\033[K");
        }
        ty_buf_cstr(&out, "\r\n");
    }
    ty_buf_cstr(&out, "\033[J"); /* erase rows of a longer frame and typed characters */
    ty_run_screen_write(s->fd, ty_buf_str(&out));
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

    if (takes_more(s))
        draw_screen(s);
    else
        s->dirty = true;
}

/* Ctrl-Z: restores the cursor for the shell, and redraws the table afterwards. */
static void on_stop(uv_signal_t *h, int sig TY_UNUSED)
{
    struct ty_run_screen *s = h->data;

    ty_run_screen_write(s->fd, TY_LIT(SHOW_CURSOR));
    show_typing(s);
    raise(SIGSTOP);
    hide_typing(s);
    ty_run_screen_write(s->fd, TY_LIT(HIDE_CURSOR));
    s->fresh = s->dirty = true;
}

/* ---- what callers change ---- */

void ty_run_screen_above(struct ty_run_screen *s, const char *hue, const char *who,
                         struct ty_str text)
{
    char clean[4096];
    size_t n = ty_text_clean(text, clean, sizeof(clean));

    if (!s)
        return;
    bool colour = hue && s->spec.cli->colour_out;
    ty_buf_printf(&s->above, "%s%s%s", colour ? hue : "", who, colour ? "\033[0m" : "");
    ty_buf_put(&s->above, clean, n);
    ty_buf_cstr(&s->above, "\r\n");
    s->dirty = true;
    if (s->above.n > PENDING_MAX)
        draw_screen(s);
}

void ty_run_screen_changed(struct ty_run_screen *s)
{
    if (s)
        s->dirty = true;
}

/* ---- beginning and end ---- */

/* Restores cursor and typing when a fatal signal ends the process. */
static void on_death(int sig)
{
    ssize_t n = write(STDOUT_FILENO, SHOW_CURSOR, sizeof(SHOW_CURSOR) - 1);

    (void)n;
    set_modes(STDOUT_FILENO, ECHO | ICANON, true);
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

struct ty_run_screen *ty_run_screen_open(const struct ty_run_screen_spec *spec, uv_loop_t *loop)
{
    struct ty_run_screen *s = ty_new(spec->cli->arena, struct ty_run_screen);

    *s = (struct ty_run_screen){
        .spec = *spec, .fd = fileno(spec->cli->out), .fresh = true, .dirty = true
    };
    s->utf8 = speaks_utf8();
    fflush(spec->cli->out);
    measure_terminal(s);
    watch_deaths(on_death, SIG_DFL);
    ty_run_screen_write(s->fd, TY_LIT(HIDE_CURSOR));
    hide_typing(s);
    uv_timer_init(loop, &s->timer);
    uv_signal_init(loop, &s->resized);
    uv_signal_init(loop, &s->stopped);
    s->timer.data = s->resized.data = s->stopped.data = s;
    uv_timer_start(&s->timer, on_tick, EVERY_MS, EVERY_MS);
    uv_signal_start(&s->resized, on_resize, SIGWINCH);
    uv_signal_start(&s->stopped, on_stop, SIGTSTP);
    return s;
}

void ty_run_screen_close(struct ty_run_screen *s)
{
    ty_auto_buf out = { 0 };

    if (!s)
        return;
    uv_timer_stop(&s->timer);
    uv_signal_stop(&s->resized);
    uv_signal_stop(&s->stopped);
    measure_terminal(s);
    erase_frame(s, &out);
    ty_buf_add(&out, ty_buf_str(&s->above));
    ty_buf_cstr(&out, SHOW_CURSOR);
    ty_run_screen_write(s->fd, ty_buf_str(&out));
    show_typing(s);
    watch_deaths(SIG_DFL, on_death);
    ty_run_table_frame_done(&s->now);
    ty_run_table_frame_done(&s->before);
    ty_buf_done(&s->above);
}
