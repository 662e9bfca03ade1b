"""The verdict in one line, and the effect of the last edit: both stay in sight on every page."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.verdict.decision import group
from planner.money.ways import WAYS
from planner.report import words
from planner.report.answer.advice import price_text
from planner.report.answer.feasibility import infeasible_title, why_not
from planner.report.answer.notes import budget_sentences
from planner.report.answer.phrases import Texts, field_value_text
from planner.report.answer.sentences import left_out
from planner.report.futures.counted import format_futures_count
from planner.report.title import costs_alike, tied_options, title
from planner.scenario.link import ALSO
from planner.scenario.question import KEYS
from pricing import Catalogue

_MOST_NAMED = 2


class VerdictSummary(NamedTuple):
    """The title of one plan, and the net present cost of its options."""

    title: str
    usd: dict[str, float]  # of the two compared options, by activity: buying, renting
    line: str
    cards: Mapping[str, tuple[str, float]] = MappingProxyType({})  # by place: the option as an activity, and its cost


def summarize_verdict(plan: Plan, answer: Answer) -> VerdictSummary:
    """Return the title, and the cost of the two options with their ranges; the reason where a plan is infeasible."""
    work = plan.setting.resolved
    if work is not None and work.refused:
        return VerdictSummary(infeasible_title(work), {}, why_not(work))
    pair = tuple(reversed(answer.pair or ())) or ((answer.best,) if answer.best else ())
    costs = {WAYS[way.option.way].start_text: way.present_usd for way in pair}
    shown = answer.cards or {group(way.option): way for way in pair}
    cards = {place: (WAYS[way.option.way].start_text, way.present_usd) for place, way in shown.items()}
    return VerdictSummary(title(answer), costs, ", ".join(map(_cost_text, pair)), cards)


def doubt_text(answer: Answer) -> str:
    """Return in how many futures the answer holds, the rent at which another option wins, and what is left out."""
    texts, paid = list(budget_sentences(answer)), price_text(answer)
    rent = answer.break_even("usd_per_accelerator_hour")
    is_in_title = answer.verdict == "close" and not costs_alike(*tied_options(answer))
    if answer.share_cheaper is not None and not is_in_title:
        texts.append(f"Cheapest in {format_futures_count(answer.share_cheaper)} futures.")
    if answer.pair is not None and rent is not None and rent.value is not None and rent.you:
        change = rent.value / rent.you - 1
        where, way = ("above", answer.pair[0]) if change > 0 else ("below", answer.pair[1])
        turn = f"{WAYS[way.option.way].start_text} costs less at rents {where} {words.usd_per_hour(rent.value)}"
        turn = f"as entered, {turn}" if any(way.is_skewed for way in answer.pair) else turn
        texts.append(f"{words.upper_first(turn)}, {words.percent(abs(change))} {where} {paid or 'yours'}.")
    elif paid:
        texts.append(f"Rent is taken at {paid}.")
    texts += left_out(answer)
    return " ".join(texts)


def _cost_text(way: EvaluatedOption) -> str:
    low, usd, high = map(words.format_usd_short, (way.low_usd, way.present_usd, way.high_usd))
    return f"{WAYS[way.option.way].start_text} {usd}{'' if low == high else f' ({low} to {high})'}"


def last_edit_text(
    catalogue: Catalogue, texts: Texts, now: VerdictSummary, texts_before: Texts, before: VerdictSummary
) -> str:
    """Return the last edit and its effect on the answer; empty where none was made, or another plan is open."""
    edits = [key for key in (*KEYS, ALSO) if texts.get(key) != texts_before.get(key)]
    if len(edits) > _MOST_NAMED:
        return ""
    changes = []
    for key in edits:
        if key in KEYS:
            old, new = (field_value_text(catalogue, key, side.get(key)) for side in (texts_before, texts))
            changes.append(f"{words.lower_first(KEYS[key].label.rstrip('?'))}: {old} → {new}")
    if not changes:
        return ""
    effects = []
    for place, (name, usd) in now.cards.items():
        if place in before.cards:
            old, old_usd = before.cards[place]
            effects.append(f"{name if name == old else f'{old} → {name}'} {_signed_usd(usd - old_usd)}")
    if now.title != before.title:
        effects.append(f"the answer was “{_bare(before.title)}”")
    return f"Last edit, {', '.join(changes)}. {words.upper_first(', '.join(effects) or 'no compared cost changed')}."


def _signed_usd(usd: float) -> str:
    short = words.format_usd_short(abs(usd))
    return "unchanged" if re.fullmatch(r"-?\D*0(\.00)?", short) else f"{'+' if usd > 0 else '-'}{short}"


def price_update_text(then: VerdictSummary, now: VerdictSummary) -> str:
    """Return the effect of today's prices on an earlier answer."""
    old, new = ({name: words.format_usd_short(usd) for name, usd in it.usd.items()} for it in (then, now))
    moves = ", ".join(f"{name} {old[name]} → {usd}" for name, usd in new.items() if old.get(name, usd) != usd)
    if _bare(then.title) != _bare(now.title):
        money = f": {moves}" if moves else ""
        return f"Today's prices change this answer from “{_bare(then.title)}” to “{_bare(now.title)}”{money}."
    return f"Today's prices leave this answer as it is{f'; its money moves: {moves}' if moves else ''}."


def _bare(title: str) -> str:
    return title.rstrip(".")


def price_drop_text(seller: str, usd: float, below: float, before: float | None) -> str:
    """Return the news that a price fell below a threshold."""
    was = "" if before is None else f"; the lowest was {words.usd_per_hour(before)}"
    return f"{seller} asks {words.usd_per_hour(usd)} a GPU-hour, below {words.usd_per_hour(below)}{was}."
