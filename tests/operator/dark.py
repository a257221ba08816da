"""dark.py SIGNAL COMMAND...: the only name server of this network namespace, which never answers. Runs the
command, sends it the signal ("": none) once it has asked for a name, and prints [exit code, output].
Fails if the command has not ended long before the resolver would."""
import fcntl
import json
import signal
import socket
import struct
import subprocess
import sys

RESOLVER_SECONDS = 60
RESOLV_CONF = "nameserver 127.0.0.1\noptions timeout:20 attempts:3\n"
SIOCSIFFLAGS, UP_LOOPBACK_RUNNING = 0x8914, 0x49


def main(stop, *command):
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    fcntl.ioctl(server, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", UP_LOOPBACK_RUNNING))
    server.bind(("127.0.0.1", 53))
    server.settimeout(RESOLVER_SECONDS)
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
    server.recv(512)  # from now on the resolver waits
    if stop:
        child.send_signal(getattr(signal, stop))
    try:
        said, _ = child.communicate(timeout=RESOLVER_SECONDS / 2)
    except subprocess.TimeoutExpired:
        child.kill()
        said, _ = child.communicate()
        sys.exit(f"it waits for the resolver\n{said}")
    print(json.dumps([child.returncode, said]))


if __name__ == "__main__":
    main(*sys.argv[1:])
