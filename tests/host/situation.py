#!/usr/bin/env python3
"""Runs a command as an ordinary user, with user namespaces or where the kernel refuses them. Needs root.

    situation.py user COMMAND…
    situation.py no-user-namespaces COMMAND…
"""
import ctypes
import os
import sys

UID = 65534
CLONE_NEWUSER = 0x10000000


def refuse_user_namespaces():
    """In a user namespace of our own, with all ids, in which there may be no more of them: the limit of one
    namespace is no other's. Its maps are written by our parent, who stays outside."""
    ready, mapped = os.pipe(), os.pipe()
    child = os.fork()
    if child:
        os.read(ready[0], 1)
        for name in "uid_map", "gid_map":
            with open(f"/proc/{child}/{name}", "w") as f:
                f.write("0 0 4294967295")
        os.write(mapped[1], b"x")
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWUSER) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    os.write(ready[1], b"x")
    os.read(mapped[0], 1)
    with open("/proc/sys/user/max_user_namespaces", "w") as f:
        f.write("0")


def main():
    situation, command = sys.argv[1], sys.argv[2:]
    if situation == "no-user-namespaces":
        refuse_user_namespaces()
    os.setgroups([])
    os.setresgid(UID, UID, UID)
    os.setresuid(UID, UID, UID)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
