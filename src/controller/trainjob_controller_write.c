/* Sends the writes of one job in order. A failed apply cancels the later applies of its reconcile,
 * because a JobSet must not be created before what its pods mount; the status is still written. */
#include <errno.h>
#include <stdlib.h>

#include "controller/trainjob_controller_fetch.h"
#include "controller/trainjob_controller_log.h"
#include "controller/trainjob_controller_watch.h"

#define SCRATCH ((size_t)64 << 20)

static void next_step(struct ty_inflight *w);

/* Another replica leads and reconciles the rest. */
static void abandon_steps(struct ty_inflight *w)
{
    w->step = NULL;
    w->failed = true;
}

/* The 404 of a kind that is not served has no Status message: uses the message of typed clients. */
static const char *reason_of(struct ty_arena *a, const struct ty_write_step *s,
                             const struct ty_kube_response *answer)
{
    if (answer->r == -ENOENT && answer->reason.n == 0)
        return ty_arena_printf(a, "no matches for kind \"%s\" in version \"%s\"", s->kind->kind,
                               ty_kind_api_version(a, s->kind));
    return ty_arena_cstr(a, answer->message);
}

static const char *verb_of(const struct ty_write_step *s)
{
    static const char *const verbs[] = {
        [TY_WRITE_APPLY] = "apply",
        [TY_WRITE_STATUS] = "write the status of",
        [TY_WRITE_DELETE] = "delete",
        [TY_WRITE_FINALIZERS] = "change the finalizers of",
    };

    return verbs[s->op];
}

static bool has_text(struct ty_str s, const char *text)
{
    return s.n && memmem(s.p, s.n, text, strlen(text));
}

/* Admission or a schema refused the object, so retries fail until the job or the cluster changes.
 * Missing RBAC rights of the operator, and a namespace that is being deleted, are no fault of the
 * job. */
static bool is_final(const struct ty_write_step *s, const struct ty_kube_response *a)
{
    bool code = a->code == 400 || a->code == 403 || a->code == 413 || a->code == 422;
    bool rights = has_text(a->message, "is forbidden: User \"") && has_text(a->message, " cannot ");

    return s->op == TY_WRITE_APPLY && code && a->reason.n && !rights &&
           !has_text(a->message, "because it is being terminated");
}

/* The TrainJob's status already reports a refused child: no second event. */
static bool is_reported(const struct ty_inflight *w, struct ty_arena *a)
{
    const struct ty_cached *job =
        ty_cache_get(w->controller->cache, &ty_kind_trainjob, w->key.ns, w->key.name);
    const struct ty_json *status = job ? ty_json_get(ty_cache_parse(a, job), "status") : NULL;

    return ty_trainjob_is_refused(status) || ty_trainjob_is_suspend_refused(status);
}

static void report_refused(struct ty_inflight *w, const struct ty_write_step *s,
                           const struct ty_kube_response *a)
{
    struct ty_trainjob_controller *j = w->controller;
    ty_auto_arena *scratch = ty_arena_new(SCRATCH);
    const char *what = ty_arena_printf(scratch, "could not %s %s %.*s", verb_of(s), s->kind->kind,
                                       TY_ARG(s->name));
    const char *why = reason_of(scratch, s, a);

    ty_error(j->s.log, why, what, TY_S("controller", "trainjob_controller"),
             TY_STR("namespace", w->key.ns), TY_STR("name", w->key.name), TY_I("code", a->code));
    if (s->op != TY_WRITE_APPLY)
        return;
    struct ty_str note = ty_events_failed_note(scratch, ty_str(why));
    bool final = is_final(s, a);
    if (!final || !is_reported(w, scratch))
        ty_trainjob_controller_record_event(j, w->key, "Warning", TY_REASON_CREATION_FAILED, note);
    ty_trainjob_controller_apply_failed(w, final ? note : (struct ty_str){ 0 });
}

/* JobSet's webhook and the rules of its CRD use this word for fields that cannot change; an invalid
 * field is refused in other words, and a re-created JobSet would have it, too. */
static bool is_immutable(const struct ty_write_step *s, const struct ty_kube_response *a)
{
    return s->op == TY_WRITE_APPLY && s->kind == &ty_kind_jobset && a->code == 422 &&
           has_text(a->message, "immutable");
}

/* No pod of the JobSet has ever run: deletes it, if it has not changed since, and re-creates it
 * when its watch reports the deletion. Until then the status describes the old JobSet. */
static void replace_jobset(struct ty_inflight *w, struct ty_write_step *s)
{
    struct ty_write_step *gone = ty_new(w->arena, struct ty_write_step);

    ty_trainjob_controller_apply_failed(w, (struct ty_str){ 0 });
    *gone = (struct ty_write_step){ .op = TY_WRITE_DELETE,
                                    .kind = s->kind,
                                    .name = s->name,
                                    .uid = s->uid,
                                    .version = s->version,
                                    .next = s->next };
    s->next = gone;
    w->replaced = true;
}

static void report_replaced(struct ty_inflight *w, const struct ty_write_step *s)
{
    char note[512];

    snprintf(note, sizeof(note),
             "JobSet \"%.*s\" was outdated and could not be changed; no pod of it has ever run, so "
             "it was deleted and is re-created",
             TY_ARG(s->name));
    ty_trainjob_controller_record_event(w->controller, w->key, "Normal", TY_REASON_JOBSET_REPLACED,
                                        ty_str(note));
    ty_info(w->controller->s.log, "replacing a JobSet that is outdated and has never had pods",
            TY_S("controller", "trainjob_controller"), TY_STR("namespace", w->key.ns),
            TY_STR("name", w->key.name));
}

/* The JobSet has had pods, and today's rendering differs in a field that jobset_freeze_conflicts
 * did not report: reconciles once more and writes only what may change. */
static bool may_freeze(const struct ty_inflight *w, const struct ty_write_step *s,
                       const struct ty_kube_response *a)
{
    return is_immutable(s, a) && !w->pending.freeze &&
           ty_cache_get(w->controller->cache, s->kind, w->key.ns, s->name);
}

static void retry_frozen(struct ty_inflight *w, struct ty_write_step *s)
{
    ty_trainjob_controller_pending(w->controller, w->key.ns, w->key.name)->freeze = true;
    ty_trainjob_controller_enqueue(w->controller, w->key.ns, w->key.name);
    s->next = NULL;
}

bool ty_trainjob_controller_write_observe(struct ty_trainjob_controller *j, struct ty_str ns,
                                          struct ty_str job, const struct ty_cached *now)
{
    struct ty_inflight *w = j->inflight;

    while (w && (w->key.kind != TY_CONTROLLER_TRAINJOB || !ty_str_eq(w->key.name, job) ||
                 !ty_str_eq(w->key.ns, ns)))
        w = w->next;
    const struct ty_write_step *s = w ? w->step : NULL;
    if (!s || s->op == TY_WRITE_DELETE || s->kind != now->id.kind ||
        !ty_str_is(s->name, now->id.name))
        return false;
    if (j->answering == w)
        w->wrote = true;
    else if (w->event || !now->id.version)
        return false; /* one of the two is another client's */
    else
        w->event = now->id.version;
    return true;
}

/* Whose was the watch event that came before the answer? answered: 0: the write failed. */
static void settle_event(struct ty_inflight *w, uint64_t answered)
{
    if (w->event && w->event == answered) {
        w->wrote = true;
    } else if (w->event) { /* another client's */
        ty_trainjob_controller_pending(w->controller, w->key.ns, w->key.name)->check_children =
            true;
        ty_trainjob_controller_enqueue(w->controller, w->key.ns, w->key.name);
    }
    w->event = 0;
}

/* Puts the answer into the cache, unless a watch event has stored a newer version: then the digest
 * after our own write is not known. */
static void update_cache(struct ty_inflight *w, const struct ty_write_step *s,
                         const struct ty_kube_response *a, uint64_t answered)
{
    struct ty_trainjob_controller *j = w->controller;
    struct ty_reflector *f = ty_trainjob_controller_reflect(j, s->kind);

    if (s->op == TY_WRITE_DELETE || !f)
        return; /* the watch reports the deletion */
    struct ty_kube_object answer;
    ty_kube_object_init(a->json, a->text, &answer);
    j->answering = w;
    ty_reflector_observe_write(f, &answer);
    j->answering = NULL;
    if (!ty_reflector_synced(f)) /* a kind that was not served before is served now */
        ty_reflector_retry_now(f);
    const struct ty_cached *o = ty_cache_get(j->cache, s->kind, w->key.ns, s->name);
    if (s->op != TY_WRITE_APPLY || !o || o->id.version != answered)
        return;
    ty_cache_set_applied(j->cache, o, s->desired_digest);
    if (s->data.n)
        ty_cache_set_data(j->cache, o, s->data);
}

/* A merge patch, with the resourceVersion that the reconcile saw as its precondition. */
static bool is_patch(const struct ty_write_step *s)
{
    return s->op == TY_WRITE_STATUS || s->op == TY_WRITE_FINALIZERS;
}

static void on_answer(void *ctx, const struct ty_kube_response *a)
{
    struct ty_inflight *w = ctx;
    struct ty_write_step *s = w->step;

    uint64_t answered = 0;
    w->op = NULL;
    if (a->r == 0)
        ty_str_parse_u64(a->version, &answered);
    settle_event(w, answered);
    if (a->r == 0) {
        ty_trainjob_controller_log_write(w, s, a);
        update_cache(w, s, a, answered);
        if (s->op == TY_WRITE_DELETE && s->version.n)
            report_replaced(w, s);
    } else if (a->r == -ENOENT && s->op != TY_WRITE_APPLY) {
        /* deleted in the meantime: nothing to report */
    } else if (s->uid.n && is_immutable(s, a)) {
        replace_jobset(w, s);
    } else if (may_freeze(w, s, a)) {
        retry_frozen(w, s);
    } else if (a->r == -ESTALE && (is_patch(s) || s->version.n)) {
        w->failed = true; /* its watch event stores the change, then the job is reconciled again */
        ty_debug(w->controller->s.log, "object changed during the write: reconciling again",
                 TY_S("kind", s->kind->kind), TY_STR("namespace", w->key.ns),
                 TY_STR("name", w->key.name));
    } else if (a->r != -ECANCELED) {
        w->failed = true;
        report_refused(w, s, a);
    }
    w->step = s->next;
    if (a->r ==
        -ECANCELED) /* also after the last step: it is not known whether the server executed it */
        abandon_steps(w);
    next_step(w);
}

static void send_step(struct ty_inflight *w)
{
    struct ty_trainjob_controller *j = w->controller;
    const struct ty_write_step *s = w->step;
    struct ty_kube_request ask = { .verb = TY_KUBE_MERGE,
                                   .kind = s->kind,
                                   .ns = w->key.ns,
                                   .name = s->name,
                                   .body = s->body,
                                   .fenced = true,
                                   .fn = on_answer,
                                   .ctx = w };

    if (s->op == TY_WRITE_APPLY) {
        ask.verb = TY_KUBE_APPLY;
        ask.manager = "trainer";
        ask.force = true;
        ask.meta = s->kind == &ty_kind_configmap || s->kind == &ty_kind_secret;
        j->counts.applies++;
    } else if (s->op == TY_WRITE_DELETE) {
        ask.verb = TY_KUBE_DELETE;
        ask.uid = s->uid;
        ask.version = s->version;
        /* The re-created JobSet creates Jobs of the same names: the old ones must be deleted
         * first. */
        ask.propagation = s->version.n ? "Foreground" : "Background";
        j->counts.deletes++;
    } else if (s->op == TY_WRITE_STATUS) {
        ask.sub = "status";
        j->counts.statuses++;
    } else {
        j->counts.finalizers++;
    }
    w->op = ty_kube_start(j->s.kube, &ask);
}

static void next_step(struct ty_inflight *w)
{
    struct ty_trainjob_controller *j = w->controller;

    while (w->step && w->failed && w->step->op == TY_WRITE_APPLY)
        w->step = w->step->next;
    if (w->step && !j->leading)
        abandon_steps(w);
    if (w->step)
        send_step(w);
    else
        ty_trainjob_controller_write_done(w);
}

void ty_trainjob_controller_write(struct ty_inflight *w)
{
    if (w->result.fetch) {
        ty_trainjob_controller_fetch(w);
        return;
    }
    w->step = w->result.steps;
    if (!w->step && w->result.err.code == 0)
        w->controller->counts.skipped++;
    next_step(w);
}
