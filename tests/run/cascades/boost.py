"""XGBoost over several nodes that fails as it is told: boost.py FAILURE RANK ROUND."""
import os
import signal
import socket
import sys

import numpy
import xgboost
from xgboost import collective
from xgboost.tracker import RabitTracker

failure, culprit, at = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rank, size = int(os.environ["DMLC_TASK_ID"]), int(os.environ["DMLC_NUM_WORKER"])
host, port = socket.gethostbyname(os.environ["DMLC_TRACKER_URI"]), int(os.environ["DMLC_TRACKER_PORT"])
if failure == "before" and rank == culprit:
    raise FileNotFoundError("no such table: /data/clicks.parquet")
if rank == 0:
    tracker = RabitTracker(host_ip=host, n_workers=size, port=port)
    tracker.start(size)


class Fail(xgboost.callback.TrainingCallback):
    def after_iteration(self, model, epoch, evals_log):
        print(f"round {epoch + 1}/20", flush=True)
        if rank == culprit and epoch == at:
            if failure == "raise":
                raise ValueError(f"feature 7 is constant in round {epoch}")
            if failure == "kill9":
                os.kill(os.getpid(), signal.SIGKILL)
            sys.exit(5)
        return False


with collective.CommunicatorContext(dmlc_tracker_uri=host, dmlc_tracker_port=port, dmlc_task_id=str(rank)):
    x = numpy.random.default_rng(rank).uniform(-3, 3, (2000, 2))
    data = xgboost.DMatrix(x, label=x[:, 0] * x[:, 1])
    if failure == "label" and rank == culprit:
        data = xgboost.DMatrix(x, label=numpy.ones(7))
    xgboost.train({"max_depth": -4 if failure == "parameter" else 4, "nthread": 1, "tree_method": "hist"}, data, 20, verbose_eval=False, callbacks=[Fail()])
if rank == 0:
    tracker.join()
