"""Formulas of a mapping: those of the ledger, with places in a case's inputs and calls of the engine inside them.

The arithmetic is `planner.money.formula`, so nothing is permitted here that is not permitted there. What is added is
taken out first and put back as numbers: a place (`models[0].gpu_hours`), a list (`[1, 2]`) and a call of a function
from a closed table, by the names of its inputs. A formula is data: it is parsed and never run as code.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from typing import Annotated, Any, Literal, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from planner.money.formula import FUNCTIONS, FormulaError, Num, formula
from planner.money.outcome import Solved
from planner.money.payback import Payback

Value = Num | str | bool
Word = Annotated[str, "needs no quotes"]
LONGEST = 500
_MOST = 10_000  # entries of a list, periods of a loan, months of a path: no comparison needs more
# What a call takes where it is not said: payments at the end of each period, nothing left over at the end.
_ARITHMETIC = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Constant)
_UNSAID: dict[str, Value] = {"in_advance": False, "balloon_usd": 0.0, "losses_brought_usd": 0.0}


class Unusable(ValueError):
    """A formula or a place in the inputs that cannot be used. The text is one sentence without its place."""


@dataclass(frozen=True)
class Scope:
    """What a formula may name: numbers and texts reckoned before, the inputs of the case, functions of the engine."""

    names: dict[str, Any]
    inputs: Any
    calls: Mapping[str, Callable[..., Any]]


def value(text: str, scope: Scope) -> Value:
    """What the formula gives: a number, a list of them, or the reason why there is no number."""
    if len(text) > LONGEST:
        raise Unusable(f"want at most {LONGEST} characters, got {len(text)}")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        with np.errstate(all="ignore"):
            found = _value(tree, scope)
    except (SyntaxError, MemoryError, RecursionError) as error:
        raise Unusable(f"not a formula: {_short(text)}") from error
    except (FormulaError, ArithmeticError, TypeError, ValueError) as error:
        raise Unusable(
            str(error) if isinstance(error, FormulaError | Unusable) else f"{_short(text)}: {error}"
        ) from error
    return _finite(found, text)


def leans_on_something(text: str) -> bool:
    """Whether a formula names anything at all; one that does not says an answer instead of reckoning it."""
    try:
        return any(isinstance(node, ast.Name) for node in ast.walk(ast.parse(text.strip(), mode="eval")))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return True  # and is refused where it is used


def at_path(path: str, inputs: Any) -> Value:
    """The number or word at a place of the inputs that is written with dots: `inputs.models.0.gpu_hours`."""
    return _plain(part_of(path, inputs), path)


def part_of(path: str, inputs: Any) -> Any:
    """Whatever stands at a place of the inputs."""
    steps = path.split(".")
    if steps[0] == "inputs" and not (isinstance(inputs, Mapping) and "inputs" in inputs):
        steps = steps[1:]
    return _walk(inputs, steps, path)


def _value(node: ast.expr, scope: Scope) -> Value:
    match node:
        case ast.Constant(value=str() | bool() as said):
            return said
        case ast.List(elts=parts):
            return _listed([_number(_value(part, scope), ast.unparse(part)) for part in parts])
        case ast.Call(func=ast.Name(id=name)) if name not in FUNCTIONS:
            return _call(node, name, scope)
        case ast.Call(func=function) if not isinstance(function, ast.Name):
            raise Unusable(f"a formula may not contain {_short(ast.unparse(node))}")
        case ast.Name() | ast.Attribute() | ast.Subscript():
            return _place(node, scope)
    without = _Parts(scope)
    bare = ast.unparse(without.visit(node))
    return formula(bare)(without.found)


class _Parts(ast.NodeTransformer):
    """Takes places, lists and calls out of a formula and leaves a name for the number of each."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.found: dict[str, Num] = {}

    def visit(self, node: ast.AST) -> Any:
        match node:
            case ast.Call(func=ast.Name(id=name) as function, args=args, keywords=keywords) if name in FUNCTIONS:
                return ast.Call(function, [self.visit(arg) for arg in args], keywords)
            case ast.List() | ast.Call() | ast.Name() | ast.Attribute() | ast.Subscript():
                name = f"part_{len(self.found)}"
                self.found[name] = _number(_value(node, self.scope), ast.unparse(node))
                return ast.Name(name, ast.Load())
        if isinstance(node, ast.expr) and not isinstance(node, _ARITHMETIC):
            raise Unusable(f"a formula may not contain {type(node).__name__}: {_short(ast.unparse(node))}")
        return self.generic_visit(node)


def _place(node: ast.expr, scope: Scope) -> Value:
    steps, path = _steps(node), ast.unparse(node)
    first, *rest = steps
    if first in scope.names:
        return _plain(_walk(scope.names[first], rest, path), path)
    if not (isinstance(scope.inputs, Mapping) and first in scope.inputs) and first != "inputs":
        known = [*scope.names, *(scope.inputs if isinstance(scope.inputs, Mapping) else ())]
        raise Unusable(f"nothing is called {first!r}{_near(first, known)}")
    return at_path(".".join(steps), scope.inputs)


def _steps(node: ast.expr) -> list[str]:
    match node:
        case ast.Name(id=name):
            return [name]
        case ast.Attribute(value=inner, attr=name):
            return [*_steps(inner), name]
        case ast.Subscript(value=inner, slice=ast.Constant(value=int() as place)):
            return [*_steps(inner), str(place)]
        case ast.Subscript(value=inner, slice=ast.Constant(value=str() as name)):
            return [*_steps(inner), name]
    raise Unusable(f"a formula may not contain {type(node).__name__}: {_short(ast.unparse(node))}")


def _walk(data: Any, steps: list[str], path: str) -> Any:
    for number, step in enumerate(steps):
        if isinstance(data, Mapping) and step in data:
            data = data[step]
        elif isinstance(data, tuple) and data and isinstance(data[0], Mapping) and not step.isdecimal():
            return tuple(_walk(item, steps[number:], path) for item in data)  # a column of a list of maps
        elif isinstance(data, tuple | list | np.ndarray) and step.isdecimal() and int(step) < len(data):
            data = data[int(step)]
        else:
            known = list(data) if isinstance(data, Mapping) else []
            raise Unusable(f"{path}: there is no {step!r} there{_near(step, known)}")
    return data


def _plain(found: Any, path: str) -> Value:
    if isinstance(found, date):
        return found.isoformat()
    if isinstance(found, bool | str):
        return found
    if isinstance(found, int | float | np.ndarray):
        return float(found) if isinstance(found, int) else found
    if isinstance(found, tuple | list):
        return _listed([_number(_plain(one, path), path) for one in found])
    raise Unusable(f"{path} leads to {'nothing' if found is None else 'a ' + type(found).__name__}, want a number")


def _number(found: Value, said: str) -> Num:
    if isinstance(found, bool | str):
        raise Unusable(f"{said} is {found!r}, want a number")
    return found


def _listed(numbers: list[Num]) -> NDArray[np.float64]:
    if len(numbers) > _MOST or any(np.ndim(one) for one in numbers):
        raise Unusable(f"want a plain list of at most {_MOST:,} numbers")
    return np.array(numbers, dtype=np.float64)


def _call(node: ast.Call, name: str, scope: Scope) -> Value:
    function = scope.calls.get(name)
    if function is None:
        raise Unusable(f"there is no function {name!r}{_near(name, [*scope.calls, *FUNCTIONS])}")
    takes = inspect.signature(function).parameters
    try:
        bound = inspect.signature(function).bind_partial(
            *node.args, **{word.arg or "**": word.value for word in node.keywords}
        )
    except TypeError as error:
        raise Unusable(f"{name} takes {', '.join(takes)}: {error}") from error
    kinds = get_type_hints(function, include_extras=True)
    said = {key: _taken(part, key, kinds[key], scope) for key, part in bound.arguments.items()}
    said = {key: _UNSAID[key] for key in takes if key in _UNSAID} | said
    missing = [key for key, one in takes.items() if key not in said and one.default is inspect.Parameter.empty]
    if missing:
        raise Unusable(f"{name} takes {', '.join(takes)}; {missing[0]} is missing")
    return _given(function(**said))


def _taken(part: ast.expr, name: str, kind: Any, scope: Scope) -> Value:
    """An input of a call: a word where the function wants a word, a whole number where it counts, else a number."""
    is_word = kind == Word or get_origin(kind) is Literal  # needs no quotes
    if is_word and isinstance(part, ast.Name):
        return part.id
    found = _value(part, scope)
    if is_word or kind in (bool, str):
        return found
    number = _number(found, ast.unparse(part))
    if kind is int:
        if np.ndim(number) or number != np.round(number) or not 0 <= number <= _MOST:
            raise Unusable(f"{name}: want a whole number from 0 to {_MOST:,}, got {ast.unparse(part)}")
        return int(number)
    return number


def _given(found: Any) -> Value:
    if isinstance(found, Solved):
        return found.value if np.all(found.found) else str(np.atleast_1d(found.reason)[~np.atleast_1d(found.found)][0])
    if isinstance(found, Payback):
        return found.months if np.all(found.found) else str(np.atleast_1d(found.reason)[0])
    if isinstance(found, bool | str):
        return found
    return np.asarray(found, dtype=np.float64) if np.ndim(found) else float(found)


def _finite(found: Value, text: str) -> Value:
    if isinstance(found, bool | str):
        return found
    if not np.all(np.isfinite(found)):
        raise Unusable(f"{_short(text)} is no finite number; is something divided by zero?")
    return found if np.ndim(found) else float(found)


def _near(word: str, known: list[str]) -> str:
    near = get_close_matches(word, [str(one) for one in known], n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _short(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:80] + "…")
