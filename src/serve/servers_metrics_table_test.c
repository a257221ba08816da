/* The table follows Prometheus' rules: a scraper refuses the whole page for one invalid row.
 * v2.3.0's names are tested in tests/adopt/test_metrics.py. */
#include "serve/servers_metrics_table.h"

#include <ctype.h>

#include "base/testing.h"

static bool is_name(const char *s)
{
    bool good = islower((unsigned char)*s);

    for (; *s; s++)
        good = good && (islower((unsigned char)*s) || isdigit((unsigned char)*s) || *s == '_');
    return good;
}

static bool ends(const char *s, const char *end)
{
    return ty_str_ends(ty_str(s), ty_str(end));
}

static void test_names(void **state)
{
    (void)state;
    for (int i = 0; i < TY_SERVERS_METRIC_END; i++) {
        const struct ty_metric_desc *r = &ty_servers_metrics_table[i];
        assert_non_null(r->name); /* no hole: it would end the table */
        if (!is_name(r->name) || !r->help || !ends(r->help, "."))
            fail_msg("row %d: %s: %s", i, r->name, r->help);
        if (ends(r->name, "_total") != (r->type == TY_METRIC_COUNTER))
            fail_msg("%s: counters and no others are totals", r->name);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(r->name, ty_servers_metrics_table[j].name);
    }
    assert_null(ty_servers_metrics_table[TY_SERVERS_METRIC_END].name);
}

static void test_labels(void **state)
{
    (void)state;
    for (int i = 0; i < TY_SERVERS_METRIC_END; i++) {
        const char *const *label = ty_servers_metrics_table[i].labels;
        for (int j = 0; j < TY_METRIC_LABELS && label[j]; j++) {
            assert_true(is_name(label[j]));
            assert_string_not_equal(label[j], "le"); /* reserved for histograms */
            for (int k = 0; k < j; k++)
                assert_string_not_equal(label[j], label[k]);
        }
    }
}

static void test_bounds(void **state)
{
    int histograms = 0;

    (void)state;
    for (int i = 0; i < TY_SERVERS_METRIC_END; i++) {
        const struct ty_metric_desc *r = &ty_servers_metrics_table[i];
        assert_int_equal(r->buckets != NULL, r->type == TY_METRIC_HISTOGRAM);
        if (!r->buckets)
            continue;
        size_t n = ty_histogram_bound_count(r->buckets);
        histograms++;
        assert_true(n > 0 && r->buckets[n] == 0); /* it has an end within what is counted */
        assert_true(ends(r->name, "_seconds") && r->buckets[0] > 0);
        for (size_t j = 1; j < n; j++)
            if (r->buckets[j] <= r->buckets[j - 1])
                fail_msg("%s: bound %zu does not rise", r->name, j);
    }
    assert_true(histograms > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
