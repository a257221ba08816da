"""DistributedDataParallel over gloo: all ranks end with the same weights, and the loss falls."""
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
assert size == int(os.environ["WANT_RANKS"])
torch.manual_seed(1)
network = torch.nn.Linear(1, 1)
model = DistributedDataParallel(network)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
torch.manual_seed(100 + rank)
losses = []
for _ in range(50):
    x = torch.rand(64, 1)
    loss = torch.nn.functional.mse_loss(model(x), 3 * x + 1)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
mine = torch.cat([p.detach().flatten() for p in network.parameters()])
everyone = mine.clone()
dist.all_reduce(everyone)
assert torch.allclose(everyone / size, mine, atol=1e-6) and losses[-1] < losses[0]
print(f"FRAMEWORK OK torch {torch.__version__} rank {rank} loss {losses[-1]:.4f}\n", end="", flush=True)
dist.destroy_process_group()
