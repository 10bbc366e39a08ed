"""Train a neural network on 1,797 handwritten digits with a gradient that adc derives from plain NumPy.

The loss is an ordinary function of a flat vector, as an optimiser wants it; `adc.value_and_grad(loss)` goes
into scipy as it is. Run: python examples/digits.py
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize
from sklearn.datasets import load_digits

import adc

PIXELS, HIDDEN, CLASSES = 64, 32, 10
SIZE = PIXELS * HIDDEN + HIDDEN + HIDDEN * CLASSES + CLASSES
PENALTY = 1e-3
CURVE = Path(__file__).with_name("digits.png")


def scores_of(theta, images):
    """Return the (n, 10) scores of n images; theta holds both layers, one after the other."""
    start = PIXELS * HIDDEN
    weights = theta[:start].reshape(PIXELS, HIDDEN)
    bias = theta[start : start + HIDDEN]
    start += HIDDEN
    out_weights = theta[start : start + HIDDEN * CLASSES].reshape(HIDDEN, CLASSES)
    out_bias = theta[start + HIDDEN * CLASSES :]
    return np.tanh(images @ weights + bias) @ out_weights + out_bias


def loss(theta, images, targets):
    """Return the mean cross-entropy of the softmax of the scores, with a small penalty on the weights."""
    scores = scores_of(theta, images)
    scores = scores - np.max(scores, axis=1, keepdims=True)
    log_total = np.log(np.sum(np.exp(scores), axis=1))
    misfit = np.mean(log_total - np.sum(targets * scores, axis=1))
    return misfit + 0.5 * PENALTY * np.sum(theta * theta)


def load() -> tuple[np.ndarray, ...]:
    """Return images in [0, 1] and one-hot targets, for training (four fifths) and for the test."""
    digits = load_digits()
    order = np.random.default_rng(0).permutation(len(digits.target))
    images = digits.data[order] / 16.0
    targets = np.eye(CLASSES)[digits.target[order]]
    split = len(order) * 4 // 5
    return images[:split], targets[:split], images[split:], targets[split:]


def accuracy(theta: np.ndarray, images: np.ndarray, targets: np.ndarray) -> float:
    """Return the share of images whose highest score is the right one."""
    right = np.argmax(scores_of(theta, images), axis=1) == np.argmax(targets, axis=1)
    return float(np.mean(right))


def seconds(function, *args, rounds: int) -> float:
    """Return the median time of a call."""
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        function(*args)
        times.append(time.perf_counter() - begin)
    return float(np.median(times))


def central_differences(
    theta: np.ndarray, which: np.ndarray, *data: np.ndarray, step: float = 1e-6
) -> np.ndarray:
    """Return some elements of the gradient, by two losses each: what one does without a derivative."""
    gradient = np.empty(which.size)
    for k, i in enumerate(which):
        ahead, behind = theta.copy(), theta.copy()
        ahead[i] += step
        behind[i] -= step
        gradient[k] = (loss(ahead, *data) - loss(behind, *data)) / (2.0 * step)
    return gradient


def train(theta: np.ndarray, images: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, list[float]]:
    """Minimise the loss with L-BFGS, showing how it goes; return the parameters and the losses."""
    losses = [float(loss(theta, images, targets))]
    begin = time.perf_counter()

    def progress(intermediate_result):
        losses.append(float(intermediate_result.fun))
        elapsed = time.perf_counter() - begin
        line = f"  iteration {len(losses) - 1:4d}   loss {losses[-1]:.5f}   {elapsed:6.2f} s"
        if sys.stdout.isatty():
            print("\r" + line, end="", flush=True)
        elif len(losses) % 25 == 1:  # a log file has no line to rewrite
            print(line, flush=True)

    result = minimize(
        adc.value_and_grad(loss),
        theta,
        args=(images, targets),
        jac=True,
        method="L-BFGS-B",
        callback=progress,
        options={"maxiter": 300},
    )
    print(f"\n  {result.nfev} gradients in {time.perf_counter() - begin:.2f} s, compilation included")
    return result.x, losses


def draw(losses: list[float]) -> None:
    """Write the training curve."""
    figure, axes = plt.subplots(figsize=(7, 4))
    axes.semilogy(losses)
    axes.set_xlabel("L-BFGS iteration")
    axes.set_ylabel("training loss")
    axes.set_title("One hidden layer on 1,437 handwritten digits, gradient by adc")
    axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(CURVE, dpi=120)


def main() -> int:
    """Do all of it; the exit status says whether the network learnt."""
    images, targets, test_images, test_targets = load()
    theta = 0.1 * np.random.default_rng(1).standard_normal(SIZE)
    gradient = adc.value_and_grad(loss)

    print("The adjoint that adc wrote:\n")
    print(adc.source(gradient, theta, images, targets))

    print(f"Training {SIZE} parameters on {len(images)} images:")
    theta, losses = train(theta, images, targets)

    sample = np.random.default_rng(2).choice(SIZE, size=SIZE // 10, replace=False)
    print(
        f"\nTime of one gradient, and its check on {sample.size} of the {SIZE} parameters, at a random point:"
    )
    point = 0.1 * np.random.default_rng(3).standard_normal(SIZE)
    data = images, targets
    exact = gradient(point, *data)[1][sample]
    begin = time.perf_counter()
    differences = central_differences(point, sample, *data)
    by_differences = (time.perf_counter() - begin) * SIZE / sample.size
    primal = seconds(loss, point, *data, rounds=21)
    by_adc = seconds(gradient, point, *data, rounds=21)
    print(f"  loss alone, NumPy                      {1e3 * primal:10.3f} ms")
    print(
        f"  loss and gradient, adc                 {1e3 * by_adc:10.3f} ms {by_adc / primal:10.2f} x the loss"
    )
    ratio = by_differences / primal
    print(
        f"  central differences, all, from these   {1e3 * by_differences:10.3f} ms   {ratio:8.2f} x the loss"
    )
    error = np.max(np.abs(exact - differences)) / np.max(np.abs(differences))
    print(f"  largest difference between the two gradients: {error:.1e} relative")
    adc.check_grads(loss, (point, *data), order=1, argnums=0)
    print("  adc.check_grads: passed")

    draw(losses)
    reached = accuracy(theta, test_images, test_targets)
    print(f"\nAccuracy on {len(test_images)} digits never seen in training: {reached:.4f}")
    print(f"Training curve: {CURVE}")
    return 0 if reached >= 0.95 and error < 1e-6 else 1


if __name__ == "__main__":
    sys.exit(main())
