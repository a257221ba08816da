#include "net/testing.h"
#include "serve/status_decode.h"

#include <errno.h>

static const char *decoded(struct ty_arena *a, const char *body)
{
    struct ty_json *v = NULL;
    /* exactly the bytes, so that ASan sees a read past their end */
    char *copy = malloc(strlen(body) ? strlen(body) : 1);
    const char *text = NULL;

    assert_non_null(copy);
    memcpy(copy, body, strlen(body));
    int r = ty_status_decode(a, (struct ty_str){ copy, strlen(body) }, &v);
    if (r < 0) {
        assert_int_equal(r, -EINVAL);
        text = "invalid";
    } else
        text = v ? ty_json_text(a, v).p : "none";
    free(copy);
    return text;
}

static void as_go_reads_it(void **state TY_UNUSED)
{
    static const struct {
        const char *body, *want;
    } cases[] = {
        { "", "invalid" },
        { "   ", "invalid" },
        { "{", "invalid" },
        { "{\"trainerStatus\":", "invalid" },
        { "invalid payload", "invalid" },
        { "5", "invalid" },
        { "\"x\"", "invalid" },
        { "[]", "invalid" },
        { "{}", "none" },
        { "null", "none" },
        { "{} rubbish", "none" },
        { " {\"a\":\"}\\\"}\"} {", "none" },
        { "{\"trainerStatus\":null}", "none" },
        { "{\"other\":{\"x\":[1,2]}}", "none" },
        { "{\"trainerStatus\":5}", "invalid" },
        { "{\"trainerStatus\":[]}", "invalid" },
        { "{\"trainerStatus\":{}}", "{}" },
        { "{\"trainerStatus\":{\"progressPercentage\":0,\"unknown\":1,\"lastUpdatedTime\":"
          "\"2026-01-02T03:04:05Z\"}}",
          "{\"progressPercentage\":0,\"lastUpdatedTime\":\"2026-01-02T03:04:05Z\"}" },
        { "{\"TRAINERstatus\":{\"ProgressPercentage\":7,\"METRICS\":[{\"Name\":\"l\",\"VALUE\":"
          "\"1\"}],"
          "\"lastUpdatedTime\":null}}",
          "{\"progressPercentage\":7,\"metrics\":[{\"name\":\"l\",\"value\":\"1\"}]}" },
        { "{\"trainerStatus\":{\"lastUpdatedTime\":\"2026-01-02T03:04:05.987+02:00\"}}",
          "{\"lastUpdatedTime\":\"2026-01-02T01:04:05Z\"}" },
        { "{\"trainerStatus\":{\"lastUpdatedTime\":\"0001-01-01T00:00:00Z\"}}", /* Go's zero */
          "{}" },
        { "{\"trainerStatus\":{\"lastUpdatedTime\":\"0000-01-01T00:00:00Z\"}}",
          "{\"lastUpdatedTime\":\"0000-01-01T00:00:00Z\"}" },
        { "{\"trainerStatus\":{\"lastUpdatedTime\":\"yesterday\"}}", "invalid" },
        { "{\"trainerStatus\":{\"lastUpdatedTime\":5}}", "invalid" },
        { "{\"trainerStatus\":{\"progressPercentage\":\"5\"}}", "invalid" },
        { "{\"trainerStatus\":{\"progressPercentage\":5.5}}", "invalid" },
        { "{\"trainerStatus\":{\"progressPercentage\":4294967296}}", "invalid" },
        { "{\"trainerStatus\":{\"progressPercentage\":150}}", /* the API server validates ranges */
          "{\"progressPercentage\":150}" },
        { "{\"trainerStatus\":{\"metrics\":{}}}", "invalid" },
        { "{\"trainerStatus\":{\"metrics\":[{\"name\":\"l\",\"value\":1.5}]}}", "invalid" },
        { "{\"trainerStatus\":{\"metrics\":[]}}", "{}" },
        { "{\"trainerStatus\":{\"metrics\":[{\"name\":\"l\"},{\"value\":\"\"},null]}}",
          "{\"metrics\":[{\"name\":\"l\",\"value\":\"\"},{\"name\":\"\",\"value\":\"\"},"
          "{\"name\":\"\",\"value\":\"\"}]}" },
    };
    ty_auto_arena *a = ty_arena_new(1 << 22);

    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        const char *got = decoded(a, cases[i].body);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s\n  gives %s\n  not   %s", cases[i].body, got, cases[i].want);
    }
}

static void depth_has_an_end(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new(1 << 24);
    char deep[20001];

    memset(deep, '[', 10000);
    memset(deep + 10000, ']', 10000);
    deep[20000] = 0;
    assert_string_equal(decoded(a, deep), "invalid");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_go_reads_it),
        cmocka_unit_test(depth_has_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
