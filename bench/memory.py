"""Memory of a process, by the kernel's own sums (/proc/PID/smaps_rollup), in bytes.

rss: all pages in memory, with the pages of programs and libraries, which are also in the page cache.
pss: the same, but a page that n processes share counts 1/n.
anonymous: pages that no file backs (heap, stacks, changed data): what a cluster pays for this process.
private: pages that this process alone has written; without those that it shares with its parent since the fork.
"""
from collections import namedtuple
from pathlib import Path

Memory = namedtuple("Memory", "rss pss anonymous private swap")


def read(pid):
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()[1:]
    except OSError:  # it has ended
        lines = []
    sizes = {name: int(rest.split()[0]) << 10 for name, rest in (line.split(":") for line in lines)}
    return Memory(*(sizes.get(name, 0) for name in ("Rss", "Pss", "Anonymous", "Private_Dirty", "Swap")))


def peak_rss(pid):
    """Of this process alone, and not of the one that it was forked from: wait4 would mix them."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    except OSError:
        lines = []
    return max((int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM:")), default=0)


def text(m):
    return f"{m.anonymous / 2**20:.2f} MB anonymous (PSS {m.pss / 2**20:.2f}, RSS {m.rss / 2**20:.2f})"
