"""Complex numbers inside a function of real arguments with a real value."""

import cmath

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=5), r.normal(size=5)))
def real_part_of_an_expression(phase, weight):
    return np.sum(np.exp(1j * phase) * weight).real ** 2


@program(lambda r: (r.normal(size=6), r.normal(size=6)))
def spectral_distance(x, y):
    return np.sum(np.abs(np.fft.rfft(x) - np.fft.rfft(y)) ** 2)


@program(lambda r: (r.normal(size=4), r.normal(size=4)))
def elementary_functions(x, y):
    z = np.exp(2j * x) / (1.0 + 0.3j * y)
    total = np.sum(np.abs(z)) + np.sum(np.angle(z + 2.0)) + np.sum(np.log(z + 3.0).imag)
    return total + np.sum((z * z.conj()).real) + np.sum(np.sqrt(z + 4.0).real) + np.sum(np.sin(z**2).imag)


@program(lambda r: (r.normal(size=4), r.normal(size=4)))
def complex_of_two_numbers(x, y):
    total = 0.0
    for k in range(x.size):
        z = complex(x[k], y[k])
        total += abs(z * z + 1j)
    return total


@program(lambda r: (r.normal(size=3), r.normal(size=3)))
def complex_system(x, y):
    z = x + 1j * y
    matrix = np.outer(z, z) + 3.0 * np.eye(3)
    return np.abs(np.linalg.solve(matrix, z)).sum() + np.linalg.det(matrix).real


@program(lambda r: (r.normal(size=4), r.normal(size=4)))
def points_on_the_unit_circle(x, y):
    z = x + 1j * y
    one = np.sign(z[1] * z[2])
    return (
        np.sum(np.sign(z).real * x) + (np.sign(z) * np.sign(z[0]) ** 2).imag @ y + one.real + np.sign(x) @ y
    )


@program(lambda r: (r.normal(size=6), r.normal(size=6)))
def inverse_functions_in_every_quadrant(x, y):
    z = x * np.array([1.0, -1.0, 1.0, -1.0, 3.0, -3.0]) + 1j * y
    total = np.arccosh(z).real @ x + np.arccosh(z).imag @ y + np.arcsinh(z).real @ x
    return (
        total + np.arccos(z).imag @ y + np.arctanh(z).real @ x + np.arcsin(z).real @ x + np.arctan(z).imag @ y
    )


@program(lambda r: (r.uniform(0.5, 2.0, size=3),))
def complex_exponents(x):
    z = x ** (1.0 + 2j) + np.float_power(x, -0.5j)
    return np.sum(z.real * z.imag)


def impedance(omega, resistance, inductance, capacitance):
    return resistance + 1j * (omega * inductance - 1.0 / (omega * capacitance))


@program(lambda r: (np.linspace(0.5, 2.0, 6), 0.7, 1.1, 0.9, r.normal(size=6) + 1j * r.normal(size=6)))
def fit_of_an_impedance(omega, resistance, inductance, capacitance, measured):
    error = impedance(omega, resistance, inductance, capacitance) - measured
    return np.sum(error.real**2 + error.imag**2)


@program(lambda r: (r.normal(size=8),))
def through_the_spectrum_and_back(x):
    spectrum = np.fft.rfft(x)
    smooth = np.fft.irfft(spectrum / (1.0 + np.arange(5) ** 2))
    image = np.fft.irfft2(np.fft.rfft2(np.outer(x, x[:4])))
    return np.sum(smooth**3) + np.sum(image**2 * x[3])


@program(lambda r: (r.normal(size=(4, 3)), r.normal(size=(4, 3))))
def complex_factorizations(x, y):
    z = x + 1j * y
    u, s, vh = np.linalg.svd(z, full_matrices=False)
    total = np.sum(np.abs(u) ** 4) + np.sum(np.abs((u * np.sqrt(s)) @ vh) ** 2 * x) + np.linalg.norm(z, "nuc")
    gram = z.conj().T @ z
    w, v = np.linalg.eigh(gram)
    total += np.sum(np.log(w)) + np.sum(np.abs(v) ** 4) + np.sum(np.abs(np.linalg.cholesky(gram)) ** 3)
    q, r = np.linalg.qr(z)
    return total + np.sum(np.real(q[0] * r[1])) + np.sum(np.real(np.linalg.pinv(z)))


@program(lambda r: (r.normal(size=6).astype(np.float32), r.normal(size=6).astype(np.float32)), tolerance=1e-2)
def single_precision_spectrum(x, y):
    spectrum = np.fft.fft(x)
    gain = np.conj(spectrum) / (np.abs(spectrum) ** 2 + 0.1)
    return (
        np.sum(np.fft.ifft(gain * np.fft.fft(y)).real ** 2)
        + np.sum(np.angle(spectrum + 9.0))
        + spectrum[1].imag
    )


@program(lambda r: (r.normal(size=4),))
def parts_are_written(x):
    z = x + 1j * x**2
    z.real[1] = x[0]
    z.imag = 2.0 * z.real
    z.real += x[::-1]
    z.imag[2:] *= x[:2]
    z.real[z.real > 0.5] = 0.25
    w = z.imag
    w[0] = 7.0
    return np.sum(np.abs(z * x) ** 2)


@program(
    lambda r: (r.normal(size=4),),
    refused=dict.fromkeys(("compiled", "python"), "while a imag part is in use"),
)
def a_part_that_is_read_after_a_write(x):
    """Of the array itself nobody reads what is written."""
    z = x + 1j * x
    w = z.imag
    z[0] = 7.0
    return np.sum(w**2 * x)


@program(
    lambda r: (r.normal(size=(2, 2)),),
    refused=dict.fromkeys(("compiled", "python"), "while a view is in use"),
)
def a_diagonal_that_the_next_trip_reads(x):
    z = x * 1.0
    d = np.diagonal(z)
    total = 0.0
    for k in range(3):
        total += d[0] * k
        z[0, 0] += x[0, 1]
    return total


@program(lambda r: (r.normal(size=3),))
def functions_of_cmath(x):
    z = cmath.sqrt(x[0] - 4.0) + cmath.exp(x[1] + 1j * x[2])
    return abs(z) + cmath.phase(z) + cmath.sin(z).imag


@program(lambda r: (r.normal(size=3),))
def logarithms_and_polar_coordinates(x):
    z = complex(x[0], x[1]) + 0.2j
    w = cmath.log(z) + cmath.log(z, 2.0) + cmath.log(x[2] * x[2])
    r, angle = cmath.polar(w * z)
    q = cmath.rect(r * x[2], angle + 1.0)
    if cmath.isfinite(q) and not cmath.isnan(q):
        q *= 2.0
    return q.real + q.imag * abs(w)


@program(lambda r: (r.normal(size=5),))
def autocorrelation_written_to_in_place(x):
    acf = np.fft.ifft(np.abs(np.fft.fft(x, 10)) ** 2)[:5].real
    acf /= acf[0]
    return np.sum(acf * np.arange(5.0))


@program(lambda r: (r.normal(size=3),))
def parts_written_to_and_read(x):
    z = np.zeros(3, complex)
    re, im = z.real, z.imag
    for k in range(3):
        re[k] = x[k] ** 2
        im[k] += 3.0 * x[k]
    im[re > 0.5] *= x[0]
    re[:] = re[::-1]
    return np.sum(np.abs(z) ** 2 * np.arange(3)) + np.sum(re * im)


@program(lambda r: (r.normal(size=3),))
def roots_of_negative_constants(x):
    root, size = (-8) ** (1 / 3), -4.0
    return x[0] * root.real + x[1] * root.imag + x[2] * abs(size**0.5) + x[0] * pow(-1.0, 0.25).imag
