/* Reads TrainJobs and their objects from an API server. */
#include "cli/cluster/cluster_source.h"

#include <errno.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "cli/cluster/cluster_events.h"
#include "cli/cluster/cluster_failure.h"
#include "cli/cluster/cluster_jobs.h"
#include "cli/cluster/cluster_watch.h"
#include "cli/history/local_hint.h"
#include "engine/jobset/jobset_read.h"
#include "store/kube/kube_kinds.h"

struct cluster_source {
    struct ty_job_source base; /* first */
    struct ty_cluster_session *session;
    bool all;
    bool jobsets_noted;             /* that JobSets may not be read */
    struct ty_cluster_watch *watch; /* NULL: lists */
};

static struct cluster_source *mine(struct ty_job_source *s)
{
    return (struct cluster_source *)(void *)s;
}

static struct ty_str namespace_of(const struct cluster_source *s)
{
    return s->all ? TY_LIT("") : ty_str(ty_cluster_session_ns(s->session));
}

/* The objects that the selector chooses; of a watch those that have changed. */
static int read_objects(struct cluster_source *s, struct ty_arena *a,
                        const struct ty_kube_selector *which, ty_cluster_watch_keep_fn *keep,
                        void *ctx, struct ty_json ***ret, size_t *ret_n,
                        struct ty_cluster_answer *answer)
{
    if (!s->watch)
        return ty_cluster_session_list_if(s->session, a, which, keep, ctx, ret, ret_n, answer);
    ty_cluster_watch_take(s->watch, a, keep, ctx, ret, ret_n);
    return 0;
}

/* ---- TrainJobs ---- */

static struct ty_str key_of(struct ty_arena *a, const struct ty_json *obj)
{
    return ty_str(ty_arena_printf(a, "%.*s/%.*s", TY_ARG(ty_json_str_at(obj, "metadata.namespace")),
                                  TY_ARG(ty_json_str_at(obj, "metadata.name"))));
}

/* JobSets by namespace and name. Without the right to read them the TrainJobs are shown alone.
 * False: there may be some that could not be read. */
static bool read_jobsets(struct cluster_source *s, struct ty_arena *a,
                         const struct ty_kube_selector *like, struct ty_map *ret)
{
    struct ty_kube_selector which = *like;
    struct ty_cluster_answer answer;
    struct ty_json **objs = NULL;
    size_t n = 0;

    which.kind = &ty_kind_jobset;
    int r = ty_cluster_session_list(s->session, a, &which, &objs, &n, &answer);
    for (size_t i = 0; r == 0 && i < n; i++)
        ty_map_put(ret, key_of(a, objs[i]), objs[i]);
    if (r == 0 || ty_cluster_session_is_absent(&answer))
        return true;
    if (s->jobsets_noted)
        return false;
    s->jobsets_noted = true;
    ty_cli_msg(s->base.cli, TY_MSG_WARNING, "%s; NODES and RESTARTS may be missing",
               ty_cluster_session_error_text(s->session, a, "list JobSets", &answer));
    return false;
}

/* Those that a watch has shown, in their last state. */
static void pass_deleted_jobs(struct cluster_source *s, ty_job_source_job_fn *fn, void *ctx)
{
    ty_auto_arena *a = ty_arena_new_input(TY_CLUSTER_CEILING, NULL);
    struct ty_json **objs = NULL;
    size_t n = 0;

    ty_cluster_watch_take_deleted(s->watch, a, &objs, &n);
    for (size_t i = 0; i < n; i++) {
        struct ty_job_history_entry job;
        ty_cluster_jobs_entry(a, objs[i], ty_cluster_watch_jobset(s->watch, a, key_of(a, objs[i])),
                              &job);
        job.gone = true;
        job.jobset_unread = !job.jobset; /* it may have been deleted before */
        if (!fn(ctx, a, &job))
            return;
    }
}

static int list_jobs(struct cluster_source *s, const char *name, ty_job_source_job_fn *fn,
                     void *ctx)
{
    ty_auto_arena *a = ty_arena_new_input(TY_CLUSTER_CEILING, NULL);
    ty_auto_arena *scratch = ty_arena_new_input(TY_CLUSTER_CEILING, NULL);
    struct ty_kube_selector which = { .kind = &ty_kind_trainjob, .ns = namespace_of(s) };
    struct ty_cluster_answer answer;
    struct ty_map jobsets = { 0 };
    struct ty_json **objs = NULL;
    size_t n = 0;

    if (s->watch)
        pass_deleted_jobs(s, fn, ctx);
    if (name)
        which.fields = ty_str(ty_arena_printf(a, "metadata.name=%s", name));
    if (read_objects(s, a, &which, NULL, NULL, &objs, &n, &answer) < 0)
        return ty_cluster_session_error(s->session, "list TrainJobs", &answer);
    bool known = s->watch ? !ty_cluster_watch_no_right_to_jobsets(s->watch)
                          : n && read_jobsets(s, a, &which, &jobsets);
    bool more = true;
    for (size_t i = 0; i < n && more; i++) {
        struct ty_job_history_entry job;
        struct ty_str key = key_of(scratch, objs[i]);
        ty_cluster_jobs_entry(a, objs[i],
                              s->watch ? ty_cluster_watch_jobset(s->watch, scratch, key)
                                       : ty_map_get(&jobsets, key),
                              &job);
        job.jobset_unread = !known;
        more = fn(ctx, scratch, &job);
        ty_arena_reset(scratch);
    }
    ty_map_done(&jobsets);
    return TY_EXIT_OK;
}

static int get_job(struct cluster_source *s, const char *name, ty_job_source_job_fn *fn, void *ctx)
{
    ty_auto_arena *a = ty_arena_new_input(TY_CLUSTER_CEILING, NULL);
    struct ty_cluster_answer answer;
    struct ty_job_history_entry job;
    int r =
        ty_cluster_jobs_get(s->session, a, ty_cluster_session_ns(s->session), name, &job, &answer);

    if (r == 0)
        fn(ctx, a, &job);
    if (r == 0 || (r == -ENOENT && !ty_cluster_session_is_absent(&answer)))
        return TY_EXIT_OK;
    return ty_cluster_session_error(s->session, ty_arena_printf(a, "get TrainJob \"%s\"", name),
                                    &answer);
}

static int source_jobs(struct ty_job_source *base, const char *name, ty_job_source_job_fn *fn,
                       void *ctx)
{
    struct cluster_source *s = mine(base);

    return name && !s->all && !s->watch ? get_job(s, name, fn, ctx) : list_jobs(s, name, fn, ctx);
}

static int source_find(struct ty_job_source *base, const char *word,
                       struct ty_job_history_entry *ret)
{
    return ty_cluster_jobs_find_or_print(mine(base)->session, base->cli, word, ret);
}

/* ---- the other kinds ---- */

static struct ty_str owner_of(const struct ty_json *jobset)
{
    ty_each_item (ref, ty_json_at(jobset, "metadata.ownerReferences"))
        if (ty_json_true_at(*ref, "controller") &&
            ty_str_is(ty_json_str_at(*ref, "kind"), ty_kind_trainjob.kind))
            return ty_json_str_at(*ref, "name");
    return TY_LIT("");
}

static bool has_owner(void *ctx TY_UNUSED, const struct ty_json *jobset)
{
    return owner_of(jobset).n > 0;
}

/* The JobSets of TrainJobs, "namespace/name"; others have no place in the lists of Jobs and pods.
 * False: they may not be read, so nothing is left out. */
static bool read_owned(struct cluster_source *s, struct ty_arena *a, struct ty_map *ret)
{
    struct ty_kube_selector which = { .kind = &ty_kind_jobset,
                                      .ns = namespace_of(s),
                                      .meta = true };
    struct ty_cluster_answer answer;
    struct ty_json **objs = NULL;
    size_t n = 0;

    if (ty_cluster_session_list_if(s->session, a, &which, has_owner, NULL, &objs, &n, &answer) < 0)
        return false;
    for (size_t i = 0; i < n; i++)
        ty_map_put(ret, key_of(a, objs[i]), objs[i]);
    return true;
}

struct owned_filter {
    struct ty_arena *a; /* emptied after each */
    const struct ty_map *owned;
    struct ty_cluster_watch *watch; /* or NULL */
};

/* Of a Job or pod: its JobSet, which has the TrainJob's name. */
static struct ty_str jobset_of(const struct ty_json *obj)
{
    return ty_json_as_str(ty_json_get(ty_json_at(obj, "metadata.labels"), TY_JOBSET_NAME));
}

static bool is_owned(void *ctx, const struct ty_json *obj)
{
    struct owned_filter *o = ctx;
    struct ty_str key =
        ty_str(ty_arena_printf(o->a, "%.*s/%.*s", TY_ARG(ty_json_str_at(obj, "metadata.namespace")),
                               TY_ARG(jobset_of(obj))));
    bool owned = o->watch ? has_owner(NULL, ty_cluster_watch_jobset(o->watch, o->a, key))
                          : ty_map_get(o->owned, key) != NULL;

    ty_arena_reset(o->a);
    return owned;
}

static void pass_object(struct ty_arena *a, const struct ty_kind *kind, struct ty_json *obj,
                        struct ty_job_object *ret)
{
    const char *name = ty_json_cstr_at(a, obj, "metadata.name");

    *ret = (struct ty_job_object){
        .obj = obj,
        .ns = ty_json_cstr_at(a, obj, "metadata.namespace"),
        .name = name,
        .uid = ty_json_cstr_at(a, obj, "metadata.uid"),
        .job = ty_arena_cstr(a, kind == &ty_kind_jobset ? owner_of(obj) : jobset_of(obj)),
        .place = ty_job_history_pods_host(a, obj, name),
    };
}

static void pass_deleted_objects(struct cluster_source *s, const struct ty_kind *kind,
                                 ty_job_source_object_fn *fn, void *ctx)
{
    ty_auto_arena *a = ty_arena_new_input(TY_CLUSTER_CEILING, NULL);
    struct ty_json **objs = NULL;
    size_t n = 0;

    ty_cluster_watch_take_deleted(s->watch, a, &objs, &n);
    for (size_t i = 0; i < n; i++) {
        struct ty_job_object obj;
        pass_object(a, kind, objs[i], &obj);
        obj.deleted = true;
        if (!fn(ctx, a, &obj))
            return;
    }
}

static int source_objects(struct ty_job_source *base, const struct ty_kind *kind,
                          bool named TY_UNUSED, ty_job_source_object_fn *fn, void *ctx)
{
    struct cluster_source *s = mine(base);
    ty_auto_arena *a = ty_arena_new_input(TY_CLUSTER_CEILING, NULL);
    ty_auto_arena *scratch = ty_arena_new_input(TY_CLUSTER_CEILING, NULL);
    struct ty_kube_selector which = { .kind = kind, .ns = namespace_of(s) };
    struct ty_map owned = { 0 };
    struct owned_filter o = { scratch, &owned, s->watch };
    struct ty_cluster_answer answer;
    struct ty_json **objs = NULL;
    size_t n = 0;
    bool jobsets = kind == &ty_kind_jobset,
         known = !jobsets &&
                 (s->watch ? ty_cluster_watch_has_jobsets(s->watch) : read_owned(s, a, &owned));

    if (s->watch)
        pass_deleted_objects(s, kind, fn, ctx);
    if (!jobsets)
        which.labels = TY_LIT(TY_JOBSET_NAME);
    int r = read_objects(s, a, &which,
                         jobsets ? has_owner
                         : known ? is_owned
                                 : NULL,
                         &o, &objs, &n, &answer);
    ty_map_done(&owned);
    if (r < 0)
        return ty_cluster_session_error(s->session, ty_arena_printf(a, "list %s", kind->plural),
                                        &answer);
    for (size_t i = 0; i < n; i++) {
        struct ty_job_object obj;
        pass_object(a, kind, objs[i], &obj);
        if (!fn(ctx, a, &obj))
            break;
    }
    return TY_EXIT_OK;
}

static int source_pods(struct ty_job_source *base, struct ty_arena *a,
                       const struct ty_job_history_entry *job, struct ty_job_history_pod **ret,
                       size_t *ret_n, const char **ret_why)
{
    struct cluster_source *s = mine(base);
    struct ty_cluster_answer answer;

    *ret_why = NULL;
    if (ty_cluster_jobs_pods(s->session, a, job, ret, ret_n, &answer) < 0) {
        *ret_why = ty_cluster_session_error_text(s->session, a, "list its pods", &answer);
        *ret_n = 0;
    }
    return TY_EXIT_OK;
}

/* A watch may begin before the JobSet exists, which names the Jobs and pods. */
static const struct ty_job_history_entry *with_jobset(struct cluster_source *s, struct ty_arena *a,
                                                      const struct ty_job_history_entry *job,
                                                      struct ty_job_history_entry *room)
{
    struct ty_job_history_entry now;
    struct ty_cluster_answer answer;

    if (!job || job->jobset || !s->watch ||
        ty_cluster_jobs_get(s->session, a, job->ns, job->name, &now, &answer) < 0)
        return job;
    *room = *job;
    room->jobset = now.jobset;
    return room;
}

static int source_events(struct ty_job_source *base, struct ty_arena *a,
                         const struct ty_job_history_entry *job, ty_job_source_event_fn *fn,
                         void *ctx, const char **ret_why)
{
    struct cluster_source *s = mine(base);
    struct ty_job_history_entry room;
    struct ty_cluster_answer answer;

    *ret_why = NULL;
    job = with_jobset(s, a, job, &room);
    if (ty_cluster_events(s->session,
                          &(struct ty_cluster_events_query){ .arena = a,
                                                             .ns = namespace_of(s),
                                                             .job = job,
                                                             .watch = s->watch,
                                                             .fn = fn,
                                                             .ctx = ctx },
                          &answer) < 0)
        *ret_why = ty_cluster_session_error_text(s->session, a, "list events", &answer);
    return TY_EXIT_OK;
}

static void source_failure(struct ty_job_source *base, struct ty_arena *a,
                           const struct ty_job_history_entry *job,
                           const struct ty_job_history_pod *pods, size_t n, struct ty_buf *out)
{
    ty_cluster_failure(mine(base)->session, a, job, pods, n, out);
}

/* ---- the rest ---- */

static int source_wait(struct ty_job_source *base, const struct ty_kind *kind)
{
    struct cluster_source *s = mine(base);
    bool children = kind == &ty_kind_job || kind == &ty_kind_pod;
    struct ty_cluster_watch_opts opts = { .which = { .kind = kind, .ns = namespace_of(s) },
                                          .jobsets = kind == &ty_kind_trainjob || children,
                                          .deleted = kind != &ty_kind_event };

    if (children)
        opts.which.labels = TY_LIT(TY_JOBSET_NAME);
    if (!s->watch)
        s->watch = ty_cluster_watch_new(s->session, &opts);
    return ty_cluster_watch_wait(s->watch);
}

static bool source_hint(struct ty_job_source *base, const char *name)
{
    const struct cluster_source *s = mine(base);

    return ty_local_hint(base->cli, name, ty_cluster_session_ns(s->session),
                         ty_cluster_session_where(s->session));
}

static void source_free(struct ty_job_source *base)
{
    struct cluster_source *s = mine(base);

    ty_cluster_watch_free(s->watch);
    ty_cluster_session_free(s->session);
    free(s);
}

static const struct ty_job_source_ops ops = { .jobs = source_jobs,
                                              .find = source_find,
                                              .objects = source_objects,
                                              .pods = source_pods,
                                              .events = source_events,
                                              .failure = source_failure,
                                              .wait = source_wait,
                                              .hint = source_hint,
                                              .free = source_free };

struct ty_cluster_session *ty_cluster_source_session(const struct ty_job_source *s)
{
    return s->ops == &ops ? ((const struct cluster_source *)(const void *)s)->session : NULL;
}

int ty_cluster_source_open(struct ty_cli *cli, const struct ty_where_opts *opts, bool all,
                           struct ty_job_source **ret)
{
    struct ty_cluster_session *session = NULL;
    int code = ty_cluster_session_open(cli, opts, &session);

    if (code)
        return code;
    struct cluster_source *s = ty_xalloc(calloc(1, sizeof(*s)));
    *s = (struct cluster_source){ .base = { .ops = &ops, .cli = cli },
                                  .session = session,
                                  .all = all };
    *ret = (struct ty_job_source *)(void *)s; /* the base is first */
    return TY_EXIT_OK;
}
