#include "cli/cluster/log_merge.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <uv.h>

#include "base/map.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "cli/cluster/log_lines.h"

#define TICK_MS     200
#define SETTLE_MS   1000 /* until the status of a container says that it has ended */
#define BACKOFF_MS  250
#define BACKOFF_MAX 10000
#define LAST_TRIES  3 /* without --follow, or once the job is over */

enum log_read_state { READ_WAITING, READ_OPEN, READ_ENDED, READ_DELAYED, READ_OVER };

struct log_source {
    struct log_source *next; /* in the order in which they are read */
    struct ty_log_merge *m;
    struct log_of_pod *pod;
    char *container;
    /* The status: */
    int64_t latest;
    bool latest_ended;
    /* Reading: */
    enum log_read_state state;
    int64_t reads;  /* the instance that is being read; -1: none */
    int64_t done;   /* the last one that was read whole; -1: none */
    bool last_read; /* the read that makes sure of the end */
    bool began;     /* the instance was read before: resume it */
    bool told;      /* that the connection was lost */
    int tries;
    int64_t due_ms; /* when delayed or ended */
    struct ty_log_lines lines;
    struct ty_kube_op *op;
};

struct log_of_pod {
    struct ty_log_merge *m;
    char *name, *node;
    bool gone, over;
    struct log_source *first; /* of n in a row */
    size_t n;
};

struct ty_log_merge {
    struct ty_log_merge_opts o;
    char *container;
    struct ty_map pods; /* uid -> struct log_of_pod */
    struct log_source *first, *last_source;
    size_t n_open, n_sources;
    uv_timer_t *timer;
    bool ticking, clean, over, any, fatal, told_limit;
    bool printed;     /* a line that is not flushed */
    int64_t spoke_ms; /* when the last line was written: a pager that blocks is no silence */
    int code;
    struct ty_buf text; /* a cleaned line */
};

static void pump(struct ty_log_merge *m);

/* ---- printing ---- */

static void print_line(void *ctx, struct ty_str stamp, struct ty_str text)
{
    struct log_source *s = ctx;
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
    struct log_source *s = ctx;
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

static void end_instance(struct log_source *s)
{
    ty_log_lines_end(&s->lines);
    s->done = s->reads;
    s->reads = -1;
    s->tries = 0;
    s->began = s->last_read = false;
    s->state = s->m->o.follow ? READ_WAITING : READ_OVER;
}

static void warn(struct log_source *s, enum ty_cli_msg_kind how, const char *what,
                 struct ty_str why)
{
    fflush(s->m->o.cli->out);
    ty_cli_msg(s->m->o.cli, how, "log of container \"%s\" of %s%s: %.*s", s->container,
               s->pod->node, what, TY_ARG(why));
}

static void retry_later(struct log_source *s, struct ty_str why)
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
static void refuse(struct log_source *s, const struct ty_kube_response *answer)
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
static void finish_read(struct log_source *s, bool previous)
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
    struct log_source *s = ctx;
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
    pump(m);
    m->o.changed(m->o.ctx);
}

/* ---- what to read next ---- */

static void open_log(struct log_source *s)
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
static bool choose_instance(struct log_source *s)
{
    const struct ty_log_merge *m = s->m;

    if (s->reads < 0 && m->o.previous)
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

/* True: it wants to be opened now. */
static bool is_ready(struct log_source *s, int64_t now)
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

static void on_tick(uv_timer_t *timer)
{
    struct ty_log_merge *m = timer->data;

    pump(m);
    m->o.changed(m->o.ctx);
}

static void tell_limit(struct ty_log_merge *m, size_t waiting)
{
    if (m->told_limit || !m->o.follow)
        return;
    m->told_limit = true;
    ty_cli_msg(m->o.cli, TY_MSG_NOTE,
               "%zu logs are followed at the same time; %zu more begin when these end. Name a node "
               "to follow that one",
               m->n_open, waiting);
}

static void pump(struct ty_log_merge *m)
{
    size_t most = m->o.follow ? m->o.streams : 1, waiting = 0;
    int64_t now = ty_cli_monotonic_ms();
    bool timed = false;

    for (struct log_source *s = m->first; s && !m->fatal; s = s->next) {
        bool ready = is_ready(s, now);
        if (ready && m->n_open < most)
            open_log(s);
        else
            waiting += ready;
        timed |= s->state == READ_ENDED || s->state == READ_DELAYED;
        if (!m->o.follow && s->state != READ_OVER)
            break; /* one after the other */
    }
    if (waiting)
        tell_limit(m, waiting);
    if (timed && !m->ticking)
        uv_timer_start(m->timer, on_tick, TICK_MS, TICK_MS);
    else if (!timed && m->ticking)
        uv_timer_stop(m->timer);
    m->ticking = timed;
}

/* ---- pods ---- */

static void add_source(struct ty_log_merge *m, struct log_of_pod *p, const char *container)
{
    struct log_source *s = ty_xalloc(calloc(1, sizeof(*s)));

    *s = (struct log_source){ .m = m,
                              .pod = p,
                              .container = ty_xalloc(strdup(container)),
                              .latest = -1,
                              .reads = -1,
                              .done = -1,
                              .lines = { .fn = print_line, .ctx = s } };
    if (!p->first)
        p->first = s;
    p->n++;
    m->n_sources++;
    ty_append(m->first, m->last_source, s);
}

/* The node's name comes from the server, and is printed before each line. */
static char *clean_name(const char *name)
{
    size_t n = strlen(name);
    char *clean = ty_xalloc(malloc(n + 1));

    clean[ty_text_clean(ty_str(name), clean, n)] = '\0';
    return clean;
}

static struct log_of_pod *add_pod(struct ty_log_merge *m, const struct ty_log_pod *pod)
{
    struct log_of_pod *p = ty_xalloc(calloc(1, sizeof(*p)));

    *p = (struct log_of_pod){ .m = m,
                              .name = ty_xalloc(strdup(pod->name)),
                              .node = clean_name(pod->node) };
    ty_map_put(&m->pods, ty_str(pod->uid), p);
    for (size_t i = 0; i < pod->n; i++)
        if (!m->container || strcmp(m->container, pod->containers[i].name) == 0)
            add_source(m, p, pod->containers[i].name);
    return p;
}

void ty_log_merge_pod(struct ty_log_merge *m, const struct ty_log_pod *pod)
{
    struct log_of_pod *p = ty_map_get(&m->pods, ty_str(pod->uid));

    if (!p)
        p = add_pod(m, pod);
    p->over = pod->over;
    struct log_source *s = p->first;
    for (size_t i = 0; i < pod->n && s && s->pod == p; i++) {
        if (strcmp(s->container, pod->containers[i].name) != 0)
            continue;
        s->latest = pod->containers[i].instance;
        s->latest_ended = pod->containers[i].ended;
        s = s->next;
    }
    if (m->o.follow || m->n_open == 0)
        pump(m);
}

void ty_log_merge_pod_gone(struct ty_log_merge *m, const char *uid)
{
    struct log_of_pod *p = ty_map_get(&m->pods, ty_str(uid));

    if (p)
        p->gone = true;
    pump(m);
}

void ty_log_merge_last(struct ty_log_merge *m)
{
    m->over = true;
    pump(m);
}

/* ---- the whole ---- */

static void free_timer(uv_handle_t *timer)
{
    free(timer);
}

struct ty_log_merge *ty_log_merge_new(const struct ty_log_merge_opts *opts)
{
    struct ty_log_merge *m = ty_xalloc(calloc(1, sizeof(*m)));
    int fd = fileno(opts->cli->out);

    m->o = *opts;
    m->o.follow = opts->follow && !opts->previous;
    m->o.streams = opts->streams ? opts->streams : TY_LOG_MERGE_STREAMS;
    m->container = opts->container ? ty_xalloc(strdup(opts->container)) : NULL;
    m->clean = fd >= 0 && isatty(fd);
    m->spoke_ms = ty_cli_monotonic_ms();
    m->timer = ty_xalloc(calloc(1, sizeof(*m->timer)));
    uv_timer_init(ty_cluster_session_loop(opts->session), m->timer);
    m->timer->data = m;
    return m;
}

void ty_log_merge_free(struct ty_log_merge *m)
{
    const struct ty_map_slot *slot = NULL;

    if (!m)
        return;
    for (struct log_source *s = m->first, *next = NULL; s; s = next) {
        next = s->next;
        ty_kube_cancel(s->op);
        ty_log_lines_done(&s->lines);
        free(s->container);
        free(s);
    }
    for (size_t at = 0; (slot = ty_map_next(&m->pods, &at));) {
        struct log_of_pod *p = slot->value;
        free(p->name);
        free(p->node);
        free(p);
    }
    ty_map_done(&m->pods);
    ty_buf_done(&m->text);
    uv_close((uv_handle_t *)m->timer, free_timer);
    free(m->container);
    free(m);
}

bool ty_log_merge_idle(const struct ty_log_merge *m)
{
    for (const struct log_source *s = m->first; s; s = s->next)
        if (s->state != READ_OVER && (s->state != READ_WAITING || s->latest > s->done))
            return false;
    return true;
}

bool ty_log_merge_any(const struct ty_log_merge *m)
{
    return m->any;
}

int64_t ty_log_merge_quiet_ms(const struct ty_log_merge *m)
{
    return ty_cli_monotonic_ms() - m->spoke_ms;
}

int ty_log_merge_code(const struct ty_log_merge *m)
{
    return m->code;
}

bool ty_log_merge_fatal(const struct ty_log_merge *m)
{
    return m->fatal;
}
