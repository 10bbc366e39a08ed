"""From the measured results to a Markdown table, geometric means and plots."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import peers

__all__ = ["NOTES", "all_right", "in_short", "line", "plots", "publish", "put", "table"]

# The kernels that have a target, in the order in which the table shows them.
NOTES = (
    "logsumexp", "black_scholes", "gmm", "gmm_25", "gmm_small", "lstm", "bundle", "ode", "least_squares",
    "kmeans", "recurrence", "jacobi_2d", "seidel_2d", "burgers", "nbody", "correlation", "mlp",
)  # fmt: skip
IN_SHORT = {
    "logsumexp": "logsumexp of 1e6 numbers",
    "black_scholes": "Black-Scholes, 1e6 options",
    "gmm": "Gaussian mixture, n=1000, d=32, K=10",
    "lstm": "LSTM, two layers of 14, 1,024 steps",
    "recurrence": "scalar recurrence, 1e6 steps of exp and sin",
    "nbody": "energy of 1,000 bodies, all pairs",
    "seidel_2d": "Gauss-Seidel in place, 120 x 120, 20 sweeps",
    "ode": "Runge-Kutta, 1,000 equations, 100 steps",
}
GRADIENTS = ("adc", "adc loops", "jax", "torch", "torch.compile", "autograd", "pytensor", "casadi")
TOLERANCE = 1e-8

Result = dict[str, Any]


def ratio(result: Result, name: str, other: str, clock: str) -> float | None:
    """Time of one variant / time of another, at a size at which both were measured."""
    for each in result.get("reports", []):
        one, two = (each["variants"].get(n, {}).get(clock) for n in (name, other))
        if one and two:
            return float(one / two)
    return None


def best(result: Result, other: str, clock: str) -> float | None:
    """Adc's time on the faster of the texts in array and loop style / another's."""
    found = [ratio(result, name, other, clock) for name in ("adc", "adc loops")]
    return min((r for r in found if r is not None), default=None)


def problems(result: Result) -> list[str]:
    """What is wrong with a result: crashes, adc's refusals, gradients that disagree."""
    if "crashed" in result:
        return [f"crashed: {result['crashed']}"]
    found = []
    for each in result["reports"]:
        for name, entry in each["variants"].items():
            if name.startswith("adc") and "refused" in entry:
                found.append(f"{name}: {entry['refused'].splitlines()[0]}")
            if not entry.get("error", 0.0) < max(TOLERANCE, result.get("tolerance", 0.0)):
                found.append(f"{name} is {entry['error']:.0e} from the reference at {tuple(each['sizes'])}")
    return found


def all_right(results: list[Result]) -> bool:
    """Whether every gradient of adc agrees and nothing crashed."""
    return not any(p.startswith(("adc", "crashed")) for result in results for p in problems(result))


def line(result: Result, clock: str) -> str:
    """A result in a line, to show that the suite goes on."""
    found = problems(result)
    against = {name: ratio(result, "adc", name, clock) for name in ("numpy", "numba", "jax")}
    text = "  ".join(f"adc/{name} {r:.3g}" for name, r in against.items() if r is not None)
    return text + (f"  ! {'; '.join(found)}" if found else "")


def _cell(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else f"{value:.{digits}g}"


def table(results: list[Result], clock: str) -> str:
    """The table: per kernel, times over that of the Numba primal; then geometric means and what went wrong."""
    columns = ["numpy", *GRADIENTS]
    lines = [
        "Time of value and gradient / time of the primal in Numba loops (NumPy: of its primal).",
        "",
        "| kernel | Numba ms | target | " + " | ".join(columns) + " | error |",
        "|---" * (len(columns) + 4) + "|",
    ]
    for result in results:
        if "crashed" in result:
            continue
        main = result["reports"][0]
        unit = main["variants"].get("numba", {}).get(clock)
        cells = [result["title"], _cell(1e3 * unit if unit else None), _cell(result.get("target"))]
        for name in columns:
            value = ratio(result, name, "numba", clock)
            if value is None and (relative := ratio(result, name, "adc", clock)) is not None:
                ours = ratio(result, "adc", "numba", clock)
                value = relative * ours if ours else None  # measured at a smaller size, beside adc
                cells.append(_cell(value) + "*" if value else "-")
            else:
                cells.append(_cell(value))
        worst = max(
            (e.get("error", 0.0) for n, e in main["variants"].items() if n.startswith("adc")), default=0.0
        )
        lines.append("| " + " | ".join([*cells, f"{worst:.0e}"]) + " |")
    lines += [
        "",
        "`*` measured beside adc in another run or at a smaller size: time / adc's there, times adc's here.",
        "",
        *_means(results, clock),
    ]
    wrong = [
        f"- {result.get('title', result['kernel'])}: {p}" for result in results for p in problems(result)
    ]
    refused = [
        f"- {result['title']}: {name} refused: {entry['refused'].splitlines()[0][:160]}"
        for result in results
        for each in result.get("reports", [])
        for name, entry in each["variants"].items()
        if "refused" in entry and not name.startswith("adc")
    ]
    absent = [name for name in peers.PEERS if peers.version(name) is None]
    if wrong:
        lines += ["", "Wrong, refused by adc, or crashed:", "", *wrong]
    if refused:
        lines += ["", "Refused by a peer:", "", *refused]
    versions = ", ".join(f"{n} {peers.version(n)}" for n in peers.PEERS if peers.version(n) and " " not in n)
    lines += ["", f"Absent: {', '.join(absent) or 'none'}. Versions: {versions}."]
    return "\n".join(lines) + "\n"


def _mean(values: list[float]) -> float:
    return math.exp(sum(math.log(v) for v in values) / len(values))


def _means(results: list[Result], clock: str) -> list[str]:
    """How much faster adc is: geometric means over the kernels on which the peer runs."""
    lines = [
        "| peer time / adc time | kernels | geometric mean | worst | best text: mean | worst |",
        "|---|---|---|---|---|---|",
    ]
    for name in ("numpy", "numba", *GRADIENTS[2:]):
        pairs = [(r, ratio(r, "adc", name, clock), best(r, name, clock)) for r in results]
        found = [(r, a, b) for r, a, b in pairs if a is not None and b is not None]
        if not found:
            continue
        gains = [1.0 / a for _, a, _ in found]
        most = [1.0 / b for _, _, b in found]
        where = min(zip(gains, (r["kernel"] for r, _, _ in found), strict=True))
        low = min(zip(most, (r["kernel"] for r, _, _ in found), strict=True))
        lines.append(
            f"| {name} | {len(found)} | {_mean(gains):.2f} | {where[0]:.2f} ({where[1]}) "
            f"| {_mean(most):.2f} | {low[0]:.2f} ({low[1]}) |"
        )
    return lines


def plots(results: list[Result], folder: Path, clock: str) -> list[Path]:
    """Write the plots: speed relative to JAX, gradient / primal, time against size, by kernel class."""
    try:
        import matplotlib
    except ImportError:
        return []
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    good = [r for r in results if "crashed" not in r]
    written = []
    bars = {
        "speed_relative_to_jax": ("jax", "JAX time / time", [n for n in GRADIENTS if n != "jax"], True),
        "gradient_over_primal": ("numba", "time / time of the Numba primal", list(GRADIENTS), False),
    }
    for name, (other, label, variants, inverse) in bars.items():
        shown = sorted((r for r in good if _any(r, other, clock)), key=lambda r: (r["family"], r["title"]))
        if not shown:
            continue
        figure, axes = plt.subplots(figsize=(9.0, 0.34 * len(shown) + 1.4))
        for variant in variants:
            points = [
                (i, v) for i, r in enumerate(shown) if (v := ratio(r, variant, other, clock)) is not None
            ]
            if points:
                at, values = zip(*points, strict=True)
                heavy = variant == "adc"
                axes.scatter(
                    [1.0 / v if inverse else v for v in values], at, label=variant, s=70 if heavy else 28,
                    marker="D" if heavy else "o", zorder=3 if heavy else 2, alpha=1.0 if heavy else 0.75,
                )  # fmt: skip
        axes.axvline(1.0, color="0.4", linewidth=1.0)
        axes.set_xscale("log")
        axes.set_yticks(range(len(shown)), [f"{r['title']}  ({r['family']})" for r in shown], fontsize=8)
        axes.set_xlabel(label)
        axes.grid(axis="x", which="both", alpha=0.25)
        axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
        figure.savefig(folder / f"{name}.svg", bbox_inches="tight")
        plt.close(figure)
        written.append(folder / f"{name}.svg")
    for family in sorted({r["family"] for r in good if r.get("growth")}):
        figure, axes = plt.subplots(figsize=(6.4, 4.2))
        for r in good:
            if r["family"] == family and r.get("growth"):
                sizes = [math.prod(g["sizes"]) for g in r["growth"] if clock in g["variants"].get("adc", {})]
                times = [
                    g["variants"]["adc"][clock] for g in r["growth"] if clock in g["variants"].get("adc", {})
                ]
                axes.loglog(sizes, times, marker="o", label=r["title"])
        axes.set_xlabel("product of the sizes")
        axes.set_ylabel("seconds, value and gradient")
        axes.set_title(f"{family}: time against size")
        axes.grid(which="both", alpha=0.25)
        axes.legend(fontsize=8)
        figure.savefig(folder / f"growth_{family}.svg", bbox_inches="tight")
        plt.close(figure)
        written.append(folder / f"growth_{family}.svg")
    return written


def in_short(results: list[Result], clock: str) -> str:
    """The table of the README: milliseconds of a few kernels, told in words that need no other page."""
    names = ("numpy", "numba", "adc", "jax")
    lines = [
        "| | NumPy, value only | Numba, value only | adc, value and gradient | JAX, value and gradient |",
        "|---|---:|---:|---:|---:|",
    ]
    variants = {r["kernel"]: r["reports"][0]["variants"] for r in results if r.get("reports")}
    for kernel, words in IN_SHORT.items():
        times = [1e3 * variants[kernel][name][clock] for name in names]
        lines.append(f"| {words} | " + " | ".join(f"{_milliseconds(t)} ms" for t in times) + " |")
    return "\n".join(lines) + "\n"


def _milliseconds(time: float) -> str:
    return f"{time:.2f}" if time < 1.0 else f"{time:.1f}" if time < 100.0 else f"{time:.0f}"


def publish(docs: Path, mark: str, table: str, drawn: list[Path]) -> None:
    """Put a table between its marks in docs/performance.md, and the plots beside it."""
    folder = docs / "performance"
    folder.mkdir(exist_ok=True)
    pictures = []
    for path in drawn:
        (folder / path.name).write_bytes(path.read_bytes())
        pictures.append(f"![{path.stem.replace('_', ' ')}](performance/{path.name})\n")
    put(docs / "performance.md", mark, "\n".join([table, *pictures]))


def put(page: Path, mark: str, body: str) -> None:
    """Put a text between its marks in a page."""
    before, rest = page.read_text().split(f"<!-- {mark} -->\n", 1)
    after = rest.split(f"<!-- end of {mark} -->\n", 1)[1]
    page.write_text(f"{before}<!-- {mark} -->\n{body}<!-- end of {mark} -->\n{after}")


def _any(result: Result, other: str, clock: str) -> bool:
    return any(ratio(result, name, other, clock) is not None for name in GRADIENTS)
