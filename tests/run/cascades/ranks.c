/* An MPI program whose rank N fails as it is told: ranks FAILURE N. */
#include <assert.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *how)
{
    if (strcmp(how, "abort") == 0) {
        fprintf(stderr, "ranks: mesh file is empty, giving up\n");
        MPI_Abort(MPI_COMM_WORLD, 9);
    } else if (strcmp(how, "segv") == 0) {
        raise(SIGSEGV);
    } else if (strcmp(how, "kill9") == 0) {
        raise(SIGKILL);
    } else if (strcmp(how, "assert") == 0) {
        int cells = 0;
        assert(cells > 0);
    } else if (strcmp(how, "error") == 0) {
        MPI_Send(NULL, 0, MPI_INT, 99, 0,
                 MPI_COMM_WORLD); /* no such rank: a fatal error of MPI's */
    } else {
        exit(6); /* without MPI_Finalize */
    }
}

int main(int argc, char **argv)
{
    int rank = 0, sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 50; step++) {
        if (step == 10 && argc > 2 && rank == atoi(argv[2]))
            fail(argv[1]);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0 && step % 10 == 0) {
            printf("step %d/50\n", step);
            fflush(stdout);
        }
    }
    MPI_Finalize();
    return 0;
}
