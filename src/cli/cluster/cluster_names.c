#include "cli/cluster/cluster_names.h"

#include "cli/cluster/cluster_jobs.h"
#include "store/kube/kube_kinds.h"

static int list_nodes(struct ty_cluster_session *s, struct ty_arena *a, const char *word,
                      struct ty_strlist *ret)
{
    struct ty_job_history_entry job = { .ns = ty_cluster_session_ns(s),
                                        .name = ty_job_history_name(word) };
    struct ty_job_history_pod *pods = NULL;
    struct ty_cluster_answer answer;
    size_t n = 0;

    if (ty_cluster_jobs_pods(s, a, &job, &pods, &n, &answer) < 0)
        return ty_cluster_session_error(s, "list the pods", &answer);
    for (size_t i = 0; i < n; i++)
        ty_strlist_add(a, ret, pods[i].node);
    return TY_EXIT_OK;
}

static int list_objects(struct ty_cluster_session *s, struct ty_arena *a,
                        const struct ty_kind *kind, struct ty_strlist *ret)
{
    struct ty_kube_selector which = { .kind = kind, .meta = true };
    struct ty_cluster_answer answer;
    struct ty_json **objs = NULL;
    size_t n = 0;

    if (kind->namespaced)
        which.ns = ty_str(ty_cluster_session_ns(s));
    if (ty_cluster_session_list(s, a, &which, &objs, &n, &answer) < 0)
        return ty_cluster_session_error(s, ty_arena_printf(a, "list %s", kind->plural), &answer);
    for (size_t i = 0; i < n; i++)
        ty_strlist_add(a, ret, ty_json_cstr_at(a, objs[i], "metadata.name"));
    return TY_EXIT_OK;
}

int ty_cluster_names(struct ty_cli *cli, const struct ty_where_opts *where,
                     enum ty_cluster_names what, const char *job, struct ty_strlist *ret)
{
    ty_auto_cluster_session *s = NULL;
    int code = ty_cluster_session_open(cli, where, &s);

    if (code)
        return code;
    if (what == TY_CLUSTER_NAMES_NODES)
        return list_nodes(s, cli->arena, job, ret);
    return list_objects(
        s, cli->arena, what == TY_CLUSTER_NAMES_JOBS ? &ty_kind_trainjob : &ty_kind_namespace, ret);
}
