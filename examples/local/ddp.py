"""Linear regression with DistributedDataParallel over gloo: the loss falls, every rank agrees."""
import os
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
torch.manual_seed(1)
weights = torch.randn(8, 1)
model = DistributedDataParallel(torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
torch.manual_seed(100 + rank)  # every rank has its own data
steps = int(os.environ.get("STEPS", "50"))
for step in range(1, steps + 1):
    x = torch.randn(64, 8)
    loss = torch.nn.functional.mse_loss(model(x), x @ weights)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if rank == 0 and step % 10 == 0:
        print(f"step {step}/{steps} loss {loss.item():.4f} {100 * step // steps}%", flush=True)
total = torch.tensor([float(rank)])
dist.all_reduce(total)
assert total.item() == size * (size - 1) / 2
print(f"rank {rank} of {size} done", flush=True)
dist.destroy_process_group()
