"""Formulas: the text that is shown is the arithmetic that is done.

A formula is written once, as text in the names of its inputs. It is parsed once into a tree of a few permitted shapes
and evaluated on numbers or on numpy arrays. Screen, export and number cannot drift apart: there is only one of them.
"""

import ast
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pricing.caching import arguments, cached, cached_property

Num = float | NDArray[np.float64]
FormulaInputs = Mapping[str, Num]

_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)
FUNCTIONS: dict[str, tuple[int, Callable[..., Num]]] = {
    "min": (2, np.minimum),
    "max": (2, np.maximum),
    "ceil": (1, np.ceil),
    "where": (3, np.where),
}
_LONGEST = 900
# What numpy does in place of an operator: it divides by nothing, and compares, entry by entry.
_NUMPY = {
    ast.Div: "divide", ast.Lt: "less", ast.LtE: "less_equal", ast.Gt: "greater", ast.GtE: "greater_equal",
    ast.Eq: "equal",
}  # fmt: skip
_CALLED = "_call_"  # before the name of a function, so that an input may be called min
_FUNCTIONS: dict[str, Callable[..., Num]] = {
    **{_CALLED + name: function for name, (_, function) in FUNCTIONS.items()},
    **{_CALLED + name: getattr(np, name) for name in _NUMPY.values()},
}


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
    """An expression in named inputs: + - * / **, comparisons, min, max, ceil, where, and plain numbers.

    Its tree is built anew from the permitted shapes alone, and what Python compiles is that.
    """

    def __init__(self, text: str) -> None:
        if len(text) > _LONGEST:
            raise FormulaError(f"want at most {_LONGEST} characters, got {len(text)}")
        try:
            tree = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError) as error:
            raise FormulaError(f"not a formula: {text!r}") from error
        self.text = text
        self.names = tuple(dict.fromkeys(_names(tree)))
        self._functions = dict(_FUNCTIONS)
        self._whole = self._permitted(tree)
        self._factors = list(self._factors_of(tree))

    @cached_property
    def _run(self) -> Callable[..., Num]:
        return self._compile(self._whole)

    @cached_property
    def _run_factors(self) -> Callable[..., tuple[Num, ...]]:
        return self._compile(ast.Tuple(self._factors, ast.Load()))

    def __call__(self, names: FormulaInputs) -> Num:
        """The value of the formula for these inputs."""
        try:
            values = [names[name] for name in self.names]
        except KeyError:
            missing = [name for name in self.names if name not in names]
            raise FormulaError(f"{self.text!r} needs {', '.join(missing)}") from None
        return self._run(*values)

    def product(self, names: FormulaInputs) -> Product:
        """Return the factors of its value for these inputs, of which none is `rows` times months large but `both`."""
        rows: Num = 1.0
        months: Num = 1.0
        both: list[NDArray[np.float64]] = []
        for value in self._run_factors(*[names[name] for name in self.names]):
            axes = value.ndim if isinstance(value, np.ndarray) else 0
            if isinstance(value, np.ndarray) and axes > 1 and value.shape[-1] > 1:
                both.append(value)
            elif axes == 1:
                months = months * value
            else:
                rows = rows * value
        return Product(rows, months, tuple(both))

    def _compile(self, tree: ast.expr) -> Callable[..., Any]:
        inputs = ast.arguments([], [ast.arg(name) for name in self.names], None, [], [], None, [])
        whole = ast.fix_missing_locations(ast.Expression(ast.Lambda(inputs, tree)))
        codes = compile(whole, self.text, "eval").co_consts
        return FunctionType(next(code for code in codes if isinstance(code, CodeType)), self._functions)

    def _factors_of(self, node: ast.expr, *, divides: bool = False) -> Iterator[ast.expr]:
        """Yield what a formula multiplies; of what it divides by, one over it."""
        match node:
            case ast.BinOp(op=ast.Mult() | ast.Div() as op, left=left, right=right):
                yield from self._factors_of(left, divides=divides)
                yield from self._factors_of(right, divides=divides != isinstance(op, ast.Div))
            case _:
                yield self._call("divide", ast.Constant(1.0), node) if divides else self._permitted(node)

    def _permitted(self, node: ast.expr) -> ast.expr:
        """Return a tree of the same value. It refuses what a formula may not contain."""
        match node:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return ast.Constant(float(number))
            case ast.Name(id=name):
                return ast.Name(name, ast.Load())
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return ast.UnaryOp(ast.USub(), self._permitted(operand))
            case ast.BinOp(op=op, left=left, right=right) if isinstance(op, _OPERATORS):
                return self._operation(op, left, right)
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _NUMPY:
                return self._call(_NUMPY[type(op)], left, right)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
                return self._call(name, *args)
        raise FormulaError(f"a formula may not contain {type(node).__name__}: {ast.unparse(node)!r}")

    def _operation(self, op: ast.operator, left: ast.expr, right: ast.expr) -> ast.expr:
        if type(op) in _NUMPY:
            return self._call(_NUMPY[type(op)], left, right)
        if not isinstance(op, ast.Pow):
            return ast.BinOp(self._permitted(left), op, self._permitted(right))
        text = ast.unparse(ast.BinOp(left, op, right))
        name = f"{_CALLED}power_{len(self._functions)}"
        self._functions[name], names = _power(text)
        return ast.Call(ast.Name(name, ast.Load()), [ast.Name(each, ast.Load()) for each in names], [])

    def _call(self, name: str, *args: ast.expr) -> ast.expr:
        if name in FUNCTIONS and len(args) != FUNCTIONS[name][0]:
            raise FormulaError(f"{name} wants {FUNCTIONS[name][0]} inputs, got {len(args)}")
        return ast.Call(ast.Name(_CALLED + name, ast.Load()), [self._permitted(arg) for arg in args], [])

    def __repr__(self) -> str:
        return f"Formula({self.text!r})"


@cached(1_000)
def formula(text: str) -> Formula:
    """The formula with this text, parsed once."""
    return Formula(text)


def _names(tree: ast.expr) -> list[str]:
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called]
    return [node.id for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset))]


@cached(256)
def _power(text: str) -> tuple[Callable[..., Num], tuple[str, ...]]:
    """A power of inputs, the same in all formulas that say it: what grows by the month stands in many lines.

    Powers of arrays take the longest of all arithmetic, so the last one is kept while the same arrays come again.
    """
    tree = ast.parse(text, mode="eval").body
    assert isinstance(tree, ast.BinOp)  # it was one before it was text
    names = tuple(dict.fromkeys(_names(tree)))
    base, exponent = formula(ast.unparse(tree.left)), formula(ast.unparse(tree.right))

    def power(*inputs: Num) -> Num:
        given = dict(zip(names, inputs, strict=True))
        return base(given) ** exponent(given)

    kept = cached(1, same=arguments)(power)
    return lambda *inputs: (kept if any(isinstance(each, np.ndarray) for each in inputs) else power)(*inputs), names
