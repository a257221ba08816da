/* Listings as stores send them; signatures are checked by a real store in tests/fetch. */
#include "fetch/fetch_run.h"
#include "fetch/testing.h"

#define HEAD "HTTP/1.1 200 OK\r\nConnection: close\r\n"
#define ITEM(key, size, etag)                                                                      \
    "<Contents><Key>" key "</Key><Size>" size "</Size><ETag>" etag "</ETag></Contents>"

static void test_pages_and_names(void **state)
{
    (void)state;
    static const char *const answers[] = {
        HEAD "\r\n<ListBucketResult><IsTruncated>true</IsTruncated>" ITEM("data/", "0", "")
            ITEM("data/a", "2", "&quot;444bcb3a3fcf8389296c49467f27e1d6&quot;")
                ITEM("data2/no", "2", "") "<NextContinuationToken>a+/=</NextContinuationToken>"
                                          "</ListBucketResult>",
        HEAD "\r\n<ListBucketResult><IsTruncated>false</IsTruncated>" ITEM(
            "data/x y/b", "2", "&quot;1-2&quot;") "</ListBucketResult>",
        HEAD "ETag: \"444bcb3a3fcf8389296c49467f27e1d6\"\r\nContent-Length: 2\r\n\r\nok",
        HEAD "Content-Length: 2\r\n\r\nbb",
        NULL,
    };
    struct ty_peer p;
    struct ty_trial t = { .opts = { .key_id = "AK", .secret = "SK", .session = "ST" } };
    meet_ok(&p, answers, &t, "s3://bucket/data/");
    box_holds("d/a", "ok");
    box_holds("d/x y/b", "bb");
    assert_int_equal(t.done.total.files, 2);
    assert_has(p.asked[0], "GET /bucket?list-type=2&prefix=data HTTP");
    assert_has(p.asked[0], "x-amz-content-sha256: e3b0");
    assert_has(p.asked[0], "x-amz-security-token: ST\r\n");
    assert_has(p.asked[1],
               "GET /bucket?continuation-token=a%2B%2F%3D&list-type=2&prefix=data HTTP");
    assert_has(p.asked[2], "GET /bucket/data/a HTTP");
    assert_has(p.asked[2], "If-Match: \"444bcb3a3fcf8389296c49467f27e1d6\"\r\n");
    assert_has(p.asked[3], "GET /bucket/data/x%20y/b HTTP");
}

static void test_an_object_by_its_name(void **state)
{
    (void)state;
    static const char *const answers[] = {
        HEAD "\r\n<ListBucketResult>" ITEM("dir/f", "2", "")
            ITEM("dir/f2", "9", "") "</ListBucketResult>",
        HEAD "Content-Length: 2\r\n\r\nok",
        NULL,
    };
    struct ty_peer p;
    struct ty_trial t = { 0 };
    meet_ok(&p, answers, &t, "s3://bucket/dir/f");
    box_holds("d/f", "ok");
    assert_null(strstr(p.asked[0], "Authorization"));
}

static void refused(const char *listing, const char *why)
{
    struct ty_peer p;
    struct ty_trial t = { 0 };
    assert_true(meet(&p, (const char *const[]){ listing, NULL }, &t, "s3://bucket") < 0);
    assert_has(t.err.text, why);
}

static void test_long_etag(void **state)
{
    (void)state;
    size_t n = (size_t)2 << 20;
    char *etag = malloc(n + 1), *listing = NULL;
    memset(etag, 'e', n);
    etag[n] = '\0';
    assert_true(asprintf(&listing,
                         HEAD "\r\n<ListBucketResult>" ITEM("f", "2", "%s") "</ListBucketResult>",
                         etag) > 0);
    refused(listing, "an ETag of 2097152 bytes");
    free(listing);
    free(etag);
}

static void test_bad_listings(void **state)
{
    (void)state;
    refused(HEAD "\r\n<ListBucketResult>" ITEM("../x", "2", "") "</ListBucketResult>",
            "'../x' is refused");
    refused(HEAD "\r\n<ListBucketResult>" ITEM("/etc/x", "2", "") "</ListBucketResult>",
            "is refused");
    refused(HEAD "\r\n<ListBucketResult>" ITEM("a", "x", "") "</ListBucketResult>",
            "without name or size");
    refused(HEAD "\r\n<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
            "ends in its middle");
    refused(HEAD "\r\n<ListBucketResult/>", "there is nothing");
    refused(HEAD "\r\nnot XML", "not well-formed XML");
    refused("HTTP/1.1 403 No\r\nConnection: close\r\n\r\n<Error><Code>C</Code></Error>",
            "the server answers 403: C (the request was not signed: set ACCESS_KEY_ID");
}

/* With a customer's key the ETag is no MD5, and the store says so. */
static void test_encrypted(void **state)
{
    (void)state;
    static const char *const answers[] = {
        HEAD "\r\n<ListBucketResult>" ITEM(
            "f", "2", "&quot;00000000000000000000000000000000&quot;") "</ListBucketResult>",
        HEAD "x-amz-server-side-encryption: aws:kms\r\nContent-Length: 2\r\n\r\nok",
        NULL,
    };
    struct ty_peer p;
    struct ty_trial t = { 0 };
    meet_ok(&p, answers, &t, "s3://bucket");
    box_holds("d/f", "ok");
}

static void test_changed_since_it_was_listed(void **state)
{
    (void)state;
    static const char *const answers[] = {
        HEAD "\r\n<ListBucketResult>" ITEM("f", "2", "&quot;x&quot;") "</ListBucketResult>",
        "HTTP/1.1 412 Changed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        NULL,
    };
    struct ty_peer p;
    struct ty_trial t = { 0 };
    assert_true(meet(&p, answers, &t, "s3://bucket") < 0);
    assert_has(t.err.text, "f: has changed on the server since it was listed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        box_test(test_pages_and_names), box_test(test_an_object_by_its_name),
        box_test(test_bad_listings),    box_test(test_long_etag),
        box_test(test_encrypted),       box_test(test_changed_since_it_was_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
