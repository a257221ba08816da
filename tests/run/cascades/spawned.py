"""Two processes of torch.multiprocessing.spawn; one of them raises."""
import time

import torch.multiprocessing


def train(i):
    if i == 1:
        raise ValueError("part 1 is empty")
    time.sleep(30)


if __name__ == "__main__":
    torch.multiprocessing.spawn(train, nprocs=2)
