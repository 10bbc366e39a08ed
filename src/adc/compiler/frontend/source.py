"""A Python function becomes its text, its tree with the file's own line numbers, and what its names mean.

The function object is the truth and the file is only a claim about it: the file may have been edited since it
was imported, and a line may hold several lambdas. So every definition found in the text is compiled again and
its code compared with the code of the function. A gradient of another text than the one that runs would be a
wrong gradient.
"""

from __future__ import annotations
import __future__

import ast
import functools
import linecache
import os
import sys
import textwrap
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import gast

from adc.compiler.frontend import private_names
from adc.errors import Location, SourceError, UnsupportedError
from adc.runtime.detours import own_code
from adc.syntax import deep_recursion, parse

__all__ = ["Source", "location", "of"]

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, eq=False)
class Source:
    """A function, as text and as a tree.

    `tree` is a gast.FunctionDef without decorators, also for a lambda (then with one return statement). Its
    nodes carry the line numbers and columns of the file. One definition has one tree, which nobody changes.
    `text` is the definition without decorators and indentation.
    """

    function: types.FunctionType
    file: str
    first_line: int
    text: str
    tree: Any = field(repr=False)
    closure: Mapping[str, types.CellType] = field(repr=False)
    globals: dict[str, Any] = field(repr=False)
    qualname: str
    file_lines: tuple[str, ...] = field(repr=False)

    def __deepcopy__(self, memo: Any) -> Source:
        return self

    @property
    def name(self) -> str:
        """The name that a reader would use: that of the `def`, or that to which a lambda was assigned."""
        return str(self.tree.name)

    def line(self, number: int) -> str:
        """Return a line of the file as it stands there, without its line end."""
        return self.file_lines[number - 1] if 0 < number <= len(self.file_lines) else ""


def of(function: Callable[..., Any]) -> Source:
    """Return the source of a Python function, method, lambda, `lru_cache` wrapper or Numba dispatcher.

    Decorators are dropped from the tree: the object given is what is transformed, not what its name has
    come to mean. For the same reason a plain wrapper function gives *its own* source, `__wrapped__` or not:
    a decorator that scales the result changes the derivative. A bound method gives the source with `self`;
    binding the first argument, and the arguments of a `functools.partial`, is the caller's business.

    >>> def area(r):
    ...     return 3.0 * r * r
    >>> source = of(area)
    >>> source.name, source.first_line, source.text
    ('area', 1, 'def area(r):\\n    return 3.0 * r * r')

    Raises SourceError where there is no Python text (builtins, C functions, a prompt that keeps no text) or
    where it is not that of the function any more; UnsupportedError for `async def`.
    """
    plain = _plain_function(function)
    code = own_code(plain)
    file, lines, whole = _file_of(plain)
    found = _find(plain, file, whole)
    if isinstance(found.node, ast.AsyncFunctionDef):
        raise UnsupportedError(
            f"adc cannot differentiate the coroutine `{plain.__qualname__}`",
            _location(found.node, file, lines),
            "An `async def` returns a promise, not a number.",
            "Put the arithmetic into a plain `def` and await around it.",
        )
    with deep_recursion():
        tree = _function_tree(found)
    return Source(
        function=plain,
        file=file,
        first_line=found.node.lineno,
        text=_text(found.node, lines),
        tree=tree,
        closure=dict(zip(code.co_freevars, plain.__closure__ or (), strict=True)),
        globals=plain.__globals__,
        qualname=plain.__qualname__,
        file_lines=lines,
    )


def location(node: Any, source: Source) -> Location:
    """Return where in the user's file a node stands (gast or ast), for an error to point to.

    >>> square = lambda x: x * x + 1
    >>> print(location(of(square).tree.body[0].value.left, of(square)).quoted())
        square = lambda x: x * x + 1
                           ^^^^^
    """
    return _location(node, source.file, source.file_lines)


def _location(node: Any, file: str, lines: tuple[str, ...]) -> Location:
    text = lines[node.lineno - 1] if 0 < node.lineno <= len(lines) else ""
    end = node.end_col_offset if node.end_lineno == node.lineno else None
    return Location(
        file=file,
        line=node.lineno,
        column=_characters(text, node.col_offset),
        end_column=len(text) if end is None else _characters(text, end),
        text=text,
    )


def _characters(text: str, byte_offset: int) -> int:
    # The parser counts bytes of UTF-8; people, and carets, count characters.
    return len(text.encode()[:byte_offset].decode(errors="ignore"))


# --- the function behind the object -------------------------------------------------------------------------


def _plain_function(function: Any) -> types.FunctionType:
    """Return the Python function that runs on a call; look only through wrappers that change no result."""
    inner = function
    while True:
        if isinstance(inner, types.FunctionType):
            return inner
        if isinstance(inner, types.MethodType | staticmethod | classmethod):
            inner = inner.__func__
        elif isinstance(inner, functools._lru_cache_wrapper):
            inner = inner.__wrapped__
        elif isinstance(getattr(inner, "py_func", None), types.FunctionType):  # a Numba dispatcher
            inner = inner.py_func
        else:
            raise _no_python_function(inner)


def _no_python_function(thing: Any) -> SourceError:
    if isinstance(thing, type):
        return SourceError(
            f"adc needs a function, and `{thing.__qualname__}` is a class",
            why="Calling it makes an object, which has no derivative.",
            repair="Write a function that returns the number of interest.",
        )
    if isinstance(thing, functools.partial):
        return SourceError(
            f"adc cannot read the source of a partial application of `{_readable_name(thing.func)}`",
            why="A `functools.partial` has no text of its own.",
            repair="Pass its `.func`, or a lambda: `lambda x: f(x, fixed)`.",
        )
    if not callable(thing):
        return SourceError(
            f"adc needs a function, and was given an object of type `{type(thing).__name__}`",
            why="There is nothing to call.",
            repair="Pass the function itself, not its result: `adc.grad(f)`, not `adc.grad(f(x))`.",
        )
    if isinstance(getattr(type(thing), "__call__", None), types.FunctionType):  # noqa: B004
        return SourceError(
            f"adc cannot read the source of an object of class `{type(thing).__name__}`",
            why="It is a callable object, not a function.",
            repair="Pass its method: `obj.__call__`, or a lambda around the call.",
        )
    name = _readable_name(thing)
    return SourceError(
        f"adc cannot read the source of `{name}`",
        why="It is a library function that runs in C: there is no Python text to transform.",
        repair=f"Differentiate a function of your own that calls it: `lambda x: {name}(x)`.",
    )


def _readable_name(thing: Any) -> str:
    name = getattr(thing, "__qualname__", None) or getattr(thing, "__name__", None) or repr(thing)
    module = getattr(thing, "__module__", None) or type(thing).__module__
    if module in ("builtins", "__main__") or isinstance(thing, types.FunctionType):
        return str(name)
    if getattr(sys.modules.get("scipy.special"), str(name), None) is thing:
        return f"scipy.special.{name}"  # a ufunc, whose class is NumPy's
    return f"{'np' if str(module).split('.')[0] == 'numpy' else module}.{name}"


# --- the text of the file -----------------------------------------------------------------------------------


def _file_of(function: types.FunctionType) -> tuple[str, tuple[str, ...], str]:
    """Return the file of a function, its lines and its text; notebooks and doctests keep theirs in linecache."""
    code = own_code(function)
    candidates = [code.co_filename]
    module_file = function.__globals__.get("__file__")
    if isinstance(module_file, str) and os.path.basename(module_file) == os.path.basename(code.co_filename):
        # Imported by a relative path, and the working directory has changed since.
        candidates.append(module_file)
    for file in candidates:
        linecache.checkcache(file)
        lines = linecache.getlines(file, function.__globals__)
        if lines:
            return file, *_read(file, lines)
    # The prompt of Python 3.13 keeps its text here, from some patch release on.
    lines_of_code = getattr(linecache, "_getlines_from_code", None)
    lines = list(lines_of_code(code)) if lines_of_code is not None else []
    if lines:
        return code.co_filename, *_read(code.co_filename, lines)
    raise SourceError(
        f"adc cannot find the source of `{function.__qualname__}`",
        why=f"Python says that it comes from {code.co_filename}, which has no text to read"
        + (" (typed at a prompt, or made by `exec`)." if code.co_filename.startswith("<") else "."),
        repair="Put the function into a file and import it; a notebook cell or IPython also works.",
    )


# The lines of files as `linecache` gave them, without their ends, and the whole text: a file has many functions.
_files: dict[str, tuple[list[str], tuple[str, ...], str]] = {}


def _read(file: str, given: list[str]) -> tuple[tuple[str, ...], str]:
    held = _files.get(file)
    if held is None or held[0] is not given:
        lines = tuple(line.rstrip("\r\n") for line in given)
        held = _files[file] = given, lines, "\n".join(lines) + "\n"
    return held[1:]


@dataclass(frozen=True)
class _Found:
    node: Definition
    class_name: str | None  # the class around it, whose name mangles __private names
    assigned_name: str | None  # `loss` in `loss = lambda w: ...`


@functools.lru_cache(maxsize=64)
def _parsed(text: str) -> ast.Module:
    return parse(text)


@functools.lru_cache(maxsize=64)
def _definitions(text: str) -> Mapping[int, tuple[_Found, ...]]:
    """Return the definitions in a text by the line where Python says that they start, decorators too."""
    every: list[_Found] = []
    _walk(_parsed(text), None, None, every)
    by_line: dict[int, list[_Found]] = {}
    for found in every:
        decorators = [] if isinstance(found.node, ast.Lambda) else found.node.decorator_list
        line = min([found.node.lineno, *(decorator.lineno for decorator in decorators)])
        by_line.setdefault(line, []).append(found)
    return {line: tuple(group) for line, group in by_line.items()}


# Kinds of nodes in which no definition lies: half of all nodes.
_LEAVES = frozenset(
    kind
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST) and kind is not ast.AST and not kind._fields
) | {ast.Name, ast.Constant, ast.alias}


def _walk(tree: ast.AST, class_name: str | None, assigned_name: str | None, every: list[_Found]) -> None:
    """Add the definitions in a tree to a list, in the order of the text."""
    if isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        every.append(_Found(tree, class_name, assigned_name))
    elif isinstance(tree, ast.ClassDef):
        class_name = tree.name
    for child in ast.iter_child_nodes(tree):
        if type(child) not in _LEAVES:
            _walk(child, class_name, _assigned_name(tree, child), every)


def _assigned_name(parent: ast.AST, child: ast.AST) -> str | None:
    if isinstance(parent, ast.Assign) and child is parent.value and isinstance(parent.targets[0], ast.Name):
        return parent.targets[0].id
    if isinstance(parent, ast.AnnAssign | ast.NamedExpr) and child is parent.value:
        return parent.target.id if isinstance(parent.target, ast.Name) else None
    return None


# --- which definition it is ---------------------------------------------------------------------------------


def _find(function: types.FunctionType, file: str, text: str) -> _Found:
    code = own_code(function)
    try:
        found = _definition(code, text)
    except SyntaxError as error:
        raise SourceError(
            f"adc cannot read the source of `{function.__qualname__}`: {file} does not parse",
            why=f"Python says: {error.msg}, line {error.lineno}.",
            repair="Correct the file and import it again.",
        ) from error
    if found is not None:
        return found
    raise SourceError(
        f"adc cannot find the source of `{function.__qualname__}` in {file}",
        why=f"Line {code.co_firstlineno} of the file is not the function that runs: "
        "the file was changed after it was imported.",
        repair="Import it again (importlib.reload, or a new session).",
    )


@functools.lru_cache(maxsize=1024)
def _definition(code: types.CodeType, text: str) -> _Found | None:
    """The definition in a text whose code is this one: at its line, or elsewhere.

    A file that is edited moves the functions below the edit, and `%autoreload` leaves those as they are which did not
    change, and gives those that did lines of their own.
    """
    definitions = _definitions(text)
    at_its_line = [f for f in definitions.get(code.co_firstlineno, ()) if _is_named_as(f, code)]
    found = _of_the_code(at_its_line, code, text)
    if found is not None:
        return found
    elsewhere = [f for group in definitions.values() for f in group if _is_named_as(f, code)]
    return _of_the_code(elsewhere, code, text, exactly=True)


def _is_named_as(found: _Found, code: types.CodeType) -> bool:
    return getattr(found.node, "name", "<lambda>") == code.co_name


def _of_the_code(
    named: Sequence[_Found], code: types.CodeType, text: str, exactly: bool = False
) -> _Found | None:
    """The one of these definitions whose code it is, or is but for what an import hook adds."""
    # A notebook compiles each statement of a cell by itself: its functions do not see the cell's imports.
    recompiled: list[tuple[_Found, types.CodeType]] = []
    for imports in dict.fromkeys([_imports(text), ()]):
        for found in named:
            text_code = _compiled(found, code, imports)
            if text_code is None:
                continue
            if _same(text_code, code):
                return found
            recompiled.append((found, text_code))
    if exactly:
        return None
    return next((found for found, text_code in recompiled if _instrumented(text_code, code)), None)


@functools.lru_cache(maxsize=64)
def _imports(text: str) -> tuple[ast.stmt, ...]:
    """The import statements of a module's own scope: CPython calls methods of imported names by other bytecode."""
    return tuple(_imports_in(_parsed(text)))


def _imports_in(block: ast.AST) -> Iterator[ast.stmt]:
    """Also those under `try` and `if`, which bind names of the module as well."""
    for node in ast.iter_child_nodes(block):
        if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and node.module != "__future__"):
            yield node
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
            yield from _imports_in(node)


def _compiled(found: _Found, wanted: types.CodeType, imports: tuple[ast.stmt, ...]) -> types.CodeType | None:
    """Compile a definition in surroundings like its own, as far as its code object depends on them."""
    node = found.node
    # Defaults and decorators run outside the function, and may hold lambdas of their own.
    fields = dict(ast.iter_fields(node)) | {"args": _without_defaults(node.args)}
    if not isinstance(node, ast.Lambda):
        fields["decorator_list"] = []
    bare = ast.copy_location(type(node)(**fields), node)
    statement = ast.copy_location(ast.Expr(bare), bare) if isinstance(bare, ast.Lambda) else bare
    body: list[ast.stmt] = [statement]
    own_name = None if isinstance(node, ast.Lambda) else node.name
    if found.class_name is not None:
        body = [ast.ClassDef(found.class_name, bases=[], keywords=[], body=body, decorator_list=[])]
        own_name = found.class_name
    if own_name is not None and own_name not in wanted.co_freevars:
        # A function that calls itself, or a method that makes an object of its class, finds it among the globals.
        body.insert(0, ast.Global([own_name]))
    # The parameters of a function around it make the free variables free.
    outer = [ast.arg(name) for name in wanted.co_freevars if name != "__class__"]
    no_arguments = ast.arguments(
        posonlyargs=[], args=outer, vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[]
    )
    around = ast.FunctionDef("around", no_arguments, body, decorator_list=[])
    module = ast.fix_missing_locations(ast.Module([*imports, around], type_ignores=[]))
    future_flags = wanted.co_flags & _FUTURE_FLAGS
    try:
        whole = compile(module, wanted.co_filename, "exec", flags=future_flags, dont_inherit=True)
    except SyntaxError:  # `nonlocal` of a name that is not free in the wanted code: it is another definition
        return None
    start = wanted.co_name, node.lineno
    return next((code for code in _nested(whole) if (code.co_name, code.co_firstlineno) == start), None)


def _without_defaults(arguments: ast.arguments) -> ast.arguments:
    nothing = ast.Constant(None)
    changed = {
        "defaults": [nothing for _ in arguments.defaults],
        "kw_defaults": [default and nothing for default in arguments.kw_defaults],
    }
    return ast.arguments(**(dict(ast.iter_fields(arguments)) | changed))


_FUTURE_FLAGS = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)


def _nested(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _nested(constant)


def _same(text: types.CodeType, running: types.CodeType) -> bool:
    """Whether two codes do the same, wherever they stand."""
    return (
        text.co_code == running.co_code
        and text.co_names == running.co_names
        and text.co_varnames == running.co_varnames
        and text.co_freevars == running.co_freevars
        and text.co_cellvars == running.co_cellvars
        and _same_constants(text.co_consts, running.co_consts)
    )


def _same_constants(text: tuple[Any, ...], running: tuple[Any, ...]) -> bool:
    if len(text) != len(running):
        return False
    return all(_same_constant(one, other) for one, other in zip(text, running, strict=True))


def _same_constant(one: Any, other: Any) -> bool:
    if isinstance(one, types.CodeType) and isinstance(other, types.CodeType):
        return _same(one, other)
    if isinstance(one, frozenset):  # prints in any order
        return bool(one == other)
    if isinstance(one, str) and isinstance(other, str) and "<locals>" in one:
        # Python 3.10 keeps the qualified names of inner functions here; they begin with ours and with the
        # user's.
        return one.rpartition("<locals>")[2] == other.rpartition("<locals>")[2]
    return repr(one) == repr(other)  # 0.0, -0.0 and False are equal and not the same


def _instrumented(text: types.CodeType, running: types.CodeType) -> bool:
    """Whether the running code is the text with something added by an import hook.

    pytest rewrites `assert` and runtime type checkers add calls: names and constants are added, none is lost.
    """
    added = len(running.co_names) > len(text.co_names) or len(running.co_varnames) > len(text.co_varnames)
    constants = {repr(constant) for constant in running.co_consts}
    return (
        added
        and text.co_varnames[: text.co_argcount] == running.co_varnames[: running.co_argcount]
        and set(text.co_names) <= set(running.co_names)
        and set(text.co_varnames) <= set(running.co_varnames)
        and all(repr(one) in constants for one in text.co_consts if isinstance(one, int | float | complex))
    )


# --- the tree -----------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=1024)
def _function_tree(found: _Found) -> Any:
    node = found.node
    if isinstance(node, ast.Lambda):
        body = ast.copy_location(ast.Return(node.body), node.body)
        name = found.assigned_name or "anonymous"
        function = ast.FunctionDef(name, node.args, [body], decorator_list=[], returns=None)
    else:
        assert isinstance(node, ast.FunctionDef)
        function = ast.FunctionDef(node.name, node.args, node.body, decorator_list=[], returns=node.returns)
    if "type_params" in ast.FunctionDef._fields:  # from Python 3.12 on
        function.type_params = []  # type: ignore[attr-defined, unused-ignore]
    tree = gast.ast_to_gast(ast.copy_location(function, node))
    private_names.mangle(tree, found.class_name)
    return tree


def _text(node: Definition, lines: tuple[str, ...]) -> str:
    # Not ast.get_source_segment: it takes the whole file apart for each function.
    assert node.end_lineno is not None
    own = list(lines[node.lineno - 1 : node.end_lineno])
    own[-1] = own[-1].encode()[: node.end_col_offset].decode()
    if isinstance(node, ast.Lambda):
        own[0] = own[0].encode()[node.col_offset :].decode()
    return textwrap.dedent("\n".join(own))
