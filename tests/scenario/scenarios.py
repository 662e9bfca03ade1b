"""Any scenario at all, for hypothesis: drawn from what the records say they take."""

from datetime import date, timedelta
from typing import Any

from hypothesis import strategies as st
from pydantic import ValidationError

from planner.scenario.base import MOST_ACCELERATORS
from planner.scenario.fields import FieldSpec, field_spec
from planner.scenario.path import Path
from planner.scenario.scenario import Scenario
from pricing.formulas import unseen

_SHOWN = st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"]).filter(lambda mark: not unseen(mark))
_TEXT = st.text(_SHOWN, min_size=1, max_size=20)


def scenarios() -> st.SearchStrategy[Scenario]:
    """Scenarios that agree with themselves."""
    return _record(()).map(_agreeing).filter(_can_be_reckoned).map(Scenario.model_validate)


def _can_be_reckoned(data: dict[str, Any]) -> bool:
    """Whether the plan keeps to the budget of one plan; a few in a thousand do not."""
    try:
        Scenario.model_validate(data)
    except ValidationError as error:
        assert "times what one plan may take" in str(error), error
        return False
    return True


def _field(path: Path, about: FieldSpec) -> st.SearchStrategy[Any]:
    if about.kind == "record":
        return _record(path)
    if about.kind != "list":
        return _value(about)
    item = field_spec((*path, 0))
    assert item is not None
    few = st.lists(_field((*path, 0), item), min_size=about.shortest or 0, max_size=min(about.longest or 3, 3))
    return few.map(tuple)


_CODES = {"^[A-Z]{3}$": ["EUR", "JPY"], "^[A-Z]{2}$": ["DE", "FR", "US"]}  # of currencies and of countries


def _value(about: FieldSpec) -> st.SearchStrategy[Any]:
    made: dict[str, st.SearchStrategy[Any]] = {
        "text": st.sampled_from(_CODES[about.pattern]) if about.pattern else _TEXT,
        "day": st.dates(date(2020, 1, 1), date(2030, 1, 1)),
        "choice": st.sampled_from(about.choices or ("",)),
        "switch": st.booleans(),
    }
    if about.kind == "whole":
        return st.integers(int(about.low or 0), int(about.high or 100))
    return made[about.kind] if about.kind in made else st.floats(about.low, about.high, exclude_min=about.above)


def _record(path: Path) -> st.SearchStrategy[dict[str, Any]]:
    about = field_spec(path)
    assert about is not None
    fields = {name: field_spec((*path, name)) for name in about.fields}
    made = {name: _field((*path, name), inner) for name, inner in fields.items() if inner is not None}
    needed = {name: made.pop(name) for name in about.required}
    return st.fixed_dictionaries(needed, optional=made)


def _agreeing(data: dict[str, Any]) -> dict[str, Any]:  # noqa: C901 - one line for each record
    """The same without what the fields of a record forbid each other."""
    for work in data.get("work", ()):
        _agreeing_work(work)
        if work.get("last_month", 120) < work.get("first_month", 1):
            del work["last_month"]
    for quote in data.get("quotes", ()):
        _agreeing_quote(quote)
    kept = data.get("kept", {})
    if kept.get("idle_power_w_each", 0.0) > kept.get("power_w_each", 0.0):
        del kept["idle_power_w_each"]
    if "volume" in data.get("reserve", {}):
        data["reserve"]["volume"] = _falling(data["reserve"])
    tax = data.get("tax", {})
    if tax.get("shares_by_year"):
        tax["shares_by_year"] = (0.25, 0.7, 0.05)
    if "forward_usd_per_accelerator_hour" not in data.get("rent", {}):
        data.get("rent", {}).pop("forward_fee_usd", None)
    _agreeing_own(data.get("own", {}), data.get("years", 3.0) * 12)
    _ordered(data.get("own", {}), "accelerators", data.get("years", 3.0) * 12)
    _ordered(data.get("mix", {}), "own_accelerators", data.get("years", 3.0) * 12)
    _within_the_plan(data, data.get("years", 3.0) * 12)
    for one in data.get("measured", ()):
        _agreeing_runs(one)
    if "models" in data:
        data["models"] = tuple({one["name"]: _agreeing_shape(one) for one in data["models"]}.values())
    data["ways"] = tuple(dict.fromkeys(way for way in data.get("ways", ()) if way not in ("keep", "mix")))
    return data


def _agreeing_quote(quote: dict[str, Any]) -> None:
    if "ends" in quote:
        quote |= {"starts": quote["ends"] - timedelta(days=40), "accelerators": quote.get("accelerators") or 8}
    elif quote.get("accelerators") is None:
        quote.pop("starts", None)


def _agreeing_shape(model: dict[str, Any]) -> dict[str, Any]:
    """What of a shape never contradicts the rest of it, with mixers of one layer."""
    free = ("name", "params_b", "hidden", "vocab", "context", "weights", "rest_weights", "gated", "tied_embeddings")
    free = (*free, "output_gate", "positions", "lookup_params_b", "prediction_layers", "modality", "keys_as_values")
    kept = {name: value for name, value in model.items() if name in free}
    if "linear" in model:
        kept |= {"layers": 7, "linear": {**model["linear"], "layers": 4}}
    if "window" in model:
        kept["window"] = {**model["window"], "layers": 1, "of": 2}
    return kept


def _agreeing_own(own: dict[str, Any], months: float) -> None:
    if own.get("resale_month", 0) > months:
        del own["resale_month"]
    if own.get("order_month", 0) >= months:
        del own["order_month"]
    if "guaranteed_residual_share" not in own:
        own.pop("guarantee_cost_share", None)
    if any(name in own for name in ("residual_share", "host_residual_share", "guaranteed_residual_share")):
        own.pop("forward_residual_share", None)
    if any("residual_share" in one for one in own.get("orders", ())):
        own.pop("forward_residual_share", None)
    if own.get("power_at_load"):
        own.pop("busy_power_share", None)
        own.pop("idle_power_share", None)
        shares = sorted(one["power_share"] for one in own["power_at_load"])
        loads = (0.0, 1.0) if len(shares) < 3 else (0.0, 0.5, 1.0)
        points = zip(loads, (*shares, shares[-1]), strict=False)
        own["power_at_load"] = tuple({"load": load, "power_share": share} for load, share in points)


def _ordered(part: dict[str, Any], total: str, months: float) -> None:
    """Orders one after the other within the plan, instead of a number of all."""
    orders = {one.get("month", 0): one for one in part.get("orders", ()) if one.get("month", 0) < months}
    while sum(order["accelerators"] for order in orders.values()) > MOST_ACCELERATORS:
        orders.popitem()
    if "orders" in part:
        part["orders"] = tuple(orders[month] for month in sorted(orders))
    for one in orders.values():
        one["accelerators"] = min(one["accelerators"], 300_000)  # three orders are then no more than one may have
    if orders:
        part[total] = sum(one["accelerators"] for one in orders.values())
        part.pop("order_month", None)


def _within_the_plan(data: dict[str, Any], months: float) -> None:
    """Nothing is ordered once it is over."""
    if any(one.get("from_month", 1) > months for one in data.get("reserve", {}).get("orders", ())):
        del data["reserve"]["orders"]


def _falling(reserve: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """Prices for a volume of more and more accelerators at less and less, below the usual one."""
    usd = reserve.get("usd_per_accelerator_hour") or 1e9
    numbers = sorted({one["from_accelerators"] for one in reserve["volume"]})
    prices = sorted({one["usd_per_accelerator_hour"] for one in reserve["volume"]} - {usd}, reverse=True)
    pairs = zip(numbers, (price for price in prices if price < usd), strict=False)
    return tuple({"from_accelerators": number, "usd_per_accelerator_hour": price} for number, price in pairs)


def _agreeing_runs(one: dict[str, Any]) -> None:
    for other in ("low", "high", *(("engine",) if one["kind"] == "training" else ("precision", "method"))):
        one.pop(other, None)
    if one["ratio"] > 1:
        one |= {"low": one["ratio"] / 2, "high": one["ratio"] * 2}


def _agreeing_work(work: dict[str, Any]) -> None:
    most = work.setdefault("accelerators", 8)
    if work.get("accelerator_hours_per_month", 0.0) > most * 672:
        work.pop("accelerator_hours_per_month")
    _one_way_to_tell(work)
    _within_the_hours(work, most)
    if work.get("season"):
        work["season"] = tuple(work["season"][:1] * 12)
    if "by_hour" in work:
        work["by_hour"] = (1.0, *(work["by_hour"][:1] * 24)[:23]) if work["by_hour"] else ()
    if work.get("accelerators_per_job", 0) > most:
        del work["accelerators_per_job"]
    for job in work.get("jobs", ()):
        if job.get("within_days", 3_650.0) * 24 < job["hours"]:
            del job["within_days"]


def _one_way_to_tell(work: dict[str, Any]) -> None:
    """Hours, a share of them, or a model: never two of them at once."""
    serve = work.get("serve") or {}
    if serve.get("peak_requests_per_s", 1e9) < serve.get("requests_per_s", 1.0):
        del serve["peak_requests_per_s"]
    if work.get("may_wait") or work.get("train") or work.get("run"):
        work.pop("by_hour", None)
    ways_to_tell = ("train", "serve", "run", "busy_share", "accelerator_hours_per_month", "people", "jobs_per_week")
    told = [name for name in ways_to_tell if work.get(name) is not None]
    for name in told[1:]:
        work.pop(name)


def _within_the_hours(work: dict[str, Any], most: int) -> None:
    """People and jobs who take no more hours than there are."""
    if work.get("people") is None:
        work.pop("hours_per_person", None)
    if work.get("jobs_per_week") is None:
        work.pop("hours_per_job", None)
    if work.get("people", 0) * (work.get("hours_per_person") or 160) > most * 672:
        del work["people"]
        work.pop("hours_per_person", None)
    if work.get("jobs_per_week", 0) * 4.4 * (work.get("hours_per_job") or 8) > 672:
        del work["jobs_per_week"]
        work.pop("hours_per_job", None)
