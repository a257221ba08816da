/* Pi as the area under 4 / (1 + x*x): every rank adds up its slices, an allreduce adds up the
 * ranks. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    const long slices = 20000000;
    int rank, size, length;
    char host[MPI_MAX_PROCESSOR_NAME];
    double mine = 0, pi;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_processor_name(host, &length);
    for (long i = rank; i < slices; i += size) {
        double x = ((double)i + 0.5) / (double)slices;
        mine += 4.0 / (1.0 + x * x) / (double)slices;
    }
    MPI_Allreduce(&mine, &pi, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    printf("rank %d of %d on %s: pi is %.9f\n", rank, size, host, pi);
    MPI_Finalize();
    return pi > 3.14159265 && pi < 3.14159266 ? 0 : 1;
}
