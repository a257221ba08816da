/* The bytes of requests, requests that are refused locally, and discovery. */
#include "store/kube/kube_inner.h"
#include "store/kube/kube_kinds.h"
#include "store/kube/kube_testing.h"

static void paths(void **state)
{
    static const struct {
        const struct ty_kind *kind;
        const char *ns, *name, *sub, *path;
    } cases[] = {
        { &ty_kind_configmap, "d", "a", NULL, "/api/v1/namespaces/d/configmaps/a" },
        { &ty_kind_configmap, "", "", NULL, "/api/v1/configmaps" },
        { &ty_kind_trainjob, "d", "a", "status",
          "/apis/trainer.kubeflow.org/v1alpha1/namespaces/d/trainjobs/a/status" },
        { &ty_kind_namespace, "d", "a", NULL, "/api/v1/namespaces/a" }, /* has no namespace */
        { &ty_kind_accessreview, "", "", NULL,
          "/apis/authorization.k8s.io/v1/subjectaccessreviews" },
        /* Nothing of a name may end its part of the path. */
        { &ty_kind_configmap, "d/../x", "system:a/b?c#d%", NULL,
          "/api/v1/namespaces/d%2F..%2Fx/configmaps/system%3Aa%2Fb%3Fc%23d%25" },
    };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        ty_auto_buf out = { 0 };
        ty_kube_path(&out, cases[i].kind, ty_str(cases[i].ns), ty_str(cases[i].name), cases[i].sub);
        ty_buf_chr(&out, '\0');
        assert_string_equal(out.p, cases[i].path);
    }
}

/* Starts it, waits for its end. */
static void ask(struct kube_world *w, const char *answer, const struct ty_kube_request *what)
{
    const char *const answers[] = { answer, NULL };
    struct ty_kube_request a = *what;
    kube_begin(w, answers);
    a.fn = kube_on_end;
    a.ctx = w;
    w->op = ty_kube_start(w->kube, &a);
    kube_run(w);
    assert_told(w, "end ");
}

#define OBJECT .kind = &ty_kind_configmap, .ns = TY_LIT("d"), .name = TY_LIT("a")
#define AT_A   "/api/v1/namespaces/d/configmaps/a"

static void verbs_on_the_wire(void **state)
{
    const struct {
        struct ty_kube_request ask;
        const char *line, *type, *body; /* NULL: none */
    } cases[] = {
        { { .verb = TY_KUBE_GET, OBJECT, .manager = "m" }, "GET " AT_A " HTTP", NULL, NULL },
        { { .verb = TY_KUBE_CREATE,
            .kind = &ty_kind_configmap,
            .ns = TY_LIT("d"),
            .body = TY_LIT("{1}"),
            .manager = "m" },
          "POST /api/v1/namespaces/d/configmaps?fieldManager=m HTTP",
          "application/json",
          "{1}" },
        { { .verb = TY_KUBE_UPDATE, OBJECT, .body = TY_LIT("{2}"), .force = true },
          "PUT " AT_A " HTTP", /* force is of apply */
          "application/json",
          "{2}" },
        { { .verb = TY_KUBE_MERGE, OBJECT, .body = TY_LIT("{3}"), .sub = "status" },
          "PATCH " AT_A "/status HTTP",
          "application/merge-patch+json",
          "{3}" },
        { { .verb = TY_KUBE_APPLY,
            OBJECT,
            .body = TY_LIT("{4}"),
            .manager = "a b",
            .force = true,
            .dry_run = true },
          "PATCH " AT_A "?fieldManager=a%20b&force=true&dryRun=All HTTP",
          "application/apply-patch+yaml",
          "{4}" },
        { { .verb = TY_KUBE_DELETE, OBJECT, .manager = "m" },
          "DELETE " AT_A " HTTP",
          "application/json",
          "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\"}" },
        { { .verb = TY_KUBE_DELETE,
            OBJECT,
            .uid = TY_LIT("u\"1"),
            .version = TY_LIT("7"),
            .propagation = "Orphan" },
          "DELETE " AT_A " HTTP",
          "application/json",
          "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"preconditions\":{\"uid\":"
          "\"u\\\"1\",\"resourceVersion\":\"7\"},\"propagationPolicy\":\"Orphan\"}" },
        { { .verb = TY_KUBE_DELETE, OBJECT, .dry_run = true },
          "DELETE " AT_A "?dryRun=All HTTP",
          "application/json",
          "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"dryRun\":[\"All\"]}" },
        { { .verb = TY_KUBE_GET, .path = "/version?x=1", .dry_run = true },
          "GET /version?x=1&dryRun=All HTTP",
          NULL,
          NULL },
    };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct kube_world w = { 0 };
        char type[64];
        ask(&w, OK "{\"metadata\":{\"resourceVersion\":\"5\"}}", &cases[i].ask);
        assert_ended(&w, 0, "");
        assert_string_equal(w.version, "5");
        const char *asked = w.peer.asked[0], *body = strstr(asked, "\r\n\r\n");
        assert_has(asked, cases[i].line);
        assert_has(asked, "\r\nAccept: application/json\r\n");
        snprintf(type, sizeof(type), "\r\nContent-Type: %s\r\n",
                 cases[i].type ? cases[i].type : "");
        if (cases[i].type)
            assert_has(asked, type);
        else
            assert_null(strcasestr(asked, "Content-Type"));
        assert_non_null(body);
        assert_string_equal(body + 4, cases[i].body ? cases[i].body : "");
        kube_finish(&w);
    }
}

static void only_metadata(void **state)
{
    struct kube_world w = { 0 };
    (void)state;
    ask(&w, OK "{}", &(struct ty_kube_request){ .verb = TY_KUBE_GET, OBJECT, .meta = true });
    assert_ended(&w, 0, "");
    assert_has(w.peer.asked[0],
               "\r\nAccept: application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1\r\n");
    kube_finish(&w);
}

/* Refused locally: a DELETE without a name would delete all objects. */
static void never_sent(void **state)
{
    const struct {
        struct ty_kube_request ask;
        const char *says;
    } cases[] = {
        { { .verb = TY_KUBE_DELETE, .kind = &ty_kind_configmap, .ns = TY_LIT("d") },
          "ConfigMap: the object has no name" },
        { { .verb = TY_KUBE_GET, .kind = &ty_kind_namespace, .ns = TY_LIT("d") },
          "Namespace: the object has no name" },
        { { .verb = TY_KUBE_DELETE, .kind = &ty_kind_configmap, .name = TY_LIT("a") },
          "ConfigMap: the object has no namespace" },
        { { .verb = TY_KUBE_CREATE, .kind = &ty_kind_configmap }, "the object has no namespace" },
        { { .verb = TY_KUBE_APPLY, OBJECT, .body = TY_LIT("{}") }, "needs a field manager" },
        { { .verb = TY_KUBE_APPLY, OBJECT, .manager = "" }, "needs a field manager" },
        /* Whatever reads a URL takes these away, with what stands before them. */
        { { .verb = TY_KUBE_DELETE,
            .kind = &ty_kind_configmap,
            .ns = TY_LIT("d"),
            .name = TY_LIT("..") },
          "ConfigMap: the object's name may not be . or .." },
        { { .verb = TY_KUBE_GET, .kind = &ty_kind_namespace, .name = TY_LIT(".") },
          "Namespace: the object's name may not be . or .." },
        { { .verb = TY_KUBE_GET,
            .kind = &ty_kind_configmap,
            .ns = TY_LIT(".."),
            .name = TY_LIT("a") },
          "ConfigMap: the object's namespace may not be . or .." },
        { { .verb = TY_KUBE_GET, .path = "version" }, "version: a path begins with a slash" },
        { { .verb = TY_KUBE_GET, .path = "" }, "a path begins with a slash" },
    };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct kube_world w = { 0 };
        ask(&w, OK "{}", &cases[i].ask);
        assert_ended(&w, -EINVAL, cases[i].says);
        assert_int_equal(ty_kube_requests(w.kube), 0);
        kube_finish(&w);
    }
}

static void answers_that_are_none(void **state)
{
    static const struct {
        const char *answer, *says;
        int r;
    } cases[] = {
        { OK "<html>Sign in</html>", "is not JSON", -EPROTO },
        { OK "{\"metadata\":{\"name\":\"a\"", "is not JSON", -EPROTO },
        { OK "{} {}", "is not JSON", -EPROTO },
        { "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nok", "is not JSON", -EPROTO },
        { "HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n{}", "http://127.0.0.1:", -EAGAIN },
        { "HTTP/1.1 302 Found\r\nLocation: https://elsewhere/\r\n\r\n", "HTTP 302", -EPROTO },
        { "HTTP/1.1 404 No\r\n\r\n" STATUS(404, "NotFound", "no a"), "no a", -ENOENT },
        { "", "http://127.0.0.1:", -EAGAIN },
    };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct kube_world w = { 0 };
        ask(&w, cases[i].answer, &(struct ty_kube_request){ .verb = TY_KUBE_GET, OBJECT });
        assert_ended(&w, cases[i].r, cases[i].says);
        assert_string_equal(w.version, "");
        kube_finish(&w);
    }
}

/* tries -1: no retry, even with Retry-After. */
static void no_second_try(void **state)
{
    struct kube_world w = { 0 };
    (void)state;
    ask(&w, "HTTP/1.1 429 Slow\r\nRetry-After: 1\r\n\r\nslowly",
        &(struct ty_kube_request){ .verb = TY_KUBE_GET, OBJECT, .tries = -1 });
    assert_ended(&w, -EAGAIN, "HTTP 429: slowly");
    assert_int_equal(ty_kube_requests(w.kube), 1);
    kube_finish(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths),
        cmocka_unit_test(verbs_on_the_wire),
        cmocka_unit_test(only_metadata),
        cmocka_unit_test(never_sent),
        cmocka_unit_test(answers_that_are_none),
        cmocka_unit_test(no_second_try),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
