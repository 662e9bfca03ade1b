"""The amount of a ledger line as its formula in words, with numbers.

    3 servers x $262,000 x 1.05 = $825,300

It is read off the line's own formula: what does not change by the month stands as factors, each with what it is; what
does is summed over the months into one factor, which says how many months there are. No factor is rounded by more than
what the amount is printed to.
"""

import ast
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.money.formula import Num, formula
from planner.money.ledger import Ledger, LedgerInput, Line, Origin
from planner.report import words
from planner.report.futures.input_words import formula_input_label
from planner.scenario.shown_money import shown_money

_DIGITS, _OF_AMOUNT = 6, 4  # significant, of a factor and of an amount
_CONSTANTS = {12.0: "months in a year", 1000.0: "W in a kW", 8760.0: "hours in a year"}
_SERVERS = "ceil(accelerators / accelerators_per_server)"
_MACHINES = "ceil(max(accelerators, minimum_accelerators) / accelerators_per_machine)"
_COUNTED = {_SERVERS: "server", _MACHINES: "machine", "ceil(accelerators)": "accelerator"}
# Whose months have a number, or that only say which month it is.
_CALENDAR = frozenset({
    "starts", "ends", "runs", "owns", "delivered", "sold", "ordered", "refreshes", "pays", "settles", "sells",
    "after_warranty", "month", "delivery_month", "begun_years", "ordered_after_years", "price_set_after_months",
    "new_price_after_years", "old_price_after_years", "last_price_after_years", "payments_made", "last_paid",
    "worth_today",
})  # fmt: skip
_TODAY = "worth_today"


@dataclass(frozen=True)
class _FormulaFactor:
    node: ast.expr
    below: bool  # whether it divides


def amount(usd: float) -> str:
    """An amount with the digits that a formula comes to."""
    return words.NOT_PRICED if not math.isfinite(usd) else _in_money(usd, _OF_AMOUNT)


def formula_text(line: Line) -> str:
    """The formula of a line in words, with its numbers; why there is none where an input has no price."""
    unknown = [
        formula_input_label(item.name) for item in line.used if np.isnan(np.asarray(item.value, dtype=np.float64)).any()
    ]
    if unknown:
        return f"Not priced, as no figure is published: {words.listed(dict.fromkeys(map(words.lower_first, unknown)))}."
    total = float(line.total_usd)
    if total == 0:
        return f"Nothing in this plan: = {amount(0.0)}"
    used = {item.name: item for item in line.used}
    factors = tuple(_factors(ast.parse(line.how, mode="eval").body, below=False))
    return f"{_product_text(factors, used, line)} = {amount(total)}"


def total_text(shown: Ledger) -> str:
    """The sum of the lines as the tiles of a page write it."""
    return words.format_usd_short(float(shown.total_usd))


def sourced_inputs(line: Line) -> tuple[LedgerInput, ...]:
    """The inputs of a line that somebody says; not those that only say which month it is."""
    return tuple(item for item in line.used if item.name not in _CALENDAR)


def leading_sources(ledgers: Iterable[Ledger]) -> list[str]:
    """Return the sources with an address behind these ledgers, those of the largest lines first."""
    lines = sorted((line for ledger in ledgers for line in ledger.lines), key=lambda line: -abs(float(line.total_usd)))
    origins = (
        it.origin if isinstance(it.origin, Origin) else it.origin(0) for line in lines for it in sourced_inputs(line)
    )
    return list(dict.fromkeys(origin.source for origin in origins if origin.url))


def format_input(used: LedgerInput, months: NDArray[np.intp] | None = None) -> str:
    """The value of an input with its unit: $2.69 an accelerator-hour, 60%, 8 accelerators; perhaps of some months."""
    values = np.asarray(used.value, dtype=np.float64).reshape(-1)
    values = values if months is None or values.size == 1 else values[months]
    if np.all(values == values[0]):
        return _with_unit(used, float(values[0]))
    return f"{_with_unit(used, float(values[0]))} in the first and {_with_unit(used, float(values[-1]))} in the last"


def _factors(node: ast.expr, below: bool) -> Iterator[_FormulaFactor]:
    match node:
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            yield from _factors(left, below)
            yield from _factors(right, below)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            yield from _factors(left, below)
            yield from _factors(right, not below)
        case _:
            yield _FormulaFactor(node, below)


def _product_text(factors: tuple[_FormulaFactor, ...], used: Mapping[str, LedgerInput], line: Line) -> str:
    """The factors one after the other; those that change by the month as one at the end."""
    sign, texts, monthly = "", list[str](), list[_FormulaFactor]()
    for factor in factors:
        value = _value(factor.node, used)
        if np.size(value) > 1:
            monthly.append(factor)
        elif float(np.asarray(value).flat[0]) == -1:
            sign = "" if sign else "minus "
        elif text := _factor(factor, float(np.asarray(value).flat[0]), used):
            texts.append(text if not texts and not factor.below else f"{'/' if factor.below else 'x'} {text}")
    if monthly:
        texts.append(f"{'x ' if texts else ''}{_months(monthly, used, line.usd.size)}")
    return sign + " ".join(texts)


def _factor(factor: _FormulaFactor, value: float, used: Mapping[str, LedgerInput]) -> str:
    """One number with what it is; empty where it is one and no count, and so says nothing."""
    node, text = factor.node, ast.unparse(factor.node)
    if isinstance(node, ast.Constant):
        number = "" if value == 1 else _number(value)
        return f"{number} ({_CONSTANTS[value]})" if value in _CONSTANTS else number
    if text in _COUNTED:
        return _pluralize_value(value, _COUNTED[text])
    if isinstance(node, ast.Name):
        used_input = used[node.id]
        return "" if value == 1 and _is_flag(used_input) else _named(used_input, value)
    names = [used[name] for name in formula(text).names]
    if text.startswith(f"{_SERVERS} +") and text.count(_SERVERS) == 1 and "usd" not in text:
        return (
            f"{_pluralize_value(value, 'server')} (spares included)" if value % 1 else _pluralize_value(value, "server")
        )
    if value == 1:
        return ""
    number = _in_money(value, least=0) if any(_is_money(item) for item in names) else _number(value)
    each = (f"{words.lower_first(formula_input_label(item.name))} {format_input(item)}" for item in names)
    return f"{number} (from {', '.join(each)})"


def _months(factors: list[_FormulaFactor], used: Mapping[str, LedgerInput], last: int) -> str:
    """Return the factors that change by the month, summed: the number of months, and the inputs."""
    product: Num = np.ones(1)
    for factor in factors:
        value = _value(factor.node, used)
        product = np.asarray(product / value if factor.below else product * value)
    by_month = np.broadcast_to(product, (last,))
    months = np.flatnonzero(by_month)
    names = dict.fromkeys(name for factor in factors for name in formula(ast.unparse(factor.node)).names)
    inside = [
        f"{words.lower_first(formula_input_label(name))} {format_input(used[name], months)}"
        for name in names
        if name not in _CALENDAR and np.any(np.asarray(used[name].value) != 0)
    ]
    inside += ["discounted to today"] if _TODAY in names else []
    total = float(by_month.sum())
    number = _in_money(total, least=0) if any(_is_money(used[name]) for name in names) else _number(total)
    return f"{number} ({', '.join([_when(months), *inside])})"


def _when(months: NDArray[np.intp]) -> str:
    if months.size != 1:
        return f"{months.size} months summed"
    return "today" if months[0] == 0 else f"in month {months[0]}"


def _value(node: ast.expr, used: Mapping[str, LedgerInput]) -> Num:
    return formula(ast.unparse(node))({name: item.value for name, item in used.items()})


def _is_flag(used: LedgerInput) -> bool:
    return used.unit.startswith("1 ") or used.name == "many"


def _is_money(used: LedgerInput) -> bool:
    return used.unit.startswith("USD") and used.name != _TODAY


def _named(used: LedgerInput, value: float) -> str:
    """A number with its unit, and what it is where the unit does not say so."""
    text, what = _with_unit(used, value), words.lower_first(formula_input_label(used.name))
    if used.unit == used.name:
        return text
    return f"{_number(value)} ({what})" if used.unit in what.split() else f"{text} ({what})"


_PER = re.compile(r"USD(?:/| a )(.+)")
_BARE = frozenset({"1", "times", "count"})
_SHARES = ("share", "_change_per_year", "_rate_per_year")


def _with_unit(used: LedgerInput, value: float) -> str:
    if not math.isfinite(value):
        return "not known"
    unit = used.unit
    if unit.startswith("share") or (unit in ("1", "1/year") and any(word in used.name for word in _SHARES)):
        return f"{_number(value * 100)}%"
    if _is_money(used):
        per = _PER.match(unit)
        rest = "" if per is None else per[1].replace("fte", "person")
        article = "an" if rest[:1] in "aeiou" else "a"
        return f"{_in_money(value)}{f' {article} {rest}' if rest else ''}"
    if unit in _BARE or _is_flag(used) or used.name in _CALENDAR:
        return _number(value)
    return f"{_number(value)} {_unit(unit, value)}"


def _unit(unit: str, value: float) -> str:
    text = unit.replace("fte", "people").replace("count/", "times/").replace("/", " a ")
    text = text.replace(" a accel", " an accel").replace(" a hour", " an hour")
    if value == 1:
        return text.removesuffix("s") if text in _COUNTS else text
    return f"{text}s" if f"{text}s" in _COUNTS else text


_COUNTS = ("accelerators", "hours", "months", "years", "payments")


def _pluralize_value(value: float, what: str) -> str:
    return f"{_number(value)} {what}{'' if value == 1 else 's'}"


def _in_money(usd: float, digits: int = _DIGITS, least: int = 2) -> str:
    money = shown_money()
    return f"{'-' if usd < 0 else ''}{money.mark}{_number(money.amount(abs(usd)), digits, least)}"


def _number(value: float, digits: int = _DIGITS, least: int = 0) -> str:
    """A number with so many digits that count, thousands apart, never with an exponent."""
    rounded = words.round_significant(value, digits)
    if rounded == 0:
        return "0"
    text = f"{rounded:,.{max(digits - 1 - math.floor(math.log10(abs(rounded))), 0)}f}"
    if "." not in text:
        return text
    whole, part = text.rstrip("0").split(".")
    return whole if not part else f"{whole}.{part.ljust(least, '0')}"
