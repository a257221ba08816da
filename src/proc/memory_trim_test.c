#include "proc/memory_trim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

static long resident_files_kb(void)
{
    FILE *f = fopen("/proc/self/status", "re");
    char line[256];
    long kb = -1;
    assert_non_null(f);
    while (fgets(line, sizeof(line), f))
        sscanf(line, "RssFile: %ld", &kb);
    fclose(f);
    return kb;
}

static const char words[] = "what the program holds in its own file is read again";

static void drops_and_goes_on(void **state)
{
    char *heap = strdup("kept");
    long before = resident_files_kb();
    (void)state;
    assert_true(ty_memory_trim() > 0);
    assert_true(resident_files_kb() < before);
    /* Code, constants, relocated pointers and the heap are as they were. */
    assert_string_equal(heap, "kept");
    assert_int_equal(strlen(words), sizeof(words) - 1);
    assert_true(getpid() > 0);
    char *text = NULL;
    assert_true(asprintf(&text, "%d %s", 7, words) > 0);
    assert_memory_equal(text, "7 what", 6);
    free(text);
    free(heap);
    for (int i = 0; i < 3; i++)
        ty_memory_trim();
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(drops_and_goes_on) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
