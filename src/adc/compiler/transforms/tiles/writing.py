"""Write loops over elements as one loop over tiles of elements."""

from __future__ import annotations

from adc.compiler.analysis.touches import element, move
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import Assign, Block, Carried, Const, For, Var, walk
from adc.compiler.ir.types import Array, Scalar
from adc.compiler.transforms.tiles.lanes import TILE
from adc.compiler.transforms.tiles.region import Private, Region
from adc.rules import registry
from adc.rules.dims import Dim


def written(region: Region, private: Private, evaluator: Evaluator) -> Block:
    """The loop over tiles in place of the statements of a region, behind what makes its own arrays.

    Those get as long as a tile, or as all elements if there are fewer.
    """
    nests = region.lanes.nests(list(region.statements))
    origin = evaluator.origin
    out: Block = []
    with evaluator.at(out):
        elements = evaluator.dim_value(region.lanes.length)
        stop, size = evaluator.atom(elements), evaluator.atom(evaluator.op("minimum", elements, TILE))
    longest = evaluator.length(size)
    assert longest is not None
    if isinstance(size, Var) and size is not stop:
        size.name, size.named = "tile", True
    integer = Scalar("int64", True)
    first = Var(f"{nests[0].index.name}_first", integer, named=True)
    left, count = Var("left", integer, named=False), Var("count", integer, named=True)
    first.dim = Dim.symbol("value", first)
    for nest in nests:
        _in_tile(nest, first, count, private)
    for array, axis in private.axes.items():
        assert isinstance(array.type, Array)
        shape = array.type.shape
        array.type = Array(array.type.dtype, (*shape[:axis], longest, *shape[axis + 1 :]), "C")
    for made in private.made:
        axis = private.axes[made.target]
        lengths, dtype = made.args
        lengths = lengths if isinstance(lengths, tuple) else (lengths,)
        made.args = ((*lengths[:axis], size, *lengths[axis + 1 :]), dtype)
    carried: list[Carried] = []
    for c in region.totals:
        phi, result = (Var(v.name, v.type, named=v.named) for v in (c.phi, c.result))
        carried.append(Carried(phi, c.init, result, c.result))
        c.init, c.result = phi, result
    body: Block = [
        Assign((left,), registry.named("subtract"), (stop, first), origin),
        Assign((count,), registry.named("minimum"), (left, Const(TILE)), origin),
        *region.statements,
    ]
    return [*out, *private.made, For(first, Const(0), stop, Const(TILE), carried, body, origin)]


def _in_tile(nest: For, first: Var, count: Var, private: Private) -> None:
    """Let a loop over all elements go over those of a tile."""
    j = nest.index
    k = Var("k", Scalar("int64", True), named=False)
    k.dim = Dim.symbol("value", k)
    for s in walk(nest.body):
        touch = element(s)
        if touch is not None and touch[0] in private.axes:
            array, index = touch
            axis = private.axes[array]
            move(s, (array, (*index[:axis], k, *index[axis + 1 :])))
    nest.index, nest.stop = k, count
    j.dim = first.dim + k.dim if first.dim is not None else None
    nest.body.insert(0, Assign((j,), registry.named("add"), (first, k), nest.origin))
