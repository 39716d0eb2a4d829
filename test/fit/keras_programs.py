# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps of Keras models for programs.py, as the custom loops of Keras' guide for JAX compile them.

A layers=block_1,block_2 switch is carried out with what Keras has for it: keras.RematScope, which keeps nothing of a layer.
In mode "full" it would take the layers inside of the layer, too, and fails where one of them has a flag.
"""
import contextlib

import jax
import jax.numpy as jnp
import keras


class Block(keras.Layer):
    count = 0

    def __init__(self):
        Block.count += 1
        super().__init__(name=f"block_{Block.count}")


class TransformerBlock(Block):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.norm2 = keras.layers.LayerNormalization(), keras.layers.LayerNormalization()
        self.attention = keras.layers.MultiHeadAttention(heads, width // heads)
        self.wide, self.narrow = keras.layers.Dense(4 * width, "gelu"), keras.layers.Dense(width)

    def build(self, shape):
        self.norm1.build(shape), self.norm2.build(shape), self.attention.build(shape, shape)
        self.wide.build(shape), self.narrow.build((*shape[:-1], self.wide.units))

    def call(self, x):
        y = self.norm1(x)
        x = x + self.attention(y, y, use_causal_mask=True)
        return x + self.narrow(self.wide(self.norm2(x)))


class ResidualBlock(Block):
    def __init__(self, width):
        super().__init__()
        convolution = lambda: keras.layers.Conv2D(width, 3, padding="same", use_bias=False)
        self.first, self.second, self.skip = convolution(), convolution(), keras.layers.Conv2D(width, 1)
        self.norm1, self.norm2 = keras.layers.GroupNormalization(), keras.layers.GroupNormalization()

    def build(self, shape):
        wide = (*shape[:-1], self.skip.filters)
        self.first.build(shape), self.skip.build(shape)
        self.norm1.build(wide), self.second.build(wide), self.norm2.build(wide)

    def call(self, x):
        y = keras.ops.silu(self.norm1(self.first(x)))
        y = keras.ops.silu(self.norm2(self.second(y)))
        return y + self.skip(x)


def step(model, loss, *data):
    """Data's first dimension is the batch."""
    model.compile(optimizer=keras.optimizers.Adam(1e-4), loss=loss)
    model.optimizer.build(model.trainable_variables)
    shapes = lambda variables: [jax.ShapeDtypeStruct(v.shape, v.dtype) for v in variables]
    state = tuple(map(shapes, (model.trainable_variables, model.non_trainable_variables, model.optimizer.variables,
                               model.metrics_variables)))
    return model.train_step, (state, data), (0,)


def remat(switches):
    if "layers" not in switches:
        return contextlib.nullcontext()
    return keras.RematScope("list_of_layers", layer_names=switches["layers"].split(","))


def gpt(switches, rows, length, width, heads, depth, words):
    keras.mixed_precision.set_global_policy("mixed_bfloat16")
    tokens = keras.Input((length,), dtype="int32")
    x = keras.layers.Embedding(words, width)(tokens)
    for _ in range(depth):
        x = TransformerBlock(width, heads)(x)
    model = keras.Model(tokens, keras.layers.Dense(words)(x))
    given = jax.ShapeDtypeStruct((int(switches.get("batch", rows)), length), jnp.int32)
    return step(model, keras.losses.SparseCategoricalCrossentropy(from_logits=True), given, given)


def unet(switches, rows, size, width):
    keras.mixed_precision.set_global_policy("mixed_bfloat16")
    images = keras.Input((size, size, 3))
    x, skips = images, []
    for level in range(3):
        x = ResidualBlock(width << level)(x)
        skips.append(x)
        x = keras.layers.Conv2D(width << level, 3, 2, padding="same")(x)
    x = ResidualBlock(width << 3)(x)
    for level in reversed(range(3)):
        x = keras.layers.concatenate([keras.layers.UpSampling2D()(x), skips.pop()])
        x = ResidualBlock(width << level)(x)
    model = keras.Model(images, keras.layers.Conv2D(3, 1, dtype="float32")(x))
    given = jax.ShapeDtypeStruct((int(switches.get("batch", rows)), size, size, 3), jnp.float32)
    return step(model, "mse", given, given)
