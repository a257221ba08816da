"""Gradient boosting over several nodes: each has a part of the rows, all end up with the same trees."""
import hashlib
import os
import socket

import numpy
import xgboost
from xgboost import collective
from xgboost.tracker import RabitTracker

rank, size = int(os.environ["DMLC_TASK_ID"]), int(os.environ["DMLC_NUM_WORKER"])
host, port = os.environ["DMLC_TRACKER_URI"], int(os.environ["DMLC_TRACKER_PORT"])
if rank == 0:  # the tracker brings the workers together; node 0 has it beside its own worker
    tracker = RabitTracker(host_ip=socket.gethostbyname(host), n_workers=size, port=port)
    tracker.start(size)


def rows(seed, count):
    x = numpy.random.default_rng(seed).uniform(-3, 3, (count, 2))
    return xgboost.DMatrix(x, label=numpy.sin(x[:, 0]) * x[:, 1])


class Progress(xgboost.callback.TrainingCallback):
    def after_iteration(self, model, epoch, evals_log):
        if rank == 0 and epoch % 5 == 4:
            error = evals_log["train"]["rmse"][-1]
            print(f"round {epoch + 1}/{rounds} rmse {error:.4f} {100 * (epoch + 1) // rounds}%", flush=True)
        return False


rounds = 20
args = {"dmlc_tracker_uri": socket.gethostbyname(host), "dmlc_tracker_port": port, "dmlc_task_id": str(rank)}
with collective.CommunicatorContext(**args):
    assert collective.get_world_size() == size
    data = rows(seed=rank, count=2000)
    settings = {"max_depth": 4, "eta": 0.3, "nthread": 1, "tree_method": "hist"}
    model = xgboost.train(settings, data, rounds, evals=[(data, "train")], verbose_eval=False,
                          callbacks=[Progress()])
    mine = hashlib.sha256(model.save_raw("json")).hexdigest()
    theirs = collective.broadcast(mine, 0)
    assert mine == theirs, "the nodes have different trees"
    print(f"rank {rank} of {size}: model {mine[:12]}", flush=True)
if rank == 0:
    tracker.join()
