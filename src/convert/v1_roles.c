/* Reads the replica specs of a V1 job and creates the replicated jobs of the runtime. */
#include "convert/v1.h"
#include <strings.h>

static void read_replicas(struct ty_v1_conversion *c, struct ty_v1_role *r, int64_t max,
                          const struct ty_field_path *at)
{
    const struct ty_json *v = ty_json_get(r->spec, "replicas");
    r->replicas = 1;
    if (!v || v->type == TY_JSON_NULL)
        return;
    if (!ty_v1_int(c, v, TY_KEY(at, "replicas"), 0, TY_V1_PODS, &r->replicas))
        return;
    if (max && r->replicas > max)
        ty_v1_error(c, v, TY_KEY(at, "replicas"), "%s %s has at most %lld replica", c->kind->kind,
                    r->name, (long long)max);
    if (r->replicas == 0) {
        ty_v1_warn(c, v, TY_KEY(at, "replicas"), "there are none: the role is left out");
        r->spec = NULL;
    }
}

static const struct ty_v1_field role_rows[] = {
    { "replicas", NULL, NULL },
    { "restartPolicy", NULL, NULL },
    { "template", NULL, NULL },
    { NULL, NULL, NULL },
};

static void read_role(struct ty_v1_conversion *c, struct ty_v1_role *r, int64_t max,
                      const struct ty_field_path *at)
{
    ty_v1_convert_fields(c, r->spec, at, role_rows);
    const struct ty_json *restart = ty_json_get(r->spec, "restartPolicy");
    r->restart = c->kind->restart;
    if (restart && restart->type != TY_JSON_NULL)
        r->restart = ty_v1_restart_of(c, restart, TY_KEY(at, "restartPolicy"));
    read_replicas(c, r, max, at);
    if (r->spec)
        ty_v1_check_pod(c, r);
}

/* V1 accepts roles in any case ("worker"). */
static struct ty_v1_role *role_slot(struct ty_v1_conversion *c, struct ty_str key, size_t *ret_i)
{
    for (size_t i = 0; i < TY_V1_ROLES && c->kind->roles[i].name; i++)
        if (strlen(c->kind->roles[i].name) == key.n &&
            strncasecmp(c->kind->roles[i].name, key.p, key.n) == 0) {
            *ret_i = i;
            return &c->roles[i];
        }
    return NULL;
}

void ty_v1_read_roles(struct ty_v1_conversion *c)
{
    const struct ty_field_path *specs = TY_KEY(TY_KEY(NULL, "spec"), c->kind->specs);
    const struct ty_json *all = ty_json_get(c->spec, c->kind->specs);
    size_t i = 0, n = 0;
    if (!ty_json_is(all, TY_JSON_OBJECT) || !all->n) {
        ty_v1_error(c, all, specs, "must hold the job's replicas, such as %s",
                    c->kind->roles[0].name);
        return;
    }
    ty_each_member (m, all) {
        struct ty_v1_role *r = role_slot(c, m->key, &i);
        const struct ty_field_path *at = TY_KEYS(specs, m->key);
        if (!r)
            ty_v1_error(c, m->value, at, "a %s has no such role", c->kind->kind);
        else if (r->spec)
            ty_v1_error(c, m->value, at, "the role %s is given twice", r->name);
        else if (!ty_json_is(m->value, TY_JSON_OBJECT))
            ty_v1_error(c, m->value, at, "must be an object");
        if (!r || c->out->bad)
            return;
        r->name = c->kind->roles[i].name;
        r->rjob = c->kind->roles[i].rjob;
        r->key = ty_v1_cstr(c, m->key);
        r->spec = m->value;
        read_role(c, r, c->kind->roles[i].max, at);
        n += r->spec != NULL;
    }
    if (!n)
        ty_v1_error(c, all, specs, "all roles have 0 replicas: there is nothing to run");
}

struct ty_v1_role *ty_v1_role(struct ty_v1_conversion *c, const char *name)
{
    for (size_t i = 0; i < TY_V1_ROLES; i++)
        if (c->roles[i].spec && strcmp(c->roles[i].name, name) == 0)
            return &c->roles[i];
    return NULL;
}

int64_t ty_v1_pods(const struct ty_v1_conversion *c)
{
    int64_t n = 0;
    for (size_t i = 0; i < TY_V1_ROLES; i++)
        n += c->roles[i].spec ? c->roles[i].replicas : 0;
    return n;
}

static void check_name(struct ty_v1_conversion *c, const struct ty_v1_set *set)
{
    const char *pod = ty_arena_printf(c->arena, "%s-%s-0-%lld", c->name, set->rjob,
                                      (long long)(set->count > 0 ? set->count - 1 : 0));
    if (strlen(pod) > 63)
        ty_v1_error(c, ty_json_at(c->v1, "metadata.name"), TY_KEY(TY_KEY(NULL, "metadata"), "name"),
                    "too long: the pod %s would have %zu characters, and 63 is the most", pod,
                    strlen(pod));
}

struct ty_v1_set *ty_v1_add_set(struct ty_v1_conversion *c, struct ty_v1_role *role, bool trainer)
{
    struct ty_arena *a = c->arena;
    struct ty_v1_set *s = &c->sets[c->n_sets++];
    struct ty_json *rjob = ty_json_object(a);
    *s = (struct ty_v1_set){ .rjob = role->rjob,
                             .trainer = trainer,
                             .count = role->replicas,
                             .restart = role->restart,
                             .role = role,
                             .env = ty_json_array(a) };
    ty_json_set(a, rjob, "name", ty_json_cstr(a, s->rjob));
    struct ty_json *template = ty_json_ensure_object(a, rjob, "template");
    if (trainer)
        ty_json_set(
            a, ty_json_ensure_object(a, ty_json_ensure_object(a, template, "metadata"), "labels"),
            TY_V1_LABEL, ty_json_cstr(a, "trainer"));
    s->job = ty_json_ensure_object(a, template, "spec");
    if (!trainer && !c->mpi) {
        ty_json_set(a, s->job, "parallelism", ty_json_int(a, s->count));
        ty_json_set(a, s->job, "completions", ty_json_int(a, s->count));
    }
    s->meta = ty_json_ensure_object(a, s->job, "template");
    s->pod = ty_json_ensure_object(a, s->meta, "spec");
    s->container = ty_json_object(a);
    ty_json_set(a, s->container, "name", ty_json_cstr(a, "node"));
    ty_json_push(a, ty_json_ensure_array(a, s->pod, "containers"), s->container);
    ty_json_push(a, c->rjobs, rjob);
    check_name(c, s);
    ty_v1_convert_pod(c, s);
    return s;
}
