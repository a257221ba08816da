"""accelerate: a loop of one's own over all ranks."""
import os

import accelerate
import torch

accelerator = accelerate.Accelerator(cpu=True)
assert accelerator.num_processes == int(os.environ["WANT_RANKS"]), accelerator.num_processes
torch.manual_seed(1)
x = torch.rand(512, 1)
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, 3 * x + 1), batch_size=16)
model = torch.nn.Linear(1, 1)
model, optimizer, data = accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=0.1), data)
losses = []
for _ in range(3):
    for x, y in data:
        loss = torch.nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        accelerator.backward(loss)
        optimizer.step()
        losses.append(loss.item())
total = accelerator.gather(torch.tensor([losses[-1]]))
assert len(total) == accelerator.num_processes and losses[-1] < losses[0]
print(f"FRAMEWORK OK accelerate {accelerate.__version__} rank {accelerator.process_index}\n", end="", flush=True)
accelerator.end_training()
