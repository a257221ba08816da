/* Prints events as `kubectl events` does. */
#include "cli/view/events_view.h"
#include "base/time.h"
#include "cli/history/job_history.h"
#include "cli/view/objects_view.h"
#include "cli/view/table.h"

struct events_view {
    struct ty_arena *a;
    struct ty_table table;
    struct ty_json **objs;
    size_t n, cap;
    int64_t now_ms;
};

/* "12s", or "12s (x3 over 2m)". */
static const char *last_seen(struct events_view *s, const struct ty_history_read_event *e)
{
    const char *age = ty_table_age(s->a, (s->now_ms - e->last_ms) / 1000);

    if (e->count < 2)
        return age;
    return ty_arena_printf(s->a, "%s (x%lld over %s)", age, (long long)e->count,
                           ty_table_age(s->a, (s->now_ms - e->first_ms) / 1000));
}

static bool add_row(void *ctx, const struct ty_history_read_event *e)
{
    struct events_view *s = ctx;
    const struct ty_kind *kind = ty_kind_by_name(ty_str(e->kind));

    if (!s->table.n_cells)
        ty_table_row(&s->table, "LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE");
    ty_table_row(&s->table, last_seen(s, e), ty_arena_strdup(s->a, e->type),
                 ty_arena_strdup(s->a, e->reason),
                 ty_arena_printf(s->a, "%s/%s", kind ? kind->singular : e->kind, e->name),
                 ty_arena_strdup(s->a, e->message));
    return true;
}

static struct ty_json *json_text(struct events_view *s, const char *c)
{
    return ty_json_cstr(s->a, ty_arena_strdup(s->a, c));
}

static bool add_object(void *ctx, const struct ty_history_read_event *e)
{
    struct events_view *s = ctx;
    struct ty_arena *a = s->a;
    struct ty_json *v = ty_json_object(a), *meta = ty_json_object(a), *about = ty_json_object(a);
    const struct ty_kind *kind = ty_kind_by_name(ty_str(e->kind));

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

int ty_events_view_print(struct ty_cli *cli, struct ty_history_db *d,
                         const struct ty_history_read_filter *which, const char *output,
                         const char *indent)
{
    struct events_view s = { .a = cli->arena,
                             .table = { .arena = cli->arena, .indent = indent },
                             .now_ms = ty_cli_wall_ms() };
    bool table = !output || strcmp(output, "wide") == 0;
    struct ty_err err = { 0 };
    ty_auto_buf out = { 0 };

    if (d && ty_history_read_events(d, which, table ? add_row : add_object, &s, &err) < 0)
        return ty_job_history_error(cli, &err);
    if (!table)
        return ty_objects_view_print(cli, s.objs, s.n, true, output);
    if (!s.table.n_cells) {
        if (indent)
            fputs("  <none>\n", cli->out);
        else
            fputs("No events found\n", cli->err);
        return TY_EXIT_OK;
    }
    ty_table_print(&s.table, &out);
    return ty_cli_print(cli, &out);
}
