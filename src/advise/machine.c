/* Turns facts about this machine into check results. */
#include "advise/machine.h"

#include "store/history/history_db.h"

#define MIB        ((int64_t)1 << 20)
#define GIB        ((int64_t)1 << 30)
#define PORTS_FEW  1000
#define PODS_FEW   64
#define SHM_FEW    (64 * MIB) /* what a container gets by default: data loaders die of it */
#define STATE_FEW  GIB
#define STATE_NONE (64 * MIB)

static void check_programs(const struct ty_machine *m, struct ty_check_results *ret)
{
    struct ty_check_result *c;

    if (m->python) {
        ty_check_add(ret, TY_CHECK_LEVEL_OK, "python", "python3 is %s", m->python);
    } else {
        c = ty_check_add(ret, TY_CHECK_LEVEL_WARN, "python",
                         "no python3 in PATH: TrainJobs that train with Python cannot run here");
        ty_check_set_fix(ret, c, "install python3, or activate the environment that has it");
    }
    if (m->torch) {
        ty_check_add(ret, TY_CHECK_LEVEL_OK, "torch", "PyTorch %s%s%s", m->torch,
                     m->torchrun ? ", torchrun runs " : "", m->torchrun ? m->torchrun : "");
    } else if (m->torchrun || m->python) {
        c = ty_check_add(ret, TY_CHECK_LEVEL_WARN, "torch",
                         "%s%s has no PyTorch: torchrun jobs cannot run here",
                         m->torchrun ? "torchrun's " : "", m->torchrun ? m->torchrun : m->python);
        ty_check_set_fix(ret, c,
                         "python3 -m pip install torch, or activate the environment that has "
                         "it");
    }
    if (m->mpirun) {
        ty_check_add(ret, TY_CHECK_LEVEL_OK, "mpi", "mpirun is %s", m->mpirun);
    } else {
        c = ty_check_add(ret, TY_CHECK_LEVEL_WARN, "mpi",
                         "no mpirun in PATH: TrainJobs of MPI runtimes cannot run here");
        ty_check_set_fix(ret, c, "install Open MPI (openmpi-bin) or MPICH");
    }
}

static void check_kernel(const struct ty_machine *m, struct ty_check_results *ret)
{
    struct ty_check_result *c;

    if (m->zygote) {
        c = ty_check_add(ret, TY_CHECK_LEVEL_FAIL, "processes", "no process can be started: %s",
                         m->zygote);
        ty_check_set_fix(ret, c, "look at ulimit -u and ulimit -n");
        return;
    }
    if (m->host.mounts && m->host.pid_ns) {
        ty_check_add(ret, TY_CHECK_LEVEL_OK, "namespaces",
                     "pods have mounts, host names and processes of their own");
    } else {
        c = ty_check_add(ret, TY_CHECK_LEVEL_WARN, "namespaces", "%s: %s",
                         m->host.mounts ? "pods see each other's processes"
                                        : "no volumes, no host names and no /etc/hosts for pods",
                         m->host.no_mounts ? m->host.no_mounts : "no pid namespaces");
        ty_check_set_fix(ret, c,
                         "sysctl -w kernel.unprivileged_userns_clone=1 "
                         "user.max_user_namespaces=10000 (and, with AppArmor, "
                         "kernel.apparmor_restrict_unprivileged_userns=0), or run as root");
    }
    if (m->cgroup) {
        ty_check_add(ret, TY_CHECK_LEVEL_OK, "cgroups", "limits of containers are kept, in %s",
                     m->cgroup);
    } else {
        c = ty_check_add(ret, TY_CHECK_LEVEL_WARN, "cgroups",
                         "limits of containers are not kept: %s", m->no_cgroup);
        ty_check_set_fix(ret, c,
                         m->host.root
                             ? "mount cgroup v2 (in a container: with a cgroup namespace of its "
                               "own, writable), memory among cgroup.subtree_control"
                             : "systemd-run --user --scope -p Delegate=yes trainyard run ...");
    }
}

static void check_state(const struct ty_machine *m, struct ty_check_results *ret)
{
    long long mib = m->state_free / MIB;
    struct ty_check_result *c = NULL;

    if (m->state_bad)
        c = ty_check_add(ret, TY_CHECK_LEVEL_WARN, "state", "%s: runs leave no history",
                         m->state_bad);
    else if (m->state_free < STATE_NONE)
        c = ty_check_add(ret, TY_CHECK_LEVEL_FAIL, "state",
                         "%s has %lld MiB left: logs will be lost", m->state, mib);
    else if (m->state_free < STATE_FEW)
        c = ty_check_add(ret, TY_CHECK_LEVEL_WARN, "state", "%s has only %lld MiB left", m->state,
                         mib);
    else
        ty_check_add(ret, TY_CHECK_LEVEL_OK, "state", "%s has %lld GiB left", m->state, mib / 1024);
    if (c)
        ty_check_set_fix(ret, c,
                         m->state_bad ? "make it writable, or name another with XDG_STATE_HOME"
                                      : "make room, or name another disk with XDG_STATE_HOME");
}

static void check_history(const struct ty_machine *m, struct ty_check_results *ret)
{
    if (!m->history_bad)
        return;
    struct ty_check_result *c =
        ty_check_add(ret, TY_CHECK_LEVEL_WARN, "history",
                     "%s: runs leave no history, get and describe fail", m->history_bad);
    ty_check_set_fix(ret, c, "mv %s/" TY_HISTORY_DB_FILE " %s/damaged.db; logs stay in %s/runs",
                     m->state, m->state, m->state);
}

static void check_limits(const struct ty_machine *m, struct ty_check_results *ret)
{
    long long ports = m->port_hi - m->port_lo + 1;
    struct ty_check_result *c;

    if (m->host.pods_most < PODS_FEW) {
        c = ty_check_add(ret, TY_CHECK_LEVEL_WARN, "limits", "at most %lld pods at once: %s",
                         (long long)m->host.pods_most, m->host.pods_why);
        ty_check_set_fix(ret, c, "raise that limit (ulimit, /etc/security/limits.conf)");
    } else {
        ty_check_add(ret, TY_CHECK_LEVEL_OK, "limits", "%lld pods at once (%s)",
                     (long long)m->host.pods_most, m->host.pods_why);
    }
    if (ports < PORTS_FEW) {
        c = ty_check_add(ret, TY_CHECK_LEVEL_WARN, "ports", "the kernel gives out only %lld ports",
                         ports > 0 ? ports : 0);
        ty_check_set_fix(ret, c, "sysctl -w net.ipv4.ip_local_port_range='32768 60999'");
    } else {
        ty_check_add(ret, TY_CHECK_LEVEL_OK, "ports", "the kernel gives out ports %lld to %lld",
                     (long long)m->port_lo, (long long)m->port_hi);
    }
}

static void check_shm(const struct ty_machine *m, struct ty_check_results *ret)
{
    long long mib = m->shm / MIB;
    struct ty_check_result *c;

    if (m->shm > SHM_FEW) {
        ty_check_add(ret, TY_CHECK_LEVEL_OK, "shm", "/dev/shm has %lld MiB", mib);
        return;
    }
    if (m->shm < 0)
        c = ty_check_add(ret, TY_CHECK_LEVEL_WARN, "shm",
                         "there is no /dev/shm: data loaders with workers fail");
    else
        c = ty_check_add(ret, TY_CHECK_LEVEL_WARN, "shm",
                         "/dev/shm has only %lld MiB: data loaders with workers fail", mib);
    ty_check_set_fix(ret, c,
                     "mount -t tmpfs -o size=50%% tmpfs /dev/shm (in a container: --shm-size)");
}

static void check_devices(const struct ty_machine *m, struct ty_check_results *ret)
{
    size_t n = 0;

    while (m->host.gpus && m->host.gpus[n])
        n++;
    ty_check_add(ret, TY_CHECK_LEVEL_OK, "devices", "%lld cpus, %lld MiB of memory, %zu GPUs%s%s%s",
                 (long long)m->host.cpus, (long long)(m->host.memory / MIB), n, n ? " (" : "",
                 n ? m->host.gpu_resource : "", n ? ")" : "");
}

static void check_libraries(const struct ty_machine *m, struct ty_check_results *ret)
{
    if (!m->no_curl) {
        ty_check_add(ret, TY_CHECK_LEVEL_OK, "libraries", "libcurl is there");
        return;
    }
    struct ty_check_result *c = ty_check_add(
        ret, TY_CHECK_LEVEL_WARN, "libraries",
        "libcurl: nothing can be downloaded, no cluster be read through a proxy: %s", m->no_curl);
    ty_check_set_fix(ret, c, "install libcurl3-gnutls");
}

void ty_machine_check(const struct ty_machine *m, struct ty_check_results *ret)
{
    check_programs(m, ret);
    check_kernel(m, ret);
    check_state(m, ret);
    check_history(m, ret);
    check_limits(m, ret);
    check_shm(m, ret);
    check_devices(m, ret);
    check_libraries(m, ret);
}
