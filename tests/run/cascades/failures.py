"""More ways to fail, for ring.py and ddp.py: FAILURES[NAME](step)."""
import asyncio
import atexit
import concurrent.futures
import ctypes
import faulthandler
import logging
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import traceback


def in_thread(step):
    def load():
        raise KeyError(f"shard {step} is not in the index")
    thread = threading.Thread(target=load, name="prefetch")
    thread.start()
    thread.join()
    os._exit(1)  # a watchdog that gives up without a word


def group(step):
    raise ExceptionGroup("2 of 8 shards failed", [OSError(f"shard 3 is truncated at step {step}"), ValueError("shard 5 has no header")])


def many_lines(step):
    rows = "\n".join(f"column_{i}: expected float, got object" for i in range(80))
    raise ValueError(f"the schema of step {step} does not match\n{rows}")


def database(step):
    raise OperationalError("could not receive data from server: Connection reset by peer\n\tIs the feature store running?")


class OperationalError(Exception):
    """As a database client raises it."""


def noise(step):
    atexit.register(lambda: print("\n".join(f"closing handle {i} of the cache" for i in range(200)), flush=True))
    raise LookupError(f"vocabulary of step {step} is empty")


def no_newline(step):
    print(f"loading shard {step} ...", end="", flush=True)
    print("ERROR: shard is truncated", end="", file=sys.stderr, flush=True)
    os._exit(4)


def progress_bar(step):
    for i in range(0, 101, 10):
        print(f"\rloading: {i:3}%|{'#' * (i // 10):10}| {i}/100 [00:01<00:00, 99.1it/s]", end="", file=sys.stderr, flush=True)
    raise EOFError(f"archive of step {step} ended early")


def latin1(step):
    sys.stderr.buffer.write(b"Traceback (most recent call last):\n  File \"train.py\", line 3, in <module>\nValueError: Gr\xf6\xdfe \xff\xfe is wrong\n")
    sys.stderr.flush()
    os._exit(1)


def at_exit(step):
    def flush():
        raise RuntimeError("the writer is closed already")
    atexit.register(flush)
    raise IndexError(f"expert {step} is out of range")


def memory(_):
    bytearray(1 << 60)


def called(step):
    subprocess.run(["sh", "-c", "echo 'tokenizer: vocab.json: no such file' >&2; exit 3"], check=True)


def pool(step):
    with concurrent.futures.ProcessPoolExecutor(1) as executor:
        executor.submit(parse, step).result()


def parse(step):
    raise ValueError(f"record {step} has 3 columns, not 4")


def mp_pool(step):
    with multiprocessing.Pool(1) as workers:
        workers.map(parse, [step])


def task(step):
    async def load():
        raise PermissionError(f"bucket of step {step} is private")

    async def main():
        loading = asyncio.create_task(load())
        await asyncio.sleep(0.1)
        del loading
        raise SystemExit(1)
    asyncio.run(main())


def logged_exit(step):
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        raise ArithmeticError(f"gradient of step {step} is infinite")
    except ArithmeticError:
        logging.exception("training failed")
        sys.exit(1)


def retries(step):
    raise TimeoutError(f"feature server gave no answer in step {step} after 3 attempts")


def lower(step):
    raise diverged(f"loss is 1e9 in step {step}")


class diverged(Exception):
    pass


def heap(_):
    libc = ctypes.CDLL(None)
    libc.free.argtypes = [ctypes.c_void_p]
    libc.free(ctypes.cast(ctypes.create_string_buffer(64), ctypes.c_void_p).value + 8)


def bus(_):
    os.kill(os.getpid(), signal.SIGBUS)


def note(step):
    err = ValueError(f"batch {step} is empty")
    err.add_note("sampler: DistributedSampler(drop_last=True)")
    err.add_note("epoch: 3")
    raise err


def full(_):
    with open("/dev/full", "wb") as f:
        f.write(b"x" * 100000)


def leave(_):
    os._exit(0)


def warned(step):
    import warnings
    print(f"Traceback of nothing in step {step}", flush=True)
    warnings.warn("the scheduler was not saved")
    sys.exit("train.py: cannot save: Connection reset by peer while uploading to the bucket")


def fork_dies(step):
    child = os.fork()
    if child == 0:
        raise ValueError(f"augmentation {step} is unknown")
    _, status = os.waitpid(child, 0)
    sys.exit(os.waitstatus_to_exitcode(status) + 2)


def closed_pipe(step):
    p = subprocess.Popen(["false"], stdin=subprocess.PIPE)
    p.wait()
    p.stdin.write(b"x" * 100000)
    p.stdin.flush()


def main_thread_lives(step):
    """The thread that trains dies; the main thread waits for ever."""
    def train():
        raise ZeroDivisionError(f"no samples in step {step}")
    thread = threading.Thread(target=train, name="trainer")
    thread.start()
    time.sleep(3600)


def prefixed(step):
    """As a shell does that puts something before every line of its program."""
    try:
        try:
            raise KeyError(f"column {step}")
        except KeyError as err:
            raise ValueError("bad table") from err
    except ValueError:
        text = traceback.format_exc()
    print("".join(f"[train] {line}\n" for line in text.splitlines()), end="", flush=True)
    os._exit(1)


def watchdog(_):
    faulthandler.dump_traceback_later(1, exit=True)
    time.sleep(3600)


def alarm(_):
    signal.alarm(1)
    time.sleep(3600)


def threads(step):
    """Two threads raise in the same moment."""
    def load(i):
        time.sleep(0.1)
        raise ValueError(f"part {i} of step {step} is empty")
    both = [threading.Thread(target=load, args=(i,)) for i in range(2)]
    for t in both:
        t.start()
    for t in both:
        t.join()
    sys.exit(1)


def chatty_exit(step):
    survive(1)
    for i in range(60):
        print(f"file {i} is copied", flush=True)
    sys.exit("no space left for checkpoints: cannot go on")


FAILURES = {
    "prefixed": prefixed, "watchdog": watchdog, "alarm": alarm, "threads": threads, "chatty-exit": chatty_exit,
    "thread": in_thread, "group": group, "many-lines": many_lines, "database": database, "noise": noise, "no-newline": no_newline,
    "progress-bar": progress_bar, "latin1": latin1, "at-exit": at_exit, "real-memory": memory, "called": called, "pool": pool,
    "mp-pool": mp_pool, "task": task, "logged-exit": logged_exit, "retries": retries, "lower": lower, "heap": heap, "bus": bus,
    "note": note, "full": full, "leave": leave, "warned": warned, "fork": fork_dies, "pipe": closed_pipe, "lives": main_thread_lives,
}


def survive(times):
    """Tracebacks that a retry loop prints and survives."""
    for i in range(times):
        try:
            raise ConnectionError(f"attempt {i} failed")
        except ConnectionError:
            traceback.print_exc()
            print("retrying", flush=True)
            time.sleep(0.02)
