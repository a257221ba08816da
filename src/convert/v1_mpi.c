/* MPIJob of the Training Operator (v1) and of the MPI Operator (v2beta1): a launcher, and nodes
 * that it reaches by ssh. */
#include "convert/v1.h"

/* As the MPI Operator does: args alone are for the entrypoint of the image. */
static void need_sshd(struct ty_v1_conversion *c, struct ty_v1_set *node)
{
    struct ty_json *command = ty_json_array(c->arena);
    if (ty_json_get(node->container, "command") || ty_json_get(node->container, "args"))
        return;
    ty_json_push(c->arena, command, ty_json_cstr(c->arena, "/usr/sbin/sshd"));
    ty_json_push(c->arena, command, ty_json_cstr(c->arena, "-De"));
    ty_json_set(c->arena, ty_v1_container(c, node), "command", command);
    if (!ty_json_get(node->container, "readinessProbe")) {
        struct ty_json *probe = ty_json_ensure_object(c->arena, node->container, "readinessProbe");
        ty_json_set(c->arena, ty_json_ensure_object(c->arena, probe, "tcpSocket"), "port",
                    ty_json_int(c->arena, 22));
        ty_json_set(c->arena, probe, "initialDelaySeconds", ty_json_int(c->arena, 5));
    }
}

/* Workers of v1 sleep, and kubectl exec starts processes in them: their command is dropped. */
static void forget_v1_worker(struct ty_v1_conversion *c, struct ty_v1_set *node)
{
    static const char *const keys[] = { "command", "args" };
    const struct ty_field_path *specs = TY_KEY(TY_KEY(NULL, "spec"), c->kind->specs);
    const struct ty_field_path *spec =
        TY_KEY(TY_KEY(TY_KEY(specs, node->role->key), "template"), "spec");
    const struct ty_field_path *main = TY_IDX(TY_KEY(spec, "containers"), node->role->main_at);
    for (size_t i = 0; i < 2; i++)
        if (ty_json_del(node->container, ty_str(keys[i])))
            ty_v1_warn(c, ty_json_get(node->role->main, keys[i]), TY_KEY(main, keys[i]),
                       "not carried over: workers run sshd now, v1 entered them by kubectl exec");
    ty_v1_warn(c, ty_json_get(node->role->main, "image"), TY_KEY(main, "image"),
               "this image must have /usr/sbin/sshd, which v1 did not need; without it the nodes "
               "do not start on a cluster (trainyard run needs none)");
}

/* Pods on the host's network cannot resolve cluster names otherwise. */
static void need_dns(struct ty_v1_conversion *c)
{
    for (size_t i = 0; i < c->n_sets; i++) {
        struct ty_json *pod = c->sets[i].pod;
        if (ty_json_true_at(pod, "hostNetwork") && !ty_json_get(pod, "dnsPolicy"))
            ty_json_set(c->arena, pod, "dnsPolicy",
                        ty_json_cstr(c->arena, "ClusterFirstWithHostNet"));
    }
}

static void make_launcher(struct ty_v1_conversion *c, struct ty_v1_role *launcher)
{
    static const char *const done[] = { "launcher", NULL };
    struct ty_json *dep = ty_json_object(c->arena);
    if (c->kind == &ty_v1_mpi2 && !ty_json_str_at(launcher->spec, "restartPolicy").n)
        launcher->restart = TY_RESTART_ON_FAILURE; /* only the MPI Operator has this default */
    ty_v1_add_set(c, launcher, true);
    ty_json_set(c->arena, dep, "name", ty_json_cstr(c->arena, "node"));
    ty_json_set(c->arena, dep, "status", ty_json_cstr(c->arena, "Ready"));
    ty_json_push(c->arena,
                 ty_json_ensure_array(c->arena, c->rjobs->items[c->rjobs->n - 1], "dependsOn"),
                 dep);
    ty_v1_success(c, done);
    ty_json_set(c->arena, ty_json_ensure_object(c->arena, ty_v1_jobset(c), "network"),
                "publishNotReadyAddresses", ty_json_bool(c->arena, true));
}

static void make_mpi(struct ty_v1_conversion *c)
{
    struct ty_v1_role *launcher = ty_v1_role(c, "Launcher"), *worker = ty_v1_role(c, "Worker");
    const struct ty_field_path *specs = TY_KEY(TY_KEY(NULL, "spec"), c->kind->specs);
    bool also = ty_json_true_at(c->spec, "runLauncherAsWorker");
    c->mpi = true;
    /* Without replicas there are none here; other kinds have one. */
    if (!launcher || !worker || !ty_v1_get(worker->spec, "replicas")) {
        ty_v1_error(c, ty_json_get(c->spec, c->kind->specs), specs,
                    "a Launcher and at least one Worker (replicas) are needed");
        return;
    }
    struct ty_v1_set *node = ty_v1_add_set(c, worker, false);
    if (c->kind == &ty_v1_mpi1)
        forget_v1_worker(c, node);
    need_sshd(c, node);
    make_launcher(c, launcher);
    if (c->kind == &ty_v1_mpi2)
        need_dns(c); /* as the MPI operator does */
    /* Always written: a value of 1 in the runtime would silently become the number of GPUs. */
    ty_json_set(c->arena, c->trainer, "numProcPerNode", ty_json_int(c->arena, 1));
    ty_v1_set_nodes(c, worker->replicas + (also ? 1 : 0));
    struct ty_json *mpi = ty_json_ensure_object(c->arena, c->ml, "mpi");
    ty_json_set(c->arena, mpi, "numProcPerNode", ty_json_int(c->arena, 1));
    ty_json_set(c->arena, mpi, "mpiImplementation", ty_json_cstr(c->arena, "OpenMPI"));
    ty_json_set(c->arena, mpi, "sshAuthMountPath", ty_json_cstr(c->arena, "/root/.ssh"));
    ty_json_set(c->arena, mpi, "runLauncherAsNode", ty_json_bool(c->arena, also));
}

static void finish_mpi(struct ty_v1_conversion *c)
{
    for (size_t i = 0; i < c->n_sets; i++)
        ty_v1_env(c, &c->sets[i], "K_MPI_JOB_ROLE", "%s",
                  c->sets[i].trainer ? "launcher" : "worker");
    for (size_t i = 0; i < c->n_sets; i++)
        ty_v1_env_weak(c, &c->sets[i], "PYTHONUNBUFFERED", "1");
}

static void convert_slots(struct ty_v1_conversion *c, const struct ty_json *v,
                          const struct ty_field_path *at)
{
    int64_t n = 0;
    if (!ty_v1_int(c, v, at, 1, INT32_MAX, &n))
        return;
    ty_json_set(c->arena, c->trainer, "numProcPerNode", ty_json_int(c->arena, n));
    ty_json_set(c->arena, ty_json_get(c->ml, "mpi"), "numProcPerNode", ty_json_int(c->arena, n));
}

static void main_container(struct ty_v1_conversion *c, const struct ty_json *v,
                           const struct ty_field_path *at)
{
    ty_v1_str(c, v, at); /* the name was used; the container is now called node */
}

static void as_worker(struct ty_v1_conversion *c, const struct ty_json *v,
                      const struct ty_field_path *at)
{
    bool b = false;
    ty_v1_bool(c, v, at, &b); /* make_mpi() has done it */
}

static void ssh_path(struct ty_v1_conversion *c, const struct ty_json *v,
                     const struct ty_field_path *at)
{
    if (ty_v1_str(c, v, at).n)
        ty_json_set(c->arena, ty_json_get(c->ml, "mpi"), "sshAuthMountPath",
                    ty_json_copy(c->arena, v, 0));
}

static void convert_implementation(struct ty_v1_conversion *c, const struct ty_json *v,
                                   const struct ty_field_path *at)
{
    struct ty_str s = ty_v1_str(c, v, at);
    const char *to = ty_str_is(s, "Intel")   ? "IntelMPI"
                     : ty_str_is(s, "MPICH") ? "MPICH"
                                             : "OpenMPI";
    if (s.n && strcmp(to, "OpenMPI") == 0 && !ty_str_is(s, "OpenMPI"))
        ty_v1_error(c, v, at, "must be OpenMPI, Intel or MPICH");
    if (strcmp(to, "OpenMPI") != 0)
        ty_v1_warn(c, v, at, "needs trainyard: Kubeflow Trainer 2.3 accepts OpenMPI only");
    ty_json_set(c->arena, ty_json_get(c->ml, "mpi"), "mpiImplementation",
                ty_json_cstr(c->arena, to));
}

static void convert_creation(struct ty_v1_conversion *c, const struct ty_json *v,
                             const struct ty_field_path *at)
{
    struct ty_str s = ty_v1_str(c, v, at);
    if (ty_str_is(s, "AtStartup"))
        ty_v1_warn(c, v, at,
                   "not carried over: the launcher waits for the nodes, as with "
                   "WaitForWorkersReady");
    else if (s.n && !ty_str_is(s, "WaitForWorkersReady"))
        ty_v1_error(c, v, at, "must be AtStartup or WaitForWorkersReady");
}

static const struct ty_v1_field rows1[] = {
    { "slotsPerWorker", convert_slots, NULL },
    { "cleanPodPolicy", ty_v1_clean_pod_policy, NULL },
    { "mainContainer", main_container, NULL },
    { NULL, NULL, NULL },
};
static const struct ty_v1_field rows2[] = {
    { "slotsPerWorker", convert_slots, NULL },
    { "runLauncherAsWorker", as_worker, NULL },
    { "sshAuthMountPath", ssh_path, NULL },
    { "mpiImplementation", convert_implementation, NULL },
    { "launcherCreationPolicy", convert_creation, NULL },
    { NULL, NULL, NULL },
};

#define SHARED                                                                                     \
    .kind = "MPIJob", .specs = "mpiReplicaSpecs", .restart = TY_RESTART_NEVER, .ml = "mpi",        \
    .framework = "mpi", .roles = { { "Launcher", "launcher", 1 }, { "Worker", "node", 0 } },       \
    .make = make_mpi, .finish = finish_mpi

const struct ty_v1_kind ty_v1_mpi1 = { SHARED, .version = "kubeflow.org/v1", .main = "mpi",
                                       .or_first = true, .rows = rows1 };
const struct ty_v1_kind ty_v1_mpi2 = { SHARED, .version = "kubeflow.org/v2beta1", .rows = rows2 };
