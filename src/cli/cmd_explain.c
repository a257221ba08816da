/* trainyard explain: prints the documentation of a field, without a cluster. */
#include "api/explain.h"
#include "cli/cmds.h"

struct explain_opts {
    struct ty_args args;
    bool recursive;
};
static const struct ty_opt options[] = {
    { "recursive", 'R', TY_OPT_FLAG, NULL, "the whole tree below, names and types only", NULL,
      TY_OPT_AT(struct explain_opts, recursive) },
    TY_OPT_HELP(struct explain_opts),
    TY_OPT_END,
};
static const char *const kinds[] = {
    "trainjob",
    "trainjob.spec",
    "trainjob.spec.trainer",
    "trainingruntime",
    "trainingruntime.spec",
    "trainingruntime.spec.mlPolicy",
    "clustertrainingruntime",
    "jobset",
    NULL,
};

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct explain_opts *opts = parsed;
    ty_auto_buf out = { 0 };
    struct ty_err err = { 0 };
    if (opts->args.operands.n != 1)
        return ty_cli_usage(cli, &ty_cmd_explain,
                            "name one kind or field, such as trainjob.spec.trainer");
    if (ty_explain(&out, ty_str(opts->args.operands.v[0]), opts->recursive, &err) < 0) {
        ty_cli_msg(cli, TY_MSG_ERROR, "%s", err.text);
        return TY_EXIT_BAD;
    }
    return ty_cli_print(cli, &out);
}

const struct ty_cmd ty_cmd_explain = {
    .name = "explain",
    .about = "Explain a kind or a field",
    .operand = "KIND[.FIELD…]",
    .more = "Like kubectl explain, from the tables that also validate: kinds are trainjob,\n"
            "trainingruntime, clustertrainingruntime and jobset.\n",
    .examples = "  trainyard explain trainjob\n"
                "  trainyard explain trainjob.spec.trainer.resourcesPerNode\n"
                "  trainyard explain trainingruntime.spec.mlPolicy --recursive\n",
    .opts = TY_OPTS(options, struct explain_opts),
    .run = run,
    .operands = kinds,
};
