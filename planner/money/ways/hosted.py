"""Hosted: somebody else's model behind an API, paid by the token."""

from dataclasses import replace
from datetime import date

from planner.money.formula import Num
from planner.money.inflation import deflate_lines
from planner.money.ledger import COMPUTED, YOUR_INPUT, InputSheet, Line, origin
from planner.money.option import ChartStyle, MixLayerStyle, OptionLedger, OptionSpec, Unavailable
from planner.money.setting import PlanContext
from planner.money.timeline import PLAN
from planner.scenario.amounts import count
from planner.scenario.rent import HostedModelInputs
from pricing import Figure
from pricing.belief import worth_alone
from pricing.records import HostedPrice
from pricing.stale import OLDEST_DAYS

UNIT = "USD/Mtoken"
_ADAPTERS = "Your LoRA adapters are served at the base model's price, as a list without a day says: ask the seller"


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """Build all work done by purchased tokens. Their number grows and has seasons as the work has."""
    notes = (_ADAPTERS,) if setting.resolved is not None and setting.resolved.hosts_adapters else ()
    return _token_ledger(setting, setting.scenario.hosted, "Pay by the token", *notes)


def priced_tokens(setting: PlanContext, price: str, title: str, *notes: str) -> OptionLedger | Unavailable:
    """Build all work by the tokens of the plan, at another price of the catalogue."""
    at_price = {"price": price, "usd_per_million_input_tokens": None, "usd_per_million_output_tokens": None}
    hosted = setting.scenario.hosted
    return _token_ledger(setting, hosted and hosted.model_copy(update=at_price), title, *notes)


def _token_ledger(
    setting: PlanContext, hosted: HostedModelInputs | None, title: str, *notes: str
) -> OptionLedger | Unavailable:
    lines = token_lines(setting, setting.demand.work_level, hosted=hosted)
    if isinstance(lines, Unavailable):
        return lines
    price, what = None if hosted is None else _price(setting, hosted), "your price"
    if isinstance(price, HostedPrice):
        read = price.input_usd_per_mtoken
        is_old = read.age_days(setting.day) > OLDEST_DAYS
        what = f"{price.label} of {price.vendor}{f' at its price of {read.checked:%B %Y}' if is_old else ''}"
    return OptionLedger(
        title=title,
        what=what,
        lines=lines,
        useful_hours=setting.demand.all.busy_hours,
        accelerators=0.0,
        warnings=notes,
    )


def token_lines(
    setting: PlanContext, work_level: Num, when: Num | None = None, hosted: HostedModelInputs | None = None
) -> tuple[Line, ...] | Unavailable:
    """Return the tokens of so many times the usual work, in the share of each month that `when` gives."""
    hosted = hosted or setting.scenario.hosted
    if hosted is None:
        return Unavailable("no tokens are entered: fill in hosted to compare with a model behind an API")
    fields = ("million_input_tokens_per_month", "million_output_tokens_per_month")
    lacking = " and ".join(f"hosted.{name}" for name in fields if getattr(hosted, name) is None)
    if lacking:
        return Unavailable(f"how many tokens are there? enter {lacking}, or a work with serve, which says them")
    price = _price(setting, hosted)
    if isinstance(price, Unavailable):
        return price
    put = setting.work_sheet()
    if when is not None:
        put.add("runs", when, "share of each month", PLAN)
    put.add("work_level", work_level, "times the usual work", COMPUTED)
    for name in ("input", "output"):
        tokens, usd = f"million_{name}_tokens_per_month", f"usd_per_million_{name}_tokens"
        put.add(tokens, getattr(hosted, tokens), "million tokens a month", YOUR_INPUT)
        figure = None if price is None else getattr(price, f"{name}_usd_per_mtoken")
        add_hosted_price(put, usd, figure, getattr(hosted, usd), setting.day)
    return deflate_lines(
        setting,
        tuple(
            put.line(
                title,
                "tokens",
                f"where(million_{name}_tokens_per_month > 0,"
                f" million_{name}_tokens_per_month * usd_per_million_{name}_tokens, 0) * work_level * runs",
            )
            for title, name in (("Tokens in", "input"), ("Tokens out", "output"))
        ),
    )


def _price(setting: PlanContext, hosted: HostedModelInputs) -> HostedPrice | Unavailable | None:
    if hosted.price is not None:
        missing = f"there is no price {hosted.price!r} in the catalogue of this day: choose another"
        return setting.catalogue.hosted.get(hosted.price) or Unavailable(missing)
    inputs = (
        ("input", hosted.million_input_tokens_per_month, hosted.usd_per_million_input_tokens),
        ("output", hosted.million_output_tokens_per_month, hosted.usd_per_million_output_tokens),
    )
    lacking = " and ".join(
        f"hosted.usd_per_million_{name}_tokens" for name, tokens, usd in inputs if tokens and usd is None
    )
    if not lacking:
        return None
    return Unavailable(f"what does a million tokens cost? name a hosted.price of the catalogue, or enter {lacking}")


def add_hosted_price(put: InputSheet, name: str, figure: Figure | None, yours: float | None, day: date) -> None:
    """Add a price by the token or the request: yours, or what a published one is worth on the day of the plan."""
    put.figure(name, figure, UNIT, yours)
    if yours is not None or figure is None or name in put.tried:
        return
    low, typical, high = worth_alone(figure, "hosted", day)
    where = origin(put.catalogue, figure)
    read = f"read {count(max(figure.age_days(day), 0), 'day')} before the plan; taken for {low:.3g} to {high:.3g} today"
    note = read if where.note is None else f"{read}. {where.note}"
    put.add(name, typical, figure.unit, replace(where, note=note), (low, high))


WAY = OptionSpec(
    key="hosted",
    place=9,
    side="rent",
    build=build,
    name="Hosted API",
    verdict_text="Use a hosted model",
    gerund="a hosted model",
    result_text="with {what}",
    purchase_text="by the token",
    style=ChartStyle("#a16207", "#fde047", "longdash", "circle"),
    layer=MixLayerStyle("Pay by the token", hatch="-", peaks="pay for the peaks by the token"),
    inputs="hosted",
    when_empty="left out",
    filled_by_service=True,
    is_billed_by_token=True,
)
