"""Live prices in words: what became of each source, and what waits for a person, with before and after."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from planner.report import words
from planner.report.table import Table, text_table
from pricing.feeds.given import NEW, UNWANTED, Name
from pricing.feeds.naming import Asked, NameDecisionResult
from pricing.feeds.refresh import Progress, RefreshResult, SourceResult, SourceState
from pricing.feeds.registry import LATEST, Published
from pricing.feeds.store import Held
from pricing.feeds.verdict import NAMES, Reason, ReasonKind, Verdict

_STATES: dict[SourceState, str] = {
    "waiting": "waiting",
    "reading": "reading",
    "read": "read",
    "shrunk": "shrunk: its old prices stay",
    "failed": "failed",
    "skipped": "skipped",
    "cancelled": "cancelled",
}
UNDER_WAY: tuple[SourceState, ...] = ("waiting", "reading")
_REASONS: dict[ReasonKind, str] = {
    "no_price": "no price at all",
    "no_shape": "no machine that can be: its count or its kind of purchase",
    "huge": "{usd}, more than anything that is rented costs",
    "unknown_seller": "who is {name}? The catalogue knows no such seller",
    "unknown_accelerator": "what is {name}? The catalogue knows no such accelerator",
    "unclear_accelerator": "which one is {name}? The name covers several",
    "unwanted": "somebody wants no price under the name {name}",
    "unknown_currency": "no rate of {name} is known",
    "per_machine": "{usd} for one accelerator, {against} before: perhaps the price of the whole machine",
    "per_accelerator": "{usd} for one accelerator, {against} before: perhaps the price of one, taken for the machine's",
    "cents": "{usd}, {against} before: perhaps in cents, or taken for cents",
    "out_of_range": "{usd}, where others ask about {against}",
    "jump": "{usd}, {against} before: further than such prices move",
    "as_refused": "{usd}, as refused before",
}


def hold_reason_text(reason: Reason) -> str:
    """Why a price is not believed as it comes."""
    usd, against = (_usd(number) for number in (reason.usd, reason.against))
    return _REASONS[reason.kind].format(usd=usd, against=against, name=reason.name)


def _usd(number: float | None) -> str:
    return "" if number is None else f"${number:,.4g}" if number < 1 else f"${number:,.2f}"


# A refresh


def refresh_rows(found: RefreshResult) -> list[dict[str, Any]]:
    """One flat record for each source."""
    return [_source_row(one) for one in found.sources]


def _source_row(one: SourceResult) -> dict[str, Any]:
    return {
        "source": one.source,
        "state": one.state,
        "prices": one.seen,
        "new": one.new,
        "believed": one.verdicts.get("believed", 0),
        "held": one.verdicts.get("held", 0),
        "refused": one.verdicts.get("refused", 0),
        "odd_rows": one.odd,
        "left_to_first_hand": one.left,
        "seconds": round(one.seconds, 1),
        "said": one.said,
    }


def refresh_text(found: RefreshResult) -> str:
    """What became of each source, and what a person may do now."""
    if found.cancelled:
        return "Cancelled: everything is as it was.\n"
    rows = refresh_rows(found)
    lines = [
        {
            "Source": row["source"], "State": _STATES[row["state"]], "Prices": row["prices"], "New": row["new"],
            "Believed": row["believed"], "Held": row["held"], "Refused": row["refused"], "Odd rows": row["odd_rows"],
            "Seconds": row["seconds"],
        }
        for row in rows
    ]  # fmt: skip
    said = [row["said"] for row in rows if row["said"]]
    held = sum(row["held"] for row in rows)
    told = [text_table(Table.of(lines)), *said]
    if held and not found.dry:
        told.append(f"Held for a person: {words.count(held, 'price')}. `held` says which, and why.")
    if found.dry:
        told.append("A dry run: nothing was kept.")
    return "\n".join(filter(None, told)) + "\n"


def progress_text(one: Progress) -> str:
    """How far a source is, as one line."""
    left = "" if one.seconds_left is None else f", {one.seconds_left:,.0f} s left of this reply"
    rate = f" ({one.rows_per_s:,.0f} a second)" if one.rows else ""
    return f"{one.label}: {_STATES[one.state]}, {words.count(one.rows, 'price')}{rate}{left}"


def sources_done(every: Iterable[Progress]) -> tuple[int, int]:
    """How many sources are done, of how many that are read; those without their key are not counted."""
    asked = [one for one in every if one.state != "skipped"]
    return sum(one.state not in UNDER_WAY for one in asked), len(asked)


def done_words(every: Sequence[Progress]) -> str:
    """How far a refresh is, in one line."""
    done, asked = sources_done(every)
    prices = words.count(sum(one.rows for one in every), "price")
    return f"{done:,} of {words.count(asked, 'source')} done, {prices}"


# What is held


def held_rows(held: Iterable[Held]) -> list[dict[str, Any]]:
    """One flat record for each price that waits."""
    return [_held_row(one) for one in held]


def _held_row(one: Held) -> dict[str, Any]:
    return {
        "id": one.id,
        "source": one.source,
        "day": one.day,
        "what": _what(one),
        "read": one.asked.price,
        "currency": one.asked.currency,
        "usd": one.usd,
        "before_usd": one.reason.against,
        "reason": one.reason.kind,
        "name": one.reason.name or None,
        "why": hold_reason_text(one.reason),
        "can_be_accepted": one.reason.acceptable,
    }


def _what(one: Held) -> str:
    """What is sold, from its description."""
    sold: dict[str, Any] = json.loads(one.told)
    if one.kind == "hosted":
        return f"{sold['vendor']} {sold['model']}"
    if one.kind == "exchange":
        return str(sold["code"])
    many = f"{sold['count']}x " if sold["count"] > 1 else ""
    parts = (sold["seller"], f"{many}{sold['accelerator']}", sold.get("sku"), sold.get("region"), sold["purchase"])
    return ", ".join(str(part) for part in parts if part)


def held_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """The rows as a table for a file."""
    return Table.from_raw_rows(rows)


def held_text(rows: Sequence[Mapping[str, Any]], names: Sequence[Asked]) -> str:
    """Prices to decide on first; then the names that nobody knows, each once."""
    if not rows:
        return "Nothing is held.\n"
    prices = [row for row in rows if row["reason"] not in NAMES]
    lines = [{"Id": row["id"], "Source": row["source"], "What": row["what"], "Why": row["why"]} for row in prices]
    told = [text_table(Table.of(lines)) if lines else "", *(name_question_text(one) for one in names)]
    if lines:
        told.append("`held --accept ID --by NAME` believes one, `held --refuse ID --by NAME` does not.")
    if names:
        told.append(_NAMING.format(name=names[0].called))
    return "\n".join(filter(None, told)) + "\n"


_NAMING = (
    '`held --name "{name}=ID" --by NAME` says which of the catalogue\'s it is; "=new" takes a seller in, '
    '"=none" wants none of its prices, and nothing behind "=" takes it back.'
)


def name_question_text(one: Asked) -> str:
    """The question about a name, with how many prices wait for the answer."""
    asked = hold_reason_text(one.reason)
    return f"{asked[0].upper()}{asked[1:]} ({words.count(one.prices, 'price')})"


# Names that somebody explained


def name_decision_rows(every: Iterable[Name]) -> list[dict[str, Any]]:
    """One flat record for each name that has a meaning."""
    return [
        {"called": one.called, "what": one.what, "means": one.means, "by": one.person, "at": one.at} for one in every
    ]


def name_decision_phrase(one: Name, label: str) -> str:
    """What somebody said of a name."""
    means = {NEW: "is a new seller", UNWANTED: "is not wanted"}.get(one.means, f"is {label}")
    return f"{one.called} {means}, said {one.person} on {words.day(one.at.date())}."


def name_decision_outcome(said: NameDecisionResult) -> str:
    """What became of the prices under a name."""
    if not said.name.means:
        return f"What was said of {said.name.called} is taken back."
    every = sum(said.verdicts.values())
    believed, held, refused = (said.verdicts.get(verdict, 0) for verdict in get_args(Verdict))
    count = words.count(every, "price")
    return f"{said.name.called}: {count} judged anew, {believed:,} believed, {held:,} held and {refused:,} refused."


def published_readme(published: Published, file: str) -> str:
    """README.md of the folder."""
    lines = (
        f"| {_cell(name)} | {_cell(about.label)} | {_cell(about.page)} | {_cell(about.licence)} |"
        for name, about in published.sources.items()
    )
    return (
        f"# Prices of {words.day(published.day)}\n\n"
        f"{words.count(len(published.rows), 'price')} of {words.count(len(published.sources), 'source')}, each as its "
        f"source said it, believed after a check. `{file}` holds them; `{LATEST}` names the newest file.\n\n"
        "Read them with `python -m planner refresh --source` and the address of this folder.\n\n"
        "Whoever passes them on names the sources and keeps to their terms:\n\n"
        "| Source | Name | Page | Licence |\n| --- | --- | --- | --- |\n" + "\n".join(lines) + "\n"
    )


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "/")


def publish_summary(published: Published, folder: str) -> str:
    """What was written."""
    prices, sources = words.count(len(published.rows), "price"), words.count(len(published.sources), "source")
    return f"{prices} of {sources} written to {folder}.\n"
