/* Prints events as `kubectl events` does. */
#include "cli/view/events_view.h"
#include "base/time.h"
#include "cli/view/objects_view.h"
#include "cli/view/table.h"
#include "report/job_phase.h"

struct events_view {
    struct ty_arena *a;
    struct ty_table table;
    struct ty_table_watch *watch;  /* or NULL */
    struct ty_events_marks *marks; /* or NULL */
    struct ty_json **objs;
    size_t n, cap;
    int64_t now_ms;
};

/* "12s", or "12s (x3 over 2m)". */
static const char *last_seen(struct events_view *s, const struct ty_job_event *e)
{
    const char *age = ty_table_age(s->a, (s->now_ms - e->last_ms) / 1000);

    if (e->count < 2)
        return age;
    return ty_arena_printf(s->a, "%s (x%lld over %s)", age, (long long)e->count,
                           ty_table_age(s->a, (s->now_ms - e->first_ms) / 1000));
}

static void add_mark(struct events_view *s, int64_t at_ms, const char *reason)
{
    struct ty_events_marks *m = s->marks;

    ty_room(s->a, m->v, m->n, m->cap);
    m->v[m->n++] = (struct ty_phase_mark){ at_ms, ty_str(ty_arena_strdup(s->a, reason)) };
}

static void add_marks(struct events_view *s, const struct ty_job_event *e)
{
    add_mark(s, e->first_ms, e->reason);
    if (e->count > 1)
        add_mark(s, e->last_ms, e->reason);
    if (strcmp(e->reason, "FirstFailure") == 0)
        s->marks->failure = ty_arena_strdup(s->a, e->message);
}

static bool add_row(void *ctx, const struct ty_job_event *e)
{
    struct events_view *s = ctx;
    const struct ty_kind *kind = ty_kind_by_name(ty_str(e->kind));

    if (!s->table.n_cells)
        ty_table_row(&s->table, "LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE");
    ty_table_row(&s->table, last_seen(s, e), ty_arena_strdup(s->a, e->type),
                 ty_arena_strdup(s->a, e->reason),
                 ty_arena_printf(s->a, "%s/%s", kind ? kind->singular : e->kind, e->name),
                 ty_arena_strdup(s->a, e->message));
    if (s->marks)
        add_marks(s, e);
    if (s->watch) /* a repeated event is a row of its own: LAST SEEN counts as a time */
        ty_table_watch_row(
            s->watch, &s->table,
            ty_arena_printf(s->a, "%lld/%s/%lld", (long long)e->id, e->uid, (long long)e->count));
    return !ty_arena_full(s->a);
}

static struct ty_json *json_text(struct events_view *s, const char *c)
{
    return ty_json_cstr(s->a, ty_arena_strdup(s->a, c));
}

static bool add_object(void *ctx, const struct ty_job_event *e)
{
    struct events_view *s = ctx;
    struct ty_arena *a = s->a;
    struct ty_json *v = ty_json_object(a), *meta = ty_json_object(a), *about = ty_json_object(a);
    const struct ty_kind *kind = ty_kind_by_name(ty_str(e->kind));

    if (e->obj) {
        ty_room(a, s->objs, s->n, s->cap);
        s->objs[s->n++] = ty_json_parse(a, ty_json_text(a, e->obj), NULL, NULL);
        s->n -= !s->objs[s->n - 1]; /* the arena is full */
        return !ty_arena_full(a);
    }
    ty_json_set(a, meta, "name", ty_json_strf(a, "%s.%lld.%zu", e->name, (long long)e->run, s->n));
    ty_json_set(a, about, "kind", json_text(s, e->kind));
    ty_json_set(a, about, "name", json_text(s, e->name));
    if (kind)
        ty_json_set(a, about, "apiVersion", ty_json_cstr(a, ty_kind_api_version(a, kind)));
    ty_json_set(a, v, "apiVersion", ty_json_cstr(a, "v1"));
    ty_json_set(a, v, "kind", ty_json_cstr(a, "Event"));
    ty_json_set(a, v, "metadata", meta);
    ty_json_set(a, v, "involvedObject", about);
    ty_json_set(a, v, "type", json_text(s, e->type));
    ty_json_set(a, v, "reason", json_text(s, e->reason));
    ty_json_set(a, v, "message", json_text(s, e->message));
    ty_json_set(a, v, "count", ty_json_int(a, e->count));
    ty_json_set(a, v, "firstTimestamp", ty_json_str(a, ty_time_text(a, e->first_ms / 1000)));
    ty_json_set(a, v, "lastTimestamp", ty_json_str(a, ty_time_text(a, e->last_ms / 1000)));
    ty_room(a, s->objs, s->n, s->cap);
    s->objs[s->n++] = v;
    return true;
}

int ty_events_view_print(struct ty_job_source *source, const struct ty_job_history_entry *job,
                         const char *output)
{
    struct ty_cli *cli = source->cli;
    struct events_view s = { .a = cli->arena,
                             .table = { .arena = cli->arena },
                             .now_ms = ty_cli_wall_ms() };
    bool table = !output || strcmp(output, "wide") == 0;
    const char *why = NULL;
    ty_auto_buf out = { 0 };
    int code = source->ops->events(source, s.a, job, table ? add_row : add_object, &s, &why);

    if (code == TY_EXIT_OK && why) {
        ty_cli_msg(cli, TY_MSG_ERROR, "%s", why);
        code = TY_EXIT_BAD;
    }
    if (code)
        return code;
    if (!table)
        return ty_objects_view_print(cli, s.objs, s.n, true, output);
    if (!s.table.n_cells) {
        fputs("No events found\n", cli->err);
        return TY_EXIT_OK;
    }
    ty_table_print(&s.table, &out);
    return ty_cli_print_clean(cli, &out);
}

int ty_events_view_describe(struct ty_job_source *source, const struct ty_job_history_entry *job,
                            const char *indent, struct ty_buf *out, struct ty_events_marks *ret)
{
    struct events_view s = { .a = source->cli->arena,
                             .table = { .arena = source->cli->arena, .indent = indent },
                             .marks = ret,
                             .now_ms = ty_cli_wall_ms() };
    const char *why = NULL;
    int code = source->ops->events(source, s.a, job, add_row, &s, &why);

    if (why)
        ty_buf_printf(out, "%s%s\n", indent, why);
    else if (!s.table.n_cells)
        ty_buf_printf(out, "%s<none>\n", indent);
    ty_table_print(&s.table, out);
    return code;
}

int ty_events_view_watch(struct ty_job_source *source, const struct ty_job_history_entry *job,
                         struct ty_table_watch *w, struct ty_table *t)
{
    struct events_view s = { .a = t->arena, .table = *t, .watch = w, .now_ms = ty_cli_wall_ms() };
    ty_auto_arena *objects =
        ty_arena_new_input((size_t)1 << 30, NULL); /* the rows have their own */
    const char *why = NULL;
    int code = source->ops->events(source, objects, job, add_row, &s, &why);

    *t = s.table;
    if (code || !why)
        return code;
    ty_cli_msg(source->cli, TY_MSG_ERROR, "%s", why);
    return TY_EXIT_BAD;
}
