"""TensorFlow's MultiWorkerMirroredStrategy: every node is a worker of TF_CONFIG and runs a gRPC server."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
resolver = strategy.cluster_resolver
print(f"worker {resolver.task_id} of {strategy.num_replicas_in_sync}", flush=True)
assert strategy.num_replicas_in_sync == int(os.environ["WANT_NODES"])
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
    model.compile(optimizer=tf.keras.optimizers.SGD(0.1), loss="mse")
x = tf.random.stateless_uniform((240, 1), seed=(1, 2))
data = tf.data.Dataset.from_tensor_slices((x, 3 * x + 1)).repeat().batch(24)
losses = model.fit(data, epochs=3, steps_per_epoch=20, verbose=0).history["loss"]
assert losses[-1] < losses[0], losses
print(f"FRAMEWORK OK tensorflow {tf.__version__} loss {losses[-1]:.4f}", flush=True)
