/* trainyard install: prints the operator's manifests for kubectl apply --server-side. */
#include "api/name.h"
#include "cli/cmds.h"
#include "cli/install/catalog.h"
#include "cli/install/install.h"
#include "cli/view/printer.h"
#include <ctype.h>
#include <errno.h>

#define REPLICAS_MAX 100
#define NAMES_MAX    64

static const char *const formats[] = { "yaml", "json", "name", NULL };
struct install_opts {
    struct ty_args args;
    const char *ns, *image, *version, *replicas, *output;
    const char *pick; /* --runtimes */
    bool no_runtimes, no_crds, monitor, failure_summary;
};
static const struct ty_opt options[] = {
    { "namespace", 'n', TY_OPT_WORD, "NAME", "where the operator runs (kubeflow-system)", NULL,
      TY_OPT_AT(struct install_opts, ns) },
    { "image", 0, TY_OPT_WORD, "IMAGE", "the operator's image (trainyard:VERSION)", NULL,
      TY_OPT_AT(struct install_opts, image) },
    { "version", 0, TY_OPT_WORD, "VERSION", "tag of the image (this program's version)", NULL,
      TY_OPT_AT(struct install_opts, version) },
    { "replicas", 0, TY_OPT_WORD, "N", "replicas of the operator (2)", NULL,
      TY_OPT_AT(struct install_opts, replicas) },
    { "runtimes", 0, TY_OPT_WORD, "NAME,...", "only these runtimes of the catalog", NULL,
      TY_OPT_AT(struct install_opts, pick) },
    { "no-runtimes", 0, TY_OPT_FLAG, NULL, "no runtimes", NULL,
      TY_OPT_AT(struct install_opts, no_runtimes) },
    { "no-crds", 0, TY_OPT_FLAG, NULL, "no CustomResourceDefinitions", NULL,
      TY_OPT_AT(struct install_opts, no_crds) },
    { "service-monitor", 0, TY_OPT_FLAG, NULL, "a ServiceMonitor for the Prometheus operator", NULL,
      TY_OPT_AT(struct install_opts, monitor) },
    { "failure-summary", 0, TY_OPT_FLAG, NULL,
      "failure summaries and phases: the operator reads pods and their logs", NULL,
      TY_OPT_AT(struct install_opts, failure_summary) },
    { "output", 'o', TY_OPT_WORD, "FORMAT", "yaml (default), json (one List) or name", formats,
      TY_OPT_AT(struct install_opts, output) },
    TY_OPT_HELP(struct install_opts),
    TY_OPT_END,
};

static int unknown_runtime(struct ty_str name, struct ty_err *err)
{
    const char *names[NAMES_MAX];
    size_t n = 0;
    for (const struct ty_embedded *e = ty_catalog_files; e->name && n < NAMES_MAX; e++)
        names[n++] = e->name;
    const char *near = ty_str_nearest(name, names, n);
    if (near)
        return ty_fail(err, -EINVAL, "--runtimes: no runtime \"%.*s\" (did you mean %s?)",
                       TY_ARG(name), near);
    return ty_fail(err, -EINVAL,
                   "--runtimes: no runtime \"%.*s\"; \"trainyard runtimes\" lists them",
                   TY_ARG(name));
}

/* Adds the chosen runtimes in the catalog's order, each once. */
static int pick_runtimes(struct ty_arena *a, const struct install_opts *opts, struct ty_install *s,
                         struct ty_err *err)
{
    bool picked[NAMES_MAX] = { false };
    for (struct ty_str name, rest = ty_str(opts->pick ? opts->pick : ""); rest.n;) {
        size_t i = 0;
        rest = ty_str_cut(rest, ',', &name);
        while (ty_catalog_files[i].name && !ty_str_is(name, ty_catalog_files[i].name))
            i++;
        if (!ty_catalog_files[i].name)
            return unknown_runtime(name, err);
        picked[i] = true;
    }
    for (size_t i = 0; ty_catalog_files[i].name && !opts->no_runtimes; i++)
        if (!opts->pick || picked[i])
            ty_strlist_add(a, &s->runtimes, ty_catalog_files[i].name);
    return 0;
}

static bool is_printable(const char *text)
{
    for (const char *c = text; *c; c++)
        if (!isgraph((unsigned char)*c))
            return false;
    return *text;
}

/* "a/b" and "host:5000/b" have no tag; "b:1" and "b@sha256:…" have one. */
static bool has_tag(const char *image)
{
    const char *last = strrchr(image, '/');
    return strpbrk(last ? last : image, ":@");
}

static int read_settings(struct ty_arena *a, const struct install_opts *opts, struct ty_install *s,
                         struct ty_err *err)
{
    *s = (struct ty_install){
        .ns = opts->ns ? opts->ns : "kubeflow-system",
        .image = opts->image ? opts->image : "trainyard",
        .version = opts->version ? opts->version : TY_VERSION,
        .replicas = 2,
        .crds = !opts->no_crds,
        .monitor = opts->monitor,
        .failure_summary = opts->failure_summary,
    };
    if (!ty_name_is_dns1123_label(ty_str(s->ns)))
        return ty_fail(err, -EINVAL, "--namespace: \"%s\": %s", s->ns, ty_name_dns1123_label_msg);
    if (!*s->version || !ty_name_is_label_value(ty_str(s->version)))
        return ty_fail(err, -EINVAL, "--version: \"%s\" cannot be the tag of an image", s->version);
    if (!is_printable(s->image))
        return ty_fail(err, -EINVAL, "--image: \"%s\" is not an image", s->image);
    if (!has_tag(s->image))
        s->image = ty_arena_printf(a, "%s:%s", s->image, s->version);
    if (opts->replicas && (!ty_str_parse_i64(ty_str(opts->replicas), &s->replicas) ||
                           s->replicas < 1 || s->replicas > REPLICAS_MAX))
        return ty_fail(err, -EINVAL, "--replicas: \"%s\" is not a number from 1 to %d",
                       opts->replicas, REPLICAS_MAX);
    if (opts->no_runtimes && opts->pick)
        return ty_fail(err, -EINVAL, "--runtimes and --no-runtimes exclude each other");
    return pick_runtimes(a, opts, s, err);
}

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct install_opts *opts = parsed;
    struct ty_err err = { 0 };
    struct ty_install s;

    if (opts->args.operands.n)
        return ty_cli_usage(cli, &ty_cmd_install, "\"%s\" is not expected here",
                            opts->args.operands.v[0]);
    if (read_settings(cli->arena, opts, &s, &err) < 0)
        return ty_cli_usage(cli, &ty_cmd_install, "%s", err.text);
    struct ty_printer p = { .cli = cli };
    ty_printer_begin(&p, opts->output);
    ty_each_item (it, ty_install_list(cli->arena, &s)) {
        struct ty_kind kind = ty_install_kind(cli->arena, *it);
        ty_printer_add(&p, cli->arena, &kind, *it, NULL);
    }
    ty_printer_end(&p);
    return p.code;
}

const struct ty_cmd ty_cmd_install = {
    .name = "install",
    .about = "Print all that a cluster needs to run the operator",
    .more =
        "Namespace, CRDs, rights, the operator with its configuration, Service, webhooks, and the\n"
        "runtimes of the catalog, under the names that Kubeflow Trainer v2.3.0 uses: applied over\n"
        "it, the operator takes its place. Nothing is sent anywhere: kubectl applies it. On a\n"
        "cluster that has not seen the CRDs before, apply these first. To remove it again, use\n"
        "\"trainyard uninstall\": kubectl delete of this would take the namespace, with whatever\n"
        "else is in it, and all TrainJobs.\n",
    .examples = "  trainyard crds | kubectl apply --server-side -f -\n"
                "  trainyard install --image registry.example/trainyard | kubectl apply "
                "--server-side -f -\n"
                "  trainyard install --runtimes torch-distributed,jax-distributed -o name\n",
    .opts = TY_OPTS(options, struct install_opts),
    .run = run,
};
