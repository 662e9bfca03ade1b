"""`prices` and `cheapest`: rental offers, and the market of one piece of work."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import date
from difflib import get_close_matches
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, Field

from planner.api.records import LoadedScenario, Result, stamp
from planner.report import words
from planner.scenario.base import MOST_ACCELERATORS, ScenarioModel
from pricing import Catalogue, meant
from pricing import names as naming
from pricing.choices import Area, Purchase, Trust
from pricing.figure import Day
from pricing.orderable import Order, staying
from pricing.query import OfferFilter, find

Sort = Literal["price", "instance", "age", "provider", "accelerator", "region"]
Name = Annotated[str, Field(min_length=1, max_length=160)]
Stay = Annotated[Name, Field(description="where the machines must be: eu, or countries by two letters: DE,FR")]
_KINDS = get_args(Purchase)


def _purchases(text: str) -> str:
    """Return kinds of purchase by their names, with commas between; raise ValueError for an unknown one."""
    selected: list[str] = []
    for word in map(str.strip, text.replace("-", "_").casefold().split(",")):
        if word == "reserved":
            selected += [kind for kind in _KINDS if kind.startswith("reserved")]
        elif word in _KINDS:
            selected.append(word)
        else:
            near = get_close_matches(word, _KINDS, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise ValueError(f"want {', '.join(_KINDS)} or reserved, got {word!r}.{hint}")
    return ",".join(selected)


class PriceRequest(ScenarioModel):
    """Rental offers, with age and source."""

    accelerator: Name | None = Field(default=None, description="H100-SXM5-80GB, mi300x, rtx 4090 …")
    provider: Name | None = None
    purchase: Annotated[Name, AfterValidator(_purchases)] | None = Field(
        default=None, description=f"{', '.join(_KINDS)}, or reserved for all of those; several with commas between"
    )
    region: Name | None = Field(default=None, description="part of a region's name, or an area: europe …")
    gpus: int | None = Field(default=None, ge=1, le=MOST_ACCELERATORS, description="offers that can provide so many")
    max_age_days: int | None = Field(default=None, ge=1, le=MOST_ACCELERATORS, description="hide older prices")
    trust: Trust = Field(default="estimated", description="the least a price must rest on")
    sort: Sort = "price"
    all: bool = Field(default=False, description="also what is listed but is no price to rent by")
    stay: Stay | None = None
    day: Day | None = Field(default=None, description="the day ages are counted to; today")


def prices(catalogue: Catalogue, wish: PriceRequest, day: date) -> Result:
    """Return the matching offers, and the number of hidden ones."""
    wanted = OfferFilter(
        accelerators=frozenset(meant.offered_accelerators(catalogue, wish.accelerator) if wish.accelerator else ()),
        providers=frozenset({naming.provider(catalogue, wish.provider)} if wish.provider else ()),
        purchases=frozenset((wish.purchase or "").split(",")) - {""},
        order=_order(catalogue, wish),
        max_age_days=wish.max_age_days,
        least_trust=wish.trust,
        doubtful=wish.all,
        **_place(wish.region),
    )
    # names are checked before numpy is loaded
    from planner.report.market.prices import offer_rows, offer_table, offer_text, order_data, order_line, sort_offers

    matches = find(catalogue, wanted, day)
    rows = offer_rows(catalogue, sort_offers(catalogue, matches.ids, wish.sort, day), day, wanted.areas)
    orders = []
    if wanted.order is not None:
        orders = order_data(catalogue, wanted.accelerators, wanted.purchases, wanted.order, day)
    hidden = words.counted(matches.hidden, "reason", "offers")
    return Result(
        lambda: offer_table(rows),
        lambda: stamp(catalogue, day) | {"offers": rows, "orders": orders, "hidden": hidden},
        lambda: "".join(
            f"{part}\n"
            for part in (*([offer_text(rows)] if rows else []), *(order_line(catalogue, row) for row in orders))
        ),
    )


def _order(catalogue: Catalogue, wish: PriceRequest) -> Order | None:
    if wish.gpus is None and wish.stay is None:
        return None
    from planner.scenario.rent import accepts_hosts

    count = wish.gpus or 1
    return Order(count, stay=staying(catalogue, wish.stay), hosts=accepts_hosts(count))


def _place(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    area = text.strip().casefold().replace(" ", "_").replace("-", "_")
    return {"areas": frozenset({area})} if area in get_args(Area) else {"region": text}


Progress = Callable[[float], None]


class MarketRequest(ScenarioModel):
    """Which GPU, how many, from whom, rented or bought: time against cost."""

    budget_usd: Annotated[float, Field(gt=0, le=1e12)] | None = Field(
        default=None, description="of the run; of a month for continuous work"
    )
    only: Name | None = Field(default=None, description="accelerators, with commas between; all where empty")
    counts: Name | None = Field(default=None, pattern=r"^[1-9]\d{0,6}(,[1-9]\d{0,6})*$", description="so many at once")
    day: Day | None = Field(default=None, description="the day of prices; the plan's, else today")


def market_of(
    loaded: LoadedScenario,
    *,
    budget_usd: float | None = None,
    accelerators: Sequence[str] = (),
    counts: Sequence[int] = (),
    progress: Progress | None = None,
) -> Result:
    """Return one piece of work on every accelerator, in every number and way of paying."""
    from planner.money.setting import show_money_in_plan
    from planner.report.forms import to_plain_data
    from planner.report.market.cheapest import market_data, market_table, market_text, single_gpu_kind_sentence
    from planner.study.market.gpu_guide import single_accelerator_picks
    from planner.study.market.survey import market

    show_money_in_plan(loaded.facts, loaded.scenario, loaded.day)
    result = market(
        loaded.facts,
        loaded.scenario,
        loaded.day,
        budget_usd=budget_usd,
        accelerators=accelerators,
        counts=counts,
        progress=progress,
    )
    mixed = single_accelerator_picks(loaded.facts, loaded.scenario, loaded.day)
    both = {"all_on_one_kind": [to_plain_data(asdict(pick)) for pick in mixed]}
    return Result(
        lambda: market_table(result),
        lambda: {**stamp(loaded.facts, loaded.day), **market_data(result), **both},
        lambda: market_text(result) + (f"\n{single_gpu_kind_sentence(mixed)}\n" if mixed else ""),
    )


def typical_uses(facts: Catalogue, day: date, progress: Progress | None = None) -> Result:
    """Return the GPU to choose for learning, fine-tuning, training, serving and a bit of everything."""
    from planner.report.market.cheapest import uses_data, uses_table, uses_text
    from planner.study.market.gpu_guide import guide_choices

    choices = guide_choices(facts, day, progress or (lambda _: None))
    return Result(
        lambda: uses_table(choices),
        lambda: {**stamp(facts, day), "uses": uses_data(choices)},
        lambda: uses_text(choices),
    )
