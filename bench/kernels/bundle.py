"""Bundle adjustment: the 2x15 Jacobian blocks of the reprojection error, each observation with its own camera.

A row of the blocks is the gradient of the sum of that residual over all observations.
"""

import math

import numpy as np
from kernel import Kernel


def data(n):
    """Return one seed, cameras (rotation, centre, focal, principal point, radial), points, weights, features."""
    random = np.random.default_rng(0)
    cameras = np.concatenate(
        [
            0.3 * random.normal(size=(n, 3)),
            random.normal(size=(n, 3)) - np.array([0.0, 0.0, 6.0]),
            random.uniform(400.0, 600.0, size=(n, 1)),
            random.uniform(200.0, 300.0, size=(n, 2)),
            0.01 * random.normal(size=(n, 2)),
        ],
        axis=1,
    )
    points = random.normal(size=(n, 3))
    return (
        cameras,
        points,
        random.uniform(size=n),
        random.uniform(0.0, 500.0, size=(n, 2)),
        np.array([1.0, 0.5]),
    )


def primal(cameras, points, weights, features, seed):
    """Return the seeded sum of the weighted reprojection errors."""
    total = 0.0
    for i in range(points.shape[0]):
        rx, ry, rz, cx, cy, cz, focal, px, py, k1, k2 = cameras[i]
        x, y, z = points[i, 0] - cx, points[i, 1] - cy, points[i, 2] - cz
        angle = math.sqrt(rx * rx + ry * ry + rz * rz)
        cosine, sine = math.cos(angle), math.sin(angle)
        ux, uy, uz = rx / angle, ry / angle, rz / angle
        along = (ux * x + uy * y + uz * z) * (1.0 - cosine)
        xc = x * cosine + (uy * z - uz * y) * sine + ux * along
        yc = y * cosine + (uz * x - ux * z) * sine + uy * along
        zc = z * cosine + (ux * y - uy * x) * sine + uz * along
        xp, yp = xc / zc, yc / zc
        r2 = xp * xp + yp * yp
        radial = 1.0 + k1 * r2 + k2 * r2 * r2
        ex = weights[i] * (xp * radial * focal + px - features[i, 0])
        ey = weights[i] * (yp * radial * focal + py - features[i, 1])
        total += seed[0] * ex + seed[1] * ey
    return total


def loops(cameras, points, weights, features, seed):
    """Return what `primal` does; Numba unpacks no rows."""
    total = 0.0
    for i in range(points.shape[0]):
        rx, ry, rz = cameras[i, 0], cameras[i, 1], cameras[i, 2]
        x, y, z = points[i, 0] - cameras[i, 3], points[i, 1] - cameras[i, 4], points[i, 2] - cameras[i, 5]
        angle = math.sqrt(rx * rx + ry * ry + rz * rz)
        cosine, sine = math.cos(angle), math.sin(angle)
        ux, uy, uz = rx / angle, ry / angle, rz / angle
        along = (ux * x + uy * y + uz * z) * (1.0 - cosine)
        xc = x * cosine + (uy * z - uz * y) * sine + ux * along
        yc = y * cosine + (uz * x - ux * z) * sine + uy * along
        zc = z * cosine + (ux * y - uy * x) * sine + uz * along
        xp, yp = xc / zc, yc / zc
        r2 = xp * xp + yp * yp
        radial = 1.0 + cameras[i, 9] * r2 + cameras[i, 10] * r2 * r2
        ex = weights[i] * (xp * radial * cameras[i, 6] + cameras[i, 7] - features[i, 0])
        ey = weights[i] * (yp * radial * cameras[i, 6] + cameras[i, 8] - features[i, 1])
        total += seed[0] * ex + seed[1] * ey
    return total


def batched(np):
    """Return the model on columns, as one writes it for an array framework."""

    def model(cameras, points, weights, features, seed):
        r, c = cameras[:, 0:3], cameras[:, 3:6]
        v = points - c
        angle = np.sqrt(np.sum(r * r, 1))[:, None]
        cosine, sine = np.cos(angle), np.sin(angle)
        u = r / angle
        crossed = np.stack(
            [
                u[:, 1] * v[:, 2] - u[:, 2] * v[:, 1],
                u[:, 2] * v[:, 0] - u[:, 0] * v[:, 2],
                u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0],
            ],
            1,
        )
        turned = v * cosine + crossed * sine + u * (np.sum(u * v, 1)[:, None] * (1.0 - cosine))
        flat = turned[:, 0:2] / turned[:, 2:3]
        r2 = np.sum(flat * flat, 1)
        radial = 1.0 + cameras[:, 9] * r2 + cameras[:, 10] * r2 * r2
        error = flat * (radial * cameras[:, 6])[:, None] + cameras[:, 7:9] - features
        return np.sum(weights[:, None] * error * seed)

    return model


KERNEL = Kernel(
    title="bundle adjustment",
    family="elementwise",
    data=data,
    primal=primal,
    loops=loops,
    full=(10**5,),
    quick=(10**4,),
    argnums=(0, 1, 2),
    forms={"jax": batched, "autograd": batched, "torch": batched},
    growth=((10**3,), (10**4,), (10**5,), (10**6,)),
    target=1.15,
)
