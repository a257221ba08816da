/* Names that exist, names that do not, and name servers that do not answer. */
#include "net/dns_lookup.h"

#include <sys/resource.h>

#include "net/silence_testing.h"

/* A thread that waits for a silent name server is abandoned, and may be inside of the resolver when
 * the process ends: what glibc has allocated there and not stored yet looks like a leak. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:res_context_send\n";
}

struct heard {
    int times;
    struct addrinfo *found;
    char why[256];
};

static void on_found(void *ctx, struct addrinfo *found, const char *why)
{
    struct heard *h = ctx;

    h->times++;
    h->found = found;
    snprintf(h->why, sizeof(h->why), "%s", why ? why : "");
}

static void start_loop(uv_loop_t *loop, struct ty_dns_lookups *all)
{
    assert_int_equal(uv_loop_init(loop), 0);
    *all = (struct ty_dns_lookups){ .loop = loop };
}

static void finish(uv_loop_t *loop, struct ty_dns_lookups *all)
{
    ty_dns_lookups_done(all);
    uv_run(loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(loop), 0);
}

static void known_and_unknown(void **state)
{
    uv_loop_t loop;
    struct ty_dns_lookups all;
    struct ty_err err = { 0 };
    struct heard here = { 0 }, nowhere = { 0 }, port = { 0 };
    (void)state;

    start_loop(&loop, &all);
    assert_non_null(ty_dns_lookup_start(&all, "localhost", "443", on_found, &here, &err));
    assert_non_null(ty_dns_lookup_start(&all, "nobody.invalid", "443", on_found, &nowhere, &err));
    assert_non_null(ty_dns_lookup_start(&all, "localhost", "seven", on_found, &port, &err));
    assert_int_equal(here.times, 0); /* never from within */
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(here.times, 1);
    assert_non_null(here.found);
    assert_int_equal(here.found->ai_socktype, SOCK_STREAM);
    freeaddrinfo(here.found);
    assert_int_equal(nowhere.times, 1);
    assert_null(nowhere.found);
    assert_string_not_equal(nowhere.why, "");
    assert_int_equal(port.times, 1);
    assert_has(port.why, "Servname not supported");
    finish(&loop, &all);
}

/* The result of an abandoned query is freed, whichever side finds the other gone. */
static void left_at_once(void **state)
{
    struct ty_err err = { 0 };
    (void)state;

    for (int i = 0; i < 20; i++) {
        uv_loop_t loop;
        struct ty_dns_lookups all;
        struct heard h = { 0 };
        start_loop(&loop, &all);
        ty_dns_lookup_cancel(ty_dns_lookup_start(&all, "localhost", "443", on_found, &h, &err));
        if (i % 2)
            usleep((useconds_t)i * 100);
        if (i % 4 > 1)
            uv_run(&loop, UV_RUN_NOWAIT);
        finish(&loop, &all);
        assert_int_equal(h.times, 0);
    }
    ty_dns_lookup_cancel(NULL);
}

static void no_more_files(void **state)
{
    struct rlimit before, none;
    uv_loop_t loop;
    struct ty_dns_lookups all;
    struct ty_err err = { 0 };
    struct heard h = { 0 };
    (void)state;

    start_loop(&loop, &all);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    assert_null(ty_dns_lookup_start(&all, "localhost", "443", on_found, &h, &err));
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_has(err.text, "Too many open files");
    finish(&loop, &all);
    assert_int_equal(h.times, 0);
}

/* Neither cancellation nor the end waits for the resolver; a repeated query reuses the abandoned
 * one. */
static void nobody_answers(void **state)
{
    uv_loop_t loop;
    struct ty_dns_lookups all;
    struct ty_err err = { 0 };
    struct heard h = { 0 };
    (void)state;

    int server = silence_begin();
    if (server < 0)
        skip();
    start_loop(&loop, &all);
    uint64_t begun = uv_hrtime();
    struct ty_dns_lookup *first =
        ty_dns_lookup_start(&all, "dark.example", "443", on_found, &h, &err);
    silence_hear(server, "dark"); /* it cannot be stopped any more */
    struct ty_dns_lookup *beside =
        ty_dns_lookup_start(&all, "dark.example", "443", on_found, &h, &err);
    assert_ptr_not_equal(first, beside); /* each has its own answer */
    ty_dns_lookup_cancel(first);
    uv_run(&loop, UV_RUN_NOWAIT);
    assert_ptr_not_equal(ty_dns_lookup_start(&all, "dark.example", "80", on_found, &h, &err),
                         first);
    assert_ptr_not_equal(ty_dns_lookup_start(&all, "other.example", "443", on_found, &h, &err),
                         first);
    assert_ptr_equal(ty_dns_lookup_start(&all, "dark.example", "443", on_found, &h, &err), first);
    ty_dns_lookup_cancel(first);
    ty_dns_lookup_cancel(beside);
    finish(&loop, &all);
    assert_int_equal(h.times, 0);
    assert_true(uv_hrtime() - begun < SILENCE_S * (uint64_t)1000000000);
    close(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_and_unknown), cmocka_unit_test(left_at_once),
        cmocka_unit_test(no_more_files),
        cmocka_unit_test(nobody_answers), /* the last: it changes what names there are */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
