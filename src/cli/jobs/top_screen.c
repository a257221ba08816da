/*   timer --> sample --> text --> frame (cli/run/run_screen.h) --> terminal
 *   q, SIGINT, SIGTERM --> stop
 */
#include "cli/jobs/top_screen.h"

#include <signal.h>
#include <unistd.h>
#include <uv.h>

#include "base/text.h"
#include "cli/run/run_screen.h"
#include "cli/run/run_view.h"

struct screen_message {
    enum ty_cli_msg_kind how;
    const char *text;
};

struct top_screen {
    const struct ty_top_screen *o;
    uv_timer_t timer;
    uv_signal_t sigint, sigterm;
    uv_poll_t keys;
    bool has_keys;
    int open; /* handles */
    bool due, stopped;
    struct ty_run_screen *screen;
    struct screen_message *messages; /* of samples, while the screen is shown */
    size_t n, cap;
};

static void draw_table(void *ctx, const struct ty_run_table_opts *d, struct ty_run_table_frame *ret)
{
    const struct top_screen *s = ctx;

    ty_run_table_draw_text(ty_buf_str(s->o->text), d, ret);
}

static void keep_message(void *ctx, enum ty_cli_msg_kind how, const char *text)
{
    struct top_screen *s = ctx;
    struct ty_arena *a = s->o->cli->arena;

    ty_room(a, s->messages, s->n, s->cap);
    s->messages[s->n++] = (struct screen_message){ how, ty_arena_strdup(a, text) };
}

static void stop(struct top_screen *s)
{
    s->stopped = true;
    if (s->o->stop)
        s->o->stop(s->o->ctx);
}

static void on_timer(uv_timer_t *h)
{
    struct top_screen *s = h->data;

    s->due = true;
}

static void on_signal(uv_signal_t *h, int sig TY_UNUSED)
{
    stop(h->data);
}

static void on_key(uv_poll_t *h, int status, int events TY_UNUSED)
{
    struct top_screen *s = h->data;
    char c = 0;

    if (status < 0 || read(s->o->cli->in, &c, 1) != 1)
        uv_poll_stop(h); /* standard input is closed */
    else if (c == 'q' || c == 'Q')
        stop(s);
}

static void open_screen(struct top_screen *s)
{
    uv_loop_t *loop = s->o->loop;

    uv_timer_init(loop, &s->timer);
    uv_signal_init(loop, &s->sigint);
    uv_signal_init(loop, &s->sigterm);
    s->open = 3;
    s->timer.data = s->sigint.data = s->sigterm.data = s->keys.data = s;
    uv_signal_start(&s->sigint, on_signal, SIGINT);
    uv_signal_start(&s->sigterm, on_signal, SIGTERM);
    s->has_keys = isatty(s->o->cli->in) && uv_poll_init(loop, &s->keys, s->o->cli->in) == 0;
    if (s->has_keys)
        uv_poll_start(&s->keys, UV_READABLE, on_key);
    s->open += s->has_keys;
    s->screen = ty_run_screen_open(
        &(struct ty_run_screen_spec){
            .cli = s->o->cli, .draw = draw_table, .ctx = s, .keys = true },
        loop);
}

static void on_closed(uv_handle_t *h)
{
    struct top_screen *s = h->data;

    s->open--;
}

static void close_screen(struct top_screen *s)
{
    ty_run_screen_close(s->screen);
    uv_close((uv_handle_t *)&s->timer, on_closed);
    uv_close((uv_handle_t *)&s->sigint, on_closed);
    uv_close((uv_handle_t *)&s->sigterm, on_closed);
    if (s->has_keys)
        uv_close((uv_handle_t *)&s->keys, on_closed);
    while (s->open)
        uv_run(s->o->loop, UV_RUN_ONCE);
}

/* Names in the table are those of a server. */
static void show_text(struct top_screen *s)
{
    struct ty_buf *text = s->o->text;
    ty_auto_buf was = { 0 };

    if (text->n) {
        ty_buf_add(&was, ty_buf_str(text));
        text->n = ty_text_clean_keep(ty_buf_str(&was), "\n", text->p);
    }
    ty_run_screen_changed(s->screen);
}

bool ty_top_screen_can_draw(const struct ty_cli *cli)
{
    return ty_run_view_can_draw(cli);
}

bool ty_top_screen_run(const struct ty_top_screen *opts)
{
    struct top_screen s = { .o = opts };
    struct ty_cli_sink sink = opts->cli->sink;
    bool more = true;

    opts->cli->sink = (struct ty_cli_sink){ keep_message, &s };
    open_screen(&s);
    if (opts->text->n)
        show_text(&s);
    uv_timer_start(&s.timer, on_timer, (uint64_t)opts->first_ms, (uint64_t)opts->every_ms);
    while (more && !s.stopped) {
        uv_run(opts->loop, UV_RUN_ONCE);
        if (!s.due || s.stopped)
            continue;
        s.due = false;
        more = opts->sample(opts->ctx);
        show_text(&s);
    }
    close_screen(&s);
    opts->cli->sink = sink;
    for (size_t i = 0; i < s.n && !s.stopped; i++)
        ty_cli_msg(opts->cli, s.messages[i].how, "%s", s.messages[i].text);
    return s.stopped;
}
