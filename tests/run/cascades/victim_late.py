"""torchrun, two ranks, a print for each step: rank 1 raises and exits soon, rank 0 loses it, prints that, and takes long to
exit: torchrun ends it by SIGTERM. Its last steps are in the log after the error of rank 1."""
import atexit
import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
ME = dist.get_rank()
atexit.register(time.sleep, 0.4 if ME == 1 else 20)
value = torch.ones(10)
for step in range(400):
    if ME == 1 and step == 100:
        raise ValueError("label 11 is out of range")
    dist.all_reduce(value)
    value /= 2
    time.sleep(0.005)
    if ME == 0:
        print(f"step {step}/400 loss 0.1", flush=True)
