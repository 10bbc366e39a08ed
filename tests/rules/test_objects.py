"""Objects of NumPy and SciPy that a program makes, or finds outside: np.poly1d, frozen distributions."""

import numpy as np
import pytest
from tests.in_turn import in_turn

import adc

stats = pytest.importorskip("scipy.stats")
transform = pytest.importorskip("scipy.spatial.transform")
Rotation, Slerp = transform.Rotation, transform.Slerp

PRIOR = stats.norm(0.5, scale=1.3)
JOINT = stats.multivariate_normal(np.array([0.5, -0.5]), np.array([[2.0, 0.3], [0.3, 1.0]]))
SAMPLES = stats.gaussian_kde(np.array([0.3, -0.2, 0.9, 1.4]), bw_method=0.5)
TURNED = Rotation.from_rotvec([0.1, 0.2, -0.3])
TURNING = Slerp([0.0, 1.0, 2.5], Rotation.from_rotvec([[0.1, 0.2, -0.3], [1.0, 0.4, 0.3], [0.2, -1.0, 0.7]]))
RATE = stats.gamma(np.array([1.5, 2.0, 2.5]), scale=2.0)


def made_inside(x):
    noise = stats.norm(loc=x[0], scale=np.exp(x[1]))
    counts = stats.poisson(x[2] ** 2)
    return np.sum(noise.logpdf(np.arange(3.0))) + noise.cdf(0.3) + np.sum(counts.logpmf(np.arange(4)))


def found_outside(x):
    return np.sum(PRIOR.logpdf(x)) + JOINT.logpdf(x[:2]) + np.sum(RATE.logpdf(x**2)) + np.sum(RATE.sf(x**2))


def moments(x):
    rate = stats.gamma(x[0] + 1.0, scale=x[1])
    noise = stats.norm(x[2], x[0])
    return rate.mean() * rate.std() + rate.entropy() + noise.median() * noise.interval(0.9)[1]


def samples(x):
    plane = stats.gaussian_kde(np.stack((x, x**2)), "silverman", weights=x)
    return np.sum(stats.gaussian_kde(x)(np.arange(2.0))) + np.sum(SAMPLES.logpdf(x)) + plane.pdf(x[:2])[0]


def rotations(x):
    r = Rotation.from_euler("zyx", x * 50.0, degrees=True) * Rotation.from_rotvec(x).inv()
    several = Rotation.from_quat(np.stack((np.append(x, 1.0), np.append(1.0, x))))
    nothing = Rotation.from_rotvec(x - np.array([0.4, 0.9, 1.7])).apply(x, inverse=True)
    matrices = several.as_matrix() + 0.1 * x[0]  # about one axis each, and not quite orthogonal
    between = Slerp([0.0, 2.0], Rotation.from_matrix(matrices))(x[:2]).as_quat()[:, 1] @ x[:2]
    nothing = nothing + between + TURNING(x[0]).magnitude()
    turned = (TURNED * r).as_rotvec() @ np.arange(3.0) + several[1].magnitude() + nothing[1]
    return turned + np.sum(several.as_matrix()[:, 1] * x) + np.sum(r.apply(np.outer(x, x)), axis=0)[2]


def several(x):
    total = 0.0
    for prior in (stats.norm(0.0, 1.0), stats.cauchy(x[0], 2.0), stats.t(3.5, loc=x[1])):
        total = total + prior.logpdf(x[2])
    return total


def polynomials(x):
    p, q = np.poly1d(x), np.poly1d([x[0], 1.0, x[1] * x[2]])
    product = (p * q + 2.0 * p) ** 2 - q / 3.0
    return product(0.7) + p.deriv()(x[1]) * q.integ()(0.3) + product[1] + product.order


OUTSIDE = np.poly1d([1.0, -2.0, 3.0])


def functions_of_polynomials(x):
    p = np.poly1d([1.0, x[0], x[1]])
    quotient, rest = np.polydiv(p * p, np.poly1d([1.0, x[2]]))
    total = np.polyder(p)(x[2]) + np.polyint(p, 2, 0.5)(x[0]) + np.polyadd(p, [x[1], 2.0])(0.3)
    total = total + np.polymul(p, OUTSIDE)(0.7) + np.polysub([x[0]], p)(0.2) + np.polyval(p, x[2])
    return total + quotient(0.4) * rest(0.9) + OUTSIDE.deriv()(x[0]) + np.polyder(OUTSIDE)(x[1])


def collocation(x):
    tau = np.array([0.0, 0.2, 0.6, 1.0])
    total = 0.0
    for j in range(4):
        p = np.poly1d([1.0])
        for r in range(4):
            if r != j:
                p *= np.poly1d([1.0, -tau[r]]) / (tau[j] - tau[r])
        total = total + np.polyint(p)(1.0) * np.sin(x[0] * tau[j]) + np.polyder(p)(0.5) * x[1]
    return total * x[2]


@pytest.mark.parametrize("mode", ("tape", "python", "compiled"))
@pytest.mark.parametrize("f", (functions_of_polynomials, collocation), ids=lambda f: f.__name__)
def test_functions_of_polynomials(f, mode):
    adc.check_grads(f, (np.array([0.4, 0.9, 1.7]),), order=1, mode=mode)


PROGRAMS = (made_inside, found_outside, several, polynomials, moments, samples, rotations)


@pytest.mark.parametrize("mode", ("tape", "python"))
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_objects(f, mode):
    adc.check_grads(f, (np.array([0.4, 0.9, 1.7]),), order=2, mode=mode)


@pytest.mark.parametrize("f", in_turn(PROGRAMS, lambda f: f.__name__)[:2], ids=lambda f: f.__name__)
def test_objects_compiled(f):
    adc.check_grads(f, (np.array([0.4, 0.9, 1.7]),), order=1, mode="compiled")


@pytest.mark.parametrize("mode", ("tape", "python"))
def test_an_object_outside_is_read_at_each_call(mode):
    global PRIOR
    gradient, x, before = adc.grad(found_outside, mode=mode), np.array([0.4, 0.9, 1.7]), PRIOR
    first = gradient(x)
    try:
        PRIOR = stats.norm(0.1, scale=0.7)
        second = gradient(x)
        PRIOR = stats.cauchy(0.1, scale=0.7)
        third = gradient(x)
    finally:
        PRIOR = before
    z = (x - 0.1) / 0.7
    assert np.allclose(second - first, -z / 0.7 + (x - 0.5) / 1.3**2)
    assert np.allclose(third - second, -2.0 * z / (1.0 + z * z) / 0.7 + z / 0.7)


@pytest.mark.parametrize("mode", ("tape", "python"))
def test_angles_of_rotations_come_back(mode):
    for seq, angles in (("xyz", [0.4, 0.9, 1.7]), ("ZYX", [-2.0, 0.3, 2.5]), ("zxz", [0.4, 2.0, -3.0])):
        back = adc.jacobian(lambda a, seq=seq: Rotation.from_euler(seq, a).as_euler(seq), mode=mode)(
            np.array(angles)
        )
        np.testing.assert_allclose(back, np.eye(3), atol=1e-12)
    tangent = adc.jacobian(lambda v: Rotation.from_rotvec(v).as_mrp(), mode=mode)(np.zeros(3))
    np.testing.assert_allclose(tangent, np.eye(3) / 4.0, atol=1e-12)


@pytest.mark.parametrize("mode", ("tape", "python"))
def test_what_an_object_lacks_is_named(mode):
    def angles(x):
        return Rotation.from_rotvec(x).as_davenport(np.eye(3), "intrinsic")[0]

    with pytest.raises(adc.UnsupportedError, match=r"`\.as_davenport` of this object") as found:
        adc.grad(angles, mode=mode)(np.ones(3))
    assert "return Rotation.from_rotvec(x).as_davenport(np.eye(3)" in str(found.value)


interpolate = pytest.importorskip("scipy.interpolate")
PLACES = np.arange(3.0)


def told(x):
    """What a program asks of the class of an object chooses what it computes."""
    r, p = Rotation.from_rotvec(x), np.poly1d(x)
    turned = r.magnitude() if isinstance(r, Rotation) and not isinstance(r, np.poly1d | tuple) else 0.0
    value = p(0.3) if type(p) is np.poly1d and p.__class__ is np.poly1d else 0.0
    series = np.polynomial.Polynomial(x)
    if isinstance(series, np.polynomial.Polynomial) and not isinstance(series, np.polynomial.Chebyshev):
        value += series(x[0])
    spline = interpolate.CubicSpline(PLACES, x)
    fixed = isinstance(TURNED, Rotation) and hasattr(spline, "x") and not hasattr(spline, "nonsense")
    return turned + value + (spline(0.7) if callable(spline) else 0.0) + (x[1] if fixed else 0.0)


@pytest.mark.parametrize("mode", ("tape", "python"))
def test_of_which_class_an_object_is(mode):
    x = np.array([0.4, 0.9, 1.7])
    adc.check_grads(told, (x,), order=1, mode=mode)
    assert adc.value_and_grad(told, mode=mode)(x)[0] == pytest.approx(told(x), rel=1e-12)


@pytest.mark.parametrize("mode", ("tape", "python"))
def test_what_is_not_known_of_an_object_is_refused(mode):
    with pytest.raises(adc.UnsupportedError, match=r"test_objects.py:.*of a library"):
        adc.grad(lambda x: x[0] if hasattr(interpolate.CubicSpline(PLACES, x), "roots") else x[1], mode=mode)(
            np.ones(3)
        )


def test_a_function_stands_for_some_classes_on_the_tape():
    def f(x):
        return x[0] if type(interpolate.CubicSpline(PLACES, x)) is interpolate.CubicSpline else x[1]

    assert np.array_equal(adc.grad(f, mode="python")(np.ones(3)), [1.0, 0.0, 0.0])
    with pytest.raises(adc.UnsupportedError, match=r"test_objects.py:.*of what class a `CubicSpline`"):
        adc.grad(f, mode="tape")(np.ones(3))


MADE = interpolate.PchipInterpolator(PLACES, PLACES**2)


def test_of_which_class_an_interpolator_is():
    def f(x):
        cubic, krogh = interpolate.CubicSpline(PLACES, x), interpolate.KroghInterpolator(PLACES, x)
        through = interpolate.InterpolatedUnivariateSpline(PLACES, x, k=2)
        line, b = interpolate.interp1d(PLACES, x), interpolate.make_interp_spline(PLACES, x, k=2)
        slope = through.derivative()
        told = (
            isinstance(cubic, interpolate.CubicSpline),
            isinstance(cubic.derivative(), interpolate.PPoly),
            not isinstance(cubic, interpolate.PchipInterpolator),
            isinstance(MADE.antiderivative(), interpolate.PchipInterpolator),
            isinstance(krogh, interpolate.KroghInterpolator),
            not isinstance(krogh, interpolate.BarycentricInterpolator),
            isinstance(through, interpolate.UnivariateSpline),
            isinstance(through, interpolate.InterpolatedUnivariateSpline),
            not isinstance(slope, interpolate.InterpolatedUnivariateSpline),
            isinstance(line, interpolate.interp1d) and isinstance(b, interpolate.BSpline),
        )
        return cubic(x[0]) * krogh(0.3) + slope(0.2) if all(told) else x[1]

    x = np.array([0.4, 0.9, 1.7])
    for mode in ("tape", "python"):
        assert adc.value_and_grad(f, mode=mode)(x)[0] == pytest.approx(f(x), rel=1e-12)
        adc.check_grads(f, (x,), order=1, mode=mode)


def test_a_pattern_of_a_class_of_a_library_is_refused_on_the_tape():
    def f(x):
        match Rotation.from_rotvec(x):
            case Rotation():
                return x[0]
        return x[1]

    with pytest.raises(adc.UnsupportedError, match="Ask in a guard"):
        adc.grad(f, mode="tape")(np.ones(3))


def test_objects_of_constants_by_class_methods_on_the_tape():
    def f(x):
        return np.sum(interpolate.BSpline.basis_element([0, 1, 2, 3])(x))

    adc.check_grads(f, (np.array([0.4, 0.9, 1.7]),), order=1, mode="tape")
