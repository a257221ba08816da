/* What needs no API server; the rest is tests/cluster/test_parts.py. */
#include "controller/events.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_failed_note(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 16);
    char text[2000];
    memset(text, 'x', sizeof(text));
    assert_string_equal(ty_events_failed_note(a, TY_LIT("100%s")).p,
                        "TrainJob resources reconciliation failed: 100%s");
    struct ty_str n = ty_events_failed_note(a, (struct ty_str){ text, 950 });
    assert_int_equal(n.n, 42 + 950);
    n = ty_events_failed_note(a, (struct ty_str){ text, 951 });
    assert_int_equal(n.n, 42 + 950 + 4);
    assert_true(ty_str_ends(n, TY_LIT("x ...")));
    text[949] = (char)0xc3; /* a character across the limit is left out */
    text[950] = (char)0xa4;
    n = ty_events_failed_note(a, (struct ty_str){ text, 951 });
    assert_int_equal(n.n, 42 + 949 + 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_failed_note) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
