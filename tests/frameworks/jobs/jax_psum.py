"""JAX over several processes: a gradient step on a mesh of all nodes' devices."""
import os

import jax
import numpy

jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize(os.environ["JAX_COORDINATOR_ADDRESS"], int(os.environ["JAX_NUM_PROCESSES"]),
                           int(os.environ["JAX_PROCESS_ID"]))
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import jax.numpy as jnp

nodes = int(os.environ["WANT_NODES"])
assert jax.process_count() == nodes and len(jax.devices()) == nodes
mesh = Mesh(numpy.array(jax.devices()), ("node",))
rows = NamedSharding(mesh, PartitionSpec("node"))
own = numpy.random.default_rng(jax.process_index()).uniform(size=(100, 1)).astype("float32")
x = jax.make_array_from_process_local_data(rows, own, (100 * nodes, 1))
weights = jnp.zeros(2)


@jax.jit
def step(weights, x):
    def loss(w):
        return jnp.mean((w[0] * x + w[1] - (3 * x + 1)) ** 2)
    value, gradient = jax.value_and_grad(loss)(weights)
    return weights - 0.3 * gradient, value


losses = []
for _ in range(50):
    weights, value = step(weights, x)
    losses.append(float(value))
assert losses[-1] < losses[0] / 10, losses
print(f"FRAMEWORK OK jax {jax.__version__} process {jax.process_index()} loss {losses[-1]:.4f}", flush=True)
jax.distributed.shutdown()
