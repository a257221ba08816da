"""A small DDP training that fails as it is told: ddp.py FAILURE RANK STEP [STEPS].

FAILURE is a key of FAILURES; rank RANK does it at step STEP, everybody else trains on. LINGER=SECONDS: that rank leaves
its process group at once but exits so much later, as one that still uploads its logs does: its victims exit first."""
import atexit
import ctypes
import logging
import os
import signal
import sys
import time
import traceback

import failures

FAILURE, RANK, STEP = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
STEPS = int(sys.argv[4]) if len(sys.argv) > 4 else 30
ME = int(os.environ["RANK"])
LINGER = float(os.environ.get("LINGER", "0"))


def linger():
    if dist.is_initialized():
        dist.destroy_process_group()
    time.sleep(LINGER)


if ME == RANK and LINGER:
    atexit.register(linger)
if FAILURE == "before-init" and ME == RANK:
    raise FileNotFoundError("no such checkpoint: /data/last.pt")

import torch
import torch.distributed as dist
from torch import nn


class Samples(torch.utils.data.Dataset):
    def __len__(self):
        return STEPS * 4

    def __getitem__(self, i):
        if FAILURE == "data-loader" and ME == RANK and i // 4 >= STEP:
            raise IndexError(f"sample {i} is not in the shard")
        if FAILURE == "worker-killed" and ME == RANK and i // 4 >= STEP:
            os.kill(os.getpid(), signal.SIGKILL)
        if FAILURE == "nan-everywhere" and i // 4 >= STEP:
            raise FloatingPointError("loss is NaN")
        return torch.full((8,), float(i % 7))


class Backward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad):
        raise ArithmeticError("loss is NaN in backward")


def chained(_):
    try:
        {}["learning_rate"]
    except KeyError as err:
        raise RuntimeError("the configuration is incomplete") from err


def handled(_):
    try:
        int("1e-3x")
    except ValueError:
        undefined_helper()  # noqa: F821


def oom(_):
    raise MemoryError("cannot allocate a tensor of 1.5 TiB")


def stop(_):
    raise KeyboardInterrupt


def wrong_shape(_):
    torch.ones(3, 4) @ torch.ones(5, 6)


def check(step):
    assert step < 0, f"loss diverged at step {step}"


def segfault(_):
    ctypes.string_at(0)


def exit1(_):
    print("ERROR: the loss is NaN", file=sys.stderr)
    sys.exit(1)


def boom(step):
    raise ValueError(f"label 11 is out of range at step {step}")


def save(_):
    torch.save(torch.ones(100000), "/dev/full")


def mismatch(_):
    dist.all_reduce(torch.ones(3))


def catch(tell):
    try:
        {}["learning_rate"]
    except KeyError:
        tell()


def survived(step):
    catch(traceback.print_exc)
    boom(step)


def say(step):
    """SAY=logged or SAY=printed: rank 0 tells of an error that it survives, and trains on."""
    if ME == 0 and step == 2 and "SAY" in os.environ:
        catch({"logged": lambda: logging.exception("no schedule"), "printed": traceback.print_exc}[os.environ["SAY"]])


FAILURES = {
    "raise": boom, "assert": check, "exit3": lambda _: sys.exit(3), "exit1": exit1, "exit-message": lambda _: sys.exit("no labels found"),
    "os-exit": lambda _: os._exit(7), "kill9": lambda _: os.kill(os.getpid(), signal.SIGKILL), "segv": segfault,
    "abort": lambda _: os.abort(), "memory": oom, "keyboard": stop, "shape": wrong_shape, "chained": chained,
    "handled": handled, "survived": survived, "hang": lambda _: time.sleep(3600), "save": save, "mismatch": mismatch,
    **failures.FAILURES,
}


def wrap(model):
    if os.environ.get("WRAP") == "fsdp":
        from torch.distributed.fsdp import fully_shard
        return fully_shard(model)
    return nn.parallel.DistributedDataParallel(model)


def main():
    timeout = __import__("datetime").timedelta(seconds=float(os.environ.get("DDP_TIMEOUT", "60")))
    dist.init_process_group("gloo", timeout=timeout)
    model = wrap(nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    loader = torch.utils.data.DataLoader(Samples(), batch_size=4, num_workers=1 if FAILURE in ("data-loader", "pickle", "worker-killed") else 0,
                                         multiprocessing_context="spawn" if FAILURE == "pickle" else None,
                                         collate_fn=(lambda b: b) if FAILURE == "pickle" and ME == RANK else None)
    for step, batch in enumerate(loader):
        say(step)
        if step == STEP and ME == RANK and FAILURE in FAILURES:
            FAILURES[FAILURE](step)
        x = torch.stack(batch) if isinstance(batch, list) else batch
        if FAILURE == "backward" and step == STEP and ME == RANK:
            x = Backward.apply(x.requires_grad_())
        loss = model(x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if ME == 0 and step % 5 == 0:
            print(f"step {step}/{STEPS} loss {loss.item():.4f}", flush=True)
        time.sleep(0.01)
    dist.destroy_process_group()


if __name__ == "__main__":
    if os.environ.get("RECORD"):
        from torch.distributed.elastic.multiprocessing.errors import record
        main = record(main)
    main()
