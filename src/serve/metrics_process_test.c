#include "net/testing.h"
#include "serve/metrics.h"

#include <fcntl.h>

static double value(const char *text, const char *name)
{
    char line[128];

    snprintf(line, sizeof(line), "\n%s ", name);
    const char *at = strstr(text, line);
    if (!at)
        fail_msg("%s is missing in:\n%s", name, text);
    return strtod(at + strlen(line), NULL);
}

static char *printed(void)
{
    struct ty_buf b = { 0 };

    ty_metrics_process(&b);
    ty_buf_chr(&b, '\0');
    return b.p;
}

static void numbers_are_of_this_process(void **state TY_UNUSED)
{
    char *before = printed();
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    char *after = printed();
    double now = (double)time(NULL), start = value(after, "process_start_time_seconds");

    assert_true(value(after, "process_open_fds") == value(before, "process_open_fds") + 1);
    assert_true(value(after, "process_max_fds") > value(after, "process_open_fds"));
    assert_true(start > now - 3600 && start < now + 5);
    assert_true(value(after, "process_resident_memory_bytes") > 100000);
    assert_true(value(after, "process_virtual_memory_bytes") >=
                value(after, "process_resident_memory_bytes"));
    assert_true(value(after, "process_cpu_seconds_total") >= 0);
    close(fd);
    free(before);
    free(after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_of_this_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
