"""Jacobi's elliptic functions sn, cn, dn and the amplitude, of the argument and the parameter.

The amplitude phi is where F(phi | m) = u, so its derivative is dn in u, and in m that of F, times -dn.
Source: DLMF 22.13 and 22.16.
"""

import numpy as np
from scipy import special as sp

from adc.rules.registry import pull, push
from adc.rules.shapes import broadcast, shape_of


def _slope(u, m, sn, cn, dn, ph):
    """The derivative of the amplitude with respect to the parameter."""
    near = np.abs(m) < 0.02
    away = np.where(near, 0.5, m)
    apart = (
        np.where(near, 0.0, u) - sp.ellipeinc(ph, away)
    ) / away  # of sin ** 2 / dn from 0 to the amplitude
    rest = u - np.where(near, _by_powers(ph, sn, cn, m), apart) - sn * cn / dn
    return -dn * rest / (2.0 * (1.0 - m))


def _by_powers(ph, sn, cn, m):
    """(F - E) / m near m = 0: the integral of sin(t)**2 / sqrt(1 - m sin(t)**2) from 0 to phi, by powers of m."""
    total, factor, power, integral = 0.0 * ph, 1.0, sn, ph
    for k in range(1, 9):
        integral = ((2 * k - 1) * integral - power * cn) / (2 * k)
        total = total + factor * integral
        factor = factor * m * (2 * k - 1) / (2 * k)
        power = power * sn * sn
    return total


@pull(
    sp.ellipj,
    wrt="u m",
    shape=lambda u, m, *, require: (broadcast([shape_of(u), shape_of(m)], require),) * 4,
    name="special.ellipj",
    cost=60,
    notes="in m below 1",
    examples=lambda r: [
        (0.7, 0.4),
        (r.normal(3), r.uniform(0.1, 0.9, 3)),
        (r.normal(2, 1), r.uniform(0.1, 0.9, 3)),
        (np.array([0.4, -1.2, 3.0]), np.array([0.015, 0.018, 0.025])),
    ],
)
def ellipj_pull(result_bar, result, u, m):
    sn_bar, cn_bar, dn_bar, ph_bar = result_bar
    sn, cn, dn, ph = result
    turn_bar = sn_bar * cn - cn_bar * sn - dn_bar * m * sn * cn / dn + ph_bar
    return turn_bar * dn, turn_bar * _slope(u, m, sn, cn, dn, ph) - dn_bar * sn * sn / (2.0 * dn)


@push(sp.ellipj)
def ellipj_push(result, u, m, *, u_dot, m_dot):
    sn, cn, dn, ph = result
    turn = dn * u_dot + _slope(u, m, sn, cn, dn, ph) * m_dot
    return cn * turn, -sn * turn, -(m * sn * cn * turn + 0.5 * sn * sn * m_dot) / dn, turn
