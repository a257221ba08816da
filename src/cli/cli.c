/* Finds the command, parses its options and runs it. */
#include "cli/cli.h"
#include "base/buf.h"
#include "base/str.h"
#include "cli/cmds.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio_ext.h>
#include <time.h>

const struct ty_cmd *const ty_cmds[] = {
    &ty_cmd_run,        &ty_cmd_get,     &ty_cmd_describe, &ty_cmd_logs,       &ty_cmd_events,
    &ty_cmd_suspend,    &ty_cmd_resume,  &ty_cmd_delete,   &ty_cmd_render,     &ty_cmd_validate,
    &ty_cmd_convert,    &ty_cmd_explain, &ty_cmd_crds,     &ty_cmd_runtimes,   &ty_cmd_install,
    &ty_cmd_uninstall,  &ty_cmd_adopt,   &ty_cmd_doctor,   &ty_cmd_initialize, &ty_cmd_plugins,
    &ty_cmd_completion, &ty_cmd_rsh,     &ty_cmd_operator, &ty_cmd_version,    NULL,
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
    fprintf(cli->err, "%s%s:%s ", c ? looks[how].colour : "", looks[how].word, c ? "\033[0m" : "");
    vfprintf(cli->err, fmt, ap);
    fputc('\n', cli->err);
}

int64_t ty_cli_wall_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void ty_cli_msg(struct ty_cli *cli, enum ty_cli_msg_kind how, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    print_msg(cli, how, fmt, ap);
    va_end(ap);
}

int ty_cli_usage(struct ty_cli *cli, const struct ty_cmd *cmd, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    print_msg(cli, TY_MSG_ERROR, fmt, ap);
    va_end(ap);
    fprintf(cli->err, "See 'trainyard %s--help'.\n",
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

static void help_all(FILE *out)
{
    fputs("trainyard turns TrainJobs into the objects that run them.\n"
          "\n"
          "Usage: trainyard COMMAND [options]\n"
          "\n"
          "Commands:\n",
          out);
    for (const struct ty_cmd *const *c = ty_cmds; *c; c++)
        fprintf(out, "  %-11s %s\n", (*c)->name, (*c)->about);
    fprintf(out, "  %-11s %s\n", "help", "Explain a command: trainyard help render");
    fputs("\n"
          "Start here:\n"
          "  trainyard render -f examples/torch-ddp.yaml\n"
          "  trainyard validate -f job.yaml\n"
          "  trainyard explain trainjob.spec.trainer\n"
          "\n"
          "'trainyard COMMAND --help' shows a command's options and examples.\n"
          "Exit status: 0 done, 1 the input is invalid or the work failed, 2 wrong usage.\n",
          out);
}

static void help_one(FILE *out, const struct ty_cmd *cmd)
{
    fprintf(out, "%s.\n\nUsage: trainyard %s [options]%s%s\n", cmd->about, cmd->name,
            cmd->operand ? " " : "", cmd->operand ? cmd->operand : "");
    if (cmd->more)
        fprintf(out, "\n%s", cmd->more);
    if (cmd->examples)
        fprintf(out, "\nExamples:\n%s", cmd->examples);
    fputs("\nOptions:\n", out);
    ty_opts_help(out, cmd->opts.table);
}

static int unknown_command(struct ty_cli *cli, const char *name)
{
    const char *names[32];
    size_t n = 0;
    for (const struct ty_cmd *const *c = ty_cmds; *c; c++)
        names[n++] = (*c)->name;
    names[n++] = "help";
    const char *near = ty_str_nearest(ty_str(name), names, n);
    if (near)
        return ty_cli_usage(cli, NULL, "unknown command \"%s\" (did you mean \"%s\"?)", name, near);
    return ty_cli_usage(cli, NULL, "unknown command \"%s\"", name);
}

static int run_help(struct ty_cli *cli, const char *name)
{
    const struct ty_cmd *cmd = name ? ty_cli_find_cmd(name) : NULL;
    if (name && !cmd)
        return unknown_command(cli, name);
    if (cmd)
        help_one(cli->out, cmd);
    else
        help_all(cli->out);
    return fflush(cli->out) ? TY_EXIT_BAD : TY_EXIT_OK;
}

static bool is_any(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

int ty_cli_main(struct ty_cli *cli, int argc, char **argv)
{
    if (argc < 2) {
        help_all(cli->err);
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
    return cmd->run(cli, args);
}
