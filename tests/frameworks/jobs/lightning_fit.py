"""Lightning's Trainer with DDP: it finds the nodes by the variables of torchrun."""
import os

import lightning
import torch


class Line(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)
        self.losses = []

    def training_step(self, batch, _):
        x, y = batch
        loss = torch.nn.functional.mse_loss(self.layer(x), y)
        self.losses.append(loss.item())
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


torch.manual_seed(1)
x = torch.rand(512, 1)
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, 3 * x + 1), batch_size=16)
local, size = int(os.environ["LOCAL_WORLD_SIZE"]), int(os.environ["WORLD_SIZE"])
trainer = lightning.Trainer(accelerator="cpu", strategy="ddp", devices=local, num_nodes=size // local, max_epochs=3,
                            logger=False, enable_checkpointing=False, enable_progress_bar=False)
model = Line()
trainer.fit(model, data)
assert trainer.world_size == int(os.environ["WANT_RANKS"])
assert model.losses[-1] < model.losses[0], model.losses
print(f"FRAMEWORK OK lightning {lightning.__version__} rank {trainer.global_rank}\n", end="", flush=True)
