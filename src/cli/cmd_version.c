/* trainyard version */
#include "base/buf.h"
#include "cli/cmds.h"
#include "trainyard/plugin.h"

static const char *const formats[] = { "text", "json", NULL };
struct version_opts {
    struct ty_args args;
    const char *output;
};
static const struct ty_opt options[] = {
    { "output", 'o', TY_OPT_WORD, "FORMAT", "text (default) or json", formats,
      TY_OPT_AT(struct version_opts, output) },
    TY_OPT_HELP(struct version_opts),
    TY_OPT_END,
};

#define API "trainer.kubeflow.org/v1alpha1"
#define AS  "v2.3.0" /* the Kubeflow Trainer release with the same behavior */

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct version_opts *opts = parsed;
    ty_auto_buf b = { 0 };
    if (opts->output && strcmp(opts->output, "json") == 0)
        ty_buf_printf(&b,
                      "{\"version\": \"%s\", \"api\": \"%s\", \"compatibleWith\": \"%s\", "
                      "\"pluginAbi\": %u}\n",
                      TY_VERSION, API, AS, TRAINYARD_PLUGIN_ABI);
    else
        ty_buf_printf(&b, "trainyard %s (%s as Kubeflow Trainer %s, plugin ABI %u)\n", TY_VERSION,
                      API, AS, TRAINYARD_PLUGIN_ABI);
    return ty_cli_print(cli, &b);
}

const struct ty_cmd ty_cmd_version = {
    .name = "version",
    .about = "Print the version",
    .opts = TY_OPTS(options, struct version_opts),
    .run = run,
};
