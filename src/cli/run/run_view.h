/* How a run is shown. The engine's news go into the model, then to one of the looks:
 *
 *   engine --> ty_run_view.observer --> model --> renderer: plain, table or json --> terminal
 */
#ifndef TY_CLI_RUN_RUN_VIEW_H
#define TY_CLI_RUN_RUN_VIEW_H

#include "cli/cli.h"
#include "cli/run/run_model.h"

struct ty_run_view;

/* The end of a run, for the summary. */
struct ty_run_outcome {
    struct ty_engine *engine; /* for failure summaries */
    const char *stopped;      /* why the run was stopped; NULL: it was not */
    const char *dir;          /* the run's directory */
    bool kept;                /* the pod directories were kept */
    int64_t now_ms;
};

/* Every member may be NULL but summary. Pointers are borrowed for the call. */
struct ty_run_renderer {
    const char *name;
    void (*open)(struct ty_run_view *v, uv_loop_t *loop);
    void (*line)(struct ty_run_view *v, const struct ty_run_node *n, const char *container,
                 struct ty_str text, int64_t ms);
    void (*pod)(struct ty_run_view *v, const struct ty_run_node *n,
                const struct ty_pod_update *news);
    void (*progress)(struct ty_run_view *v, const struct ty_run_node *n, int64_t ms);
    void (*event)(struct ty_run_view *v, const struct ty_kind *kind, const char *name,
                  const char *type, const char *reason, const char *message, int64_t ms);
    void (*job)(struct ty_run_view *v, const struct ty_run_job *j, const struct ty_json *trainjob,
                int64_t ms);
    /* A condition that is new or has changed. */
    void (*condition)(struct ty_run_view *v, const struct ty_run_job *j,
                      const struct ty_json *condition);
    void (*note)(struct ty_run_view *v, enum ty_cli_msg_kind how, const char *text);
    void (*close)(struct ty_run_view *v); /* restores the terminal */
    void (*summary)(struct ty_run_view *v, const struct ty_run_outcome *o);
};
extern const struct ty_run_renderer ty_run_plain, ty_run_table, ty_run_json;

struct ty_run_view {
    struct ty_engine_observer observer; /* its ctx is the view */
    const struct ty_run_renderer *renderer;
    struct ty_cli *cli;
    struct ty_run_model model;
    const char *only; /* --logs: show lines of this node; NULL all */
    bool quiet;
    bool terminal;                /* standard output is one: lines are cleaned */
    struct ty_run_screen *screen; /* the table's */
};

struct ty_run_view_opts {
    const char *output; /* -o */
    const char *node;   /* --logs: print the lines of this node only; NULL all */
    bool quiet;
};
/* The kubelet's event about a container that waits for its restart: the line about its end has said
 * when that is. */
static inline bool ty_run_view_hides(const struct ty_kind *kind, const char *reason)
{
    return kind == &ty_kind_pod && strcmp(reason, "BackOff") == 0;
}
/* True if standard output is a terminal with cursor control; others get lines. */
bool ty_run_view_can_draw(const struct ty_cli *cli);
/* Chooses the renderer: -o, else the table on a terminal and plain lines elsewhere. */
void ty_run_view_init(struct ty_run_view *v, struct ty_cli *cli,
                      const struct ty_run_view_opts *opts);
void ty_run_view_open(struct ty_run_view *v, uv_loop_t *loop);
void ty_run_view_note(struct ty_run_view *v, enum ty_cli_msg_kind how, const char *fmt, ...)
    TY_PRINTF(3, 4);
/* Closes the view, opened or not; prints the summary if there is an outcome. */
void ty_run_view_close(struct ty_run_view *v, const struct ty_run_outcome *o);

#endif
