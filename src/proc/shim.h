/* Pods as processes. A zygote, forked while this program is still small, forks one shim per pod;
 * the shim is init of the pod's own pid, mount and host-name namespaces (where the kernel allows
 * that, else a child subreaper), starts its containers' processes, and reports their ends. When
 * this program dies, however it dies, the zygote dies, then the shims, then everything in the
 * pods.
 *
 *   trainyard ──fork at start──> zygote ──fork per pod──> shim ──vfork+exec──> processes
 *        └────────────────────────── one socket per pod ──────┘
 */
#ifndef TY_PROC_SHIM_H
#define TY_PROC_SHIM_H

#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"

struct ty_zygote;

/* Made visible at `to`, an absolute path, inside the pod only. A missing `to` is made inside a
 * mount of this pod, else in a private copy of the nearest directory that exists
 * (proc/shim_overlay.h). */
struct ty_bind_mount {
    const char *from, *to; /* every `from` of a list is looked up before anything is mounted */
    const char *sub;       /* below from, see proc/sub_path.h; NULL or "": all of it */
    bool read_only, tmpfs; /* tmpfs: from is ignored */
};
struct ty_shim_spec {
    const char *hostname;
    const struct ty_bind_mount *binds; /* in order; ends with to NULL. /etc/hosts goes here too */
    const char *address; /* its own, where pods have a network (proc/netns.h); else NULL */
};
struct ty_shim;
/* One pod. Does not wait for it: starts may be asked at once, and what fails while the pod is set
 * up comes as TY_SHIM_GONE with code and text. -errno: the zygote is gone, or out of descriptors.
 */
int ty_shim_new(struct ty_zygote *z, const struct ty_shim_spec *k, struct ty_shim **ret,
                struct ty_err *err);
void ty_shim_free(
    struct ty_shim *k); /* kills what is in it, without an event and without waiting */
int ty_shim_fd(const struct ty_shim *k); /* readable: ty_shim_next until it has nothing */

struct ty_process_spec {
    uint32_t id;             /* chosen by the caller, unique in the pod */
    const char *const *argv; /* argv[0] is looked up along PATH of env */
    const char *const *env;
    const char *cwd;
    const struct ty_bind_mount *binds;                       /* of this container only; NULL none */
    int in, out, err;                                        /* fds; -1: /dev/null */
    int uid, gid;                                            /* -1: unchanged */
    int64_t cpus_mask[16];                                   /* affinity; all 0: unchanged */
    int64_t limit_nproc, limit_as, limit_nofile, limit_core; /* RLIMITs; -1: unchanged */
    uint32_t beside; /* joins the mount namespace of this process of the pod; 0: none */
    bool tty;        /* `in` is a terminal, which becomes its controlling terminal */
    int cgroup;      /* fd of the cgroup.procs that it joins first (proc/cgroup.h); 0: none */
};
extern const struct ty_process_spec
    ty_process_spec_none; /* no streams, nothing changed: to begin with */
/* Sends the request, borrowing everything; the reply is TY_SHIM_STARTED or TY_SHIM_START_FAILED.
 * The process leads a session of its own; daemons that it leaves behind are killed when it ends,
 * before TY_SHIM_EXITED. */
int ty_shim_start(struct ty_shim *k, const struct ty_process_spec *s, struct ty_err *err);
/* To the process (group false), or to its process group and all its descendants. */
int ty_shim_signal(struct ty_shim *k, uint32_t id, int sig, bool group);
/* The shim keeps a copy of the descriptor until it ends, and no process of the pod inherits it: a
 * lock on the file lasts as long as the pod, even if this program is killed. Borrows fd. */
int ty_shim_hold(struct ty_shim *k, int fd);

enum ty_shim_event_type {
    TY_SHIM_NOTHING,
    TY_SHIM_STARTED,
    TY_SHIM_START_FAILED,
    TY_SHIM_EXITED,
    TY_SHIM_GONE
};
struct ty_shim_event {
    enum ty_shim_event_type what; /* GONE: the shim itself ended: everything in the pod is dead */
    uint32_t id;
    pid_t pid;                           /* STARTED: as we see it, outside the namespace */
    int wstatus;                         /* EXITED */
    int64_t user_us, sys_us, max_rss_kb; /* EXITED */
    int code;       /* START_FAILED: errno. GONE: 0, or why the pod could not be set up */
    char text[256]; /* START_FAILED, GONE: "exec torchrun: No such file or directory" */
};
/* The next event, without blocking; NOTHING if there is none. GONE is the last event: stop polling
 * the descriptor then, it stays readable. */
void ty_shim_next(struct ty_shim *k, struct ty_shim_event *ret);

#endif
