#include "cli/cluster/cluster_jobs.h"
#include "cli/history/local_hint.h"

#include <errno.h>

#include "base/time.h"
#include "engine/jobset/jobset_read.h"
#include "report/pod_failure.h"

static int64_t created_s(const struct ty_json *obj)
{
    int64_t s = 0;

    (void)ty_time_parse(ty_json_str_at(obj, "metadata.creationTimestamp"), &s);
    return s;
}

void ty_cluster_jobs_entry(struct ty_arena *a, struct ty_json *job, struct ty_json *jobset,
                           struct ty_job_history_entry *ret)
{
    *ret = (struct ty_job_history_entry){
        .run = { .dir = "", .command = "", .how = "", .started_ms = created_s(job) * 1000 },
        .alive = TY_HISTORY_RUN_LIVE,
        .ns = ty_json_cstr_at(a, job, "metadata.namespace"),
        .name = ty_json_cstr_at(a, job, "metadata.name"),
        .job = job,
        .jobset = jobset,
    };
}

/* ---- one TrainJob ---- */

static struct ty_json *get_object(struct ty_cluster_session *s, struct ty_arena *a,
                                  const struct ty_kind *kind, const char *ns, const char *name,
                                  struct ty_cluster_answer *answer)
{
    struct ty_kube_request ask = {
        .verb = TY_KUBE_GET, .kind = kind, .ns = ty_str(ns), .name = ty_str(name)
    };

    if (ty_cluster_session_call(s, a, &ask, answer) < 0)
        return NULL;
    return ty_json_parse(a, answer->text, NULL, NULL); /* the caller may change it */
}

int ty_cluster_jobs_get(struct ty_cluster_session *s, struct ty_arena *a, const char *ns,
                        const char *name, struct ty_job_history_entry *ret,
                        struct ty_cluster_answer *answer)
{
    struct ty_cluster_answer ignored;
    struct ty_json *job = get_object(s, a, &ty_kind_trainjob, ns, name, answer);

    if (!job)
        return answer->r < 0 ? answer->r : -EPROTO;
    ty_cluster_jobs_entry(a, job, get_object(s, a, &ty_kind_jobset, ns, name, &ignored), ret);
    ret->jobset_unread = !ret->jobset && ignored.r != -ENOENT;
    return 0;
}

/* ---- by a pod ---- */

struct host_search {
    const char *host;
};

static bool has_host(void *ctx, const struct ty_json *pod)
{
    const struct host_search *h = ctx;

    return ty_str_is(ty_json_str_at(pod, "spec.hostname"), h->host);
}

/* The pod of this name or host name; NULL: none that may be read. */
static struct ty_json *find_pod(struct ty_cluster_session *s, struct ty_arena *a, const char *name)
{
    struct ty_cluster_answer ignored;
    struct host_search h = { name };
    struct ty_kube_selector which = { .kind = &ty_kind_pod,
                                      .ns = ty_str(ty_cluster_session_ns(s)),
                                      .labels = TY_LIT(TY_JOBSET_NAME) };
    struct ty_json **pods = NULL,
                   *pod = get_object(s, a, &ty_kind_pod, ty_cluster_session_ns(s), name, &ignored);
    size_t n = 0;

    if (pod || ignored.r != -ENOENT)
        return pod;
    ty_cluster_session_list_if(s, a, &which, has_host, &h, &pods, &n, &ignored);
    return n ? pods[0] : NULL;
}

int ty_cluster_jobs_find(struct ty_cluster_session *s, struct ty_arena *a, const char *word,
                         struct ty_job_history_entry *ret, struct ty_cluster_answer *answer)
{
    const char *ns = ty_cluster_session_ns(s), *name = ty_job_history_name(word),
               *pod_name = ty_job_history_name_of_kind(word, &ty_kind_pod);
    struct ty_cluster_answer second;
    int r = pod_name ? -ENOENT : ty_cluster_jobs_get(s, a, ns, name, ret, answer);

    if (pod_name)
        *answer = (struct ty_cluster_answer){ .r = -ENOENT,
                                              .code = 404,
                                              .reason = "NotFound",
                                              .message = "not found",
                                              .verb = "get",
                                              .kind = &ty_kind_trainjob,
                                              .ns = ns,
                                              .name = pod_name,
                                              .sub = "" };
    if (r != -ENOENT || ty_cluster_session_is_absent(answer))
        return r;
    const struct ty_json *pod = find_pod(s, a, pod_name ? pod_name : name),
                         *labels = ty_json_at(pod, "metadata.labels");
    const char *job = ty_arena_cstr(a, ty_json_as_str(ty_json_get(labels, TY_JOBSET_NAME)));
    if (!*job || ty_cluster_jobs_get(s, a, ns, job, ret, &second) < 0)
        return r;
    ret->pod = ty_job_history_pods_host(a, pod, ty_json_cstr_at(a, pod, "metadata.name"));
    return 0;
}

bool ty_cluster_jobs_is_missing(const struct ty_cluster_answer *answer)
{
    return answer->r == -ENOENT && !ty_cluster_session_is_absent(answer);
}

int ty_cluster_jobs_error(struct ty_cluster_session *s, struct ty_cli *cli, const char *word,
                          const struct ty_cluster_answer *why)
{
    const char *name = ty_job_history_name(word);

    if (!ty_cluster_jobs_is_missing(why))
        return ty_cluster_session_error(s, ty_arena_printf(cli->arena, "get TrainJob \"%s\"", name),
                                        why);
    int code = ty_job_history_not_found(cli, &ty_kind_trainjob, name);
    ty_local_hint(cli, name, ty_cluster_session_ns(s), ty_cluster_session_where(s));
    return code;
}

int ty_cluster_jobs_find_or_print(struct ty_cluster_session *s, struct ty_cli *cli,
                                  const char *word, struct ty_job_history_entry *ret)
{
    struct ty_cluster_answer answer;
    int r = ty_cluster_jobs_find(s, cli->arena, word, ret, &answer);

    return r == 0 ? TY_EXIT_OK : ty_cluster_jobs_error(s, cli, word, &answer);
}

/* ---- pods ---- */

/* Of two pods of a host the one of the later attempt, then the younger one. */
static bool is_newer(const struct ty_json *a, const struct ty_json *b)
{
    int64_t x = ty_pod_failure_attempt(a), y = ty_pod_failure_attempt(b);

    return x != y ? x > y : created_s(a) > created_s(b);
}

int ty_cluster_jobs_pods(struct ty_cluster_session *s, struct ty_arena *a,
                         const struct ty_job_history_entry *job, struct ty_job_history_pod **ret,
                         size_t *ret_n, struct ty_cluster_answer *answer)
{
    struct ty_kube_selector which = { .kind = &ty_kind_pod,
                                      .ns = ty_str(job->ns),
                                      .labels = ty_str(
                                          ty_arena_printf(a, TY_JOBSET_NAME "=%s", job->name)) };
    struct ty_map by_host = { 0 };
    struct ty_json **objs = NULL;
    size_t n = 0, used = 0;
    int r = ty_cluster_session_list(s, a, &which, &objs, &n, answer);
    struct ty_job_history_pod *pods = ty_new_n(a, struct ty_job_history_pod, n + 1);

    for (size_t i = 0; r == 0 && i < n; i++) {
        const char *name =
            ty_job_history_pods_host(a, objs[i], ty_json_cstr_at(a, objs[i], "metadata.name"));
        size_t at = (size_t)(uintptr_t)ty_map_get(&by_host, ty_str(name)); /* index + 1 */
        if (at && !is_newer(objs[i], pods[at - 1].obj))
            continue;
        if (!at) {
            at = ++used;
            ty_map_put(&by_host, ty_str(name), (void *)(uintptr_t)at);
        }
        pods[at - 1] = (struct ty_job_history_pod){
            .host = name, .node = ty_job_history_pods_node(job->name, name), .obj = objs[i]
        };
    }
    ty_map_done(&by_host);
    ty_job_history_pods_sort(pods, used);
    *ret = pods;
    *ret_n = used;
    return r;
}
