/* Every rank adds its number to everybody's; says who it is, where, and whose descendant: the pod
 * that its environment names, and the first process of the pids that it sees. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size, sum, n;
    char host[MPI_MAX_PROCESSOR_NAME], pids[64] = "none";
    const char *pod = getenv("TRAINYARD_POD");

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_processor_name(host, &n);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (readlink("/proc/self/ns/pid", pids, sizeof(pids) - 1) < 0)
        perror("/proc/self/ns/pid");
    printf("rank %d of %d on %s sum %d pod %s pids %s uid %d\n", rank, size, host, sum,
           pod ? pod : "none", pids, (int)getuid());
    fflush(stdout); /* Finalize may wait for ever, see test_frameworks.py */
    MPI_Finalize();
    return 0;
}
