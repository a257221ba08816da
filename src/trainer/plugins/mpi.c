/* mlPolicy.mpi: a launcher that reaches the nodes by ssh. The key pair is in a Secret, created
 * once; the hosts are in a ConfigMap; variables of the MPI implementation point mpirun to both. */
#include <errno.h>
#include <inttypes.h>

#include "base/base64.h"
#include "trainer/child.h"
#include "trainer/plugin.h"
#include "trainer/plugins/ml.h"
#include "trainer/sshkey.h"

#define SSH_VOLUME   "mpi-ssh-auth"
#define HOSTS_VOLUME "mpi-hostfile"
#define HOSTS_DIR    "/etc/mpi"
#define HOSTS_FILE   HOSTS_DIR "/hostfile"
#define HOSTS_MAX    1048576                    /* of a ConfigMap's data */
#define SSH_ARGS     "-o ConnectionAttempts=10" /* nodes may come up after the launcher */

/* Variables of an MPI implementation in the launcher; a NULL value is the number of slots. */
struct flavour {
    const char *name, *slots; /* how the hostfile writes the slots of a host */
    const char *names[5], *values[5];
};

static const struct flavour flavours[] = {
    { "OpenMPI",
      " slots=",
      { "OMPI_MCA_orte_default_hostfile", "OMPI_MCA_orte_keep_fqdn_hostnames",
        "OMPI_MCA_orte_set_default_slots", "OMPI_MCA_plm_rsh_args" },
      { HOSTS_FILE, "true", NULL, SSH_ARGS } },
    { "IntelMPI",
      ":",
      { "I_MPI_HYDRA_HOST_FILE", "I_MPI_PERHOST", "I_MPI_HYDRA_BOOTSTRAP",
        "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS" },
      { HOSTS_FILE, NULL, "ssh", SSH_ARGS } },
    { "MPICH",
      ":",
      { "HYDRA_HOST_FILE", "HYDRA_LAUNCHER", "HYDRA_LAUNCHER_EXTRA_ARGS" },
      { HOSTS_FILE, "ssh", SSH_ARGS } },
};
#define BAD_FLAVOUR "spec.mlPolicy.mpi.mpiImplementation must be one of OpenMPI, IntelMPI, MPICH"

/* NULL: unknown implementation. Absent means OpenMPI; "Intel" is an older spelling. */
static const struct flavour *flavour_of(const struct ty_plan *plan)
{
    const struct ty_json *v = ty_json_get(ty_plan_policy(plan, "mpi"), "mpiImplementation");
    struct ty_str name = v ? ty_json_as_str(v) : ty_str(flavours[0].name);

    if (ty_str_is(name, "Intel"))
        name = TY_LIT("IntelMPI");
    for (size_t i = 0; i < TY_COUNT(flavours); i++)
        if (ty_str_is(name, flavours[i].name))
            return &flavours[i];
    return NULL;
}

static bool mpi_launcher_is_node(const struct ty_json *policy)
{
    return ty_json_true_at(policy, "runLauncherAsNode");
}

static bool launcher_is_node(const struct ty_plan *plan)
{
    return mpi_launcher_is_node(ty_plan_policy(plan, "mpi"));
}

static int64_t slots_of(const struct ty_plan *plan, const struct ty_trainjob *job)
{
    int64_t slots = 1;

    if (job->num_proc.kind == TY_NUMPROC_INT)
        return job->num_proc.v;
    ty_json_int_at(ty_plan_policy(plan, "mpi"), "numProcPerNode", &slots);
    int64_t gpus = ty_plan_gpus(plan);
    return slots == 1 && gpus > 1 ? gpus : slots; /* a runtime that sets more slots wins */
}

static bool is_launcher(const struct ty_podset *set)
{
    return ty_str_is(set->name, TY_LAUNCHER);
}

static bool is_node(const struct ty_podset *set)
{
    return ty_str_is(set->name, TY_NODE);
}

/* ---- validation ---- */

static void mpi_validate(const struct ty_plan *plan, const struct ty_trainjob *job,
                         const struct ty_trainjob *old, struct ty_errs *errs,
                         struct ty_warnings *warnings TY_UNUSED)
{
    bool both = ty_plan_find_podset(plan, TY_LIT(TY_LAUNCHER)) &&
                ty_plan_find_podset(plan, TY_LIT(TY_NODE));

    if (job->num_nodes.set && job->num_nodes.v >= 2 && launcher_is_node(plan) && !both)
        ty_errs_add(errs, TY_KEY(&ty_trainjob_trainer_path, "numNodes"), TY_INVALID,
                    ty_arena_printf(errs->arena, "%" PRId32, job->num_nodes.v),
                    "must have 1 when MPI trainingRuntime with enabled runLauncherAsNode does not "
                    "have either launcher and node");
    ty_ml_int_numproc(job, old, "MPI", errs);
    if (!flavour_of(plan)) /* v2.3.0 accepts the TrainJob and fails to reconcile it (B24) */
        ty_errs_add(errs, &ty_trainjob_ref_path, TY_INVALID, ty_ml_ref_text(errs->arena, job),
                    BAD_FLAVOUR " in the runtime")
            ->warn_only = true;
}

static const char *const *mpi_reserved(const struct ty_plan *plan,
                                       const struct ty_trainjob *old TY_UNUSED)
{
    const struct flavour *f = flavour_of(plan);

    return f ? f->names : NULL;
}

/* v2.3.0 accepts "" and fails when a TrainJob uses the runtime (B24). */
static void mpi_validate_runtime(const struct ty_json *policy, const struct ty_field_path *at,
                                 struct ty_errs *errs)
{
    const struct ty_json *v = ty_json_get(policy, "mpiImplementation");

    if (!v || ty_json_as_str(v).n)
        return; /* the schema checks values other than "" */
    struct ty_field_err *e = ty_errs_add(errs, TY_KEY(at, "mpiImplementation"), TY_INVALID, "\"\"",
                                         "must be one of OpenMPI, IntelMPI, MPICH");
    e->at = v;
    e->warn_only = true;
}

/* ---- enforcement ---- */

/* numNodes counts nodes, whether the TrainJob or the runtime sets it (B27). One of them is the
 * launcher if it trains, too, but job `node` has at least one pod. There is always one launcher. */
static void scale_nodes(struct ty_plan *plan, const struct ty_trainjob *job)
{
    struct ty_podset *node = ty_plan_find_podset(plan, TY_LIT(TY_NODE));
    struct ty_podset *launcher = ty_plan_find_podset(plan, TY_LIT(TY_LAUNCHER));
    int64_t nodes = job->num_nodes.v;
    bool said = job->num_nodes.set || ty_json_int_at(plan->ml, "numNodes", &nodes);

    if (launcher)
        ty_plan_podset_scale(launcher, 1);
    if (!node || !said)
        return;
    if (launcher_is_node(plan))
        nodes = nodes - 1 < 1 ? 1 : nodes - 1;
    ty_plan_podset_scale(node, nodes);
}

static struct ty_json *ssh_volume(struct ty_arena *a, const struct ty_trainjob *job)
{
    struct ty_json *secret = ty_json_object(a);

    ty_json_set(a, secret, "secretName",
                ty_json_cstr(a, ty_child_name(a, TY_CHILD_MPI_KEY, job->name)));
    struct ty_json *items = ty_json_ensure_array(a, secret, "items");
    ty_json_push(a, items, ty_ml_item(a, "ssh-privatekey", "id_rsa", 0640));
    ty_json_push(a, items, ty_ml_item(a, "ssh-publickey", "id_rsa.pub", 0644));
    ty_json_push(a, items, ty_ml_item(a, "ssh-publickey", "authorized_keys", 0644));
    ty_json_set(a, secret, "defaultMode", ty_json_int(a, 0400));
    return ty_ml_volume(a, SSH_VOLUME, "secret", secret);
}

static struct ty_json *hosts_volume(struct ty_arena *a, const struct ty_trainjob *job)
{
    struct ty_json *cm = ty_json_object(a);

    ty_json_set(a, cm, "name", ty_json_cstr(a, ty_child_name(a, TY_CHILD_MPI_HOSTS, job->name)));
    ty_json_push(a, ty_json_ensure_array(a, cm, "items"),
                 ty_ml_item(a, "hostfile", "hostfile", 0444));
    return ty_ml_volume(a, HOSTS_VOLUME, "configMap", cm);
}

static void launcher_env(struct ty_plan *plan, const struct ty_trainjob *job,
                         const struct flavour *f, struct ty_json *container)
{
    for (size_t i = 0; f->names[i]; i++) {
        if (f->values[i])
            ty_plan_env(plan, container, f->names[i], "%s", f->values[i]);
        else
            ty_plan_env(plan, container, f->names[i], "%" PRId64, slots_of(plan, job));
    }
}

static int mpi_enforce_ml(struct ty_plan *plan, const struct ty_trainjob *job, struct ty_err *err)
{
    const struct flavour *f = flavour_of(plan);
    const struct ty_json *at = ty_json_get(ty_plan_policy(plan, "mpi"), "sshAuthMountPath");
    const char *ssh_dir = "/root/.ssh";

    if (!f)
        return ty_fail(err, -EINVAL, BAD_FLAVOUR " in runtime \"%.*s\"",
                       TY_ARG(plan->runtime_name));
    if (at)
        ssh_dir = ty_arena_cstr(plan->arena, ty_json_as_str(at));
    scale_nodes(plan, job);
    ty_each_set (set, plan) {
        struct ty_json *container = ty_plan_podset_container(set, TY_LIT(TY_NODE));
        if (!is_node(set) && !is_launcher(set))
            continue;
        ty_plan_volume(plan, set, ssh_volume(plan->arena, job));
        if (container)
            ty_plan_mount(plan, container, SSH_VOLUME, ssh_dir, false);
        if (!is_launcher(set))
            continue;
        ty_plan_volume(plan, set, hosts_volume(plan->arena, job));
        if (!container) /* as in upstream, a container of another name is not changed */
            continue;
        ty_plan_mount(plan, container, HOSTS_VOLUME, HOSTS_DIR, false);
        launcher_env(plan, job, f, container);
    }
    return 0;
}

/* ---- children ---- */

static int build_secret(struct ty_plan *plan, const struct ty_trainjob *job, struct ty_err *err)
{
    struct ty_arena *a = plan->arena;
    const char *name = ty_child_name(a, TY_CHILD_MPI_KEY, job->name);
    struct ty_sshkey key;

    if (ty_plan_live_object(plan, &ty_kind_secret, job->ns, name))
        return 0; /* running nodes trust the existing key: it never changes */
    if (!plan->entropy)
        return ty_fail(err, -EINVAL, "failed to build SSH Auth secret: no random numbers");
    ty_sshkey_generate(a, plan->entropy, TY_ENTROPY, &key);
    struct ty_json *secret = ty_plan_child(plan, job, &ty_kind_secret, name);
    struct ty_json *data = ty_json_ensure_object(a, secret, "data");
    ty_json_set(a, secret, "type", ty_json_cstr(a, "kubernetes.io/ssh-auth"));
    ty_json_set(a, secret, "immutable", ty_json_bool(a, true));
    ty_json_set(a, data, "ssh-privatekey", ty_json_str(a, ty_base64_encode(a, key.private_pem)));
    ty_json_set(a, data, "ssh-publickey", ty_json_str(a, ty_base64_encode(a, key.public_line)));
    ty_json_set_origin(secret, plan->origin);
    return 0;
}

static int build_hostfile(struct ty_plan *plan, const struct ty_trainjob *job,
                          const struct flavour *f, struct ty_err *err)
{
    struct ty_arena *a = plan->arena;
    int64_t slots = slots_of(plan, job);
    ty_auto_buf hosts = { .ceiling = HOSTS_MAX };

    ty_each_set (set, plan) {
        struct ty_plan_endpoints it = { .plan = plan, .job = job, .set = set };
        if (!is_node(set) && !(is_launcher(set) && launcher_is_node(plan)))
            continue;
        while (ty_plan_endpoints_next(&it, &hosts))
            ty_buf_printf(&hosts, "%s%" PRId64 "\n", f->slots, slots);
    }
    if (hosts.full)
        return ty_fail(err, -E2BIG,
                       "the hostfile of that many nodes does not fit into a ConfigMap of %d bytes",
                       HOSTS_MAX);
    struct ty_json *cm = ty_plan_child(plan, job, &ty_kind_configmap,
                                       ty_child_name(a, TY_CHILD_MPI_HOSTS, job->name));
    struct ty_str text = ty_arena_str(a, ty_buf_str(&hosts));
    ty_json_set(a, ty_json_ensure_object(a, cm, "data"), "hostfile", ty_json_str(a, text));
    ty_json_set_origin(cm, plan->origin);
    return 0;
}

static int mpi_build(struct ty_plan *plan, const struct ty_trainjob *job, struct ty_err *err)
{
    const struct flavour *f = flavour_of(plan);
    int r = build_secret(plan, job, err);

    if (r < 0)
        return r;
    return f ? build_hostfile(plan, job, f, err)
             : 0; /* enforce_ml refuses unknown implementations */
}

const struct ty_plugin ty_plugin_mpi = {
    .name = "MPI",
    .about =
        "ssh keys, hostfile and launcher settings of Open MPI, Intel MPI, MPICH for mlPolicy.mpi",
    .policy = "mpi",
    .launcher = true,
    .launcher_is_node = mpi_launcher_is_node,
    .reserved_in = mpi_reserved,
    .validate_runtime = mpi_validate_runtime,
    .validate = mpi_validate,
    .enforce_ml = mpi_enforce_ml,
    .build = mpi_build,
    .watches = true,
};
