/* trainyard version */
#include "base/buf.h"
#include "cli/cmds.h"
#include "trainyard/plugin.h"

static const char *const formats[] = { "text", "json", NULL };
static const struct ty_opt options[] = {
    { "output", 'o', TY_OPT_WORD, "FORMAT", "text (default) or json", formats, TY_OPT_AT(output) },
    TY_OPT_HELP,
    TY_OPT_END,
};

#define API "trainer.kubeflow.org/v1alpha1"
#define AS  "v2.3.0" /* the Kubeflow Trainer whose behaviour is ours */

static int run(struct ty_cli *cli, const struct ty_args *args)
{
    ty_auto_buf b = { 0 };
    if (args->output && strcmp(args->output, "json") == 0)
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
    .opts = options,
    .run = run,
};
