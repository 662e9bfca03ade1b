"""Charts in the money shown: what is drawn in dollars, converted once, where a figure is finished."""

import math
import re
from typing import Any

from planner.report import words
from planner.scenario.shown_money import ShownMoney, shown_money
from pricing.exchange import DOLLAR

Part = dict[str, Any]
_HOVER = re.compile(r"\$?%{(\w+):\$?([^}]*)}")  # $%{x:.2f}, %{y:$,.0f}


def in_shown_money(data: list[Part], layout: Part) -> tuple[list[Part], Part]:
    """Return traces and layout with every axis of dollars in the money shown."""
    money = shown_money()
    if money.code == DOLLAR:
        return data, layout
    axes = {name: layout[f"{name}axis"] for name in "xy"}
    in_usd = {name: axis.get("type") == "log" for name, axis in axes.items() if _is_money(axis)}
    converted: Part = {f"{name}axis": _axis(axes[name], is_log, money) for name, is_log in in_usd.items()}
    for name in ("shapes", "annotations"):
        converted[name] = [_mark(part, in_usd, name == "annotations", money) for part in layout.get(name, ())]
    return [_trace(trace, tuple(in_usd), money) for trace in data], layout | converted


def _is_money(axis: Part) -> bool:
    title = str(axis.get("title", {}).get("text", ""))
    return DOLLAR in title or "$" in f"{axis.get('tickformat', '')}{axis.get('tickprefix', '')}{axis.get('ticktext')}"


def _scaled(value: Any, money: ShownMoney) -> Any:
    if isinstance(value, list | tuple):
        return [_scaled(each, money) for each in value]
    return money.amount(value) if isinstance(value, int | float) and math.isfinite(value) else value


def _place(value: float, is_log: bool, money: ShownMoney) -> float:
    """Return a place on an axis; on a logarithmic one it is a power of ten."""
    return value - math.log10(money.usd_per_unit) if is_log else money.amount(value)


def _axis(axis: Part, is_log: bool, money: ShownMoney) -> Part:
    title = axis.get("title", {})
    changed: Part = {"title": title | {"text": title["text"].replace(DOLLAR, money.code)}} if title else {}
    if "ticktext" in axis:  # round dollars are no round amounts of another money
        ticks = [words.round_significant(money.amount(usd), 1) for usd in axis["tickvals"]]
        texts = [words.format_usd_short(tick * money.usd_per_unit) for tick in ticks]
        changed |= {"tickvals": ticks, "ticktext": texts}
    else:
        changed["tickprefix"] = money.mark
    if "tickformat" in axis:
        changed["tickformat"] = axis["tickformat"].replace("$", "")
    if "range" in axis:
        changed["range"] = [_place(end, is_log, money) for end in axis["range"]]
    return axis | changed


def _trace(trace: Part, in_usd: tuple[str, ...], money: ShownMoney) -> Part:
    """Return a trace with what it shows on the axes of money, and in its hover, converted."""
    hover = str(trace.get("hovertemplate", ""))
    changed = {name: _scaled(trace[name], money) for name in in_usd if name in trace}
    for error in (f"error_{name}" for name in in_usd if f"error_{name}" in trace):
        sides = {side: _scaled(trace[error][side], money) for side in ("array", "arrayminus")}
        changed[error] = trace[error] | sides
    if "base" in trace and in_usd:
        changed["base"] = _scaled(trace["base"], money)
    if "%{customdata:$" in hover:
        changed["customdata"] = _scaled(trace["customdata"], money)
    if "$" in hover:
        changed["hovertemplate"] = _HOVER.sub(lambda match: _written(match, money), hover)
    bar = trace.get("colorbar", {})
    if "$" in str(bar.get("tickformat", "")):
        changed |= {name: _scaled(trace[name], money) for name in ("z", "zmin", "zmax")}
        changed["colorbar"] = bar | {"tickformat": bar["tickformat"].replace("$", ""), "tickprefix": money.mark}
    return trace | changed


def _written(match: re.Match[str], money: ShownMoney) -> str:
    return f"{money.mark}%{{{match[1]}:{match[2]}}}" if "$" in match[0] else match[0]


def _mark(part: Part, in_usd: dict[str, bool], is_note: bool, money: ShownMoney) -> Part:
    """Return a shape or a note with its places on the axes of money converted; a note counts in powers of ten."""
    changed: Part = {}
    for name, is_log in in_usd.items():
        if part.get(f"{name}ref", name) == name:
            places = (key for key in (name, f"{name}0", f"{name}1") if key in part)
            changed |= {key: _place(part[key], is_log and is_note, money) for key in places}
    return part | changed
