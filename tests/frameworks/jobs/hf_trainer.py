"""Hugging Face's Trainer with a small BERT that it makes itself: nothing is downloaded."""
import os
import tempfile

import torch
import transformers


class Words(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, i):
        words = torch.arange(16) * (i + 3) % 50
        return {"input_ids": words, "attention_mask": torch.ones(16, dtype=torch.long), "labels": torch.tensor(i % 2)}


config = transformers.BertConfig(vocab_size=50, hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
                                 intermediate_size=32, num_labels=2)
torch.manual_seed(1)
args = transformers.TrainingArguments(output_dir=tempfile.mkdtemp(), max_steps=5, per_device_train_batch_size=4,
                                      use_cpu=True, report_to=[], save_strategy="no", disable_tqdm=True)
assert args.world_size == int(os.environ["WANT_RANKS"]), args.world_size
trainer = transformers.Trainer(transformers.BertForSequenceClassification(config), args, train_dataset=Words())
done = trainer.train()
assert done.global_step == 5
print(f"FRAMEWORK OK transformers {transformers.__version__} rank {args.process_index} "
      f"loss {done.training_loss:.3f}\n", end="", flush=True)
