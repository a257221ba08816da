/* The commands, each in its cmd_NAME.c, and the options they share. */
#ifndef TY_CLI_CMDS_H
#define TY_CLI_CMDS_H

#include "cli/cli.h"

extern const struct ty_cmd ty_cmd_render, ty_cmd_validate, ty_cmd_explain, ty_cmd_crds,
    ty_cmd_plugins, ty_cmd_completion, ty_cmd_version, ty_cmd_initialize, ty_cmd_run, ty_cmd_rsh,
    ty_cmd_get, ty_cmd_describe, ty_cmd_logs, ty_cmd_events, ty_cmd_suspend, ty_cmd_resume,
    ty_cmd_delete, ty_cmd_operator, ty_cmd_install, ty_cmd_runtimes, ty_cmd_convert, ty_cmd_adopt,
    ty_cmd_doctor, ty_cmd_uninstall, ty_cmd_attach, ty_cmd_wait, ty_cmd_exec, ty_cmd_rerun,
    ty_cmd_top, ty_cmd_submit;

/* Groups of options that several commands share: a struct to embed under the given member name, and
 * the rows that fill it. */
struct ty_input_opts { /* member `input` */
    struct ty_strlist files, runtimes;
    const char *ns;
    bool recursive;
};
/* clang-format off */
#define TY_OPTS_INPUT(type)                                                                        \
    { "filename", 'f', TY_OPT_WORDS, "FILE",                                                       \
      "file, directory, or - for standard input; repeatable", NULL, TY_OPT_AT(type, input.files) },\
    { "recursive", 'R', TY_OPT_FLAG, NULL, "read directories recursively", NULL,                   \
      TY_OPT_AT(type, input.recursive) },                                                          \
    { "namespace", 'n', TY_OPT_WORD, "NAME", "namespace of objects that have none", NULL,          \
      TY_OPT_AT(type, input.ns) },                                                                 \
    { "runtimes", 0, TY_OPT_WORDS, "DIR", "look for runtimes here before the built-in catalog",    \
      NULL, TY_OPT_AT(type, input.runtimes) }
/* clang-format on */

struct ty_kube_opts { /* member `kube` */
    const char *kubeconfig, *context;
};
/* clang-format off */
#define TY_OPTS_KUBE(type)                                                                         \
    { "kubeconfig", 0, TY_OPT_WORD, "FILE",                                                        \
      "path of the kubeconfig (default: as kubectl finds it)", NULL,                               \
      TY_OPT_AT(type, kube.kubeconfig) },                                                          \
    { "context", 0, TY_OPT_WORD, "NAME", "context of the kubeconfig", NULL,                        \
      TY_OPT_AT(type, kube.context) }
/* clang-format on */

struct ty_config_opts { /* member `config` */
    const char *file, *gates;
    struct ty_strlist plugin_dirs;
};
/* clang-format off */
#define TY_OPTS_CONFIG(type)                                                                       \
    { "config", 0, TY_OPT_WORD, "FILE", "the operator's configuration file", NULL,                 \
      TY_OPT_AT(type, config.file) },                                                              \
    { "feature-gates", 0, TY_OPT_WORD, "NAME=BOOL,...",                                            \
      "enable or disable features: TrainJobStatus=true", NULL, TY_OPT_AT(type, config.gates) },    \
    { "plugin-dir", 0, TY_OPT_WORDS, "DIR", "load the plugins (*.so) of a directory", NULL,        \
      TY_OPT_AT(type, config.plugin_dirs) }
/* clang-format on */

/* What `submit` and `run --detach` read. */
struct ty_submit_input {
    struct ty_strlist operands, sets, env, env_files;
    struct ty_input_opts input;
    struct ty_config_opts config;
};
int ty_cmd_run_detached(struct ty_cli *cli, const struct ty_submit_input *in); /* exit code */

#endif
