"""Slices and broadcasting: minimise Rosenbrock's valley in 100 dimensions with an exact gradient.

Run: python examples/rosenbrock.py
"""

import numpy as np
from scipy.optimize import minimize

import adc


def valley(x):
    """Return the height at x; the only minimum is 0 at (1, ..., 1), along a curved and nearly flat floor."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def main() -> None:
    """Minimise with the exact gradient and without, and print the adjoint."""
    start = np.tile([-1.2, 1.0], 50)
    gradient = adc.value_and_grad(valley)
    print(adc.source(gradient, start))

    exact = minimize(gradient, start, jac=True, method="L-BFGS-B", options={"maxiter": 5000, "maxfun": 10**6})
    blind = minimize(valley, start, method="L-BFGS-B", options={"maxiter": 5000, "maxfun": 10**6})
    for name, result in (("exact gradient", exact), ("differences", blind)):
        print(f"{name:15} height {result.fun:.1e}   evaluations {result.nfev}")


if __name__ == "__main__":
    main()
