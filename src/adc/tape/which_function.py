"""Which of two functions one is, traced code asks of the functions themselves, not of their stand-ins.

A name gives a stand-in, an entry of a table or an attribute the function itself: `table["sin"] is np.sin` would be
false. So code that compares functions, or looks them up, is compiled again from its source, with operands that are
the originals. So is code that names a method of an operator, `(5.0).__lt__(x)`, which is asked for by `method_of`.
"""

from __future__ import annotations

import ast
import dis
import functools
import linecache
import types
import weakref
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from adc.errors import UnsupportedError
from adc.syntax import parse
from adc.tape.arrays_made import Naming, writes
from adc.tape.node import locate
from adc.tape.own_operators import COMPARISONS, METHODS

__all__ = ["METHOD", "ORIGINAL", "ORIGINALS", "answering"]

# What the code calls; see Substitution.
ORIGINAL, ORIGINALS, METHOD = "__adc_original__", "__adc_originals__", "__adc_method__"

_FLAGS = 0x1FF0000  # of `from __future__ import ...`, in code and for `compile`
_LOOK_UPS = ("get", "pop", "setdefault", "index", "count")
_OF_LISTS = ("index", "count")
_ASKING = {"COMPARE_OP", "CONTAINS_OP", "BINARY_SUBSCR", "STORE_SUBSCR"}
_CONSTANT, _OTHER = object(), object()  # a constant was loaded; something else was done
_OF_CODE = ("co_name", "co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_flags")
_FUNCTIONS = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    functools.partial,
    np.ufunc,
    type(np.sum),
)

# By identity, as code of another file may be equal, and `naming`: the code, and what runs in its place.
_known: dict[tuple[int, bool], tuple[weakref.ref[types.CodeType], types.CodeType]] = {}


def answering(code: types.CodeType, known: Mapping[str, Any], naming: bool = True) -> types.CodeType:
    """The code of a function, as it must be where it asks which function one is; `known` are the names from outside.

    With `naming`, what operators and calls give is looked at, too: see `adc.tape.arrays_made`.

    Raises `UnsupportedError` where it asks of a function by its name, and there is no source to compile.
    """
    key = id(code), naming
    found = _known.get(key)
    if found is None or found[0]() is not code:
        found = _known[key] = weakref.ref(code), _answering(code, known, naming)
    return found[1]


def _answering(code: types.CodeType, known: Mapping[str, Any], naming: bool) -> types.CodeType:
    offsets = [(c, i.offset, named) for c in _with_inner(code) for i, named in _questions(c, known)]
    if not offsets and not (naming and writes(_source(code))):
        return code
    again = _compiled_again(code, bool(offsets), naming)
    if again is not None:
        return again
    for inner, offset, named in offsets:
        if named in COMPARISONS:
            raise UnsupportedError(
                f"`{inner.co_name}` asks for `{named}` of a value, and has no source",
                locate(inner, offset),
                "Python's numbers would leave the operator to what stands for an array on the tape.",
                "Write the operator: a < b.",
            )
        if named is True:
            raise UnsupportedError(
                f"`{inner.co_name}` asks which function one is, and has no source",
                locate(inner, offset),
                "On the tape a name of a function stands for another one, so the code must be compiled for it.",
                "Ask for a name of your own in place of the function: kind == 'sin'.",
            )
    return code


def _with_inner(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            yield from _with_inner(c)


# Where code asks --------------------------------------------------------------------------------------------


def _questions(
    code: types.CodeType, known: Mapping[str, Any]
) -> Iterator[tuple[dis.Instruction, bool | str]]:
    """The instructions that may compare functions or look them up, and whether one is named there.

    Also those that ask for the method of an operator, and its name.
    """
    if not METHODS.keys().isdisjoint(code.co_names):
        for instruction in dis.get_instructions(code):
            if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and instruction.argval in METHODS:
                yield instruction, instruction.argval
    asks = {dis.opmap[name] for name in (*_ASKING, "IS_OP") if name in dis.opmap}
    if asks.isdisjoint(code.co_code[::2]) and set(_LOOK_UPS).isdisjoint(code.co_names):
        return
    loads: list[Any] = []  # what the last instructions loaded by dotted names
    for instruction in dis.get_instructions(code):
        name = instruction.opname
        named = any(isinstance(v, _FUNCTIONS) for v in loads[-2:])
        if name == "IS_OP" and loads[-1] is not _CONSTANT:
            yield instruction, named
        elif (
            (name in _ASKING and named)
            or (name.startswith("CALL") and named and any(type(v) is str for v in loads[-3:]))
            or (name == "BUILD_MAP" and _are_keys(loads[-2 * instruction.argval :]))
        ):
            yield instruction, True
        _load(instruction, loads, known)


def _are_keys(pairs: list[Any]) -> bool:
    """Whether a function is a key of a dict of what was loaded by names."""
    return not any(v is _OTHER for v in pairs) and any(isinstance(v, _FUNCTIONS) for v in pairs[::2])


def _load(instruction: dis.Instruction, loads: list[Any], known: Mapping[str, Any]) -> None:
    """Write down what an instruction loads."""
    name, value = instruction.opname, instruction.argval
    is_called = name == "LOAD_METHOD" or "NULL" in instruction.argrepr
    if name in ("LOAD_GLOBAL", "LOAD_DEREF"):
        loads.append(None if is_called else known.get(value))
    elif name in ("LOAD_ATTR", "LOAD_METHOD"):
        held = loads.pop() if loads else None
        found = getattr(held, value, None) if isinstance(held, types.ModuleType | type) else None
        loads.append(value if is_called and value in _LOOK_UPS else None if is_called else found)
    elif name == "LOAD_CONST":
        loads.append(_CONSTANT)
    elif name.startswith("LOAD_"):
        loads.append(None)
    elif name not in ("CACHE", "PRECALL", "EXTENDED_ARG", "NOP"):
        loads.append(_OTHER)


# The code that asks of the originals ------------------------------------------------------------------------


def _compiled_again(code: types.CodeType, asks: bool, naming: bool) -> types.CodeType | None:
    """The same code with other operands, or None where its source is not at hand."""
    pairs = _pairs(_source(code), code.co_filename, code.co_flags & _FLAGS, asks, naming)
    return next((new for old, new in pairs if old == code or _alike(old, code)), None)


def _source(code: types.CodeType) -> str:
    """The text of the file that a code is from."""
    return "".join(linecache.getlines(code.co_filename))


def _alike(old: types.CodeType, code: types.CodeType) -> bool:
    """Whether two codes do the same, of which one was compiled without decorators: it starts at another line."""
    if any(getattr(old, name) != getattr(code, name) for name in _OF_CODE):
        return False
    return len(old.co_consts) == len(code.co_consts) and all(
        _alike(a, b)
        if isinstance(a, types.CodeType) and isinstance(b, types.CodeType)
        else repr(a) == repr(b)
        for a, b in zip(old.co_consts, code.co_consts, strict=True)
    )


@functools.lru_cache(maxsize=32)
def _pairs(
    text: str, file: str, flags: int, asks: bool, naming: bool
) -> list[tuple[types.CodeType, types.CodeType]]:
    """All code of a file as it is, and as it asks of the originals, and looks at what it names."""
    try:
        trees = parse(text), parse(text)
    except SyntaxError:  # cells of a notebook that are no Python, a file that changed since
        return []
    if asks:
        _Asking().visit(trees[1])
    if naming:
        Naming().visit(trees[1])
    old, new = (compile(tree, file, "exec", flags, dont_inherit=True) for tree in trees)
    return list(zip(_with_inner(old), _with_inner(new), strict=True))


class _Asking(ast.NodeTransformer):
    """`a is b` asks of the originals of `a` and `b`; so do comparisons and look-ups by a name."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        operands = [node.left, *node.comparators]
        for k, op in enumerate(node.ops):
            pair = operands[k : k + 2]
            if any(isinstance(v, ast.Constant) for v in pair):
                continue
            if isinstance(op, ast.Is | ast.IsNot) or (
                isinstance(op, ast.Eq | ast.NotEq) and any(map(_is_name, pair))
            ):
                operands[k : k + 2] = map(_original, pair)
            elif isinstance(op, ast.In | ast.NotIn):
                operands[k : k + 2] = _original(pair[0]), _call(ORIGINALS, pair[1])
        node.left, node.comparators = operands[0], operands[1:]
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if _is_name(node.slice):
            node.slice = _original(node.slice)
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        self.generic_visit(node)
        node.keys = [_original(k) if k is not None and _is_name(k) else k for k in node.keys]
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _LOOK_UPS:
            node.args = [_original(a) if _is_name(a) else a for a in node.args]
            if node.func.attr in _OF_LISTS:
                node.func.value = _call(ORIGINALS, node.func.value)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or node.attr not in METHODS:
            return node
        call = _call(METHOD, node.value)
        call.args.append(ast.copy_location(ast.Constant(node.attr), node))
        return call

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        self.generic_visit(node)
        node.key = _original(node.key)
        return node


def _is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Attribute)


def _original(node: ast.expr) -> ast.expr:
    return node if isinstance(node, ast.Call) and _calls(node, ORIGINAL) else _call(ORIGINAL, node)


def _calls(node: ast.Call, name: str) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == name


def _call(name: str, operand: ast.expr) -> ast.Call:
    function = ast.copy_location(ast.Name(name, ast.Load()), operand)
    return ast.copy_location(ast.Call(function, [operand], []), operand)
