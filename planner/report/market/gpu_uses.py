"""Which GPU for what, in a sentence for each use, as a table and as data."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from planner.money.ways import WAYS
from planner.report import words
from planner.report.forms import to_plain_data
from planner.report.table import Table, text_table
from planner.scenario.durations import format_duration
from planner.study.market.gpu_guide import GuideChoice, GuidePick

TITLE = "Which GPU should I choose?"
FOR_WHAT = "For learning, fine-tuning, training, serving, or a bit of everything."
NOTE = (
    "Each line is the cheapest of the whole catalogue for one typical job, at prices that somebody looked at within "
    "the month (the year, of what is bought). The jobs are ours: name your own for its own answer."
)


def use_sentence(one: GuideChoice) -> str:
    """For learning: what to choose, at which price of which day, for which job, and what comes next."""
    if not one.picks:
        return f"For {one.label.lower()}: nothing does this at a known price ({one.what})."
    said = [
        f"For {one.label.lower()}: {_all(one.picks)}, {_money(one.usd, one.monthly)}.",
        f"It is the cheapest of {words.count(one.able, 'kind')} of GPU that can do it: {one.what.rstrip('.')}.",
    ]
    if one.next is not None and one.next_usd is not None:
        said.append(f"Next: {one.next.label}, {words.usd(one.next_usd)}.")
    if one.by_token is not None:
        said.append(
            f"By the token at {one.by_token.provider} the same costs {words.usd(one.by_token.usd)}: no GPU is cheaper "
            "than that."
        )
    return " ".join(said)


def single_gpu_kind_sentence(picks: Sequence[GuidePick]) -> str:
    """All jobs of a plan on one kind of GPU."""
    usd = sum(one.usd for one in picks)
    return f"For all of it on one kind of GPU: {_all(picks)}, {words.usd(usd)} together."


def _all(picks: Sequence[GuidePick]) -> str:
    return words.listed(_pick(one) for one in picks)


def _pick(one: GuidePick) -> str:
    """8 x H100 on demand at CoreWeave at $6.16 an hour each (24 Oct 2026)."""
    seller = f" at {one.provider}" if one.provider else ""
    return f"{one.accelerators:,} x {one.label} {WAYS[one.way].paid_for}{seller}{_price(one)}"


def _price(one: GuidePick) -> str:
    when = "" if one.price_day is None else f" ({words.day(one.price_day)})"
    if one.usd_per_hour is not None:
        return f", {words.usd_per_hour(one.usd_per_hour)} an hour each{when}"
    return "" if one.usd_each is None else f", {words.usd(one.usd_each)} each{when}"


def _money(usd: float, monthly: bool) -> str:
    return f"about {words.usd(usd)} {'a month' if monthly else 'the run'}"


def uses_table(found: Sequence[GuideChoice]) -> Table:
    """One row for each GPU that is named: a mixed use has one for each of its jobs."""
    rows = [
        {
            "For": one.label,
            "Choose": f"{pick.accelerators:,} x {pick.label}",
            "How": WAYS[pick.way].paid_for,
            "From": pick.provider or "–",
            "USD per GPU-hour": pick.usd_per_hour,
            "USD each": pick.usd_each,
            "Price of": pick.price_day,
            "USD a month": pick.usd if one.monthly else None,
            "USD the run": None if one.monthly else pick.usd,
            "A run takes": "–" if pick.days is None else format_duration(pick.days),
            "Kinds that can": one.able,
            "Job": one.what,
            "Why this job": one.reason,
        }
        for one in found
        for pick in one.picks
    ]
    return Table.from_raw_rows(rows)


def uses_text(found: Sequence[GuideChoice]) -> str:
    """The choice for each use as text for a terminal."""
    table = uses_table(found)
    shown = table.without("Job", "Why this job")
    return "\n\n".join([TITLE, text_table(shown), *(use_sentence(one) for one in found), NOTE]) + "\n"


def uses_data(found: Sequence[GuideChoice]) -> list[dict[str, Any]]:
    """The choice for each use as data: numbers stay numbers, what does not exist is None."""
    return [{**to_plain_data(asdict(one)), "usd": one.usd, "sentence": use_sentence(one)} for one in found]
