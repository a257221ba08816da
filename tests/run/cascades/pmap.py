"""JAX over several processes that fails as it is told: pmap.py FAILURE RANK STEP."""
import os
import signal
import sys
import time

import jax

failure, culprit, at = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
me = int(os.environ["JAX_PROCESS_ID"])
if failure == "before-init" and me == culprit:
    raise FileNotFoundError("no such tokenizer: /data/tokenizer.json")
jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize(os.environ["JAX_COORDINATOR_ADDRESS"], int(os.environ["JAX_NUM_PROCESSES"]), me,
                           heartbeat_timeout_seconds=10, shutdown_timeout_seconds=5)
from jax.experimental import multihost_utils

for step in range(40):
    if step == at and me == culprit:
        if failure == "raise":
            raise ValueError(f"batch {step} has no tokens")
        if failure == "kill9":
            os.kill(os.getpid(), signal.SIGKILL)
        if failure == "exit":
            os._exit(8)
    total = multihost_utils.process_allgather(jax.numpy.ones(4) * me)
    if me == 0 and step % 5 == 0:
        print(f"step {step}/40 sum {total.sum()}", flush=True)
    time.sleep(0.02)
