/* Lists that arrive in pages, in pieces, or not at all. */
#include "store/kube/kube_testing.h"

#define ITEM_BYTES ((size_t)16 << 20) /* most of an item; of what surrounds them a sixteenth */

static void on_object(void *ctx, const struct ty_kube_object *o)
{
    char word[64];
    assert_non_null(o->json);
    assert_int_equal(o->text.p[0], '{');
    assert_int_equal(o->text.p[o->text.n - 1], '}');
    snprintf(word, sizeof(word), "%.*s@%.*s", TY_ARG(o->name), TY_ARG(o->version));
    kube_tell(ctx, word);
}

static void on_again(void *ctx)
{
    kube_tell(ctx, "again");
}

static struct ty_kube_list all_of(struct kube_world *w)
{
    return (struct ty_kube_list){ .which = { .kind = &ty_kind_configmap },
                                  .object = on_object,
                                  .again = on_again,
                                  .end = kube_on_end,
                                  .ctx = w };
}

/* Lists all objects; w has the callbacks and requests afterwards. */
static void list(struct kube_world *w, const char *const *answers)
{
    kube_begin(w, answers);
    struct ty_kube_list l = all_of(w);
    w->op = ty_kube_list(w->kube, &l);
    kube_run(w);
}

static void pages(void **state)
{
    static const char *const answers[] = {
        PAGE("10", "to/ken&", CM("a", "1", "5") "," CM("b", "2", "6")),
        PAGE("10", "", CM("c", "3", "7")),
        NULL,
    };
    struct kube_world w = { 0 };
    (void)state;
    kube_begin(&w, answers);
    struct ty_kube_list l = all_of(&w);
    l.which.ns = TY_LIT("d");
    l.which.labels = TY_LIT("app=x,tier in (a, b)");
    l.which.fields = TY_LIT("metadata.name!=z");
    l.which.meta = true;
    l.page = 2;
    l.version = TY_LIT("0");
    w.op = ty_kube_list(w.kube, &l);
    kube_run(&w);
    assert_told(&w, "a@5 b@6 c@7 end ");
    assert_ended(&w, 0, "");
    assert_string_equal(w.version, "10");
#define SELECTED                                                                                   \
    "GET /api/v1/namespaces/d/configmaps?labelSelector=app%3Dx%2Ctier%20in%20%28a%2C%20b%29&"      \
    "fieldSelector=metadata.name%21%3Dz&limit=2"
    assert_has(w.peer.asked[0], SELECTED "&resourceVersion=0 HTTP");
    assert_has(w.peer.asked[1], SELECTED "&continue=to%2Fken%26 HTTP"); /* it knows its version */
    assert_has(w.peer.asked[1], "Accept: application/json;as=PartialObjectMetadataList;"
                                "g=meta.k8s.io;v=v1\r\n");
    kube_finish(&w);
}

static void an_empty_list(void **state)
{
    static const char *const answers[] = { LIST("3", ""), NULL };
    struct kube_world w = { 0 };
    (void)state;
    list(&w, answers);
    assert_told(&w, "end ");
    assert_ended(&w, 0, "");
    assert_string_equal(w.version, "3");
    assert_has(w.peer.asked[0], "GET /api/v1/configmaps?limit=500 HTTP");
    assert_has(w.peer.asked[0], "Accept: application/json\r\n");
    kube_finish(&w);
}

/* Complete objects are delivered; the end reports that the list is incomplete. */
static void broken_bodies(void **state)
{
    static const struct {
        const char *answer, *told, *says;
        int r;
    } cases[] = {
        { OK "", "end ", "not a list", -EPROTO },
        { OK "{\"items\":[" CM("a", "1", "5"), "a@5 end ", "not a list", -EPROTO },
        { OK "{\"items\":[" CM("a", "1", "5") "],\"metadata\":{}}", "a@5 end ", "not a list",
          -EPROTO },
        { OK "{\"items\":[" CM("a", "1", "5") "],\"metadata\":{,}}", "a@5 end ",
          "not a list: ", -EPROTO },
        { OK "{\"items\":[" CM("a", "1", "5") ",{\"metadata\":oh}]}", "a@5 end ", "not JSON",
          -EPROTO },
        { OK "{\"items\":[null]}", "end ", "items are not objects", -EPROTO },
        { OK "[]", "end ", "not a list", -EPROTO },
        /* Other types than were asked for: a page to sign in, protobuf. */
        { "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>Sign in</html>", "end ",
          "not a list", -EPROTO },
        { "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.kubernetes.protobuf\r\n\r\nk8s\1\n\2v1",
          "end ", "not a list", -EPROTO },
        { "HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n{\"items\":[" CM("a", "1", "5") ",",
          "a@5 end ", "http://127.0.0.1:", -EAGAIN },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"ite\r\n", "end ",
          "http://127.0.0.1:", -EAGAIN },
        { "HTTP/1.1 404 No\r\n\r\n404 page not found\n", "end ", "HTTP 404: 404 page not found",
          -ENOENT },
    };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        const char *const answers[] = { cases[i].answer, NULL };
        struct kube_world w = { 0 };
        list(&w, answers);
        assert_told(&w, cases[i].told);
        assert_ended(&w, cases[i].r, cases[i].says);
        kube_finish(&w);
    }
}

/* `head`, so many letters: an answer that does not end where it should. */
static char *flood(const char *head, size_t n)
{
    size_t at = strlen(head);
    char *text = malloc(at + n + 1);
    assert_non_null(text);
    memcpy(text, head, at);
    memset(text + at, 'x', n);
    text[at + n] = '\0';
    return text;
}

static void more_than_is_held(void **state)
{
    static const struct {
        const char *head, *says;
        size_t n;
    } cases[] = {
        { OK "{\"items\":[{\"data\":\"", "of more than 16 MB", ITEM_BYTES + 1 },
        { OK "{\"metadata\":{\"continue\":\"", "of more than 1 MB", ITEM_BYTES / 16 + 1 },
    };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        char *text = flood(cases[i].head, cases[i].n);
        const char *const answers[] = { text, NULL };
        struct kube_world w = { 0 };
        list(&w, answers);
        assert_told(&w, "end ");
        assert_ended(&w, -EFBIG, cases[i].says);
        kube_finish(&w);
        free(text);
    }
}

/* The continue token has expired: the list starts again without it. */
static void a_token_that_expires(void **state)
{
    static const char *const answers[] = {
        PAGE("10", "t", CM("a", "1", "5")), GONE410, PAGE("20", "u", CM("a", "1", "5")),
        PAGE("20", "", CM("b", "2", "15")), NULL,
    };
    struct kube_world w = { 0 };
    (void)state;
    list(&w, answers);
    assert_told(&w, "a@5 again a@5 b@15 end ");
    assert_ended(&w, 0, "");
    assert_string_equal(w.version, "20");
    assert_has(w.peer.asked[1], "&continue=t HTTP");
    assert_has(w.peer.asked[2], "configmaps?limit=500 HTTP");
    assert_has(w.peer.asked[3], "&continue=u HTTP");
    kube_finish(&w);
}

/* Without an `again` callback the operation fails instead. */
static void a_token_that_expires_for_one_who_cannot_begin_anew(void **state)
{
    static const char *const answers[] = { PAGE("10", "t", CM("a", "1", "5")), GONE410, NULL };
    struct kube_world w = { 0 };
    (void)state;
    kube_begin(&w, answers);
    struct ty_kube_list l = all_of(&w);
    l.again = NULL;
    w.op = ty_kube_list(w.kube, &l);
    kube_run(&w);
    assert_told(&w, "a@5 end ");
    assert_ended(&w, -EIDRM, "too old");
    assert_int_equal(w.code, 410);
    kube_finish(&w);
}

/* The first page has no token: another try would be refused like this one. */
static void a_first_page_that_is_gone(void **state)
{
    static const char *const answers[] = { GONE410, NULL };
    struct kube_world w = { 0 };
    (void)state;
    list(&w, answers);
    assert_told(&w, "end ");
    assert_ended(&w, -EIDRM, "too old");
    kube_finish(&w);
}

/* Faster than it can be read: it is given up after the tenth time. */
static void tokens_that_always_expire(void **state)
{
    const char *answers[23] = { NULL };
    struct kube_world w = { 0 };
    ty_auto_buf want = { 0 };
    (void)state;
    for (size_t i = 0; i < 22; i++)
        answers[i] = i % 2 ? GONE410 : PAGE("10", "t", CM("a", "1", "5"));
    for (size_t i = 0; i < 10; i++)
        ty_buf_cstr(&want, "a@5 again ");
    ty_buf_printf(&want, "a@5 end %c", '\0');
    list(&w, answers);
    assert_told(&w, want.p);
    assert_ended(&w, -EIDRM, "too old");
    assert_int_equal(ty_kube_requests(w.kube), 22);
    kube_finish(&w);
}

/* Canceled from its own callback, with half a page unread or another one to come: no more
 * callbacks, and no leaks (checked by the sanitizers). */
static void cancelled(void **state)
{
    static const struct {
        const char *at, *told;
    } cases[] = {
        { "a@5", "a@5 " },
        { "b@6", "a@5 b@6 " },
        { "again", "a@5 b@6 again " },
        { "end", "a@5 b@6 again c@8 end " },
    };
    static const char *const answers[] = {
        PAGE("10", "t", CM("a", "1", "5") "," CM("b", "2", "6")),
        GONE410,
        LIST("20", CM("c", "3", "8")),
        NULL,
    };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct kube_world w = { .cancel_at = cases[i].at };
        list(&w, answers);
        assert_told(&w, cases[i].told);
        kube_finish(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages),
        cmocka_unit_test(an_empty_list),
        cmocka_unit_test(broken_bodies),
        cmocka_unit_test(more_than_is_held),
        cmocka_unit_test(a_token_that_expires),
        cmocka_unit_test(a_token_that_expires_for_one_who_cannot_begin_anew),
        cmocka_unit_test(a_first_page_that_is_gone),
        cmocka_unit_test(tokens_that_always_expire),
        cmocka_unit_test(cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
