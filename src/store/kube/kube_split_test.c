#include "store/kube/kube_split.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct got {
    struct ty_buf all; /* each followed by '|' */
    int n, stop_at;
};

static int on_part(void *ctx, struct ty_str text)
{
    struct got *g = ctx;
    ty_buf_add(&g->all, text);
    ty_buf_chr(&g->all, '|');
    g->n++;
    return g->n == g->stop_at ? -ECANCELED : 0;
}

/* Feeds in pieces of `step` bytes. */
static int split(const char *text, size_t step, struct ty_kube_split *s, struct got *g)
{
    struct ty_err err = { 0 };
    size_t n = strlen(text);
    int r = 0;
    for (size_t at = 0; at < n && r == 0; at += step) {
        size_t len = n - at < step ? n - at : step;
        char *piece = malloc(len); /* so that reading past it is seen */
        assert_non_null(piece);
        memcpy(piece, text + at, len);
        r = ty_kube_split_feed(s, (struct ty_str){ piece, len }, on_part, g, &err);
        free(piece);
    }
    return r;
}

static void check(const char *text, const char *items, const char *rest)
{
    for (size_t step = 1; step < 40; step++) {
        struct ty_kube_split s = { .item.ceiling = 1000, .rest.ceiling = 1000 };
        struct got g = { 0 };
        assert_int_equal(split(text, step, &s, &g), 0);
        ty_buf_chr(&g.all, '\0');
        assert_string_equal(g.all.p, items);
        ty_buf_chr(&s.rest, '\0');
        assert_string_equal(s.rest.p, rest);
        assert_true(ty_kube_split_whole(&s));
        ty_buf_done(&g.all);
        ty_kube_split_done(&s);
    }
}

static void lists(void **state)
{
    (void)state;
    check("{\"kind\":\"L\",\"items\":[{\"a\":1},{\"b\":[{}]}],\"metadata\":{\"x\":\"1\"}}",
          "{\"a\":1}|{\"b\":[{}]}|", "{\"kind\":\"L\",\"items\":[],\"metadata\":{\"x\":\"1\"}}");
    check("{\"items\":[]}", "", "{\"items\":[]}");
    check("{\"items\":null}", "", "{\"items\":null}");
    check("{ \"items\" : [ {\"a\" : 1} , {} ] } ", "{\"a\" : 1}|{}|", "{ \"items\" : [] } ");
    /* Brackets, quotes and the word itself inside of strings. */
    check("{\"items\":[{\"s\":\"}]\\\"{[\\\\\"},{\"s\":\"\\\\\"}]}",
          "{\"s\":\"}]\\\"{[\\\\\"}|{\"s\":\"\\\\\"}|", "{\"items\":[]}");
    check("{\"k\":\"items\",\"m\":[1],\"items\":[{}]}", "{}|",
          "{\"k\":\"items\",\"m\":[1],\"items\":[]}");
    /* A deeper one of that name, and longer names, are others. */
    check("{\"m\":{\"items\":[{\"a\":1}]}}", "", "{\"m\":{\"items\":[{\"a\":1}]}}");
    check("{\"itemss\":[{}],\"item\":[{}],\"xitems\":[{}],\"it\\u0065ms\":[{}]}", "",
          "{\"itemss\":[{}],\"item\":[{}],\"xitems\":[{}],\"it\\u0065ms\":[{}]}");
    check("{\"items\":{\"a\":[{}]}}", "", "{\"items\":{\"a\":[{}]}}");
}

static void garbage(void **state)
{
    static const struct {
        const char *text;
        bool whole; /* of brackets; that it is JSON is not said here */
    } cases[] = {
        { "", false },
        { "]]]]}}}}", true },
        { "hello", true },
        { "{\"items\":[{\"a\":", false },
        { "[[[[", false },
        { "{\"items\":[{}", false },
        { "{\"items\":[", false },
        { "{\"items\":[{}]", false },
    };
    (void)state;
    for (size_t i = 0; i < TY_COUNT(cases); i++) {
        struct ty_kube_split s = { .item.ceiling = 1000, .rest.ceiling = 1000 };
        struct got g = { 0 };
        assert_int_equal(split(cases[i].text, 1, &s, &g), 0);
        assert_int_equal(ty_kube_split_whole(&s), cases[i].whole);
        ty_buf_done(&g.all);
        ty_kube_split_done(&s);
    }
    struct ty_kube_split s = { .item.ceiling = 1000, .rest.ceiling = 1000 };
    struct got g = { 0 };
    assert_int_equal(split("{\"items\":[1,2]}", 3, &s, &g), -EPROTO);
    ty_kube_split_done(&s);
}

static void ceilings_and_stops(void **state)
{
    struct ty_kube_split s = { .item.ceiling = 10, .rest.ceiling = 100 };
    struct got g = { 0 };
    (void)state;
    assert_int_equal(split("{\"items\":[{\"a\":\"1234567890\"}]}", 4, &s, &g), -EFBIG);
    ty_kube_split_done(&s);
    s = (struct ty_kube_split){ .item.ceiling = 100, .rest.ceiling = 20 };
    assert_int_equal(split("{\"items\":[],\"metadata\":{\"x\":1}}", 4, &s, &g), -EFBIG);
    ty_kube_split_done(&s);

    s = (struct ty_kube_split){ .item.ceiling = 100, .rest.ceiling = 100 };
    g.stop_at = 2;
    assert_int_equal(split("{\"items\":[{},{},{}]}", 100, &s, &g), -ECANCELED);
    assert_int_equal(g.n, 2);
    ty_kube_split_reset(&s); /* the next page knows nothing of the last */
    g.stop_at = 0;
    assert_int_equal(split("{\"items\":[{\"x\":1}]}", 100, &s, &g), 0);
    assert_true(ty_kube_split_whole(&s));
    assert_int_equal(g.n, 3);
    ty_buf_done(&g.all);
    ty_kube_split_done(&s);
}

static void lines_cut_anywhere(void **state)
{
    static const char text[] = "{\"a\":1}\n\n  {\"b\":2} \r\n{\"c\":3}\n{\"unfinished\"";
    (void)state;
    for (size_t step = 1; step < sizeof(text); step++) {
        struct ty_kube_lines l = { .part.ceiling = 100 };
        struct got g = { 0 };
        struct ty_err err = { 0 };
        for (size_t at = 0; at < sizeof(text) - 1; at += step) {
            size_t n = sizeof(text) - 1 - at < step ? sizeof(text) - 1 - at : step;
            assert_int_equal(
                ty_kube_lines_feed(&l, (struct ty_str){ text + at, n }, on_part, &g, &err), 0);
        }
        ty_buf_chr(&g.all, '\0');
        assert_string_equal(g.all.p, "{\"a\":1}|{\"b\":2}|{\"c\":3}|");
        ty_buf_done(&g.all);
        ty_kube_lines_done(&l);
    }
}

static void long_lines(void **state)
{
    struct ty_kube_lines l = { .part.ceiling = 300000 };
    struct got g = { 0 };
    struct ty_err err = { 0 };
    char piece[1000];
    int r = 0;
    (void)state;
    memset(piece, 'x', sizeof(piece));
    for (int i = 0; i < 200; i++)
        assert_int_equal(ty_kube_lines_feed(&l, (struct ty_str){ piece, 1000 }, on_part, &g, &err),
                         0);
    assert_int_equal(ty_kube_lines_feed(&l, TY_LIT("\n"), on_part, &g, &err), 0);
    assert_int_equal(g.n, 1);
    assert_int_equal(l.part.cap, 0); /* what one long line has grown is given back */
    for (int i = 0; i < 400 && r == 0; i++)
        r = ty_kube_lines_feed(&l, (struct ty_str){ piece, 1000 }, on_part, &g, &err);
    assert_int_equal(r, -EFBIG);
    assert_true(strstr(err.text, "a line of more than") != NULL);
    ty_buf_done(&g.all);
    ty_kube_lines_done(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists),
        cmocka_unit_test(garbage),
        cmocka_unit_test(ceilings_and_stops),
        cmocka_unit_test(lines_cut_anywhere),
        cmocka_unit_test(long_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
