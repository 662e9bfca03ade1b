"""The GPU guide: for learning, fine-tuning, training, serving and mixed use, from a study of the whole market.

Each use stands for a typical job, which is data with its reason. The choice follows from prices and speeds and changes
with them; nothing is recommended by hand.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Literal

from pydantic import Field

from planner.money.renting.cheapest_offer import hired
from planner.money.ways import WAYS
from planner.scenario.presets import find_preset
from planner.scenario.scenario import ANY_ACCELERATOR, Scenario
from planner.scenario.ways import Way
from planner.study.data_files import SourcedRecord, read_data
from planner.study.market.candidate import usual_accelerators
from planner.study.market.hours_needed import Progress
from planner.study.market.survey import MarketCandidate, MarketStudy, market
from pricing import Catalogue
from pricing.caching import cached
from pricing.figure import StrictModel, Text

Key = Literal["learning", "fine-tuning", "training", "serving", "mixed"]


class Use(SourcedRecord):
    """One use with its typical job: a preset's or its own; paid by the hour where hours are given."""

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
    def job(self) -> Scenario:
        """The job as a scenario whose accelerator is open."""
        example = None if self.preset is None else find_preset(self.preset)
        scenario = self.scenario if example is None else example.scenario
        assert scenario is not None  # the data give one or the other
        return scenario.model_copy(update={"accelerator": ANY_ACCELERATOR})


class MixedUse(SourcedRecord):
    """Several uses on one kind of accelerator."""

    key: Key = Field(description="which of the uses it is")
    label: Text = Field(description="what people call it")
    of: tuple[Key, ...] = Field(description="the uses that share one kind of accelerator")


class GpuUses(StrictModel):
    """All uses of the guide."""

    uses: tuple[Use, ...] = Field(description="one typical job each")
    mixed: MixedUse = Field(description="a bit of everything")


@cached(1)
def load_uses() -> GpuUses:
    """Return the uses that people ask about."""
    return GpuUses.model_validate(read_data("uses.yaml"))


@dataclass(frozen=True)
class GuidePick:
    """One accelerator in one count, and how it is paid for."""

    accelerator: str
    label: str
    accelerators: int
    way: Way
    provider: str | None
    offer: str | None
    usd_per_hour: float | None  # list price of one accelerator; None for a purchase
    usd_each: float | None  # purchase price of one
    price_day: date | None  # when that price was last checked
    usd: float  # a month, or the run
    days: float | None  # of a run


@dataclass(frozen=True)
class GuideChoice:
    """The choice for one use, and its alternatives."""

    key: Key
    label: str
    what: str
    picks: tuple[GuidePick, ...]  # one; of a mixed use one for each of its jobs; empty if nothing does it
    monthly: bool
    able: int  # accelerators that do it at a known price
    next: GuidePick | None  # the cheapest of those that cost no less
    next_usd: float | None  # its total
    by_token: GuidePick | None  # the same tokens from a hosted model, where that is cheaper
    kind: str
    source: str
    reason: str

    @property
    def usd(self) -> float:
        """The cost of the choice: a month, or the run. [USD]"""
        return _usd(self.picks)


def guide_choices(catalogue: Catalogue, day: date, progress: Progress = lambda _: None) -> tuple[GuideChoice, ...]:
    """Return the choice for each use. Takes a second for each the first time."""
    guide, choices, studies = load_uses(), list[GuideChoice](), dict[Key, MarketStudy]()
    for index, use in enumerate(guide.uses):
        studies[use.key] = study = market(catalogue, use.job, day, counts=(1,) if use.hours_per_month else ())
        hourly = use.hours_per_month is not None
        picks = _hourly_picks(catalogue, use, study, day) if hourly else _picks_by_accelerator(catalogue, [study])
        # Tokens from a hosted model, where that is the cheapest of all candidates.
        hosted = study.best and WAYS[study.best.way].is_billed_by_token and _pick(catalogue, study.best, study)
        chosen = None if hourly or study.best is None else study.selected_accelerator
        first = chosen.accelerator if chosen else ""
        choices.append(_choice(use, use.what, picks, study.monthly or hourly, hosted or None, first))
        progress((index + 1) / len(guide.uses))
    mixed = guide.mixed
    picks = _picks_by_accelerator(catalogue, [studies[key] for key in mixed.of])
    return (*choices, _choice(mixed, mixed.reason, picks, monthly=True))


def single_accelerator_picks(catalogue: Catalogue, scenario: Scenario, day: date) -> tuple[GuidePick, ...]:
    """Return the cheapest kind of accelerator for all tasks of a scenario; one pick for each.

    Empty for fewer than two tasks, if no accelerator does all of them, or if only some of them are continuous.
    """
    works = [work for work in scenario.work if work.has_task]
    free = scenario.model_copy(update={"accelerator": ANY_ACCELERATOR})
    if len(works) < 2:
        return ()
    studies = [market(catalogue, free.model_copy(update={"work": (work,)}), day) for work in works]
    if len({study.monthly for study in studies}) > 1:
        return ()
    return min(_picks_by_accelerator(catalogue, studies).values(), key=_usd, default=())


_Picks = Mapping[str, tuple[GuidePick, ...]]


def _usd(picks: Sequence[GuidePick]) -> float:
    return sum(pick.usd for pick in picks)


def _choice(
    use: Use | MixedUse, what: str, picks: _Picks, monthly: bool, hosted: GuidePick | None = None, first: str = ""
) -> GuideChoice:
    ranked = sorted(picks.values(), key=lambda picks: (_usd(picks), picks[0].accelerator))
    best = picks.get(first) or (ranked[0] if ranked else ())
    rest = [each for each in ranked if each is not best and _usd(each) >= _usd(best)]
    return GuideChoice(
        key=use.key, label=use.label, what=what, picks=best, monthly=monthly, able=len(ranked),
        next=rest[0][0] if rest else None, next_usd=_usd(rest[0]) if rest else None,
        by_token=hosted if hosted and best and hosted.usd < _usd(best) else None,
        kind=use.kind, source=use.source, reason=use.reason,
    )  # fmt: skip


def _picks_by_accelerator(catalogue: Catalogue, studies: Sequence[MarketStudy]) -> _Picks:
    """Return the cheapest pick for each of the jobs on each accelerator that does all of them."""
    cheapest: list[dict[str, MarketCandidate]] = []
    for study in studies:
        best: dict[str, MarketCandidate] = {}
        for candidate in sorted(study.candidates, key=lambda each: (each.cost, each.speed, each.accelerators)):
            # At a known price and in time: rejected at most for what is cheaper or faster.
            feasible = candidate.why_not is None or candidate.why_not.is_dominated
            if candidate.accelerator and feasible and candidate.way != "keep":
                best.setdefault(candidate.accelerator, candidate)
        chosen = study.selected_accelerator if study.best is not None else None
        if chosen is not None:
            best[chosen.accelerator] = chosen  # of equal costs `cheapest` takes the fastest
        cheapest.append(best)
    common = set.intersection(*(set(best) for best in cheapest))
    if len(studies) > 1:  # of one, the study itself prefers them
        common = common.intersection(*(usual_accelerators(study.candidates) for study in studies)) or common
    return {
        key: tuple(_pick(catalogue, best[key], study) for best, study in zip(cheapest, studies, strict=True))
        for key in sorted(common)
    }


def _pick(catalogue: Catalogue, candidate: MarketCandidate, study: MarketStudy) -> GuidePick:
    posted = catalogue.offers.get(candidate.offer or "")  # a price by the token is no offer of machines
    price = None if posted is None else posted.usd_per_accelerator_hour
    owned = candidate.way == "own" and candidate.accelerator
    purchase = catalogue.accelerators[candidate.accelerator].price_usd if owned else None
    dated = candidate.age_days is not None and study.day is not None
    return GuidePick(
        accelerator=candidate.accelerator, label=candidate.label,
        accelerators=candidate.at_once or candidate.accelerators, way=candidate.way, provider=candidate.provider,
        offer=candidate.offer, usd_per_hour=None if price is None else price.newest.typical,
        usd_each=None if purchase is None else purchase.newest.typical,
        price_day=study.day - timedelta(days=candidate.age_days) if dated else None,  # type: ignore[operator, arg-type]
        usd=candidate.cost, days=None if candidate.days is None else candidate.days.typical,
    )  # fmt: skip


def _hourly_picks(catalogue: Catalogue, use: Use, study: MarketStudy, day: date) -> _Picks:
    """Return the cheapest hour of each accelerator that does the job in time, for the hours of a month."""
    assert use.hours_per_month is not None
    picks: dict[str, tuple[GuidePick, ...]] = {}
    for candidate in study.candidates:
        key, days = candidate.accelerator, candidate.days
        in_time = days is not None and (study.deadline_days is None or days.typical <= study.deadline_days)
        if key in picks or not (key and in_time and candidate.way == "on_demand"):
            continue
        picks[key] = ()
        offer = hired(catalogue, key, accelerators=1, hours=use.session_hours, together=1, day=day)
        if offer is not None:
            pick = GuidePick(
                accelerator=key, label=candidate.label, accelerators=1, way="on_demand", provider=offer.provider,
                offer=offer.offer, usd_per_hour=offer.list_usd_per_accelerator_hour, usd_each=None,
                price_day=offer.checked, usd=offer.usd_per_accelerator_hour * use.hours_per_month,
                days=None if days is None else days.typical,
            )  # fmt: skip
            picks[key] = (pick,)
    return {key: pick for key, pick in picks.items() if pick}
