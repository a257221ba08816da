/* tests/schema/apiserver.json holds objects and what kube-apiserver 1.36 said of them with the CRDs
 * of Kubeflow Trainer v2.3.0; our check must say the same, in any order. */
#include "api/schema_testing.h"

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All errors, sorted, one a line. */
static const char *sorted(struct ty_arena *a, const struct ty_errs *errs)
{
    const char *lines[64];
    size_t n = 0;
    ty_auto_buf out = { 0 };

    for (const struct ty_field_err *e = errs->first; e; e = e->next) {
        ty_auto_buf line = { 0 };
        ty_errs_print(&line, e);
        assert_true(n < 64);
        lines[n++] = ty_arena_cstr(a, ty_buf_str(&line));
    }
    qsort(lines, n, sizeof(lines[0]), by_text);
    for (size_t i = 0; i < n; i++)
        ty_buf_printf(&out, "%s\n", lines[i]);
    return ty_arena_cstr(a, ty_buf_str(&out));
}

static struct ty_json *stored(struct ty_arena *a, const struct ty_schema *s, struct ty_json *v)
{
    if (!v)
        return NULL;
    ty_schema_prune(a, s, v, NULL, NULL);
    ty_schema_default(a, s, v);
    return v;
}

static void check_verdict(struct ty_arena *a, const struct ty_json *c)
{
    struct ty_json *obj = ty_json_get(c, "object"), *old = ty_json_get(c, "old");
    const struct ty_schema *s = ty_kind_of(obj)->schema;
    struct ty_errs errs = { .arena = a };
    ty_auto_buf want = { 0 };

    stored(a, s, obj);
    stored(a, s, old);
    if (ty_json_get(c, "sub"))
        ty_schema_validate(&ty_schema_TrainJobStatus, ty_json_get(obj, "status"),
                           ty_json_get(old, "status"), TY_KEY(NULL, "status"), NULL, &errs);
    else
        ty_schema_validate(s, obj, old, NULL, NULL, &errs);
    ty_each_item (it, ty_json_get(c, "want"))
        ty_buf_printf(&want, "%.*s\n", TY_ARG(ty_json_as_str(*it)));
    ty_buf_chr(&want, '\0');
    if (strcmp(sorted(a, &errs), want.p) != 0)
        fail_msg("%.*s\nwant:\n%sgot:\n%s", TY_ARG(ty_json_str_at(c, "about")), want.p,
                 sorted(a, &errs));
}

static void says_what_the_api_server_says(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)64 << 20);
    struct ty_json *cases = json_file(a, "tests/schema/apiserver.json");

    assert_true(ty_json_len(cases) > 100);
    ty_each_item (it, cases)
        check_verdict(a, *it);
}

/* ---- a small table: mistakes that were there before ---- */

static bool below_ten(const struct ty_json *self, const struct ty_json *old TY_UNUSED)
{
    int64_t n = 0;
    return !ty_json_int_at(self, "n", &n) || n < 10;
}

static bool not_seven(const struct ty_json *self, const struct ty_json *old TY_UNUSED)
{
    return self->i != 7;
}

static const struct ty_rule seven[] = {
    { .cel = "self != 7", .message = "not seven", .ok = not_seven }, { .cel = NULL }
};
static const struct ty_rule ten[] = {
    { .cel = "!has(self.n) || self.n < 10", .message = "n must be below ten", .ok = below_ten },
    { .cel = NULL },
};
static const struct ty_schema text = { .type = TY_T_STRING };
static const struct ty_schema short_text = { .type = TY_T_STRING, .max_len = 3 };
static const struct ty_schema number = { .type = TY_T_INTEGER, .rules = seven };
static const struct ty_schema positive = { .type = TY_T_INTEGER, .has_min = true, .min = 1 };
static const struct ty_schema positive_not_seven = {
    .type = TY_T_INTEGER, .has_min = true, .min = 1, .rules = seven
};
static const struct ty_field item_fields[] = {
    { .name = "name", .schema = &text, .flags = TY_F_REQUIRED },
    { .name = "v", .schema = &positive },
    { .name = NULL },
};
static const struct ty_schema item = { .type = TY_T_OBJECT, .fields = item_fields };
static const char *const by_name[] = { "name", NULL };
static const struct ty_schema maps = { .type = TY_T_ARRAY, .items = &item, .list_keys = by_name };
static const struct ty_schema atom = { .type = TY_T_ARRAY,
                                       .items = &positive_not_seven,
                                       .list_atomic = true };
static const struct ty_schema set = { .type = TY_T_ARRAY, .items = &text, .list_set = true };
static const struct ty_field spec_fields[] = {
    { .name = "a", .schema = &short_text }, { .name = "n", .schema = &number },
    { .name = "maps", .schema = &maps },    { .name = "atom", .schema = &atom },
    { .name = "set", .schema = &set },      { .name = NULL },
};
static const struct ty_schema spec = { .type = TY_T_OBJECT, .fields = spec_fields, .rules = ten };
static const struct ty_field root_fields[] = { { .name = "spec", .schema = &spec },
                                               { .name = NULL } };
static const struct ty_schema root = { .type = TY_T_OBJECT, .fields = root_fields };

#define NOTE                                                                                       \
    "<nil>: Invalid value: null: some validation rules were not checked because the object was "   \
    "invalid; correct the existing errors to complete validation\n"

/* Observed on a real API server whose CRD had become stricter meanwhile. */
static void forgives_what_has_not_changed(void **state TY_UNUSED)
{
    static const struct {
        const char *old, *new, *want;
    } cases[] = {
        { "{'a':'long text','n':1}", "{'a':'long text','n':2}", "" },
        { "{'a':'long text'}", "{'a':'other text'}",
          NOTE "spec.a: Too long: may not be more than 3 bytes\n" },
        { "{'a':'abc','n':20}", "{'a':'abd','n':20}",
          "spec: Invalid value: n must be below ten\n" },
        { "{'a':'abc','n':7}", "{'a':'abd','n':7}", "" },
        { "{'n':8}", "{'n':7}", "spec.n: Invalid value: 7: not seven\n" },
        { "{'maps':[{'name':'x','v':0},{'name':'y','v':1}]}",
          "{'maps':[{'name':'y','v':1},{'name':'x','v':0}]}", "" },
        { "{'maps':[{'name':'x','v':0}]}", "{'maps':[{'name':'z','v':1},{'name':'x','v':0}]}", "" },
        { "{'maps':[{'name':'x','v':0}]}", "{'maps':[{'name':'q','v':0}]}",
          "spec.maps[0].v: Invalid value: 0: spec.maps[0].v in body should be greater than or "
          "equal to 1\n" },
        { "{'atom':[0,1]}", "{'atom':[0,2]}",
          "spec.atom[0]: Invalid value: 0: spec.atom[0] in body should be greater than or equal "
          "to 1\n" },
        { "{'a':'abc','atom':[0,7]}", "{'a':'abd','atom':[0,7]}", "" },
        { "{'atom':[7,1]}", "{'atom':[7,2]}", "spec.atom[0]: Invalid value: 7: not seven\n" },
        { "{'set':['x','x']}", "{'set':['y','y']}", "" },
        { "{'set':['x','y']}", "{'set':['y','y']}", "spec.set[1]: Duplicate value: \"y\"\n" },
        { "{'maps':[{'v':1}]}", "{'maps':[{'v':2}]}", NOTE "spec.maps[0].name: Required value\n" },
    };

    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        ty_auto_arena *a = ty_arena_new(1 << 20);
        struct ty_errs errs = { .arena = a };
        char *old = ty_arena_printf(a, "{'spec':%s}", cases[i].old);
        char *new = ty_arena_printf(a, "{'spec':%s}", cases[i].new);
        ty_schema_validate(&root, parse(a, new), parse(a, old), NULL, NULL, &errs);
        if (strcmp(sorted(a, &errs), cases[i].want) != 0)
            fail_msg("%s -> %s\nwant:\n%sgot:\n%s", old, new, cases[i].want, sorted(a, &errs));
    }
}

static void keeps_what_was_reported_before(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_errs errs = { .arena = a };
    struct ty_json *v = parse(a, "{'spec':{'a':'long text'}}");

    /* An earlier blocking error of the caller's is not ours: rules still run, and forgiving what
     * has not changed must not take it away. */
    ty_errs_add(&errs, TY_KEY(NULL, "x"), TY_REQUIRED, NULL, "%s", "");
    ty_schema_validate(&root, v, v, NULL, NULL, &errs);
    assert_string_equal(sorted(a, &errs), "x: Required value\n");
    assert_int_equal(errs.n, 1);
    assert_null(errs.last->next);
}

static void points_at_the_value_and_helps(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_errs errs = { .arena = a };
    struct ty_json *v = parse(a, "{'spec':{\n'n':'4',\n'maps':[{}]}}");

    ty_schema_validate(&root, v, NULL, NULL, NULL, &errs);
    assert_int_equal(errs.n, 3);
    assert_string_equal(errs.first->path, "spec.n");
    assert_int_equal(errs.first->at->line, 2);
    assert_string_equal(errs.first->hint, "write 4 without quotes");
    assert_string_equal(errs.first->next->path, "spec.maps[0].name");
    assert_int_equal(errs.first->next->at->line, 3); /* the item that lacks it */
}

static void body_may_have_another_path(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_errs errs = { .arena = a };
    struct ty_json *v = parse(a, "{'a':5,'atom':[0]}");

    ty_schema_validate(&spec, v, NULL, TY_KEY(TY_KEY(NULL, "x"), "spec"), TY_KEY(NULL, "y"), &errs);
    assert_string_equal(sorted(a, &errs),
                        NOTE "x.spec.a: Invalid value: \"integer\": y.a in body must be of type "
                             "string: \"integer\"\n"
                             "x.spec.atom[0]: Invalid value: 0: y.atom[0] in body should be "
                             "greater than or equal to 1\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_the_api_server_says),
        cmocka_unit_test(forgives_what_has_not_changed),
        cmocka_unit_test(keeps_what_was_reported_before),
        cmocka_unit_test(points_at_the_value_and_helps),
        cmocka_unit_test(body_may_have_another_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
