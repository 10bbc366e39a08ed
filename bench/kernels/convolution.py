"""A small filter learned on an image: convolution as sums of shifted slices."""

import numpy as np
from kernel import Kernel, same


def data(side, width):
    """Return the filter, the image and the wanted image."""
    random = np.random.default_rng(0)
    return (
        random.normal(size=(width, width)),
        random.normal(size=(side, side)),
        random.normal(size=(side - width + 1, side - width + 1)),
    )


def primal(weights, image, wanted):
    """Return the mean squared distance of tanh of the filtered image from the wanted one."""
    width = weights.shape[0]
    rows, columns = wanted.shape
    filtered = np.zeros(wanted.shape)
    for i in range(width):
        for j in range(width):
            filtered = filtered + weights[i, j] * image[i : i + rows, j : j + columns]
    return np.mean((np.tanh(filtered) - wanted) ** 2)


def loops(weights, image, wanted):
    """Return what `primal` does."""
    width = weights.shape[0]
    rows, columns = wanted.shape
    total = 0.0
    for p in range(rows):
        for q in range(columns):
            value = 0.0
            for i in range(width):
                for j in range(width):
                    value += weights[i, j] * image[p + i, q + j]
            total += (np.tanh(value) - wanted[p, q]) ** 2
    return total / (rows * columns)


def in_torch(torch):
    """Return the filter by torch's own convolution."""

    def loss(weights, image, wanted):
        filtered = torch.nn.functional.conv2d(image[None, None], weights[None, None])[0, 0]
        return torch.mean((torch.tanh(filtered) - wanted) ** 2)

    return loss


def in_jax(np):
    """Return the filter by XLA's convolution."""
    from jax import lax

    def loss(weights, image, wanted):
        filtered = lax.conv(image[None, None], weights[None, None], (1, 1), "VALID")[0, 0]
        return np.mean((np.tanh(filtered) - wanted) ** 2)

    return loss


KERNEL = Kernel(
    title="convolution",
    family="stencil",
    data=data,
    primal=primal,
    loops=loops,
    full=(256, 5),
    quick=(128, 5),
    argnums=(0, 1),
    forms={"jax": in_jax, "torch": in_torch, "autograd": same(primal)},
    growth=((64, 5), (256, 5), (1024, 5)),
)
