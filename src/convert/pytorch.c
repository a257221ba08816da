/* PyTorchJob: master and workers are the nodes of one torch runtime, the master is rank 0. */
#include "api/quantity.h"
#include "convert/conv.h"

#define ELASTIC_NOTE "trainer.kubeflow.org/v1-elastic-replicas"

static void make(struct ty_conv *c)
{
    struct ty_conv_set *set = ty_conv_merge(c);
    if (!set)
        return;
    ty_json_set(c->arena, c->trainer, "numNodes", ty_json_int(c->arena, set->count));
    ty_json_set(c->arena, c->ml, "numNodes", ty_json_int(c->arena, set->count));
    if (ty_conv_role(c, "Master"))
        ty_conv_first_succeeds(c, set);
}

static void set_procs(struct ty_conv *c, int64_t n)
{
    c->procs = n;
    ty_json_set(c->arena, c->trainer, "numProcPerNode", ty_json_int(c->arena, n));
}

/* As many processes as the container may use CPUs. */
static void procs_by_cpu(struct ty_conv *c, const struct ty_json *v, const struct ty_path *at)
{
    struct ty_quantity q;
    const struct ty_json *cpu = ty_json_at(c->sets[0].role->main, "resources.limits.cpu");
    if (cpu && ty_quantity_of(cpu, &q) && ty_quantity_value(q) > 0 &&
        ty_quantity_value(q) <= INT32_MAX)
        set_procs(c, ty_quantity_value(q));
    else
        ty_conv_warn(c, v, at, "not carried over: there is no CPU limit to take the number from");
}

static void nproc(struct ty_conv *c, struct ty_conv_set *set, const struct ty_json *v,
                  const struct ty_path *at)
{
    (void)set;
    struct ty_str s = ty_json_text_of(v);
    int64_t n = 0;
    if (ty_str_is(s, "auto") || ty_str_is(s, "gpu"))
        return; /* what a TrainJob does when nothing is said */
    if (ty_str_is(s, "cpu")) {
        procs_by_cpu(c, v, at);
        return;
    }
    bool text = ty_json_is(v, TY_JSON_STRING); /* "4": V1 has an int-or-string */
    bool good = text ? ty_parse_i64(s, &n) && n > 0 && n <= INT32_MAX
                     : ty_conv_int(c, v, at, 1, INT32_MAX, &n);
    if (good)
        set_procs(c, n);
    else if (text)
        ty_conv_bad(c, v, at, "must be auto, gpu, cpu or a number");
}

/* ---- elasticPolicy ---- */

static void rdzv_backend(struct ty_conv *c, struct ty_conv_set *set, const struct ty_json *v,
                         const struct ty_path *at)
{
    (void)set;
    struct ty_str s = ty_conv_str(c, v, at);
    if (ty_str_starts(s, TY_LIT("etcd"))) {
        ty_conv_warn(c, v, at, "becomes c10d: a TrainJob brings no etcd with it");
        s = TY_LIT("c10d");
    }
    ty_conv_env(c, &c->sets[0], "PET_RDZV_BACKEND", "%.*s", TY_ARG(s));
}

static void rdzv_id(struct ty_conv *c, struct ty_conv_set *set, const struct ty_json *v,
                    const struct ty_path *at)
{
    (void)set;
    ty_conv_env(c, &c->sets[0], "PET_RDZV_ID", "%.*s", TY_ARG(ty_conv_str(c, v, at)));
}

/* [{key, value}] as torchrun reads it: k1=v1,k2=v2. */
static void rdzv_conf(struct ty_conv *c, struct ty_conv_set *set, const struct ty_json *v,
                      const struct ty_path *at)
{
    (void)set;
    ty_auto_buf b = { 0 };
    if (!ty_json_is(v, TY_JSON_ARRAY))
        ty_conv_bad(c, v, at, "must be a list of key and value");
    ty_each_item (it, v)
        ty_buf_printf(&b, "%s%.*s=%.*s", b.n ? "," : "", TY_ARG(ty_json_str_at(*it, "key")),
                      TY_ARG(ty_json_str_at(*it, "value")));
    ty_conv_env(c, &c->sets[0], "PET_RDZV_CONF", "%.*s", TY_ARG(ty_buf_str(&b)));
}

static void standalone(struct ty_conv *c, struct ty_conv_set *set, const struct ty_json *v,
                       const struct ty_path *at)
{
    (void)set;
    bool b = false;
    if (ty_conv_bool(c, v, at, &b) && b)
        ty_conv_env(c, &c->sets[0], "PET_STANDALONE", "1");
}

static void max_restarts(struct ty_conv *c, struct ty_conv_set *set, const struct ty_json *v,
                         const struct ty_path *at)
{
    (void)set;
    int64_t n = 0;
    if (ty_conv_int(c, v, at, 0, INT32_MAX, &n))
        ty_conv_env(c, &c->sets[0], "PET_MAX_RESTARTS", "%lld", (long long)n);
}

static void old_nproc(struct ty_conv *c, struct ty_conv_set *set, const struct ty_json *v,
                      const struct ty_path *at)
{
    if (!ty_json_get(c->trainer, "numProcPerNode"))
        nproc(c, set, v, at);
}

static const struct ty_conv_row elastic_rows[] = {
    { "minReplicas", NULL, NULL }, /* --nnodes below */
    { "maxReplicas", NULL, NULL },
    { "rdzvBackend", rdzv_backend, NULL },
    { "rdzvId", rdzv_id, NULL },
    { "rdzvConf", rdzv_conf, NULL },
    { "rdzvHost", NULL, NULL }, /* the endpoint below */
    { "rdzvPort", NULL, NULL },
    { "standalone", standalone, NULL },
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

/* Behind the word torchrun of command or args. */
static bool add_flag(struct ty_conv *c, struct ty_json *words, const char *flag)
{
    size_t i = 0;
    ty_each_item (it, words)
        if (i++, is_torchrun(ty_json_text_of(*it))) {
            ty_json_insert(c->arena, words, i, ty_json_cstr(c->arena, flag));
            return true;
        }
    return false;
}

static void range(struct ty_conv *c, const struct ty_json *policy, const struct ty_path *at)
{
    int64_t min = c->sets[0].count, max = min;
    const struct ty_json *low = ty_json_get(policy, "minReplicas"),
                         *high = ty_json_get(policy, "maxReplicas");
    if ((low && !ty_conv_int(c, low, TY_KEY(at, "minReplicas"), 1, TY_CONV_PODS, &min)) ||
        (high && !ty_conv_int(c, high, TY_KEY(at, "maxReplicas"), 1, TY_CONV_PODS, &max)))
        return;
    if (min > max) {
        ty_conv_bad(c, low ? low : high, TY_KEY(at, "minReplicas"),
                    "%lld is more than maxReplicas %lld", (long long)min, (long long)max);
        return;
    }
    if (!low && !high)
        return;
    const char *text = ty_arena_printf(c->arena, "%lld:%lld", (long long)min, (long long)max);
    const char *flag = ty_arena_printf(c->arena, "--nnodes=%s", text);
    ty_json_set(c->arena, ty_json_need_object(c->arena, c->job_meta, "annotations"), ELASTIC_NOTE,
                ty_json_cstr(c->arena, text));
    if (add_flag(c, ty_json_get(c->trainer, "command"), flag) ||
        add_flag(c, ty_json_get(c->trainer, "args"), flag))
        ty_conv_warn(c, policy, at,
                     "becomes torchrun's %s: the number of nodes itself stays %lld, nothing scales "
                     "it",
                     flag, (long long)c->sets[0].count);
    else
        ty_conv_warn(c, policy, at,
                     "not carried over: the command has no word torchrun that %s could follow; the "
                     "range is kept in an annotation",
                     flag);
}

static void elastic(struct ty_conv *c, struct ty_conv_set *set, const struct ty_json *v,
                    const struct ty_path *at)
{
    const struct ty_json *host = ty_json_get(v, "rdzvHost"), *port = ty_json_get(v, "rdzvPort");
    struct ty_str name = ty_str(ty_conv_host(c, "node", 0));
    int64_t n = TY_CONV_PORT;
    ty_conv_rows(c, set, v, at, elastic_rows);
    if (host)
        name = ty_conv_str(c, host, TY_KEY(at, "rdzvHost"));
    if (port)
        ty_conv_int(c, port, TY_KEY(at, "rdzvPort"), 1, 65535, &n);
    ty_conv_env(c, &c->sets[0], "PET_RDZV_ENDPOINT", "%.*s:%lld", TY_ARG(name), (long long)n);
    range(c, v, at);
}

/* What V1 sets for programs that read the environment themselves; torchrun overwrites it. */
static void finish(struct ty_conv *c)
{
    struct ty_conv_set *set = &c->sets[0];
    struct ty_json *pet = set->env; /* what the rows have added; the index comes first */
    set->env = ty_json_array(c->arena);
    ty_conv_env_index(c, set);
    ty_conv_env(c, set, "MASTER_ADDR", "%s", ty_conv_host(c, "node", 0));
    ty_conv_env(c, set, "MASTER_PORT", "%d", TY_CONV_PORT);
    ty_conv_env(c, set, "WORLD_SIZE", "%lld", (long long)set->count * c->procs);
    ty_conv_env(c, set, "RANK", "$(TY_INDEX)");
    ty_conv_env(c, set, "PYTHONUNBUFFERED", "1");
    ty_each_item (e, pet)
        ty_json_push(c->arena, set->env, *e);
}

static const struct ty_conv_row rows[] = {
    { "nprocPerNode", nproc, NULL },
    { "elasticPolicy", elastic, NULL },
    { NULL, NULL, NULL },
};

const struct ty_conv_kind ty_conv_pytorch = {
    .version = "kubeflow.org/v1",
    .kind = "PyTorchJob",
    .specs = "pytorchReplicaSpecs",
    .main = "pytorch",
    .port_name = "pytorchjob-port",
    .port = 23456,
    .restart = TY_RESTART_ON_FAILURE,
    .ml = "torch",
    .framework = "torch",
    .builtin = "torch-distributed",
    .roles = { { "Master", "node", 1 }, { "Worker", "node", 0 } },
    .rows = rows,
    .make = make,
    .finish = finish,
};
