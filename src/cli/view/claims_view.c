#include "cli/view/claims_view.h"

#include "base/time.h"
#include "cli/history/claims.h"
#include "cli/history/job_history.h"
#include "cli/view/objects_view.h"
#include "cli/view/table.h"

/* The job that used a claim last. */
struct claim_user {
    const char *job;
    bool for_job, with_job;
};

struct claims_view {
    struct ty_cli *cli;
    struct ty_map users; /* claim -> struct claim_user */
    const struct ty_job_history_entry *job;
    struct ty_table table;
    struct ty_json **objs;
    size_t n, cap;
};

bool ty_claims_view_is_kind(const char *word)
{
    static const char *const words[] = { "claims", "claim", "pvc", "persistentvolumeclaims",
                                         "persistentvolumeclaim" };

    for (size_t i = 0; i < TY_COUNT(words); i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

static void on_claim(void *ctx, const char *name, bool for_job, bool with_job)
{
    struct claims_view *v = ctx;

    if (ty_map_get(&v->users, ty_str(name)))
        return; /* of a newer run, or by its policy */
    struct claim_user *u = ty_new(v->cli->arena, struct claim_user);
    *u = (struct claim_user){ .job = ty_arena_strdup(v->cli->arena, v->job->name),
                              .for_job = for_job,
                              .with_job = with_job };
    ty_map_put(&v->users, ty_str(name), u);
}

static bool on_job(void *ctx, struct ty_arena *a, const struct ty_job_history_entry *job)
{
    struct claims_view *v = ctx;

    v->job = job;
    ty_claims_each(a, job->jobset, on_claim, v);
    return true;
}

static void add_object(struct claims_view *v, const struct ty_claim *c)
{
    struct ty_arena *a = v->cli->arena;
    struct ty_json *obj = ty_json_object(a), *meta = ty_json_ensure_object(a, obj, "metadata");

    ty_json_set(a, obj, "apiVersion", ty_json_cstr(a, "v1"));
    ty_json_set(a, obj, "kind", ty_json_cstr(a, "PersistentVolumeClaim"));
    ty_json_set(a, meta, "name", ty_json_cstr(a, c->name));
    ty_json_set(a, meta, "creationTimestamp", ty_json_str(a, ty_time_text(a, c->created_s)));
    ty_json_set(a, ty_json_ensure_object(a, meta, "annotations"), "trainyard.dev/path",
                ty_json_cstr(a, c->path));
    ty_json_set(a, ty_json_ensure_object(a, obj, "status"), "phase", ty_json_cstr(a, "Bound"));
    ty_room(a, v->objs, v->n, v->cap);
    v->objs[v->n++] = obj;
}

static void add_claim(struct claims_view *v, const struct ty_claim *c)
{
    const struct claim_user *u = ty_map_get(&v->users, ty_str(c->name));
    struct ty_arena *a = v->cli->arena;

    ty_table_row(&v->table, c->name, c->in_use ? "InUse" : "Bound", u ? u->job : "<none>",
                 u && u->with_job ? "Delete" : "Retain",
                 ty_table_age(a, ty_cli_wall_ms() / 1000 - c->created_s), c->path);
    add_object(v, c);
}

/* Returns an exit code. */
static int add_named(struct claims_view *v, const struct ty_claim *claims, size_t n,
                     const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(claims[i].name, name) == 0) {
            add_claim(v, &claims[i]);
            return TY_EXIT_OK;
        }
    return ty_job_history_not_found(v->cli, &ty_kind_pvc, name);
}

static int print_all(struct claims_view *v, size_t n_names, const char *output)
{
    ty_auto_buf out = { 0 };

    if (output && strcmp(output, "wide") != 0)
        return v->n || !n_names ? ty_objects_view_print(v->cli, v->objs, v->n, n_names != 1, output)
                                : TY_EXIT_OK;
    if (ty_table_rows(&v->table))
        ty_table_print(&v->table, &out);
    else if (!n_names)
        fputs("No resources found\n", v->cli->err);
    return ty_cli_print_clean(v->cli, &out);
}

int ty_claims_view_print(struct ty_cli *cli, struct ty_history_db *d, const char *const *names,
                         size_t n_names, const char *output)
{
    struct claims_view v = { .cli = cli, .table = { .arena = cli->arena } };
    struct ty_job_history_query q = { .cli = cli, .d = d, .fn = on_job, .ctx = &v };
    struct ty_err err = { 0 };
    struct ty_claim *claims = NULL;
    size_t n = 0;
    int bad = TY_EXIT_OK;

    if (ty_claims_list(cli->arena, &claims, &n, &err) < 0)
        return ty_job_history_error(cli, &err);
    int code = n ? ty_job_history_query(&q) : TY_EXIT_OK;
    if (output && strcmp(output, "wide") == 0)
        ty_table_row(&v.table, "NAME", "STATUS", "TRAINJOB", "POLICY", "AGE", "PATH");
    else
        ty_table_row(&v.table, "NAME", "STATUS", "TRAINJOB", "POLICY", "AGE");
    for (size_t i = 0; i < n && !n_names; i++)
        add_claim(&v, &claims[i]);
    for (size_t i = 0; i < n_names; i++)
        bad |= add_named(&v, claims, n, names[i]);
    if (code == TY_EXIT_OK)
        code = print_all(&v, n_names, output);
    ty_map_done(&v.users);
    return code ? code : bad;
}
