/* Warns about strings that made sense only in V1: host names, ports, labels. They are not changed,
 * because their use depends on the script. */
#include "convert/v1.h"
#include <ctype.h>

/* Whether the text contains the name, not as the end of a longer one. */
static bool has_name(struct ty_str text, struct ty_str word)
{
    for (size_t i = 0; i + word.n <= text.n; i++) {
        char left = i ? text.p[i - 1] : ' ';
        if (memcmp(text.p + i, word.p, word.n) == 0 && left != '-' && !isalnum((unsigned char)left))
            return true;
    }
    return false;
}

/* Finds "<job>-<role>-", the beginning of a V1 pod's host name. Returns the replicated job of such
 * pods, or NULL. */
static const char *names_host(struct ty_v1_conversion *c, struct ty_str text)
{
    for (size_t i = 0; i < TY_V1_ROLES && c->kind->roles[i].name; i++) {
        char *host = ty_arena_printf(c->arena, "%s-%s-", c->name, c->kind->roles[i].name);
        for (char *p = host + strlen(c->name); *p; p++)
            *p = (char)tolower((unsigned char)*p);
        if (has_name(text, ty_str(host)))
            return c->kind->roles[i].rjob;
    }
    return NULL;
}

/* Whether the text contains the number as a word; a short number only alone or after a colon. */
static bool names_port(struct ty_str text, int64_t number)
{
    char port[24];
    size_t n = (size_t)snprintf(port, sizeof(port), "%lld", (long long)number);
    for (size_t i = 0; i + n <= text.n; i++) {
        bool left = i && isdigit((unsigned char)text.p[i - 1]);
        bool right = i + n < text.n && isdigit((unsigned char)text.p[i + n]);
        bool sure = n >= 5 || n == text.n || (i && text.p[i - 1] == ':');
        if (memcmp(text.p + i, port, n) == 0 && !left && !right && sure)
            return true;
    }
    return false;
}

static const struct {
    const char *was, *is;
} labels[] = {
    { "training.kubeflow.org/job-name", "jobset.sigs.k8s.io/jobset-name" },
    { "training.kubeflow.org/replica-type", "jobset.sigs.k8s.io/replicatedjob-name" },
    { "training.kubeflow.org/replica-index", "batch.kubernetes.io/job-completion-index" },
    { "training.kubeflow.org/job-role", "jobset.sigs.k8s.io/replicatedjob-name" },
    { "training.kubeflow.org/operator-name", "jobset.sigs.k8s.io/jobset-name" },
};

static void scan_label(struct ty_v1_conversion *c, struct ty_str text, const struct ty_json *v,
                       const struct ty_field_path *at)
{
    for (size_t i = 0; i < TY_COUNT(labels); i++)
        if (ty_str_contains(text, ty_str(labels[i].was)))
            ty_v1_warn(c, v, at, "no pod has the label %s any more: %s is nearest to it",
                       labels[i].was, labels[i].is);
}

static void scan_text(struct ty_v1_conversion *c, const struct ty_v1_set *set,
                      const struct ty_json *v, const struct ty_field_path *at)
{
    struct ty_str text = ty_json_as_str(v);
    int64_t port = ty_v1_port(c, set->role);
    const char *rjob = names_host(c, text);
    if (rjob)
        ty_v1_warn(c, v, at,
                   "this text holds a V1 host name: pods are now reached as %s-%s-0-<index>.%s",
                   c->name, rjob, c->name);
    if (c->mpi && ty_str_contains(text, TY_LIT("discover_hosts")))
        ty_v1_warn(c, v, at,
                   "there is no discover_hosts.sh: elastic Horovod cannot be carried over");
    if (c->mpi && ty_str_contains(text, TY_LIT("kubexec.sh")))
        ty_v1_warn(c, v, at, "there is no kubexec.sh any more: nodes are reached by ssh");
    if (c->kind == &ty_v1_pytorch && names_port(text, port))
        ty_v1_warn(c, v, at, "this text holds V1's port %lld: rank 0 listens on %d now",
                   (long long)port, TY_V1_PORT);
    scan_label(c, text, v, at);
}

void ty_v1_scan(struct ty_v1_conversion *c, const struct ty_v1_set *set, const struct ty_json *v,
                const struct ty_field_path *at)
{
    size_t i = 0;
    if (ty_v1_env_refusal(c, set, ty_json_str_at(v, "name")))
        return; /* dropped, and the warning was given already */
    ty_each_item (it, v)
        ty_v1_scan(c, set, *it, TY_IDX(at, i++));
    ty_each_member (m, v) {
        scan_label(c, m->key, m->value, TY_KEYS(at, m->key));
        ty_v1_scan(c, set, m->value, TY_KEYS(at, m->key));
    }
    if (ty_json_as_str(v).n)
        scan_text(c, set, v, at);
}
