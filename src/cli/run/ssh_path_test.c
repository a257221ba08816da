#include "cli/run/ssh_path.h"

#include "cli/testing.h"

static void put(const char *dir, int mode)
{
    char path[64];

    mkdir(dir, 0755);
    snprintf(path, sizeof(path), "%s/ssh", dir);
    fixture_file(path, "#!/bin/sh\n");
    chmod(path, (mode_t)mode);
}

static void the_next_one(void **state TY_UNUSED)
{
    static const struct {
        const char *path, *own, *want;
    } rows[] = {
        { "ours:real", "ours", "real/ssh" },
        { "real:ours:other", "ours", "other/ssh" }, /* what is before us came here on purpose */
        { "ours:none:text:folder:real:other", "ours", "real/ssh" },
        { "outer:real", "ours", "outer/ssh" },
        { "ours:outer:real", "ours", "outer/ssh" }, /* of the run around this one, then */
        { "ours:outer:real", "outer", "real/ssh" },
        { "./ours/:real", "ours", "real/ssh" },
        { "ours", "ours", NULL },
        { "none", "ours", NULL },
        { NULL, "ours", NULL },
    };
    struct ty_cli_fixture b;

    fixture_open(&b);
    put("ours", 0755);
    put("outer", 0755);
    put("real", 0755);
    put("other", 0755);
    put("text", 0644);
    assert_int_equal(mkdir("folder", 0755), 0);
    assert_int_equal(mkdir("folder/ssh", 0755), 0);
    for (size_t i = 0; i < TY_COUNT(rows); i++) {
        const char *got = ty_ssh_path_find(b.cli.arena, rows[i].path, rows[i].own);
        if (!rows[i].want)
            assert_null(got);
        else
            assert_string_equal(got, rows[i].want);
    }
    fixture_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_next_one) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
