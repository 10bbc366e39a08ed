"""Whether two dicts of `collections` are equal: by what they hold, as in Python."""

from collections import Counter, OrderedDict, defaultdict

import numpy as np
import pytest

import adc

X = np.array([0.5, 1.5])


def pairs(x):
    return [
        (OrderedDict(a=x[0]), OrderedDict(a=x[0])),
        (OrderedDict(a=x[0], b=1.0), OrderedDict(b=1.0, a=x[0])),
        (OrderedDict(a=x[0], b=1.0), {"b": 1.0, "a": x[0]}),
        (OrderedDict(a=x[0]), defaultdict(float, a=x[0])),
        (defaultdict(float), defaultdict(int)),
        (defaultdict(float, a=x[1]), defaultdict(float, a=x[0])),
        (Counter("abca"), Counter(a=2, b=1, c=1)),
        (Counter(a=0), Counter()),
        (Counter("ab"), Counter("a")),
        (Counter(), Counter()),
        (OrderedDict(), 3.0),
    ]


@pytest.mark.parametrize("k", range(11))
@pytest.mark.parametrize("mode", ["python", "tape"])
def test_equal_as_in_python(k, mode):
    def loss(x):
        one, other = pairs(x)[k]
        return np.sum(x) * (2.0 if one == other else 3.0) * (5.0 if one != other else 7.0)

    assert adc.value_and_grad(loss, mode=mode)(X)[0] == pytest.approx(loss(X))
