"""The bill that is paid now, in words: what the answer saves, which open model is like it, when owning pays."""

from collections.abc import Iterator

from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.money.ways import WAYS
from planner.report import words
from planner.report.title import current_option


def bill_sentences(plan: Plan, answer: Answer) -> tuple[str, ...]:
    """Return the bill beside the answer; nothing where no bill is entered."""
    return tuple(_bill_sentences(plan, answer))


def _bill_sentences(plan: Plan, answer: Answer) -> Iterator[str]:
    bill, now, best = plan.setting.scenario.bill, current_option(answer), answer.best
    if bill is None or now is None or best is None:
        return
    month = f"You pay {words.usd(bill.usd_per_month)} a month for {now.option.what}"
    if best is not now and now.present_usd > 0:
        saved = 1 - best.present_usd / now.present_usd
        yield f"{month}: {WAYS[best.option.way].start_text} costs {words.percent(saved)} less over the plan."
    else:
        yield f"{month}: no other option costs less."
    shown = {way.option.key: way for way in answer.ranked}
    if "alike" in shown:
        yield from map(words.sentence, shown["alike"].option.warnings)
    if answer.own is not None and now.present_usd > 0:
        usd = bill.usd_per_month * answer.own.present_usd / now.present_usd
        yield f"Owning costs as much as a bill of {words.usd(usd)} a month for the same work."
