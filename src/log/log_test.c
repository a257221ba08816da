#include "base/testing.h"
#include "log/log.h"
#include "json/json.h"
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define NS ((int64_t)1000000000)

struct fixture {
    int64_t now_ns;
    int fds[2];
    struct ty_log log;
    char text[1 << 18];
};

static int64_t now(void *ctx)
{
    return ((struct fixture *)ctx)->now_ns;
}

static struct fixture b; /* one test at a time; too big for a frame */

static void begin(struct ty_log_settings s)
{
    memset(&b, 0, sizeof(b));
    b.now_ns = 1700000000 * NS + 123456000;
    assert_int_equal(pipe2(b.fds, O_CLOEXEC | O_NONBLOCK), 0);
    assert_true(fcntl(b.fds[1], F_SETPIPE_SZ, 1 << 18) > 0);
    s.fd = b.fds[1];
    s.now_ns = now;
    s.ctx = &b;
    b.log = (struct ty_log){ ty_log_open(&s), "trainjob" };
}

static const char *said(void)
{
    ssize_t n = read(b.fds[0], b.text, sizeof(b.text) - 1);
    b.text[n > 0 ? n : 0] = '\0';
    return b.text;
}

static void end(void)
{
    ty_log_close(b.log.out);
    close(b.fds[0]);
    close(b.fds[1]);
}

static size_t lines(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static void test_a_line(void **state)
{
    (void)state;
    begin(ty_log_default);
    ty_log_write(&b.log, TY_INFO, "../src/control/x.c:7", "applied",
                 (struct ty_log_field[]){ TY_S("controller", "trainjob_controller"),
                                          TY_STR("namespace", TY_LIT("team")), TY_I("children", 3),
                                          TY_B("ok", true), TY_J("list", TY_LIT("[1]")) },
                 5);
    assert_string_equal(
        said(),
        "{\"level\":\"info\",\"ts\":\"2023-11-14T22:13:20.123456Z\",\"logger\":\"trainjob\","
        "\"caller\":\"control/x.c:7\",\"msg\":\"applied\","
        "\"controller\":\"trainjob_controller\",\"namespace\":\"team\",\"children\":3,"
        "\"ok\":true,\"list\":[1]}\n");
    b.now_ns = 1700000000 * NS; /* Go writes no zero fraction */
    b.log.logger = NULL;
    ty_log_write(&b.log, TY_WARN, "x.c:7", "m", NULL, 0);
    assert_string_equal(said(), "{\"level\":\"warn\",\"ts\":\"2023-11-14T22:13:20Z\","
                                "\"caller\":\"x.c:7\",\"msg\":\"m\"}\n");
    ty_info(&b.log, "m", TY_T("until", 253402300799), TY_T("since", INT64_MAX));
    assert_has(said(), "\"until\":\"9999-12-31T23:59:59Z\",\"since\":\"9223372036854775807Z\"");
    ty_error(&b.log, "no such file", "cannot read", TY_S("file", "a"));
    assert_has(said(), "\"caller\":\"log/log_test.c:");
    assert_has(b.text, "\"error\":\"no such file\",\"file\":\"a\"}\n");
    end();
}

static void test_silence(void **state)
{
    (void)state;
    begin(ty_log_default);
    struct ty_log nobody = { 0 };
    ty_info(NULL, "m", TY_I("a", 1));
    ty_info(&nobody, "m", TY_I("a", 1));
    ty_debug(&b.log, "m", TY_I("a", 1));
    assert_string_equal(said(), "");
    end();
    begin((struct ty_log_settings){ .level = -2 });
    ty_debug(&b.log, "m", TY_I("a", 1));
    assert_has(said(), "{\"level\":\"debug\"");
    ty_log(&b.log, -2, "m", TY_I("a", 1));
    assert_has(said(), "{\"level\":\"Level(-2)\"");
    ty_log(&b.log, -3, "m", TY_I("a", 1));
    assert_string_equal(said(), "");
    end();
}

/* Whatever users write, an entry is one line of JSON. */
static void test_hostile_text(void **state)
{
    (void)state;
    begin(ty_log_default);
    char junk[256];
    for (int i = 0; i < 256; i++)
        junk[i] = (char)i;
    ty_info(&b.log, "m\n\"", TY_STR("v", ((struct ty_str){ junk, 256 })));
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_err err = { 0 };
    assert_int_equal(lines(said()), 1);
    struct ty_json *v = ty_json_parse(a, ty_str(b.text), NULL, &err);
    assert_string_equal(err.text, "");
    assert_true(ty_str_is(ty_json_str_at(v, "msg"), "m\n\""));
    end();
}

static void test_very_long(void **state)
{
    (void)state;
    static char big[200000];
    begin(ty_log_default);
    memset(big, '"', sizeof(big));
    ty_info(&b.log, "m", TY_STR("v", ((struct ty_str){ big, sizeof(big) })));
    ty_info(&b.log, "after", TY_I("a", 1));
    assert_int_equal(lines(said()), 2);
    assert_has(b.text, "\"msg\":\"m\",\"tooLong\":true}\n");
    assert_has(b.text, "\"msg\":\"after\"");
    end();
}

static void same_error(void)
{
    ty_log_write(&b.log, TY_ERROR, "x.c:1", "m", &TY_S("error", "e"), 1);
}

static void test_repeated_errors(void **state)
{
    (void)state;
    begin(ty_log_default);
    for (int i = 0; i < 1000; i++) {
        same_error();
        ty_info(&b.log, "info is not an error", TY_I("a", 1));
    }
    ty_log_write(&b.log, TY_ERROR, "x.c:1", "m", &TY_S("error", "other"), 1);
    assert_int_equal(lines(said()), TY_LOG_BURST + 1000 + 1);
    b.now_ns += TY_LOG_WINDOW_S * NS;
    same_error();
    assert_int_equal(lines(said()), 1);
    assert_has(b.text, "\"error\":\"e\",\"suppressed\":995}\n");
    same_error(); /* a new window: logged again */
    assert_int_equal(lines(said()), 1);
    assert_null(strstr(b.text, "suppressed"));
    for (int i = 0; i < 10; i++)
        same_error();
    said();
    ty_log_flush_suppressed(b.log.out);
    assert_has(said(), "\"error\":\"e\",\"suppressed\":7}\n");
    ty_log_flush_suppressed(b.log.out);
    assert_string_equal(said(), "");
    end();
}

/* More different errors than fit into memory: each count is still logged. */
static void test_many_errors(void **state)
{
    (void)state;
    begin(ty_log_default);
    for (int i = 0; i < 7; i++)
        same_error();
    assert_int_equal(lines(said()), TY_LOG_BURST);
    for (int i = 0; i < 300; i++) {
        b.now_ns++;
        ty_log_write(&b.log, TY_ERROR, "x.c:1", "m", &TY_I("i", i), 1);
    }
    assert_int_equal(lines(said()), 301);
    assert_has(b.text, "\"error\":\"e\",\"suppressed\":2}\n");
    end();
}

static void test_seen(void **state)
{
    (void)state;
    begin(ty_log_default);
    assert_false(ty_log_seen(NULL, TY_LIT("gone")));
    assert_false(ty_log_seen(&b.log, TY_LIT("gone")));
    assert_true(ty_log_seen(&b.log, TY_LIT("gone")));
    assert_false(ty_log_seen(&b.log, TY_LIT("gon")));
    assert_false(ty_log_seen(&b.log, (struct ty_str){ 0 }));
    assert_true(ty_log_seen(&b.log, TY_LIT("")));
    b.now_ns += TY_LOG_SEEN_S * NS - 1;
    assert_true(ty_log_seen(&b.log, TY_LIT("gone")));
    b.now_ns++; /* still failing: logged again */
    assert_false(ty_log_seen(&b.log, TY_LIT("gone")));
    assert_true(ty_log_seen(&b.log, TY_LIT("gone")));
    ty_log_flush_suppressed(b.log.out);
    assert_string_equal(said(), "");
    for (int i = 0; i < 100; i++) /* many different errors do not displace it */
        ty_error(&b.log, "refused", "cannot write", TY_I("job", i));
    assert_true(ty_log_seen(&b.log, TY_LIT("gone")));
    said();
    end();
}

static void test_full_pipe(void **state)
{
    (void)state;
    begin(ty_log_default);
    static char big[30000];
    memset(big, 'x', sizeof(big));
    for (int i = 0; i < 20; i++)
        ty_info(&b.log, "m", TY_STR("v", ((struct ty_str){ big, sizeof(big) })));
    said();
    said();
    ty_info(&b.log, "m", TY_I("a", 1));
    assert_has(said(), "\"lostLines\":");
    assert_non_null(strchr("\n{", b.text[0])); /* not appended to a partial line */
    ty_info(&b.log, "m", TY_I("a", 1));
    assert_null(strstr(said(), "\"lostLines\":"));
    end();
}

static void test_console(void **state)
{
    (void)state;
    struct ty_log_settings s = ty_log_default;
    struct ty_err err = { 0 };
    assert_int_equal(ty_log_flag(&s, "zap-encoder", "console", &err), 0);
    assert_int_equal(ty_log_flag(&s, "zap-time-encoding", "ISO8601", &err), 0);
    begin(s);
    ty_log_write(&b.log, TY_ERROR, "x.c:1", "two\nlines",
                 (struct ty_log_field[]){ TY_S("error", "e"), TY_I("n", 1) }, 2);
    assert_string_equal(said(), "2023-11-14T22:13:20.123Z\tERROR\ttrainjob\tx.c:1\ttwo lines\t"
                                "{\"error\":\"e\", \"n\":1}\n");
    end();
}

static void time_of(enum ty_log_time how, const char *want)
{
    struct ty_log_settings s = ty_log_default;
    s.time = how;
    begin(s);
    ty_info(&b.log, "m", TY_I("a", 1));
    assert_has(said(), want);
    end();
}

static void test_times(void **state)
{
    (void)state;
    time_of(TY_LOG_RFC3339, "\"ts\":\"2023-11-14T22:13:20Z\"");
    time_of(TY_LOG_EPOCH, "\"ts\":1700000000.123456000,");
    time_of(TY_LOG_MILLIS, "\"ts\":1700000000123.456000,");
    time_of(TY_LOG_NANOS, "\"ts\":1700000000123456000,");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_line),          cmocka_unit_test(test_silence),
        cmocka_unit_test(test_hostile_text),    cmocka_unit_test(test_very_long),
        cmocka_unit_test(test_repeated_errors), cmocka_unit_test(test_many_errors),
        cmocka_unit_test(test_full_pipe),       cmocka_unit_test(test_console),
        cmocka_unit_test(test_times),           cmocka_unit_test(test_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
