#include "base/base64.h"
#include "report/mask_secrets_testing.h"

#define B20 "a1B2c3D4e5F6g7H8i9J0"
#define U16 "ABCDEFGH23456789"

static void tokens(void **state TY_UNUSED)
{
    static const struct mask_row rows[] = {
        { "", NULL },
        { "login with hf_" B20 " failed", "login with *** failed" },
        { "hf_" B20, "***" },
        { "hf_abcdefghijklmnopqrstuvwxyz", "***" },
        { "hf_short and ghp_" B20 ".", "hf_short and ***." },
        { "hf_hub_download-of-" B20, "***" },
        { "hf_hub_download(repo_id, filename)", NULL },
        { "xhf_" B20, NULL }, /* inside a word */
        { "_hf_" B20, NULL },
        { "github_pat_11AAAA_" B20, "***" },
        { "key AKIA" U16 "!", "key ***!" },
        { "AKIA" U16 "hf_" B20, "***" }, /* the rest of the word goes, too */
        { "AKIAabcdefgh23456789", NULL },
        { "AIza" B20 B20, "***" },
        { "ya29." B20 ".x-y z", "*** z" },
        { "xoxb-1234567890-abc", "***" },
        { "xoxb-not-a-token-at-all", NULL },
        { "sk-proj-" B20, "***" },
        { "sk-learn-with-many-words-and-dashes", NULL },
        { "sk-" B20 "\xff", "***\xff" },
        { "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln-_x ok", "*** ok" },
        { "eyJhbGciOiJIUzI1NiJ9.json", NULL },
        { "eyJhbGciOiJIUzI1NiJ9.json is a file", NULL },
        { "eyJhbGciOiJIUzI1NiJ9", NULL },
        { "eyJhbGciOiJIUzI1NiJ9 eyJhbGciOiJIUzI1NiJ9", NULL },
        { "eyJh.eyJzdWIiOiIxIn0", NULL },
        { "eyJhb-eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0", "***" },
        { "eyJa-eyJab-x.eyJ", NULL }, /* one run, measured once */
        { "curl -H 'bearer " B20 "=='", "curl -H 'bearer ***'" },
        { "the bearer of news", NULL },
        { "Bearer", NULL },
        { "Bearer " B20, "Bearer ***" },
        { "HTTP 401: Basic dXNlcjpwYXNzd29yZA==", "HTTP 401: Basic ***" },
        { "basic dXNlcjpwYXNz.", "basic ***." },
        { "a basic configuration of basic dXNlcg==", NULL }, /* "user": no password */
        { "basic ", NULL },
        { "basic dXNlcjpwYXNzd29yZA cut", "basic *** cut" }, /* without its padding */
        { "basic dXNlcjpwYXNzd29yZ, basic OnBhc3M=", "basic ***, basic ***" },
        { "Basic Options of Basic Output", NULL }, /* ":" and two bytes */
        { "gsk_" B20 B20, "***" },
        { "SG." B20 ".wxyz x", "*** x" },
        { "hvs.CAESI" B20, "***" },
        { "dapi0123456789abcdef0123456789abcdef", "***" },
        { "rk_live_" B20 " whsec_" B20 " shpat_" B20, "*** *** ***" },
        { "AGE-SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQQQQQQ", "***" },
    };

    for (size_t i = 0; i < TY_COUNT(rows); i++)
        check_row(&rows[i]);
}

static void urls_and_keys(void **state TY_UNUSED)
{
    static const struct mask_row rows[] = {
        { "clone https://user:pw@host/x failed", "clone https://***@host/x failed" },
        { "http://oauth2token@host", "http://***@host" },
        { "postgres://me:p@ss@db:5432/x", "postgres://***@db:5432/x" },
        { "ssh://git@host/repo", NULL },
        { "https://host:8080/a@b", NULL },
        { "https://@host", NULL },
        { "https://a b@c", NULL },
        { "https://host", NULL },
        { "https://bob:correct-horse", "https://***" }, /* the rest is cut off */
        { "https://bob:correct-horse (exit code 1)", "https://*** (exit code 1)" },
        { "https://host:8080", NULL },
        { "http://[::1]:80 refused", NULL },
        { "Command '['mysql', '--password', 'hunter2']' failed",
          "Command '['mysql', '--password', '***']' failed" },
        { "MYSQL_PWD=hunter2 x", "MYSQL_PWD=*** x" },
        { "Cookie: session=abc", "Cookie: ***" },
        { "x: y", NULL },
        { "x://secret=a/b&c:d@h", "x://***@h" }, /* seen only in the second pass */
        { "a\n-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nb",
          "a\n***\nb" },
        { "-----BEGIN PRIVATE KEY-----\nMIIE", "***" },
        { "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIV", "***" },
        { "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END ", "***" },
        { "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----", NULL },
        { "-----BEGIN CERTIFICATE-----\n0123456789012345678901234567890123456789\nPRIVATE KEY",
          NULL },
        { "---- 10 ----", NULL },
    };

    for (size_t i = 0; i < TY_COUNT(rows); i++)
        check_row(&rows[i]);
}

static void values(void **state TY_UNUSED)
{
    static const struct mask_row rows[] = {
        { "password=hunter2", "password=***" },
        { "DB_PASSWORD: x y", "DB_PASSWORD: *** y" },
        { "{\"apiKey\": \"a b\\\"c\", \"n\": 1}", "{\"apiKey\": \"***\", \"n\": 1}" },
        { "{'client-secret':'abc'}", "{'client-secret':'***'}" },
        { "{\\\"passwd\\\": \\\"abc\\\"}", "{\\\"passwd\\\": \\\"***\\\"}" },
        { "{\\\"passwd\\\": \\\"a\\nb\\\"}", "{\\\"passwd\\\": \\\"***\\\"}" },
        { "secret := \"abc", "secret := \"***" },
        { "secret => 'abc\\\nnext", "secret => '***\nnext" },
        { "secret='abc\\", "secret='***" },
        { "secret=\"\"", NULL },
        { "secret=", NULL },
        { "secret", NULL },
        { "secret \"hf\" not found", NULL },
        { "AWS_SECRET_ACCESS_KEY=ab/cd+ef", "AWS_SECRET_ACCESS_KEY=***" },
        { "AccountKey=abc;EndpointSuffix=x", "AccountKey=***;EndpointSuffix=x" },
        { "_password=1", "_password=***" },
        { "?a=1&access_key=xyz&b=2", "?a=1&access_key=***&b=2" },
        { "--password hunter2 --user me", "--password *** --user me" },
        { "--password --user me", NULL },
        { "--password", NULL },
        { "-password hunter2", NULL },
        { "password hunter2", NULL },
        { "x -password hunter2", NULL },
        { "--token\tabcdefgh", "--token\t***" },
        { "api_key=None, password: null", NULL },
        { "password=nul", "password=***" },
        { "token=abcdefgh", "token=***" },
        { "token=abc", NULL },
        { "unexpected token: identifier", NULL },
        { "bad token: some-thing else", NULL },
        { "pad_token=\"[PAD] 12345\"", NULL },
        { "token: abcdefg1", "token: ***" },
        { "hf_token: abcdefgh", "hf_token: ***" },
        { "\"token\": \"abcdefgh\"", "\"token\": \"***\"" },
        { "pad_token=<|endoftext|> eosToken: </sentence>", NULL },
        { "num_tokens=12345678 tokens/s: 12345678", NULL },
        { "end of token. password-: x", NULL },
        { "sig=9", NULL },
        { "&sig=" B20 "%3D", "&sig=***" },
        { "Authorization: Bearer abc def", "Authorization: Bearer ***" },
        { "authorization: abc\r\nHost: x", "authorization: ***\r\nHost: x" },
        { "-H 'Authorization: Basic dTpw' x", "-H 'Authorization: Basic ***' x" },
        { "\"Authorization\": \"Basic dTpw\"", "\"Authorization\": \"Basic ***\"" },
        { "Authorization:  Bearer ", "Authorization:  ***" },
        { "Authorization: a!b c", "Authorization: ***" },
        { "Authorization: !", "Authorization: ***" },
        /* the scheme, the rest, then both: too many passes */
        { "Authorization: ghp_" B20 " x", "***" },
        { "a.ghp_" B20 ".password=x", "a.***.password=***" },
        { "password=**", NULL },
        { "<password>hunter2</password>", "<password>***</password>" },
        { "list>password>x", NULL },
        { "?password%3Dhunter2&a", "?password%3D***&a" },
        { "password%3", NULL },
        { "invalid password \"hunter2\" for bob", "invalid password \"***\" for bob" },
        { "KeyError: 'password'", NULL },
        { "(using password: YES)", NULL },
        /* what wraps the value */
        { "password=b'hunter2' x", "password=***' x" },
        { "{'password': b'hunter2', 'a': 1}", "{'password': ***', 'a': 1}" },
        { "password=SecretStr('hunter2') x", "password=***') x" },
        { "\"password\": [\"hunter2\", 1]", "\"password\": ***\", 1]" },
        { "{\"run\": \"x --password hunter2\", \"b\": \"c\"}",
          "{\"run\": \"x --password ***\", \"b\": \"c\"}" },
        /* names that are no secrets elsewhere */
        { "Pwd=hunter2;Database=x", "Pwd=***;Database=x" },
        { "PWD=/home/me OLDPWD=~/x", NULL },
        { "GOOGLE_APPLICATION_CREDENTIALS=/etc/key-1.json", NULL },
        { "REDIS_PASS=abc BYPASS=1 forward_pass=3", "REDIS_PASS=*** BYPASS=1 forward_pass=3" },
        { "STRIPE_KEY=" B20 " SORT_KEY=user_id key=" B20,
          "STRIPE_KEY=*** SORT_KEY=user_id key=" B20 },
        { "AZURE_STORAGE_KEY=ab+/==", "AZURE_STORAGE_KEY=***" },
        { "{\"auths\": {\"h\": {\"auth\": \"dXNlcjpwYXNzd29yZA==\"}}}",
          "{\"auths\": {\"h\": {\"auth\": \"***\"}}}" },
        { ".dockerconfigjson: eyJhdXRocyI6e30=", ".dockerconfigjson: ***" },
    };

    for (size_t i = 0; i < TY_COUNT(rows); i++)
        check_row(&rows[i]);
}

static void nested_json(void **state TY_UNUSED)
{
    static const struct mask_row rows[] = {
        { "{\"a\":\"{\\\"password\\\":\\\"x\\\"}\"}",
          "{\"a\":\"{\\\"password\\\":\\\"***\\\"}\"}" },
        { "\\\\\\\"password\\\\\\\":\\\\\\\"x\\\\\\\",\\\\\\\"n\\\\\\\":1",
          "\\\\\\\"password\\\\\\\":\\\\\\\"***\\\\\\\",\\\\\\\"n\\\\\\\":1" },
        { "\\\\\\\\\\\\\\\"token\\\\\\\\\\\\\\\": \\\\\\\\\\\\\\\"abcdefgh\\\\\\\\\\\\\\\"}",
          "\\\\\\\\\\\\\\\"token\\\\\\\\\\\\\\\": \\\\\\\\\\\\\\\"***\\\\\\\\\\\\\\\"}" },
        /* quotes and backslashes that are parts of the value */
        { "{\\\"secret\\\": \\\"a\\\\\\\"b\\\", \\\"n\\\": 1}",
          "{\\\"secret\\\": \\\"***\\\", \\\"n\\\": 1}" },
        { "{\"secret\": \"a\\\\\", \"n\": 1}", "{\"secret\": \"***\", \"n\": 1}" },
        { "{\\\"secret\\\": \\\"a\\\\\\\\\\\", \\\"n\\\": 1}",
          "{\\\"secret\\\": \\\"***\\\", \\\"n\\\": 1}" },
        { "\\\\\\\"pad_token\\\\\\\":\\\\\\\"[PAD] 12\\\\\\\"", NULL },
        { "\\\\\\\"password\\\\\\\":null", NULL },
        { "C:\\\\password\\\\x", NULL },
    };

    for (size_t i = 0; i < TY_COUNT(rows); i++)
        check_row(&rows[i]);
}

/* "Basic " and base64 of a user of so many bytes, ':', and a password of so many more. */
static void check_basic(size_t user, size_t password)
{
    ty_auto_arena *a = ty_arena_new(1 << 20);
    ty_auto_buf plain = { 0 }, text = { 0 }, out = { 0 };

    for (size_t i = 0; i <= user + password; i++)
        ty_buf_chr(&plain, i == user ? ':' : (char)('a' + i % 26));
    ty_buf_cstr(&text, "Basic ");
    ty_buf_add(&text, ty_base64_encode(a, ty_buf_str(&plain)));
    ty_buf_cstr(&text, " end");
    ty_mask_secrets(ty_buf_str(&text), &out);
    if (!ty_str_is(ty_buf_str(&out), "Basic *** end"))
        fail_msg("%zu, %zu: %.*s", user, password, TY_ARG(ty_buf_str(&out)));
}

/* Registries' passwords are tokens of a thousand characters and more. */
static void long_basic(void **state TY_UNUSED)
{
    for (size_t n = 0; n < 8; n++) {
        check_basic(3, 370 + n);
        check_basic(3, 1000 + n);
        check_basic(400 + n, 100);
        check_basic(380 + n, 1);
    }
    check_basic(3, 100000);
}

/* Names whose values reach far: a scan from each of them to the end would take minutes here. */
static void long_lines(void **state TY_UNUSED)
{
    static const char *const parts[] = {
        "key=",
        "A_KEY=",
        "token:",
        "pad_token=[\"",
        "key=\\\\\\",
        "key=\\\"x_key=",
        "mysql -p' ",
        "mysql -p",
        "sshpass -p ",
        "redis-cli -a \"",
        "password is ",
        "password is '",
        "-u 'a",
        "\\",
        "password was \"is ",
    };

    for (size_t i = 0; i < TY_COUNT(parts); i++) {
        ty_auto_buf text = { 0 }, out = { 0 };
        while (text.n < (1 << 18))
            ty_buf_cstr(&text, parts[i]);
        ty_mask_secrets(ty_buf_str(&text), &out);
        assert_true(out.n > 0 && out.n <= text.n + text.n / 2 + 3);
    }
}

/* NUL bytes are text like any other. */
static void any_bytes(void **state TY_UNUSED)
{
    static const char text[] = "\0password=a\0b c\0bearer abcdefghijklmno\0pq";
    static const char want[] = "\0password=*** c\0bearer abcdefghijklmno\0pq";
    ty_auto_buf out = { 0 };

    ty_mask_secrets((struct ty_str){ text, sizeof(text) - 1 }, &out);
    assert_int_equal(out.n, sizeof(want) - 1);
    assert_memory_equal(out.p, want, out.n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens),     cmocka_unit_test(urls_and_keys),
        cmocka_unit_test(values),     cmocka_unit_test(nested_json),
        cmocka_unit_test(long_basic), cmocka_unit_test(long_lines),
        cmocka_unit_test(any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
