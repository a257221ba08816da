/* mlPolicy.flux: every node runs a Flux broker, which an init container installs, and the first one
 * runs the user's command as a Flux job through a generated script (flux_script.c). */
#include <errno.h>
#include <inttypes.h>
#include <nettle/sha2.h>

#include "base/base64.h"
#include "trainer/child.h"
#include "trainer/flux_script.h"
#include "trainer/plugin.h"
#include "trainer/plugins/ml.h"

#define INSTALLER "flux-installer"

/* Settings from the environment of the main container; the TrainJob's override the runtime's. */
enum setting { VIEW_IMAGE, NETWORK_DEVICE, QUEUE_POLICY, N_SETTINGS };
static const char *const setting_names[N_SETTINGS] = { "FLUX_VIEW_IMAGE", "FLUX_NETWORK_DEVICE",
                                                       "FLUX_QUEUE_POLICY" };
static const char *const setting_defaults[N_SETTINGS] = {
    "ghcr.io/converged-computing/flux-view-ubuntu:tag-jammy", "eth0", "fcfs"
};

/* The pod set of the brokers. */
static struct ty_podset *flux_set(const struct ty_plan *plan)
{
    struct ty_podset *set = ty_plan_find_podset(plan, TY_LIT(TY_NODE));
    return set ? set : plan->trainer;
}

static void read_env(const struct ty_json *env, bool literal_only,
                     struct ty_str settings[N_SETTINGS])
{
    ty_each_item (it, env) {
        const struct ty_json *value = ty_json_get(*it, "value");
        for (size_t i = 0; i < N_SETTINGS; i++)
            if (ty_str_is(ty_json_str_at(*it, "name"), setting_names[i]) &&
                (value || !literal_only))
                settings[i] = ty_json_as_str(value);
    }
}

static void read_settings(const struct ty_plan *plan, const struct ty_trainjob *job,
                          struct ty_str settings[N_SETTINGS])
{
    for (size_t i = 0; i < N_SETTINGS; i++)
        settings[i] = ty_str(setting_defaults[i]);
    read_env(ty_json_get(ty_plan_main_container(plan), "env"), true, settings);
    read_env(job->env, false, settings);
}

static void flux_validate(const struct ty_plan *plan, const struct ty_trainjob *job,
                          const struct ty_trainjob *old, struct ty_errs *errs,
                          struct ty_warnings *warnings TY_UNUSED)
{
    const struct ty_podset *set = flux_set(plan);
    const struct ty_field_path *trainer = &ty_trainjob_trainer_path;

    ty_ml_int_numproc(job, old, "Flux", errs);
    if (job->num_proc.kind == TY_NUMPROC_INT && job->num_proc.v < 1)
        ty_errs_add(errs, TY_KEY(trainer, "numProcPerNode"), TY_INVALID,
                    ty_arena_printf(errs->arena, "%" PRId32, job->num_proc.v),
                    "must be greater than or equal to 1 for Flux TrainJob");
    if (set &&
        ty_json_find_item(ty_json_get(set->pod, "initContainers"), "name", TY_LIT(INSTALLER), NULL))
        ty_errs_add(errs, TY_KEY(trainer, "initContainers"), TY_INVALID, "\"" INSTALLER "\"",
                    "InitContainer 'flux-installer' is reserved");
}

/* ---- enforcement ---- */

static void put_words(struct ty_buf *out, const struct ty_json *words, bool *first)
{
    ty_each_item (it, words) {
        if (!*first)
            ty_buf_chr(out, ' ');
        *first = false;
        ty_buf_add(out, ty_json_as_str(*it));
    }
}

/* The command for Flux as one line. The runtime's args stay in the pod and are appended by the
 * script; the TrainJob's are part of the line. */
static struct ty_str original_command(const struct ty_plan *plan, const struct ty_trainjob *job)
{
    const struct ty_json *command =
        job->command ? job->command : ty_json_get(ty_plan_main_container(plan), "command");
    ty_auto_buf line = { 0 };
    bool first = true;

    put_words(&line, command, &first);
    put_words(&line, job->args, &first);
    struct ty_str s = ty_str_trim(ty_buf_str(&line));
    return ty_arena_str(plan->arena, s);
}

static const char *scripts_name(struct ty_arena *a, const struct ty_trainjob *job)
{
    return ty_child_name(a, TY_CHILD_FLUX_SCRIPTS, job->name);
}

static const char *curve_name(struct ty_arena *a, const struct ty_trainjob *job)
{
    return ty_child_name(a, TY_CHILD_FLUX_CURVE, job->name);
}

static void add_volumes(struct ty_plan *plan, const struct ty_trainjob *job, struct ty_podset *set)
{
    struct ty_arena *a = plan->arena;
    const char *scripts = scripts_name(a, job);
    struct ty_json *cm = ty_json_object(a), *shm = ty_json_object(a), *curve = ty_json_object(a);

    ty_json_set(a, cm, "name", ty_json_cstr(a, scripts));
    ty_json_set(a, cm, "defaultMode", ty_json_int(a, 0755));
    ty_json_set(a, shm, "medium", ty_json_cstr(a, "Memory"));
    ty_json_set(a, curve, "secretName", ty_json_cstr(a, curve_name(a, job)));
    ty_json_set(a, curve, "defaultMode", ty_json_int(a, 0400));
    ty_plan_volume(plan, set, ty_ml_volume(a, "spack-install", "emptyDir", ty_json_object(a)));
    ty_plan_volume(plan, set, ty_ml_volume(a, "flux-install", "emptyDir", ty_json_object(a)));
    ty_plan_volume(plan, set, ty_ml_volume(a, scripts, "configMap", cm));
    ty_plan_volume(plan, set, ty_ml_volume(a, "shared-memory", "emptyDir", shm));
    ty_plan_volume(plan, set, ty_ml_volume(a, "flux-curve", "secret", curve));
}

static struct ty_json *string_pair(struct ty_arena *a, const char *first, const char *second)
{
    struct ty_json *list = ty_json_array(a);

    ty_json_push(a, list, ty_json_cstr(a, first));
    ty_json_push(a, list, ty_json_cstr(a, second));
    return list;
}

static void add_installer(struct ty_plan *plan, const struct ty_trainjob *job,
                          struct ty_podset *set, struct ty_str image)
{
    struct ty_arena *a = plan->arena;
    struct ty_json *c = ty_json_object(a);

    ty_json_set(a, c, "name", ty_json_cstr(a, INSTALLER));
    ty_json_set(a, c, "image", ty_json_str(a, image));
    ty_json_set(a, c, "command", string_pair(a, "/bin/bash", "/etc/flux-config/init.sh"));
    ty_plan_mount(plan, c, "flux-install", "/mnt/flux", false);
    ty_plan_mount(plan, c, scripts_name(a, job), "/etc/flux-config", true);
    ty_json_set_origin(c, plan->origin);
    ty_json_push(a, ty_json_ensure_array(a, set->pod, "initContainers"), c);
}

static int flux_enforce_ml(struct ty_plan *plan, const struct ty_trainjob *job, struct ty_err *err)
{
    struct ty_podset *set = flux_set(plan);
    struct ty_str settings[N_SETTINGS];
    struct ty_arena *a = plan->arena;

    if (!set)
        return ty_fail(err, -EINVAL, "flux: runtime \"%.*s\" has no job for the nodes",
                       TY_ARG(plan->runtime_name));
    read_settings(plan, job, settings);
    struct ty_json *command = string_pair(a, "/bin/bash", "/etc/flux-config/entrypoint.sh");
    ty_json_push(a, command, ty_json_str(a, original_command(plan, job)));
    ty_json_set_origin(command, plan->origin);
    plan->command = command;
    plan->args = NULL;

    add_volumes(plan, job, set);
    add_installer(plan, job, set, settings[VIEW_IMAGE]);
    struct ty_json *node = ty_plan_podset_container(set, TY_LIT(TY_NODE));
    if (!node)
        return 0;
    ty_plan_mount(plan, node, "flux-install", "/mnt/flux", false);
    ty_plan_mount(plan, node, "spack-install", "/opt/software", false);
    ty_plan_mount(plan, node, scripts_name(a, job), "/etc/flux-config", true);
    ty_plan_mount(plan, node, "flux-curve", "/curve", true);
    ty_plan_mount(plan, node, "shared-memory", "/dev/shm", true);
    return 0;
}

/* ---- children ---- */

static void build_scripts(struct ty_plan *plan, const struct ty_trainjob *job,
                          const struct ty_podset *set)
{
    struct ty_arena *a = plan->arena;
    struct ty_str settings[N_SETTINGS];
    struct ty_flux f = {
        .job = job->name,
        .ns = job->ns.n > 0 ? job->ns : TY_LIT("default"),
        .subdomain = ty_plan_subdomain(plan, job),
        .rjob = set->name,
        .nodes = set->count,
        .tasks = 1,
        .gpus = ty_plan_gpus(plan),
    };

    read_settings(plan, job, settings);
    f.device = settings[NETWORK_DEVICE];
    f.queue_policy = settings[QUEUE_POLICY];
    if (job->num_proc.kind == TY_NUMPROC_INT)
        f.tasks = job->num_proc.v;
    else
        ty_json_int_at(ty_plan_policy(plan, "flux"), "numProcPerNode", &f.tasks);
    struct ty_json *cm = ty_plan_child(plan, job, &ty_kind_configmap, scripts_name(a, job));
    struct ty_json *data = ty_json_ensure_object(a, cm, "data");
    ty_json_set(a, data, "entrypoint.sh", ty_json_str(a, ty_flux_entrypoint(a, &f)));
    ty_json_set(a, data, "init.sh", ty_json_str(a, ty_flux_init(a, &f)));
    ty_json_set_origin(cm, plan->origin);
}

/* The key is derived from the job's uid, so that every pass creates the same one. An object that
 * was never stored has no uid: then it is derived from the entropy, because otherwise all such jobs
 * would share a key that anyone can compute. */
static void build_curve(struct ty_plan *plan, const struct ty_trainjob *job)
{
    struct ty_arena *a = plan->arena;
    unsigned char seed[SHA256_DIGEST_SIZE];
    struct sha256_ctx h;

    sha256_init(&h);
    sha256_update(&h, job->uid.n, (const uint8_t *)job->uid.p);
    if (job->uid.n == 0 && plan->entropy)
        sha256_update(&h, TY_ENTROPY, plan->entropy);
    sha256_digest(&h, sizeof(seed), seed);
    struct ty_json *secret = ty_plan_child(plan, job, &ty_kind_secret, curve_name(a, job));
    struct ty_str cert = ty_base64_encode(a, ty_flux_curve(a, job->name, seed));
    ty_json_set(a, ty_json_ensure_object(a, secret, "data"), "curve.cert", ty_json_str(a, cert));
    ty_json_set_origin(secret, plan->origin);
}

static int flux_build(struct ty_plan *plan, const struct ty_trainjob *job, struct ty_err *err)
{
    const struct ty_podset *set = flux_set(plan);

    if (!set)
        return ty_fail(err, -EINVAL, "flux: runtime \"%.*s\" has no job for the nodes",
                       TY_ARG(plan->runtime_name));
    build_scripts(plan, job, set);
    build_curve(plan, job);
    return 0;
}

const struct ty_plugin ty_plugin_flux = {
    .name = "Flux",
    .about = "a Flux instance over the nodes for mlPolicy.flux",
    .policy = "flux",
    .with_plainml = true,
    .validate = flux_validate,
    .enforce_ml = flux_enforce_ml,
    .build = flux_build,
    .watches = true,
};
