/* Environment: variables that V1 set and a TrainJob does not, before those of the user. */
#include "convert/v1.h"
#include <stdarg.h>

#define INDEX_FIELD "metadata.annotations['batch.kubernetes.io/job-completion-index']"

/* Variables that the webhook of Kubeflow Trainer refuses in spec.trainer.env for such a runtime,
 * because it sets them itself. */
static const struct {
    const char *ml, *mpi; /* member of mlPolicy; V1's name of the implementation, NULL: any */
    const char *name;
} reserved[] = {
    { "torch", NULL, "PET_NNODES" },
    { "torch", NULL, "PET_NPROC_PER_NODE" },
    { "torch", NULL, "PET_NODE_RANK" },
    { "torch", NULL, "PET_MASTER_ADDR" },
    { "torch", NULL, "PET_MASTER_PORT" },
    { "xgboost", NULL, "DMLC_TRACKER_URI" },
    { "xgboost", NULL, "DMLC_TRACKER_PORT" },
    { "xgboost", NULL, "DMLC_TASK_ID" },
    { "xgboost", NULL, "DMLC_NUM_WORKER" },
    { "mpi", "OpenMPI", "OMPI_MCA_orte_default_hostfile" },
    { "mpi", "OpenMPI", "OMPI_MCA_plm_rsh_args" },
    { "mpi", "OpenMPI", "OMPI_MCA_orte_keep_fqdn_hostnames" },
    { "mpi", "OpenMPI", "OMPI_MCA_orte_set_default_slots" },
    { "mpi", "Intel", "I_MPI_HYDRA_HOST_FILE" },
    { "mpi", "Intel", "I_MPI_PERHOST" },
    { "mpi", "Intel", "I_MPI_HYDRA_BOOTSTRAP" },
    { "mpi", "Intel", "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS" },
    { "mpi", "MPICH", "HYDRA_HOST_FILE" },
    { "mpi", "MPICH", "HYDRA_LAUNCHER" },
    { "mpi", "MPICH", "HYDRA_LAUNCHER_EXTRA_ARGS" },
};

static bool is_reserved(const struct ty_v1_conversion *c, const struct ty_v1_set *set,
                        struct ty_str name)
{
    struct ty_str mpi = ty_json_str_at(c->spec, "mpiImplementation");
    const char *ml = c->kind->ml ? c->kind->ml : "";
    if (!mpi.n)
        mpi = TY_LIT("OpenMPI");
    for (size_t i = 0; set->trainer && i < TY_COUNT(reserved); i++)
        if (strcmp(reserved[i].ml, ml) == 0 && ty_str_is(name, reserved[i].name) &&
            (!reserved[i].mpi || ty_str_is(mpi, reserved[i].mpi)))
            return true;
    return false;
}

static void push_env(struct ty_v1_conversion *c, struct ty_v1_set *set, const char *name,
                     const char *key, struct ty_json *value)
{
    struct ty_json *e = ty_json_object(c->arena);
    if (ty_json_find_item(set->env, "name", ty_str(name), NULL))
        return;
    ty_json_set(c->arena, e, "name", ty_json_cstr(c->arena, name));
    ty_json_set(c->arena, e, key, value);
    ty_json_push(c->arena, set->env, e);
}

void ty_v1_env(struct ty_v1_conversion *c, struct ty_v1_set *set, const char *name, const char *fmt,
               ...)
{
    va_list ap;
    va_start(ap, fmt);
    push_env(c, set, name, "value", ty_json_cstr(c->arena, ty_arena_vprintf(c->arena, fmt, ap)));
    va_end(ap);
}

void ty_v1_env_weak(struct ty_v1_conversion *c, struct ty_v1_set *set, const char *name,
                    const char *fmt, ...)
{
    va_list ap;
    if (ty_json_find_item(set->user_env, "name", ty_str(name), NULL))
        return;
    va_start(ap, fmt);
    push_env(c, set, name, "value", ty_json_cstr(c->arena, ty_arena_vprintf(c->arena, fmt, ap)));
    va_end(ap);
}

void ty_v1_env_index(struct ty_v1_conversion *c, struct ty_v1_set *set)
{
    struct ty_json *from = ty_json_object(c->arena);
    struct ty_json *ref = ty_json_ensure_object(c->arena, from, "fieldRef");
    ty_json_set(c->arena, ref, "fieldPath", ty_json_cstr(c->arena, INDEX_FIELD));
    push_env(c, set, "TY_INDEX", "valueFrom", from);
}

const char *ty_v1_env_refusal(const struct ty_v1_conversion *c, const struct ty_v1_set *set,
                              struct ty_str name)
{
    if (is_reserved(c, set, name))
        return "the operator sets it itself, and refuses it here";
    if (c->kind == &ty_v1_mpi1 && ty_str_is(name, "OMPI_MCA_plm_rsh_agent"))
        return "there is no kubexec.sh any more, nodes are reached by ssh";
    return NULL;
}

void ty_v1_user_env(struct ty_v1_conversion *c, struct ty_v1_set *set, const struct ty_json *list,
                    const struct ty_field_path *at)
{
    struct ty_json *kept = ty_json_array(c->arena);
    size_t i = 0, was = 0;
    set->env_at = ty_errs_path_text(c->arena, at);
    set->env_i = ty_new_n(c->arena, size_t, ty_json_len(list) + 1);
    ty_each_item (e, list) {
        struct ty_str name = ty_json_str_at(*e, "name");
        const struct ty_field_path *here = TY_IDX(at, i++);
        const char *why = ty_v1_env_refusal(c, set, name);
        if (why) {
            ty_v1_warn(c, *e, here, "not carried over: %.*s: %s", TY_ARG(name), why);
        } else if (ty_json_find_item(kept, "name", name, &was)) {
            ty_v1_warn(c, kept->items[was], TY_IDX(at, set->env_i[was]),
                       "not carried over: %.*s is set again later in the list", TY_ARG(name));
            kept->items[was] = *e;
            set->env_i[was] = i - 1;
        } else {
            set->env_i[kept->n] = i - 1;
            ty_json_push(c->arena, kept, *e);
        }
    }
    set->user_env = kept;
}

/* The converter's variables, then those of `theirs` with other names. */
static struct ty_json *join_env(struct ty_v1_conversion *c, const struct ty_v1_set *set,
                                const struct ty_json *theirs)
{
    struct ty_json *all = ty_json_array(c->arena);
    ty_each_item (e, set->env)
        ty_json_push(c->arena, all, *e);
    ty_each_item (e, theirs)
        if (!ty_json_find_item(set->env, "name", ty_json_str_at(*e, "name"), NULL))
            ty_json_push(c->arena, all, *e);
    return all;
}

static void tell_overwritten(struct ty_v1_conversion *c, const struct ty_v1_set *set)
{
    size_t i = 0;
    ty_each_item (e, set->user_env) {
        struct ty_str name = ty_json_str_at(*e, "name");
        const struct ty_json *ours = ty_json_find_item(set->env, "name", name, NULL);
        const struct ty_field_path *at = TY_IDX(TY_KEY(NULL, set->env_at), set->env_i[i++]);
        if (ours && !ty_json_eq(ours, *e))
            ty_v1_warn(c, *e, at, "not carried over: the job's own %.*s is put in its place",
                       TY_ARG(name));
    }
}

/* Sidecars: V1 set its variables in them, too; their own are kept. */
static void join_others(struct ty_v1_conversion *c, const struct ty_v1_set *set)
{
    ty_each_item (it, ty_json_get(set->pod, "containers")) {
        if (*it == set->container)
            continue;
        struct ty_json *all = ty_json_array(c->arena), *theirs = ty_json_get(*it, "env");
        ty_each_item (e, set->env)
            if (!ty_json_find_item(theirs, "name", ty_json_str_at(*e, "name"), NULL))
                ty_json_push(c->arena, all, ty_json_copy(c->arena, *e, 0));
        ty_each_item (e, theirs)
            ty_json_push(c->arena, all, *e);
        ty_json_set(c->arena, *it, "env", all);
    }
}

void ty_v1_join_env(struct ty_v1_conversion *c, struct ty_v1_set *set)
{
    tell_overwritten(c, set);
    struct ty_json *all = join_env(c, set, set->user_env);
    if (all->n)
        ty_json_set(c->arena, set->trainer ? c->trainer : ty_v1_container(c, set), "env", all);
    if (c->kind->everywhere)
        join_others(c, set);
}
