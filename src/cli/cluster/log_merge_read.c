/* Reads the log of one container: opens it, prints its lines, and decides at its end what follows
 * (the picture in log_merge.h). */
#include "cli/cluster/log_merge_inner.h"

#include <errno.h>

#include "base/text.h"

#define SETTLE_MS   1000 /* until the status of a container says that it has ended */
#define BACKOFF_MS  250
#define BACKOFF_MAX 10000
#define LAST_TRIES  3 /* without --follow, or once the job is over */

/* ---- printing ---- */

void ty_log_merge_read_line(void *ctx, struct ty_str stamp, struct ty_str text)
{
    struct ty_log_merge_source *s = ctx;
    struct ty_log_merge *m = s->m;
    FILE *out = m->o.cli->out;
    bool colored = false;

    if (m->o.prefix)
        fprintf(out, "[%s] ", s->pod->node);
    if (m->o.timestamps && stamp.n)
        fprintf(out, "%.*s ", TY_ARG(stamp));
    if (m->clean && text.n) { /* a terminal does what the text says; colors are kept */
        m->text.n = 0;
        ty_buf_grow(&m->text, text.n);
        text = (struct ty_str){ m->text.p, ty_text_clean_color(text, m->text.p, &colored) };
    }
    fwrite(text.p, 1, text.n, out);
    fputs(colored ? "\033[0m\n" : "\n", out);
    m->spoke_ms = ty_cli_monotonic_ms();
    m->printed = true;
}

static void on_data(void *ctx, struct ty_str chunk)
{
    struct ty_log_merge_source *s = ctx;
    struct ty_log_merge *m = s->m;

    s->tries = 0;
    s->told = false;
    ty_log_lines_add(&s->lines, chunk);
    if (m->o.follow && m->printed) {
        fflush(m->o.cli->out);
        m->spoke_ms = ty_cli_monotonic_ms();
        m->printed = false;
    }
    m->fatal |= ferror(m->o.cli->out) != 0;
}

/* ---- the end of a read ---- */

static bool is_last_chance(const struct ty_log_merge *m)
{
    return !m->o.follow || m->over;
}

static void end_instance(struct ty_log_merge_source *s)
{
    ty_log_lines_end(&s->lines);
    s->done = s->reads;
    s->reads = -1;
    s->tries = 0;
    s->began = s->last_read = false;
    s->state = s->m->o.follow ? READ_WAITING : READ_OVER;
}

static void warn(struct ty_log_merge_source *s, enum ty_cli_msg_kind how, const char *what,
                 struct ty_str why)
{
    fflush(s->m->o.cli->out);
    ty_cli_msg(s->m->o.cli, how, "log of container \"%s\" of %s%s: %.*s", s->container,
               s->pod->node, what, TY_ARG(why));
}

static void retry_later(struct ty_log_merge_source *s, struct ty_str why)
{
    int64_t ms = (int64_t)BACKOFF_MS << (s->tries < 6 ? s->tries : 6);

    if (++s->tries > LAST_TRIES && is_last_chance(s->m)) {
        warn(s, TY_MSG_ERROR, " cannot be read", why);
        s->m->code = TY_EXIT_BAD;
        end_instance(s);
        s->state = READ_OVER;
        return;
    }
    if (s->tries == LAST_TRIES && !s->told &&
        s->m->o.follow) { /* not for each blink of the network */
        warn(s, TY_MSG_NOTE, " is interrupted, retrying", why);
        s->told = true;
    }
    s->state = READ_DELAYED;
    s->due_ms = ty_cli_monotonic_ms() + (ms < BACKOFF_MAX ? ms : BACKOFF_MAX);
}

/* Nobody may read logs here: one sentence is enough. */
static void refuse(struct ty_log_merge_source *s, const struct ty_kube_response *answer)
{
    struct ty_log_merge *m = s->m;
    ty_auto_arena *a = ty_arena_new_input(1 << 20, NULL);
    struct ty_cluster_answer why = { .verb = "get",
                                     .kind = &ty_kind_pod,
                                     .ns = ty_cluster_session_ns(m->o.session),
                                     .name = s->pod->name,
                                     .sub = "log" };

    ty_cluster_session_answer(a, answer, &why);
    if (!m->fatal)
        m->code = ty_cluster_session_error(m->o.session, "read the logs", &why);
    m->fatal = true;
    s->state = READ_OVER;
}

/* The server ended the response. */
static void finish_read(struct ty_log_merge_source *s, bool previous)
{
    if (!s->m->o.follow || previous || s->last_read) {
        end_instance(s);
        return;
    }
    s->state = READ_ENDED;
    s->due_ms = ty_cli_monotonic_ms() + SETTLE_MS;
}

static void on_end(void *ctx, const struct ty_kube_response *answer)
{
    struct ty_log_merge_source *s = ctx;
    struct ty_log_merge *m = s->m;
    bool previous = s->reads < s->latest;

    s->op = NULL;
    m->n_open--;
    if (answer->r == 0 && answer->code == 204)
        retry_later(s, TY_LIT("its pod is on no node yet"));
    else if (answer->r == 0)
        finish_read(s, previous);
    else if (answer->r == -EACCES)
        refuse(s, answer);
    else if ((answer->r == -ENOENT && (m->o.follow || previous)) ||
             (answer->r == -EINVAL && (previous || s->pod->gone)))
        end_instance(s); /* with its pod, or removed by the kubelet */
    else
        retry_later(s, answer->message);
    ty_log_merge_pump(m);
    m->o.changed(m->o.ctx);
}

/* ---- what to read next ---- */

void ty_log_merge_read_open(struct ty_log_merge_source *s)
{
    struct ty_log_merge *m = s->m;
    bool previous = s->reads < s->latest;
    struct ty_kube_log log = { .ns = ty_str(ty_cluster_session_ns(m->o.session)),
                               .pod = ty_str(s->pod->name),
                               .container = ty_str(s->container),
                               .follow = m->o.follow && !previous && !s->last_read,
                               .previous = previous,
                               .timestamps = true,
                               .tail_lines = -1,
                               .data = on_data,
                               .end = on_end,
                               .ctx = s };

    if (s->began)
        log.since_time = ty_log_lines_resume(&s->lines);
    if (!log.since_time.n && s->done < 0) {
        log.tail_lines = m->o.tail;
        log.since_s = m->o.since_s;
    }
    s->began = true;
    s->state = READ_OPEN;
    m->any = true;
    m->n_open++;
    s->op = ty_kube_log(ty_cluster_session_kube(m->o.session), &log);
}

/* Chooses the instance; false: there is none to read now. */
static bool choose_instance(struct ty_log_merge_source *s)
{
    const struct ty_log_merge *m = s->m;

    if (s->reads < 0 && m->o.previous && !s->pod->replaced)
        s->reads = s->done < 0 ? s->latest - 1 : -1;
    else if (s->reads < 0 && s->latest > s->done) /* of more than two starts the first are lost */
        s->reads = s->done >= 0 && s->latest - 1 > s->done ? s->latest - 1 : s->latest;
    else if (s->reads >= 0 && s->reads < s->latest - 1) {
        end_instance(s); /* restarted twice meanwhile: the rest of its log is gone */
        s->reads = s->latest - 1;
    }
    if (s->reads < 0 && (s->pod->gone || s->pod->over || m->over || !m->o.follow))
        s->state = READ_OVER;
    return s->reads >= 0;
}

bool ty_log_merge_read_is_ready(struct ty_log_merge_source *s, int64_t now)
{
    if (s->state == READ_OPEN || s->state == READ_OVER || s->m->fatal)
        return false;
    if (s->state == READ_ENDED) {
        bool ended = s->latest > s->reads || s->latest_ended || s->pod->gone || s->pod->over;
        if (!ended && now < s->due_ms)
            return false;
        s->last_read = ended;
        s->state = READ_WAITING;
    }
    if (s->state == READ_DELAYED && now < s->due_ms)
        return false;
    s->state = READ_WAITING;
    return choose_instance(s);
}
