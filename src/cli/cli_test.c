#include "cli/testing.h"

static void test_no_words(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(fixture_run(&b, (const char *const[]){ NULL }), TY_EXIT_USAGE);
    assert_has(b.err, "Usage: trainyard COMMAND");
    assert_int_equal(b.n_out, 0);
    fixture_close(&b);
}

static void test_help(void **state)
{
    (void)state;
    for (const struct ty_cmd *const *c = ty_cmds; *c; c++) {
        struct ty_cli_fixture one, two;
        fixture_open(&one);
        assert_int_equal(FIXTURE_RUN(&one, "help", (*c)->name), TY_EXIT_OK);
        fixture_open(&two);
        assert_int_equal(FIXTURE_RUN(&two, (*c)->name, "--help"), TY_EXIT_OK);
        assert_string_equal(one.out, two.out);
        assert_has(one.out, (*c)->about);
        assert_has(one.out, "Usage: trainyard");
        assert_has(one.out, "--help");
        assert_int_equal(one.n_err, 0);
        fixture_close(&two);
        fixture_close(&one);
    }
}

static void test_help_lists_all(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "--help"), TY_EXIT_OK);
    for (const struct ty_cmd *const *c = ty_cmds; *c; c++)
        assert_has(b.out, (*c)->about);
    fixture_close(&b);
}

/* Every row writes inside the options struct, and no two rows of a command collide; only --help
 * writes to the part that all commands have. */
static void test_option_tables(void **state)
{
    static const size_t sizes[] = { [TY_OPT_FLAG] = sizeof(bool),
                                    [TY_OPT_WORD] = sizeof(const char *),
                                    [TY_OPT_WORDS] = sizeof(struct ty_strlist),
                                    [TY_OPT_CHOICE] = sizeof(const char *) };
    (void)state;
    for (const struct ty_cmd *const *c = ty_cmds; *c; c++) {
        bool help = false;
        for (const struct ty_opt *o = (*c)->opts.table; o->name; o++) {
            assert_true(o->at + sizes[o->kind] <= (*c)->opts.size);
            assert_int_equal(o->arg != NULL, o->kind == TY_OPT_WORD || o->kind == TY_OPT_WORDS);
            if (strcmp(o->name, "help") == 0 && o->at == offsetof(struct ty_args, help))
                help = true;
            else
                assert_true(o->at >= sizeof(struct ty_args));
            for (const struct ty_opt *p = o + 1; p->name; p++) {
                assert_string_not_equal(o->name, p->name);
                assert_true(!o->letter || o->letter != p->letter);
                assert_true(o->at + sizes[o->kind] <= p->at || p->at + sizes[p->kind] <= o->at);
            }
        }
        assert_true(help);
    }
}

static void test_unknown_words(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "rendr"), TY_EXIT_USAGE);
    assert_has(b.err, "error: unknown command \"rendr\" (did you mean \"render\"?)\n");
    assert_int_equal(FIXTURE_RUN(&b, "help", "zzzzzzz"), TY_EXIT_USAGE);
    assert_int_equal(FIXTURE_RUN(&b, "help", "help"), TY_EXIT_OK);
    assert_has(b.out, "Usage: trainyard COMMAND");
    assert_int_equal(FIXTURE_RUN(&b, "ps"), TY_EXIT_USAGE);
    assert_has(b.err, "error: trainyard has no 'ps': use trainyard get\n");
    assert_int_equal(FIXTURE_RUN(&b, "rm", "job"), TY_EXIT_USAGE);
    assert_has(b.err, "error: trainyard has no 'rm': use trainyard delete\n");
    assert_has(b.err, "error: unknown command \"zzzzzzz\"\n");
    assert_int_equal(FIXTURE_RUN(&b, "render", "--orgins"), TY_EXIT_USAGE);
    assert_has(b.err, "error: unknown option --orgins (did you mean --origins?)\n"
                      "See 'trainyard render --help'.\n");
    fixture_close(&b);
}

static void test_version(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    assert_int_equal(FIXTURE_RUN(&b, "--version"), TY_EXIT_OK);
    assert_has(b.out, "trainyard " TY_VERSION " (");
    fixture_close(&b);
}

static void test_colour(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    ty_cli_msg(&b.cli, TY_MSG_NOTE, "plain %d", 1);
    b.cli.colour = true;
    ty_cli_msg(&b.cli, TY_MSG_WARNING, "%s", "loud");
    fixture_flush(&b);
    assert_string_equal(b.err, "note: plain 1\n\033[1;33mwarning:\033[0m loud\n");
    fixture_close(&b);
}

/* Text of others cannot write over the terminal; its lines stay lines. */
static void test_messages_are_clean(void **state)
{
    (void)state;
    struct ty_cli_fixture b;
    fixture_open(&b);
    ty_cli_msg(&b.cli, TY_MSG_ERROR, "a \033]0;title\aname\r\nand \033[2Jmore\033[");
    assert_int_equal(FIXTURE_RUN(&b, "\033[31mrun"), TY_EXIT_USAGE);
    fixture_flush(&b);
    assert_has(b.err, "error: a name\nand more\nerror: unknown command \"run\"");
    fixture_close(&b);
}

/* kubectl runs kubectl-trainyard: the help says what the user types. */
static void test_kubectl_plugin(void **state)
{
    (void)state;
    struct ty_cli_fixture fixture, *b = &fixture;
    char program[] = "/usr/bin/kubectl-trainyard", help[] = "help", get[] = "get", bad[] = "--bad";
    char *argv[] = { program, help, get, NULL };

    fixture_open(b);
    assert_int_equal(ty_cli_main(&b->cli, 3, argv), TY_EXIT_OK);
    fixture_flush(b);
    assert_true(b->cli.kubectl);
    assert_has(b->out, "Usage: kubectl trainyard get [options]");
    assert_has(b->out, "\n  kubectl trainyard get -o wide\n");
    argv[1] = help;
    assert_int_equal(ty_cli_main(&b->cli, 2, argv), TY_EXIT_OK);
    fixture_flush(b);
    assert_has(b->out, "trainyard turns TrainJobs into the objects that run them.\n\n"
                       "Usage: kubectl trainyard COMMAND [options]\n");
    argv[1] = get;
    argv[2] = bad;
    assert_int_equal(ty_cli_main(&b->cli, 3, argv), TY_EXIT_USAGE);
    fixture_flush(b);
    assert_has(b->err, "See 'kubectl trainyard get --help'.\n");
    fixture_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_words),       cmocka_unit_test(test_help),
        cmocka_unit_test(test_help_lists_all), cmocka_unit_test(test_unknown_words),
        cmocka_unit_test(test_option_tables),  cmocka_unit_test(test_version),
        cmocka_unit_test(test_colour),         cmocka_unit_test(test_messages_are_clean),
        cmocka_unit_test(test_kubectl_plugin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
