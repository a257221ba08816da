#include "cli/complete.h"
#include "cli/testing.h"

static void test_every_command_and_option(void **state)
{
    (void)state;
    ty_complete_fn *const writers[] = { ty_complete_bash, ty_complete_zsh, ty_complete_fish };
    for (size_t i = 0; i < 3; i++) {
        ty_auto_buf b = { 0 };
        writers[i](&b);
        ty_buf_chr(&b, '\0');
        for (const struct ty_cmd *const *c = ty_cmds; *c; c++) {
            assert_has(b.p, (*c)->name);
            for (const struct ty_opt *o = (*c)->opts.table; o->name; o++)
                assert_has(b.p, o->name);
        }
    }
}

static void test_choices(void **state)
{
    (void)state;
    ty_auto_buf b = { 0 };
    ty_complete_bash(&b);
    ty_buf_chr(&b, '\0');
    assert_has(b.p, "    render,--output | render,-o) words=\"yaml json name\" ;;\n");
    assert_has(b.p, "    completion,*) words=\"bash zsh fish\" ;;\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_command_and_option),
        cmocka_unit_test(test_choices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
