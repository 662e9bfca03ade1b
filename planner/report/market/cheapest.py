"""The result of `cheapest` as text, table and data: the market of one job, and the GPU to choose for typical uses."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from planner.money.ways import WAYS
from planner.report import words
from planner.report.forms import finite, join_sections, to_plain_data
from planner.report.table import Table, text_table
from planner.scenario.durations import format_duration
from planner.speed.training.result import Interval
from planner.study.market.gpu_guide import GuideChoice, GuidePick
from planner.study.market.survey import MarketCandidate, MarketStudy

_RUNNERS_UP, _MOST_REASONS = 10, 8
TITLE = "Which GPU should I choose?"
FOR_WHAT = "For learning, fine-tuning, training, serving, or a bit of everything."
NOTE = (
    "Each line is the cheapest of the whole catalogue for one typical job, at prices read within the month (the year, "
    "for purchases). The jobs are ours: name your own for its own answer."
)


def market_text(market: MarketStudy) -> str:
    """Return the whole study as text for a terminal."""
    goal = "faster" if market.is_service else "sooner"
    return join_sections(
        [
            (market.title, "\n".join(market.reasons)),
            (f"The front: nothing is both {goal} and cheaper", text_table(_front_table(market))),
            ("Runners-up, the best of each accelerator", text_table(_runners_up_table(market))),
            ("Why candidates lost", "\n".join(_reasons(market))),
        ]
    )


def market_table(market: MarketStudy) -> Table:
    """Return every candidate with the reason it lost, for CSV."""
    return Table.from_raw_rows([_row(candidate, market) for candidate in market.candidates])


def market_data(market: MarketStudy) -> dict[str, Any]:
    """Return the whole study as data: numbers stay numbers, missing values are None."""

    def data(candidate: MarketCandidate | None) -> Any:
        if candidate is None:
            return None
        fields = asdict(candidate) | {"why_not": str(candidate.why_not or "")}
        return {"words": candidate.words, **to_plain_data(fields)}

    return {
        "what": market.title,
        "recommended": data(market.selected),
        "best": data(market.best),
        "fastest": data(market.fastest),
        "nearest": data(market.nearest_miss),
        "deadline_days": market.deadline_days,
        "budget_usd": market.budget_usd,
        "usd_are_of": "a month" if market.monthly else "the run",
        "why": list(market.reasons),
        "front": [data(candidate) for candidate in market.front],
        "tries": [data(candidate) for candidate in market.candidates],
    }


def _row(candidate: MarketCandidate, market: MarketStudy) -> dict[str, Any]:
    return {
        "accelerator": candidate.accelerator or None,
        "accelerators": candidate.accelerators or None,
        "way": candidate.way,
        "provider": candidate.provider,
        "offer": candidate.offer,
        **_range_columns("days", candidate.days),
        **_range_columns("usd_a_month" if market.monthly else "usd", candidate.usd),
        "tokens_per_s_per_accelerator": candidate.tokens_per_s_per_accelerator,
        "tpot_p99_ms": candidate.tpot_p99_ms,
        "layout": candidate.layout,
        "price_age_days": candidate.age_days,
        "on_front": candidate.on_front,
        "recommended": candidate == market.best,
        "why_not": str(candidate.why_not or ""),
    }


def _range_columns(name: str, range_: Interval | None) -> dict[str, float | None]:
    ends = (None, None, None) if range_ is None else map(finite, (range_.typical, range_.low, range_.high))
    return dict(zip((name, f"{name}_low", f"{name}_high"), ends, strict=True))


def _front_table(market: MarketStudy) -> Table:
    return Table.of(
        {
            **_cells(candidate, market),
            "layout": candidate.layout or "–",
            "": "recommended" if candidate == market.best else str(candidate.why_not or ""),
        }
        for candidate in market.front
    )


def _runners_up_table(market: MarketStudy) -> Table:
    """Return the cheapest candidate of each accelerator with a price, without the recommended one."""

    def order(candidate: MarketCandidate) -> tuple[bool, float, float]:
        """Those that lost by price or doubt stand before those that break a limit."""
        breaks_limit = candidate.why_not is not None and not candidate.why_not.is_dominated
        return (breaks_limit, candidate.cost, candidate.speed)

    best: dict[str, MarketCandidate] = {}
    for candidate in sorted((it for it in market.candidates if it.usd is not None), key=order):
        best.setdefault(candidate.accelerator, candidate)
    recommended = market.best.accelerator if market.best else None
    others = sorted((it for key, it in best.items() if key != recommended), key=order)[:_RUNNERS_UP]
    return Table.of(
        _cells(it, market) | {"why not": str(it.why_not or "on the front, but more expensive")} for it in others
    )


def _cells(candidate: MarketCandidate, market: MarketStudy) -> dict[str, Any]:
    days = None if candidate.days is None else candidate.days.typical
    return {
        "accelerators": f"{candidate.accelerators:,} x {candidate.label}" if candidate.accelerator else "–",
        "way": candidate.purchase_text,
        "from": candidate.seller_text or "–",
        **({"ms a token": candidate.tpot_p99_ms} if market.is_service else {"days": days}),
        "USD a month" if market.monthly else "USD": None if candidate.usd is None else candidate.usd.typical,
    }


def _reasons(market: MarketStudy) -> list[str]:
    kinds = Counter(candidate.why_not.heading("so many") for candidate in market.candidates if candidate.why_not)
    most = kinds.most_common(_MOST_REASONS)
    rest = kinds.total() - sum(number for _, number in most)
    return [f"{number:,} {kind}" for kind, number in most] + ([f"{rest:,} for other reasons"] if rest else [])


def use_sentence(choice: GuideChoice) -> str:
    """Return for a use the GPU to choose, with price, day and job, and the next best."""
    use = choice.label.lower()
    if not choice.picks:
        return f"For {use}: nothing does this at a known price ({choice.what})."
    parts = [
        f"For {use}: {_picks_text(choice.picks)}, about {words.usd(choice.usd)} "
        f"{'a month' if choice.monthly else 'the run'}.",
        f"It is the cheapest of {words.count(choice.able, 'kind')} of GPU that can do it: {choice.what.rstrip('.')}.",
    ]
    if choice.next is not None and choice.next_usd is not None:
        parts.append(f"Next: {choice.next.label}, {words.usd(choice.next_usd)}.")
    if choice.by_token is not None:
        usd = words.usd(choice.by_token.usd)
        parts.append(f"By the token at {choice.by_token.provider} the same costs {usd}: no GPU is cheaper than that.")
    return " ".join(parts)


def single_gpu_kind_sentence(picks: Sequence[GuidePick]) -> str:
    """Return the cost of all jobs of a plan on one kind of GPU."""
    usd = sum(pick.usd for pick in picks)
    return f"For all of it on one kind of GPU: {_picks_text(picks)}, {words.usd(usd)} together."


def _picks_text(picks: Sequence[GuidePick]) -> str:
    """Return 8 x H100 on demand at CoreWeave, $6.16 an hour each (24 Oct 2026)."""
    texts = []
    for pick in picks:
        text = f"{pick.accelerators:,} x {pick.label} {WAYS[pick.way].purchase_text}"
        text += f" at {pick.provider}" if pick.provider else ""
        day = "" if pick.price_day is None else f" ({words.day(pick.price_day)})"
        if pick.usd_per_hour is not None:
            text += f", {words.usd_per_hour(pick.usd_per_hour)} an hour each{day}"
        elif pick.usd_each is not None:
            text += f", {words.usd(pick.usd_each)} each{day}"
        texts.append(text)
    return words.listed(texts)


def uses_table(choices: Sequence[GuideChoice]) -> Table:
    """Return one row for each GPU to choose: a mixed use has one for each of its jobs."""
    return Table.from_raw_rows(
        {
            "For": choice.label,
            "Choose": f"{pick.accelerators:,} x {pick.label}",
            "How": WAYS[pick.way].purchase_text,
            "From": pick.provider or "–",
            "USD per GPU-hour": pick.usd_per_hour,
            "USD each": pick.usd_each,
            "Price of": pick.price_day,
            "USD a month": pick.usd if choice.monthly else None,
            "USD the run": None if choice.monthly else pick.usd,
            "A run takes": "–" if pick.days is None else format_duration(pick.days),
            "Kinds that can": choice.able,
            "Job": choice.what,
            "Why this job": choice.reason,
        }
        for choice in choices
        for pick in choice.picks
    )


def uses_text(choices: Sequence[GuideChoice]) -> str:
    """Return the choice for each use as text for a terminal."""
    table = text_table(uses_table(choices).without("Job", "Why this job"))
    return "\n\n".join([TITLE, table, *map(use_sentence, choices), NOTE]) + "\n"


def uses_data(choices: Sequence[GuideChoice]) -> list[dict[str, Any]]:
    """Return the choice for each use as data: numbers stay numbers, missing values are None."""
    return [{**to_plain_data(asdict(it)), "usd": it.usd, "sentence": use_sentence(it)} for it in choices]
