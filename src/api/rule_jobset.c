/* The CEL rules and regular expressions of the JobSet CRD in C. Where CEL would fail with an error
 * ("no such key"), the API server refuses the object, so these functions return false. */
#include "api/rule_jobset.h"

bool ty_rule_unchanged(const struct ty_json *self, const struct ty_json *old)
{
    return ty_json_eq(self, old);
}

bool ty_rule_unchanged_by_name(const struct ty_json *self, const struct ty_json *old)
{
    if (ty_json_len(self) != ty_json_len(old))
        return false;
    ty_each_item (it, self) {
        const struct ty_json *was =
            ty_json_find_item(old, "name", ty_json_str_at(*it, "name"), NULL);
        if (!was || !ty_json_eq(*it, was))
            return false;
    }
    return true;
}

bool ty_rule_startup_or_depends(const struct ty_json *self, const struct ty_json *old TY_UNUSED)
{
    const struct ty_json *jobs = ty_json_get(self, "replicatedJobs");

    if (!ty_str_is(ty_json_str_at(self, "startupPolicy.startupPolicyOrder"), "InOrder"))
        return true;
    if (!jobs)
        return false; /* CEL: no such key */
    ty_each_item (it, jobs)
        if (ty_json_get(*it, "dependsOn"))
            return false;
    return true;
}

bool ty_rule_claims_without_namespace(const struct ty_json *self,
                                      const struct ty_json *old TY_UNUSED)
{
    const struct ty_json *templates = ty_json_get(self, "templates");

    if (!templates)
        return false; /* CEL: no such key */
    ty_each_item (it, templates) {
        const struct ty_json *meta = ty_json_get(*it, "metadata");
        if (!meta || ty_json_str_at(meta, "namespace").n > 0)
            return false;
    }
    return true;
}

static bool is_alpha(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_alnum(char c)
{
    return is_alpha(c) || (c >= '0' && c <= '9');
}

static bool is_lower_alnum(char c)
{
    return is_alnum(c) && !(c >= 'A' && c <= 'Z');
}

/* Every byte is alphanumeric or one of `more`. */
static bool all_of(struct ty_str s, const char *more)
{
    for (size_t i = 0; i < s.n; i++)
        if (!is_alnum(s.p[i]) && (s.p[i] == '\0' || !strchr(more, s.p[i])))
            return false;
    return true;
}

bool ty_rule_pattern_reason(struct ty_str s)
{
    return s.n > 0 && is_alpha(s.p[0]) && all_of(s, "_,:") &&
           (is_alnum(s.p[s.n - 1]) || s.p[s.n - 1] == '_');
}

/* Labels of lower-case letters, digits and inner dashes, joined by dots; of any length. */
static bool is_subdomain(struct ty_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        bool edge = i == 0 || i + 1 == s.n || s.p[i - 1] == '.' || s.p[i + 1] == '.';
        if (s.p[i] == '.' ? edge : !is_lower_alnum(s.p[i]) && (s.p[i] != '-' || edge))
            return false;
    }
    return s.n > 0;
}

bool ty_rule_pattern_condition_type(struct ty_str s)
{
    struct ty_str head, word = ty_str_cut(s, '/', &head);

    if (!word.p)
        word = head;
    else if (!is_subdomain(head))
        return false;
    return word.n > 0 && is_alnum(word.p[0]) && is_alnum(word.p[word.n - 1]) && all_of(word, "-_.");
}
