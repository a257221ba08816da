/* Validates a new JobSet with the webhook's order and messages, plus what this engine
 * does not support. The schema has been checked before, so wrong types are ignored. */
#include "engine/jobset/jobset_validate.h"

#include "api/go_value.h"
#include "api/name.h"
#include "engine/jobset/jobset.h"

#define MAX_LABEL      63
#define MAX_MANAGED_BY 63
#define MAX_GENERATED  58 /* of generateName's prefix; five random characters follow */

void ty_jobset_internal_error(struct ty_jobset_check *c, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    ty_errs_add(c->errs, NULL, TY_INTERNAL, NULL, "%s", ty_arena_vprintf(c->arena, fmt, ap));
    va_end(ap);
}

const char *ty_jobset_quoted(struct ty_arena *a, struct ty_str s)
{
    ty_auto_buf out = { 0 };

    ty_go_quote(&out, s);
    return ty_arena_cstr(a, ty_buf_str(&out));
}

const char *ty_jobset_value(struct ty_arena *a, const struct ty_json *v)
{
    return v ? ty_json_text(a, v).p : "null";
}

/* A DNS-1035 label except for its length, which has its own message. */
static bool has_label_shape(struct ty_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        bool lower = s.p[i] >= 'a' && s.p[i] <= 'z', digit = s.p[i] >= '0' && s.p[i] <= '9';
        if (!lower && (i == 0 || !(digit || (s.p[i] == '-' && i + 1 < s.n))))
            return false;
    }
    return s.n > 0;
}

void ty_jobset_check_label(struct ty_jobset_check *c, const struct ty_field_path *at,
                           struct ty_str s, struct ty_str value, const char *too_long)
{
    if (s.n > MAX_LABEL)
        ty_errs_add(c->errs, at, TY_INVALID, ty_jobset_quoted(c->arena, value), "%s", too_long);
    if (!has_label_shape(s))
        ty_errs_add(c->errs, at, TY_INVALID, ty_jobset_quoted(c->arena, value), "%s",
                    ty_name_dns1035_label_msg);
}

/* The subdomain is a host's and a Service's name. */
static void check_subdomain(struct ty_jobset_check *c)
{
    const struct ty_field_path *at = TY_KEY(TY_KEY(TY_KEY(NULL, "spec"), "network"), "subdomain");
    struct ty_str s = ty_json_str_at(c->spec, "network.subdomain");

    if (s.n == 0)
        return;
    if (s.n > 253)
        ty_errs_add(c->errs, at, TY_INVALID, ty_jobset_quoted(c->arena, s), "%s",
                    "must be no more than 253 characters");
    else if (!ty_name_is_dns1123_subdomain(s))
        ty_errs_add(c->errs, at, TY_INVALID, ty_jobset_quoted(c->arena, s), "%s",
                    ty_name_dns1123_subdomain_msg);
    ty_jobset_check_label(c, at, s, s,
                          ".spec.network.subdomain is too long, must be less than 63 characters");
}

static void check_manager(struct ty_jobset_check *c)
{
    const struct ty_field_path *at = TY_KEY(TY_KEY(NULL, "spec"), "managedBy");
    const struct ty_json *v = ty_json_get(c->spec, "managedBy");
    struct ty_str manager = ty_json_as_str(v), blamed;
    const char *problem;

    if (!ty_json_is(v, TY_JSON_STRING))
        return;
    if (manager.n == 0) {
        ty_errs_add(c->errs, at, TY_REQUIRED, NULL, "%s", "");
        return;
    }
    for (unsigned n = 0; (problem = ty_name_domain_path_problem(manager, n, &blamed)) != NULL; n++)
        ty_errs_add(c->errs, at, TY_INVALID, ty_jobset_quoted(c->arena, blamed), "%s", problem);
    if (manager.n > MAX_MANAGED_BY)
        ty_errs_add(c->errs, at, TY_TOO_LONG, NULL, "may not be more than %d bytes",
                    MAX_MANAGED_BY);
}

static void check_success_policy(struct ty_jobset_check *c)
{
    const struct ty_json *targets = ty_json_at(c->spec, "successPolicy.targetReplicatedJobs");

    ty_each_item (it, targets) {
        struct ty_str name = ty_json_as_str(*it);
        if (!ty_json_find_item(c->rjobs, "name", name, NULL))
            ty_jobset_internal_error(c,
                                     "invalid replicatedJob name '%.*s' does not appear in "
                                     ".spec.ReplicatedJobs",
                                     TY_ARG(name));
    }
}

/* Names that generateName will make are as long as this sample. */
static struct ty_str sample_name(struct ty_arena *a, const struct ty_json *jobset)
{
    struct ty_str name = ty_json_str_at(jobset, "metadata.name");
    struct ty_str prefix = ty_json_str_at(jobset, "metadata.generateName");

    if (name.n > 0 || prefix.n == 0)
        return name;
    prefix.n = prefix.n > MAX_GENERATED ? MAX_GENERATED : prefix.n;
    return ty_str(ty_arena_printf(a, "%.*sabcde", TY_ARG(prefix)));
}

void ty_jobset_validate(struct ty_arena *a, const struct ty_json *jobset, struct ty_errs *errs)
{
    struct ty_jobset_check c = { .arena = a,
                                 .obj = jobset,
                                 .spec = ty_json_get(jobset, "spec"),
                                 .rjobs = ty_json_at(jobset, "spec.replicatedJobs"),
                                 .name = sample_name(a, jobset),
                                 .errs = errs };
    struct ty_str strategy = ty_json_str_at(c.spec, "failurePolicy.restartStrategy");

    if (ty_str_is(strategy, "InPlaceRestart"))
        ty_jobset_internal_error(
            &c, "InPlaceRestart restart strategy cannot be set when InPlaceRestart "
                "feature gate is disabled");
    if (ty_json_is(ty_json_get(ty_json_item(c.rjobs, 0), "dependsOn"), TY_JSON_ARRAY))
        ty_jobset_internal_error(&c, "DependsOn can't be set for the first ReplicatedJob");
    check_subdomain(&c);
    check_manager(&c);
    ty_jobset_check_rjobs(&c);
    check_success_policy(&c);
    ty_jobset_check_failure_policy(&c);
    ty_jobset_check_coordinator(&c);
    ty_jobset_check_claims(&c);
}
