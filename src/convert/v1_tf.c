/* TFJob: a replicated job for each role, and TF_CONFIG with all of them. Kubeflow Trainer 2.3 has
 * no TensorFlow policy, so the runtime has none. */
#include "base/buf.h"
#include "convert/v1.h"
#include <ctype.h>

static void make_tf(struct ty_v1_conversion *c)
{
    static const char *const order[] = { "Chief", "Master", "PS", "Worker", "Evaluator", NULL };
    const char *main = ty_v1_role(c, "Worker")   ? "Worker"
                       : ty_v1_role(c, "Chief")  ? "Chief"
                       : ty_v1_role(c, "Master") ? "Master"
                       : ty_v1_role(c, "PS")     ? "PS"
                                                 : "Evaluator";
    if (ty_v1_role(c, "Chief") && ty_v1_role(c, "Master")) {
        ty_v1_error(c, c->spec, TY_KEY(TY_KEY(NULL, "spec"), c->kind->specs),
                    "Chief and Master are two names of one role: keep one");
        return;
    }
    for (const char *const *o = order; *o; o++) {
        struct ty_v1_role *r = ty_v1_role(c, *o);
        bool trainer = strcmp(*o, main) == 0;
        if (!r)
            continue;
        struct ty_v1_set *s = ty_v1_add_set(c, r, trainer);
        if (trainer)
            ty_v1_set_nodes(c, s->count);
    }
}

static const char *lower_name(struct ty_v1_conversion *c, const char *name)
{
    char *s = ty_arena_strdup(c->arena, name);
    for (char *p = s; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return s;
}

/* ,"worker":["job-worker-0-0.job:2222",…] */
static void cluster_role(struct ty_v1_conversion *c, struct ty_buf *b, const struct ty_v1_set *s)
{
    long long port = (long long)ty_v1_port(c, s->role);
    ty_buf_printf(b, "\"%s\":[", lower_name(c, s->role->name));
    for (int64_t i = 0; i < s->count; i++)
        ty_buf_printf(b, "%s\"%s-%s-0-%lld.%s:%lld\"", i ? "," : "", c->name, s->rjob, (long long)i,
                      c->name, port);
    ty_buf_chr(b, ']');
}

static void dynamic_worker(struct ty_v1_conversion *c, struct ty_buf *b, const struct ty_v1_set *s)
{
    ty_buf_printf(b, "\"worker\":{\"$(TY_INDEX)\":\"%s-%s-0-$(TY_INDEX).%s:%lld\"}", c->name,
                  s->rjob, c->name, (long long)ty_v1_port(c, s->role));
}

static bool is_role(const struct ty_v1_set *s, const char *name)
{
    return strcmp(s->role->name, name) == 0;
}

/* The sparse form lists all ps and, for a worker, only itself. */
static void put_cluster(struct ty_v1_conversion *c, struct ty_buf *b, const struct ty_v1_set *self,
                        bool dynamic)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_sets; i++) {
        const struct ty_v1_set *s = &c->sets[i];
        bool own = dynamic && is_role(s, "Worker");
        if (own && s != self)
            continue;
        ty_buf_cstr(b, n++ ? "," : "");
        if (own)
            dynamic_worker(c, b, s);
        else
            cluster_role(c, b, s);
    }
}

static void finish_tf(struct ty_v1_conversion *c)
{
    bool dynamic = ty_json_true_at(c->spec, "enableDynamicWorker");
    for (size_t i = 0; i < c->n_sets; i++) {
        struct ty_v1_set *s = &c->sets[i];
        ty_v1_env_index(c, s);
        if (ty_v1_pods(c) > 1) { /* V1 does not set it for a single replica, either */
            ty_auto_buf b = { 0 };
            put_cluster(c, &b, s, dynamic);
            ty_v1_env(c, s, "TF_CONFIG",
                      "{\"cluster\":{%.*s},\"task\":{\"type\":\"%s\",\"index\":$(TY_INDEX)},"
                      "\"environment\":\"cloud\"}",
                      TY_ARG(ty_buf_str(&b)), lower_name(c, s->role->name));
        }
        ty_v1_env_weak(c, s, "PYTHONUNBUFFERED", "1");
    }
}

static struct ty_v1_set *set_of(struct ty_v1_conversion *c, const char *role)
{
    for (size_t i = 0; i < c->n_sets; i++)
        if (is_role(&c->sets[i], role))
            return &c->sets[i];
    return NULL;
}

/* The job succeeds when the chief does; without one, when worker 0 does. */
static void set_success(struct ty_v1_conversion *c, bool all)
{
    struct ty_v1_set *worker = set_of(c, "Worker");
    bool chief = set_of(c, "Chief") || set_of(c, "Master");
    const char *rjobs[3] = { NULL };
    size_t n = 0;
    if (!worker && !chief)
        return;
    if (worker && (all || !chief))
        rjobs[n++] = "worker";
    if (chief)
        rjobs[n++] = "chief";
    if (!all && !chief)
        ty_v1_first_succeeds(c, worker);
    if (c->n_sets > 1) /* the others, in particular ps, never end by themselves */
        ty_v1_success(c, rjobs);
}

static void success_policy(struct ty_v1_conversion *c, const struct ty_json *v,
                           const struct ty_field_path *at)
{
    struct ty_str s = ty_v1_str(c, v, at);
    if (s.n && !ty_str_is(s, "AllWorkers"))
        ty_v1_error(c, v, at, "must be empty or AllWorkers");
}

static void make_with_success(struct ty_v1_conversion *c)
{
    make_tf(c);
    if (!c->out->bad)
        set_success(c, ty_str_is(ty_json_str_at(c->spec, "successPolicy"), "AllWorkers"));
}

static void convert_dynamic(struct ty_v1_conversion *c, const struct ty_json *v,
                            const struct ty_field_path *at)
{
    bool b = false;
    if (ty_v1_bool(c, v, at, &b) && b)
        ty_v1_warn(c, v, at,
                   "the sparse TF_CONFIG is kept, but the number of workers cannot be changed "
                   "while the job runs");
}

static const struct ty_v1_field rows[] = {
    { "successPolicy", success_policy, NULL },
    { "enableDynamicWorker", convert_dynamic, NULL },
    { NULL, NULL, NULL },
};

const struct ty_v1_kind ty_v1_tf = {
    .version = "kubeflow.org/v1",
    .kind = "TFJob",
    .specs = "tfReplicaSpecs",
    .main = "tensorflow",
    .port_name = "tfjob-port",
    .port = 2222,
    .restart = TY_RESTART_NEVER,
    .framework = "tensorflow",
    .roles = { { "Chief", "chief", 1 },
               { "Master", "chief", 1 },
               { "PS", "ps", 0 },
               { "Worker", "worker", 0 },
               { "Evaluator", "evaluator", 0 } },
    .rows = rows,
    .make = make_with_success,
    .finish = finish_tf,
};
