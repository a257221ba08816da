"""Rank 0 prints a traceback that it survives, rank 1 dies of another."""
import os
import time
import traceback

if os.environ["RANK"] == "0":
    try:
        {}["harmless"]
    except KeyError:
        traceback.print_exc()
    print("recovered", flush=True)
    time.sleep(30)
time.sleep(1)
raise ValueError("the real one")
