"""Formulas: the text that is shown is the arithmetic that is done.

A formula is written once, as text in the names of its inputs. It is parsed once into a tree of a few permitted shapes
and evaluated on numbers or on numpy arrays. Screen, export and number cannot drift apart: there is only one of them.
"""

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pricing.caching import arguments, cached

Num = float | NDArray[np.float64]
FormulaInputs = Mapping[str, Num]
_Node = Callable[[FormulaInputs], Num]

_OPERATORS: dict[type[ast.operator], Callable[[Num, Num], Num]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: np.divide,
    ast.Pow: lambda a, b: a**b,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Num, Num], Num]] = {
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
    ast.Eq: np.equal,
}
FUNCTIONS: dict[str, tuple[int, Callable[..., Num]]] = {
    "min": (2, np.minimum),
    "max": (2, np.maximum),
    "ceil": (1, np.ceil),
    "where": (3, np.where),
}
_LONGEST = 900


def first_draw(value: Num) -> float:
    """Return the number itself, or the first of several draws."""
    return float(np.asarray(value).flat[0])


class Product(NamedTuple):
    """The factors of a formula: those that differ between rows at most, between months only, and between both."""

    rows: Num
    months: Num
    both: tuple[NDArray[np.float64], ...]


class OrderStack(NamedTuple):
    """Orders of one fleet along the first axis of an array, before rows and months."""

    orders: int
    axes: int  # of the array

    def spread(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return one number of each order with all axes."""
        return values.reshape(-1, *(1,) * (self.axes - 1))

    def add_up(self, usd: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum over the orders; what has no axis of them is the same for each."""
        return np.asarray(usd.sum(axis=0) if usd.ndim == self.axes else usd * self.orders)


class FormulaError(ValueError):
    """A formula says something a formula may not say."""


class Formula:
    """An expression in named inputs: + - * / **, comparisons, min, max, ceil, where, and plain numbers."""

    def __init__(self, text: str) -> None:
        if len(text) > _LONGEST:
            raise FormulaError(f"want at most {_LONGEST} characters, got {len(text)}")
        try:
            tree = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError) as error:
            raise FormulaError(f"not a formula: {text!r}") from error
        self.text = text
        self.names = tuple(dict.fromkeys(_names(tree)))
        self._run = _compile(tree)
        self._factors = [(_compile(factor), divides) for factor, divides in _factors(tree)]

    def __call__(self, names: FormulaInputs) -> Num:
        """The value of the formula for these inputs."""
        try:
            return self._run(names)
        except KeyError:
            missing = [name for name in self.names if name not in names]
            raise FormulaError(f"{self.text!r} needs {', '.join(missing)}") from None

    def product(self, names: FormulaInputs) -> Product:
        """Return the factors of its value for these inputs, of which none is `rows` times months large but `both`."""
        rows: Num = 1.0
        months: Num = 1.0
        both: list[NDArray[np.float64]] = []
        for factor, divides in self._factors:
            value = factor(names)
            axes = value.ndim if isinstance(value, np.ndarray) else 0
            if divides:
                value = np.divide(1.0, value)
            if isinstance(value, np.ndarray) and axes > 1 and value.shape[-1] > 1:
                both.append(value)
            elif axes == 1:
                months = months * value
            else:
                rows = rows * value
        return Product(rows, months, tuple(both))

    def __repr__(self) -> str:
        return f"Formula({self.text!r})"


@cached(1_000)
def formula(text: str) -> Formula:
    """The formula with this text, parsed once."""
    return Formula(text)


def _factors(node: ast.expr, divides: bool = False) -> Iterator[tuple[ast.expr, bool]]:
    """Yield what a formula multiplies, and what it divides by."""
    match node:
        case ast.BinOp(op=ast.Mult() | ast.Div() as op, left=left, right=right):
            yield from _factors(left, divides)
            yield from _factors(right, divides != isinstance(op, ast.Div))
        case _:
            yield node, divides


def _names(tree: ast.expr) -> list[str]:
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called]
    return [node.id for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset))]


def _compile(node: ast.expr) -> _Node:
    match node:
        case ast.Constant(value=bool()):
            raise FormulaError("want a number, got true or false")
        case ast.Constant(value=int() | float() as number):
            return lambda _: float(number)
        case ast.Name(id=name):
            return lambda names: names[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _compile(operand)
            return lambda names: -inner(names)
        case ast.BinOp(op=op) if type(op) in _OPERATORS:
            return _binary_operation(node)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
            return _both(_COMPARISONS[type(op)], left, right)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
            return _call(name, args)
    raise FormulaError(f"a formula may not contain {type(node).__name__}: {ast.unparse(node)!r}")


def _binary_operation(node: ast.BinOp) -> _Node:
    if isinstance(node.op, ast.Pow):
        return _power(ast.unparse(node))
    return _both(_OPERATORS[type(node.op)], node.left, node.right)


def _both(operator: Callable[[Num, Num], Num], left: ast.expr, right: ast.expr) -> _Node:
    first, second = _compile(left), _compile(right)
    return lambda names: operator(first(names), second(names))


@cached(256)
def _power(text: str) -> _Node:
    """A power, the same in all formulas that say it: what grows by the month stands in many lines of a ledger.

    Powers of arrays take the longest of all arithmetic, so the last one is kept while the same arrays come again.
    """
    tree = ast.parse(text, mode="eval").body
    assert isinstance(tree, ast.BinOp)  # it was one before it was text
    power, names = _both(_OPERATORS[ast.Pow], tree.left, tree.right), tuple(dict.fromkeys(_names(tree)))
    kept = cached(1, same=arguments)(lambda *inputs: power(dict(zip(names, inputs, strict=True))))

    def run(given: FormulaInputs) -> Num:
        inputs = tuple([given[name] for name in names])
        is_array = any(isinstance(input, np.ndarray) for input in inputs)
        return kept(*inputs) if is_array else power(given)

    return run


def _call(name: str, args: list[ast.expr]) -> _Node:
    count, function = FUNCTIONS[name]
    if len(args) != count:
        raise FormulaError(f"{name} wants {count} inputs, got {len(args)}")
    inner = [_compile(arg) for arg in args]
    return lambda names: function(*(run(names) for run in inner))
