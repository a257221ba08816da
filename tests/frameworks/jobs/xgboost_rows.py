"""XGBoost, each node with its own rows; node 0 has the tracker beside its worker."""
import hashlib
import os
import socket

import numpy
import xgboost
from xgboost import collective
from xgboost.tracker import RabitTracker

rank, size = int(os.environ["DMLC_TASK_ID"]), int(os.environ["DMLC_NUM_WORKER"])
address = socket.gethostbyname(os.environ["DMLC_TRACKER_URI"])
port = int(os.environ["DMLC_TRACKER_PORT"])
if rank == 0:
    tracker = RabitTracker(n_workers=size, host_ip=address, port=port, sortby="task")
    tracker.start()
with collective.CommunicatorContext(dmlc_tracker_uri=address, dmlc_tracker_port=port, dmlc_task_id=str(rank),
                                    dmlc_retry=60):
    assert collective.get_world_size() == size == int(os.environ["WANT_NODES"])
    x = numpy.random.default_rng(rank).uniform(-3, 3, (2000, 2))
    data = xgboost.DMatrix(x, label=numpy.sin(x[:, 0]) * x[:, 1])
    model = xgboost.train({"max_depth": 4, "nthread": 1, "tree_method": "hist"}, data, 20)
    mine = hashlib.sha256(model.save_raw("json")).hexdigest()
    assert mine == collective.broadcast(mine, 0), "the nodes have different trees"
print(f"FRAMEWORK OK xgboost {xgboost.__version__} rank {collective.get_rank()} model {mine[:12]}", flush=True)
if rank == 0:
    tracker.wait_for(60)
