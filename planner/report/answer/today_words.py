"""What other prices do to an answer: the two verdicts side by side in one sentence."""

from planner.report import words
from planner.report.answer.verdict_line import Verdict


def today_words(then: Verdict, now: Verdict) -> str:
    """What today's prices change in an answer that was made with others."""
    moves = ", ".join(
        f"{way} {words.usd_short(then.usd[way])} → {words.usd_short(usd)}"
        for way, usd in now.usd.items()
        if way in then.usd and words.usd_short(then.usd[way]) != words.usd_short(usd)
    )
    if _bare(then.title) != _bare(now.title):
        money = f": {moves}" if moves else ""
        return f"Today's prices change this answer from “{_bare(then.title)}” to “{_bare(now.title)}”{money}."
    return f"Today's prices leave this answer as it is{f'; its money moves: {moves}' if moves else ''}."


def _bare(title: str) -> str:
    return title.rstrip(".")


def fallen_words(seller: str, usd: float, below: float, before: float | None) -> str:
    """That a price has fallen below a line."""
    was = "" if before is None else f"; the lowest was {words.usd_per_hour(before)}"
    return f"{seller} asks {words.usd_per_hour(usd)} a GPU-hour, below {words.usd_per_hour(below)}{was}."
