"""DeepSpeed's ZeRO stage 1 on CPUs, gradients over gloo; mpirun starts one rank on every node."""
import os
import sys

import deepspeed
import torch

deepspeed.init_distributed(dist_backend="gloo")
rank, size = torch.distributed.get_rank(), torch.distributed.get_world_size()
assert size == int(sys.argv[1])
torch.manual_seed(1)
model = torch.nn.Linear(1, 1)
config = {"train_batch_size": 16 * size, "zero_optimization": {"stage": 1}, "zero_allow_untested_optimizer": True,
          "zero_force_ds_cpu_optimizer": False}
engine, _, _, _ = deepspeed.initialize(model=model, optimizer=torch.optim.SGD(model.parameters(), lr=0.1), config=config)
torch.manual_seed(100 + rank)
losses = []
for _ in range(50):
    x = torch.rand(16, 1)
    loss = torch.nn.functional.mse_loss(engine(x), 3 * x + 1)
    engine.backward(loss)
    engine.step()
    losses.append(loss.item())
assert losses[-1] < losses[0], losses
print(f"FRAMEWORK OK deepspeed {deepspeed.__version__} rank {rank} on {os.uname().nodename}\n", end="", flush=True)
