/* The Hub's answers; tests/fetch has a server with its semantics. */
#include "fetch/fetch_run.h"
#include "fetch/testing.h"

#define HEAD        "HTTP/1.1 200 OK\r\nConnection: close\r\n"
#define COMMIT      "0123456789012345678901234567890123456789"
#define REVISION    HEAD "\r\n{\"sha\":\"" COMMIT "\"}"
#define SMALL(path) /* "hello" and a newline */                                                    \
    "{\"type\":\"file\",\"path\":\"" path                                                          \
    "\",\"size\":6,\"oid\":\"ce013625030ba8dba906f756967f9e9ca394464a\"}"
#define BIG(path) /* "hello" */                                                                    \
    "{\"type\":\"file\",\"path\":\"" path                                                          \
    "\",\"size\":130,\"oid\":\"0000000000000000000000000000000000000000\",\"lfs\":{\"size\":5,"    \
    "\"oid\":\"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\"}}"

static void test_a_dataset(void **state)
{
    (void)state;
    static const char *const answers[] = {
        REVISION,
        HEAD "\r\n[{\"type\":\"directory\",\"path\":\"data\",\"oid\":\"x\"}," BIG(
            "data/a b") "," SMALL("README.md") "]",
        HEAD "Content-Length: 5\r\n\r\nhello",
        HEAD "Content-Length: 6\r\n\r\nhello\n",
        NULL,
    };
    struct ty_peer p;
    struct ty_trial t = { .opts.token = "hf_x" };
    meet_ok(&p, answers, &t, "hf://o/n@refs/pr/1");
    box_holds("d/data/a b", "hello");
    box_holds("d/README.md", "hello\n");
    assert_has(p.asked[0], "GET /api/datasets/o/n/revision/refs%2Fpr%2F1 HTTP");
    assert_has(p.asked[0], "Authorization: Bearer hf_x\r\n");
    assert_has(p.asked[1],
               "GET /api/datasets/o/n/tree/" COMMIT "?recursive=true&expand=false HTTP");
    assert_has(p.asked[2], "GET /datasets/o/n/resolve/" COMMIT "/data/a%20b HTTP");
    assert_has(p.asked[2], "Authorization: Bearer hf_x\r\n");
    trial(&t, "hf://o/n"); /* no answer: the message must not contain the token */
    assert_null(strstr(t.err.text, "hf_x"));
}

static void test_a_model_is_weights_and_words(void **state)
{
    (void)state;
    static const char *const answers[] = {
        REVISION,
        HEAD "\r\n[" BIG("m.bin") "," SMALL("config.json") "," SMALL("README.md") "," BIG(
            "sub/m.safetensors") "]",
        HEAD "Content-Length: 6\r\n\r\nhello\n",
        HEAD "Content-Length: 5\r\n\r\nhello",
        NULL,
    };
    struct ty_peer p;
    struct ty_trial t = { .opts.model = true };
    meet_ok(&p, answers, &t, "hf://o/n");
    assert_has(p.asked[0], "GET /api/models/o/n/revision/main HTTP");
    assert_has(p.asked[2], "GET /o/n/resolve/" COMMIT "/config.json HTTP");
    assert_int_equal(t.done.total.files, 2);
    assert_int_equal(t.done.ignored, 2);
}

static void test_a_path_in_the_repository(void **state)
{
    (void)state;
    static const char *const answers[] = {
        REVISION,
        HEAD "\r\n[" SMALL("a/x.bin") "," SMALL("ab/y") "," SMALL("a") "]",
        HEAD "Content-Length: 6\r\n\r\nhello\n",
        NULL,
    };
    struct ty_peer p;
    struct ty_trial t = { .opts.model = true };
    meet_ok(&p, answers, &t, "hf://o/n/a/x.bin"); /* named, so wanted, whatever it ends with */
    box_holds("d/a/x.bin", "hello\n");
    assert_int_equal(t.done.total.files, 1);
}

static void refused(const char *first, const char *second, const char *why)
{
    struct ty_peer p;
    struct ty_trial t = { 0 };
    assert_true(meet(&p, (const char *const[]){ first, second, NULL }, &t, "hf://o/n") < 0);
    assert_has(t.err.text, why);
}

static void test_bad_answers(void **state)
{
    (void)state;
    refused(HEAD "\r\n{}", NULL, "names no commit for revision 'main'");
    refused(HEAD "\r\nnot JSON", NULL, "the Hub's answer: line 1");
    refused(REVISION, HEAD "\r\n{}", "is no list");
    refused(REVISION, HEAD "\r\n[" SMALL("../x") "]", "'../x' is refused");
    refused(REVISION, HEAD "\r\n[" SMALL("a\\u0000b") "]", "without size or hash");
    refused(REVISION,
            HEAD "\r\n[{\"type\":\"file\",\"path\":\"a\",\"size\":-1,\"oid\":\"" COMMIT "\"}]",
            "without size or hash");
    refused("HTTP/1.1 401 No\r\nConnection: close\r\nX-Error-Message: Gated\r\n\r\n", NULL,
            "hf://o/n: the server answers 401: Gated (private and gated repositories need a token "
            "in ACCESS_TOKEN)");
}

/* Another host, port or scheme is another server: the token is not for it. */
static void test_the_next_page_is_at_the_same_place(void **state)
{
    (void)state;
    static const char *const elsewhere[] = {
        "https://127.0.0.1/x", "http://127.0.0.1:1/x",
        "http://127.0.0.2/x",  "http://127.0.0.1@h.x/x",
        "//127.0.0.1/x",       "/x",
        "file:///etc/passwd",  "http://127.0.0.1\\@h.x:80/",
    };
    for (size_t i = 0; i < TY_COUNT(elsewhere); i++) {
        char page[256];
        snprintf(page, sizeof(page), HEAD "Link: <%s>; rel=\"next\"\r\n\r\n[]", elsewhere[i]);
        refused(REVISION, page, "the next page of the Hub's listing is at ");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        box_test(test_a_dataset),
        box_test(test_a_model_is_weights_and_words),
        box_test(test_a_path_in_the_repository),
        box_test(test_bad_answers),
        box_test(test_the_next_page_is_at_the_same_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
