#include "fetch/digest.h"
#include "fetch/testing.h"

static void same(enum ty_digest_type sum, const char *text, const char *want)
{
    struct ty_digest d;
    char hex[TY_DIGEST_HEX];
    struct ty_str all = ty_str(text);
    ty_digest_init(&d, sum, (int64_t)all.n);
    for (size_t i = 0; i < all.n; i++) /* in pieces, as it arrives */
        ty_digest_add(&d, (struct ty_str){ all.p + i, 1 });
    ty_digest_hex(&d, hex);
    assert_string_equal(hex, want);
}

static void test_known_sums(void **state)
{
    (void)state;
    same(TY_DIGEST_SHA256, "abc",
         "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    same(TY_DIGEST_SHA256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    same(TY_DIGEST_MD5, "abc", "900150983cd24fb0d6963f7d28e17f72");
    same(TY_DIGEST_GIT, "", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"); /* git hash-object */
    same(TY_DIGEST_GIT, "hello\n", "ce013625030ba8dba906f756967f9e9ca394464a");
    same(TY_DIGEST_NONE, "abc", "");
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(ty_digest_name(TY_DIGEST_SHA256), "sha256");
    assert_string_equal(ty_digest_name(TY_DIGEST_MD5), "md5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_sums),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
