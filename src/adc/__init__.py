"""Gradients of ordinary NumPy functions, compiled: source in, readable adjoint out, at native speed.

>>> import adc, numpy as np
>>> @adc.grad
... def loss(w, x):
...     return np.sum((x @ w) ** 2)
>>> loss(np.array([1.0, 2.0]), np.eye(2))
array([2., 4.])
"""

import sys

from adc.api import checkpoint as checkpoint
from adc.api import custom_jvp as custom_jvp
from adc.api import custom_vjp as custom_vjp
from adc.api import gauss_newton_vp as gauss_newton_vp
from adc.api import grad as grad
from adc.api import hessian as hessian
from adc.api import hvp as hvp
from adc.api import jacfwd as jacfwd
from adc.api import jacobian as jacobian
from adc.api import jacrev as jacrev
from adc.api import jvp as jvp
from adc.api import linearize as linearize
from adc.api import rule as rule
from adc.api import stop_gradient as stop_gradient
from adc.api import value_and_grad as value_and_grad
from adc.api import vhp as vhp
from adc.api import vjp as vjp
from adc.api import vmap as vmap
from adc.compiler.backend.compile import VERSION as __version__
from adc.errors import AdcError as AdcError
from adc.errors import ArgumentError as ArgumentError
from adc.errors import ConfigError as ConfigError
from adc.errors import DerivativeError as DerivativeError
from adc.errors import FallbackWarning as FallbackWarning
from adc.errors import GradientMismatch as GradientMismatch
from adc.errors import GraphCutError as GraphCutError
from adc.errors import InternalError as InternalError
from adc.errors import ResultError as ResultError
from adc.errors import ShapeError as ShapeError
from adc.errors import SourceError as SourceError
from adc.errors import UnsupportedError as UnsupportedError
from adc.inspect.explain import explain as explain
from adc.inspect.source import source as source
from adc.ravel import ravel_pytree as ravel_pytree
from adc.tape import Tensor as Tensor
from adc.tape import autograd as autograd
from adc.tape import detect_anomaly as detect_anomaly
from adc.tape import enable_grad as enable_grad
from adc.tape import from_numpy as from_numpy
from adc.tape import inference_mode as inference_mode
from adc.tape import is_grad_enabled as is_grad_enabled
from adc.tape import no_grad as no_grad
from adc.tape import set_grad_enabled as set_grad_enabled
from adc.tape import tensor as tensor
from adc.testing.check import check_grads as check_grads

# `from adc.autograd import Function` and `import adc.autograd.forward_ad`, as PyTorch has it.
sys.modules["adc.autograd"] = autograd
for _part in ("forward_ad", "function", "functional", "graph"):
    sys.modules[f"adc.autograd.{_part}"] = getattr(autograd, _part)

__all__ = [
    "AdcError",
    "ArgumentError",
    "ConfigError",
    "DerivativeError",
    "FallbackWarning",
    "GradientMismatch",
    "GraphCutError",
    "InternalError",
    "ResultError",
    "ShapeError",
    "SourceError",
    "Tensor",
    "UnsupportedError",
    "__version__",
    "autograd",
    "check_grads",
    "checkpoint",
    "custom_jvp",
    "custom_vjp",
    "detect_anomaly",
    "enable_grad",
    "explain",
    "from_numpy",
    "gauss_newton_vp",
    "grad",
    "hessian",
    "hvp",
    "inference_mode",
    "is_grad_enabled",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "linearize",
    "no_grad",
    "ravel_pytree",
    "rule",
    "set_grad_enabled",
    "source",
    "stop_gradient",
    "tensor",
    "value_and_grad",
    "vhp",
    "vjp",
    "vmap",
]
