/* trainyard completion bash|zsh|fish */
#include "cli/cmds.h"
#include "cli/complete.h"

struct completion_opts {
    struct ty_args args;
};
static const struct ty_opt options[] = { TY_OPT_HELP(struct completion_opts), TY_OPT_END };
static const char *const shells[] = { "bash", "zsh", "fish", NULL };
static ty_complete_fn *const writers[] = { ty_complete_bash, ty_complete_zsh, ty_complete_fish };

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct completion_opts *opts = parsed;
    ty_auto_buf b = { 0 };
    if (opts->args.operands.n != 1)
        return ty_cli_usage(cli, &ty_cmd_completion, "name one shell: bash, zsh or fish");
    for (size_t i = 0; shells[i]; i++) {
        if (strcmp(opts->args.operands.v[0], shells[i]) != 0)
            continue;
        writers[i](&b);
        return ty_cli_print(cli, &b);
    }
    return ty_cli_usage(cli, &ty_cmd_completion, "\"%s\" is not one of bash, zsh, fish",
                        opts->args.operands.v[0]);
}

const struct ty_cmd ty_cmd_completion = {
    .name = "completion",
    .about = "Print shell completion for bash, zsh or fish",
    .operand = "bash|zsh|fish",
    .examples = "  source <(trainyard completion bash)\n"
                "  trainyard completion fish | source\n",
    .opts = TY_OPTS(options, struct completion_opts),
    .run = run,
    .operands = shells,
};
