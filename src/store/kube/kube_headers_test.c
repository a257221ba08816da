#include "store/kube/kube_headers.h"

#include "base/buf.h"
#include "base/testing.h"

static const char *headers(struct ty_arena *a, const struct ty_kubeconfig *config,
                           struct ty_kube_head head)
{
    ty_auto_buf b = { 0 };
    for (const char *const *h = ty_kube_headers(a, config, &head); *h; h++) {
        ty_buf_cstr(&b, *h);
        ty_buf_chr(&b, '\n');
    }
    return ty_arena_cstr(a, ty_buf_str(&b));
}

static void test_what_is_asked(void **state)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    struct ty_kubeconfig nobody = { 0 };
    (void)state;

    assert_string_equal(headers(a, &nobody, (struct ty_kube_head){ 0 }),
                        "Accept: application/json\n");
    assert_string_equal(headers(a, &nobody, (struct ty_kube_head){ .has_body = true }),
                        "Accept: application/json\nContent-Type: application/json\n");
    assert_string_equal(headers(a, &nobody, (struct ty_kube_head){ .type = "t" }), /* of nothing */
                        "Accept: application/json\n");
    assert_string_equal(headers(a, &nobody,
                                (struct ty_kube_head){ .accept = "a",
                                                       .type = "t",
                                                       .has_body = true,
                                                       .auth = "Authorization: Bearer x",
                                                       .host = "Host: h" }),
                        "Accept: a\nContent-Type: t\nAuthorization: Bearer x\nHost: h\n");
}

/* All impersonation headers at once, so that the array is full. */
static void test_for_whom(void **state)
{
    static const char *const groups[] = { "g", "system:masters", NULL };
    static const char *const extras[] = { "scopes", "view", "a.b/c d", "e", "scopes", "2", NULL };
    ty_auto_arena *a = ty_arena_new((size_t)1 << 20);
    struct ty_kubeconfig other = {
        .as = "me", .as_uid = "7", .as_groups = groups, .as_extra = extras
    };
    (void)state;

    assert_string_equal(
        headers(a, &other,
                (struct ty_kube_head){ .has_body = true, .auth = "A: b", .host = "H: h" }),
        "Accept: application/json\nContent-Type: application/json\nA: b\nH: h\n"
        "Impersonate-User: me\nImpersonate-Uid: 7\n"
        "Impersonate-Group: g\nImpersonate-Group: system:masters\n"
        "Impersonate-Extra-scopes: view\nImpersonate-Extra-a.b%2Fc%20d: e\n"
        "Impersonate-Extra-scopes: 2\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_asked),
        cmocka_unit_test(test_for_whom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
