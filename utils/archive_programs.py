"""Programs of public reports about wrong numbers, for utils/archive.

Each is our own small version of the reporter's. Its arguments are types and shapes, or
arrays where the numbers matter.
"""

import dataclasses
from functools import partial
from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np
from defect_programs import two_scatters
from jax import lax
from jax.ad_checkpoint import checkpoint_name

ANY = ("cpu", "cuda", "v5e")


@dataclasses.dataclass
class Report:
    """A program, what it is given, and how it is compiled."""

    issue: str
    function: Callable
    arguments: tuple
    targets: tuple = ANY
    mesh: tuple = (1,)  # the arguments are split over its first side
    donate: tuple = ()
    x64: bool = False
    options: dict[str, Any] = dataclasses.field(default_factory=dict)  # for CUDA
    level: str = ""  # of optimization
    expected: Callable | None = None  # where the steps are wrong, too


REPORTS = []


def report(issue, *arguments, **settings):
    def add(function):
        REPORTS.append(Report(issue, function, arguments, **settings))
        return function

    return add


# Updates in place.


@report("openxla/xla#49176", ("int32", 8, 16))
def shifted_rows(x):
    base = x + 1
    return base.at[1:].set(base[:-1]).reshape(1, 8, 16)


@report("jax-ml/jax#7461", ("float32", 8))
def shifted_numbers(x):
    return lax.dynamic_update_slice(x * 1.0, (x * 1.0)[:-1] + 1, (1,))


@report("jax-ml/jax#10129", ("float32", 4, 16))
def rolled_row(x):
    return x.at[0].set(jnp.roll(x[0], 5))


@report("openxla/xla#13253", ("float32", 64, 128))
def update_with_reversed(x):
    y = jnp.exp(x * 1e-3)
    return lax.dynamic_update_slice(y, y[::-1][10:20] * y.T[:10, :1], (5, 0))


INDICES = np.int32([3, 5, 9, 11, 20, 33, 40, 63]).reshape(8, 1)
UPDATES = np.arange(100, 108, dtype="f"), np.arange(200, 208, dtype="f")


@report("openxla/xla#29362", INDICES, *UPDATES)
def scatter_to_zeros(indices, a, b):
    return two_scatters(jnp.zeros(64), jnp.zeros(64), indices, a, b)


@report("openxla/xla#38597", np.int32([3, 5, 3, 7]), ("float32", 16, 32))
def transposed_embedding(ids, table):
    loss = lambda t: jnp.sum(jnp.tanh(t.T[ids] * 1e-3 @ t * 1e-3) ** 2)
    return table - jax.grad(loss)(table)


@report("jax-ml/jax#35409", np.int32([3, 5, 3, 7]), ("float32", 32, 16), donate=(1,))
def tied_embedding(ids, table):
    loss = lambda t: jnp.sum(jnp.tanh(t[ids] * 1e-3 @ t.T * 1e-3) ** 2)
    return table - jax.grad(loss)(table)


@report("jax-ml/jax#11655", np.int32([0, 1, 0]), ("int32", 3, 1))
def conflicting_updates(rows, x):
    return x.at[rows, 0].set(jnp.arange(3))


@report("jax-ml/jax#22382, openxla/xla#19716", ("int32", 8, 8), ("bool", 8, 8, 6))
def masks_of_edges(bottom, mask):
    levels = jnp.arange(6)[None, None]
    mask = mask.at[...].set((bottom > 0)[..., None] & (bottom[..., None] - 1 <= levels))
    return (
        mask,
        mask.at[:-1].set(mask[:-1] & mask[1:]),
        mask.at[:, :-1].set(mask[:, :-1] & mask[:, 1:]),
    )


# Donation.

NUMBERS = (np.float32(1), np.float32(2), np.float32(3), np.float32(0))


@report("jax-ml/jax#39625", *NUMBERS, donate=(0, 1, 2))
def state_after_zeros(a, b, c, x):
    y = x - x
    return (y, y, y), (a, b, c)


# Starts of slices.


@report("openxla/xla#49121", ("int32", 9), np.int32(4), np.int32(12))
def slice_of_rolled(x, shift, start):
    return lax.dynamic_slice(jnp.roll(x, shift), [start], [4])


@report("openxla/xla#49120", ("int32", 3, 127, 1, 33))
def constant_start_out_of_range(x):
    t = x[:, 94]
    update = lax.dynamic_slice(t, [0, 0, 0], (1, 1, 8)) * 3 - 1
    return lax.dynamic_update_slice(t, update, [1, 1, 31])


STARTS = (np.int32(20), np.int32(5), np.int32(1), np.int32(3))


@report("openxla/xla#49119", ("int32", 33, 7, 16), *STARTS)
def update_and_roll(x, i, j, k, shift):
    t = jnp.flip(jnp.cumsum(jnp.flip(x, 2), axis=2, dtype=jnp.int32), 2)
    t = lax.pad(t, jnp.int32(0), [(-3, -1, 0), (1, 2, 0), (-2, -3, 0)])
    update = lax.dynamic_slice(t, [0, 0, 0], (14, 4, 7)) * 3 - 1
    return jnp.roll(lax.dynamic_update_slice(t, update, [i, j, k]), shift, axis=1)


@report("jax-ml/jax#13271", ("int64", 8), np.int64(1), x64=True)
def roll_by_argument(x, shift):
    return jnp.roll(x, -shift)


@report("jax-ml/jax#31016", np.int32([[1, 2, 9], [4, -5, 6]]))
def index_by_sign(index):
    shape = jnp.array([8, 8])[:, None]
    index = jnp.where(jnp.abs(index) < shape, index, jnp.sign(index) * (shape - 1))
    return index % shape


@report(
    "jax-ml/jax#21637",
    np.float32([1, 2, 3, 4]),
    targets=("cpu",),
    expected=lambda x: [x[np.array([0, 2, 0, 2])], x[::2][None]],
)
def callback_of_strided(x):
    def step(x, _):
        half = lax.slice(x, (0,), (3,), (2,))
        seen = jax.pure_callback(np.array, jax.ShapeDtypeStruct((2,), "float32"), half)
        return jnp.tile(half, 2), seen

    return lax.scan(step, x, None, length=1)


# Loops.


@report("tensorflow/tensorflow#123067", np.int32(0))
def loop_by_two(x):
    return lax.while_loop(lambda i: i < 1, lambda i: i + 2, jnp.int32(0)) + x


@report("jax-ml/jax#9604", np.int32([2, 2, -3]))
def floor_divide_in_loop(x):
    return lax.fori_loop(1, 3, lambda i, value: value // x[i], x[0])


@report("jax-ml/jax#38005", np.int32([(np.arange(5) + k) % 5 for k in range(2048)]))
def bool_state_of_scan(indices):
    def count(row):
        step = lambda flags, i: (flags.at[i].set(True), None)
        return lax.scan(step, jnp.zeros(5, bool), row)[0].sum()

    return jax.vmap(count)(indices)


@report("jax-ml/jax#17003", ("int32", 64, 2), ("int32", 4, 16, 2))
def search_in_loop(table, query):
    def before(a, b):
        first = a[..., 0] < b[..., 0]
        return first | (a[..., 0] == b[..., 0]) & (a[..., 1] <= b[..., 1])

    def step(_, state):
        low, high = state
        middle = (low + high) // 2
        left = before(query, table[middle])
        return jnp.where(left, low, middle), jnp.where(left, middle, high)

    zeros = jnp.zeros(query.shape[:-1], jnp.int32)
    return lax.fori_loop(0, 7, step, (zeros, zeros + len(table)))[1]


@report("jax-ml/jax#39887", ("float32", 20000), ("float32", 64))
def search_in_long(table, query):
    return jnp.searchsorted(table, query * 100), jnp.sort(-table)[:8]


@report("jax-ml/jax#13359", ("float32", 4, 3, 5), ("float32", 5, 6))
def product_in_scan(x, weights):
    step = lambda h, row: (jnp.tanh(h + row * 1e-3 @ weights * 1e-2),) * 2
    return lax.scan(step, jnp.zeros((3, 6)), x)


@report("jax-ml/jax#10621", ("float32", 16), ("float32", 16))
def unrolled_scan_in_scan(a, b):
    def count(x):
        step = lambda q, row: ((row[0] - x) - row[1] / (jnp.abs(q) + 1), None)
        return lax.scan(step, jnp.float32(1), (a, b), unroll=8)[0]

    halve = lambda x, _: (jnp.where(count(x) < 0, x / 2, x + 1), None)
    return jax.vmap(lambda x: lax.scan(halve, x, None, length=5)[0])(a)


@report("openxla/xla#46231", ("float32", 64, 64), targets=("cuda", "v5e"))
def offloaded_residuals(x):
    def step(carry, _):
        return checkpoint_name(jnp.sin(carry @ carry), "h") * 2, None

    policy = jax.checkpoint_policies.save_and_offload_only_these_names(
        names_which_can_be_saved=[],
        names_which_can_be_offloaded=["h"],
        offload_src="device",
        offload_dst="pinned_host",
    )
    body = jax.checkpoint(step, policy=policy)
    return jax.grad(lambda x: lax.scan(body, x, None, length=8)[0].sum())(x)


# What a fusion, a library, or the simplifier computes.


@report("jax-ml/jax#39486", ("float32", 512, 1024), ("float32", 512, 1024))
def normalized_concatenation(a, b):
    x = jnp.concatenate([a, b * 2], axis=1) * 1e-3
    return x, x * lax.rsqrt(jnp.mean(x * x, axis=1, keepdims=True) + 1e-6)


@report("jax-ml/jax#39336", ("float32", 32, 15), ("float32", 32), ("float32", 100, 15))
def scaled_product_and_bias(a, bias, b):
    return jax.vmap(lambda row: 0.1 * (a * 1e-2 @ row + bias))(b)


BITS = [1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0]


@report("openxla/xla#9431", np.int8(BITS), expected=lambda x: [np.array([True] * 2)])
def all_bytes_equal(x):
    return (x == jnp.array([BITS, BITS], x.dtype)).all(axis=-1)


@report("openxla/xla#13054", ("float32", 3), np.ones((10**6, 3), np.float32))
def gradient_with_zeros(x, rows):
    weights, zeros = jnp.float32([1, 2, 3]), jnp.zeros((3, 3))

    def each(x, row):
        return (row - x) @ weights + (row - x) @ zeros @ (row - x)

    return jax.grad(lambda x: jnp.mean(jax.vmap(partial(each, x))(rows)))(x)


@report("jax-ml/jax#35762", expected=lambda: [np.int32(32)])
def sum_of_true():
    return jnp.sum(jnp.asarray(np.ones(32, bool)))


@report("jax-ml/jax#37382", np.int32([[1, 2], [0, 0]]), level="O1")
def first_nonzero(x):
    rising = x[:, 1] - x[:, 0] > 0
    return jnp.nonzero(rising, size=1, fill_value=np.iinfo(np.int32).min)[0]


@report("jax-ml/jax#11979", np.int32([0, 2]))
def random_below_gathered(x):
    zeros, below = jnp.full(20, 0), x[jnp.full(20, 1)] - 1
    return jax.random.randint(jax.random.PRNGKey(1), (20,), zeros, below)


@report("jax-ml/jax#29537", np.float64(0.123), x64=True)
def exp_of_nan(x):
    return jnp.exp(x * jnp.nan)


@report("jax-ml/jax#37919, openxla/xla#42732", np.float32([3.4028235e38]))
def root_of_square(x):
    return jnp.sqrt(jnp.abs(jnp.square(x)))


@report("jax-ml/jax#38099", np.float32([89]))
def log_of_exp(x):
    return jnp.log(jnp.exp(x))


@report("jax-ml/jax#38098", np.float32([126, 128]))
def gradient_of_log_of_exp(x):
    return jax.grad(lambda x: jnp.sum(jnp.log2(jnp.exp2(x))))(x)


@report("jax-ml/jax#38681", np.int32([1, 2, 3, 4]))
def angle_of_false(x):
    return jnp.angle(jnp.logical_xor(x, x))


@report("jax-ml/jax#38602", np.float32([[0.1, 0.9]]))
def cross_with_itself(x):
    cross = x[..., 0] * x[..., 1] - x[..., 1] * x[..., 0]
    return cross / cross


@report("jax-ml/jax#37991", np.int32([-1, 1]), expected=lambda x: [np.array([1, 1], bool)])
def cumulative_bool(x):
    return jnp.cumsum(x, dtype=bool)


UPDATED = np.int32([10]), np.int32([[1], [2], [4]])


@report("openxla/xla#48716", *UPDATED, expected=lambda x, updates: [x + updates.sum()])
def scatter_without_index(x, updates):
    numbers = lax.ScatterDimensionNumbers((1,), (), ())
    return lax.scatter_add(x, jnp.zeros((3, 0), jnp.int32), updates, numbers)


@report(
    "openxla/xla#48718",
    *(("int32", 300), np.uint8([[200]]), np.int32([1000])),
    expected=lambda x, index, update: [x.at[200].add(1000)],
)
def scatter_by_byte(x, index, update):
    numbers = lax.ScatterDimensionNumbers((), (0,), (0,))
    return lax.scatter_add(x, index, update, numbers)


@report("openxla/xla#5544", -np.zeros(8193, np.float32), expected=lambda x: [x[0]])
def maximum_of_negative_zeros(x):
    return jnp.max(x)


@report("jax-ml/jax#17672", np.int8(np.arange(16) - 8), expected=lambda x: [x + 1])
def bytes_of_int4(x):
    return x.astype("int4").astype(jnp.int8) + 1


@report("tensorflow/tensorflow#118178", np.int8([12, 7, 20, 15, 11]))
def absolute_square(x):
    return jnp.where(x * x < 0, jnp.abs(x * x), x * x)


@report("tensorflow/tensorflow#118179", np.float32([[7.5e10] * 3]))
def variance_of_equal(x):
    return jnp.mean((x - jnp.mean(x, 1, keepdims=True)) ** 2, axis=1)


@report("tensorflow/tensorflow#62206, #62252", ("bfloat16", 10, 9, 8))
def sigmoid_of_bfloat16(x):
    return jax.nn.sigmoid(jnp.minimum(x, 6))


@report("tensorflow/tensorflow#57744", np.float32([-1.5]))
def log_of_nan(x):
    return jnp.log(jnp.power(x, x))


@report(
    "jax-ml/jax#24281",
    np.float32([-1, -0.0, 1.4e-45]),
    expected=lambda x: [np.int32(2)],
)
def largest_of_denormals(x):
    return jnp.argmax(x)


@report("jax-ml/jax#40633", np.float32(512), np.ones(4, np.float32))
def one_kernel_each(x, ones):
    return jnp.sqrt(x), ones + 1, jax.random.randint(jax.random.PRNGKey(0), (8,), 0, 9)


@report("openxla/xla#8471", ("complex128", 3), ("complex128", 3, 3), x64=True)
def conjugate_and_dot(x, y):
    return jnp.conj(x) @ y, (jnp.conj(x) @ y) @ jnp.conj(y.T)


SCORES = (np.float32(1), np.float32([0.7, 0.5]))


@report("jax-ml/jax#6566", *SCORES)
def masked_scores(mask, scores):
    scores = scores + -1e30 * (1 - mask)
    return scores - scores.max()


@report("jax-ml/jax#939", np.float32([0, 0]), np.float32([1, 1]))
def gradient_of_mixture(place, scale):
    def f(place, scale):
        x = place + scale * jnp.float32([-1.5, 0])
        term = -0.5 * ((x[..., :1] + jnp.float32([-2, 2])) / 0.6) ** 2
        ring = 0.5 * ((jnp.linalg.norm(x) - 2) / 0.4) ** 2
        return ring - jax.scipy.special.logsumexp(term, axis=-1)

    return jax.grad(f, (0, 1))(place, scale)


DETERMINISTIC = {"xla_gpu_exclude_nondeterministic_ops": True}


@report(
    "jax-ml/jax#27796, openxla/xla#31063",
    *(np.int32([0, 1, 2, 3]), np.float32([1, 2, 0, 0])),
    options=DETERMINISTIC,
)
def deterministic_scatter(rows, updates):
    return jnp.zeros(4).at[rows].set(updates)


ROWS = np.int32([[0, 1, 0], [3, 3, 2]])


@report("openxla/xla#34870", ROWS, ("float32", 2, 3), options=DETERMINISTIC)
def deterministic_batched_scatter(rows, updates):
    return jax.vmap(lambda i, u: jnp.zeros(4).at[i].add(u))(rows, updates)


@report("jax-ml/jax#27591", ("float32", 64, 96), ("float32", 191))
def rows_by_fft(x, kernel):
    row = lambda x: jax.scipy.signal.fftconvolve(kernel, x, mode="valid") * 1e-6
    return lax.map(row, x, batch_size=32)


@report("jax-ml/jax#39025", ("float32", 256, 8, 128), ("float32", 256, 8, 128))
def gradient_of_gather(x, cotangent):
    return jax.vjp(lambda x: x[:, jnp.arange(8), :], x)[1](cotangent)[0]
