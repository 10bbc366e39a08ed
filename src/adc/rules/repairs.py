"""What to write in place of functions and classes that have no rules, for whole packages of them."""

__all__ = ["repair_of"]

_REPAIRS = {
    "numpy.ma": "keep the mask beside the array: np.mean(x[~mask]), np.where(mask, 0.0, x)",
    "numpy.matrix": "use np.array, and `a @ b` for the product",
    "numpy.matrixlib": "use np.array, and `a @ b` for the product",
    "numpy.rec": "use an array for each field, in a dict or a dataclass",
}
_OF_COMPILED = {
    "scipy.sparse": "leave the choice of the engine to adc: the tape takes sparse matrices",
}


def repair_of(spelling: str, compiled: bool = False) -> str | None:
    """What may be written in place of what a name stands for, in compiled code or any; None where nothing is known.

    >>> repair_of("np.rec.fromarrays"), repair_of("numpy.sin")
    ('use an array for each field, in a dict or a dataclass', None)
    """
    name = spelling.replace("np.", "numpy.", 1) if spelling.startswith("np.") else spelling
    known = _REPAIRS | _OF_COMPILED if compiled else _REPAIRS
    return next((repair for of, repair in known.items() if name == of or name.startswith(f"{of}.")), None)
