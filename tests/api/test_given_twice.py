"""A list, dict or object that stands at two places in the arguments: each place has a derivative of its own."""

import numpy as np
import pytest

import adc


def test_what_is_given_twice_is_only_read():
    def written(w, rows):
        for row in rows:
            row[0] += w
        return sum(row[0] for row in rows) * w

    def asked(w, a, b):
        return w**2 if a is b else w

    def read(w, rows):
        return sum(row[0] * w for row in rows)

    for mode in ("python", "tape"):
        for count in (3, 9):
            assert adc.grad(read, mode=mode)(1.5, [[2.0, 1.0]] * count) == 2.0 * count
            apart = [[2.0, 1.0] for _ in range(count)]
            g = adc.grad(written, mode=mode)
            assert g(1.5, apart) == 5.0 * count
            with pytest.raises(adc.ArgumentError, match=r"`rows\[0\]` and `rows\[1\]` are one object"):
                g(1.5, [[2.0, 1.0]] * count)
    g = adc.grad(asked, mode="python")
    assert g(1.5, {"k": 1.0}, {"k": 1.0}) == 1.0
    with pytest.raises(adc.ArgumentError, match="`a` and `b` are one object"):
        g(1.5, *[{"k": 1.0}] * 2)


def test_what_is_given_twice_is_refused_by_every_transform_that_writes():
    def written(a, b):
        a[0] = 2.0 * a[0]
        return b[0] * len(b)

    def grown(a, b):
        a.append(2.0)
        return b[0] * len(b)

    def read(a, b):
        return a[0] * b[0] ** 2

    one = [1.0]
    for mode in ("python", "tape"):
        calls = [
            lambda f, a, b, mode=mode: adc.grad(f, mode=mode)(a, b),
            lambda f, a, b, mode=mode: adc.vjp(f, a, b, mode=mode)[1](1.0),
            lambda f, a, b, mode=mode: adc.jvp(f, (a, b), (one, one), mode=mode),
            lambda f, a, b, mode=mode: adc.linearize(f, a, b, mode=mode)[1](one, one),
            lambda f, a, b, mode=mode: adc.hvp(f, (a, b), (one, one), mode=mode),
            lambda f, a, b, mode=mode: adc.hessian(f, mode=mode)(a, b),
            lambda f, a, b, mode=mode: adc.jacobian(f, mode=mode)(a, b),
        ]
        for call in calls:
            for f in (written, grown):
                with pytest.raises(adc.ArgumentError, match="`a` and `b` are one object"):
                    call(f, *[[1.0]] * 2)
                call(f, [1.0], [1.0])
            call(read, *[[1.0]] * 2)
        batch = [np.ones(2)]
        with pytest.raises(adc.ArgumentError, match="`a` and `b` are one object"):
            adc.vmap(written, mode=mode)(batch, batch)
        assert np.all(adc.vmap(read, mode=mode)(batch, batch) == 1.0)

    def asked(x, a, b):
        return x**2 if a is b else x

    assert adc.grad(asked, mode="tape")(1.5, one, one) == 3.0
