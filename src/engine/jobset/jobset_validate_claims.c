/* Checks of spec.volumeClaimPolicies: names, mounts, and what exists already. */

#include "api/gen/gen.h"
#include "api/name.h"
#include "engine/jobset/jobset.h"
#include "engine/jobset/jobset_children.h"
#include "engine/jobset/jobset_validate.h"

#define MAX_CLAIM 63

/* A claim that no container mounts is an error, and so is one that a volume shadows. */
static void check_use(struct ty_jobset_check *c, struct ty_str name)
{
    const struct ty_field_path *list = TY_KEY(TY_KEY(NULL, "spec"), "replicatedJobs");
    bool mounted = false;

    ty_each_item (it, c->rjobs) {
        const struct ty_json *pod = ty_json_at(*it, "template.spec.template.spec");
        const struct ty_field_path *at = TY_KEY(TY_IDX(list, it - c->rjobs->items), "template");
        size_t k;
        mounted = mounted || ty_jobset_mounts(pod, name);
        if (!ty_json_find_item(ty_json_get(pod, "volumes"), "name", name, &k))
            continue;
        at = TY_KEY(TY_KEY(TY_KEY(TY_KEY(at, "spec"), "template"), "spec"), "volumes");
        ty_errs_add(
            c->errs, TY_KEY(TY_IDX(at, k), "name"), TY_INVALID, ty_jobset_quoted(c->arena, name),
            "volume name conflicts with VolumeClaimPolicy template name: %.*s", TY_ARG(name));
    }
    if (!mounted)
        ty_errs_add(c->errs, list, TY_INVALID, ty_jobset_value(c->arena, c->rjobs),
                    "replicatedJob containers don't have a matching volumeMount: %.*s from "
                    "VolumeClaimPolicies",
                    TY_ARG(name));
}

/* Was this name used by a template before (policy, place)? */
static bool used_before(const struct ty_json *policies, struct ty_str name,
                        const struct ty_json *until)
{
    ty_each_item (policy, policies) {
        const struct ty_json *templates = ty_json_get(*policy, "templates");
        ty_each_item (it, templates) {
            if (*it == until)
                return false;
            if (ty_str_eq(ty_json_str_at(*it, "metadata.name"), name))
                return true;
        }
    }
    return false;
}

static void check_template(struct ty_jobset_check *c, const struct ty_json *claim,
                           const struct ty_field_path *at)
{
    const struct ty_field_path *here = TY_KEY(at, "name");
    struct ty_str name = ty_json_str_at(claim, "metadata.name");
    const char *value = ty_jobset_quoted(c->arena, name);

    if (used_before(ty_json_get(c->spec, "volumeClaimPolicies"), name, claim))
        ty_errs_add(c->errs, here, TY_INVALID, value,
                    "names must be unique for VolumeClaimPolicies template");
    if (!ty_name_is_dns1123_subdomain(name))
        ty_errs_add(c->errs, here, TY_INVALID, value, "%s", ty_name_dns1123_subdomain_msg);
    if (strlen(ty_jobset_claim_name(c->arena, c->name, name)) > MAX_CLAIM)
        ty_errs_add(c->errs, here, TY_INVALID, value,
                    "VolumeClaimPolicies template name is too long");
    check_use(c, name);
}

void ty_jobset_check_claims(struct ty_jobset_check *c)
{
    const struct ty_field_path *list = TY_KEY(TY_KEY(NULL, "spec"), "volumeClaimPolicies");
    const struct ty_json *policies = ty_json_get(c->spec, "volumeClaimPolicies");

    ty_each_item (policy, policies) {
        const struct ty_field_path *at = TY_IDX(list, policy - policies->items);
        const struct ty_json *templates = ty_json_get(*policy, "templates");
        ty_each_item (it, templates)
            check_template(c, *it, TY_IDX(TY_KEY(at, "template"), it - templates->items));
    }
}

static void check_existing(struct ty_errs *errs, const struct ty_json *policy,
                           const struct ty_json *claim_template, const struct ty_json *live,
                           const struct ty_field_path *policy_at, const struct ty_field_path *at)
{
    struct ty_arena *a = errs->arena;
    const struct ty_schema *s = &ty_schema_PersistentVolumeClaimSpec;
    const struct ty_json *want = ty_json_get(claim_template, "spec");
    const struct ty_json *have = ty_json_get(live, "spec");
    const struct ty_json *retain = ty_json_at(policy, "retentionPolicy.whenDeleted");

    want = want ? ty_schema_normalize(a, s, want) : ty_json_object(a);
    have = have ? ty_schema_normalize(a, s, have) : ty_json_object(a);
    if (!ty_json_eq(want, have))
        ty_errs_add(errs, TY_KEY(at, "spec"), TY_INVALID, ty_jobset_value(a, want),
                    "spec does not match existing PVC %.*s in namespace %.*s",
                    TY_ARG(ty_json_str_at(live, "metadata.name")),
                    TY_ARG(ty_json_str_at(live, "metadata.namespace")));
    if (!ty_str_is(ty_json_as_str(retain), "Retain"))
        ty_errs_add(errs, TY_KEY(TY_KEY(policy_at, "retentionPolicy"), "whenDeleted"), TY_INVALID,
                    ty_jobset_value(a, retain), "retentionPolicy must be retain when PVC exists");
}

static const struct ty_json *find_claim(const struct ty_json *const *claims, size_t n,
                                        struct ty_str ns, struct ty_str name)
{
    for (size_t i = 0; i < n; i++)
        if (ty_str_eq(ty_json_str_at(claims[i], "metadata.name"), name) &&
            ty_str_eq(ty_json_str_at(claims[i], "metadata.namespace"), ns))
            return claims[i];
    return NULL;
}

void ty_jobset_validate_claims(const struct ty_json *jobset, const struct ty_json *const *claims,
                               size_t n_claims, struct ty_errs *errs)
{
    const struct ty_json *policies = ty_json_at(jobset, "spec.volumeClaimPolicies");
    const struct ty_field_path *list = TY_KEY(TY_KEY(NULL, "spec"), "volumeClaimPolicies");
    struct ty_str ns = ty_json_str_at(jobset, "metadata.namespace");
    struct ty_str js = ty_json_str_at(jobset, "metadata.name");

    ty_each_item (policy, policies) {
        const struct ty_field_path *at = TY_IDX(list, policy - policies->items);
        const struct ty_json *templates = ty_json_get(*policy, "templates");
        ty_each_item (it, templates) {
            struct ty_str name = ty_json_str_at(*it, "metadata.name");
            const struct ty_json *live = find_claim(
                claims, n_claims, ns, ty_str(ty_jobset_claim_name(errs->arena, js, name)));
            if (live)
                check_existing(errs, *policy, *it, live, at,
                               TY_IDX(TY_KEY(at, "template"), it - templates->items));
        }
    }
}
