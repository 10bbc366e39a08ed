"""A time loop with in-place writes: find a pendulum's length and friction from a recording of its swing.

The gradient goes back through 2,000 steps of the simulation. Run: python examples/pendulum.py
"""

import numpy as np
from scipy.optimize import minimize

import adc

STEP = 0.005
GRAVITY = 9.81


def swing(length, friction, angle, steps):
    """Return the angle at every step (symplectic Euler), released at rest."""
    path = np.empty(steps + 1)
    path[0] = angle
    speed = 0.0
    for k in range(steps):
        speed += STEP * (-GRAVITY / length * np.sin(path[k]) - friction * speed)
        path[k + 1] = path[k] + STEP * speed
    return path


def misfit(guess, recording):
    """Return the mean squared distance between the recording and the swing of a guessed pendulum."""
    path = swing(guess[0], guess[1], recording[0], recording.size - 1)
    return np.mean((path - recording) ** 2)


def main() -> None:
    """Simulate a noisy recording, then recover what made it."""
    truth = np.array([1.3, 0.25])
    noise = 0.01 * np.random.default_rng(0).standard_normal(2001)
    recording = swing(truth[0], truth[1], 0.8, 2000) + noise

    gradient = adc.value_and_grad(misfit)
    print(adc.source(gradient, truth, recording))
    found = minimize(gradient, np.array([1.1, 0.1]), args=(recording,), jac=True, method="BFGS")
    print(f"length   {found.x[0]:.4f} m     (true {truth[0]})")
    print(f"friction {found.x[1]:.4f} 1/s   (true {truth[1]})")
    print(f"{found.nfev} simulations, each with its gradient")


if __name__ == "__main__":
    main()
