"""A rule body is cut down to the wanted adjoints, and what the rest reads of each parameter is known.

The cut is made in the body's syntax tree, once per operation and set of active operands: a matrix product
whose left operand needs no gradient never forms that operand's adjoint, and keeps nothing for it (Weiser,
*Program slicing*, 1981). A body without source (typed at a prompt, built by a factory) runs whole and keeps
everything.
"""

from __future__ import annotations

import ast
import builtins
import enum
import inspect
import operator
import textwrap
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adc.runtime.modules import module_of
from adc.syntax import parse

Body = Callable[..., Any]


class Need(enum.IntEnum):
    """What a body reads of a parameter."""

    NOTHING = 0
    FORM = 1  # shape, ndim, dtype or size
    VALUE = 2


@dataclass(frozen=True)
class Slice:
    """A pull for some of an operation's operands: `function(z_bar, z, parameters) -> tuple of adjoints`.

    The parameters come as one tuple, as a node keeps them: spread over a call they would cost 0.1 us.
    """

    function: Callable[..., tuple[Any, ...]]
    needs: dict[str, Need]  # by parameter name, in order
    reads_z: bool


_FORM_ATTRIBUTES = {"shape", "ndim", "dtype", "size"}
_FORM_FUNCTIONS: set[Any] = {np.shape, np.ndim, np.size, len}


def slice_partials(
    body: Body, wanted: tuple[int, ...], arity: int, scale: Callable[[Any, Any], Any] | None = None
) -> Slice:
    """The pull of an elementwise rule: each wanted partial times z_bar, or `scale(z_bar, partial)`.

    >>> from adc.rules import registry
    >>> multiply = registry.named("multiply").partials
    >>> pull = slice_partials(multiply, (1,), 2)          # d/dy alone
    >>> pull.function(10.0, None, (3.0, None)), pull.needs["x"].name, pull.needs["y"].name
    ((30.0,), 'VALUE', 'NOTHING')
    """
    tree = _tree(body)
    if tree is None:
        names = list(inspect.signature(body).parameters)[1:]
        return Slice(_whole_partials(body, wanted, arity, scale), dict.fromkeys(names, Need.VALUE), True)
    helpers: dict[str, Any] = {"_scale": scale or operator.mul, "_where": _where}
    bar = _fresh("z_bar", tree)

    def scaled(value: ast.expr) -> ast.expr:
        return _scaled(_chosen(value, wanted, arity, body, helpers), bar, helpers, scale is not None)

    _rewrite_returns(tree, scaled)
    tree.args.args.insert(0, ast.arg(bar))
    return _finish(tree, body, helpers)


def slice_adjoints(body: Body, wanted: tuple[int, ...], arity: int, reads_z: bool) -> Slice:
    """The pull of a linear rule (`z_bar, *parameters`) or of a general one (`z_bar, z, *parameters`)."""
    tree = _tree(body)
    if tree is None:
        names = list(inspect.signature(body).parameters)[2 if reads_z else 1 :]
        return Slice(_whole_adjoints(body, wanted, arity, reads_z), dict.fromkeys(names, Need.VALUE), reads_z)
    helpers: dict[str, Any] = {}
    _rewrite_returns(tree, lambda value: _chosen(value, wanted, arity, body, helpers))
    if not reads_z:
        tree.args.args.insert(1, ast.arg(_fresh("z", tree)))
    return _finish(tree, body, helpers)


def _finish(tree: ast.FunctionDef, body: Body, helpers: dict[str, Any]) -> Slice:
    _remove_unread(tree)
    _make_positional(tree)
    needs = _needs(tree, _namespace(body, helpers))
    z, *names = list(needs)[1:]
    mentioned = _read_names(tree)  # also what a callee is given and does not read
    _take_as_one(tree, [name for name in names if name in mentioned])
    function = _compiled(tree, body, helpers)
    return Slice(function, {name: needs[name] for name in names}, needs[z] is not Need.NOTHING)


# The syntax tree of a body ----------------------------------------------------------------------------------


def _tree(body: Body) -> ast.FunctionDef | None:
    """The definition of a rule body, its lines those of its file; None when it has no readable source."""
    if not isinstance(body, types.FunctionType):
        return None
    try:
        lines, first = inspect.getsourcelines(body)
        tree = parse(textwrap.dedent("".join(lines))).body[0]
    except (OSError, SyntaxError, IndexError):
        return None
    if not isinstance(tree, ast.FunctionDef) or tree.name != body.__name__:
        return None  # a lambda, or a name that the source does not define
    ast.increment_lineno(tree, first - 1)
    tree.decorator_list = []
    tree.returns = None
    return tree


def _rewrite_returns(tree: ast.FunctionDef, rewrite: Callable[[ast.expr], ast.expr]) -> None:
    class Returns(ast.NodeTransformer):
        def visit_Return(self, node: ast.Return) -> ast.Return:
            assert node.value is not None, f"{tree.name}: a rule body returns adjoints"
            return ast.copy_location(ast.Return(rewrite(node.value)), node)

        def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
            if node is tree:
                self.generic_visit(node)
            return node  # a helper defined inside keeps its own returns

    Returns().visit(tree)


def _chosen(
    value: ast.expr, wanted: tuple[int, ...], arity: int, body: Body, helpers: dict[str, Any]
) -> ast.expr:
    """The expression for the tuple of wanted elements of what a body returns."""
    if arity == 1:
        return ast.Tuple([value], ast.Load())
    if isinstance(value, ast.Tuple) and len(value.elts) == arity:
        return ast.Tuple([value.elts[k] for k in wanted], ast.Load())
    if isinstance(value, ast.IfExp):
        return ast.IfExp(
            value.test,
            _chosen(value.body, wanted, arity, body, helpers),
            _chosen(value.orelse, wanted, arity, body, helpers),
        )
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        other = body.__globals__.get(value.func.id)
        if other is not body and (helper := _sliced_helper(other, wanted, arity)) is not None:
            name = f"_{value.func.id}_{'_'.join(map(str, wanted))}"
            helpers[name] = helper
            return ast.Call(ast.Name(name, ast.Load()), value.args, value.keywords)
    helpers["_pick"] = _pick
    indices = ast.Tuple([ast.Constant(k) for k in wanted], ast.Load())
    return ast.Call(ast.Name("_pick", ast.Load()), [value, indices], [])


def _sliced_helper(body: Any, wanted: tuple[int, ...], arity: int) -> Body | None:
    """A function that a body returns the result of, cut down in the same way."""
    tree = _tree(body)
    if tree is None:
        return None
    helpers: dict[str, Any] = {}
    _rewrite_returns(tree, lambda value: _chosen(value, wanted, arity, body, helpers))
    _remove_unread(tree)
    function = _compiled(tree, body, helpers)
    function.__dict__["needs"] = _needs(tree, function.__globals__)
    return function


def _scaled(partials: ast.expr, bar: str, helpers: dict[str, Any], strong: bool) -> ast.expr:
    """The tuple of partials, each times z_bar."""
    if isinstance(partials, ast.IfExp):
        return ast.IfExp(
            partials.test,
            _scaled(partials.body, bar, helpers, strong),
            _scaled(partials.orelse, bar, helpers, strong),
        )
    z_bar = ast.Name(bar, ast.Load())
    if isinstance(partials, ast.Tuple):
        return ast.Tuple([_times(z_bar, partial, strong) for partial in partials.elts], ast.Load())
    helpers["_scale_each"] = _scale_each
    arguments: list[ast.expr] = [ast.Name("_scale", ast.Load()), z_bar, partials]
    return ast.Call(ast.Name("_scale_each", ast.Load()), arguments, [])


def _times(z_bar: ast.Name, partial: ast.expr, strong: bool) -> ast.expr:
    match partial:
        case ast.Constant(value=None):
            return partial  # not differentiable: the engine says so
        case ast.Constant(value=1.0):
            return z_bar
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1.0)):
            return ast.UnaryOp(ast.USub(), z_bar)
        case ast.Call(
            func=ast.Attribute(attr="where"),
            args=[condition, ast.Constant(value=float(taken)), ast.Constant(value=float(otherwise))],
        ) if {taken, otherwise} == {0.0, 1.0}:
            # What the choice does not take contributes nothing, also where z_bar is infinite.
            sides: list[ast.expr] = [z_bar, ast.Constant(0.0)] if taken else [ast.Constant(0.0), z_bar]
            return ast.Call(ast.Name("_where", ast.Load()), [condition, *sides], [])
    if strong:
        return ast.Call(ast.Name("_scale", ast.Load()), [z_bar, partial], [])
    return ast.BinOp(z_bar, ast.Mult(), partial)


def _where(condition: Any, x: Any, y: Any) -> Any:
    """np.where, which makes a number of numbers."""
    found = np.where(condition, x, y)
    return found[()] if found.__class__ is np.ndarray and found.ndim == 0 else found


def _pick(values: tuple[Any, ...], wanted: tuple[int, ...]) -> tuple[Any, ...]:
    return tuple([values[k] for k in wanted])


def _scale_each(scale: Callable[[Any, Any], Any], z_bar: Any, partials: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple([None if partial is None else scale(z_bar, partial) for partial in partials])


def _remove_unread(tree: ast.FunctionDef) -> None:
    """Drop assignments to names that nothing reads any more; a rule body has no side effects."""
    while True:
        read = _read_names(tree)

        class Unread(ast.NodeTransformer):
            found = False

            def visit_Assign(self, node: ast.Assign) -> ast.Assign | None:
                names = [n for target in node.targets for n in _flat(target)]
                if any(not isinstance(n, ast.Name) or n.id in read for n in names):  # noqa: B023
                    return node
                self.found = True
                return None

            def visit_If(self, node: ast.If) -> ast.If | None:
                self.generic_visit(node)
                if not node.body and not node.orelse:
                    self.found = True
                    return None
                node.body = node.body or [ast.Pass()]
                return node

        remover = Unread()
        remover.visit(tree)
        if not remover.found:
            return


def _read_names(tree: ast.FunctionDef) -> set[str]:
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _flat(target: ast.expr) -> list[ast.expr]:
    if isinstance(target, ast.Tuple | ast.List):
        return [n for element in target.elts for n in _flat(element)]
    return [target]


def _make_positional(tree: ast.FunctionDef) -> None:
    """`*operands` and keyword-only parameters become plain ones: the tape passes a value for each."""
    a = tree.args
    a.args = [*a.posonlyargs, *a.args, *([a.vararg] if a.vararg else []), *a.kwonlyargs]
    a.posonlyargs, a.kwonlyargs, a.vararg, a.defaults, a.kw_defaults = [], [], None, [], []
    for argument in a.args:
        argument.annotation = None


def _take_as_one(tree: ast.FunctionDef, read: list[str]) -> None:
    """The parameters after z_bar and z come as one tuple; those that are read are taken out of it."""
    a = tree.args
    kept = _fresh("kept", tree)
    names = [argument.arg for argument in a.args[2:]]
    a.args[2:] = [ast.arg(kept)]
    given = ast.Name(kept, ast.Load())
    if read == names and names:
        targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in names]
        tree.body.insert(0, ast.Assign([ast.Tuple(targets, ast.Store())], given))
        return
    tree.body[:0] = [
        ast.Assign(
            [ast.Name(name, ast.Store())],
            ast.Subscript(given, ast.Constant(names.index(name)), ast.Load()),
        )
        for name in read
    ]


def _namespace(body: Body, helpers: dict[str, Any]) -> dict[str, Any]:
    """What the names in a body mean."""
    assert isinstance(body, types.FunctionType)
    return {**body.__globals__, **inspect.getclosurevars(body).nonlocals, **helpers}


def _compiled(tree: ast.FunctionDef, body: Body, helpers: dict[str, Any]) -> types.FunctionType:
    assert isinstance(body, types.FunctionType)
    namespace = _namespace(body, helpers)
    module = ast.fix_missing_locations(ast.Module([tree], []))
    # The file name is the rule's own, so that a traceback shows the line of the rule.
    exec(compile(module, body.__code__.co_filename, "exec"), namespace)
    function = namespace[tree.name]
    assert isinstance(function, types.FunctionType)
    return function


def _fresh(name: str, tree: ast.FunctionDef) -> str:
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} | {a.arg for a in tree.args.args}
    while name in used:
        name = "_" + name
    return name


# What a body reads ------------------------------------------------------------------------------------------

_analysed: dict[Any, dict[str, Need]] = {}


def _needs(tree: ast.FunctionDef, namespace: dict[str, Any]) -> dict[str, Need]:
    """What the function reads of each of its parameters."""
    a = tree.args
    parameters = [*a.posonlyargs, *a.args, *([a.vararg] if a.vararg else []), *a.kwonlyargs]
    needs = dict.fromkeys([p.arg for p in parameters], Need.NOTHING)
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in needs:
            needs[node.id] = max(needs[node.id], _need_at(node, parents, namespace))
    return needs


def _need_at(name: ast.Name, parents: dict[ast.AST, ast.AST], namespace: dict[str, Any]) -> Need:
    parent = parents[name]
    match parent:
        case ast.Attribute(attr=attribute) if attribute in _FORM_ATTRIBUTES:
            return Need.FORM
        case ast.Compare(left=ast.Name(), ops=[ast.Is() | ast.IsNot()]):
            return Need.FORM
        case ast.Call(func=function) if name is not function:
            target = _resolve(function, namespace)
            if target in _FORM_FUNCTIONS and name is parent.args[0]:
                return Need.FORM
            return _need_in_call(name, parent, target)
        case ast.For(target=ast.Name(id=element), iter=sequence) if sequence is name:
            return max(
                (
                    _need_at(n, parents, namespace)
                    for n in ast.walk(parent)
                    if isinstance(n, ast.Name) and n.id == element and isinstance(n.ctx, ast.Load)
                ),
                default=Need.FORM,
            )
    return Need.VALUE


def _resolve(node: ast.expr, namespace: dict[str, Any]) -> Any:
    """The function that a call names, if it is a plain global or an attribute of one."""
    if isinstance(node, ast.Name):
        return namespace.get(node.id, getattr(builtins, node.id, None))
    if isinstance(node, ast.Attribute):
        return getattr(_resolve(node.value, namespace), node.attr, None)
    return None


def _need_in_call(name: ast.Name, call: ast.Call, target: Any) -> Need:
    """What a helper of the rule reads of the parameter that `name` is passed as."""
    if not isinstance(target, types.FunctionType) or not module_of(target).startswith("adc.rules"):
        known: dict[str, Need] | None = getattr(target, "needs", None)
        if known is None:
            return Need.VALUE
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return Need.VALUE
    needs = _function_needs(target)
    if needs is None:
        return Need.VALUE
    for argument, parameter in zip(call.args, needs, strict=False):
        if argument is name:
            return needs[parameter]
    for keyword in call.keywords:
        if keyword.value is name and keyword.arg in needs:
            return needs[keyword.arg]
    return Need.VALUE


def _function_needs(function: Any) -> dict[str, Need] | None:
    known = function.__dict__.get("needs") or _analysed.get(function)
    if known is not None:
        return known
    tree = _tree(function)
    if tree is None or tree.args.vararg is not None:
        return None
    a = tree.args
    _analysed[function] = dict.fromkeys([p.arg for p in [*a.posonlyargs, *a.args, *a.kwonlyargs]], Need.VALUE)
    _analysed[function] = _needs(tree, function.__globals__)  # the line above ends a recursion
    return _analysed[function]


# Bodies without source --------------------------------------------------------------------------------------


def _expander(body: Body, leading: int) -> Callable[[tuple[Any, ...]], tuple[list[Any], dict[str, Any]]]:
    """Turns one value per parameter into the arguments of a call of the body."""
    parameters = list(inspect.signature(body).parameters.values())[leading:]

    def expand(values: tuple[Any, ...]) -> tuple[list[Any], dict[str, Any]]:
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for parameter, value in zip(parameters, values, strict=True):
            if parameter.kind is parameter.VAR_POSITIONAL:
                args.extend(value)
            elif parameter.kind is parameter.KEYWORD_ONLY:
                kwargs[parameter.name] = value
            else:
                args.append(value)
        return args, kwargs

    return expand


def _whole_partials(
    body: Body, wanted: tuple[int, ...], arity: int, scale: Callable[[Any, Any], Any] | None
) -> Callable[..., tuple[Any, ...]]:
    expand = _expander(body, 1)

    def function(z_bar: Any, z: Any, values: tuple[Any, ...]) -> tuple[Any, ...]:
        args, kwargs = expand(values)
        partials = body(z, *args, **kwargs)
        chosen = (partials,) if arity == 1 else _pick(partials, wanted)
        return _scale_each(scale or operator.mul, z_bar, chosen)

    return function


def _whole_adjoints(
    body: Body, wanted: tuple[int, ...], arity: int, reads_z: bool
) -> Callable[..., tuple[Any, ...]]:
    expand = _expander(body, 2 if reads_z else 1)

    def function(z_bar: Any, z: Any, values: tuple[Any, ...]) -> tuple[Any, ...]:
        args, kwargs = expand(values)
        adjoints = body(z_bar, z, *args, **kwargs) if reads_z else body(z_bar, *args, **kwargs)
        return (adjoints,) if arity == 1 else _pick(adjoints, wanted)

    return function
