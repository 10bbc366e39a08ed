"""Nested containers come apart and together again."""

import dataclasses
from collections import OrderedDict, defaultdict
from typing import NamedTuple

import numpy as np
import pytest

from adc import pytree
from adc.ravel import ravel_pytree

pytestmark = pytest.mark.tiny


class Pair(NamedTuple):
    first: float
    second: float


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: float
    b: object = None


TREES = [
    1.0,
    (),
    [],
    {},
    None,
    (1.0, [2.0, (3.0,)]),
    {"b": 1.0, "a": {"c": 2.0}},
    Pair(1.0, 2.0),
    Frozen(1.0, Frozen(2.0, [3.0])),
    [None, (None, 1.0)],
    {2: 1.0, "a": [None, 2.0]},
    OrderedDict(b=1.0, a=2.0),
    defaultdict(list, b=[1.0]),
]


@pytest.mark.parametrize("tree", TREES, ids=repr)
def test_round_trip(tree):
    leaves, structure = pytree.flatten(tree)
    assert structure.size == len(leaves)
    assert pytree.unflatten(structure, leaves) == tree
    assert hash(structure) == hash(pytree.flatten(tree)[1])
    assert len(pytree.flatten_with_paths(tree)[0]) == len(leaves)


def test_a_builder_makes_what_unflatten_makes():
    leaves, structures = zip(*map(pytree.flatten, TREES), strict=True)
    found = pytree.builder(structures)([leaf for of_tree in leaves for leaf in of_tree])
    assert found == TREES and [type(x) for x in found] == [type(x) for x in TREES]
    assert list(found[6]) == ["b", "a"] and found[-1].default_factory is list
    with pytest.raises(ValueError, match="values to unpack"):
        pytree.builder(structures)([1.0])


def test_dicts_are_ordered_by_key():
    assert pytree.flatten({"b": 1.0, "a": 2.0}) == pytree.flatten({"a": 2.0, "b": 1.0})


def test_paths():
    tree = {"p": Pair(1.0, [2.0]), "f": Frozen(3.0)}
    assert pytree.flatten_with_paths(tree)[0] == [
        ("['f'].a", 3.0),
        ("['p'].first", 1.0),
        ("['p'].second[0]", 2.0),
    ]


def test_structures_differ():
    with pytest.raises(ValueError, match="differ"):
        pytree.map_structure(lambda a, b: a, (1.0, 2.0), [1.0, 2.0])
    with pytest.raises(ValueError, match="2 leaves"):
        pytree.unflatten(pytree.flatten((1.0, 2.0))[1], [1.0])


def test_registered_class():
    class Box:
        def __init__(self, content):
            self.content = content

    pytree.register(Box, lambda box: ((box.content,), None), lambda fixed, children: Box(*children))
    assert pytree.map_structure(lambda v: v + 1, Box([1.0])).content == [2.0]
    with pytest.raises(ValueError, match="already"):
        pytree.register(Box, lambda box: ((), None), lambda fixed, children: Box(None))


def test_ravel():
    tree = {"w": np.arange(4.0).reshape(2, 2), "b": (1.5, np.float32(2.0))}
    vector, back = ravel_pytree(tree)
    np.testing.assert_array_equal(vector, [1.5, 2.0, 0, 1, 2, 3])
    again = back(vector)
    assert again["b"] == (1.5, 2.0) and type(again["b"][0]) is float
    np.testing.assert_array_equal(again["w"], tree["w"])
    with pytest.raises(ValueError, match="vector of 6"):
        back(np.zeros(5))
    assert ravel_pytree(())[0].shape == (0,)


def test_results_of_scipy_are_named_tuples():
    result = pytest.importorskip("scipy.stats").pearsonr([1.0, 2.0, 4.0], [1.0, 3.0, 2.0])
    leaves, structure = pytree.flatten(result)
    again = pytree.unflatten(structure, leaves)
    assert again == tuple(result) and again.statistic == result.statistic
