"""Hosted: a model behind somebody else's door, paid by the token."""

from dataclasses import replace
from datetime import date

from planner.money.formula import Num
from planner.money.inflation import agreed
from planner.money.ledger import COMPUTED, YOUR_INPUT, InputSheet, Line, origin
from planner.money.setting import PlanContext
from planner.money.timeline import PLAN
from planner.money.ways.ledger_of_way import OptionLedger, Unavailable
from planner.money.ways.record import Look, MixLayerStyle, OptionSpec
from planner.scenario.amounts import count
from planner.scenario.rent import HostedModelInputs
from pricing import Figure
from pricing.belief import worth_alone
from pricing.records import HostedPrice

UNIT = "USD/Mtoken"


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """All work done by bought tokens. Their number grows and has seasons as the work has."""
    lines = tokens(setting, setting.demand.work_level)
    if isinstance(lines, Unavailable):
        return lines
    asked = setting.scenario.hosted
    price = None if asked is None else _price(setting, asked)
    return OptionLedger(
        title="Pay by the token",
        what=f"{price.label} of {price.vendor}" if isinstance(price, HostedPrice) else "your price",
        lines=lines,
        useful_hours=setting.demand.all.busy_hours,
        accelerators=0.0,
    )


def tokens(setting: PlanContext, work_level: Num, when: Num | None = None) -> tuple[Line, ...] | Unavailable:
    """The tokens of so many times the usual work, in the share of each month that `when` says."""
    asked = setting.scenario.hosted
    if asked is None:
        return Unavailable("no tokens are entered: fill in hosted to compare with a model behind an API")
    price = _without_tokens(asked) or _price(setting, asked)
    if isinstance(price, Unavailable):
        return price
    basis = setting.input_sheet()
    basis.add_all(setting.timeline.flags)
    if when is not None:
        basis.add("runs", when, "share of each month", PLAN)
    basis.add("work_level", work_level, "times the usual work", COMPUTED)
    return agreed(setting, _lines(basis, asked, price, setting.day))


def _without_tokens(asked: HostedModelInputs) -> Unavailable | None:
    tokens = ("million_input_tokens_per_month", "million_output_tokens_per_month")
    lacking = [f"hosted.{name}" for name in tokens if getattr(asked, name) is None]
    if not lacking:
        return None
    return Unavailable(
        f"how many tokens are there? enter {' and '.join(lacking)}, or a work with serve, which says them"
    )


def _price(setting: PlanContext, asked: HostedModelInputs) -> HostedPrice | Unavailable | None:
    if asked.price is not None:
        found = setting.catalogue.hosted.get(asked.price)
        return found or Unavailable(f"there is no price {asked.price!r} in the catalogue of this day: choose another")
    wanted = (
        ("input", asked.million_input_tokens_per_month, asked.usd_per_million_input_tokens),
        ("output", asked.million_output_tokens_per_month, asked.usd_per_million_output_tokens),
    )
    lacking = [name for name, tokens, usd in wanted if tokens and usd is None]
    if lacking:
        names = " and ".join(f"hosted.usd_per_million_{name}_tokens" for name in lacking)
        return Unavailable(f"what does a million tokens cost? name a hosted.price of the catalogue, or enter {names}")
    return None


def _lines(basis: InputSheet, asked: HostedModelInputs, price: HostedPrice | None, day: date) -> tuple[Line, ...]:
    figures = (
        ("input", None if price is None else price.input_usd_per_mtoken),
        ("output", None if price is None else price.output_usd_per_mtoken),
    )
    for name, figure in figures:
        tokens = f"million_{name}_tokens_per_month"
        basis.add(tokens, getattr(asked, tokens), "million tokens a month", YOUR_INPUT)
        usd = f"usd_per_million_{name}_tokens"
        _say_price(basis, usd, figure, getattr(asked, usd), day)
    return tuple(
        basis.line(
            title,
            "tokens",
            f"where(million_{name}_tokens_per_month > 0,"
            f" million_{name}_tokens_per_month * usd_per_million_{name}_tokens, 0) * work_level * runs",
        )
        for title, name in (("Tokens in", "input"), ("Tokens out", "output"))
    )


def _say_price(basis: InputSheet, name: str, figure: Figure | None, yours: float | None, day: date) -> None:
    """A price by the token: yours, or what the one that was read is worth on the day of the plan."""
    basis.figure(name, figure, UNIT, yours)
    if yours is not None or figure is None or name in basis.tried:
        return
    low, typical, high = worth_alone(figure, "hosted", day)
    where = origin(basis.catalogue, figure)
    read = f"read {count(max(figure.age_days(day), 0), 'day')} before the plan; taken for {low:.3g} to {high:.3g} today"
    note = read if where.note is None else f"{read}. {where.note}"
    value = {"low": low, "typical": typical, "high": high}[basis.case]
    basis.add(name, value, figure.unit, replace(where, note=note))


WAY = OptionSpec(
    key="hosted",
    place=9,
    side="rent",
    build=build,
    name="Hosted API",
    advice="Use a hosted model",
    doing="a hosted model",
    said="with {what}",
    paid_for="by the token",
    look=Look("#a16207", "#fde047", "longdash", "circle"),
    layer=MixLayerStyle("Pay by the token", hatch="-", peaks="pay for the peaks by the token"),
    inputs="hosted",
    when_empty="left out",
    filled_by_service=True,
    by_the_token=True,
)
