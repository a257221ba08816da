/* Watches: the order of events, and all the ways in which a watch can end. */
#include "store/kube/kube_testing.h"

#define LINE_BYTES ((size_t)16 << 20) /* no event is longer */

/* "+a@5 ", and the text of an object that has data. */
static void on_event(void *ctx, enum ty_kube_event what, const struct ty_kube_object *o)
{
    char word[128];
    bool whole = ty_json_get(o->json, "data");
    snprintf(word, sizeof(word), "%c%.*s@%.*s%.*s", "+~-="[what], TY_ARG(o->name),
             TY_ARG(o->version), whole ? (int)o->text.n : 0, o->text.p);
    kube_tell(ctx, word);
}

static struct ty_kube_watch all_of(struct kube_world *w)
{
    return (struct ty_kube_watch){ .which = { .kind = &ty_kind_configmap },
                                   .version = TY_LIT("10"),
                                   .event = on_event,
                                   .end = kube_on_end,
                                   .ctx = w };
}

static void watch(struct kube_world *w, const char *const *answers)
{
    kube_begin(w, answers);
    struct ty_kube_watch want = all_of(w);
    w->op = ty_kube_watch(w->kube, &want);
    kube_run(w);
}

static void events(void **state)
{
    static const char *const answers[] = {
        OK EVENT("ADDED", CM("a", "1", "11")) "\n" /* an empty line is no event */
        EVENT("MODIFIED", CM("a", "1", "12"))
            EVENT("BOOKMARK", "{\"kind\":\"ConfigMap\",\"metadata\":{\"resourceVersion\":\"15\"}}")
                EVENT("DELETED", CM("a", "1", "16")),
        NULL,
    };
    struct kube_world w = { 0 };
    (void)state;
    watch(&w, answers);
    assert_told(&w, "+a@11 ~a@12 =@15 -a@16 end ");
    assert_ended(&w, 0, "");
    assert_int_equal(w.code, 200);
    kube_finish(&w);
}

static void what_is_asked(void **state)
{
    static const char *const answers[] = { OK, NULL };
    struct kube_world w = { 0 };
    (void)state;
    kube_begin(&w, answers);
    struct ty_kube_watch want = all_of(&w);
    want.which.ns = TY_LIT("d");
    want.which.labels = TY_LIT("a=b");
    want.which.meta = true;
    want.seconds = 7;
    w.op = ty_kube_watch(w.kube, &want);
    kube_run(&w);
    assert_ended(&w, 0, "");
    assert_has(w.peer.asked[0],
               "GET /api/v1/namespaces/d/configmaps?labelSelector=a%3Db&watch=1&"
               "allowWatchBookmarks=true&resourceVersion=10&timeoutSeconds=7 HTTP");
    assert_has(w.peer.asked[0],
               "Accept: application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1\r\n");
    kube_finish(&w);
}

/* The default of timeoutSeconds is random, from five to ten minutes. */
static void how_long(void **state)
{
    static const char *const answers[] = { OK, OK, OK, OK, OK, OK, OK, OK, NULL };
    struct kube_world w = { 0 };
    long first = 0, others = 0;
    (void)state;
    kube_begin(&w, answers);
    struct ty_kube_watch want = all_of(&w);
    for (size_t i = 0; i < 8; i++) {
        ty_kube_watch(w.kube, &want);
        uv_run(&w.loop, UV_RUN_DEFAULT);
        const char *at = strstr(w.peer.asked[i], "timeoutSeconds=");
        assert_non_null(at);
        long seconds = strtol(at + strlen("timeoutSeconds="), NULL, 10);
        assert_in_range(seconds, 300, 599);
        first = i ? first : seconds;
        others += seconds != first;
    }
    assert_true(others > 0); /* eight of them do not end together */
    kube_finish(&w);
}

/* The text is the server's if the object is the last member of the event; else it is printed. */
static void the_text_of_objects(void **state)
{
    static const char *const answers[] = {
        OK "{\"type\":\"ADDED\",\"object\": {\"data\":{ },\"metadata\":{}} }\n"
           "{\"object\":{\"data\":{ },\"metadata\":{}},\"type\":\"ADDED\"}\r\n",
        NULL,
    };
    struct kube_world w = { 0 };
    (void)state;
    watch(&w, answers);
    assert_told(&w, "+@{\"data\":{ },\"metadata\":{}} +@{\"data\":{},\"metadata\":{}} end ");
    assert_ended(&w, 0, "");
    kube_finish(&w);
}

#define A11 EVENT("ADDED", CM("a", "1", "11"))

/* Events before the error are reported, those after it are not parsed. */
static void bad_answers(void **state)
{
    static const struct {
        const char *answer, *told, *says;
        int r, code;
    } cases[] = {
        /* The server went away in the middle of a line: the next watch is told of it again. */
        { OK A11 "{\"type\":\"ADDED\",\"obj", "+a@11 end ", "", 0, 200 },
        { "HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n" A11, "+a@11 end ",
          "http://127.0.0.1:", -EAGAIN, 0 },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n" A11, "end ",
          "http://127.0.0.1:", -EAGAIN, 0 },
        { OK A11 "{\"type\":\"ADDED\",\n" A11, "+a@11 end ", "not JSON", -EPROTO, 0 },
        { OK A11 "[]\n", "+a@11 end ", "has no object", -EPROTO, 0 },
        { OK "{\"type\":\"ADDED\",\"object\":[]}\n", "end ", "has no object", -EPROTO, 0 },
        { OK "{\"object\":{}}\n", "end ", "unknown type: ", -EPROTO, 0 },
        { OK EVENT("MOVED", "{}") A11, "end ", "unknown type: MOVED", -EPROTO, 0 },
        { "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>\nSign in\n", "end ", "not JSON",
          -EPROTO, 0 },
        { GONE410, "end ", "too old", -EIDRM, 410 },
        { "HTTP/1.1 504 Late\r\n\r\n" STATUS(504, "Timeout", "Too large resource version"), "end ",
          "Too large", -EAGAIN, 504 },
        { OK A11 EVENT("ERROR", STATUS(410, "Expired", "too old")) A11, "+a@11 end ", "too old",
          -EIDRM, 410 },
        { OK EVENT("ERROR", STATUS(500, "InternalError", "etcd")), "end ", "etcd", -EAGAIN, 500 },
        { OK EVENT("ERROR", STATUS(200, "", "well")), "end ", "well", -EPROTO, 200 },
        { OK EVENT("ERROR", "{}"), "end ", "HTTP 0", -EPROTO, 0 },
    };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        const char *const answers[] = { cases[i].answer, NULL };
        struct kube_world w = { 0 };
        watch(&w, answers);
        assert_told(&w, cases[i].told);
        assert_ended(&w, cases[i].r, cases[i].says);
        assert_int_equal(w.code, cases[i].code);
        kube_finish(&w);
    }
}

static void a_line_without_end(void **state)
{
    static const char head[] = OK A11 "{\"type\":\"ADDED\",\"object\":{\"data\":\"";
    char *text = malloc(sizeof(head) + LINE_BYTES);
    const char *const answers[] = { text, NULL };
    struct kube_world w = { 0 };
    (void)state;
    assert_non_null(text);
    memcpy(text, head, sizeof(head) - 1);
    memset(text + sizeof(head) - 1, 'x', LINE_BYTES);
    text[sizeof(head) - 1 + LINE_BYTES] = '\0';
    watch(&w, answers);
    assert_told(&w, "+a@11 end ");
    assert_ended(&w, -EFBIG, "of more than 16 MB");
    kube_finish(&w);
    free(text);
}

static void cancelled(void **state)
{
    static const struct {
        const char *at, *told;
    } cases[] = {
        { "+a@11", "+a@11 " },
        { "~a@12", "+a@11 ~a@12 " },
        { "end", "+a@11 ~a@12 end " }, /* of an ERROR, with events behind it */
    };
    static const char *const answers[] = {
        OK A11 EVENT("MODIFIED", CM("a", "1", "12"))
            EVENT("ERROR", STATUS(410, "Expired", "too old")) A11,
        NULL,
    };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct kube_world w = { .cancel_at = cases[i].at };
        watch(&w, answers);
        assert_told(&w, cases[i].told);
        kube_finish(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events),      cmocka_unit_test(what_is_asked),
        cmocka_unit_test(how_long),    cmocka_unit_test(the_text_of_objects),
        cmocka_unit_test(bad_answers), cmocka_unit_test(a_line_without_end),
        cmocka_unit_test(cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
