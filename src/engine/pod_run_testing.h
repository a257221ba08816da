/* Shared by the tests of pod_run: a pod, a clock, and a log of the deeds. */
#ifndef TY_ENGINE_POD_RUN_TESTING_H
#define TY_ENGINE_POD_RUN_TESTING_H

#include <signal.h>

#include "engine/pod_run_inner.h"
#include "engine/pod_testing.h"

struct world {
    struct fixture *f;
    struct ty_pod_run *r;
    int64_t now, wake;
    char log[8192]; /* deeds since the last look, one word each */
    char events[8192];
    size_t statuses;
};

TY_UNUSED static int world_setup(void **state)
{
    struct world *w = calloc(1, sizeof(*w));
    void *f = NULL;

    setup(&f);
    w->f = f;
    w->now = 1767225600000; /* 2026-01-01T00:00:00Z */
    *state = w;
    return 0;
}

TY_UNUSED static int world_teardown(void **state)
{
    struct world *w = *state;
    void *f = w->f;

    ty_pod_run_free(w->r);
    free(w);
    return teardown(&f);
}

static void note_deed(struct world *w, const struct ty_deed *d)
{
    const char *name = w->f->plan.containers[d->c].name;
    size_t n = strlen(w->log), e = strlen(w->events);
    char *at = w->log + n;
    size_t room = sizeof(w->log) - n;

    switch (d->kind) {
    case TY_DEED_START:
        snprintf(at, room, "start %s %d;", name, d->n);
        break;
    case TY_DEED_SIGNAL:
        snprintf(at, room, "%s %s;", d->n == SIGKILL ? "kill" : "term", name);
        break;
    case TY_DEED_PROBE:
        snprintf(at, room, "%s %s;",
                 d->n == TY_USE_STARTUP    ? "startup"
                 : d->n == TY_USE_LIVENESS ? "liveness"
                                           : "readiness",
                 name);
        break;
    case TY_DEED_HOOK:
        snprintf(at, room, "%s %s;", d->n ? "postStart" : "preStop", name);
        break;
    case TY_DEED_STATUS:
        w->statuses++;
        break;
    case TY_DEED_OVER:
        snprintf(at, room, "over;");
        break;
    case TY_DEED_EVENT:
        snprintf(w->events + e, sizeof(w->events) - e, "%s %s %s;", d->event.type, d->event.reason,
                 d->event.message);
        break;
    }
}

/* What there is to do now. */
TY_UNUSED static const char *deeds(struct world *w)
{
    struct ty_deeds ret;

    w->log[0] = '\0';
    for (int rounds = 0;; rounds++) {
        ty_pod_run_step(w->r, w->now, &ret);
        for (size_t i = 0; i < ret.n; i++)
            note_deed(w, &ret.v[i]);
        if (!ret.n)
            break;
        assert_true(rounds < 100);
    }
    w->wake = ret.wake_ms;
    return w->log;
}

/* Goes to the time that the pod asked for, which is so many seconds away. */
TY_UNUSED static const char *wake(struct world *w, int64_t after_s)
{
    assert_int_equal(w->wake - w->now, after_s * 1000);
    w->now = w->wake;
    return deeds(w);
}

TY_UNUSED static void begin(struct world *w, const char *spec)
{
    ty_pod_run_free(w->r); /* before its plan goes */
    if (make(w->f, spec) < 0)
        fail_msg("%s", w->f->err.text);
    w->r = ty_pod_run_new(&w->f->plan, w->now);
}

static size_t named(const struct world *w, const char *name)
{
    for (size_t i = 0; i < w->f->plan.n; i++)
        if (strcmp(w->f->plan.containers[i].name, name) == 0)
            return i;
    fail_msg("no container %s", name);
    return 0;
}

TY_UNUSED static const char *started(struct world *w, const char *name)
{
    ty_pod_run_started(w->r, named(w, name), w->now);
    return deeds(w);
}

TY_UNUSED static const char *exited(struct world *w, const char *name, int code)
{
    ty_pod_run_exited(w->r, named(w, name), code << 8, false, NULL, w->now);
    return deeds(w);
}

TY_UNUSED static const char *killed(struct world *w, const char *name, int signal)
{
    ty_pod_run_exited(w->r, named(w, name), signal, false, NULL, w->now);
    return deeds(w);
}

TY_UNUSED static const char *hooked(struct world *w, const char *name, bool ok)
{
    ty_pod_run_hooked(w->r, named(w, name), ok, w->now);
    return deeds(w);
}

TY_UNUSED static const char *probed(struct world *w, const char *name, enum ty_probe_use use,
                                    bool ok)
{
    ty_pod_run_probed(w->r, named(w, name), use, ok, "why not", w->now);
    return deeds(w);
}

TY_UNUSED static const char *stop(struct world *w, int64_t grace_s)
{
    ty_pod_run_stop(w->r, grace_s, w->now);
    return deeds(w);
}

TY_UNUSED static struct ty_json *status(struct world *w)
{
    return ty_pod_run_status(w->r, w->f->a, "127.1.2.3");
}

/* Compact text at a dotted path of the status of a container. */
TY_UNUSED static const char *container(struct world *w, const char *name, const char *path)
{
    struct ty_json *s = status(w);
    struct ty_json *c = ty_json_by(ty_json_get(s, "containerStatuses"), "name", ty_str(name), NULL);

    if (!c)
        c = ty_json_by(ty_json_get(s, "initContainerStatuses"), "name", ty_str(name), NULL);
    assert_non_null(c);
    c = ty_json_at(c, path);
    return c ? json_show(w->f->a, c) : "none";
}

/* "True", or "False Reason: message" */
TY_UNUSED static const char *condition(struct world *w, const char *type)
{
    struct ty_json *c =
        ty_json_by(ty_json_get(status(w), "conditions"), "type", ty_str(type), NULL);
    struct ty_str reason = ty_json_str_at(c, "reason"), message = ty_json_str_at(c, "message");

    return ty_arena_printf(w->f->a, "%.*s%s%.*s%s%.*s", TY_ARG(ty_json_str_at(c, "status")),
                           reason.n ? " " : "", TY_ARG(reason), message.n ? ": " : "",
                           TY_ARG(message));
}

#define with_world(fn)   cmocka_unit_test_setup_teardown(fn, world_setup, world_teardown)
#define C(name, members) "{'name':'" name "','image':'i','command':['x']" members "}"

#endif
