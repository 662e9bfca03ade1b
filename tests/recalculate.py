"""A pack of CSV files calculated again with the standard library alone: nothing here is of the program.

Formulas are parsed and evaluated month by month on plain floats. A branch that is not taken is not evaluated; a
division by zero is infinite and an input without a value is not a number, as in any spreadsheet of such columns.
"""

import csv
import io
import math
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t"}
_TOKEN = re.compile(r"\s*(?:(\d+\.?\d*(?:e[-+]?\d+)?|\.\d+)|([A-Za-z_]\w*(?:#\d+)?)|(\*\*|<=|>=|==|[-+*/(),<>]))")
Month = Callable[[dict[str, float]], float]


@dataclass
class CsvPack:
    """The tables of a pack, each row by its columns."""

    data: bytes
    separator: str = "comma"
    decimal: str = "."
    encoding: str = "utf-8-sig"
    tables: dict[str, list[dict[str, str]]] = field(init=False)

    def __post_init__(self) -> None:
        with zipfile.ZipFile(io.BytesIO(self.data)) as files:
            names = [name for name in files.namelist() if name.endswith(".csv")]
            texts = {name.removesuffix(".csv"): files.read(name).decode(self.encoding) for name in names}
        mark = SEPARATORS[self.separator]
        self.tables = {
            name: list(csv.DictReader(io.StringIO(text, newline=""), delimiter=mark)) for name, text in texts.items()
        }

    def number(self, text: str) -> float:
        """Return a cell as a number, not-a-number where it is empty."""
        return float(text.replace(self.decimal, ".")) if text else math.nan

    def months(self) -> int:
        return 1 + max(int(row["period_index"]) for row in self.tables["assumptions-by-month"])

    def inputs(self) -> dict[str, list[float]]:
        """Return every input by its id, one value for each month."""
        count = self.months()
        values = {row["assumption_id"]: [self.number(row["value"])] * count for row in self.tables["assumptions"]}
        for row in self.tables["assumptions-by-month"]:
            months = values.setdefault(row["assumption_id"], [math.nan] * count)
            if int(row["period_index"]) == 0:
                values[row["assumption_id"]] = months = [math.nan] * count
            months[int(row["period_index"])] = self.number(row["value"])
        return values

    def discount_factors(self) -> list[float]:
        inputs = self.inputs()
        rate, years = (inputs[f"convention.{name}"] for name in ("discount_rate_per_year", "years_until_money_moves"))
        return [(1 + rate[month]) ** -years[month] for month in range(self.months())]

    def amounts(self) -> dict[tuple[str, str], list[float]]:
        """Return the amounts of every line by option and code, month by month; not-a-number where unpriced."""
        inputs = self.inputs()
        by_month = [dict(zip(inputs, month, strict=True)) for month in zip(*inputs.values(), strict=True)]
        texts = {row["formula"].removeprefix("'") for row in self.tables["lines"]}
        parsed = {text: Parser(text).whole() for text in texts}
        return {
            (row["option"], row["line_code"]): [parsed[row["formula"].removeprefix("'")](month) for month in by_month]
            for row in self.tables["lines"]
        }

    def by_option(self, amounts: dict[tuple[str, str], list[float]]) -> dict[str, list[float]]:
        """Return what each option costs by month, from the amounts of its lines."""
        totals: dict[str, list[float]] = {}
        for (option, _), usd in amounts.items():
            before = totals.setdefault(option, [0.0] * len(usd))
            totals[option] = [sum_ + (0.0 if math.isnan(one) else one) for sum_, one in zip(before, usd, strict=True)]
        return totals


class Parser:
    """A formula read from left to right: comparisons, then sums, products, signs and powers."""

    def __init__(self, text: str) -> None:
        self.text, self.tokens, at = text, [], 0
        while at < len(text.rstrip()):
            match = _TOKEN.match(text, at)
            assert match, (text, at)
            self.tokens.append(match.groups())
            at = match.end()
        self.at = 0

    def whole(self) -> Month:
        result = self.comparison()
        assert self.at == len(self.tokens), self.text
        return result

    def sign(self, *signs: str) -> str:
        """Return the next sign and step over it, if it is one of these."""
        here = self.tokens[self.at][2] if self.at < len(self.tokens) else None
        if here not in signs:
            return ""
        self.at += 1
        return here

    def comparison(self) -> Month:
        left = self.sum()
        if not (sign := self.sign("<", "<=", ">", ">=", "==")):
            return left
        right = self.sum()
        return lambda month: float(_COMPARE[sign](left(month), right(month)))

    def sum(self) -> Month:
        return self.chain(self.product, "+", "-")

    def product(self) -> Month:
        return self.chain(self.negative, "*", "/")

    def chain(self, part: Callable[[], Month], *signs: str) -> Month:
        whole = part()
        while sign := self.sign(*signs):
            whole = _joined(sign, whole, part())
        return whole

    def negative(self) -> Month:
        if not self.sign("-"):
            return self.power()
        inner = self.negative()
        return lambda month: -inner(month)

    def power(self) -> Month:
        base = self.atom()
        if not self.sign("**"):
            return base
        exponent = self.negative()
        return lambda month: base(month) ** exponent(month)

    def atom(self) -> Month:
        if self.sign("("):
            inner = self.comparison()
            assert self.sign(")"), self.text
            return inner
        number, name, _ = self.tokens[self.at]
        self.at += 1
        if number:
            return lambda _: float(number)
        assert name, self.text
        if not self.sign("("):
            return lambda month: month[name]
        parts = [self.comparison()]
        while self.sign(","):
            parts.append(self.comparison())
        assert self.sign(")"), self.text
        return _called(name, parts)


_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
}  # fmt: skip


def _joined(sign: str, left: Month, right: Month) -> Month:
    match sign:
        case "+":
            return lambda month: left(month) + right(month)
        case "-":
            return lambda month: left(month) - right(month)
        case "*":
            return lambda month: left(month) * right(month)
    return lambda month: _quotient(left(month), right(month))


def _quotient(above: float, below: float) -> float:
    if below:
        return above / below
    return math.copysign(math.inf, above) if above and not math.isnan(above) else math.nan


def _called(name: str, parts: list[Month]) -> Month:
    if name == "where":
        test, yes, no = parts
        return lambda month: yes(month) if test(month) else no(month)
    if name == "ceil":
        return lambda month: float(math.ceil(parts[0](month))) if math.isfinite(parts[0](month)) else parts[0](month)
    pick = {"min": min, "max": max}[name]

    def picked(month: dict[str, float]) -> float:
        values = [part(month) for part in parts]
        return math.nan if any(map(math.isnan, values)) else pick(values)

    return picked
