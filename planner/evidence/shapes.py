"""What no run can be, by its own numbers: layouts and shapes of a row that contradict themselves, in words."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from planner.evidence.cells import Row, number, text
from planner.network.guess import size_in_name

_ONE_OR_MORE = ("layers", "hidden", "heads")
_MILLIONS = 1e3  # times what the name says: a slip of units, not another way to count


def impossible(row: Row, *, ranks: bool) -> Iterator[str]:
    """What of a row cannot be: each begins with the column, as other complaints about cells do.

    `ranks` of a training run take an accelerator each; tables of services count some of theirs twice.
    """
    yield from _nothing(row)
    yield from _heads(row)
    total, named = number(row, "params_b"), size_in_name(text(row, "model"))
    if total and named and 1 / 2 < total / named / _MILLIONS < 2:
        yield (
            f", column params_b: want billions, about {named:g} as the model's name says, got {total:g}; "
            f"it looks like millions: write {total / _MILLIONS:g}"
        )
    if ranks:
        yield from _layout(row)


def _nothing(row: Row) -> Iterator[str]:
    for name in _ONE_OR_MORE:
        if text(row, name) and number(row, name) is None and text(row, name).strip("0.") == "":
            yield f", column {name}: want 1 or more, got {text(row, name)}"


def _heads(row: Row) -> Iterator[str]:
    hidden, heads, kv_heads = (number(row, name) for name in ("hidden", "heads", "kv_heads"))
    if hidden and heads and hidden % heads:
        yield f", column heads: {heads:,.0f} do not divide a width (hidden) of {hidden:,.0f}; want a number that does"
    if heads and kv_heads and heads % kv_heads:
        yield f", column kv_heads: {kv_heads:,.0f} do not divide {heads:,.0f} heads; want a number that does"


def _layout(row: Row) -> Iterator[str]:
    named = {name: number(row, name) or 1.0 for name in ("tp", "pp", "cp")}
    needed, there = prod(named.values()), number(row, "n_accelerators")
    if there and needed > there:
        said = " x ".join(name for name, ranks in named.items() if ranks > 1)
        yield f", column n_accelerators: {said} take {needed:,.0f} accelerators, got {there:,.0f}"
