/* What `trainyard run` finds on this machine, and what is missing. */
#ifndef TY_ADVISE_MACHINE_H
#define TY_ADVISE_MACHINE_H

#include "advise/check.h"
#include "engine/engine.h"

struct ty_machine {
    struct ty_host host; /* as `run` detects it */
    const char *zygote;  /* why no process can be started at all; NULL: it can */
    const char *python;  /* path of python3, mpirun; NULL: not in PATH */
    const char *mpirun;
    const char
        *torchrun;      /* the interpreter in its first line; NULL: no torchrun in PATH, or none */
    const char *torch;  /* version of torchrun's, else python3's; NULL: none has it */
    const char *cgroup; /* folder for cgroups; NULL: none, then no_cgroup says why */
    const char *no_cgroup;
    const char *state;        /* folder of the runs */
    const char *state_bad;    /* why it cannot be written; NULL: it can */
    int64_t state_free;       /* bytes there */
    const char *history_bad;  /* why the history in it cannot be read; NULL: it can */
    int64_t shm;              /* bytes of /dev/shm; -1: there is none */
    int64_t port_lo, port_hi; /* ephemeral ports of the kernel */
    const char *no_curl;      /* why libcurl cannot be loaded; NULL: it can */
};

/* Collects the facts: starts python3 and others for a moment, writes nothing. `state`: the folder
 * of the runs. Lives with the arena. From the main thread, before any loop. */
void ty_machine_find(struct ty_arena *a, const char *state, struct ty_machine *ret);
/* Pure. */
void ty_machine_check(const struct ty_machine *m, struct ty_check_results *ret);

#endif
