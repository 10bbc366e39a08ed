"""The functions of SciPy that solve something, for a function of the user's or for arrays: only the tape follows."""

from __future__ import annotations

import sys
from typing import Any

SOLVERS = {
    "scipy.optimize": [
        "brentq",
        "brenth",
        "bisect",
        "ridder",
        "toms748",
        "newton",
        "root_scalar",
        "root",
        "fsolve",
        "fixed_point",
        "newton_krylov",
        "broyden1",
        "broyden2",
        "anderson",
        "minimize",
        "minimize_scalar",
        "fmin",
        "fmin_powell",
        "fmin_bfgs",
        "fmin_cg",
        "fmin_ncg",
        "least_squares",
        "leastsq",
        "curve_fit",
        "linprog",
        "nnls",
        "lsq_linear",
    ],
    "scipy.sparse.linalg": [
        *("spsolve", "splu", "spilu", "factorized"),
        *("cg", "minres", "bicg", "bicgstab", "cgs", "gmres", "lgmres", "tfqmr"),
    ],
    "scipy.integrate": ["dblquad", "nquad", "odeint", "quad", "quad_vec", "solve_ivp", "tplquad"],
}

OF_ARRAYS = (
    *("scipy.optimize.linprog", "scipy.optimize.nnls", "scipy.optimize.lsq_linear"),
    *(f"scipy.sparse.linalg.{name}" for name in SOLVERS["scipy.sparse.linalg"]),
)
HAS_A_FUNCTION = "calls a function, which compiled code cannot hand to it"  # what is to be said of the others


def solver_name(function: Any) -> str | None:
    """The public name of such a function, or None.

    >>> from scipy.optimize import brentq
    >>> solver_name(brentq), solver_name(len)
    ('scipy.optimize.brentq', None)
    """
    name = str(getattr(function, "__name__", ""))
    module = f"{getattr(function, '__module__', None)}."
    for package, names in SOLVERS.items():
        if module.startswith(f"{package}.") and name in names:
            return f"{package}.{name}" if getattr(sys.modules.get(package), name, None) is function else None
    return None
