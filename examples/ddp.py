"""A small network learns sin(x), with DistributedDataParallel over gloo: the loss falls, all ranks agree."""
import os
import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def say(line):
    """In one piece: print() may write a line and its end apart, and the ranks of a node share its output."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
torch.manual_seed(1)
network = torch.nn.Sequential(torch.nn.Linear(1, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))
model = DistributedDataParallel(network)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
torch.manual_seed(100 + rank)  # every rank has its own data
steps = int(os.environ.get("STEPS", "400"))
for step in range(1, steps + 1):
    x = 6 * torch.rand(256, 1) - 3
    loss = torch.nn.functional.mse_loss(model(x), torch.sin(x))
    optimizer.zero_grad()
    loss.backward()  # adds up the gradients of all ranks
    optimizer.step()
    if rank == 0 and step % (steps // 10) == 0:
        say(f"step {step}/{steps} loss {loss.item():.4f} {100 * step // steps}%")

mine = torch.cat([p.detach().flatten() for p in network.parameters()])
everyone = mine.clone()
dist.all_reduce(everyone)
assert torch.allclose(everyone / size, mine, atol=1e-6), "the ranks have different weights"
say(f"rank {rank} of {size} done")
dist.destroy_process_group()
