/* Builds Pod objects from a Job's template. The pods of one pass share the nodes that are the same
 * for all, containers above all: a thousand pods cost a thousand small objects, not a thousand
 * trees.
 */
#include "engine/job/job_pod_builder.h"

#include "engine/pod/pod_summary.h"

static const char alphabet[] = "bcdfghjklmnpqrstvwxz2456789"; /* no vowels, no 0 1 3: no words */
enum {
    LETTERS = sizeof(alphabet) - 1,
    SUFFIX = 5,
    SUFFIXES = LETTERS * LETTERS * LETTERS * LETTERS * LETTERS,
    PREFIX_MAX = 63 - SUFFIX,
};

/* A copy of the object with room for more members; the values are shared. */
static struct ty_json *copy_shallow(struct ty_arena *a, const struct ty_json *obj, uint32_t more)
{
    struct ty_json *v = ty_json_object(a);
    uint32_t n = ty_json_is(obj, TY_JSON_OBJECT) ? obj->n : 0;

    v->cap = n + more;
    v->members = ty_new_n(a, struct ty_json_member, v->cap);
    v->n = n;
    if (n)
        memcpy(v->members, obj->members, n * sizeof(*v->members));
    return v;
}

static void set_str(struct ty_arena *a, struct ty_json *obj, const char *key, struct ty_str s)
{
    ty_json_set(a, obj, key, ty_json_str(a, s));
}

/* Last, so that it cannot change what the container's own variables say; never twice. */
static struct ty_json *with_index_env(struct ty_arena *a, const struct ty_json *container,
                                      struct ty_json *variable)
{
    struct ty_json *copy = copy_shallow(a, container, 1), *env = ty_json_array(a);
    const struct ty_json *old = ty_json_get(container, "env");

    if (ty_json_find_item(old, "name", TY_LIT("JOB_COMPLETION_INDEX"), NULL))
        return copy;
    ty_each_item (it, old)
        ty_json_push(a, env, *it);
    ty_json_push(a, env, variable);
    ty_json_set(a, copy, "env", env);
    return copy;
}

static struct ty_json *index_variable(struct ty_arena *a)
{
    struct ty_json *v = ty_json_object(a), *from = ty_json_object(a), *field = ty_json_object(a);

    set_str(a, field, "apiVersion", TY_LIT("v1"));
    set_str(a, field, "fieldPath", TY_LIT("metadata.labels['" TY_ANN_INDEX "']"));
    ty_json_set(a, from, "fieldRef", field);
    set_str(a, v, "name", TY_LIT("JOB_COMPLETION_INDEX"));
    ty_json_set(a, v, "valueFrom", from);
    return v;
}

static struct ty_json *indexed_spec(struct ty_arena *a, const struct ty_json *pod_spec)
{
    static const char *const lists[] = { "initContainers", "containers" };
    struct ty_json *copy = copy_shallow(a, pod_spec, 1), *variable = index_variable(a);

    for (size_t i = 0; i < 2; i++) {
        const struct ty_json *old = ty_json_get(pod_spec, lists[i]);
        struct ty_json *list = ty_json_array(a);
        if (!old)
            continue;
        ty_each_item (it, old)
            ty_json_push(a, list, with_index_env(a, *it, variable));
        ty_json_set(a, copy, lists[i], list);
    }
    return copy;
}

static struct ty_json *owners_of(struct ty_arena *a, const struct ty_job_spec *s)
{
    struct ty_json *list = ty_json_array(a), *owner = ty_json_object(a);

    set_str(a, owner, "apiVersion", TY_LIT("batch/v1"));
    set_str(a, owner, "kind", TY_LIT("Job"));
    set_str(a, owner, "name", s->name);
    set_str(a, owner, "uid", s->uid);
    ty_json_set(a, owner, "controller", ty_json_bool(a, true));
    ty_json_set(a, owner, "blockOwnerDeletion", ty_json_bool(a, true));
    ty_json_push(a, list, owner);
    return list;
}

static struct ty_json *labels_of(struct ty_arena *a, const struct ty_job_spec *s)
{
    struct ty_json *v = copy_shallow(a, ty_json_at(s->pod_template, "metadata.labels"), 4);

    set_str(a, v, "batch.kubernetes.io/controller-uid", s->uid);
    set_str(a, v, "batch.kubernetes.io/job-name", s->name);
    set_str(a, v, "controller-uid", s->uid);
    set_str(a, v, "job-name", s->name);
    return v;
}

/* splitmix64: good enough to make names unique, and the same on every machine. */
static uint64_t next_random(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* True if the suffix was not there yet. Slots hold the suffix + 1. */
static bool reserve_suffix(struct ty_job_pod_builder *m, uint32_t suffix)
{
    size_t at = (suffix * (size_t)2654435761u) & m->mask;

    for (; m->taken[at]; at = (at + 1) & m->mask)
        if (m->taken[at] == suffix + 1)
            return false;
    m->taken[at] = suffix + 1;
    return true;
}

static bool suffix_of(struct ty_str name, uint32_t *ret)
{
    uint32_t v = 0;

    if (name.n < SUFFIX)
        return false;
    for (size_t i = name.n - SUFFIX; i < name.n; i++) {
        const char *at = memchr(alphabet, name.p[i], LETTERS);
        if (!at)
            return false;
        v = v * LETTERS + (uint32_t)(at - alphabet);
    }
    *ret = v;
    return true;
}

void ty_job_pod_builder_init(struct ty_job_pod_builder *m, struct ty_arena *a,
                             const struct ty_job_spec *s, const struct ty_job_observed *in,
                             size_t more)
{
    const struct ty_json *pod_spec = ty_json_get(s->pod_template, "spec");
    size_t slots = 16;

    *m = (struct ty_job_pod_builder){
        .arena = a,
        .spec = s,
        .labels = labels_of(a, s),
        .annotations = copy_shallow(a, ty_json_at(s->pod_template, "metadata.annotations"), 0),
        .pod_spec = s->indexed ? indexed_spec(a, pod_spec) : copy_shallow(a, pod_spec, 0),
        .owners = owners_of(a, s),
        .seed = in->seed,
    };
    while (slots < 2 * (in->n_pods + more))
        slots *= 2;
    m->taken = ty_new_n(a, uint32_t, slots);
    m->mask = slots - 1;
    for (size_t i = 0; i < in->n_pods; i++) {
        uint32_t suffix;
        if (suffix_of(in->pods[i].name, &suffix))
            (void)reserve_suffix(m, suffix);
    }
}

/* "<job>-<index>-" or "<job>-", cut so that a suffix still fits into a host name; an index is never
 * cut. */
static struct ty_str prefix_of(const struct ty_job_pod_builder *m, int64_t index)
{
    struct ty_str name = m->spec->name;
    char tail[24] = "-";
    size_t n = 1;

    if (index >= 0)
        n = (size_t)snprintf(tail, sizeof(tail), "-%lld-", (long long)index);
    if (name.n + n <= PREFIX_MAX)
        return ty_str(ty_arena_printf(m->arena, "%.*s%s", TY_ARG(name), tail));
    if (index < 0)
        return (struct ty_str){ name.p, PREFIX_MAX };
    name.n = PREFIX_MAX - n;
    return ty_str(ty_arena_printf(m->arena, "%.*s%s", TY_ARG(name), tail));
}

static struct ty_str name_of(struct ty_job_pod_builder *m, struct ty_str prefix)
{
    char tail[SUFFIX];
    uint32_t v;

    do
        v = (uint32_t)(next_random(&m->seed) % SUFFIXES);
    while (!reserve_suffix(m, v));
    for (size_t i = SUFFIX; i-- > 0; v /= LETTERS)
        tail[i] = alphabet[v % LETTERS];
    return ty_str(ty_arena_printf(m->arena, "%.*s%.*s", TY_ARG(prefix), SUFFIX, tail));
}

/* The members that tell the pods of an indexed Job apart. */
static void add_index(struct ty_job_pod_builder *m, struct ty_json *labels,
                      struct ty_json *annotations, struct ty_json *pod_spec, int64_t index)
{
    struct ty_json *text = ty_json_strf(m->arena, "%lld", (long long)index);

    ty_json_set(m->arena, labels, TY_ANN_INDEX, text);
    ty_json_set(m->arena, annotations, TY_ANN_INDEX, text);
    ty_json_set(m->arena, pod_spec, "hostname",
                ty_json_strf(m->arena, "%.*s-%lld", TY_ARG(m->spec->name), (long long)index));
}

struct ty_json *ty_job_pod_builder_make(struct ty_job_pod_builder *m, int64_t index,
                                        int64_t failures, int64_t ignored)
{
    struct ty_arena *a = m->arena;
    struct ty_json *pod = ty_json_object(a), *meta = ty_json_object(a);
    struct ty_json *labels = copy_shallow(a, m->labels, 1);
    struct ty_json *notes = copy_shallow(a, m->annotations, 3),
                   *spec = copy_shallow(a, m->pod_spec, 1);
    struct ty_str prefix = prefix_of(m, index);

    if (index >= 0)
        add_index(m, labels, notes, spec, index);
    if (failures >= 0)
        ty_json_set(a, notes, TY_ANN_FAILED, ty_json_strf(a, "%lld", (long long)failures));
    if (ignored > 0)
        ty_json_set(a, notes, TY_ANN_IGNORED, ty_json_strf(a, "%lld", (long long)ignored));
    set_str(a, meta, "generateName", prefix);
    set_str(a, meta, "name", name_of(m, prefix));
    set_str(a, meta, "namespace", m->spec->ns);
    ty_json_set(a, meta, "labels", labels);
    if (notes->n)
        ty_json_set(a, meta, "annotations", notes);
    ty_json_set(a, meta, "ownerReferences", m->owners);
    set_str(a, pod, "apiVersion", TY_LIT("v1"));
    set_str(a, pod, "kind", TY_LIT("Pod"));
    ty_json_set(a, pod, "metadata", meta);
    ty_json_set(a, pod, "spec", spec);
    return pod;
}
