"""Rotations of scipy.spatial.transform as quaternions, the scalar last: made of vectors, angles or quaternions.

A rotation about nothing is a smooth point: sin(t / 2) / t and its inverse are series there.
"""

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from adc.rules import registry
from adc.rules.elementary import root
from adc.rules.registry import static

LOCKED = 1e-7  # SciPy's bound for an angle at which two axes are one
ITERATIONS = 20  # the digits double at each, once the matrix is near; before, its logarithm is halved
SMALL = 1e-3  # where the next term of the series is beyond double precision


@static
def _axes(seq):
    """The axes of a sequence of rotations, and whether they turn along."""
    if not (seq.islower() or seq.isupper()) or not set(seq.lower()) <= set("xyz"):
        raise ValueError(f"Expected axes to be a non-empty string of x, y and z of one case, got {seq!r}")
    return tuple("xyz".index(letter) for letter in seq.lower()), seq.isupper()


@static
def _turns(seq):
    """Where the axes stand in a quaternion, their orientation, whether the last is the first, and turns along."""
    (i, j, k), along = _axes(seq)
    if along:
        i, k = k, i
    proper = i == k
    k = 3 - i - j if proper else k
    if j in (i, k) or len({i, j, k}) < 3:
        raise ValueError(f"Expected consecutive axes to be different, got {seq}")
    return i, j, k, (i - j) * (j - k) * (k - i) // 2, proper, along


def _radians(angle, degrees):
    angle = 1.0 * np.asarray(angle)
    return np.deg2rad(angle) if degrees else angle


def _unit(quat, scalar_first):
    q = 1.0 * np.asarray(quat)
    length = np.sqrt(np.sum(q * q, axis=-1))
    first = 1 if scalar_first else 0
    return tuple([q[..., (k + first) % 4] / length for k in range(4)])


def _nearest(matrix):
    """The rotation that lies nearest to a matrix: Newton's iteration for its orthogonal factor."""
    for _ in range(ITERATIONS):
        matrix = 0.5 * (matrix + np.swapaxes(np.linalg.inv(matrix), -1, -2))
    return matrix


def _about(axis, angle):
    """The quaternion of a rotation about a coordinate axis."""
    parts = [np.zeros_like(angle), np.zeros_like(angle), np.zeros_like(angle)]
    parts[axis] = np.sin(0.5 * angle)
    return Turn(*parts, np.cos(0.5 * angle))


class Turn:
    """A `Rotation`, or several of one shape: the parts of the quaternion."""

    __adc_model__ = True

    def __init__(self, x, y, z, w):
        self.x = x
        self.y = y
        self.z = z
        self.w = w

    def as_quat(self, canonical=False, *, scalar_first=False):
        sign = np.where(self.w < 0.0, -1.0, 1.0) if canonical else 1.0
        x, y, z, w = sign * self.x, sign * self.y, sign * self.z, sign * self.w
        return np.stack((w, x, y, z) if scalar_first else (x, y, z, w), axis=-1)

    def as_matrix(self):
        x, y, z, w = self.x, self.y, self.z, self.w
        first = (x * x - y * y - z * z + w * w, 2.0 * (x * y - z * w), 2.0 * (x * z + y * w))
        second = (2.0 * (x * y + z * w), y * y - x * x - z * z + w * w, 2.0 * (y * z - x * w))
        third = (2.0 * (x * z - y * w), 2.0 * (y * z + x * w), z * z - x * x - y * y + w * w)
        return np.stack([np.stack(row, axis=-1) for row in (first, second, third)], axis=-2)

    def as_rotvec(self, degrees=False):
        sign = np.where(self.w < 0.0, -1.0, 1.0)
        square = self.x**2 + self.y**2 + self.z**2
        small = square < SMALL * SMALL
        sine = np.sqrt(np.where(small, 1.0, square))
        series = 2.0 + square / 3.0 + 3.0 * square * square / 20.0
        factor = sign * np.where(small, series, 2.0 * np.arctan2(sine, sign * self.w) / sine)
        found = np.stack((factor * self.x, factor * self.y, factor * self.z), axis=-1)
        return np.rad2deg(found) if degrees else found

    def as_mrp(self):
        sign = np.where(self.w < 0.0, -1.0, 1.0)
        return np.stack((self.x, self.y, self.z), axis=-1) * np.expand_dims(sign / (1.0 + sign * self.w), -1)

    def as_euler(self, seq, degrees=False, *, suppress_warnings=False):
        # Source: Bernardes, Viollet, "Quaternion to Euler angles conversion" (2022), as SciPy has it.
        i, j, k, orientation, proper, along = _turns(seq)
        q = (self.x, self.y, self.z)
        a, b, c, d = self.w, q[i], q[j], orientation * q[k]
        if not proper:
            a, b, c, d = a - c, b + d, c + a, d - b
        half_sum, half_difference = np.arctan2(b, a), np.arctan2(d, c)
        second = 2.0 * np.arctan2(np.hypot(c, d), np.hypot(a, b))
        flat = np.abs(second) <= LOCKED
        locked = flat | (np.abs(second - np.pi) <= LOCKED)  # two of the axes are one: the third angle is zero
        alone = np.where(flat, 2.0 * half_sum, (2.0 if along else -2.0) * half_difference)
        first = np.where(locked, 0.0 if along else alone, half_sum - half_difference)
        third = np.where(locked, alone if along else 0.0, half_sum + half_difference)
        if not proper:
            second, third = second - 0.5 * np.pi, orientation * third
        angles = np.stack((third, second, first) if along else (first, second, third), axis=-1)
        angles = np.mod(angles + np.pi, 2.0 * np.pi) - np.pi
        return np.rad2deg(angles) if degrees else angles

    def magnitude(self):
        return 2.0 * np.arctan2(root(self.x**2 + self.y**2 + self.z**2), np.abs(self.w))

    def apply(self, vectors, inverse=False):
        matrix = self.as_matrix()
        if inverse:
            matrix = np.swapaxes(matrix, -1, -2)
        return np.sum(matrix * np.expand_dims(1.0 * np.asarray(vectors), -2), axis=-1)

    def inv(self):
        return Turn(-self.x, -self.y, -self.z, self.w)

    def __mul__(self, other):
        return Turn(
            self.w * other.x + other.w * self.x + self.y * other.z - self.z * other.y,
            self.w * other.y + other.w * self.y + self.z * other.x - self.x * other.z,
            self.w * other.z + other.w * self.z + self.x * other.y - self.y * other.x,
            self.w * other.w - self.x * other.x - self.y * other.y - self.z * other.z,
        )

    def __getitem__(self, place):
        return Turn(self.x[place], self.y[place], self.z[place], self.w[place])


class Made(Turn):
    """`Rotation(quat)`, and its makers."""

    __adc_model__ = True

    def __init__(self, quat, *, scalar_first=False):
        x, y, z, w = _unit(quat, scalar_first)
        Turn.__init__(self, x, y, z, w)

    @staticmethod
    def from_quat(quat, *, scalar_first=False):
        return Turn(*_unit(quat, scalar_first))

    @staticmethod
    def from_matrix(matrix, *, assume_valid=False):
        m = 1.0 * np.asarray(matrix)
        if not assume_valid:
            if np.any(np.linalg.det(m) <= 0.0):
                raise ValueError("Non-positive determinant (left-handed or null coordinate frame)")
            m = _nearest(m)
        # Source: Markley, "Unit quaternion from rotation matrix" (2008), as SciPy has it: from the largest part.
        a, b, c = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
        trace = a + b + c
        largest = np.argmax(np.stack((a, b, c, trace), axis=-1), axis=-1)
        xy, xz, yz = m[..., 1, 0] + m[..., 0, 1], m[..., 2, 0] + m[..., 0, 2], m[..., 2, 1] + m[..., 1, 2]
        xw, yw, zw = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
        rows = (
            (1.0 - trace + 2.0 * a, xy, xz, xw),
            (xy, 1.0 - trace + 2.0 * b, yz, yw),
            (xz, yz, 1.0 - trace + 2.0 * c, zw),
            (xw, yw, zw, 1.0 + trace),
        )
        chosen = [
            np.where(largest == 0, x, np.where(largest == 1, y, np.where(largest == 2, z, w)))
            for x, y, z, w in zip(*rows, strict=True)
        ]
        return Turn(*_unit(np.stack(chosen, axis=-1), False))

    @staticmethod
    def from_rotvec(rotvec, degrees=False):
        vector = _radians(rotvec, degrees)
        square = np.sum(vector * vector, axis=-1)
        small = square < SMALL * SMALL
        angle = np.sqrt(np.where(small, 1.0, square))
        series = 0.5 - square / 48.0 + square * square / 3840.0
        factor = np.where(small, series, np.sin(0.5 * angle) / angle)
        cosine = np.where(small, 1.0 - square / 8.0 + square * square / 384.0, np.cos(0.5 * angle))
        return Turn(factor * vector[..., 0], factor * vector[..., 1], factor * vector[..., 2], cosine)

    @staticmethod
    def from_euler(seq, angles, degrees=False):
        axes, along = _axes(seq)
        given = _radians(angles, degrees)
        if len(axes) == 1:
            return _about(axes[0], given if np.ndim(given) == 0 else given[..., 0])
        q = _about(axes[0], given[..., 0])
        for k in range(1, len(axes)):
            step = _about(axes[k], given[..., k])
            q = q * step if along else step * q
        return q

    @staticmethod
    def identity():
        return Turn(0.0, 0.0, 0.0, 1.0)


registry.stands_for(Rotation, Made)
for _maker in ("from_quat", "from_matrix", "from_rotvec", "from_euler", "identity"):
    registry.stands_for(getattr(Rotation, _maker), getattr(Made, _maker))
registry.model_of_type(Rotation, lambda made: Turn(*np.moveaxis(made.as_quat(), -1, 0)))


class Turning:
    """`Slerp`: between two rotations at a constant rate about one axis."""

    __adc_model__ = True

    def __init__(self, times, rotations):
        self.times = 1.0 * np.asarray(times)
        self.quats = rotations.as_quat()
        self.turns = (rotations[:-1].inv() * rotations[1:]).as_rotvec()

    def __call__(self, times):
        t = 1.0 * np.asarray(times)
        if np.any((t < self.times[0]) | (t > self.times[-1])):
            raise ValueError("Interpolation times must be within the range of the given times")
        before = np.maximum(np.searchsorted(self.times, t) - 1, 0)
        share = (t - self.times[before]) / (self.times[before + 1] - self.times[before])
        return Made(self.quats[before]) * Made.from_rotvec(self.turns[before] * np.expand_dims(share, -1))


registry.stands_for(Slerp, Turning)
registry.model_of_type(Slerp, lambda made: Turning(made.times, made.rotations))
