# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps that do not fit their chip, with a switch for each change that a plan may propose.

  programs.py NAME [donate] [paste=LINE] [batch=N]

Compiles step NAME ahead of time; nothing is executed, and no accelerator is needed. XLA_FLAGS says where its dump goes.
"""
import functools
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from ahead_of_time import find_devices
import jax
import jax.numpy as jnp
import numpy as np

SWITCHES = dict(s.partition("=")[::2] for s in sys.argv[2:])
LINES = [s.removeprefix("paste=") for s in sys.argv[2:] if s.startswith("paste=")]
f32, bf16, i32 = jnp.float32, jnp.bfloat16, jnp.int32


def shape(*dims, of=f32):
    return jax.ShapeDtypeStruct(dims, of)


def batch(size):
    return int(SWITCHES.get("batch", size))


# Layers. Plans name these functions, and these lines.

def norm(x, g):
    y = x.astype(f32)
    return (y * jax.lax.rsqrt((y * y).mean(-1, keepdims=True) + 1e-6) * g).astype(bf16)


def attention(h, p):
    x = norm(h, p["g1"])
    qkv = jnp.einsum("btd,dchk->cbhtk", x, p["qkv"].astype(bf16))
    q, k, v = qkv
    s = jnp.einsum("bhtk,bhsk->bhts", q, k, preferred_element_type=f32)

    s = jnp.where(jnp.tril(jnp.ones(s.shape[-2:], bool)), s / q.shape[-1] ** .5, -1e9)
    a = jax.nn.softmax(s, -1).astype(bf16)
    o = jnp.einsum("bhts,bhsk->bthk", a, v)
    return h + jnp.einsum("bthk,hkd->btd", o, p["o"].astype(bf16))


def mlp(h, p):
    x = norm(h, p["g2"])
    y = x @ p["w1"].astype(bf16)
    return h + jax.nn.gelu(y) @ p["w2"].astype(bf16)


def block(h, p):
    return mlp(attention(h, p), p)


def scanned(h, p):
    return block(h, p), None


def layer(h, p):
    y = h @ p["w1"]
    return h + jnp.tanh(y) @ p["w2"]


def scanned_layer(h, p):
    return layer(h, p), None


def experts(h, p):
    """Each token goes to one of E experts, at most C of each row to one."""
    x = norm(h, p["g2"])
    gates = jax.nn.softmax((x @ p["router"].astype(bf16)).astype(f32), -1)
    E, C = p["w1"].shape[0], 2 * x.shape[1] // p["w1"].shape[0]
    mask = jax.nn.one_hot(gates.argmax(-1), E, dtype=f32)
    place = jnp.cumsum(mask, 1) * mask - 1
    dispatch = jax.nn.one_hot(place.astype(i32), C, dtype=bf16)
    y = jnp.einsum("btec,btd->becd", dispatch, x)
    y = jnp.einsum("becd,edf->becf", y, p["w1"].astype(bf16))
    y = jnp.einsum("becf,efd->becd", jax.nn.gelu(y), p["w2"].astype(bf16))
    combine = dispatch * (gates * mask).astype(bf16)[..., None]
    return h + jnp.einsum("btec,becd->btd", combine, y)


def expert_block(h, p):
    return experts(attention(h, p), p)


def scanned_experts(h, p):
    return expert_block(h, p), None


def conv(x, w, stride=1):
    return jax.lax.conv_general_dilated(x, w.astype(bf16), (stride, stride), "SAME",
                                            dimension_numbers=("NHWC", "HWIO", "NHWC"))


def group_norm(x, g):
    y = x.astype(f32).reshape(*x.shape[:-1], 32, -1)
    y = (y - y.mean((1, 2, 4), keepdims=True)) * jax.lax.rsqrt(y.var((1, 2, 4), keepdims=True) + 1e-5)
    return (y.reshape(x.shape) * g).astype(bf16)


def residual_block(x, p):
    y = conv(jax.nn.silu(group_norm(x, p["g1"])), p["c1"])
    y = conv(jax.nn.silu(group_norm(y, p["g2"])), p["c2"])
    return y + (conv(x, p["skip"]) if "skip" in p else x)


def unet(p, x):
    x = conv(x, p["in"])
    skips = []
    for level in p["down"]:
        for r in level["blocks"]:
            x = residual_block(x, r)
            skips.append(x)
        x = conv(x, level["half"], 2)
    for r in p["middle"]:
        x = residual_block(x, r)
    for level in p["up"]:
        b, h, w, c = x.shape
        x = conv(jnp.broadcast_to(x[:, :, None, :, None], (b, h, 2, w, 2, c)).reshape(b, 2 * h, 2 * w, c), level["wide"])
        for r in level["blocks"]:
            x = residual_block(jnp.concatenate([x, skips.pop()], -1), r)
    return conv(x, p["out"])


# Models.

def logits_loss(h, embed, tokens):
    logits = (h @ embed.T.astype(bf16)).astype(f32)
    lse = jax.nn.logsumexp(logits.astype(f32), -1)
    return (lse - jnp.take_along_axis(logits, tokens[:, 1:, None], -1)[..., 0]).mean()


def embedded(params, tokens):
    return params["embed"].astype(bf16)[tokens[:, :-1]]


def scan_loss(params, tokens):
    h, _ = jax.lax.scan(scanned, embedded(params, tokens), params["blocks"])
    return logits_loss(h, params["embed"], tokens)


def scan_remat_loss(params, tokens):
    h, _ = jax.lax.scan(jax.checkpoint(scanned), embedded(params, tokens), params["blocks"])
    return logits_loss(h, params["embed"], tokens)


def moe_loss(params, tokens):
    h, _ = jax.lax.scan(scanned_experts, embedded(params, tokens), params["blocks"])
    return logits_loss(h, params["embed"], tokens)


def unrolled_loss(params, tokens):
    h = embedded(params, tokens)
    for p in params["blocks"]:
        h = block(h, p)
    return logits_loss(h, params["embed"], tokens)


def unrolled_remat_loss(params, tokens):
    h = embedded(params, tokens)
    for p in params["blocks"]:
        h = jax.checkpoint(block)(h, p)
    return logits_loss(h, params["embed"], tokens)


def mlp_scan_loss(params, x):
    return (jax.lax.scan(scanned_layer, x, params)[0] ** 2).mean()


def mlp_loss(params, x):
    for p in params:
        x = layer(x, p)
    return (x ** 2).mean()


def one_checkpoint_loss(params, x):
    return jax.checkpoint(mlp_loss)(params, x)


def sgd(loss_of, params, x):
    loss, g = jax.value_and_grad(loss_of)(params, x)
    return jax.tree.map(lambda p, g: p - 1e-3 * g, params, g), loss


def diffusion_loss(params, images, noise):
    predicted = unet(params, (images + noise).astype(bf16))
    return ((predicted.astype(f32) - noise) ** 2).mean()


def adam(loss_of, state, *data):
    params, m, v = state
    loss, g = jax.value_and_grad(loss_of)(params, *data)
    m = jax.tree.map(lambda m, g: .9 * m + .1 * g.astype(m.dtype), m, g)
    v = jax.tree.map(lambda v, g: .99 * v + .01 * (g * g).astype(v.dtype), v, g)
    params = jax.tree.map(lambda p, m, v: p - 1e-4 * m / (jnp.sqrt(v) + 1e-8), params, m, v)
    return (params, m, v), loss


def mixed_adam(loss_of, state, *data):
    """The model computes with bfloat16; master weights and moments are float32."""
    params, master, m, v = state
    loss, g = jax.value_and_grad(loss_of)(params, *data)
    m = jax.tree.map(lambda m, g: .9 * m + .1 * g.astype(f32), m, g)
    v = jax.tree.map(lambda v, g: .99 * v + .01 * g.astype(f32) ** 2, v, g)
    master = jax.tree.map(lambda p, m, v: p - 1e-4 * m / (jnp.sqrt(v) + 1e-8), master, m, v)
    return (jax.tree.map(lambda p: p.astype(bf16), master), master, m, v), loss


def decode(params, cache, token, position):
    """One token for each row; the keys and values of what was read before are in the cache."""
    h = params["embed"].astype(bf16)[token]

    def layer(h, at):
        p, keys, values = at
        q, k, v = jnp.einsum("bd,dchk->cbhk", norm(h, p["g1"]), p["qkv"].astype(bf16))
        keys = jax.lax.dynamic_update_slice_in_dim(keys, k[:, :, None], position, 2)
        values = jax.lax.dynamic_update_slice_in_dim(values, v[:, :, None], position, 2)
        s = jnp.einsum("bhk,bhsk->bhs", q, keys, preferred_element_type=f32) / q.shape[-1] ** .5
        s = jnp.where(jnp.arange(s.shape[-1]) <= position, s, -1e9)
        o = jnp.einsum("bhs,bhsk->bhk", jax.nn.softmax(s, -1).astype(bf16), values)
        return mlp(h + jnp.einsum("bhk,hkd->bd", o, p["o"].astype(bf16)), p), (keys, values)

    h, cache = jax.lax.scan(layer, h, (params["blocks"], *cache))
    return cache, (h @ params["embed"].T.astype(bf16)).argmax(-1)


# What each step is given.

def layer_shapes(D, H, *front, of=f32, E=0, F=4):
    p = {"qkv": (D, 3, H, D // H), "o": (H, D // H, D), "g1": (D,), "g2": (D,)}
    if E:
        p |= {"router": (D, E), "w1": (E, D, F * D), "w2": (E, F * D, D)}
    else:
        p |= {"w1": (D, F * D), "w2": (F * D, D)}
    return {n: shape(*front, *s, of=of) for n, s in p.items()}


def gpt(loss_of, B, T, D, H, L, V, scan=True, E=0, update=adam, of=f32):
    B = batch(B)
    blocks = layer_shapes(D, H, L, of=of, E=E) if scan else [layer_shapes(D, H, of=of, E=E) for _ in range(L)]
    params = {"embed": shape(V, D, of=of), "blocks": blocks}
    full = jax.tree.map(lambda s: shape(*s.shape), params)
    state = (params, full, full) if update is adam else (params, full, full, full)
    return functools.partial(update, loss_of), (state, shape(B, T + 1, of=i32)), (0,)


def small(loss_of, B, D, F, L, scan):
    p = lambda *front: {"w1": shape(*front, D, F), "w2": shape(*front, F, D)}
    return functools.partial(sgd, loss_of), (p(L) if scan else [p() for _ in range(L)], shape(batch(B), D)), (0,)


def diffusion(B, size, C):
    B = batch(B)

    def res(i, o):
        p = {"g1": shape(i), "c1": shape(3, 3, i, o), "g2": shape(o), "c2": shape(3, 3, o, o)}
        return p | ({"skip": shape(1, 1, i, o)} if i != o else {})
    widths = [C, 2 * C]
    down, up, c, kept = [], [], C, []
    for w in widths:
        down.append({"blocks": [res(c, w), res(w, w)], "half": shape(3, 3, w, w)})
        kept += [w, w]
        c = w
    middle = [res(c, c), res(c, c)]
    for w in reversed(widths):
        up.append({"wide": shape(3, 3, c, w), "blocks": [res(w + kept.pop(), w), res(w + kept.pop(), w)]})
        c = w
    params = {"in": shape(3, 3, 3, C), "down": down, "middle": middle, "up": up, "out": shape(3, 3, C, 3)}
    images = shape(B, size, size, 3)
    return functools.partial(adam, diffusion_loss), ((params, params, params), images, images), (0,)


def serving(B, S, D, H, L, V):
    B = batch(B)
    cache = shape(L, B, H, S, D // H, of=bf16)
    params = {"embed": shape(V, D, of=bf16), "blocks": layer_shapes(D, H, L, of=bf16)}
    return decode, (params, (cache, cache), shape(B, of=i32), shape(of=i32)), (1,)


CPU = ("cpu", "")
V5E, V6E, H100 = ("tpu", "v5e:2x2x1"), ("tpu", "v6e:2x2x1"), ("cuda", "1x1x1")
PROGRAMS = {
    "mlp-scan-cpu": (CPU, lambda: small(mlp_scan_loss, 256, 32, 128, 6, True)),
    "mlp-unrolled-cpu": (CPU, lambda: small(mlp_loss, 256, 32, 128, 4, False)),
    "mlp-one-checkpoint-cpu": (CPU, lambda: small(one_checkpoint_loss, 256, 32, 128, 12, False)),
    "gpt-scan-v5e": (V5E, lambda: gpt(scan_loss, 8, 1024, 1024, 8, 8, 32000)),
    "gpt-scan-remat-v5e": (V5E, lambda: gpt(scan_remat_loss, 16, 1024, 1024, 8, 12, 32000)),
    "gpt-unrolled-v6e": (V6E, lambda: gpt(unrolled_loss, 8, 1024, 1024, 8, 6, 32000, scan=False)),
    "gpt-scan-h100": (H100, lambda: gpt(scan_loss, 8, 1024, 1024, 8, 8, 32000)),
    "gpt-unrolled-h100": (H100, lambda: gpt(unrolled_loss, 8, 1024, 1024, 8, 4, 32000, scan=False)),
    "gpt-unrolled-remat-h100": (H100, lambda: gpt(unrolled_remat_loss, 16, 1024, 1024, 8, 4, 32000, scan=False)),
    "moe-scan-v6e": (V6E, lambda: gpt(moe_loss, 8, 1024, 1024, 8, 4, 32000, E=8)),
    "unet-v5e": (V5E, lambda: diffusion(16, 64, 128)),
    "unet-h100": (H100, lambda: diffusion(32, 64, 128)),
    "long-context-v6e": (V6E, lambda: gpt(unrolled_loss, 1, 8192, 512, 2, 3, 32000, scan=False)),
    "decode-v5e": (V5E, lambda: serving(8, 2048, 1024, 8, 12, 32000)),
    "master-weights-h100": (H100, lambda: gpt(scan_remat_loss, 4, 1024, 2048, 16, 8, 32000, update=mixed_adam, of=bf16)),
}


if __name__ == "__main__":
    for line in LINES:
        exec(line)
    (platform, topology), make = PROGRAMS[sys.argv[1]]
    step, arguments, donated = make()
    chip = jax.sharding.SingleDeviceSharding(find_devices(platform, topology, os.environ.get("HLOBUF_GPU"))[0])
    step = jax.jit(step, in_shardings=chip, out_shardings=chip, donate_argnums=donated if "donate" in SWITCHES else ())
    step.lower(*arguments).compile()
