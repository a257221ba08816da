/* One table of suffixes, used to create names and to recognize them. */
#include "trainer/child.h"

static const char *const suffixes[TY_CHILD_COUNT] = {
    [TY_CHILD_SNAPSHOT] = "-runtime-snapshot",    [TY_CHILD_MPI_KEY] = "-mpi-ssh-auth",
    [TY_CHILD_MPI_HOSTS] = "-mpi-hostfile",       [TY_CHILD_STATUS_CA] = "-tls-config",
    [TY_CHILD_FLUX_SCRIPTS] = "-flux-entrypoint", [TY_CHILD_FLUX_CURVE] = "-flux-curve",
};

char *ty_child_name(struct ty_arena *a, enum ty_child which, struct ty_str job)
{
    size_t n = strlen(suffixes[which]);
    char *name = ty_arena_raw(a, job.n + n + 1, 1);

    if (job.n)
        memcpy(name, job.p, job.n);
    memcpy(name + job.n, suffixes[which], n + 1);
    return name;
}

bool ty_child_is(enum ty_child which, struct ty_str name)
{
    struct ty_str end = ty_str(suffixes[which]);

    return name.n > end.n && ty_str_ends(name, end); /* the job's name is not empty */
}

struct ty_str ty_child_job(struct ty_str name)
{
    for (int i = 0; i < TY_CHILD_COUNT; i++)
        if (ty_child_is((enum ty_child)i, name))
            return (struct ty_str){ name.p, name.n - strlen(suffixes[i]) };
    return (struct ty_str){ 0 };
}
