"""The verdict in one line, and what the last edit did to it: they stay in sight on every page."""

from collections.abc import Mapping
from typing import NamedTuple

from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report import words
from planner.report.answer.feasibility import infeasible_title, why_not
from planner.report.answer.phrases import field_value_text
from planner.report.title import title
from planner.scenario.link import ALSO
from planner.scenario.question import KEYS
from pricing import Catalogue

Texts = Mapping[str, str]
_MOST_NAMED = 2


class VerdictSummary(NamedTuple):
    """What one plan came to: its title, and by way what the whole of it costs."""

    title: str
    usd: dict[str, float]  # of the two ways that are compared, by what one does who chooses it
    line: str


def summarize_verdict(plan: Plan, answer: Answer) -> VerdictSummary:
    """The title, and what the two ways cost that it speaks of, with their ranges; of what cannot be, why."""
    asked = plan.setting.resolved
    if asked is not None and asked.refused:
        return VerdictSummary(infeasible_title(asked), {}, why_not(asked))
    pair = tuple(reversed(answer.pair or ())) or ((answer.best,) if answer.best else ())
    costs = {WAYS[way.option.way].starting: way.present_usd for way in pair}
    return VerdictSummary(title(answer), costs, ", ".join(_cost(way) for way in pair))


def _cost(way: EvaluatedOption) -> str:
    low, high = words.format_usd_short(way.low_usd), words.format_usd_short(way.high_usd)
    ends = "" if low == high else f" ({low} to {high})"
    return f"{WAYS[way.option.way].starting} {words.format_usd_short(way.present_usd)}{ends}"


def last_edit_text(
    catalogue: Catalogue, texts: Texts, now: VerdictSummary, held_before: Texts, before: VerdictSummary
) -> str:
    """What the last edit changed, and what it did to the answer; empty where it changed nothing that a plan holds."""
    edits = [key for key in (*KEYS, ALSO) if texts.get(key) != held_before.get(key)]
    if not edits:
        return ""
    named = [_edit(catalogue, key, held_before.get(key), texts.get(key)) for key in edits[:_MOST_NAMED] if key in KEYS]
    what = "another plan" if len(edits) > _MOST_NAMED or not named else ", ".join(named)
    return f"Last edit, {what}. {_effect_text(now, before)}."


def _edit(catalogue: Catalogue, key: str, old: str | None, new: str | None) -> str:
    label = KEYS[key].label.rstrip("?")
    before, after = (field_value_text(catalogue, key, value) for value in (old, new))
    return f"{words.lower_first(label)}: {before} → {after}"


def _effect_text(now: VerdictSummary, before: VerdictSummary) -> str:
    same = [way for way in now.usd if way in before.usd]
    moves = [f"{way} {_format_signed_usd(now.usd[way] - before.usd[way])}" for way in same]
    turned = "" if now.title == before.title else f"the answer was “{before.title.rstrip('.')}”"
    said = ", ".join(text for text in (*moves, turned) if text) or "nothing that is compared moved"
    return words.upper_first(said)


def _format_signed_usd(usd: float) -> str:
    short = words.format_usd_short(abs(usd))
    return "unchanged" if short in ("$0", "$0.00") else f"{'+' if usd > 0 else '-'}{short}"


def price_update_text(then: VerdictSummary, now: VerdictSummary) -> str:
    """What today's prices change in an answer that was made with others."""
    moves = ", ".join(
        f"{way} {words.format_usd_short(then.usd[way])} → {words.format_usd_short(usd)}"
        for way, usd in now.usd.items()
        if way in then.usd and words.format_usd_short(then.usd[way]) != words.format_usd_short(usd)
    )
    if _bare(then.title) != _bare(now.title):
        money = f": {moves}" if moves else ""
        return f"Today's prices change this answer from “{_bare(then.title)}” to “{_bare(now.title)}”{money}."
    return f"Today's prices leave this answer as it is{f'; its money moves: {moves}' if moves else ''}."


def _bare(title: str) -> str:
    return title.rstrip(".")


def price_drop_text(seller: str, usd: float, below: float, before: float | None) -> str:
    """That a price has fallen below a line."""
    was = "" if before is None else f"; the lowest was {words.usd_per_hour(before)}"
    return f"{seller} asks {words.usd_per_hour(usd)} a GPU-hour, below {words.usd_per_hour(below)}{was}."
