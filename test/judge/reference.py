"""Evaluates a jaxpr with numpy, an equation at a time.

Nothing is compiled, fused or updated in place: every equation makes a new array. What
is not known here raises Unknown, and the program is not judged; where `SETTINGS.eager`
is set, jax evaluates that equation by itself.
"""

import threading

import numpy as np

SETTINGS = threading.local()  # noise: relative, of each float result; None for none
EAGER = [False]
# Another number each time, or of several devices: not to be had from one equation.
ALONE = {"rng_uniform", "pbroadcast", "ragged_all_to_all", "infeed", "pgather"}


class Unknown(Exception):
    """A primitive, or a form of one, that is not evaluated here."""


def evaluate(closed, arguments):
    """The results of a closed jaxpr, as numpy arrays."""
    return run(closed.jaxpr, closed.consts, arguments)


def run(jaxpr, constants, arguments):
    values = {}

    def read(atom):
        if hasattr(atom, "val"):
            return np.asarray(atom.val, atom.aval.dtype)
        return values[atom]

    for names, given in ((jaxpr.constvars, constants), (jaxpr.invars, arguments)):
        values.update((name, np.asarray(x)) for name, x in zip(names, given))
    with np.errstate(all="ignore"):
        for equation in jaxpr.eqns:
            values.update(zip(equation.outvars, step(equation, map(read, equation.invars))))
    return [read(atom) for atom in jaxpr.outvars]


def step(equation, given):
    """The results of one equation."""
    name, given = equation.primitive.name, list(given)
    rule, bodies = RULES.get(name), name in BODIES
    try:
        # numpy does not know the kinds of narrow floats and integers, but moves them.
        narrow = not bodies and name not in MOVES
        if rule is None or narrow and any(x.dtype.kind == "V" for x in given):
            raise Unknown(name)
        out = rule(equation, *given)
        out = list(out) if isinstance(out, (list, tuple)) else [out]
        out = [np.asarray(x, v.aval.dtype) for v, x in zip(equation.outvars, out)]
        if [x.shape for x in out] != [v.aval.shape for v in equation.outvars]:
            raise Unknown(f"shape of {name}")
    except (Unknown, TypeError, ValueError):
        if not EAGER[0] or bodies or name in ALONE:
            raise
        out = eagerly(equation, given)
    noise = getattr(SETTINGS, "noise", None)
    return [disturbed(x, noise) for x in out] if noise and not bodies else out


def eagerly(equation, given):
    """One equation by itself, compiled and run by jax."""
    params = equation.primitive.get_bind_params(equation.params)
    functions = ()
    if isinstance(params, tuple):  # jax 0.8 and before
        functions, params = params
    with equation.ctx.manager:
        out = equation.primitive.bind(*functions, *given, **params)
    out = out if equation.primitive.multiple_results else [out]
    return [np.asarray(x) for x in out]


def disturbed(x, noise):
    """The same numbers, but for what another order of rounding may do to them."""
    if x.dtype.kind in "biu" or x.dtype.name.startswith(("int", "uint")):
        return x
    import ml_dtypes  # pylint: disable=import-outside-toplevel

    real = np.dtype("float32") if x.dtype.kind == "c" else x.dtype
    some = noise.uniform(-1, 1, x.shape) * (8 * float(ml_dtypes.finfo(real).eps))
    wide = np.complex128 if x.dtype.kind == "c" else np.float64
    return (x.astype(wide) * (1 + some)).astype(x.dtype)


# Control flow.


def inner(equation, *arguments):
    """Any call: its jaxpr runs as if it were inlined."""
    for key in ("jaxpr", "call_jaxpr", "fun_jaxpr"):
        body = equation.params.get(key)
        if body is not None:
            break
    else:
        raise Unknown(equation.primitive.name)
    if hasattr(body, "jaxpr"):
        return evaluate(body, arguments)
    return run(body, (), arguments)


def while_loop(equation, *arguments):
    p = equation.params
    first, second = p["cond_nconsts"], p["cond_nconsts"] + p["body_nconsts"]
    of_condition, of_body = arguments[:first], arguments[first:second]
    state = list(arguments[second:])
    while evaluate(p["cond_jaxpr"], [*of_condition, *state])[0]:
        state = evaluate(p["body_jaxpr"], [*of_body, *state])
    return state


def scan(equation, *arguments):
    p = equation.params
    body = p["jaxpr"]
    if "num_consts" in p:
        constants, carries = p["num_consts"], p["num_carry"]
    else:
        constants, carries = map(len, p["ft_in"].unpack()[:2])
    steps = range(p["length"])
    fixed, state = arguments[:constants], list(arguments[constants:][:carries])
    rows, stacked = arguments[constants + carries :], {}
    for i in reversed(steps) if p["reverse"] else steps:
        out = evaluate(body, [*fixed, *state, *(x[i] for x in rows)])
        state, stacked[i] = out[:carries], out[carries:]
    shapes = [v.aval for v in equation.outvars[carries:]]
    columns = [
        np.stack([stacked[i][k] for i in steps]) if steps else np.zeros(a.shape)
        for k, a in enumerate(shapes)
    ]
    return [*state, *columns]


def cond(equation, index, *arguments):
    branches = equation.params["branches"]
    return evaluate(branches[int(np.clip(index, 0, len(branches) - 1))], arguments)


# Arithmetic. Integers wrap, as they do in the compiled program.


def divide(x, y):
    if x.dtype.kind in "fc":
        return x / y
    if np.any(y == 0):
        raise Unknown("a division by zero")
    quotient = np.abs(x.astype(np.int64)) // np.abs(y.astype(np.int64))
    return np.where((x < 0) != (y < 0), -quotient, quotient)


def remainder(x, y):
    if x.dtype.kind in "fc" or np.any(y == 0):
        raise Unknown("a remainder")
    return np.fmod(x, y)


def shift_right_logical(x, y):
    unsigned = np.dtype(f"u{x.dtype.itemsize}")
    return (x.view(unsigned) >> y.view(unsigned)).view(x.dtype)


def shift_right_arithmetic(x, y):
    signed = np.dtype(f"i{x.dtype.itemsize}")
    return (x.view(signed) >> y.view(signed)).view(x.dtype)


def convert(equation, x):
    to = equation.params["new_dtype"]
    if x.dtype.kind == "f" and np.dtype(to).kind in "iu":
        raise Unknown("a float as an integer")
    return x.astype(to)


def bitcast(equation, x):
    to = np.dtype(equation.params["new_dtype"])
    if to.itemsize != x.dtype.itemsize:
        raise Unknown("a bitcast that changes the shape")
    return np.ascontiguousarray(x).view(to)


def select(_, which, *cases):
    which = np.asarray(which, np.int64)
    if which.ndim == 0:
        return cases[int(which)]
    return np.choose(which, cases)


# Moves.


def pad(equation, x, value):
    config = equation.params["padding_config"]
    sizes = [
        lo + hi + n + max(n - 1, 0) * gap for n, (lo, hi, gap) in zip(x.shape, config)
    ]
    out = np.full([max(n, 0) for n in sizes], value, x.dtype)
    places = [np.arange(n) * (gap + 1) + lo for n, (lo, _, gap) in zip(x.shape, config)]
    kept = [(at >= 0) & (at < n) for at, n in zip(places, sizes)]
    if not x.ndim:
        return x
    out[np.ix_(*(at[k] for at, k in zip(places, kept)))] = x[np.ix_(*kept)]
    return out


def broadcast(equation, x, *_):
    p = equation.params
    shape = [1] * len(p["shape"])
    for d, to in enumerate(p["broadcast_dimensions"]):
        shape[to] = x.shape[d]
    return np.broadcast_to(x.reshape(shape), p["shape"])


def static_slice(equation, x):
    p = equation.params
    strides = p["strides"] or (1,) * x.ndim
    return x[tuple(map(slice, p["start_indices"], p["limit_indices"], strides))]


def clamped_starts(starts, shape, sizes):
    """Any type of index may be too narrow for the limits."""
    return [min(max(int(s), 0), n - k) for s, n, k in zip(starts, shape, sizes)]


def clamped(starts, shape, sizes):
    return tuple(
        slice(start, start + k)
        for start, k in zip(clamped_starts(starts, shape, sizes), sizes)
    )


def dynamic_slice(equation, x, *starts):
    return x[clamped(starts, x.shape, equation.params["slice_sizes"])]


def dynamic_update_slice(_, x, update, *starts):
    out = x.copy()
    out[clamped(starts, x.shape, update.shape)] = update
    return out


def split(equation, x):
    p = equation.params
    return np.split(x, np.cumsum(p["sizes"])[:-1], p["axis"])


def unstack(equation, x):
    axis = equation.params["axis"]
    return [x.take(i, axis) for i in range(x.shape[axis])]


def mode_of(equation):
    return str(equation.params["mode"]).rsplit(".", maxsplit=1)[-1].split("(")[0]


def gather(equation, x, indices):
    p, numbers = equation.params, equation.params["dimension_numbers"]
    if numbers.operand_batching_dims:
        raise Unknown("a batched gather")
    sizes, mode = p["slice_sizes"], mode_of(equation)
    batch = indices.shape[:-1]
    out = np.empty(equation.outvars[0].aval.shape, x.dtype)
    rest = [d for d in range(out.ndim) if d not in numbers.offset_dims]
    kept = [d for d in range(x.ndim) if d not in numbers.collapsed_slice_dims]
    for at in np.ndindex(*batch):
        start = [0] * x.ndim
        for k, d in enumerate(numbers.start_index_map):
            start[d] = int(indices[at + (k,)])
        inside = all(0 <= s <= n - k for s, n, k in zip(start, x.shape, sizes))
        window = x[clamped(start, x.shape, sizes)]
        window = window.reshape([window.shape[d] for d in kept])
        if not inside and mode in ("FILL_OR_DROP", "1"):
            fill = p["fill_value"]
            if fill is None:
                raise Unknown("a gather beyond the end")
            window = np.full_like(window, fill)
        place = [slice(None)] * out.ndim
        for d, i in zip(rest, at):
            place[d] = i
        out[tuple(place)] = window
    return out


def combines(equation):
    body = equation.params.get("update_jaxpr")
    return bool(body and getattr(body, "jaxpr", body).eqns)


def scatter(combine):
    def rule(equation, x, indices, updates):
        numbers, mode = equation.params["dimension_numbers"], mode_of(equation)
        if numbers.operand_batching_dims:
            raise Unknown("a batched scatter")
        if equation.primitive.name == "scatter" and combines(equation):
            raise Unknown("a scatter that computes")
        out = x.copy()
        rest = [d for d in range(updates.ndim) if d not in numbers.update_window_dims]
        full = [d for d in range(x.ndim) if d not in numbers.inserted_window_dims]
        sizes = [1] * x.ndim
        for d, w in zip(full, numbers.update_window_dims):
            sizes[d] = updates.shape[w]
        for at in np.ndindex(*indices.shape[:-1]):
            start = [0] * x.ndim
            for k, d in enumerate(numbers.scatter_dims_to_operand_dims):
                start[d] = int(indices[at + (k,)])
            inside = all(0 <= s <= n - k for s, n, k in zip(start, x.shape, sizes))
            if not inside and mode != "CLIP":
                continue
            place = [slice(None)] * updates.ndim
            for d, i in zip(rest, at):
                place[d] = i
            window = clamped(start, x.shape, sizes)
            new = updates[tuple(place)].reshape(sizes)
            out[window] = combine(out[window], new)
        return out

    return rule


# Orders and sums.


def sort(equation, *operands):
    p = equation.params
    if p["num_keys"] != 1:
        raise Unknown("a sort by several keys")
    order = np.argsort(operands[0], axis=p["dimension"], kind="stable")
    return [np.take_along_axis(x, order, p["dimension"]) for x in operands]


def cumulative(ufunc):
    def rule(equation, x):
        axis = equation.params["axis"]
        if equation.params["reverse"]:
            return np.flip(ufunc.accumulate(np.flip(x, axis), axis, x.dtype), axis)
        return ufunc.accumulate(x, axis, x.dtype)

    return rule


def reduction(ufunc):
    return lambda e, x: ufunc.reduce(x, tuple(e.params["axes"]), x.dtype)


def arg(function):
    return lambda e, x: function(x, e.params["axes"][0])


def dot(equation, x, y):
    (over_x, over_y), batch = equation.params["dimension_numbers"]
    if batch[0]:
        raise Unknown("a batched dot")
    kind = equation.outvars[0].aval.dtype
    return np.tensordot(x.astype(kind), y.astype(kind), (over_x, over_y))


def binary(function):
    return lambda _, x, y: function(x, y)


def unary(function):
    return lambda _, x: function(x)


def reshaped(equation, x, *_):
    return x.reshape(equation.outvars[0].aval.shape)


RULES = {
    "while": while_loop,
    "scan": scan,
    "cond": cond,
    "div": binary(divide),
    "rem": binary(remainder),
    "shift_left": binary(np.left_shift),
    "shift_right_arithmetic": binary(shift_right_arithmetic),
    "shift_right_logical": binary(shift_right_logical),
    "convert_element_type": convert,
    "bitcast_convert_type": bitcast,
    "select_n": select,
    "clamp": lambda _, low, x, high: np.minimum(np.maximum(x, low), high),
    "pad": pad,
    "broadcast_in_dim": broadcast,
    "slice": static_slice,
    "dynamic_slice": dynamic_slice,
    "dynamic_update_slice": dynamic_update_slice,
    "split": split,
    "gather": gather,
    "scatter": scatter(lambda old, new: new),
    "scatter-add": scatter(np.add),
    "scatter_add": scatter(np.add),
    "scatter-mul": scatter(np.multiply),
    "scatter_mul": scatter(np.multiply),
    "scatter-min": scatter(np.minimum),
    "scatter_min": scatter(np.minimum),
    "scatter-max": scatter(np.maximum),
    "scatter_max": scatter(np.maximum),
    "tile": lambda e, x: np.tile(x, e.params["reps"]),
    "stack": lambda e, *xs: np.stack(xs, e.params["axis"]),
    "unstack": unstack,
    "reshape": reshaped,
    "squeeze": reshaped,
    "expand_dims": reshaped,
    "transpose": lambda e, x: x.transpose(e.params["permutation"]),
    "rev": lambda e, x: np.flip(x, e.params["dimensions"]),
    "concatenate": lambda e, *xs: np.concatenate(xs, e.params["dimension"]),
    "iota": lambda e: np.broadcast_to(
        np.arange(e.params["shape"][e.params["dimension"]]).reshape(
            [
                -1 if d == e.params["dimension"] else 1
                for d in range(len(e.params["shape"]))
            ]
        ),
        e.params["shape"],
    ),
    "sort": sort,
    "cumsum": cumulative(np.add),
    "cummax": cumulative(np.maximum),
    "cummin": cumulative(np.minimum),
    "reduce_sum": reduction(np.add),
    "reduce_max": reduction(np.maximum),
    "reduce_min": reduction(np.minimum),
    "reduce_or": reduction(np.logical_or),
    "reduce_and": reduction(np.logical_and),
    "argmax": arg(np.argmax),
    "argmin": arg(np.argmin),
    "dot_general": dot,
    "copy": unary(np.copy),
    "copy_p": unary(np.copy),
    "stop_gradient": unary(np.copy),
    "optimization_barrier": lambda _, *xs: list(xs),
    "neg": unary(np.negative),
    "abs": unary(np.abs),
    "sign": unary(np.sign),
    "not": unary(np.invert),
    "square": unary(np.square),
    "add": binary(np.add),
    "add_any": binary(np.add),
    "sub": binary(np.subtract),
    "mul": binary(np.multiply),
    "max": binary(np.maximum),
    "min": binary(np.minimum),
    "and": binary(np.bitwise_and),
    "or": binary(np.bitwise_or),
    "xor": binary(np.bitwise_xor),
    "eq": binary(np.equal),
    "ne": binary(np.not_equal),
    "lt": binary(np.less),
    "le": binary(np.less_equal),
    "gt": binary(np.greater),
    "ge": binary(np.greater_equal),
}
for _name in ("jit", "pjit", "closed_call", "custom_jvp_call", "custom_vjp_call"):
    RULES[_name] = inner
for _name in ("remat", "checkpoint", "remat2", "core_call", "custom_vjp_call_jaxpr"):
    RULES[_name] = inner
# These evaluate other equations: an Unknown of theirs is final, and noise is in there.
BODIES = {name for name, rule in RULES.items() if rule in (inner, while_loop, scan, cond)}
BODIES.add("shard_map")
# These look at no number, or only compare them.
MOVES = set(
    "reshape squeeze expand_dims transpose rev pad concatenate broadcast_in_dim slice"
    " dynamic_slice dynamic_update_slice copy copy_p optimization_barrier stack unstack"
    " select_n neg max min lt gt le ge eq ne bitcast_convert_type gather scatter".split()
)
