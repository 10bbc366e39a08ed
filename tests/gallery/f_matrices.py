"""Matrices and broadcasting."""

import numpy as np
from tests.gallery import shown

A = np.eye(3) + np.linspace(0.0, 0.4, 9).reshape(3, 3)
P = np.linspace(-1.0, 1.0, 12).reshape(6, 2)


@shown(A, np.ones(3), argnums=(0, 1))
def quadratic_form(a, x):
    return x @ a @ x


@shown(A, np.ones(3), argnums=(0, 1))
def solved(a, b):
    return np.sum(np.linalg.solve(a, b) ** 2)


@shown(A, np.ones(3), argnums=(0, 1))
def gaussian_log_density(factor, x):
    covariance = factor @ factor.T + np.eye(3)
    return -0.5 * x @ np.linalg.solve(covariance, x) - 0.5 * np.log(np.linalg.det(covariance))


@shown(P[:2], P, argnums=0)
def k_means(centres, points):
    apart = np.sum((points[:, None, :] - centres[None, :, :]) ** 2, axis=2)
    return np.sum(np.min(apart, axis=1))


@shown(A)
def correlation_loss(x):
    centred = x - np.mean(x, axis=0)
    spread = np.sqrt(np.mean(centred**2, axis=0))
    z = centred / spread
    c = z.T @ z / x.shape[0]
    return np.sum(c**2)
