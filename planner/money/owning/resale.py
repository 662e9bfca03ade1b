"""What the machines bring when they go: the market's price, one agreed today, or at least what somebody guarantees.

Shares are shares of the dollars that were paid. What is sold at a replacement is sold on the terms of what is sold in
the end, and the new machines have a guarantee of their own.
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.money.formula import Num
from planner.money.inflation import agreed
from planner.money.input_sheet import TRIED, Basis
from planner.money.ledger import YOUR_INPUT, Line
from planner.money.owning.inputs import TIMES
from planner.money.setting import Setting
from planner.money.timeline import Holding
from planner.scenario.own import Own

LATER = "(1 + hardware_price_change_per_year)"
GUARANTEE = "Guarantee of the resale"
TOP_UP = "Paid up to the guarantee"
_REPLACED = " of what is replaced"


@dataclass(frozen=True)
class _Moment:
    """When machines come or go, and of which day their price is."""

    when: str  # its months; of a replacement, with what prices have changed by
    priced_after_years: Num
    of: str = ""  # what its lines say behind their names
    left: str = "residual_share"  # the input that says what is left of the price


def sale_lines(
    put: Basis, setting: Setting, price: str, host_part: str | None, held: Holding, *, replaces: bool
) -> tuple[Line, ...]:
    """The lines of every sale. `host_part` is the formula for the host's part of the price; None where it has none."""
    own = setting.scenario.own
    _say(put, own)
    apart = host_part if own.host_residual_share is not None else None
    come = [_Moment("delivered", held.ordered_years)]
    go = [_Moment("sold", held.ordered_years)]
    if replaces:
        come.append(_later(put, "new", "refreshes", _REPLACED))
        go = [_later(put, "old", "refreshes", _REPLACED, "residual_share_at_refresh"), _later(put, "last", "sold")]
    parts = [] if own.guaranteed_residual_share is None else [(one, _guarantee(put, price, one)) for one in come]
    parts += [(one, _sold(put, own, price, apart, one)) for one in go]
    return tuple(line for one, lines in parts for line in agreed(setting, lines, one.priced_after_years))


def _later(put: Basis, which: str, flag: str, of: str = "", left: str = "residual_share") -> _Moment:
    """A moment of a plan that replaces its machines: those at hand were bought at the price of another day."""
    name = f"{which}_price_after_years"
    return _Moment(f"{LATER} ** {name} * {flag}", put.used[name].value, of, left)


def _say(put: Basis, own: Own) -> None:
    """Says what was agreed on the resale, and what is left of the host where that is another share."""
    for name in ("guaranteed_residual_share", "guarantee_cost_share", "forward_residual_share"):
        put.say(name, getattr(own, name) or 0.0, "share of the price", YOUR_INPUT)
    if own.host_residual_share is not None:
        times = put.tried.get(TIMES, 1.0)
        where = TRIED if TIMES in put.tried else YOUR_INPUT
        put.say("host_residual_share", own.host_residual_share * times, "share of the host's price", where)


def _guarantee(put: Basis, price: str, moment: _Moment) -> tuple[Line, ...]:
    """What the guarantee costs, paid when the machines come."""
    how = f"{price} * guarantee_cost_share * {moment.when}"
    return (put.line(f"{GUARANTEE}{moment.of}", "resale", how),)


def _sold(put: Basis, own: Own, price: str, host_part: str | None, moment: _Moment) -> tuple[Line, ...]:
    """What one sale brings: what was agreed, or what the market pays and what a guarantee pays above it."""
    if own.forward_residual_share is not None:
        how = f"-1 * {price} * forward_residual_share * {moment.when}"
        return (put.line(f"Resale{moment.of}", "resale", how, treatment="sale"),)
    sold, left = f"-1 * {price} * (1 - selling_cost_share)", moment.left
    shares = {"Resale": left}
    if host_part is not None:
        of_host = f"{host_part} * host_residual_share"
        shares = {"Resale, GPUs": f"(1 - {host_part}) * {left}", "Resale, hosts": of_host}
        left = " + ".join(shares.values())
    lines = tuple(
        put.line(f"{name}{moment.of}", "resale", f"{sold} * {share} * {moment.when}", treatment="sale")
        for name, share in shares.items()
    )
    if own.guaranteed_residual_share is None:
        return lines
    short = f"max(guaranteed_residual_share - (1 - selling_cost_share) * ({left}), 0)"
    how = f"-1 * {price} * {short} * {moment.when}"
    return (*lines, put.line(f"{TOP_UP}{moment.of}", "resale", how, treatment="sale"))
