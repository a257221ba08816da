/* Converts a Pod object to a plan: calls the other files of the plan, and does the rest itself. */
#include "engine/pod/pod_plan.h"

#include <errno.h>

#include "api/quantity.h"
#include "engine/pod/env_expand.h"
#include "engine/pod/pod_env.h"
#include "engine/pod/pod_env_net.h"
#include "engine/pod/pod_plan_image.h"
#include "engine/pod/pod_plan_inner.h"
#include "engine/pod/pod_plan_probe.h"
#include "engine/pod/pod_volumes.h"

#define PLAN_MAX     ((size_t)64 << 20) /* of a plan, and of what is needed to make it */
#define HOSTNAME_MAX 63u

bool ty_pod_plan_has_room(const struct ty_pod_ctx *x)
{
    return !ty_arena_full(x->scratch) && ty_arena_used(x->a) - x->before <= PLAN_MAX;
}

static const char **read_argv(struct ty_pod_ctx *x, const struct ty_json *container,
                              const char *const *declared)
{
    const struct ty_json *const lists[] = { ty_json_get(container, "command"),
                                            ty_json_get(container, "args") };
    const char **argv =
        ty_new_n(x->a, const char *, ty_json_len(lists[0]) + ty_json_len(lists[1]) + 1);
    struct ty_str before = TY_LIT("");
    size_t n = 0;

    for (size_t i = 0; i < 2; i++) {
        ty_each_item (it, lists[i]) {
            if (!ty_pod_plan_has_room(x))
                return argv;
            struct ty_str text = ty_str(ty_env_expand(x->scratch, ty_json_as_str(*it), declared));
            argv[n] = ty_arena_cstr(x->a, ty_pod_net_text(x, before, text));
            before = ty_str(ty_arena_printf(x->scratch, "%s ", argv[n++]));
        }
    }
    return argv;
}

static int64_t cpu_milli(const struct ty_json *list)
{
    struct ty_quantity q;
    return ty_quantity_of(ty_json_get(list, "cpu"), &q)
               ? ty_quantity_value(ty_quantity_mul(q, 1000))
               : 0;
}

static int64_t quantity_at(const struct ty_json *list, const char *name)
{
    struct ty_quantity q;
    return name && ty_quantity_of(ty_json_get(list, name), &q) ? ty_quantity_value(q) : 0;
}

static void read_resources(const struct ty_pod_ctx *x, const struct ty_json *container,
                           struct ty_container_plan *c)
{
    const struct ty_json *limits = ty_json_at(container, "resources.limits");
    const struct ty_json *requests = ty_json_at(container, "resources.requests");
    int64_t wanted = cpu_milli(requests);

    c->cpu_limit_milli = cpu_milli(limits);
    c->memory_limit = quantity_at(limits, "memory");
    c->gpus = quantity_at(limits, x->host->gpu_resource);
    if (!c->gpus)
        c->gpus = quantity_at(requests, x->host->gpu_resource);
    if (c->cpu_limit_milli % 1000 == 0 && (!wanted || wanted == c->cpu_limit_milli))
        c->whole_cpus = c->cpu_limit_milli / 1000;
}

static void read_rules(const struct ty_pod_ctx *x, const struct ty_json *list,
                       struct ty_container_plan *c)
{
    struct ty_restart_rule *rules = ty_new_n(x->a, struct ty_restart_rule, ty_json_len(list) + 1);

    c->rules = rules;
    ty_each_item (it, list) {
        const struct ty_json *values = ty_json_at(*it, "exitCodes.values");
        struct ty_restart_rule *r = &rules[c->n_rules++];
        int *codes = ty_new_n(x->a, int, ty_json_len(values) + 1);

        r->all = ty_str_is(ty_json_str_at(*it, "action"), "RestartAllContainers");
        r->not_in = ty_str_is(ty_json_str_at(*it, "exitCodes.operator"), "NotIn");
        r->codes = codes;
        ty_each_item (v, values)
            codes[r->n_codes++] = ty_json_is(*v, TY_JSON_INT) ? (int)(*v)->i : -1;
    }
}

static void read_restart(const struct ty_pod_ctx *x, const struct ty_json *container,
                         struct ty_container_plan *c)
{
    struct ty_str own = ty_json_str_at(container, "restartPolicy");

    c->restart = own.n ? own.p[0] : 0;
    c->sidecar = c->init && c->restart == 'A';
    if (ty_json_len(ty_json_get(container, "restartPolicyRules")))
        read_rules(x, ty_json_get(container, "restartPolicyRules"), c);
}

static int read_probes(struct ty_pod_ctx *x, const struct ty_json *container,
                       struct ty_container_plan *c, struct ty_err *err)
{
    const struct {
        const char *path;
        const struct ty_probe **ret;
    } all[] = { { "startupProbe", &c->startup },
                { "livenessProbe", &c->liveness },
                { "readinessProbe", &c->readiness },
                { "lifecycle.preStop", &c->pre_stop },
                { "lifecycle.postStart", &c->post_start } };

    for (size_t i = 0; i < TY_COUNT(all); i++)
        if (ty_pod_probe(x, container, ty_json_at(container, all[i].path), all[i].ret, err) < 0)
            return ty_wrap(err, "%s", all[i].path);
    return 0;
}

static int read_container(struct ty_pod_ctx *x, const struct ty_json *container,
                          const struct ty_pod_plan *plan, struct ty_container_plan *c,
                          struct ty_err *err)
{
    struct ty_str cwd = ty_json_str_at(container, "workingDir");
    struct ty_str message = ty_json_str_at(container, "terminationMessagePath");
    struct ty_env_list declared = { 0 };
    int r = ty_pod_env_declared(x, container, &declared, err);

    if (r == 0)
        r = ty_pod_mounts(x, container, declared.v, plan->volumes, &c->mounts, err);
    if (r == 0)
        r = read_probes(x, container, c, err);
    if (r < 0)
        return r;
    c->image = ty_arena_cstr(x->a, ty_json_str_at(container, "image"));
    c->argv = read_argv(x, container, declared.v);
    c->env = ty_pod_env_whole(x, &declared);
    c->cwd = cwd.n ? ty_arena_cstr(x->a, cwd) : NULL;
    c->message_path = message.n ? ty_arena_cstr(x->a, message) : "/dev/termination-log";
    c->message_from_log =
        ty_str_is(ty_json_str_at(container, "terminationMessagePolicy"), "FallbackToLogsOnError");
    c->holder = ty_pod_is_sshd(container);
    c->initializer = ty_pod_initializer(container);
    if (!c->argv[0] && !c->initializer)
        return ty_fail(err, -EINVAL, "command is required: the image entrypoint cannot be read");
    read_restart(x, container, c);
    read_resources(x, container, c);
    return 0;
}

static int read_containers(struct ty_pod_ctx *x, struct ty_pod_plan *plan, struct ty_err *err)
{
    const struct ty_json *const lists[] = { ty_json_get(x->spec, "initContainers"),
                                            ty_json_get(x->spec, "containers") };

    plan->n_init = ty_json_len(lists[0]);
    plan->containers =
        ty_new_n(x->a, struct ty_container_plan, plan->n_init + ty_json_len(lists[1]) + 1);
    for (size_t i = 0; i < 2; i++) {
        ty_each_item (it, lists[i]) {
            struct ty_container_plan *c = &plan->containers[plan->n++];
            c->name = ty_arena_cstr(x->a, ty_json_str_at(*it, "name"));
            c->init = i == 0;
            if (ty_pod_plan_has_room(x) && read_container(x, *it, plan, c, err) < 0)
                return ty_wrap(err, "container %s", c->name);
        }
    }
    return 0;
}

/* A host name is cut where the kernel's would be too long, and must not end with - or a dot. */
static const char *read_hostname(struct ty_arena *a, const struct ty_json *pod,
                                 const struct ty_json *spec, struct ty_str ns)
{
    struct ty_str name = ty_json_str_at(spec, "hostname");
    struct ty_str other = ty_json_str_at(spec, "hostnameOverride");
    struct ty_str subdomain = ty_json_str_at(spec, "subdomain");

    if (other.n)
        return ty_arena_cstr(a, other);
    if (!name.n)
        name = ty_json_str_at(pod, "metadata.name");
    if (name.n > HOSTNAME_MAX)
        name.n = HOSTNAME_MAX;
    while (name.n && (name.p[name.n - 1] == '-' || name.p[name.n - 1] == '.'))
        name.n--;
    if (subdomain.n && ty_json_true_at(spec, "setHostnameAsFQDN"))
        return ty_arena_printf(a, "%.*s.%.*s.%.*s.svc.cluster.local", TY_ARG(name),
                               TY_ARG(subdomain), TY_ARG(ns));
    return ty_arena_cstr(a, name);
}

static const char **read_aliases(const struct ty_pod_ctx *x)
{
    const struct ty_json *list = ty_json_get(x->spec, "hostAliases");
    const char **lines = ty_new_n(x->a, const char *, ty_json_len(list) + 1);
    size_t n = 0;

    ty_each_item (it, list) {
        struct ty_str ip = ty_json_str_at(*it, "ip");
        ty_auto_buf line = { 0 };
        ty_buf_add(&line, ip);
        ty_each_item (h, ty_json_get(*it, "hostnames"))
            ty_buf_printf(&line, "\t%.*s", TY_ARG(ty_json_as_str(*h)));
        lines[n++] = ty_arena_cstr(x->a, ty_buf_str(&line));
    }
    return lines;
}

static void read_pod(struct ty_pod_ctx *x, struct ty_pod_plan *plan)
{
    struct ty_str subdomain = ty_json_str_at(x->spec, "subdomain");
    struct ty_json *wanted = ty_plan_pod_requests(x->scratch, x->spec);
    int64_t v;

    plan->name = ty_arena_cstr(x->a, ty_json_str_at(x->pod, "metadata.name"));
    plan->ns = ty_arena_cstr(x->a, x->ns);
    plan->uid = ty_arena_cstr(x->a, ty_json_str_at(x->pod, "metadata.uid"));
    plan->hostname = x->hostname;
    plan->subdomain = subdomain.n ? ty_arena_cstr(x->a, subdomain) : NULL;
    plan->host_aliases = read_aliases(x);
    plan->cpu_milli = cpu_milli(wanted);
    plan->memory = quantity_at(wanted, "memory");
    plan->gpus = quantity_at(wanted, x->host->gpu_resource);
    plan->restart = ty_str_is(ty_json_str_at(x->spec, "restartPolicy"), "Never") ? 'N' : 'O';
    plan->grace_s = ty_json_int_at(x->spec, "terminationGracePeriodSeconds", &v) ? v : 30;
    plan->deadline_s = ty_json_int_at(x->spec, "activeDeadlineSeconds", &v) && v > 0 ? v : 0;
    plan->gated = ty_json_len(ty_json_get(x->spec, "schedulingGates")) > 0;
}

int ty_pod_plan_make(struct ty_arena *a, const struct ty_json *pod, const struct ty_host *host,
                     const struct ty_view *view, const struct ty_pod_net *net,
                     struct ty_pod_plan *ret, struct ty_err *err)
{
    ty_auto_arena *scratch = ty_arena_new_input(PLAN_MAX, NULL);
    struct ty_pod_plan plan = { 0 };
    struct ty_pod_ctx x = { .a = a,
                            .before = ty_arena_used(a),
                            .scratch = scratch,
                            .pod = pod,
                            .host = host,
                            .view = view,
                            .net = net };
    int r;

    x.spec = ty_json_get(pod, "spec");
    x.ns = ty_json_str_at(pod, "metadata.namespace");
    if (!x.ns.n)
        x.ns = TY_LIT("default");
    x.hostname = read_hostname(a, pod, x.spec, x.ns);
    read_pod(&x, &plan);
    r = ty_pod_volumes(&x, &plan.volumes, err);
    if (r == 0)
        r = read_containers(&x, &plan, err);
    if (!ty_pod_plan_has_room(&x)) /* what else seems wrong may be missing only because of it */
        r = ty_fail(err, -EFBIG,
                    "its commands, variables and files take more than %zu MiB of memory",
                    PLAN_MAX >> 20);
    if (r == 0)
        *ret = plan;
    return r;
}
