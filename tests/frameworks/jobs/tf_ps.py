"""TensorFlow's ParameterServerStrategy: the chief coordinates, workers and parameter servers run a gRPC
server each until the job ends with the chief."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
import tensorflow as tf

resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if resolver.task_type in ("worker", "ps"):
    server = tf.distribute.Server(resolver.cluster_spec(), job_name=resolver.task_type,
                                  task_index=resolver.task_id, protocol="grpc")
    print(f"{resolver.task_type} {resolver.task_id} serves", flush=True)
    server.join()

strategy = tf.distribute.ParameterServerStrategy(resolver)
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    weight, bias = tf.Variable(0.0), tf.Variable(0.0)


def batches():
    x = tf.random.stateless_uniform((240, 1), seed=(1, 2))
    return tf.data.Dataset.from_tensor_slices((x, 3 * x + 1)).repeat().batch(24)


@tf.function
def step(iterator):
    x, y = next(iterator)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((weight * x + bias - y) ** 2)
    for variable, gradient in zip((weight, bias), tape.gradient(loss, [weight, bias])):
        variable.assign_sub(0.1 * gradient)
    return loss


data = iter(coordinator.create_per_worker_dataset(batches))
losses = []
for _ in range(20):
    results = [coordinator.schedule(step, args=(data,)) for _ in range(5)]
    coordinator.join()
    losses.append(float(results[-1].fetch()))
assert losses[-1] < losses[0] / 2, losses
workers = len(resolver.cluster_spec().as_dict()["worker"])
assert workers == int(os.environ["WANT_WORKERS"])
print(f"FRAMEWORK OK tensorflow {tf.__version__} loss {losses[-1]:.4f}", flush=True)
