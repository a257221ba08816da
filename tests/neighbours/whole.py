"""A cluster in which the operator itself is a pod: its token is mounted, it reaches the API server by the
Service of that name, and webhooks reach it."""
import socket
import subprocess
import threading

from parts import NodePlane

SERVICE = ("10.96.0.1", 443)  # `kubernetes` in the namespace default: the first address of the range


class WholePlane(NodePlane):
    """The only Service that pods use here is the API server's, so one connection at a time is carried there in
    the place of kube-proxy. The API server itself calls webhooks at the pods' own addresses."""

    listener = None

    def _apiserver(self, etcd_port):
        words = super()._apiserver(etcd_port)
        words.remove("--disable-admission-plugins=ServiceAccount")  # pods have tokens
        return [*words, "--enable-aggregator-routing=true"]

    def _controller_manager(self):
        return [*super()._controller_manager(), "--root-ca-file=pki/apiserver.crt"]

    def start_nodes(self):
        super().start_nodes()
        subprocess.run(["ip", "addr", "replace", f"{SERVICE[0]}/32", "dev", "ty-node"], check=True)
        self.listener = socket.create_server(SERVICE, backlog=64)
        threading.Thread(target=self.serve, args=(self.listener,), daemon=True).start()

    def serve(self, listener):
        while True:
            try:
                near, _ = listener.accept()
                far = socket.create_connection(("127.0.0.1", self.port))
            except OSError:
                if listener.fileno() < 0:
                    return
                continue
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=carry, args=(one, other), daemon=True).start()

    def drain(self):
        for doc in self.client().list("apps/v1", "Deployment"):
            meta = doc["metadata"]
            self.client().delete("apps/v1", "Deployment", meta["namespace"], meta["name"])
        super().drain()

    def remove(self):
        if self.listener:
            self.listener.close()
        super().remove()


def carry(one, other):
    """What comes from one goes to the other, until one of them ends."""
    try:
        for data in iter(lambda: one.recv(65536), b""):
            other.sendall(data)
    except OSError:
        pass
    for end in (one, other):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
