/* Fixture of the view tests: a view that prints to memory, and engine updates of job "j". */
#ifndef TY_CLI_RUN_RUN_VIEW_TESTING_H
#define TY_CLI_RUN_RUN_VIEW_TESTING_H

#include "cli/run/run_view.h"
#include "cli/testing.h"

#define VIEW_MS ((int64_t)1700000000123) /* 2023-11-14T22:13:20.123Z */
#define VIEW_COMPLETE                                                                              \
    "{\"status\":{\"conditions\":[{\"type\":\"Complete\",\"status\":\"True\",\"message\":"         \
    "\"done\\nverdict\"}]}}"

static inline void view_open(struct ty_run_view *v, struct ty_cli_fixture *b,
                             const struct ty_run_view_opts *opts)
{
    fixture_open(b);
    ty_run_view_init(v, &b->cli, opts);
    ty_run_view_open(v, NULL);
}

static inline void view_close(struct ty_run_view *v, struct ty_cli_fixture *b)
{
    ty_run_view_close(v, NULL);
    fixture_close(b);
}

static inline void view_line(struct ty_run_view *v, const char *pod, struct ty_str text)
{
    v->observer.line(v->observer.ctx, "j", pod, "node", text, VIEW_MS);
}

static inline void view_say(struct ty_run_view *v, const char *pod, const char *text)
{
    view_line(v, pod, ty_str(text));
}

static inline struct ty_pod_update view_news(const char *pod, int code)
{
    return (struct ty_pod_update){ .job = "j",
                                   .pod = pod,
                                   .rjob = "node",
                                   .phase = code == 0 ? TY_SUCCEEDED : TY_FAILED,
                                   .container = "node",
                                   .exit_code = code,
                                   .time_ms = VIEW_MS };
}

static inline void view_pod(struct ty_run_view *v, const struct ty_pod_update *news)
{
    v->observer.pod(v->observer.ctx, news);
}

static inline void view_end(struct ty_run_view *v, const char *pod, int code, bool by_us,
                            const char *error)
{
    struct ty_pod_update n = view_news(pod, code);

    n.by_us = by_us;
    n.error = error;
    view_pod(v, &n);
}

static inline void view_event(struct ty_run_view *v, const char *type, const char *reason,
                              const char *message)
{
    v->observer.event(v->observer.ctx, &ty_kind_pod, "p", type, reason, message, VIEW_MS);
}

static inline void view_status(struct ty_run_view *v, struct ty_arena *a, const char *text)
{
    v->observer.job(v->observer.ctx, "j", ty_json_parse(a, ty_str(text), NULL, NULL), VIEW_MS);
}

#endif
