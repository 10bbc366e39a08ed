"""How each peer makes value and gradient of a kernel, under the one thread that every variant gets.

`prepare[name](kernel, args)` gives a `Variant`; a peer that is not installed raises ImportError, and one for which the
kernel has no form is left out by `names`.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from kernel import Kernel

__all__ = ["PEERS", "Variant", "names", "prepare", "version"]

Arrays = tuple[np.ndarray, ...]


@dataclass(frozen=True)
class Variant:
    """Something to time: a call without arguments, and how its result reads as a number and gradients."""

    run: Callable[[], Any]
    read: Callable[[Any], tuple[float, Arrays]]


def _primal(result: Any) -> tuple[float, Arrays]:
    return float(result), ()


def _pair(result: Any) -> tuple[float, Arrays]:
    value, gradients = result
    return float(value), tuple(np.asarray(g) for g in gradients)


def numpy(kernel: Kernel, args: tuple[Any, ...]) -> Variant:
    """The primal, as CPython runs it."""
    return Variant(lambda: kernel.primal(*args), _primal)


def numba(kernel: Kernel, args: tuple[Any, ...]) -> Variant:
    """The primal in plain loops, jitted: the yardstick of the performance notes."""
    import numba

    jitted = numba.njit(kernel.for_numba)
    return Variant(lambda: jitted(*args), _primal)


def adc(kernel: Kernel, args: tuple[Any, ...]) -> Variant:
    """Value and gradient of the NumPy text by adc."""
    import adc

    gradient = adc.value_and_grad(kernel.primal, argnums=kernel.argnums)
    return Variant(lambda: gradient(*args), _pair)


def adc_loops(kernel: Kernel, args: tuple[Any, ...]) -> Variant:
    """Value and gradient by adc of the text in plain loops."""
    import adc

    gradient = adc.value_and_grad(kernel.for_numba, argnums=kernel.argnums)
    return Variant(lambda: gradient(*args), _pair)


def _arrays_to(convert: Callable[[np.ndarray], Any], args: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(convert(a) if isinstance(a, np.ndarray) else a for a in args)


def jax(kernel: Kernel, args: tuple[Any, ...]) -> Variant:
    """`jax.jit(jax.value_and_grad(f))` in float64."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    static = tuple(i for i, a in enumerate(args) if not isinstance(a, np.ndarray))
    f = kernel.forms["jax"](jnp)
    gradient = jax.jit(jax.value_and_grad(f, argnums=kernel.argnums), static_argnums=static)
    given = _arrays_to(jnp.asarray, args)
    return Variant(lambda: jax.block_until_ready(gradient(*given)), _pair)


def autograd(kernel: Kernel, args: tuple[Any, ...]) -> Variant:
    """HIPS autograd's `value_and_grad`."""
    import autograd
    import autograd.numpy as anp

    gradient = autograd.value_and_grad(kernel.forms["autograd"](anp), argnum=kernel.argnums)
    return Variant(lambda: gradient(*args), _pair)


def _torch(kernel: Kernel, args: tuple[Any, ...], compiled: bool) -> Variant:
    import torch

    torch.set_num_threads(1)
    given = list(_arrays_to(lambda a: torch.from_numpy(a.copy()), args))
    wanted = [given[i].requires_grad_() for i in kernel.argnums]
    f = kernel.forms["torch"](torch)
    if compiled:
        f = torch.compile(f, dynamic=False)

    def run() -> Any:
        value = f(*given)
        return value.detach(), torch.autograd.grad(value, wanted)

    return Variant(run, _pair)


def torch_eager(kernel: Kernel, args: tuple[Any, ...]) -> Variant:
    """Torch as it runs by itself."""
    return _torch(kernel, args, compiled=False)


def torch_compile(kernel: Kernel, args: tuple[Any, ...]) -> Variant:
    """`torch.compile` of the primal, then its backward."""
    return _torch(kernel, args, compiled=True)


def pytensor(kernel: Kernel, args: tuple[Any, ...]) -> Variant:
    """PyTensor with its default linker."""
    import pytensor
    import pytensor.tensor as pt

    symbols = [
        pt.tensor(f"a{i}", dtype=a.dtype, shape=a.shape) if isinstance(a, np.ndarray) else a
        for i, a in enumerate(args)
    ]
    value = kernel.forms["pytensor"](pt)(*symbols)
    gradients = pytensor.grad(value, [symbols[i] for i in kernel.argnums])
    inputs = [s for s, a in zip(symbols, args, strict=True) if isinstance(a, np.ndarray)]
    arrays = [a for a in args if isinstance(a, np.ndarray)]
    f = pytensor.function(inputs, [value, *gradients], on_unused_input="ignore")
    f.trust_input = True

    def read(result: Any) -> tuple[float, Arrays]:
        return float(result[0]), tuple(np.asarray(g) for g in result[1:])

    return Variant(lambda: f(*arrays), read)


def casadi(kernel: Kernel, args: tuple[Any, ...]) -> Variant:
    """CasADi's MX graph with its virtual machine; arrays are columns or matrices."""
    import casadi

    arrays = [a for a in args if isinstance(a, np.ndarray)]
    symbols = [
        casadi.MX.sym(f"a{i}", *a.shape) if isinstance(a, np.ndarray) else a for i, a in enumerate(args)
    ]
    value = kernel.forms["casadi"](casadi)(*symbols)
    inputs = [s for s, a in zip(symbols, args, strict=True) if isinstance(a, np.ndarray)]
    gradients = [casadi.gradient(value, symbols[i]) for i in kernel.argnums]
    f = casadi.Function("f", inputs, [value, *gradients])
    given = [casadi.DM(a) for a in arrays]

    def read(result: Any) -> tuple[float, Arrays]:
        found = zip(kernel.argnums, result[1:], strict=True)
        return float(result[0]), tuple(np.asarray(g).reshape(args[i].shape) for i, g in found)

    return Variant(lambda: f(*given), read)


# name -> what makes the variant, the form it needs, the package it needs
PEERS: dict[str, tuple[Callable[[Kernel, tuple[Any, ...]], Variant], str | None, str]] = {
    "numpy": (numpy, None, "numpy"),
    "numba": (numba, None, "numba"),
    "adc": (adc, None, "adc-compiler"),
    "adc loops": (adc_loops, None, "adc-compiler"),
    "jax": (jax, "jax", "jax"),
    "torch": (torch_eager, "torch", "torch"),
    "torch.compile": (torch_compile, "torch", "torch"),
    "autograd": (autograd, "autograd", "autograd"),
    "pytensor": (pytensor, "pytensor", "pytensor"),
    "casadi": (casadi, "casadi", "casadi"),
}


def prepare(name: str, kernel: Kernel, args: tuple[Any, ...]) -> Variant:
    """Return the variant; raise ImportError where the peer is not installed."""
    return PEERS[name][0](kernel, args)


def names(kernel: Kernel) -> list[str]:
    """The variants that a kernel has."""
    found = [name for name, (_, form, _) in PEERS.items() if form is None or form in kernel.forms]
    found = [name for name in found if kernel.small.get(name) != ()]
    return [name for name in found if name != "adc loops" or kernel.loops is not None]


def version(name: str) -> str | None:
    """The version of a peer; None where it is not installed."""
    if PEERS[name][2] == "adc-compiler":
        import adc

        return adc.__version__  # it may run from its source tree, not installed
    try:
        return importlib.metadata.version(PEERS[name][2])
    except importlib.metadata.PackageNotFoundError:
        return None
