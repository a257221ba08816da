/* An unfinished command line is often wrong, so its words are read leniently: unknown options are
 * skipped, and the command itself reports them later. */
#include "cli/jobs/complete_names.h"

#include <stdlib.h>

#include "cli/cluster/cluster_names.h"
#include "cli/jobs/job_source.h"
#include "store/kube/kubeconfig.h"

#define QUICK_MS 2000

struct command_line {
    const struct ty_cmd *cmd;
    struct ty_where_opts where;
    const char *option; /* whose value comes next; NULL: an operand does */
    const char *job;    /* the first operand */
    size_t n_operands;
    bool over; /* after "--": words of another program */
};

/* ---- the command line ---- */

static const struct ty_opt *option_named(const struct ty_cmd *cmd, struct ty_str name)
{
    for (const struct ty_opt *o = cmd->opts.table; o->name; o++)
        if (ty_str_is(name, o->name))
            return o;
    return NULL;
}

/* The option of a word that begins with a dash, or NULL. *ret_value: the rest of the word, or NULL.
 * Of joined letters only the first counts. */
static const struct ty_opt *option_of(const struct ty_cmd *cmd, const char *word,
                                      const char **ret_value)
{
    struct ty_str name, value = ty_str_cut(ty_str(word), '=', &name);

    *ret_value = value.p;
    if (word[1] == '-')
        return option_named(cmd, (struct ty_str){ name.p + 2, name.n - 2 });
    if (!value.p && word[2])
        *ret_value = word + 2;
    for (const struct ty_opt *o = cmd->opts.table; o->name; o++)
        if (o->letter && o->letter == word[1])
            return o;
    return NULL;
}

/* The shell has not expanded it yet. */
static const char *expand_home(struct ty_arena *a, const char *path)
{
    const char *home = secure_getenv("HOME");

    return home && path[0] == '~' && path[1] == '/' ? ty_arena_printf(a, "%s%s", home, path + 1)
                                                    : path;
}

static void set_value(struct ty_arena *a, struct command_line *l, const char *option,
                      const char *value)
{
    if (strcmp(option, "context") == 0)
        l->where.context = value;
    else if (strcmp(option, "kubeconfig") == 0)
        l->where.kubeconfig = expand_home(a, value);
    else if (strcmp(option, "namespace") == 0)
        l->where.history.ns = value;
    else if (strcmp(option, "run") == 0)
        l->where.history.run = value;
}

/* Reads the option at words[*i], and its value if that is the next word. */
static void read_option(struct ty_arena *a, struct command_line *l, const char *const *words,
                        size_t n, size_t *i)
{
    const char *value = NULL;
    const struct ty_opt *o = option_of(l->cmd, words[*i], &value);
    bool split = *i + 1 < n && strcmp(words[*i + 1], "=") == 0; /* bash splits --x=y into three */

    *i += split;
    if (o && o->kind == TY_OPT_FLAG) {
        l->where.cluster |= strcmp(o->name, "cluster") == 0;
        l->where.local |= strcmp(o->name, "local") == 0;
        return;
    }
    if (!value && (split || (o && o->kind != TY_OPT_CHOICE)) && *i + 1 < n)
        value = words[++*i];
    if (o && value)
        set_value(a, l, o->name, value);
    else if (o && o->kind != TY_OPT_CHOICE)
        l->option = o->name;
}

/* False: no such command. */
static bool read_line(struct ty_arena *a, const char *const *words, size_t n,
                      struct command_line *ret)
{
    *ret = (struct command_line){ .cmd = n ? ty_cli_find_cmd(words[0]) : NULL };
    if (!ret->cmd)
        return false;
    ret->where.quick_ms = QUICK_MS;
    for (size_t i = 1; i < n && !ret->over; i++) {
        if (strcmp(words[i], "--") == 0) {
            ret->over = true;
        } else if (words[i][0] == '-' && words[i][1]) {
            read_option(a, ret, words, n, &i);
        } else if (!ret->n_operands++) {
            ret->job = words[i];
        }
    }
    if (!option_named(ret->cmd, TY_LIT("cluster"))) /* it works on one side only */
        ret->where.local = !option_named(ret->cmd, TY_LIT("kubeconfig"));
    return true;
}

/* ---- names ---- */

struct names_found {
    struct ty_cli *cli;
    struct ty_strlist names;
};

static bool add_job(void *ctx, struct ty_arena *a TY_UNUSED, const struct ty_job_history_entry *job)
{
    struct names_found *f = ctx;

    if (!job->gone)
        ty_strlist_add(f->cli->arena, &f->names, ty_arena_strdup(f->cli->arena, job->name));
    return true;
}

static void find_local(struct names_found *f, const struct command_line *l, bool nodes)
{
    ty_auto_job_source *s = NULL;
    struct ty_job_history_entry job;
    struct ty_job_history_pod *pods = NULL;
    const char *why = NULL;
    size_t n = 0;

    if (ty_job_source_open(f->cli, l->cmd, &l->where, false, &s) != TY_EXIT_OK)
        return;
    if (!nodes)
        s->ops->jobs(s, NULL, add_job, f);
    else if (s->ops->find(s, l->job, &job) == TY_EXIT_OK)
        s->ops->pods(s, f->cli->arena, &job, &pods, &n, &why);
    for (size_t i = 0; i < n; i++)
        ty_strlist_add(f->cli->arena, &f->names, pods[i].node);
}

static void find_contexts(struct names_found *f, const struct command_line *l)
{
    struct ty_kubeconfig_sources where = { .kubeconfig = l->where.kubeconfig };
    struct ty_err ignored = { 0 };

    ty_kubeconfig_sources_env(&where);
    ty_kubeconfig_contexts(f->cli->arena, &where, &f->names, &ignored);
}

static void find_names(struct names_found *f, const struct command_line *l)
{
    bool namespaces = l->option && strcmp(l->option, "namespace") == 0,
         nodes = l->cmd->names == TY_NAMES_JOB_NODE && l->n_operands == 1;
    int side = l->where.local ? TY_WHERE_LOCAL : ty_where(f->cli, l->cmd, &l->where);

    if (l->option && strcmp(l->option, "context") == 0) {
        find_contexts(f, l);
        return;
    }
    if (side < 0 || l->over || (l->option && !namespaces) ||
        (!l->option && (!l->cmd->names || (l->n_operands > 1 && l->cmd->names != TY_NAMES_JOBS))))
        return;
    if (side == TY_WHERE_CLUSTER)
        ty_cluster_names(f->cli, &l->where,
                         namespaces ? TY_CLUSTER_NAMES_NAMESPACES
                         : nodes    ? TY_CLUSTER_NAMES_NODES
                                    : TY_CLUSTER_NAMES_JOBS,
                         l->job, &f->names);
    else if (!namespaces)
        find_local(f, l, nodes);
}

/* ---- printing ---- */

/* A shell expands the words that it is given: nothing of a hostile server may mean anything to it.
 */
static bool is_plain(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
              strchr("-._@:/+", *c)))
            return false;
    return *name && *name != '-';
}

static int by_name(const void *a, const void *b)
{
    return ty_job_history_pods_compare(*(const char *const *)a, *(const char *const *)b);
}

static int print_names(struct ty_cli *cli, struct ty_strlist *names)
{
    ty_auto_buf out = { 0 };

    if (names->n)
        qsort(names->v, names->n, sizeof(*names->v), by_name);
    for (size_t i = 0; i < names->n; i++)
        if (is_plain(names->v[i]) && (i == 0 || strcmp(names->v[i], names->v[i - 1]) != 0))
            ty_buf_printf(&out, "%s\n", names->v[i]);
    return ty_cli_print(cli, &out);
}

int ty_complete_names(struct ty_cli *cli, const char *const *words, size_t n)
{
    struct ty_cli silent = *cli;
    struct names_found f = { .cli = &silent };
    struct command_line l;

    silent.err = fopen("/dev/null", "we");
    if (!silent.err || !read_line(cli->arena, words, n, &l)) {
        if (silent.err)
            fclose(silent.err);
        return TY_EXIT_OK;
    }
    find_names(&f, &l);
    fclose(silent.err);
    print_names(cli, &f.names);
    return TY_EXIT_OK;
}
