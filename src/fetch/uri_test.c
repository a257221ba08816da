#include "fetch/testing.h"
#include "fetch/uri.h"

static struct ty_uri good(struct ty_arena *a, const char *text)
{
    struct ty_uri u = { 0 };
    struct ty_err err = { 0 };
    if (ty_uri_parse(a, text, &u, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    return u;
}

static void bad(const char *text, const char *why)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_uri u = { .repo = "untouched" };
    struct ty_err err = { 0 };
    assert_true(ty_uri_parse(a, text, &u, &err) < 0);
    assert_has(err.text, why);
    assert_string_equal(u.repo, "untouched");
}

static void test_file(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    assert_string_equal(good(a, "file:///data/a%20b").path, "/data/a b");
    assert_string_equal(good(a, "file://localhost/x").path, "/x");
    assert_string_equal(good(a, "file://./data/a%20b").path, "./data/a b");
    assert_string_equal(good(a, "file://../data").path, "../data");
    bad("file://...", "three slashes");
    bad("file://.../x", "three slashes");
    bad("file://host/x", "three slashes");
    bad("file://data", "three slashes");
    bad("file:///a%00b", "NUL");
}

static void test_http(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_uri u = good(a, "https://me:pw@host:1/d/a%20b.zip?sig=secret");
    assert_int_equal(u.scheme, TY_SCHEME_HTTP);
    assert_string_equal(u.path, "a b.zip");
    assert_string_equal(u.url, "https://me:pw@host:1/d/a%20b.zip?sig=secret");
    assert_string_equal(u.shown, "https://host:1/d/a%20b.zip");
    assert_null(u.sha256);
    u = good(a, "http://h/f#sha256="
                "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855");
    assert_string_equal(u.url, "http://h/f");
    assert_string_equal(u.sha256,
                        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    bad("http://h/f#sha256=12", "64 hex digits");
    bad("http://h/f#part", "only sha256=");
    bad("http://h/f#sha256="
        "z3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "no hex digit");
    bad("https://host", "names no file");
    bad("https://host/d/", "names no file");
    bad("https:///d", "names no host");
}

static void test_s3(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_uri u = good(a, "s3://my.bucket-1/a b/%20c//");
    assert_string_equal(u.bucket, "my.bucket-1");
    assert_string_equal(u.path, "a b/%20c"); /* keys are taken as they are written */
    assert_string_equal(good(a, "s3://bucket").path, "");
    assert_string_equal(good(a, "s3://bucket/").path, "");
    bad("s3:///x", "names no bucket");
    bad("s3://a@b/x", "no name of a bucket");
}

static void test_hub(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_uri u = good(a, "hf://tatsu-lab/alpaca");
    assert_string_equal(u.repo, "tatsu-lab/alpaca");
    assert_null(u.revision);
    assert_string_equal(u.path, "");
    assert_false(u.datasets);
    u = good(a, "hf://datasets/o/n@v1.0/data/train/");
    assert_true(u.datasets);
    assert_string_equal(u.repo, "o/n");
    assert_string_equal(u.revision, "v1.0");
    assert_string_equal(u.path, "data/train");
    u = good(a, "hf://o/n/some/path");
    assert_string_equal(u.path, "some/path");
    u = good(a, "hf://gpt2@main");
    assert_string_equal(u.repo, "gpt2");
    assert_string_equal(u.revision, "main");
    assert_string_equal(good(a, "hf://o/n@refs/pr/7/x").revision, "refs/pr/7");
    assert_string_equal(good(a, "hf://o/n@refs/convert/parquet").revision, "refs/convert/parquet");
    assert_string_equal(good(a, "hf://o/n@refs").revision, "refs");
    assert_string_equal(good(a, "hf://o/n@refs/heads/x").revision, "refs");
    assert_string_equal(good(a, "hf://o/n@a%2Fb/x").revision, "a/b");
    bad("hf://", "no repository");
    bad("hf://../n", "no repository");
    bad("hf://o/n?x", "no repository");
    bad("hf://o/n@/x", "no revision follows");
    bad("hf://spaces/o/n", "spaces are neither");
}

static void test_the_rest_is_refused_by_name(void **state)
{
    (void)state;
    bad("cache://schema/table", "cache:// starts a distributed cache");
    bad("gs://bucket/x", "'gs' is not one of hf, s3, http, https, file");
    bad("tatsu-lab/alpaca", "did you mean hf://tatsu-lab/alpaca?");
    bad("/data", "did you mean file:///data?");
    bad("  ", "empty");
}

static void test_white_space_around_is_trimmed(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    assert_string_equal(good(a, " hf://a/b\n").repo, "a/b");
    bad("hf://a/\tb", "control character");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_http),
        cmocka_unit_test(test_s3),
        cmocka_unit_test(test_hub),
        cmocka_unit_test(test_the_rest_is_refused_by_name),
        cmocka_unit_test(test_white_space_around_is_trimmed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
