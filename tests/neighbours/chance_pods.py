"""The pods of random cases: what plugins read and change, and what has to pass through them unseen."""

# The first two of each are as Kubernetes writes them: only those in a TrainJob (B30).
QUANTITIES = {"cpu": ("1", "500m", "2.5", 3, "0.1"), "memory": ("1Gi", "1500M", "1024Mi", "1e9", "0.5Gi"),
              "nvidia.com/gpu": ("1", "2", "4", 8), "ephemeral-storage": ("10G",),
              "example.com/nic": ("1",)}
NAMES = ("A", "B", "PATH_TO_IT", "X", "JAX_PLATFORMS", "FLUX_QUEUE_POLICY")
OWN = ("PET_NNODES", "PET_MASTER_PORT", "JAX_PROCESS_ID", "OMPI_MCA_orte_default_hostfile",
       "DMLC_TASK_ID", "STORAGE_URI")  # a runtime may have what a plugin sets
VALUES = ("1", "", "yes", "$(A)/b", "a b  c", "ümlaut", '"quoted"\n', "007", "null")
FROM = ({"fieldRef": {"fieldPath": "metadata.name"}},
        {"secretKeyRef": {"name": "s", "key": "k"}},
        {"secretKeyRef": {"name": "s", "key": "k", "optional": False}},
        {"configMapKeyRef": {"name": "c", "key": "k", "optional": True}},
        {"resourceFieldRef": {"containerName": "node", "resource": "requests.memory",
                              "divisor": "1Mi"}},
        {"resourceFieldRef": {"resource": "limits.cpu"}})  # the last: not as Kubernetes writes it
PATHS = ("/mnt/*",) * 9 + ("/root/.ssh", "/etc/mpi", "/dev/shm")  # a plugin's own, by chance
SOURCES = ({"emptyDir": {}}, {"emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}},
           {"persistentVolumeClaim": {"claimName": "p"}}, {"configMap": {"name": "c", "optional": True}},
           {"secret": {"secretName": "s", "defaultMode": 256}}, {"hostPath": {"path": "/x", "type": ""}},
           {"projected": {"sources": [{"downwardAPI": {"items": [
               {"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]}}]}})
TERMS = [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}]}]
CONTAINER = {
    "workingDir": ["/w"], "imagePullPolicy": ["Always", "IfNotPresent"], "tty": [True, False],
    "securityContext": [{"runAsUser": 0}, {"capabilities": {"add": ["IPC_LOCK"]}, "privileged": False}],
    "envFrom": [[{"configMapRef": {"name": "c"}}, {"prefix": "P_", "secretRef": {"name": "s"}}]],
    "livenessProbe": [{"exec": {"command": ["true"]}, "periodSeconds": 5},
                      {"httpGet": {"path": "/", "port": 80}}, {"tcpSocket": {"port": "named"}}],
    "lifecycle": [{"preStop": {"sleep": {"seconds": 3}}}],
    "terminationMessagePolicy": ["FallbackToLogsOnError"],
    "command": [["sleep"], []], "args": [["1", "two"], []],
    "resizePolicy": [[{"resourceName": "cpu", "restartPolicy": "NotRequired"}]],
    "ports": [[{"containerPort": 80, "name": "web"}],
              [{"containerPort": 80, "name": "web"},
               {"containerPort": 81, "name": "udp", "protocol": "UDP"}]]}  # with names (B1)
POD = {
    "restartPolicy": ["Never", "OnFailure"], "nodeSelector": [{"pool": "gpu", "disk": ""}],
    "tolerations": [[{"operator": "Exists"}], [{"key": "k", "value": "v", "effect": "NoSchedule"}]],
    "affinity": [{"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": TERMS}}},
        {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 1, "podAffinityTerm": {"topologyKey": "host", "labelSelector": {}}}]}}],
    "serviceAccountName": ["trainer"], "terminationGracePeriodSeconds": [0, 30],
    "hostNetwork": [True, False], "dnsPolicy": ["ClusterFirst"], "schedulerName": ["other"],
    "imagePullSecrets": [[{"name": "pull"}]], "shareProcessNamespace": [True, False],
    "securityContext": [{}, {"fsGroup": 7, "supplementalGroups": [1, 2]}],
    "hostAliases": [[{"ip": "10.0.0.9", "hostnames": ["a", "b"]}]],
    "automountServiceAccountToken": [False], "enableServiceLinks": [False], "hostIPC": [True],
    "topologySpreadConstraints": [[{"maxSkew": 1, "topologyKey": "zone",
                                    "whenUnsatisfiable": "DoNotSchedule"}]],
    "readinessGates": [[{"conditionType": "example.com/ready"}]], "dnsConfig": [{"searches": ["x.y"]}],
    "priorityClassName": ["system-node-critical"], "setHostnameAsFQDN": [True],
    "schedulingGates": [[{"name": "example.com/gate"}]], "activeDeadlineSeconds": [1000]}


def fields(dice, choices, chance=0.4):
    """Each of the fields by chance, with one of its values."""
    return {key: dice.choice(values) for key, values in choices.items() if dice.maybe(chance)}


def labels(dice, chance=0.5):
    return fields(dice, {"team": ["red", "blue"], "example.com/tier": ["1", ""], "app": ["x"]}, chance)


def requests(dice, canonical=False):
    """A limit has its request (B11), and there is one kind of GPU (B15)."""
    asked = fields(dice, {key: values[:2] if canonical else values
                          for key, values in QUANTITIES.items()}, 0.5)
    found = {"requests": asked} if asked else {}
    limits = {key: asked[key] for key in dice.some(asked, 0.6)}
    return {**found, **({"limits": limits} if limits else {})}


def variables(dice, canonical=False, names=NAMES):
    found = []
    for name in dice.some(names):
        one = {"name": name}
        if dice.maybe(0.3):
            one["valueFrom"] = dice.choice(FROM[:-1] if canonical else FROM)
        elif dice.maybe(0.9):
            one["value"] = dice.choice(VALUES)
        found.append(one)
    dice.shuffle(found)
    return found


def container(dice, name, volumes, **settings):
    one = {"name": name, "image": f"registry.example/{name}:1", **fields(dice, CONTAINER, 0.15)}
    if dice.maybe(0.5):
        one["env"] = variables(dice, names=NAMES + (OWN if dice.maybe(0.2) else ()))
    mounts = [{"name": volume["name"], "mountPath": dice.choice(PATHS).replace("*", volume["name"])}
              for volume in dice.some(volumes)]
    if name.endswith("-initializer") and dice.maybe(0.85):
        mounts.append({"name": "initializer", "mountPath": "/workspace"})
    if mounts:
        one["volumeMounts"] = mounts
    return {**one, **settings}


def pod(draw, main, trainer):
    """A pod with `main` and by chance some more containers."""
    dice = draw.dice
    volumes = [{"name": name, **dice.choice(SOURCES)} for name in 
               dice.some(("data", "scratch", "v"), 0.3) + dice.some(("mpi-ssh-auth", "flux-install"), 0.05)]
    names = dice.some(("side", "log"), 0.2)
    each = [container(dice, name, volumes) for name in [main, *names]]
    dice.shuffle(each)
    inits = [container(dice, name, volumes, **fields(dice, {"restartPolicy": ["Always"]}, 0.4))
             for name in dice.some(("prepare", "proxy"), 0.2)]
    for one in inits + each:
        if dice.maybe(0.3) and (not trainer and one["name"] != "node" or "runtime" in draw.resources):
            one["resources"] = requests(dice)
    spec = {**fields(dice, POD, 0.08), "containers": each}
    if dice.maybe(0.05):
        spec["resources"] = requests(dice)
    if draw.gang:
        spec.pop("priorityClassName", None)  # B17
    if draw.priority and dice.maybe():
        spec["priorityClassName"] = draw.priority
    if volumes:
        spec["volumes"] = volumes
    if inits:
        spec["initContainers"] = inits
    if draw.own_class and dice.maybe():
        spec["runtimeClassName"] = f"class-of-case-{draw.number}"
        spec["overhead"] = {"cpu": "250m", "memory": "64Mi"}
    return spec
