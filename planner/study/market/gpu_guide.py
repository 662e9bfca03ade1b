"""Which GPU for what: for learning, fine-tuning, training, serving and a bit of everything, asked of the whole market.

Each use stands for a typical job, which is data with its reason. What is named follows from prices and speeds, so it
changes with them; nothing is recommended by hand.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Literal

from pydantic import Field

from planner.money.renting.cheapest_offer import hired
from planner.money.ways import WAYS
from planner.scenario.presets import preset
from planner.scenario.scenario import ANY_ACCELERATOR, Scenario
from planner.scenario.ways import Way
from planner.study.data_files import Said, read_data
from planner.study.market.hours_needed import Progress, has_task
from planner.study.market.survey import Market, MarketCandidate, market
from pricing import Catalogue
from pricing.caching import cached
from pricing.figure import StrictModel, Text

Key = Literal["learning", "fine-tuning", "training", "serving", "mixed"]


class Use(Said):
    """One use with the job that stands for it: a preset's, or one of its own; paid by the hour where hours are said."""

    key: Key = Field(description="which of the uses it is")
    label: Text = Field(description="what people call it")
    what: Text = Field(description="the typical job in a sentence")
    preset: str | None = Field(default=None, description="the preset whose job it is; or a scenario")
    scenario: Scenario | None = Field(default=None, description="the job itself, where no preset has it")
    hours_per_month: Annotated[float, Field(gt=0.0)] | None = Field(
        default=None, description="paid by the hour for so many; absent: for the job"
    )
    session_hours: Annotated[float, Field(gt=0.0)] = Field(default=1.0, description="how long one session lasts")

    @property
    def job(self) -> tuple[str, Scenario]:
        """The job in words, and as a scenario whose accelerator is open."""
        there = None if self.preset is None else preset(self.preset)
        scenario = self.scenario if there is None else there.scenario
        assert scenario is not None  # the data say one or the other
        return self.what, scenario.model_copy(update={"accelerator": ANY_ACCELERATOR})


class MixedUse(Said):
    """Several uses on one kind of accelerator."""

    key: Key = Field(description="which of the uses it is")
    label: Text = Field(description="what people call it")
    of: tuple[Key, ...] = Field(description="the uses that share one kind of accelerator")


class GpuUses(StrictModel):
    """All of them."""

    uses: tuple[Use, ...] = Field(description="one typical job each")
    mixed: MixedUse = Field(description="a bit of everything")


@cached(1)
def uses() -> GpuUses:
    """The uses that people ask about."""
    return GpuUses.model_validate(read_data("uses.yaml"))


@dataclass(frozen=True)
class GuidePick:
    """One accelerator in one number, and how it is paid for."""

    accelerator: str
    label: str
    accelerators: int
    way: Way
    provider: str | None
    offer: str | None
    usd_per_hour: float | None  # of one accelerator, as it is posted; None where it is bought
    usd_each: float | None  # of one that is bought
    price_day: date | None  # when somebody last looked at that price
    usd: float  # a month, or the run
    days: float | None  # of a run


@dataclass(frozen=True)
class GuideChoice:
    """What to choose for one use, and what it was chosen from."""

    key: Key
    label: str
    what: str
    picks: tuple[GuidePick, ...]  # one; of a mixed use one for each of its jobs; none where nothing does it
    monthly: bool
    able: int  # kinds of accelerator that do it at a known price
    next: GuidePick | None  # the cheapest on another kind of accelerator
    next_usd: float | None  # what that comes to in all
    by_token: GuidePick | None  # the same tokens by somebody else's machines, where that costs less
    kind: str
    source: str
    reason: str

    @property
    def usd(self) -> float:
        """What the choice costs: a month, or the run. [USD]"""
        return sum(one.usd for one in self.picks)


def choices(catalogue: Catalogue, day: date, progress: Progress = lambda _: None) -> tuple[GuideChoice, ...]:
    """What to choose for each use. Takes a second for each the first time."""
    known, found, markets = uses(), list[GuideChoice](), dict[Key, Market]()
    for at, use in enumerate(known.uses):
        what, scenario = use.job
        counts = (1,) if use.hours_per_month else ()
        markets[use.key] = one = market(catalogue, scenario, day, counts=counts)
        of_one = (
            _hourly_picks(catalogue, use, one, day) if use.hours_per_month else _picks_by_accelerator(catalogue, [one])
        )
        monthly = one.monthly or use.hours_per_month is not None
        found.append(_choice(use, what, of_one, monthly, _by_token(catalogue, one)))
        progress((at + 1) / len(known.uses))
    mixed = known.mixed
    both = _picks_by_accelerator(catalogue, [markets[key] for key in mixed.of])
    return (*found, _choice(mixed, mixed.reason, both, monthly=True))


def together(catalogue: Catalogue, scenario: Scenario, day: date) -> tuple[GuidePick, ...]:
    """All works of a scenario that say what they do, on one kind of accelerator, for the least; one pick for each.

    Nothing where there are fewer than two, where none does all of them, or where some go on and others are run once.
    """
    works = [work for work in scenario.work if has_task(work)]
    free = scenario.model_copy(update={"accelerator": ANY_ACCELERATOR})
    if len(works) < 2:
        return ()
    markets = [market(catalogue, free.model_copy(update={"work": (work,)}), day) for work in works]
    if len({one.monthly for one in markets}) > 1:
        return ()
    return min(_picks_by_accelerator(catalogue, markets).values(), key=_usd, default=())


_Picks = Mapping[str, tuple[GuidePick, ...]]


def _usd(picks: Sequence[GuidePick]) -> float:
    return sum(one.usd for one in picks)


def _choice(
    use: Use | MixedUse, what: str, of: _Picks, monthly: bool, by_token: GuidePick | None = None
) -> GuideChoice:
    ranked = sorted(of.values(), key=lambda picks: (_usd(picks), picks[0].accelerator))
    best = ranked[0] if ranked else ()
    return GuideChoice(
        key=use.key, label=use.label, what=what, picks=best, monthly=monthly, able=len(ranked),
        next=ranked[1][0] if len(ranked) > 1 else None, next_usd=_usd(ranked[1]) if len(ranked) > 1 else None,
        by_token=by_token if by_token and best and by_token.usd < _usd(best) else None,
        kind=use.kind, source=use.source, reason=use.reason,
    )  # fmt: skip


def _picks_by_accelerator(catalogue: Catalogue, markets: Sequence[Market]) -> _Picks:
    """For each accelerator that does all of the jobs, its cheapest try of each."""
    cheapest: list[dict[str, MarketCandidate]] = []
    for one in markets:
        found: dict[str, MarketCandidate] = {}
        for each in sorted(
            filter(_is_feasible, one.tries), key=lambda each: (each.cost, each.speed, each.accelerators)
        ):
            found.setdefault(each.accelerator, each)
        if one.best is not None and one.best.accelerator:
            found[one.best.accelerator] = one.best  # of what costs the same, `cheapest` takes what is done soonest
        cheapest.append(found)
    able = set.intersection(*(set(one) for one in cheapest))
    return {
        key: tuple(_pick(catalogue, one[key], each) for one, each in zip(cheapest, markets, strict=True))
        for key in sorted(able)
    }


def _is_feasible(one: MarketCandidate) -> bool:
    """Whether it does the work in time at a known price: it lost at most to what is cheaper or sooner."""
    return bool(one.accelerator) and (one.why_not is None or one.why_not.is_dominated) and one.way != "keep"


def _pick(catalogue: Catalogue, one: MarketCandidate, found: Market) -> GuidePick:
    posted = catalogue.offers.get(one.offer or "")  # what is sold by the token is no offer of machines
    offer = None if posted is None else posted.usd_per_accelerator_hour
    bought = catalogue.accelerators[one.accelerator].price_usd if one.way == "own" and one.accelerator else None
    looked = None if one.age_days is None or found.day is None else found.day - timedelta(days=one.age_days)
    return GuidePick(
        accelerator=one.accelerator, label=one.label, accelerators=one.at_once or one.accelerators, way=one.way,
        provider=one.provider, offer=one.offer, usd_per_hour=None if offer is None else offer.newest.typical,
        usd_each=None if bought is None else bought.newest.typical, price_day=looked, usd=one.cost,
        days=None if one.days is None else one.days.typical,
    )  # fmt: skip


def _by_token(catalogue: Catalogue, found: Market) -> GuidePick | None:
    """Paying by the token, where that is the cheapest of all tries."""
    return _pick(catalogue, found.best, found) if found.best and WAYS[found.best.way].by_the_token else None


def _hourly_picks(catalogue: Catalogue, use: Use, found: Market, day: date) -> _Picks:
    """For each accelerator that does the job in time: its cheapest hour, for as many hours as are wanted."""
    assert use.hours_per_month is not None
    picks = {}
    for one in _in_time(found.tries, found.deadline_days):
        there = hired(catalogue, one.accelerator, accelerators=1, hours=use.session_hours, together=1, day=day)
        if there is None:
            continue
        picks[one.accelerator] = (
            GuidePick(
                accelerator=one.accelerator, label=one.label, accelerators=1, way="on_demand",
                provider=there.provider, offer=there.offer, usd_per_hour=there.list_usd_per_accelerator_hour,
                usd_each=None, price_day=there.checked, usd=there.usd_per_accelerator_hour * use.hours_per_month,
                days=None if one.days is None else one.days.typical,
            ),
        )  # fmt: skip
    return picks


def _in_time(tries: Iterable[MarketCandidate], deadline_days: float | None) -> Iterable[MarketCandidate]:
    """One try for each accelerator that does the job, whoever rents it and whatever that costs."""
    found: dict[str, MarketCandidate] = {}
    for one in tries:
        fits = one.accelerator and one.days is not None and one.way == "on_demand"
        if fits and (deadline_days is None or (one.days and one.days.typical <= deadline_days)):
            found.setdefault(one.accelerator, one)
    return found.values()
