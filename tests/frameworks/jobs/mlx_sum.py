"""MLX over its MPI backend: a sum over all ranks."""
import sys

import mlx.core as mx

mx.set_default_device(mx.cpu)
world = mx.distributed.init(strict=True, backend="mpi")
assert world.size() == int(sys.argv[1])
total = mx.distributed.all_sum(mx.array([float(world.rank())]))
mx.eval(total)
assert total.item() == world.size() * (world.size() - 1) / 2
print(f"FRAMEWORK OK mlx {mx.__version__} rank {world.rank()}\n", end="", flush=True)
