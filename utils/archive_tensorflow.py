"""archive_tensorflow.py FOLDER: the programs of reports of wrong numbers in TensorFlow.

Runs each step by step and compiled, prints both, and leaves the dumps of XLA in FOLDER,
for hlobuf-verify. docs/evidence/upstream.md says what was found.
"""

import os
import sys

FLAGS = f"--xla_dump_to={sys.argv[1]} --xla_dump_hlo_as_text"
os.environ.update(XLA_FLAGS=FLAGS, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402


def loop_by_two(x):
    return tf.while_loop(lambda i: i < 1, lambda i: [i + 2], [x * 0])[0]


def absolute_square(x):
    return tf.where(x * x < 0, tf.abs(x * x), x * x)


# What is reported, the program, and its argument. The last one may end the process.
PROGRAMS = [
    ("123067", loop_by_two, tf.constant(0)),
    ("118178", absolute_square, tf.constant([12, 7, 20, 15, 11], tf.int8)),
    ("118179", lambda x: tf.nn.moments(x, [1])[1], tf.constant([[7.5e10] * 3])),
    ("57744", lambda x: tf.math.log(tf.pow(x, x)), tf.constant([-1.5])),
    ("120232", tf.math.argmax, tf.constant([4, 5.5, np.nan])),
    ("120236", lambda x: tf.math.in_top_k([2], x, 1), tf.constant([[0.5, np.nan, 0.7, 0.6]])),
    ("openxla/xla#42732", lambda x: tf.math.log(tf.exp(x)), tf.constant([89.0])),
    ("110789", lambda x: tf.slice(tf.where(x), [0, 0], [2, 1]), tf.eye(20, 3)),
]

for report, function, argument in PROGRAMS:
    compiled = tf.function(function, jit_compile=True)
    numbers = [np.asarray(f(argument)).ravel() for f in (function, compiled)]
    print(report, *numbers, sep=" | ", flush=True)
