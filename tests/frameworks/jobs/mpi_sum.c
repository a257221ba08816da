/* Every rank adds its number; who is where is printed. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, sum = 0, n = 0;
    char host[MPI_MAX_PROCESSOR_NAME], text[MPI_MAX_LIBRARY_VERSION_STRING];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_processor_name(host, &n);
    MPI_Get_library_version(text, &n);
    for (int i = 0; i < 100; i++)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (argc == 2 && sum == size * (size - 1) / 2 && size == atoi(argv[1]))
        printf("FRAMEWORK OK rank %d on %s\n", rank, host);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
