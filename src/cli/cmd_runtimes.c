/* trainyard runtimes: prints the built-in catalog as a table or as objects to apply. */
#include "cli/cmds.h"
#include "cli/install/catalog.h"
#include "cli/install/install.h"
#include "cli/view/printer.h"
#include "cli/view/table.h"

#define NAMES_MAX 64

static const char *const formats[] = { "table", "wide", "yaml", "json", "name", NULL };
struct runtimes_opts {
    struct ty_args args;
    const char *output;
};
static const struct ty_opt options[] = {
    { "output", 'o', TY_OPT_WORD, "FORMAT",
      "table (default), wide, yaml (default with a NAME), json (one List) or name", formats,
      TY_OPT_AT(struct runtimes_opts, output) },
    TY_OPT_HELP(struct runtimes_opts),
    TY_OPT_END,
};

/* The name of the mlPolicy's framework, that is its member other than numNodes. */
static struct ty_str policy_of(const struct ty_json *runtime)
{
    ty_each_member (m, ty_json_at(runtime, "spec.mlPolicy"))
        if (m->value->type == TY_JSON_OBJECT)
            return m->key;
    return TY_LIT("-");
}

/* The image of the container that spec.trainer of a TrainJob overrides. */
static struct ty_str image_of(const struct ty_json *runtime)
{
    ty_each_item (job, ty_json_at(runtime, "spec.template.spec.replicatedJobs")) {
        const struct ty_json *labels = ty_json_at(*job, "template.metadata.labels");
        const struct ty_json *step =
            ty_json_get(labels, "trainer.kubeflow.org/trainjob-ancestor-step");
        const struct ty_json *node =
            ty_json_find_item(ty_json_at(*job, "template.spec.template.spec.containers"), "name",
                              TY_LIT("node"), NULL);
        if (node && ty_str_is(ty_json_as_str(step), "trainer"))
            return ty_json_as_str(ty_json_get(node, "image"));
    }
    return TY_LIT("-");
}

static const char *steps_of(struct ty_arena *a, const struct ty_json *runtime)
{
    const char *text = "";
    ty_each_item (job, ty_json_at(runtime, "spec.template.spec.replicatedJobs"))
        text = ty_arena_printf(a, "%s%s%.*s", text, *text ? "," : "",
                               TY_ARG(ty_json_str_at(*job, "name")));
    return text;
}

static int print_table(struct ty_cli *cli, const struct ty_strlist *names, bool wide)
{
    struct ty_arena *a = cli->arena;
    struct ty_table t = { .arena = a };
    ty_auto_buf b = { 0 };

    ty_table_row(&t, "NAME", "FRAMEWORK", "POLICY", "JOBS", wide ? "IMAGE" : NULL);
    for (size_t i = 0; i < names->n; i++) {
        const struct ty_json *r = ty_catalog_get(a, ty_str(names->v[i]));
        const struct ty_json *labels = ty_json_at(r, "metadata.labels");
        struct ty_str framework =
            ty_json_as_str(ty_json_get(labels, "trainer.kubeflow.org/framework"));
        ty_table_row(&t, names->v[i], ty_arena_cstr(a, framework), ty_arena_cstr(a, policy_of(r)),
                     steps_of(a, r), wide ? ty_arena_cstr(a, image_of(r)) : NULL);
    }
    ty_table_print(&t, &b);
    return ty_cli_print(cli, &b);
}

static int print_objects(struct ty_cli *cli, const struct ty_strlist *names, const char *format)
{
    struct ty_printer p = { .cli = cli };
    ty_printer_begin(&p, format);
    for (size_t i = 0; i < names->n; i++)
        ty_printer_add(&p, cli->arena, &ty_kind_clustertrainingruntime,
                       ty_install_runtime(cli->arena, ty_str(names->v[i])), NULL);
    ty_printer_end(&p);
    return p.code;
}

/* Returns the named runtimes, or all; *ret_bad is a name that the catalog lacks. */
static bool choose_runtimes(struct ty_arena *a, const struct ty_strlist *asked,
                            struct ty_strlist *ret, const char **ret_bad)
{
    for (const struct ty_embedded *e = ty_catalog_files; !asked->n && e->name; e++)
        ty_strlist_add(a, ret, e->name);
    for (size_t i = 0; i < asked->n; i++) {
        const struct ty_embedded *e = ty_catalog_files;
        while (e->name && strcmp(e->name, asked->v[i]) != 0)
            e++;
        if (!e->name) {
            *ret_bad = asked->v[i];
            return false;
        }
        ty_strlist_add(a, ret, e->name);
    }
    return true;
}

static int unknown_runtime(struct ty_cli *cli, const char *name)
{
    const char *names[NAMES_MAX];
    size_t n = 0;
    for (const struct ty_embedded *e = ty_catalog_files; e->name && n < NAMES_MAX; e++)
        names[n++] = e->name;
    const char *near = ty_str_nearest(ty_str(name), names, n);
    ty_cli_msg(cli, TY_MSG_ERROR, "the catalog has no runtime \"%s\"%s%s%s", name,
               near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
    return TY_EXIT_BAD;
}

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct runtimes_opts *opts = parsed;
    struct ty_strlist names = { 0 };
    const char *bad = NULL, *how = opts->output;

    if (!choose_runtimes(cli->arena, &opts->args.operands, &names, &bad))
        return unknown_runtime(cli, bad);
    if (!how)
        how = opts->args.operands.n ? "yaml" : "table";
    if (strcmp(how, "table") == 0 || strcmp(how, "wide") == 0)
        return print_table(cli, &names, strcmp(how, "wide") == 0);
    return print_objects(cli, &names, how);
}

const struct ty_cmd ty_cmd_runtimes = {
    .name = "runtimes",
    .about = "Show the runtimes of the built-in catalog",
    .operand = "[NAME...]",
    .more =
        "ClusterTrainingRuntimes that a TrainJob can name: \"run\" and \"render\" find them by\n"
        "themselves, a cluster needs them applied. The label webhook-validation: disabled lets\n"
        "them be applied before the operator answers.\n",
    .examples = "  trainyard runtimes\n"
                "  trainyard runtimes torch-distributed > my-runtime.yaml\n"
                "  trainyard runtimes -o yaml | kubectl apply --server-side -f -\n",
    .opts = TY_OPTS(options, struct runtimes_opts),
    .run = run,
};
