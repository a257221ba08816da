/* What the loader refuses. Plugins that do load are built out of tree by tests/cli/test_plugin.py.
 */
#include "plugin_host/extern_plugin.h"

#include "base/testing.h"

#include <unistd.h>

static void test_no_directory(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_extern_plugins x = { 0 };
    struct ty_err err = { 0 };
    assert_true(ty_extern_plugins_load(&x, a, "/nonexistent", &err) < 0);
    assert_string_equal(err.text, "/nonexistent: cannot read the plugin directory: "
                                  "No such file or directory");
    ty_extern_plugins_done(&x);
}

static void test_not_a_shared_object(void **state)
{
    (void)state;
    ty_auto_arena *a = ty_arena_new(1 << 20);
    struct ty_extern_plugins x = { 0 };
    struct ty_err err = { 0 };
    char dir[] = "/tmp/trainyard-plugins-XXXXXX", path[128];
    assert_non_null(mkdtemp(dir));
    assert_int_equal(ty_extern_plugins_load(&x, a, dir, &err),
                     0); /* an empty directory is no error */
    snprintf(path, sizeof(path), "%s/broken.so", dir);
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    fputs("not ELF", f);
    fclose(f);
    assert_true(ty_extern_plugins_load(&x, a, dir, &err) < 0);
    assert_has(err.text, "broken.so: cannot load the plugin: ");
    assert_int_equal(x.n, 0);
    unlink(path);
    rmdir(dir);
    ty_extern_plugins_done(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_directory),
        cmocka_unit_test(test_not_a_shared_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
