/* Merges Master and Worker of PyTorchJob and XGBoostJob into one set of nodes: their pods must be
 * equal. If only commands differ, one script can contain both (--split-script). */
#include "api/quantity.h"
#include "base/buf.h"
#include "convert/v1.h"

/* The pod without what may differ silently: ports and labels, which V1 set itself. */
static struct ty_json *comparable_pod(struct ty_v1_conversion *c, const struct ty_v1_role *r)
{
    struct ty_json *pod = ty_json_copy(c->arena, r->pod, 0);
    ty_json_del(ty_json_get(pod, "metadata"), TY_LIT("labels"));
    if (!ty_json_len(ty_json_get(pod, "metadata")))
        ty_json_del(pod, TY_LIT("metadata"));
    ty_json_del(ty_json_item(ty_json_at(pod, "spec.containers"), r->main_at), TY_LIT("ports"));
    return pod;
}

struct diff {
    const char *path;         /* "spec.containers[0].image" */
    const struct ty_json *at; /* in the second pod */
};

static bool find_difference(struct ty_arena *a, const struct ty_json *x, const struct ty_json *y,
                            const struct ty_field_path *at, struct diff *ret);

static bool differ_in_members(struct ty_arena *a, const struct ty_json *x, const struct ty_json *y,
                              const struct ty_field_path *at, struct diff *ret)
{
    ty_each_member (m, x)
        if (find_difference(a, m->value, ty_json_find(y, m->key), TY_KEYS(at, m->key), ret))
            return true;
    ty_each_member (m, y)
        if (!ty_json_find(x, m->key) &&
            find_difference(a, NULL, m->value, TY_KEYS(at, m->key), ret))
            return true;
    return false;
}

/* Finds the first difference. */
static bool find_difference(struct ty_arena *a, const struct ty_json *x, const struct ty_json *y,
                            const struct ty_field_path *at, struct diff *ret)
{
    if (x && y && ty_json_eq(x, y))
        return false;
    if (ty_json_is(x, TY_JSON_OBJECT) && ty_json_is(y, TY_JSON_OBJECT))
        return differ_in_members(a, x, y, at, ret);
    if (ty_json_is(x, TY_JSON_ARRAY) && ty_json_is(y, TY_JSON_ARRAY) && x->n == y->n)
        for (size_t i = 0; i < x->n; i++)
            if (find_difference(a, x->items[i], y->items[i], TY_IDX(at, i), ret))
                return true;
    ret->path = ty_errs_path_text(a, at);
    ret->at = y;
    return true;
}

/* Quotes one word for the shell. */
static void put_quoted(struct ty_buf *b, struct ty_str s)
{
    ty_buf_chr(b, '\'');
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == '\'')
            ty_buf_cstr(b, "'\\''");
        else
            ty_buf_chr(b, s.p[i]);
    ty_buf_chr(b, '\'');
}

static void put_words(struct ty_buf *b, const struct ty_json *list)
{
    ty_each_item (it, list) {
        ty_buf_chr(b, ' ');
        put_quoted(b, ty_json_as_str(*it));
    }
}

static void exec_line(struct ty_buf *b, const struct ty_v1_role *r)
{
    ty_buf_cstr(b, "exec");
    put_words(b, ty_json_get(r->main, "command"));
    put_words(b, ty_json_get(r->main, "args"));
}

/* Puts both commands into one script in the worker's container; resources are the maximum of both.
 */
static void split_script(struct ty_v1_conversion *c, const struct ty_v1_role *master,
                         struct ty_v1_role *worker)
{
    static const char *const lists[] = { "requests", "limits" };
    ty_auto_buf b = { 0 };
    ty_buf_cstr(&b, "if [ \"$TY_INDEX\" = 0 ]; then ");
    exec_line(&b, master);
    ty_buf_cstr(&b, "; fi; ");
    exec_line(&b, worker);
    struct ty_json *command = ty_json_array(c->arena), *args = ty_json_array(c->arena);
    ty_json_push(c->arena, command, ty_json_cstr(c->arena, "sh"));
    ty_json_push(c->arena, command, ty_json_cstr(c->arena, "-c"));
    ty_json_push(c->arena, args, ty_json_str(c->arena, ty_arena_str(c->arena, ty_buf_str(&b))));
    for (size_t i = 0; i < 2; i++) {
        const struct ty_json *from = ty_json_get(ty_json_get(master->main, "resources"), lists[i]);
        if (ty_json_len(from))
            ty_quantity_resources_max(
                c->arena,
                ty_json_ensure_object(
                    c->arena, ty_json_ensure_object(c->arena, worker->main, "resources"), lists[i]),
                from);
    }
    ty_json_set(c->arena, worker->main, "command", command);
    ty_json_set(c->arena, worker->main, "args", args);
    c->split = true;
}

/* The pod without what a split script can contain. */
static struct ty_json *without_script(struct ty_v1_conversion *c, const struct ty_json *pod,
                                      size_t at)
{
    struct ty_json *copy = ty_json_copy(c->arena, pod, 0);
    struct ty_json *main = ty_json_item(ty_json_at(copy, "spec.containers"), at);
    ty_json_del(main, TY_LIT("command"));
    ty_json_del(main, TY_LIT("args"));
    ty_json_del(main, TY_LIT("resources"));
    return copy;
}

static void merge_roles(struct ty_v1_conversion *c, struct ty_v1_role *master,
                        struct ty_v1_role *worker)
{
    const struct ty_field_path *specs = TY_KEY(TY_KEY(NULL, "spec"), c->kind->specs);
    const struct ty_field_path *at = TY_KEY(TY_KEY(specs, worker->key), "template");
    struct ty_json *m = comparable_pod(c, master), *w = comparable_pod(c, worker);
    struct diff d = { 0 };
    if (!find_difference(c->arena, m, w, at, &d))
        return;
    bool commands = ty_json_len(ty_json_get(master->main, "command")) &&
                    ty_json_len(ty_json_get(worker->main, "command"));
    struct ty_json *mm = without_script(c, m, master->main_at);
    struct ty_json *ww = without_script(c, w, worker->main_at);
    bool only = !find_difference(c->arena, mm, ww, at,
                                 &d); /* otherwise d is a difference that a script cannot express */
    if (only && commands && c->opts.split_script) {
        ty_v1_warn(c, d.at, TY_KEY(NULL, d.path),
                   "differs from the Master's: one script on TY_INDEX holds both commands, "
                   "resources are the larger of both");
        split_script(c, master, worker);
        return;
    }
    ty_v1_error(c, d.at, TY_KEY(NULL, d.path),
                "differs from the Master's, and the nodes of a TrainJob are all alike: make them "
                "equal%s",
                !only       ? ""
                : !commands ? ", or write the image's command into both and give --split-script"
                            : ", or give --split-script");
}

/* Warns about ports that only the master's container has. V1's own port is not reported: rank 0
 * gets its port from the operator, or from MASTER_PORT. */
static void warn_ports(struct ty_v1_conversion *c, const struct ty_v1_role *master,
                       const struct ty_v1_role *worker, const struct ty_field_path *template)
{
    const struct ty_field_path *containers = TY_KEY(TY_KEY(template, "spec"), "containers");
    const struct ty_field_path *at = TY_KEY(TY_IDX(containers, master->main_at), "ports");
    const struct ty_json *theirs = ty_json_get(worker->main, "ports");
    size_t i = 0;
    ty_each_item (it, ty_json_get(master->main, "ports")) {
        const struct ty_field_path *here = TY_IDX(at, i++);
        bool same = false;
        ty_each_item (other, theirs)
            same |= ty_json_eq(*it, *other);
        if (!same && ty_str_is(ty_json_str_at(*it, "name"), c->kind->port_name))
            ty_v1_warn(c, *it, here, "not carried over: MASTER_PORT says where rank 0 listens");
        else if (!same)
            ty_v1_warn(c, *it, here, "not carried over: all nodes have the Worker's ports");
    }
}

static void tell_labels(struct ty_v1_conversion *c, const struct ty_v1_role *master,
                        const struct ty_v1_role *worker)
{
    const struct ty_field_path *specs = TY_KEY(TY_KEY(NULL, "spec"), c->kind->specs);
    const struct ty_field_path *at = TY_KEY(TY_KEY(specs, master->key), "template");
    const struct ty_json *m = ty_json_at(master->pod, "metadata.labels"),
                         *w = ty_json_at(worker->pod, "metadata.labels");
    if (ty_json_len(m) && !(w && ty_json_eq(m, w)))
        ty_v1_warn(c, m, TY_KEY(TY_KEY(at, "metadata"), "labels"),
                   "not carried over: all nodes have the Worker's labels");
    warn_ports(c, master, worker, at);
    if (master->restart != worker->restart)
        ty_v1_warn(c, ty_json_get(master->spec, "restartPolicy"),
                   TY_KEY(TY_KEY(specs, master->key), "restartPolicy"),
                   "not carried over: all nodes have the Worker's restartPolicy");
}

void ty_v1_merge(struct ty_v1_conversion *c)
{
    struct ty_v1_role *master = ty_v1_role(c, "Master"), *worker = ty_v1_role(c, "Worker");
    if (master && worker) {
        merge_roles(c, master, worker);
        if (c->out->bad)
            return;
        tell_labels(c, master, worker);
        worker->replicas += master->replicas;
        master->replicas = 0; /* counted with the workers from now on */
    }
    struct ty_v1_set *set = ty_v1_add_set(c, worker ? worker : master, true);
    ty_v1_set_nodes(c, set->count);
    if (master)
        ty_v1_first_succeeds(c, set);
}
