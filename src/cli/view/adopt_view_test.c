#include "cli/testing.h"
#include "cli/view/adopt_view.h"

static struct ty_adopt_reason reasons[12];

/* One job that differs in twelve fields, of a hundred that do not. */
static struct ty_adopt make_report(struct ty_arena *a)
{
    struct ty_adopt r = { .kinds = { &ty_kind_clustertrainingruntime, &ty_kind_trainingruntime,
                                     &ty_kind_trainjob } };

    for (int i = 0; i < 12; i++) {
        reasons[i] = (struct ty_adopt_reason){ .path = ty_arena_printf(a, "spec.x[%d]", i),
                                               .text = "would be added: \033[31m1" };
        reasons[i].next = i < 11 ? &reasons[i + 1] : NULL;
    }
    for (int i = 0; i < 101; i++) {
        struct ty_adopt_entry *e = ty_new(a, struct ty_adopt_entry);
        *e = (struct ty_adopt_entry){ .kind = &ty_kind_trainjob,
                                      .ns = TY_LIT("ns"),
                                      .name = ty_str(ty_arena_printf(a, "j%d", i)),
                                      .next = r.first,
                                      .result = TY_ADOPT_RUNNING,
                                      .text = "would not be touched while it runs" };
        r.first = e;
    }
    r.first->result = TY_ADOPT_DIFFERS;
    r.first->text = "its JobSet would be changed";
    r.first->reasons = reasons;
    r.count[2][TY_ADOPT_RUNNING] = 100;
    r.count[2][TY_ADOPT_DIFFERS] = 1;
    ty_strlist_add(a, &r.because, "1 TrainJob would be changed");
    ty_strlist_add(a, &r.because, "b");
    return r;
}

static size_t count_lines(const char *text)
{
    size_t n = 0;

    for (const char *c = text; *c; c++)
        n += *c == '\n';
    return n;
}

static const char *print_report(struct ty_arena *a, bool verbose, bool colour)
{
    ty_auto_buf b = { 0 };
    struct ty_adopt r = make_report(a);

    ty_adopt_view_print(a, &b, &r,
                        &(struct ty_adopt_view_opts){ .verbose = verbose, .colour = colour });
    return ty_arena_cstr(a, ty_buf_str(&b));
}

static void test_only_what_matters(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)8 << 20);
    const char *text = print_report(a, false, false);

    assert_has(text, "differs   TrainJob ns/j100: its JobSet would be changed\n"
                     "          spec.x[0]: would be added: 1\n");
    assert_has(text, "          and 2 more (-v shows all)\n");
    assert_has(text, "TrainJob                 101     100        0      0     1         0 ");
    assert_has(text, "\nsafe to switch: no, because 1 TrainJob would be changed; b\n");
    assert_int_equal(count_lines(text), 1 + 10 + 1 + 1 + 4 + 2);
    assert_null(strchr(text, '\033')); /* neither ours nor what a value holds */
}

static void test_all_of_it(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)8 << 20);

    assert_int_equal(count_lines(print_report(a, true, false)), 101 + 12 + 1 + 4 + 2);
    assert_has(print_report(a, false, true), "\033[33mdiffers \033[0m  TrainJob");
    assert_has(print_report(a, false, true), "\033[31msafe to switch: no");
}

static void test_for_programs(void **state TY_UNUSED)
{
    ty_auto_arena *a = ty_arena_new((size_t)8 << 20);
    struct ty_adopt r = make_report(a);
    struct ty_json *o = ty_adopt_view_json(a, &r);
    int64_t n = 0;

    assert_false(ty_json_true_at(o, "safe"));
    assert_int_equal(ty_json_len(ty_json_get(o, "objects")), 101);
    assert_int_equal(ty_json_len(ty_json_get(o, "because")), 2);
    assert_true(ty_json_int_at(o, "summary.TrainJob.running", &n));
    assert_int_equal(n, 100);
    assert_int_equal(ty_json_len(ty_json_get(ty_json_get(o, "objects")->items[0], "reasons")), 12);
    r.because.n = 0;
    assert_true(ty_json_true_at(ty_adopt_view_json(a, &r), "safe"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_what_matters),
        cmocka_unit_test(test_all_of_it),
        cmocka_unit_test(test_for_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
