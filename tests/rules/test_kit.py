"""Every rule, on every one of its examples."""

import pytest

import adc.rules  # noqa: F401  (registers every rule)
from adc.rules import registry
from adc.testing import kit

CASES = [
    case
    for operation in registry.operations()
    if operation.examples is not None
    for case in kit.cases(operation)
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_rule(case):
    kit.check(case)


def test_every_operation_with_a_derivative_has_both_modes():
    for operation in registry.operations():
        if operation.kind == "general":
            assert operation.push is not None, f"{operation.name} has a pull and no push"
