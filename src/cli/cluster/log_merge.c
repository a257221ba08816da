/* Chooses the logs that are read, and holds the pods and their containers. */
#include "cli/cluster/log_merge_inner.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "base/xalloc.h"

#define TICK_MS 200

/* ---- what to read next ---- */

static void on_tick(uv_timer_t *timer)
{
    struct ty_log_merge *m = timer->data;

    ty_log_merge_pump(m);
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

void ty_log_merge_pump(struct ty_log_merge *m)
{
    size_t most = m->o.follow ? m->o.streams : 1, waiting = 0;
    int64_t now = ty_cli_monotonic_ms();
    bool timed = false;

    for (struct ty_log_merge_source *s = m->first; s && !m->fatal; s = s->next) {
        bool ready = ty_log_merge_read_is_ready(s, now);
        if (ready && m->n_open < most)
            ty_log_merge_read_open(s);
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

static void add_source(struct ty_log_merge *m, struct ty_log_merge_of_pod *p, const char *container)
{
    struct ty_log_merge_source *s = ty_xalloc(calloc(1, sizeof(*s)));

    *s = (struct ty_log_merge_source){ .m = m,
                                       .pod = p,
                                       .container = ty_xalloc(strdup(container)),
                                       .latest = -1,
                                       .reads = -1,
                                       .done = -1,
                                       .lines = { .fn = ty_log_merge_read_line, .ctx = s } };
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

static struct ty_log_merge_of_pod *add_pod(struct ty_log_merge *m, const struct ty_log_pod *pod)
{
    struct ty_log_merge_of_pod *p = ty_xalloc(calloc(1, sizeof(*p)));

    *p = (struct ty_log_merge_of_pod){ .m = m,
                                       .name = ty_xalloc(strdup(pod->name)),
                                       .replaced = pod->replaced,
                                       .node = clean_name(pod->node) };
    ty_map_put(&m->pods, ty_str(pod->uid), p);
    for (size_t i = 0; i < pod->n; i++)
        if (!m->container || strcmp(m->container, pod->containers[i].name) == 0)
            add_source(m, p, pod->containers[i].name);
    return p;
}

void ty_log_merge_pod(struct ty_log_merge *m, const struct ty_log_pod *pod)
{
    struct ty_log_merge_of_pod *p = ty_map_get(&m->pods, ty_str(pod->uid));

    if (!p)
        p = add_pod(m, pod);
    p->over = pod->over;
    struct ty_log_merge_source *s = p->first;
    for (size_t i = 0; i < pod->n && s && s->pod == p; i++) {
        if (strcmp(s->container, pod->containers[i].name) != 0)
            continue;
        s->latest = pod->containers[i].instance;
        s->latest_ended = pod->containers[i].ended;
        s = s->next;
    }
    if (m->o.follow || m->n_open == 0)
        ty_log_merge_pump(m);
}

void ty_log_merge_pod_gone(struct ty_log_merge *m, const char *uid)
{
    struct ty_log_merge_of_pod *p = ty_map_get(&m->pods, ty_str(uid));

    if (p)
        p->gone = true;
    ty_log_merge_pump(m);
}

void ty_log_merge_last(struct ty_log_merge *m)
{
    m->over = true;
    ty_log_merge_pump(m);
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
    for (struct ty_log_merge_source *s = m->first, *next = NULL; s; s = next) {
        next = s->next;
        ty_kube_cancel(s->op);
        ty_log_lines_done(&s->lines);
        free(s->container);
        free(s);
    }
    for (size_t at = 0; (slot = ty_map_next(&m->pods, &at));) {
        struct ty_log_merge_of_pod *p = slot->value;
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
    for (const struct ty_log_merge_source *s = m->first; s; s = s->next)
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
