/* Environment: what V1 gave to containers and a TrainJob does not, before what the user set. */
#include "base/buf.h"
#include "convert/conv.h"
#include <ctype.h>
#include <stdarg.h>

#define INDEX_FIELD "metadata.annotations['batch.kubernetes.io/job-completion-index']"

/* The webhook of Kubeflow Trainer refuses these in spec.trainer.env: it sets them itself. */
static const char *const reserved[] = {
    "PET_NNODES",
    "PET_NPROC_PER_NODE",
    "PET_NODE_RANK",
    "PET_MASTER_ADDR",
    "PET_MASTER_PORT",
    "DMLC_TRACKER_URI",
    "DMLC_TRACKER_PORT",
    "DMLC_TASK_ID",
    "DMLC_NUM_WORKER",
    "OMPI_MCA_orte_default_hostfile",
    "OMPI_MCA_plm_rsh_args",
    "OMPI_MCA_orte_keep_fqdn_hostnames",
    "OMPI_MCA_orte_set_default_slots",
    NULL,
};

static bool is_reserved(struct ty_str name)
{
    for (const char *const *r = reserved; *r; r++)
        if (ty_str_is(name, *r))
            return true;
    return false;
}

static bool user_has(const struct ty_conv_set *set, const char *name)
{
    return ty_json_by(set->user_env, "name", ty_str(name), NULL) != NULL;
}

static void push(struct ty_conv *c, struct ty_conv_set *set, const char *name, const char *key,
                 struct ty_json *value)
{
    struct ty_json *e = ty_json_object(c->arena);
    if (user_has(set, name) || ty_json_by(set->env, "name", ty_str(name), NULL))
        return;
    ty_json_set(c->arena, e, "name", ty_json_cstr(c->arena, name));
    ty_json_set(c->arena, e, key, value);
    ty_json_push(c->arena, set->env, e);
}

void ty_conv_env(struct ty_conv *c, struct ty_conv_set *set, const char *name, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    push(c, set, name, "value", ty_json_cstr(c->arena, ty_arena_vprintf(c->arena, fmt, ap)));
    va_end(ap);
}

void ty_conv_env_index(struct ty_conv *c, struct ty_conv_set *set)
{
    struct ty_json *from = ty_json_object(c->arena);
    struct ty_json *ref = ty_json_need_object(c->arena, from, "fieldRef");
    ty_json_set(c->arena, ref, "fieldPath", ty_json_cstr(c->arena, INDEX_FIELD));
    push(c, set, "TY_INDEX", "valueFrom", from);
}

void ty_conv_user_env(struct ty_conv *c, struct ty_conv_set *set, const struct ty_json *list,
                      const struct ty_path *at)
{
    struct ty_json *kept = ty_json_array(c->arena);
    size_t i = 0, was = 0;
    ty_each_item (e, list) {
        struct ty_str name = ty_json_str_at(*e, "name");
        const struct ty_path *here = TY_IDX(at, i++);
        if (is_reserved(name)) {
            ty_conv_warn(c, *e, here,
                         "not carried over: %.*s is set by the operator itself, and refused here",
                         TY_ARG(name));
        } else if (c->kind == &ty_conv_mpi1 && ty_str_is(name, "OMPI_MCA_plm_rsh_agent")) {
            ty_conv_warn(c, *e, here,
                         "not carried over: there is no kubexec.sh any more, nodes "
                         "are reached by ssh");
        } else if (ty_json_by(kept, "name", name, &was)) {
            ty_conv_warn(c, *e, here, "%.*s is set twice: the later value is kept", TY_ARG(name));
            kept->items[was] = *e;
        } else {
            ty_json_push(c->arena, kept, *e);
        }
    }
    set->user_env = kept;
}

void ty_conv_join_env(struct ty_conv *c, struct ty_conv_set *set)
{
    struct ty_json *all = ty_json_array(c->arena);
    ty_each_item (e, set->env)
        ty_json_push(c->arena, all, *e);
    ty_each_item (e, set->user_env)
        ty_json_push(c->arena, all, *e);
    if (all->n)
        ty_json_set(c->arena, set->trainer ? c->trainer : ty_conv_container(c, set), "env", all);
}

/* "<job>-<role>-": the beginning of a V1 pod's host name. */
static bool names_host(struct ty_conv *c, struct ty_str text)
{
    for (size_t i = 0; i < TY_CONV_ROLES && c->kind->roles[i].name; i++) {
        char *host = ty_arena_printf(c->arena, "%s-%s-", c->name, c->kind->roles[i].name);
        for (char *p = host + strlen(c->name); *p; p++)
            *p = (char)tolower((unsigned char)*p);
        if (ty_str_contains(text, ty_str(host)))
            return true;
    }
    return false;
}

static bool names_port(const struct ty_conv *c, struct ty_str text)
{
    char port[16];
    size_t n = (size_t)snprintf(port, sizeof(port), "%d", c->kind->port);
    if (c->kind->port < 10000)
        return false; /* too short to be told from other numbers */
    for (size_t i = 0; i + n <= text.n; i++) {
        bool left = i && isdigit((unsigned char)text.p[i - 1]);
        bool right = i + n < text.n && isdigit((unsigned char)text.p[i + n]);
        if (memcmp(text.p + i, port, n) == 0 && !left && !right)
            return true;
    }
    return false;
}

void ty_conv_scan(struct ty_conv *c, const struct ty_json *v, const struct ty_path *at)
{
    struct ty_str text = ty_json_text_of(v);
    size_t i = 0;
    ty_each_item (it, v)
        ty_conv_scan(c, *it, TY_IDX(at, i++));
    ty_each_member (m, v)
        ty_conv_scan(c, m->value, TY_KEYS(at, m->key));
    if (!text.n)
        return;
    if (names_host(c, text))
        ty_conv_warn(c, v, at, "this text holds a V1 host name: pods are now reached as %s",
                     ty_arena_printf(c->arena, "%s-%s-0-<index>.%s", c->name,
                                     c->n_sets ? c->sets[0].rjob : "node", c->name));
    if (c->mpi && ty_str_contains(text, TY_LIT("discover_hosts")))
        ty_conv_warn(c, v, at,
                     "there is no discover_hosts.sh: elastic Horovod cannot be carried over");
    if (c->kind->ml && names_port(c, text))
        ty_conv_warn(c, v, at, "this text holds V1's port %d: rank 0 listens on %d now",
                     c->kind->port, TY_CONV_PORT);
}
