/* trainyard crds: prints the CustomResourceDefinitions for kubectl apply --server-side. */
#include "api/crd.h"
#include "cli/cmds.h"
#include "cli/view/printer.h"

static const char *const formats[] = { "yaml", "json", "name", NULL };
struct crds_opts {
    struct ty_args args;
    const char *output;
};
static const struct ty_opt options[] = {
    { "output", 'o', TY_OPT_WORD, "FORMAT", "yaml (default), json (one compact List) or name",
      formats, TY_OPT_AT(struct crds_opts, output) },
    TY_OPT_HELP(struct crds_opts),
    TY_OPT_END,
};

static const struct ty_kind crd_kind = {
    .group = "apiextensions.k8s.io",
    .version = "v1",
    .kind = "CustomResourceDefinition",
    .plural = "customresourcedefinitions",
    .singular = "customresourcedefinition",
};

/* Prints the List on one line: CRDs are large, and programs embed and send this form. */
static int print_list(struct ty_cli *cli)
{
    struct ty_arena *a = cli->arena;
    ty_auto_buf b = { 0 };
    struct ty_json *list = ty_json_object(a), *items = ty_json_array(a);
    for (const struct ty_kind *const *k = ty_kinds; *k; k++)
        if ((*k)->ours)
            ty_json_push(a, items, ty_crd(a, *k));
    ty_json_set(a, list, "apiVersion", ty_json_cstr(a, "v1"));
    ty_json_set(a, list, "kind", ty_json_cstr(a, "List"));
    ty_json_set(a, list, "items", items);
    ty_json_print(&b, list);
    ty_buf_chr(&b, '\n');
    return ty_cli_print(cli, &b);
}

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct crds_opts *opts = parsed;
    if (opts->args.operands.n)
        return ty_cli_usage(cli, &ty_cmd_crds, "\"%s\" is not expected here",
                            opts->args.operands.v[0]);
    if (opts->output && strcmp(opts->output, "json") == 0)
        return print_list(cli);
    struct ty_printer p = { .cli = cli };
    ty_printer_begin(&p, opts->output);
    for (const struct ty_kind *const *k = ty_kinds; *k; k++)
        if ((*k)->ours)
            ty_printer_add(&p, cli->arena, &crd_kind, ty_crd(cli->arena, *k), NULL);
    ty_printer_end(&p);
    return p.code;
}

const struct ty_cmd ty_cmd_crds = {
    .name = "crds",
    .about = "Print the CustomResourceDefinitions",
    .more =
        "TrainJob, TrainingRuntime and ClusterTrainingRuntime, as trainyard and Kubeflow Trainer\n"
        "v2.3.0 read them.\n",
    .examples = "  trainyard crds | kubectl apply --server-side -f -\n"
                "  trainyard crds -o json | wc -c\n",
    .opts = TY_OPTS(options, struct crds_opts),
    .run = run,
};
