"""Arguments that a rule takes only as they usually are."""

from adc.errors import UnsupportedError
from adc.rules.registry import static


@static
def require_usual(what, repair="Leave it away.", **given):
    """Raise UnsupportedError for the first argument whose value is another one; `given` holds (value, usual)."""
    for name, (value, usual) in given.items():
        if value is not usual and value != usual:
            raise UnsupportedError(f"{what} with `{name}` is not supported", repair=repair)
