"""An error says what, where, why and what to do, with a caret under the expression."""

from __future__ import annotations

import pickle
import warnings

import pytest

from adc import config, errors
from adc.errors import Location

pytestmark = pytest.mark.tiny

STATEMENT = Location("model.py", 12, 4, 18, "    cache[key] = h")
EXPRESSION = Location("model.py", 3, 15, 28, "    return x + np.linalg.det(a)  # volume")
MULTILINE = Location("model.py", 7, 8, 16, "    y = np.sum(")
TABBED = Location("model.py", 2, 5, 10, "\ty =\tx @ w")
BARE = Location("model.py", 2, 7)


@pytest.mark.parametrize(
    "name, error",
    {
        "statement": errors.UnsupportedError(
            "adc cannot differentiate a function that writes to an object created outside it",
            STATEMENT,
            "The reverse sweep could not undo the write.",
            "Options: return `h`, or pass `cache` in and out as an argument.",
            reproduce='ADC_DEBUG=2 python -c "import model; adc.explain(model.solve)"',
        ),
        "expression": errors.UnsupportedError(
            "adc has no rule for np.linalg.det", EXPRESSION, "Its derivative is unknown.", "Add a rule."
        ),
        "multiline": errors.ShapeError("(3,) and (4,) do not broadcast", MULTILINE, "", "Reshape one."),
        "tabs": errors.DerivativeError("the result is no scalar", TABBED),
        "no_text": errors.GraphCutError("float() cuts the graph", BARE, "It would lose the derivative."),
        "nowhere": errors.SourceError("adc cannot read the source of `np.sum`", None, "It is C.", "Wrap it."),
        "internal": errors.InternalError("`y_bar` is read before it is assigned", STATEMENT),
        "fallback": errors.FallbackWarning(
            "`solve` runs on the tape", STATEMENT, "The write has no adjoint.", 'Pass mode="tape" to agree.'
        ),
    }.items(),
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_text(name, error, golden):
    golden(f"errors/{name}.txt", str(error))


def test_one_caret_for_a_statement_and_a_span_for_an_expression():
    assert STATEMENT.quoted().splitlines()[1] == "    ^"
    assert EXPRESSION.quoted().splitlines()[1] == "               ^^^^^^^^^^^^^"


def test_absolute_paths_below_the_working_directory_are_shown_short(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert str(Location(str(tmp_path / "src" / "model.py"), 3, 0)).replace("\\", "/") == "src/model.py:3:0"
    assert str(Location("/elsewhere/model.py", 3, 0)) == "/elsewhere/model.py:3:0"


def test_parts_stay_readable_by_program():
    error = errors.UnsupportedError("what", STATEMENT, "why", "repair")
    assert (error.what, error.location, error.why, error.repair) == ("what", STATEMENT, "why", "repair")


def test_the_innermost_location_wins():
    error = errors.ShapeError("shapes differ")
    assert error.at(EXPRESSION) is error
    error.at(STATEMENT)
    assert error.location == EXPRESSION


def test_builtin_bases():
    assert issubclass(errors.ShapeError, ValueError)
    assert issubclass(errors.ArgumentError, TypeError) and issubclass(errors.ResultError, TypeError)
    assert issubclass(errors.ArgumentError, errors.DerivativeError)
    assert issubclass(errors.FallbackWarning, UserWarning)
    for name in errors.__all__:
        kind = getattr(errors, name)
        assert kind.__doc__, name
        if name not in ("Location", "FallbackWarning"):
            assert issubclass(kind, errors.AdcError), name


@pytest.mark.parametrize("kind", [errors.UnsupportedError, errors.InternalError, errors.FallbackWarning])
def test_pickles_whole(kind):
    error = kind("what", STATEMENT, "why", "repair", reproduce="again")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_warns_as_an_instance():
    with pytest.warns(errors.FallbackWarning, match="runs on the tape"):
        warnings.warn(errors.FallbackWarning("`f` runs on the tape", STATEMENT), stacklevel=1)


def test_config_reads_the_environment():
    read = config.from_environment(
        {
            "ADC_DEBUG": "3",
            "ADC_DUMP": "dump",
            "ADC_CACHE_DIR": "cache",
            "ADC_MODE": "python",
            "ADC_VERIFY": "1",
            "ADC_STRICT": "1",
        }
    )
    assert (read.debug, str(read.dump), str(read.cache_dir), read.mode, read.verify, read.strict) == (
        3, "dump", "cache", "python", True, True,
    )  # fmt: skip
    plain = config.from_environment({})
    assert (plain.debug, plain.dump, plain.mode, plain.verify, plain.strict) == (
        0,
        None,
        "auto",
        False,
        False,
    )
    assert plain.cache_dir.name == "adc"


@pytest.mark.parametrize("variable, value", [("ADC_DEBUG", "yes"), ("ADC_DEBUG", "5"), ("ADC_MODE", "fast")])
def test_config_refuses_what_it_cannot_use(variable, value, golden):
    with pytest.raises(errors.ConfigError) as caught:
        config.from_environment({variable: value})
    golden(f"errors/{variable}_{value}.txt", str(caught.value))


def test_config_is_overridden_for_a_block_only():
    before = config.current()
    with pytest.raises(KeyError), config.overridden(debug=4, mode="tape"):
        assert (config.current().debug, config.current().mode) == (4, "tape")
        raise KeyError
    assert config.current() is before


def test_tests_run_with_the_verifier_on():
    assert config.current().verify
