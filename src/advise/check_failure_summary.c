/* Checks that the operator has the rights for failure summaries, where its configuration enables
 * them. Without them everything else goes on, and only a line in its log tells. */
#include <errno.h>

#include "advise/doctor.h"
#include "store/kube/kube_kinds.h"
#include "json/yaml.h"

#define CHECK  "failure-summary"
#define CONFIG "controller_manager_config.yaml"

bool ty_check_failure_summary_enabled(struct ty_arena *a, const struct ty_doctor_in *in)
{
    const struct ty_json *map = ty_cluster_snapshot_get(a, in->snapshot, &ty_kind_configmap,
                                                        ty_str(in->ns), TY_LIT(TY_TRAINER_CONFIG));
    struct ty_str text = ty_json_as_str(ty_json_get(ty_json_get(map, "data"), CONFIG));
    struct ty_yaml_docs docs = { 0 };
    struct ty_err err = { 0 };

    return text.n && ty_yaml_parse(a, CONFIG, text, NULL, &docs, &err) == 0 && docs.n == 1 &&
           ty_json_true_at(docs.v[0], "failureSummary.enable");
}

static bool has_word(const struct ty_json *list, const char *word)
{
    ty_each_item (it, list)
        if (ty_str_is(ty_json_as_str(*it), word) || ty_str_is(ty_json_as_str(*it), "*"))
            return true;
    return false;
}

static bool allows(const struct ty_json *role, const char *resource, const char *verb)
{
    const struct ty_json *rules = ty_json_get(role, "rules");

    ty_each_item (it, rules)
        if (has_word(ty_json_get(*it, "apiGroups"), "") &&
            has_word(ty_json_get(*it, "resources"), resource) &&
            has_word(ty_json_get(*it, "verbs"), verb))
            return true;
    return false;
}

static void add_missing(struct ty_check_results *ret, const char *what)
{
    struct ty_check_result *c =
        ty_check_add(ret, TY_CHECK_LEVEL_WARN, CHECK,
                     "failureSummary is enabled, and %s: TrainJobs do not say why they fail", what);

    ty_check_set_fix(ret, c,
                     "trainyard install --failure-summary | kubectl apply --server-side -f -");
}

void ty_check_failure_summary(const struct ty_doctor_in *in, struct ty_check_results *ret)
{
    struct ty_str none = { "", 0 }, name = TY_LIT(TY_TRAINER_SUMMARY);

    if (!ty_check_failure_summary_enabled(ret->arena, in))
        return;
    const struct ty_cluster_object *o =
        ty_cluster_snapshot_find(in->snapshot, &ty_kind_clusterrole, none, name);
    const struct ty_cluster_object *bound =
        ty_cluster_snapshot_find(in->snapshot, &ty_kind_clusterrolebinding, none, name);
    if (!o || (o->r < 0 && o->r != -ENOENT)) {
        struct ty_check_result *c =
            ty_check_add(ret, TY_CHECK_LEVEL_WARN, CHECK,
                         "ClusterRole " TY_TRAINER_SUMMARY " cannot be read: %s",
                         o ? o->why : "it was not queried");
        ty_check_set_fix(ret, c, "ask as a user who may get clusterroles");
        return;
    }
    const struct ty_json *role = o->r == 0 ? ty_cluster_snapshot_parse(ret->arena, o) : NULL;
    if (!role)
        add_missing(ret, "ClusterRole " TY_TRAINER_SUMMARY " does not exist");
    else if (!allows(role, "pods", "list") || !allows(role, "pods", "watch"))
        add_missing(ret, "ClusterRole " TY_TRAINER_SUMMARY " does not let it list and watch pods");
    else if (!allows(role, "pods/log", "get"))
        add_missing(ret, "ClusterRole " TY_TRAINER_SUMMARY " does not let it get pods/log");
    else if (bound && bound->r == -ENOENT)
        add_missing(ret, "ClusterRoleBinding " TY_TRAINER_SUMMARY " does not exist");
    else
        ty_check_add(ret, TY_CHECK_LEVEL_OK, CHECK, "the operator may read pods and their logs");
}
