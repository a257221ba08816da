/* PyTorchJob: master and workers become the nodes of one torch runtime; the master is rank 0. */
#include "api/quantity.h"
#include "convert/v1.h"

#define ELASTIC_NOTE "trainer.kubeflow.org/v1-elastic-replicas"

static void set_procs(struct ty_v1_conversion *c, int64_t n)
{
    ty_json_set(c->arena, c->trainer, "numProcPerNode", ty_json_int(c->arena, n));
}

/* One process for each CPU of the container's limits. */
static void procs_by_cpu(struct ty_v1_conversion *c, const struct ty_json *v,
                         const struct ty_field_path *at)
{
    struct ty_quantity q;
    const struct ty_json *cpu = ty_json_at(c->sets[0].role->main, "resources.limits.cpu");
    if (cpu && ty_quantity_of(cpu, &q) && ty_quantity_value(q) > 0 &&
        ty_quantity_value(q) <= INT32_MAX)
        set_procs(c, ty_quantity_value(q));
    else
        ty_v1_warn(c, v, at, "not carried over: there is no CPU limit to take the number from");
}

static void convert_nproc(struct ty_v1_conversion *c, const struct ty_json *v,
                          const struct ty_field_path *at)
{
    struct ty_str s = ty_json_as_str(v);
    int64_t n = 0;
    if (ty_str_is(s, "auto") || ty_str_is(s, "gpu"))
        return; /* that is the default of a TrainJob */
    if (ty_str_is(s, "cpu")) {
        procs_by_cpu(c, v, at);
        return;
    }
    bool text = ty_json_is(v, TY_JSON_STRING); /* "4": V1 has an int-or-string */
    bool good = text ? ty_str_parse_i64(s, &n) && n > 0 && n <= INT32_MAX
                     : ty_v1_int(c, v, at, 1, INT32_MAX, &n);
    if (good) {
        set_procs(c, n);
        c->procs = n; /* V1 multiplies WORLD_SIZE only by a number */
    } else if (text)
        ty_v1_error(c, v, at, "must be auto, gpu, cpu or a number");
}

/* ---- elasticPolicy ---- */

static void rdzv_backend(struct ty_v1_conversion *c, const struct ty_json *v,
                         const struct ty_field_path *at)
{
    struct ty_str s = ty_v1_str(c, v, at);
    if (ty_str_starts(s, TY_LIT("etcd"))) {
        ty_v1_warn(c, v, at, "becomes c10d: a TrainJob brings no etcd with it");
        s = TY_LIT("c10d");
    }
    if (s.n)
        ty_v1_env(c, &c->sets[0], "PET_RDZV_BACKEND", "%.*s", TY_ARG(s));
}

static void rdzv_id(struct ty_v1_conversion *c, const struct ty_json *v,
                    const struct ty_field_path *at)
{
    struct ty_str s = ty_v1_str(c, v, at);
    if (s.n)
        ty_v1_env(c, &c->sets[0], "PET_RDZV_ID", "%.*s", TY_ARG(s));
}

static const struct ty_v1_field conf_rows[] = {
    { "key", NULL, NULL },
    { "value", NULL, NULL },
    { NULL, NULL, NULL },
};

/* Converts [{key, value}] to torchrun's form: k1=v1,k2=v2. */
static void rdzv_conf(struct ty_v1_conversion *c, const struct ty_json *v,
                      const struct ty_field_path *at)
{
    ty_auto_buf b = { 0 };
    size_t i = 0;
    if (!ty_json_is(v, TY_JSON_ARRAY))
        ty_v1_error(c, v, at, "must be a list of key and value");
    ty_each_item (it, v) {
        const struct ty_field_path *here = TY_IDX(at, i++);
        ty_v1_convert_fields(c, *it, here, conf_rows);
        struct ty_str key = ty_v1_str(c, ty_json_get(*it, "key"), TY_KEY(here, "key"));
        struct ty_str value = ty_v1_str(c, ty_json_get(*it, "value"), TY_KEY(here, "value"));
        ty_buf_printf(&b, "%s%.*s=%.*s", b.n ? "," : "", TY_ARG(key), TY_ARG(value));
    }
    if (b.n)
        ty_v1_env(c, &c->sets[0], "PET_RDZV_CONF", "%.*s", TY_ARG(ty_buf_str(&b)));
}

static void convert_standalone(struct ty_v1_conversion *c, const struct ty_json *v,
                               const struct ty_field_path *at)
{
    bool b = false;
    if (ty_v1_bool(c, v, at, &b) && b)
        ty_v1_env(c, &c->sets[0], "PET_STANDALONE", "1");
}

static void max_restarts(struct ty_v1_conversion *c, const struct ty_json *v,
                         const struct ty_field_path *at)
{
    int64_t n = 0;
    if (ty_v1_int(c, v, at, 0, INT32_MAX, &n))
        ty_v1_env(c, &c->sets[0], "PET_MAX_RESTARTS", "%lld", (long long)n);
}

static void old_nproc(struct ty_v1_conversion *c, const struct ty_json *v,
                      const struct ty_field_path *at)
{
    int64_t n = 0;
    if (!ty_v1_int(c, v, at, 1, INT32_MAX, &n))
        return;
    if (ty_v1_get(c->spec, "nprocPerNode"))
        ty_v1_warn(c, v, at, "not carried over: spec.nprocPerNode counts");
    else
        set_procs(c, n);
}

static const struct ty_v1_field elastic_rows[] = {
    { "minReplicas", NULL, NULL }, /* --nnodes below */
    { "maxReplicas", NULL, NULL },
    { "rdzvBackend", rdzv_backend, NULL },
    { "rdzvId", rdzv_id, NULL },
    { "rdzvConf", rdzv_conf, NULL },
    { "rdzvHost", NULL, NULL }, /* the endpoint below */
    { "rdzvPort", NULL, NULL },
    { "standalone", convert_standalone, NULL },
    { "maxRestarts", max_restarts, NULL },
    { "nProcPerNode", old_nproc, NULL },
    { "metrics", NULL, "TrainJobs are not scaled by a HorizontalPodAutoscaler" },
    { NULL, NULL, NULL },
};

static bool is_torchrun(struct ty_str word)
{
    return ty_str_is(word, "torchrun") || ty_str_ends(word, TY_LIT("/torchrun")) ||
           ty_str_is(word, "torch.distributed.run") || ty_str_is(word, "torch.distributed.launch");
}

static bool has_nnodes(const struct ty_json *words)
{
    ty_each_item (it, words) {
        struct ty_str w = ty_json_as_str(*it);
        if (ty_str_is(w, "--nnodes") || ty_str_starts(w, TY_LIT("--nnodes=")))
            return true;
    }
    return false;
}

/* Inserts a flag after the word torchrun in command or args. */
static bool add_flag(struct ty_v1_conversion *c, struct ty_json *words, const char *flag)
{
    size_t i = 0;
    ty_each_item (it, words)
        if (i++, is_torchrun(ty_json_as_str(*it))) {
            ty_json_insert(c->arena, words, i, ty_json_cstr(c->arena, flag));
            return true;
        }
    return false;
}

/* Parses the bounds; as in V1, a single one is used for both. */
static bool parse_bounds(struct ty_v1_conversion *c, const struct ty_json *policy,
                         const struct ty_field_path *at, int64_t *ret_min, int64_t *ret_max)
{
    const struct ty_json *low = ty_v1_get(policy, "minReplicas"),
                         *high = ty_v1_get(policy, "maxReplicas");
    int64_t min = 0, max = 0;
    if ((!low && !high) ||
        (low && !ty_v1_int(c, low, TY_KEY(at, "minReplicas"), 1, TY_V1_PODS, &min)) ||
        (high && !ty_v1_int(c, high, TY_KEY(at, "maxReplicas"), 1, TY_V1_PODS, &max)))
        return false;
    *ret_min = low ? min : max;
    *ret_max = high ? max : min;
    if (*ret_min <= *ret_max)
        return true;
    ty_v1_error(c, low, TY_KEY(at, "minReplicas"), "%lld is more than maxReplicas %lld",
                (long long)min, (long long)max);
    return false;
}

static void set_nnodes(struct ty_v1_conversion *c, const struct ty_json *policy,
                       const struct ty_field_path *at)
{
    struct ty_json *command = ty_json_get(c->trainer, "command"),
                   *args = ty_json_get(c->trainer, "args");
    int64_t min = 0, max = 0;
    if (!parse_bounds(c, policy, at, &min, &max))
        return;
    const char *text = ty_arena_printf(c->arena, "%lld:%lld", (long long)min, (long long)max);
    const char *flag = ty_arena_printf(c->arena, "--nnodes=%s", text);
    ty_json_set(c->arena, ty_json_ensure_object(c->arena, c->job_meta, "annotations"), ELASTIC_NOTE,
                ty_json_cstr(c->arena, text));
    if (has_nnodes(command) || has_nnodes(args))
        ty_v1_warn(c, policy, at,
                   "not carried over: the command has an --nnodes of its own; the range %s is "
                   "kept in an annotation",
                   text);
    else if (add_flag(c, command, flag) || add_flag(c, args, flag))
        ty_v1_warn(c, policy, at,
                   "becomes torchrun's %s: the number of nodes itself stays %lld, nothing scales "
                   "it",
                   flag, (long long)c->sets[0].count);
    else
        ty_v1_warn(c, policy, at,
                   "not carried over: the command has no word torchrun that %s could follow; the "
                   "range is kept in an annotation",
                   flag);
}

/* "<job>-worker-1" is a V1 pod name: returns the pod's new name. */
static struct ty_str host_now(struct ty_v1_conversion *c, struct ty_str host)
{
    static const char *const roles[] = { "master", "worker" };
    for (int64_t i = 0; i < 2; i++) {
        struct ty_str prefix = ty_str(ty_arena_printf(c->arena, "%s-%s-", c->name, roles[i]));
        int64_t n = 0;
        if (!ty_str_starts(host, prefix))
            continue;
        struct ty_str rest = { host.p + prefix.n, host.n - prefix.n };
        if (ty_str_parse_i64(rest, &n) && n >= 0 && n < TY_V1_PODS)
            return ty_str(ty_v1_host(c, "node", n + (i == 1 && ty_v1_role(c, "Master") ? 1 : 0)));
    }
    return host;
}

/* The rendezvous endpoint. The address of an etcd is useless for c10d: then rank 0 is the host. */
static void set_endpoint(struct ty_v1_conversion *c, const struct ty_json *v,
                         const struct ty_field_path *at)
{
    const struct ty_json *host = ty_v1_get(v, "rdzvHost"), *port = ty_v1_get(v, "rdzvPort");
    struct ty_str name = ty_str(ty_v1_host(c, "node", 0));
    bool etcd = ty_str_starts(ty_json_str_at(v, "rdzvBackend"), TY_LIT("etcd"));
    int64_t n = TY_V1_PORT, given = 0;
    if (host) {
        struct ty_str s = ty_v1_str(c, host, TY_KEY(at, "rdzvHost"));
        if (etcd)
            ty_v1_warn(c, host, TY_KEY(at, "rdzvHost"),
                       "not carried over: it is where etcd was, the nodes meet at rank 0");
        else if (s.n)
            name = host_now(c, s);
    }
    if (port && ty_v1_int(c, port, TY_KEY(at, "rdzvPort"), 1, 65535, &given)) {
        if (etcd)
            ty_v1_warn(c, port, TY_KEY(at, "rdzvPort"),
                       "not carried over: it is where etcd was, the nodes meet at rank 0");
        else
            n = given;
    }
    ty_v1_env(c, &c->sets[0], "PET_RDZV_ENDPOINT", "%.*s:%lld", TY_ARG(name), (long long)n);
}

static void convert_elastic(struct ty_v1_conversion *c, const struct ty_json *v,
                            const struct ty_field_path *at)
{
    ty_v1_convert_fields(c, v, at, elastic_rows);
    ty_v1_env(c, &c->sets[0], "PET_RDZV_BACKEND", "c10d"); /* V1's default */
    set_endpoint(c, v, at);
    set_nnodes(c, v, at);
}

/* torchrun's variables for containers other than the one that trains. */
static void inject_env(struct ty_v1_conversion *c, const struct ty_v1_set *set)
{
    struct ty_arena *a = c->arena;
    struct ty_json *names = ty_json_array(a), *target = ty_json_object(a);
    ty_each_item (it, ty_json_get(set->pod, "containers"))
        if (*it != set->container)
            ty_json_push(a, names, ty_json_get(*it, "name"));
    if (!names->n)
        return;
    struct ty_json *torch = ty_json_ensure_object(a, c->ml, "torch");
    struct ty_json *injection = ty_json_ensure_object(a, torch, "envInjection");
    ty_json_set(a, target, "jobName", ty_json_cstr(a, set->rjob));
    ty_json_set(a, target, "containerNames", names);
    ty_json_push(a, ty_json_ensure_array(a, injection, "targets"), target);
}

/* For programs that read the environment themselves; torchrun overwrites it. V1 sets it if there is
 * a master; without one it does no harm. Variables of the user are kept. */
static void master_env(struct ty_v1_conversion *c, struct ty_v1_set *set)
{
    ty_v1_env_fn *put = ty_v1_role(c, "Master") ? ty_v1_env : ty_v1_env_weak;
    put(c, set, "MASTER_ADDR", "%s", ty_v1_host(c, "node", 0));
    put(c, set, "MASTER_PORT", "%d", TY_V1_PORT);
    put(c, set, "WORLD_SIZE", "%lld", (long long)set->count * c->procs);
    put(c, set, "RANK", "$(TY_INDEX)");
}

static void finish_pytorch(struct ty_v1_conversion *c)
{
    struct ty_v1_set *set = &c->sets[0];
    struct ty_json *pet =
        set->env; /* the variables that the rows have added; the index comes first */
    set->env = ty_json_array(c->arena);
    ty_v1_env_index(c, set);
    master_env(c, set);
    ty_v1_env(c, set, "PYTHONUNBUFFERED", "1");
    ty_each_item (e, pet)
        ty_json_push(c->arena, set->env, *e);
    inject_env(c, set);
}

static const struct ty_v1_field rows[] = {
    { "nprocPerNode", convert_nproc, NULL },
    { "elasticPolicy", convert_elastic, NULL },
    { NULL, NULL, NULL },
};

const struct ty_v1_kind ty_v1_pytorch = {
    .version = "kubeflow.org/v1",
    .kind = "PyTorchJob",
    .specs = "pytorchReplicaSpecs",
    .main = "pytorch",
    .port_name = "pytorchjob-port",
    .port = 23456,
    .everywhere = true,
    .restart = TY_RESTART_ON_FAILURE,
    .ml = "torch",
    .framework = "torch",
    .builtin = "torch-distributed",
    .roles = { { "Master", "node", 1 }, { "Worker", "node", 0 } },
    .rows = rows,
    .make = ty_v1_merge,
    .finish = finish_pytorch,
};
