"""Ports and addresses of the pods of one machine."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

import pytest

from runs import BINARY, job, needs_mounts
from test_run import survivors
from test_status_api import client, statuses
from waiting import wait_for

POD = ("--network", "pod")


def has_network():
    own = [] if os.getuid() == 0 else ["-r"]
    return subprocess.run(["unshare", *own, "-n", "true"], capture_output=True).returncode == 0


needs_network = pytest.mark.skipif(not has_network(), reason="no network namespaces here")

TF_RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: tf}
spec:
  runtimeRef: {name: tensorflow-distributed}
  trainer: {numNodes: 3, command: [sh, -c, 'echo "config $TF_CONFIG"']}
"""

# Node 0 listens; the others want the same port when it does.
LISTEN = """
import os, socket, time
first = os.environ["JOB_COMPLETION_INDEX"] == "0"
while not first and not os.path.exists("PORT"):
    time.sleep(0.02)  # node 0 writes it
s = socket.socket()
s.bind(("0.0.0.0", 0 if first else int(open("PORT").read())))
s.listen()
open("new", "w").write(str(s.getsockname()[1]))
os.rename("new", "PORT")
time.sleep(600)  # until it is stopped
"""


@needs_mounts
def test_every_task_of_tf_config_has_its_own_port(box):
    code, out, err = box.run(TF_RUNTIME)
    assert code == 0, err
    found = {node: json.loads(text) for node, text in re.findall(r"\[(node-0-\d)\] config (.*)", out)}
    clusters = [c["cluster"] for c in found.values()]
    assert len(clusters) == 3 and clusters[0] == clusters[1] == clusters[2]
    hosts, ports = zip(*(e.split(":") for e in clusters[0]["worker"]))
    assert hosts == ("tf-node-0-0.tf", "tf-node-0-1.tf", "tf-node-0-2.tf")
    assert len(set(ports)) == 3 and "2222" not in ports
    assert [found[f"node-0-{i}"]["task"]["index"] for i in range(3)] == [0, 1, 2]


def test_a_port_that_another_pod_holds(box):
    (box.path / "listen.py").write_text(LISTEN)
    code, _, err = box.run(job("exec /usr/bin/python3 listen.py", nodes=2, grace=1))
    port = (box.path / "PORT").read_text()
    assert code == 1
    assert "node-0-1 failed" in err and "Address already in use" in err
    assert (f"the port is in use; other nodes of this run hold {port} (node-0-0): "
            "pods share the ports of this machine, so give each node its own, or run with --network pod") in err, err


# Every node listens on port 80, and meets all three there by name.
MEET = """
import socket, time
names = ["job-node-0-%d.job" % i for i in range(3)]
server = socket.create_server(("0.0.0.0", 80))
for name in names:
    while True:
        try:
            socket.create_connection((name, 80), timeout=5).close()
            break
        except OSError:
            time.sleep(0.05)  # that node does not listen yet
peers = sorted(server.accept()[1][0] for _ in names)
print("met", *peers, "as", socket.gethostbyname(socket.gethostname()), flush=True)
"""


def check_met(out):
    everybody = "10.244.1.1 10.244.1.2 10.244.1.3"
    assert sorted(out.splitlines()) == [f"[node-0-{i}] met {everybody} as 10.244.1.{i + 1}" for i in range(3)]


@needs_network
def test_a_network_of_their_own(box):
    (box.path / "meet.py").write_text(MEET)
    code, out, err = box.run(job("exec /usr/bin/python3 meet.py", nodes=3), *POD)
    assert code == 0, err
    check_met(out)


@needs_network
@pytest.mark.skipif(os.getuid() != 0, reason="the test above is that of an ordinary user")
def test_a_network_for_an_ordinary_user():
    uid = 1234
    folder = pathlib.Path(tempfile.mkdtemp(prefix="trainyard-test-"))  # pytest's own are closed to others
    try:
        shutil.copy(BINARY, folder / "trainyard")
        (folder / "meet.py").write_text(MEET)
        (folder / "job.yaml").write_text(job("exec /usr/bin/python3 meet.py", nodes=3))
        folder.chmod(0o755)
        os.chown(folder, uid, uid)
        env = dict(os.environ, XDG_STATE_HOME=str(folder / "state"), HOME=str(folder), NO_COLOR="1")
        done = subprocess.run(["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups",
                               "./trainyard", "run", "job.yaml", *POD], cwd=folder, env=env, text=True,
                              capture_output=True, timeout=240)
        if "--network pod: this machine does not allow" in done.stderr:
            pytest.skip("an ordinary user has no network namespaces here")
        assert done.returncode == 0, done.stderr
        check_met(done.stdout)
    finally:
        shutil.rmtree(folder)


@needs_network
def test_ports_stay_as_on_the_cluster(box):
    code, out, err = box.run(TF_RUNTIME.replace("$TF_CONFIG", "$GLOO_SOCKET_IFNAME $TF_CONFIG"), *POD)
    assert code == 0, err
    assert len(re.findall(r"config  \{", out)) == 3  # and no interface is chosen
    assert out.count("tf-node-0-1.tf:2222") == 3 and out.count("tf-node-0-2.tf:2222") == 3


# Ends well when somebody has asked, and says who.
PROBED = """
import http.server, ssl, sys
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        print("asked by", self.client_address[0], self.path, flush=True)
        self.server.asked = True
server = http.server.HTTPServer(("0.0.0.0", 8443), Answer)
server.asked = False
if sys.argv[1] == "HTTPS":
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("cert.pem", "key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
while not server.asked:
    server.handle_request()
"""


@needs_network
@pytest.mark.parametrize("scheme", ["HTTP", "HTTPS"])
def test_probes_reach_the_pods(box, scheme):
    (box.path / "probed.py").write_text(PROBED)
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
                    "/CN=pod", "-keyout", "key.pem", "-out", "cert.pem"], cwd=box.path, check=True, capture_output=True)
    probe = f"{{httpGet: {{port: 8443, path: /ready, scheme: {scheme}}}, periodSeconds: 1, timeoutSeconds: 10}}"
    code, out, err = box.run(job(f"exec /usr/bin/python3 probed.py {scheme}", more=f", readinessProbe: {probe}"), *POD)
    assert code == 0, err
    assert "[node-0-0] asked by 10.244.0.1 /ready\n" in out


@needs_network
def test_the_status_api_is_reached(box):
    code, out, err = box.run(job(client(box, 'say("done", post(progress(42)))')), *POD)
    assert (code, out) == (0, "[node-0-0] done 200 -\n"), err
    assert statuses(box)["job"]["progressPercentage"] == 42


@needs_network
def test_the_remote_shell_works(box):
    command = ("if [ $JOB_COMPLETION_INDEX = 0 ]; then ssh job-node-0-1.job 'hostname; readlink /proc/self/ns/net'; "
               "touch over; else readlink /proc/self/ns/net; while [ ! -e over ]; do sleep 0.05; done; fi")
    code, out, err = box.run(job(command, nodes=2), *POD)
    assert code == 0, err
    assert "[node-0-0] job-node-0-1\n" in out
    namespaces = re.findall(r"\[node-0-\d\] (net:\[\d+\])", out)
    assert len(namespaces) == 2 and namespaces[0] == namespaces[1] != os.readlink("/proc/self/ns/net")


@needs_network
@pytest.mark.parametrize("moment", [0.05, 0.3])
def test_nothing_of_the_network_survives_kill_9(box, moment):
    marker = "TY_TEST_MARK=net-%d-%s" % (os.getpid(), moment)
    p = box.start(job("sleep 300", nodes=3), "--env", marker, *POD)
    time.sleep(moment)  # any moment is meant, not one that could be waited for
    p.kill()
    p.communicate(timeout=60)
    wait_for("nothing survives", lambda: not survivors(marker), show=lambda: survivors(marker))
    code, out, err = box.run(job("cat /proc/net/dev | grep -c :"), *POD)
    assert (code, out) == (0, "[node-0-0] 2\n"), err


@needs_network
def test_a_bridge_has_so_many_ports(box):
    code, _, err = box.run(job("true", nodes=1100), *POD)
    assert code == 1
    assert "with --network pod all are ports of one bridge, which has 1,023" in err


@needs_network
def test_without_a_way_out_it_is_told(box):
    bare = box.path / "bin"  # sh, and no slirp4netns
    bare.mkdir()
    (bare / "sh").symlink_to("/bin/sh")
    box.env["PATH"] = str(bare)
    code, _, err = box.run(job("echo fine"), *POD)
    assert code == 0
    assert "note: pods have no access to the network outside this run: install slirp4netns\n" in err


OUTSIDE = "198.51.100.1"  # of the network namespace that the test makes for itself
# A machine with one interface, and a server that listens there.
MACHINE = f"""
ip link set lo up
ip link add outside type bridge
ip address add {OUTSIDE}/24 dev outside
ip link set outside up
ip route add default dev outside
/usr/bin/python3 serve.py &
exec "$@"
"""
SERVE = f"""
import http.server
server = http.server.HTTPServer(("{OUTSIDE}", 8000), http.server.SimpleHTTPRequestHandler)
open("serves", "w").close()
for _ in range(2):
    server.handle_request()
"""
ASK = f"""
import os, time, urllib.request
while not os.path.exists("serves"):
    time.sleep(0.02)  # until the server listens
print(urllib.request.urlopen("http://{OUTSIDE}:8000/").status)
"""


@needs_network
@pytest.mark.skipif(not all(map(shutil.which, ("slirp4netns", "ip"))) or not os.access("/dev/net/tun", os.R_OK | os.W_OK)
                    or os.getuid() != 0, reason="no slirp4netns, ip, /dev/net/tun or root here")
def test_the_way_out(box):
    for name, text in (("serve.py", SERVE), ("ask.py", ASK), ("job.yaml", job("cat /etc/resolv.conf; exec /usr/bin/python3 ask.py",
                                                                             nodes=2))):
        (box.path / name).write_text(text)
    done = subprocess.run(["unshare", "-n", "sh", "-euc", MACHINE, "sh", BINARY, "run", "job.yaml", *POD], env=box.env,
                          cwd=box.path, text=True, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [f"[node-0-{i}] {line}" for i in range(2)
                                                for line in ("200", "nameserver 10.244.0.3")]
    assert "no access" not in done.stderr


def test_where_it_is_not_allowed(box):
    """A user namespace in which no network namespace may be made."""
    file = box.path / "job.yaml"
    file.write_text(job("true"))
    limit = f"echo 0 > /proc/sys/user/max_net_namespaces && exec {BINARY} run {file} --network pod"
    done = subprocess.run(["unshare", "-Ur", "sh", "-c", limit], env=box.env, text=True, capture_output=True)
    if "unshare" in done.stderr or "max_net_namespaces" in done.stderr:
        pytest.skip("no user namespaces here")
    assert done.returncode == 1
    assert "error: --network pod: this machine does not allow network namespaces (" in done.stderr
    assert "use --network host" in done.stderr
