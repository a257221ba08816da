/* Shared by the tests of pod_lifecycle: a pod, a clock, and a log of the actions. */
#ifndef TY_ENGINE_POD_POD_LIFECYCLE_TESTING_H
#define TY_ENGINE_POD_POD_LIFECYCLE_TESTING_H

#include <signal.h>

#include "engine/pod/pod_lifecycle.h"
#include "engine/pod/pod_lifecycle_inner.h"
#include "engine/pod/pod_testing.h"

struct lifecycle_fixture {
    struct fixture *f;
    struct ty_pod_lifecycle *r;
    int64_t now, wake;
    char log[8192]; /* actions since the last look, one word each */
    char events[8192];
    size_t statuses;
};

TY_UNUSED static int lifecycle_setup(void **state)
{
    struct lifecycle_fixture *w = calloc(1, sizeof(*w));
    void *f = NULL;

    setup(&f);
    w->f = f;
    w->now = 1767225600000; /* 2026-01-01T00:00:00Z */
    *state = w;
    return 0;
}

TY_UNUSED static int lifecycle_teardown(void **state)
{
    struct lifecycle_fixture *w = *state;
    void *f = w->f;

    ty_pod_lifecycle_free(w->r);
    free(w);
    return teardown(&f);
}

static void log_action(struct lifecycle_fixture *w, const struct ty_pod_action *d)
{
    const char *name = w->f->plan.containers[d->c].name;
    size_t n = strlen(w->log), e = strlen(w->events);
    char *at = w->log + n;
    size_t room = sizeof(w->log) - n;

    switch (d->kind) {
    case TY_POD_ACTION_START:
        snprintf(at, room, "start %s %d;", name, d->n);
        break;
    case TY_POD_ACTION_SIGNAL:
        snprintf(at, room, "%s %s;", d->n == SIGKILL ? "kill" : "term", name);
        break;
    case TY_POD_ACTION_PROBE:
        snprintf(at, room, "%s %s;",
                 d->n == TY_STARTUP_PROBE    ? "startup"
                 : d->n == TY_LIVENESS_PROBE ? "liveness"
                                             : "readiness",
                 name);
        break;
    case TY_POD_ACTION_HOOK:
        snprintf(at, room, "%s %s;", d->n ? "postStart" : "preStop", name);
        break;
    case TY_POD_ACTION_STATUS:
        w->statuses++;
        break;
    case TY_POD_ACTION_OVER:
        snprintf(at, room, "over;");
        break;
    case TY_POD_ACTION_EVENT:
        snprintf(w->events + e, sizeof(w->events) - e, "%s %s %s;", d->event.type, d->event.reason,
                 d->event.message);
        break;
    }
}

/* What there is to do now. */
TY_UNUSED static const char *next_actions(struct lifecycle_fixture *w)
{
    struct ty_pod_actions ret;

    w->log[0] = '\0';
    for (int rounds = 0;; rounds++) {
        ty_pod_lifecycle_next_actions(w->r, w->now, &ret);
        for (size_t i = 0; i < ret.n; i++)
            log_action(w, &ret.v[i]);
        if (!ret.n)
            break;
        assert_true(rounds < 100);
    }
    w->wake = ret.wake_ms;
    return w->log;
}

/* Goes to the time that the pod asked for, which is so many seconds away. */
TY_UNUSED static const char *advance_to_wake(struct lifecycle_fixture *w, int64_t after_s)
{
    assert_int_equal(w->wake - w->now, after_s * 1000);
    w->now = w->wake;
    return next_actions(w);
}

TY_UNUSED static void start_lifecycle(struct lifecycle_fixture *w, const char *spec)
{
    ty_pod_lifecycle_free(w->r); /* before its plan goes */
    if (make(w->f, spec) < 0)
        fail_msg("%s", w->f->err.text);
    w->r = ty_pod_lifecycle_new(&w->f->plan, w->now);
}

static size_t container_index(const struct lifecycle_fixture *w, const char *name)
{
    for (size_t i = 0; i < w->f->plan.n; i++)
        if (strcmp(w->f->plan.containers[i].name, name) == 0)
            return i;
    fail_msg("no container %s", name);
    return 0;
}

TY_UNUSED static const char *report_started(struct lifecycle_fixture *w, const char *name)
{
    ty_pod_lifecycle_started(w->r, container_index(w, name), w->now);
    return next_actions(w);
}

TY_UNUSED static const char *report_exit(struct lifecycle_fixture *w, const char *name, int code)
{
    ty_pod_lifecycle_exited(w->r, container_index(w, name), code << 8, false, NULL, w->now);
    return next_actions(w);
}

TY_UNUSED static const char *report_signal(struct lifecycle_fixture *w, const char *name,
                                           int signal)
{
    ty_pod_lifecycle_exited(w->r, container_index(w, name), signal, false, NULL, w->now);
    return next_actions(w);
}

TY_UNUSED static const char *report_hook(struct lifecycle_fixture *w, const char *name, bool ok)
{
    ty_pod_lifecycle_hook_result(w->r, container_index(w, name), ok, w->now);
    return next_actions(w);
}

TY_UNUSED static const char *report_probe(struct lifecycle_fixture *w, const char *name,
                                          enum ty_probe_use use, bool ok)
{
    ty_pod_lifecycle_probe_result(w->r, container_index(w, name), use, ok, "why not", w->now);
    return next_actions(w);
}

TY_UNUSED static const char *stop_pod(struct lifecycle_fixture *w, int64_t grace_s)
{
    ty_pod_lifecycle_stop(w->r, grace_s, w->now);
    return next_actions(w);
}

TY_UNUSED static struct ty_json *pod_status(struct lifecycle_fixture *w)
{
    return ty_pod_lifecycle_status(w->r, w->f->a, "127.1.2.3");
}

/* Compact text at a dotted path of the status of a container. */
TY_UNUSED static const char *container_field(struct lifecycle_fixture *w, const char *name,
                                             const char *path)
{
    struct ty_json *s = pod_status(w);
    struct ty_json *c =
        ty_json_find_item(ty_json_get(s, "containerStatuses"), "name", ty_str(name), NULL);

    if (!c)
        c = ty_json_find_item(ty_json_get(s, "initContainerStatuses"), "name", ty_str(name), NULL);
    assert_non_null(c);
    c = ty_json_at(c, path);
    return c ? json_show(w->f->a, c) : "none";
}

/* "True", or "False Reason: message" */
TY_UNUSED static const char *condition_text(struct lifecycle_fixture *w, const char *type)
{
    struct ty_json *c =
        ty_json_find_item(ty_json_get(pod_status(w), "conditions"), "type", ty_str(type), NULL);
    struct ty_str reason = ty_json_str_at(c, "reason"), message = ty_json_str_at(c, "message");

    return ty_arena_printf(w->f->a, "%.*s%s%.*s%s%.*s", TY_ARG(ty_json_str_at(c, "status")),
                           reason.n ? " " : "", TY_ARG(reason), message.n ? ": " : "",
                           TY_ARG(message));
}

#define with_lifecycle(fn) cmocka_unit_test_setup_teardown(fn, lifecycle_setup, lifecycle_teardown)
#define C(name, members)   "{'name':'" name "','image':'i','command':['x']" members "}"

#endif
