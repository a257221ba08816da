/* trainyard completion bash|zsh|fish */
#include "cli/cmds.h"
#include "cli/complete.h"
#include "cli/jobs/complete_names.h"

struct completion_opts {
    struct ty_args args;
};
static const struct ty_opt options[] = { TY_OPT_HELP(struct completion_opts), TY_OPT_END };
static const char *const shells[] = { "bash", "zsh", "fish", NULL };
static ty_complete_fn *const writers[] = { ty_complete_bash, ty_complete_zsh, ty_complete_fish };

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct completion_opts *opts = parsed;
    const struct ty_strlist *words = &opts->args.operands;
    ty_auto_buf b = { 0 };

    /* The scripts call it: trainyard completion names -- logs --context gpu-lab */
    if (opts->args.n_before == 1 && strcmp(words->v[0], "names") == 0)
        return ty_complete_names(cli, words->v + 1, words->n - 1);
    if (words->n != 1)
        return ty_cli_usage(cli, &ty_cmd_completion, "name one shell: bash, zsh or fish");
    for (size_t i = 0; shells[i]; i++) {
        if (strcmp(words->v[0], shells[i]) != 0)
            continue;
        writers[i](&b);
        return ty_cli_print(cli, &b);
    }
    return ty_cli_usage(cli, &ty_cmd_completion, "\"%s\" is not one of bash, zsh, fish",
                        words->v[0]);
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
