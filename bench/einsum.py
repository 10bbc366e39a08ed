"""How long einsum takes in a compiled gradient, beside np.einsum(..., optimize=True) for the same contractions.

The program is half the squared norm of an einsum. Its gradient is the einsum itself and one more per operand, which
NumPy's column computes with np.einsum as one would by hand; both columns have the same numbers before they are timed.
Each round runs both in turn; the table gives medians. Run: python bench/einsum.py [--quick]
"""

from __future__ import annotations

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")  # before NumPy starts its threads

import argparse
import importlib.util
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import adc

# The subscripts, and the length of each index.
CASES: list[tuple[str, dict[str, int]]] = [
    ("ij,jk->ik", {"i": 300, "j": 300, "k": 300}),
    ("ij,kj->ik", {"i": 300, "j": 200, "k": 300}),
    ("ji,jk->ki", {"i": 200, "j": 300, "k": 200}),
    ("ij,j->i", {"i": 800, "j": 800}),
    ("bij,bjk->bik", {"b": 64, "i": 32, "j": 32, "k": 32}),
    ("bij,bjk->bik", {"b": 5000, "i": 8, "j": 8, "k": 8}),
    ("bij,bjk->bik", {"b": 10000, "i": 3, "j": 3, "k": 3}),
    ("ijk,kl->ijl", {"i": 40, "j": 40, "k": 64, "l": 64}),
    ("ijkl,kl->ij", {"i": 40, "j": 40, "k": 30, "l": 30}),
    ("abcd,cdef->abef", {"a": 12, "b": 12, "c": 12, "d": 12, "e": 12, "f": 12}),
    ("ij,jk,kl->il", {"i": 200, "j": 200, "k": 200, "l": 200}),
    ("ij,jk,k->i", {"i": 400, "j": 400, "k": 400}),
]


def program(subscripts: str, folder: Path) -> Callable[..., Any]:
    """The function to differentiate, in a file: adc reads sources."""
    names = [f"x{k}" for k in range(subscripts.count(",") + 1)]
    path = folder / f"contraction_{abs(hash(subscripts))}.py"
    path.write_text(
        "import numpy as np\n\n\n"
        f"def contraction({', '.join(names)}):\n"
        f'    z = np.einsum("{subscripts}", {", ".join(names)})\n'
        "    return 0.5 * np.sum(z * z)\n"
    )
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function: Callable[..., Any] = module.contraction
    return function


def by_hand(subscripts: str, operands: list[Any]) -> list[Any]:
    """The gradient as one writes it with NumPy: the adjoint of an operand contracts the result with the others."""
    left, result = subscripts.split("->")
    letters = left.split(",")
    z = np.einsum(subscripts, *operands, optimize=True)
    bars = []
    for k, own in enumerate(letters):
        others = [x for j, x in enumerate(operands) if j != k]
        text = ",".join([result, *(x for j, x in enumerate(letters) if j != k)])
        bars.append(np.einsum(f"{text}->{own}", z, *others, optimize=True))
    return bars


def timed(run: Callable[..., Any], *arguments: Any) -> float:
    begin = time.perf_counter()
    run(*arguments)
    return time.perf_counter() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few rounds")
    rounds = 5 if parser.parse_args().quick else 31
    generator = np.random.default_rng(0)
    print(f"{'contraction':20} {'lengths':>14} {'np.einsum':>12} {'adc':>12} {'ratio':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for subscripts, lengths in CASES:
            letters = subscripts.split("->")[0].split(",")
            operands = [generator.normal(size=[lengths[c] for c in own]) for own in letters]
            gradient = adc.grad(program(subscripts, Path(folder)), argnums=tuple(range(len(operands))))
            for got, wanted in zip(gradient(*operands), by_hand(subscripts, operands), strict=True):
                np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())
            assert gradient.mode == "compiled", subscripts
            pairs = [
                (timed(by_hand, subscripts, operands), timed(gradient, *operands)) for _ in range(rounds)
            ]
            numpy, ours = (statistics.median(column) for column in zip(*pairs, strict=True))
            known = ", ".join(map(str, dict.fromkeys(lengths.values())))
            print(
                f"{subscripts:20} {known:>14} {numpy * 1e3:9.3f} ms {ours * 1e3:9.3f} ms {ours / numpy:7.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
