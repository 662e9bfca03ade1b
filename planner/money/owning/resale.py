"""What the machines bring when they go: the market's price, one agreed today, or at least what somebody guarantees.

Shares are shares of the dollars that were paid. What is sold at a replacement is sold on the terms of what is sold in
the end, and the new machines have a guarantee of their own.
"""

from dataclasses import dataclass, replace

from planner.money.formula import Num
from planner.money.inflation import agreed
from planner.money.input_sheet import TRIED, Basis
from planner.money.ledger import COMPUTED, YOUR_INPUT, Line
from planner.money.owning.inputs import TIMES
from planner.money.owning.instalments import value
from planner.money.setting import Setting
from planner.money.timeline import Holding
from planner.scenario.own import Own

LATER = "(1 + hardware_price_change_per_year)"
PRICED = "priced_after_years"  # of an order with a price of its own: from today to the month it is typed for
HOST = "host_part"  # of the price
COST, GUARANTEED = "guarantee_cost_share", "guaranteed_residual_share"
_REPLACED = " of what is replaced"


@dataclass(frozen=True, eq=False)
class _Moment:
    """When machines come or go, and of which day their price is."""

    when: str  # its months; of a replacement, with what prices have changed by
    priced_after_years: Num
    of: str = ""  # what its lines say behind their names
    left: str = "residual_share"  # the input that says what is left of the price


def sale_lines(
    put: Basis, setting: Setting, price: str, host_part: str | None, held: Holding, *, replaced: str | None
) -> tuple[Line, ...]:
    """The lines of every sale. `host_part` is the formula for the host's part of the price; None where it has none.

    `price` is that of the order; `replaced` the price that what replaces it starts from, None where nothing does.
    """
    own = setting.scenario.own
    _say(put, own)
    if host_part is not None and own.host_residual_share is not None:
        put.say(HOST, value(put, host_part), "share of the price", replace(COMPUTED, note=host_part))
    come = {_Moment("delivered", held.ordered_years): price}
    go = {_Moment("sold", held.ordered_years): price}
    if replaced is not None:
        come[_later(put, "new", "refreshes", _REPLACED)] = replaced
        old = _later(put, "old", "refreshes", _REPLACED, "residual_share_at_refresh")
        go = {old: replaced, _later(put, "last", "sold"): replaced}
    guaranteed = {} if own.guaranteed_residual_share is None else come
    parts = [(one, _guarantee(put, paid, one)) for one, paid in guaranteed.items()]
    parts += [(one, _sold(put, own, paid, one)) for one, paid in go.items()]
    return tuple(line for one, lines in parts for line in agreed(setting, lines, one.priced_after_years))


def become(put: Basis, name: str) -> str:
    """By how much the price of the machines has changed on a later day: since today, or since its own day."""
    return f"{LATER} ** ({name} - {PRICED})" if PRICED in put.used else f"{LATER} ** {name}"


def _later(put: Basis, which: str, flag: str, of: str = "", left: str = "residual_share") -> _Moment:
    """A moment of a plan that replaces its machines: those at hand were bought at the price of another day."""
    name = f"{which}_price_after_years"
    return _Moment(f"{become(put, name)} * {flag}", put.used[name].value, of, left)


def _say(put: Basis, own: Own) -> None:
    """Says what was agreed on the resale, and what is left of the host where that is another share."""
    for name in (GUARANTEED, COST, "forward_residual_share"):
        put.say(name, getattr(own, name) or 0.0, "share of the price", YOUR_INPUT)
    if own.host_residual_share is not None:
        times = put.tried.get(TIMES, 1.0)
        where = TRIED if TIMES in put.tried else YOUR_INPUT
        put.say("host_residual_share", own.host_residual_share * times, "share of the host's price", where)


def _guarantee(put: Basis, price: str, moment: _Moment) -> tuple[Line, ...]:
    """What the guarantee costs, paid when the machines come."""
    how = f"{price} * {COST} * {moment.when}"
    return (put.line(f"Guarantee of the resale{moment.of}", "resale", how),)


def _sold(put: Basis, own: Own, price: str, moment: _Moment) -> tuple[Line, ...]:
    """What one sale brings: what was agreed, or what the market pays and what a guarantee pays above it."""
    if own.forward_residual_share is not None:
        how = f"-1 * {price} * forward_residual_share * {moment.when}"
        return (put.line(f"Resale{moment.of}", "resale", how, treatment="sale"),)
    sold, left = f"-1 * {price} * (1 - selling_cost_share)", moment.left
    shares = {"Resale": left}
    if HOST in put.used:
        shares = {"Resale, GPUs": f"(1 - {HOST}) * {left}", "Resale, hosts": f"{HOST} * host_residual_share"}
        left = " + ".join(shares.values())
    lines = tuple(
        put.line(f"{name}{moment.of}", "resale", f"{sold} * {share} * {moment.when}", treatment="sale")
        for name, share in shares.items()
    )
    if own.guaranteed_residual_share is None:
        return lines
    short = f"max({GUARANTEED} - (1 - selling_cost_share) * ({left}), 0)"
    how = f"-1 * {price} * {short} * {moment.when}"
    return (*lines, put.line(f"Paid up to the guarantee{moment.of}", "resale", how, treatment="sale"))
