"""An mpi4py program whose rank N raises: ranks.py N."""
import sys

from mpi4py import MPI

world = MPI.COMM_WORLD
for step in range(50):
    if step == 10 and world.rank == int(sys.argv[1]):
        raise ValueError(f"cell {step} has a negative volume")
    world.allreduce(world.rank)
    if world.rank == 0 and step % 10 == 0:
        print(f"step {step}/50", flush=True)
