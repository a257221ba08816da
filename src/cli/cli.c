/* Finds the command, parses its options and runs it. */
#include "cli/cli.h"
#include "base/buf.h"
#include "base/str.h"
#include "base/text.h"
#include "cli/cmds.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio_ext.h>
#include <time.h>
#include <unistd.h>

const struct ty_cmd *const ty_cmds[] = {
    &ty_cmd_run,
    &ty_cmd_rerun,
    &ty_cmd_submit,
    &ty_cmd_get,
    &ty_cmd_describe,
    &ty_cmd_logs,
    &ty_cmd_events,
    &ty_cmd_attach,
    &ty_cmd_wait,
    &ty_cmd_exec,
    &ty_cmd_top,
    &ty_cmd_suspend,
    &ty_cmd_resume,
    &ty_cmd_delete,
    &ty_cmd_render,
    &ty_cmd_validate,
    &ty_cmd_convert,
    &ty_cmd_explain,
    &ty_cmd_crds,
    &ty_cmd_runtimes,
    &ty_cmd_install,
    &ty_cmd_uninstall,
    &ty_cmd_adopt,
    &ty_cmd_doctor,
    &ty_cmd_initialize,
    &ty_cmd_plugins,
    &ty_cmd_completion,
    &ty_cmd_rsh,
    &ty_cmd_operator,
    &ty_cmd_version,
    NULL,
};

const struct ty_cmd *ty_cli_find_cmd(const char *name)
{
    for (const struct ty_cmd *const *c = ty_cmds; *c; c++)
        if (strcmp((*c)->name, name) == 0)
            return *c;
    return NULL;
}

static void print_msg(struct ty_cli *cli, enum ty_cli_msg_kind how, const char *fmt, va_list ap)
    TY_PRINTF(3, 0);
static void print_msg(struct ty_cli *cli, enum ty_cli_msg_kind how, const char *fmt, va_list ap)
{
    static const struct {
        const char *word, *colour;
    } looks[] = {
        [TY_MSG_ERROR] = { "error", "\033[1;31m" },
        [TY_MSG_WARNING] = { "warning", "\033[1;33m" },
        [TY_MSG_NOTE] = { "note", "\033[1;36m" },
    };
    bool c = cli->colour;

    if (cli->quiet && how == TY_MSG_NOTE)
        return;
    fprintf(cli->err, "%s%s:%s ", c ? looks[how].colour : "", looks[how].word, c ? "\033[0m" : "");
    ty_auto_arena *a = ty_arena_new((size_t)1 << 30);
    struct ty_str text = ty_str(ty_arena_vprintf(a, fmt, ap));
    char *clean = ty_arena_alloc(a, text.n + 1, 1); /* it may quote a file of others */
    fwrite(clean, 1, ty_text_clean_keep(text, "\n", clean), cli->err);
    fputc('\n', cli->err);
}

static int64_t clock_ms(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t ty_cli_wall_ms(void)
{
    return clock_ms(CLOCK_REALTIME);
}

int64_t ty_cli_monotonic_ms(void)
{
    return clock_ms(CLOCK_MONOTONIC);
}

void ty_cli_msg(struct ty_cli *cli, enum ty_cli_msg_kind how, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (cli->sink.fn) {
        ty_auto_arena *a = ty_arena_new((size_t)1 << 30);
        cli->sink.fn(cli->sink.ctx, how, ty_arena_vprintf(a, fmt, ap));
    } else {
        print_msg(cli, how, fmt, ap);
    }
    va_end(ap);
}

int ty_cli_usage(struct ty_cli *cli, const struct ty_cmd *cmd, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    print_msg(cli, TY_MSG_ERROR, fmt, ap);
    va_end(ap);
    fprintf(cli->err, "See '%strainyard %s--help'.\n", cli->kubectl ? "kubectl " : "",
            cmd ? ty_arena_printf(cli->arena, "%s ", cmd->name) : "");
    return TY_EXIT_USAGE;
}

int ty_cli_print(struct ty_cli *cli, struct ty_buf *b)
{
    errno = 0;
    size_t n = b->n ? fwrite(b->p, 1, b->n, cli->out) : 0;
    if (n == b->n && fflush(cli->out) == 0)
        return TY_EXIT_OK;
    int e = errno;
    __fpurge(cli->out); /* the reader closed the pipe: do not retry at exit */
    if (e != EPIPE)
        ty_cli_msg(cli, TY_MSG_ERROR, "cannot write the output: %s", strerrordesc_np(e));
    return TY_EXIT_BAD;
}

/* In place: cleaned text is never longer. */
static void clean_for_terminal(const struct ty_cli *cli, struct ty_buf *b)
{
    int fd = fileno(cli->out);

    if (!b->n || fd < 0 || !isatty(fd))
        return;
    ty_auto_buf was = { 0 };
    ty_buf_add(&was, ty_buf_str(b));
    b->n = ty_text_clean_keep(ty_buf_str(&was), "\n\t", b->p);
}

int ty_cli_print_clean(struct ty_cli *cli, struct ty_buf *b)
{
    clean_for_terminal(cli, b);
    return ty_cli_print(cli, b);
}

void ty_cli_printf(struct ty_cli *cli, const char *fmt, ...)
{
    ty_auto_arena *a = ty_arena_new((size_t)1 << 30);
    ty_auto_buf text = { 0 };
    va_list ap;

    va_start(ap, fmt);
    ty_buf_cstr(&text, ty_arena_vprintf(a, fmt, ap));
    va_end(ap);
    clean_for_terminal(cli, &text);
    if (text.n)
        fwrite(text.p, 1, text.n, cli->out);
}

/* Commands in a help text as the user calls them: as a kubectl plugin "kubectl trainyard get". */
static void help_text(const struct ty_cli *cli, FILE *out, const char *text)
{
    static const char own[] = "trainyard ";
    const char *at = NULL;

    while (cli->kubectl && (at = strstr(text, own))) {
        bool command = at == text || strchr(" '\n", at[-1]);
        size_t word = strcspn(at + sizeof(own) - 1, " '\n");
        struct ty_str name = { at + sizeof(own) - 1, word };
        bool known = ty_str_is(name, "COMMAND") || ty_str_is(name, "help");
        for (const struct ty_cmd *const *c = ty_cmds; *c && !known; c++)
            known = ty_str_is(name, (*c)->name);
        fprintf(out, "%.*s%s%s", (int)(at - text), text, command && known ? "kubectl " : "", own);
        text = at + sizeof(own) - 1;
    }
    fputs(text, out);
}

static void help_all(const struct ty_cli *cli, FILE *out)
{
    help_text(cli, out,
              "trainyard turns TrainJobs into the objects that run them.\n"
              "\n"
              "Usage: trainyard COMMAND [options]\n"
              "\n"
              "Commands:\n");
    for (const struct ty_cmd *const *c = ty_cmds; *c; c++)
        fprintf(out, "  %-11s %s\n", (*c)->name, (*c)->about);
    fprintf(out, "  %-11s %s\n", "help", "Explain a command: trainyard help render");
    help_text(cli, out,
              "\n"
              "Start here:\n"
              "  trainyard run examples/torch-ddp.yaml\n"
              "  trainyard render -f examples/torch-ddp.yaml\n"
              "  trainyard validate -f job.yaml\n"
              "  trainyard explain trainjob.spec.trainer\n"
              "\n"
              "'trainyard COMMAND --help' shows a command's options and examples.\n"
              "Exit status: 0 done, 1 the input is invalid or the work failed, 2 wrong usage.\n");
}

static void help_one(const struct ty_cli *cli, FILE *out, const struct ty_cmd *cmd)
{
    fprintf(out, "%s.\n\nUsage: %strainyard %s [options]%s%s\n", cmd->about,
            cli->kubectl ? "kubectl " : "", cmd->name, cmd->operand ? " " : "",
            cmd->operand ? cmd->operand : "");
    if (cmd->more) {
        fputc('\n', out);
        help_text(cli, out, cmd->more);
    }
    if (cmd->examples) {
        fputs("\nExamples:\n", out);
        help_text(cli, out, cmd->examples);
    }
    fputs("\nOptions:\n", out);
    ty_opts_help(out, cmd->opts.table);
}

/* Commands of other programs that users try. */
static const char *hint_of(const char *name)
{
    static const struct {
        const char *theirs, *ours;
    } hints[] = {
        { "ps", "get" },        { "ls", "get" },    { "list", "get" },    { "status", "describe" },
        { "stop", "delete" },   { "rm", "delete" }, { "kill", "delete" }, { "apply", "run" },
        { "create", "run" },    { "start", "run" }, { "log", "logs" },    { "shell", "exec" },
        { "follow", "attach" },
    };

    for (size_t i = 0; i < TY_COUNT(hints); i++)
        if (strcmp(hints[i].theirs, name) == 0)
            return hints[i].ours;
    return NULL;
}

static int unknown_command(struct ty_cli *cli, const char *name)
{
    const char *hint = hint_of(name);
    if (hint)
        return ty_cli_usage(cli, NULL, "trainyard has no '%s': use trainyard %s", name, hint);
    const char *names[64];
    size_t n = 0;
    for (const struct ty_cmd *const *c = ty_cmds; *c; c++)
        names[n++] = (*c)->name;
    names[n++] = "help";
    const char *near = ty_str_nearest(ty_str(name), names, n);
    if (near)
        return ty_cli_usage(cli, NULL, "unknown command \"%s\" (did you mean \"%s\"?)", name, near);
    return ty_cli_usage(cli, NULL, "unknown command \"%s\"", name);
}

/* A command that printed its result to a full disk has not done its work. ty_cli_print has
 * reported its own failures and emptied the stream. */
static int check_output(struct ty_cli *cli, int code)
{
    errno = 0;
    if (fflush(cli->out) == 0 && !ferror(cli->out))
        return code;
    int e = errno;
    __fpurge(cli->out);
    if (e && e != EPIPE)
        ty_cli_msg(cli, TY_MSG_ERROR, "cannot write the output: %s", strerrordesc_np(e));
    return code ? code : TY_EXIT_BAD;
}

static int run_help(struct ty_cli *cli, const char *name)
{
    const struct ty_cmd *cmd = name ? ty_cli_find_cmd(name) : NULL;
    if (name && strcmp(name, "help") == 0)
        name = NULL;
    if (name && !cmd)
        return unknown_command(cli, name);
    if (cmd)
        help_one(cli, cli->out, cmd);
    else
        help_all(cli, cli->out);
    return check_output(cli, TY_EXIT_OK);
}

static bool is_any(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

/* kubectl runs the program kubectl-trainyard for `kubectl trainyard`. */
static bool is_kubectl_plugin(const char *program)
{
    const char *slash = strrchr(program, '/');

    return strcmp(slash ? slash + 1 : program, "kubectl-trainyard") == 0;
}

int ty_cli_main(struct ty_cli *cli, int argc, char **argv)
{
    cli->kubectl = argc > 0 && is_kubectl_plugin(argv[0]);
    if (argc < 2) {
        help_all(cli, cli->err);
        return TY_EXIT_USAGE;
    }
    const char *name = argv[1];
    if (is_any(name, "--help", "-h") || strcmp(name, "help") == 0)
        return run_help(cli, argc > 2 ? argv[2] : NULL);
    if (is_any(name, "--version", "-V"))
        name = "version";
    const struct ty_cmd *cmd = ty_cli_find_cmd(name);
    if (!cmd)
        return unknown_command(cli, name);

    struct ty_args *args = NULL;
    struct ty_err err = { 0 };
    if (cmd->raw)
        args = ty_opts_parse_raw(cli->arena, &cmd->opts, argc - 2, argv + 2);
    else if (ty_opts_parse(cli->arena, &cmd->opts, cmd->one_dash, argc - 2, argv + 2, &args, &err) <
             0)
        return ty_cli_usage(cli, cmd, "%s", err.text);
    if (args->help)
        return run_help(cli, cmd->name);
    return check_output(cli, cmd->run(cli, args));
}
