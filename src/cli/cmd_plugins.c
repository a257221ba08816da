/* trainyard plugins: lists the plugins in the order in which they run, with their hooks. */
#include "cli/cmds.h"
#include "cli/session.h"

static const char *const formats[] = { "table", "json", "name", NULL };
struct plugins_opts {
    struct ty_args args;
    struct ty_config_opts config;
    const char *output;
};
static const struct ty_opt options[] = {
    { "output", 'o', TY_OPT_WORD, "FORMAT", "table (default), json or name", formats,
      TY_OPT_AT(struct plugins_opts, output) },
    TY_OPTS_CONFIG(struct plugins_opts),
    TY_OPT_HELP(struct plugins_opts),
    TY_OPT_END,
};

/* The names of the hooks that a plugin implements. */
#define HOOKS_MAX 8
static size_t hooks_of(const struct ty_plugin *p, const char *ret[HOOKS_MAX])
{
    const struct {
        const char *name;
        bool has;
    } all[HOOKS_MAX] = {
        { "validate", p->validate || p->reserved || p->reserved_in },
        { "ml", p->enforce_ml },
        { "gang", p->enforce_gang },
        { "pod", p->enforce_pod },
        { "pre-build", p->pre_build },
        { "build", p->build },
        { "status", p->status },
        { "watch", p->watches },
    };
    size_t n = 0;
    for (size_t i = 0; i < HOOKS_MAX; i++)
        if (all[i].has)
            ret[n++] = all[i].name;
    return n;
}

struct row {
    const struct ty_plugin *plugin;
    bool on;
};

static const char *state_of(const struct row *r)
{
    return r->plugin->required ? "required" : r->on ? "on" : "off";
}

static void print_table(struct ty_buf *b, const struct row *rows, size_t n)
{
    static const char line[] = "%-15s %-9s %-38s %s\n";
    ty_buf_printf(b, line, "NAME", "STATE", "HOOKS", "ABOUT");
    for (size_t i = 0; i < n; i++) {
        const char *hooks[HOOKS_MAX];
        char list[128] = "-";
        size_t h = hooks_of(rows[i].plugin, hooks), at = 0;
        for (size_t k = 0; k < h && at < sizeof(list); k++)
            at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%s", k ? "," : "", hooks[k]);
        ty_buf_printf(b, line, rows[i].plugin->name, state_of(&rows[i]), list,
                      rows[i].plugin->about);
    }
}

static void print_json(struct ty_arena *a, struct ty_buf *b, const struct row *rows, size_t n)
{
    struct ty_json *list = ty_json_array(a);
    for (size_t i = 0; i < n; i++) {
        const char *hooks[HOOKS_MAX];
        size_t h = hooks_of(rows[i].plugin, hooks);
        struct ty_json *o = ty_json_object(a), *hs = ty_json_array(a);
        for (size_t k = 0; k < h; k++)
            ty_json_push(a, hs, ty_json_cstr(a, hooks[k]));
        ty_json_set(a, o, "name", ty_json_cstr(a, rows[i].plugin->name));
        ty_json_set(a, o, "state", ty_json_cstr(a, state_of(&rows[i])));
        ty_json_set(a, o, "hooks", hs);
        ty_json_set(a, o, "about", ty_json_cstr(a, rows[i].plugin->about));
        ty_json_set(a, o, "outOfTree", ty_json_bool(a, rows[i].plugin->ext != NULL));
        ty_json_push(a, list, o);
    }
    ty_json_pretty(b, list, 2, false);
    ty_buf_chr(b, '\n');
}

static int print_plugins(struct ty_session *s, const void *ctx)
{
    const struct plugins_opts *opts = ctx;
    const struct ty_pipeline *p = &s->pipeline;
    const char *how = opts->output;
    struct row rows[2 * TY_PLUGINS_MAX];
    size_t n = 0;
    ty_auto_buf b = { 0 };
    for (size_t i = 0; i < p->n_on; i++)
        rows[n++] = (struct row){ p->on[i], true };
    for (size_t i = 0; i < p->n_off; i++)
        rows[n++] = (struct row){ p->off[i], false };
    if (how && strcmp(how, "json") == 0)
        print_json(s->cli->arena, &b, rows, n);
    else if (how && strcmp(how, "name") == 0)
        for (size_t i = 0; i < n; i++)
            ty_buf_printf(&b, "%s\n", rows[i].plugin->name);
    else
        print_table(&b, rows, n);
    return ty_cli_print(s->cli, &b);
}

static int run(struct ty_cli *cli, const void *parsed)
{
    const struct plugins_opts *opts = parsed;
    struct ty_session_opts session = { .config = &opts->config };

    if (opts->args.operands.n)
        return ty_cli_usage(cli, &ty_cmd_plugins, "\"%s\" is not expected here",
                            opts->args.operands.v[0]);
    return ty_session_run(cli, &session, print_plugins, opts);
}

const struct ty_cmd ty_cmd_plugins = {
    .name = "plugins",
    .about = "List the plugins and their hooks, in the order they run",
    .more =
        "Hooks run phase by phase (validate, ml, gang, pod, pre-build, build, status); within a\n"
        "phase in the order of this list. A configuration may switch plugins off.\n",
    .examples = "  trainyard plugins\n"
                "  trainyard plugins --plugin-dir ./plugins -o json\n",
    .opts = TY_OPTS(options, struct plugins_opts),
    .run = run,
};
