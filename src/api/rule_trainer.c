/* The CEL rules of the trainer.kubeflow.org CRDs in C. Where CEL would fail with an error, the API
 * server refuses the object, so these functions return false. */
#include "api/rule_trainer.h"

#include "api/rule_jobset.h"
#include "api/schema_equal.h"
#include "api/trainer_tables.h"

const struct ty_rule ty_rules_immutable[] = {
    TY_IMMUTABLE(ty_rule_unchanged),
    { .cel = NULL },
};

const struct ty_rule ty_rules_immutable_by_name[] = {
    TY_IMMUTABLE(ty_rule_unchanged_by_name),
    { .cel = NULL },
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_letter(char c)
{
    return is_lower(c) || (c >= 'A' && c <= 'Z');
}

static bool is_one_of(const struct ty_json *v, const char *const *words)
{
    for (; ty_json_is(v, TY_JSON_STRING) && *words; words++)
        if (ty_str_is(ty_json_as_str(v), *words))
            return true;
    return false;
}

static const char *const proc_words[] = { "auto", "cpu", "gpu", NULL };

bool ty_rule_name_is_label(const struct ty_json *self, const struct ty_json *old TY_UNUSED)
{
    struct ty_str s = ty_json_str_at(self, "metadata.name");

    if (s.n == 0 || !is_lower(s.p[0]) || s.p[s.n - 1] == '-')
        return false;
    for (size_t i = 0; i < s.n; i++)
        if (!is_lower(s.p[i]) && !is_digit(s.p[i]) && s.p[i] != '-')
            return false;
    return true;
}

bool ty_rule_name_is_short(const struct ty_json *self, const struct ty_json *old TY_UNUSED)
{
    size_t chars = 0;
    const struct ty_json *name = ty_json_at(self, "metadata.name");
    struct ty_str s = ty_json_as_str(name);

    for (size_t i = 0; i < s.n; i++)
        chars += ((unsigned char)s.p[i] & 0xc0) != 0x80; /* CEL counts code points */
    return ty_json_is(name, TY_JSON_STRING) && chars <= 63;
}

/* "" or scheme://anything, the scheme a letter and then letters, digits, + . - */
bool ty_rule_storage_uri(const struct ty_json *self, const struct ty_json *old TY_UNUSED)
{
    struct ty_str scheme, rest = ty_str_cut(ty_json_as_str(self), ':', &scheme);

    if (!ty_json_is(self, TY_JSON_STRING))
        return false;
    if (self->n == 0)
        return true;
    if (!ty_str_starts(rest, TY_LIT("//")) || rest.n == 2 || memchr(rest.p, '\n', rest.n))
        return false;
    if (scheme.n == 0 || !is_letter(scheme.p[0]))
        return false;
    for (size_t i = 1; i < scheme.n; i++)
        if (!is_letter(scheme.p[i]) && !is_digit(scheme.p[i]) && scheme.p[i] != '+' &&
            scheme.p[i] != '.' && scheme.p[i] != '-')
            return false;
    return true;
}

bool ty_rule_managed_by(const struct ty_json *self, const struct ty_json *old TY_UNUSED)
{
    static const char *const managers[] = { "trainer.kubeflow.org/trainjob-controller",
                                            "kueue.x-k8s.io/multikueue", NULL };
    return is_one_of(self, managers);
}

bool ty_rule_int_or_word(const struct ty_json *self, const struct ty_json *old TY_UNUSED)
{
    if (ty_json_is(self, TY_JSON_INT))
        return self->i >= INT32_MIN && self->i <= INT32_MAX;
    return is_one_of(self, proc_words);
}

bool ty_rule_initializer_unchanged(const struct ty_json *self, const struct ty_json *old)
{
    return ty_schema_equal(&ty_schema_Initializer, self, old);
}

bool ty_rule_trainer_unchanged(const struct ty_json *self, const struct ty_json *old)
{
    return ty_schema_equal(&ty_schema_Trainer, self, old);
}

bool ty_rule_containers_unchanged(const struct ty_json *self, const struct ty_json *old)
{
    return ty_schema_equal(&ty_schema_list_ContainerPatch, self, old);
}

bool ty_rule_has_update_time(const struct ty_json *self, const struct ty_json *old TY_UNUSED)
{
    return ty_json_get(self, "lastUpdatedTime");
}

bool ty_rule_one_policy(const struct ty_json *self, const struct ty_json *old TY_UNUSED)
{
    size_t n = 0;

    for (const struct ty_field *f = ty_schema_MLPolicy.fields; f->name; f++)
        n += ty_schema_is_policy(f) && ty_json_get(self, f->name);
    return n <= 1;
}

/* v2.3.0's CRD lists the policies in another order than the Go struct. This text is the same as
 * v2.3.0's; policies that it does not have follow in the order of the table. */
static const char *const released[] = { "torch", "mpi", "jax", "xgboost", "flux", NULL };

static bool is_released(const char *name)
{
    for (const char *const *r = released; *r; r++)
        if (strcmp(*r, name) == 0)
            return true;
    return false;
}

static void put_has(struct ty_buf *out, const char *name)
{
    ty_buf_printf(out, "%shas(self.%s)", out->n > 1 ? ", " : "", name);
}

const char *ty_rule_one_policy_cel(struct ty_arena *a)
{
    ty_auto_buf out = { 0 };

    ty_buf_chr(&out, '[');
    for (const char *const *r = released; *r; r++)
        put_has(&out, *r);
    for (const struct ty_field *f = ty_schema_MLPolicy.fields; f->name; f++)
        if (ty_schema_is_policy(f) && !is_released(f->name))
            put_has(&out, f->name);
    ty_buf_cstr(&out, "].filter(x, x).size() <= 1");
    return ty_arena_cstr(a, ty_buf_str(&out));
}

bool ty_rule_at_least_one(const struct ty_json *self, const struct ty_json *old TY_UNUSED)
{
    return ty_json_is(self, TY_JSON_INT) && self->i >= 1;
}

bool ty_rule_positive_or_word(const struct ty_json *self, const struct ty_json *old TY_UNUSED)
{
    if (ty_json_is(self, TY_JSON_INT))
        return self->i > 0 && self->i <= INT32_MAX;
    return is_one_of(self, proc_words);
}

bool ty_rule_elastic_range(const struct ty_json *self, const struct ty_json *old TY_UNUSED)
{
    int64_t min, max;

    return !ty_json_int_at(self, "minNodes", &min) || !ty_json_int_at(self, "maxNodes", &max) ||
           min <= max;
}

bool ty_rule_mpi_implementation(const struct ty_json *self, const struct ty_json *old TY_UNUSED)
{
    static const char *const names[] = { "", "OpenMPI", "IntelMPI", "MPICH", "Intel", NULL };

    return is_one_of(self, names);
}

bool ty_rule_not_node(const struct ty_json *self, const struct ty_json *old TY_UNUSED)
{
    ty_each_item (it, self)
        if (ty_str_is(ty_json_as_str(*it), "node"))
            return false;
    return true;
}
