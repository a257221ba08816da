/* The connection of one CLI command to a cluster of the kubeconfig: blocking calls over an event
 * loop of its own, with the user's own rights. */
#ifndef TY_CLI_CLUSTER_CLUSTER_SESSION_H
#define TY_CLI_CLUSTER_CLUSTER_SESSION_H

#include "cli/cli.h"
#include "cli/jobs/where.h"
#include "store/kube/kube.h"

struct uv_loop_s;
struct ty_cluster_session;

/* Loads the kubeconfig; does not connect yet. gives. Returns an exit code, and has printed the
 * error. Without --context and --kubeconfig the user configuration chooses context and namespace
 * (user_config.h), except for a kubectl plugin: that works where kubectl works. */
int ty_cluster_session_open(struct ty_cli *cli, const struct ty_where_opts *opts,
                            struct ty_cluster_session **ret);
void ty_cluster_session_free(struct ty_cluster_session *s); /* takes; NULL is fine */
static inline void ty_cluster_session_freep(struct ty_cluster_session **s)
{
    ty_cluster_session_free(*s);
}
#define ty_auto_cluster_session TY_AUTO(ty_cluster_session_freep) struct ty_cluster_session

/* For callers that start operations themselves; all live with the session. */
struct uv_loop_s *ty_cluster_session_loop(struct ty_cluster_session *s);
struct ty_kube *ty_cluster_session_kube(struct ty_cluster_session *s);
struct ty_cli *ty_cluster_session_cli(struct ty_cluster_session *s);
const char *ty_cluster_session_ns(const struct ty_cluster_session *s); /* -n, else the context's */
/* For messages: `context "gpu-lab"`, or the server's address if the context has no name. */
const char *ty_cluster_session_where(const struct ty_cluster_session *s);
/* For advice: " --context gpu-lab", or "" if the kubeconfig has none. With --kubeconfig, too. */
const char *ty_cluster_session_flags(const struct ty_cluster_session *s);

/* The end of a call. Texts live with the arena of the call. */
struct ty_cluster_answer {
    int r;    /* as in struct ty_kube_response */
    int code; /* HTTP status; 0: no answer */
    const char *reason, *message;
    const struct ty_json *json; /* NULL: none */
    struct ty_str text;         /* the object, or the Status of an error (up to 64 KiB) */
    /* What was asked, for the error message. */
    const char *verb; /* of RBAC: "get", "list", "watch", "create", "patch", "update", "delete" */
    const struct ty_kind *kind;  /* NULL: a path */
    const char *ns, *name, *sub; /* "" none; ns "" of a namespaced kind: all */
};

/* Field manager of all writes, so that no command conflicts with what another one wrote. */
#define TY_CLUSTER_SESSION_MANAGER "trainyard-cli"
/* Runs the loop until the answer. ask->fn, ask->ctx and ask->manager are ignored. Returns
 * ret->r. */
int ty_cluster_session_call(struct ty_cluster_session *s, struct ty_arena *a,
                            const struct ty_kube_request *ask, struct ty_cluster_answer *ret);
/* Lists by pages; the objects live with the arena and have kind and apiVersion. A list that takes
 * more than TY_CLUSTER_SESSION_LIST bytes there, or fills an input arena, ends with -EFBIG. Returns
 * answer->r; answer->text is empty. */
#define TY_CLUSTER_SESSION_LIST ((size_t)1 << 30)
int ty_cluster_session_list(struct ty_cluster_session *s, struct ty_arena *a,
                            const struct ty_kube_selector *which, struct ty_json ***ret,
                            size_t *ret_n, struct ty_cluster_answer *answer);
/* The same, but stores only objects for which keep returns true; the others take no memory. */
int ty_cluster_session_list_if(struct ty_cluster_session *s, struct ty_arena *a,
                               const struct ty_kube_selector *which,
                               bool (*keep)(void *ctx, const struct ty_json *obj), void *ctx,
                               struct ty_json ***ret, size_t *ret_n,
                               struct ty_cluster_answer *answer);
/* For callers that start operations themselves: fills *ret from the answer to an operation with
 * this verb, kind, namespace, name and subresource. */
void ty_cluster_session_answer(struct ty_arena *a, const struct ty_kube_response *from,
                               struct ty_cluster_answer *ret);

/* Ends the call that is being made, and each that is made after it, with -EINTR; from the loop. */
void ty_cluster_session_interrupt(struct ty_cluster_session *s);
/* For tests: another limit than TY_CLUSTER_SESSION_LIST. */
void ty_cluster_session_limit_lists(struct ty_cluster_session *s, size_t bytes);

/* A 404 that is not about an object: the server does not serve the kind. */
bool ty_cluster_session_is_absent(const struct ty_cluster_answer *answer);
/* One sentence without "error: "; doing: "get the pods of TrainJob \"x\"". For 403 it names the
 * verb, resource and namespace, and the command to check it. Lives with the arena. */
const char *ty_cluster_session_error_text(const struct ty_cluster_session *s, struct ty_arena *a,
                                          const char *doing, const struct ty_cluster_answer *why);
/* Prints that sentence as an error; returns TY_EXIT_BAD. */
int ty_cluster_session_error(struct ty_cluster_session *s, const char *doing,
                             const struct ty_cluster_answer *why);

#endif
