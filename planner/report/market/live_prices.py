"""Live prices for a reader: a refresh and its progress, prices held for a person, unknown names, a published folder."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches
from typing import Any, NamedTuple, get_args
from urllib.parse import urlsplit

from planner.report import words
from planner.report.table import Table, text_table
from planner.scenario.shown_money import write_usd
from pricing import Catalogue
from pricing.feeds.feed import NAMES, GateReason, ReasonKind, Verdict
from pricing.feeds.given import NEW, UNWANTED, Name, What
from pricing.feeds.naming import NameDecisionResult, UnresolvedName
from pricing.feeds.refresh import OFFLINE_AFTER, RefreshResult, SourceProgress, SourceState
from pricing.feeds.registry import ADDRESS, ADDRESS_KEY, LATEST, SIGNATURE, Published
from pricing.feeds.store import HeldReading, ProductAvailability

OFFER = "No live prices were read this week. The sources can be read now."
_PROMISE = (
    "{what} read over the network, only when you say so. Their prices are added to those that ship with the program, "
    "each with its day and source; a price that looks wrong is held for a person to check."
)
CANCELLED = "Cancelled: nothing was changed."
OFFLINE = f"No connection: none of the first {OFFLINE_AFTER} sources could be reached. Nothing was changed."
MAY_NOT = "Only people whom the administrator of this server names may read live prices and decide on them."
NAMELESS = "A decision is kept under a name: say who decides."
_MOVES_SHOWN, _MOVED = 5, 0.05  # accelerators; less is no news
UNDER_WAY: tuple[SourceState, ...] = ("waiting", "reading")
_STATES: dict[SourceState, str] = {
    "waiting": "waiting",
    "reading": "reading",
    "read": "read",
    "shrunk": "shrunk: its old prices stay",
    "failed": "failed",
    "skipped": "skipped",
    "cancelled": "cancelled",
}
_HEADS = {
    "prices": "Prices", "new": "New", "believed": "Believed", "held": "Held", "refused": "Refused",
    "odd_rows": "Odd rows", "seconds": "Seconds",
}  # fmt: skip
_REASONS: dict[ReasonKind, str] = {
    "no_price": "no price at all",
    "no_shape": "impossible listing: GPU count or kind of purchase",
    "huge": "{usd}, more than any rental costs",
    "unknown_seller": "which seller is {name}? The catalogue has none of that name",
    "unknown_accelerator": "which accelerator is {name}? The catalogue has none of that name",
    "unclear_accelerator": "which accelerator is {name}? The name covers several",
    "unwanted": "prices under the name {name} are not wanted",
    "unknown_currency": "no exchange rate of {name} is known",
    "per_machine": "{usd} for one accelerator, {against} before: perhaps the price of the whole machine",
    "per_accelerator": "{usd} for one accelerator, {against} before: perhaps divided by the size of the machine twice",
    "cents": "{usd}, {against} before: perhaps in cents, or mistaken for cents",
    "out_of_range": "{usd}, where others ask about {against}",
    "jump": "{usd}, {against} before: further than such prices move",
    "drift": "{usd}, {against} before: further than such prices drift while others stay",
    "alone": "{usd}, {against} before: a second reading on another day, or of another source, decides",
    "as_refused": "{usd}, as refused before",
}
_NAMING = (
    '`held --name "{name}=ID" --by NAME` gives the id of the catalogue; "=new" adds a seller, "=none" rejects all its '
    'prices, and nothing behind "=" undoes it.'
)
_SUGGESTIONS = 3  # names spelt alike, shown before all others


def hold_reason_text(reason: GateReason) -> str:
    """Return why a price is not believed at once."""
    usd, against = (
        "" if it is None else write_usd(it, ",.4g" if it < 1 else ",.2f") for it in (reason.usd, reason.against)
    )
    return _REASONS[reason.kind].format(usd=usd, against=against, name=reason.name)


def promise(folder: str) -> str:
    """Return what a refresh does, from a published folder or from all sources."""
    host = urlsplit(folder).hostname or folder[:100]
    return _PROMISE.format(what=f"The prices that {host} publishes are" if folder else "Sellers and public lists are")


def last_refresh_text(started: datetime | None, sources: int) -> str:
    """Return when prices were last read, and from how many sources."""
    if started is None:
        return "No live prices were read yet: these ship with the program."
    day, kept = words.day(started.date()), words.count(sources, "source")
    return f"Prices were last read on {day} at {started:%H:%M} UTC; those of {kept} are kept."


def refresh_rows(result: RefreshResult) -> list[dict[str, Any]]:
    """Return one flat record for each source."""
    return [
        {
            "source": source.source,
            "state": source.state,
            "prices": source.seen,
            "new": source.new,
            **{verdict: source.verdicts.get(verdict, 0) for verdict in get_args(Verdict)},
            "odd_rows": source.odd,
            "left_to_first_hand": source.left,
            "seconds": round(source.seconds, 1),
            "said": source.said,
        }
        for source in result.sources
    ]


def refresh_text(result: RefreshResult) -> str:
    """Return the result of each source, and the next step."""
    if result.cancelled:
        return f"{CANCELLED}\n"
    if result.offline:
        return f"{OFFLINE}\n"
    rows = refresh_rows(result)
    table = Table.of(
        {"Source": row["source"], "State": _STATES[row["state"]], **{_HEADS[key]: row[key] for key in _HEADS}}
        for row in rows
    )
    held = sum(row["held"] for row in rows)
    parts = [text_table(table), *(row["said"] for row in rows), *move_lines(result)]
    if held and not result.dry:
        parts.append(f"Held for a person: {words.count(held, 'price')}. `held` lists them with the reasons.")
    if result.dry:
        parts.append("A dry run: nothing was kept.")
    return "\n".join(filter(None, parts)) + "\n"


def move_lines(result: RefreshResult) -> list[str]:
    """Return how far the prices of the accelerators that moved most have moved in 30 days, over all sellers."""
    return [
        f"In 30 days {move.name}{', spot' if move.spot else ''}: {move.middle - 1:+.0%} in the middle of "
        f"{words.count(move.sellers, 'seller')}, {move.low - 1:+.0%} to {move.high - 1:+.0%}."
        for move in result.moves[:_MOVES_SHOWN]
        if abs(move.middle - 1) >= _MOVED
    ]


def progress_text(source: SourceProgress) -> str:
    """Return the progress of a source in one line."""
    left = "" if source.seconds_left is None else f", {source.seconds_left:,.0f} s left of this reply"
    rate = f" ({source.rows_per_s:,.0f} a second)" if source.rows else ""
    size = f", {source.megabytes:,.1f} MB" if source.megabytes else ""
    return f"{source.label}: {_STATES[source.state]}, {words.count(source.rows, 'price')}{rate}{size}{left}"


class RefreshStatus(NamedTuple):
    """The progress of a refresh."""

    share: float
    title: str
    lines: tuple[str, ...]  # of the sources that are being read


def refresh_status(sources: Sequence[SourceProgress]) -> RefreshStatus:
    """Return the progress of a refresh; sources without their key are not counted."""
    states = [source.state for source in sources if source.state != "skipped"]
    done, prices = sum(state not in UNDER_WAY for state in states), words.count(sum(it.rows for it in sources), "price")
    title = f"{done:,} of {words.count(len(states), 'source')} done, {prices}"
    lines = tuple(progress_text(source) for source in sources if source.state == "reading")
    return RefreshStatus(done / len(states) if states else 0.0, title, lines)


class RefreshSummary(NamedTuple):
    """The result of a refresh."""

    title: str
    table: Table
    failed: tuple[str, ...]
    shrunk: tuple[str, ...]
    skipped: tuple[str, ...]


def summarize_refresh(result: RefreshResult) -> RefreshSummary:
    """Return the totals of a refresh in a sentence, each source that was read, and why others were not."""
    rows, labels = refresh_rows(result), {source.source: source.label for source in result.sources}
    read = [row for row in rows if row["state"] in ("read", "shrunk")]
    failed, skipped = (tuple(row["said"] for row in rows if row["state"] == state) for state in ("failed", "skipped"))
    shrunk = tuple(
        f"{labels[row['source']]} lists fewer than half of the prices it had: its old ones stay."
        for row in rows
        if row["state"] == "shrunk"
    ) + tuple(row["said"] for row in rows if row["state"] == "read" and row["said"])
    table = Table.of({"Source": labels[row["source"]], **{_HEADS[key]: row[key] for key in _HEADS}} for row in read)
    if not read and failed:
        title = f"No source could be read ({len(failed):,} tried): nothing was changed."
    else:
        sums = {key: sum(row[key] for row in read) for key in ("prices", "new", "believed", "held", "refused")}
        broken = f"; {words.count(len(failed), 'source')} could not be read" if failed else ""
        title = (
            f"{words.count(sums['prices'], 'price')} of {words.count(len(read), 'source')}: {sums['new']:,} new, of "
            f"which {sums['believed']:,} believed, {sums['held']:,} held for a person and {sums['refused']:,} "
            f"refused{broken}."
        )
    return RefreshSummary(title, table, failed, shrunk, skipped)


def held_rows(held: Iterable[HeldReading]) -> list[dict[str, Any]]:
    """Return one flat record for each held price."""
    return [
        {
            "id": price.id,
            "source": price.source,
            "day": price.day,
            "what": _product(price),
            "read": price.observed.price,
            "currency": price.observed.currency,
            "usd": price.usd,
            "before_usd": price.reason.against,
            "reason": price.reason.kind,
            "name": price.reason.name or None,
            "why": hold_reason_text(price.reason),
            "can_be_accepted": price.reason.acceptable,
        }
        for price in held
    ]


def _product(price: HeldReading) -> str:
    sold: dict[str, Any] = json.loads(price.what)
    if price.kind == "hosted":
        return f"{sold['vendor']} {sold['model']}"
    if price.kind in ("exchange", "interruption"):
        return " ".join(map(str, sold.values()))
    machine = f"{sold['count']}x {sold['accelerator']}" if sold["count"] > 1 else sold["accelerator"]
    return ", ".join(filter(None, (sold["seller"], machine, sold.get("sku"), sold.get("region"), sold["purchase"])))


def held_text(rows: Sequence[Mapping[str, Any]], names: Sequence[UnresolvedName]) -> str:
    """Return the prices to decide on; then the unknown names, each once."""
    if not rows:
        return "Nothing is held.\n"
    lines = [
        {"Id": row["id"], "Source": row["source"], "What": row["what"], "Why": row["why"]} for row in to_decide_on(rows)
    ]
    parts = [text_table(Table.of(lines)) if lines else "", *map(name_question_text, names)]
    if lines:
        parts.append("`held --accept ID --by NAME` accepts a price, `held --refuse ID --by NAME` refuses it.")
    if names:
        parts.append(_NAMING.format(name=names[0].called))
    return "\n".join(filter(None, parts)) + "\n"


def to_decide_on(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the held prices that a person can decide on: those whose names are known."""
    return [row for row in rows if row["reason"] not in NAMES]


def held_title(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return how many prices are held; those under unknown names are counted apart."""
    known = len(to_decide_on(rows))
    parts = ((known, "to decide on"), (len(rows) - known, "under names that the catalogue does not know"))
    counts = ", ".join(f"{words.count(number, 'price')} {what}" for number, what in parts if number)
    return f"Held for a person: {counts}." if rows else "Nothing is held."


def name_question_text(name: UnresolvedName) -> str:
    """Return the question about a name, with the number of prices under it."""
    question = hold_reason_text(name.reason)
    return f"{question[0].upper()}{question[1:]} ({words.count(name.prices, 'price')})"


class UnknownNameQuestion(NamedTuple):
    """An unknown name and its possible meanings, by label."""

    what: What
    called: str
    words: str
    choices: Mapping[str, str]


def questions(catalogue: Catalogue, names: Iterable[UnresolvedName]) -> tuple[UnknownNameQuestion, ...]:
    """Return the questions about unknown names; meanings spelt most alike come first."""
    labels, result = {what: _labels(catalogue, what) for what in get_args(What)}, []
    for name in names:
        of_kind = labels[name.what]
        near = get_close_matches(name.called, of_kind, n=_SUGGESTIONS, cutoff=0.5)
        ordered = [*near, *sorted(of_kind.keys() - near, key=str.casefold)]
        choices = {} if name.what == "accelerator" else {"A new seller, under this name": NEW}
        choices |= {"None of its prices is wanted": UNWANTED, **{label: of_kind[label] for label in ordered}}
        result.append(UnknownNameQuestion(name.what, name.called, name_question_text(name), choices))
    return tuple(result)


def _labels(catalogue: Catalogue, what: What) -> dict[str, str]:
    if what == "vendor":
        return {hosted.vendor: hosted.vendor for hosted in catalogue.hosted.values()}
    records = catalogue.accelerators if what == "accelerator" else catalogue.providers
    return {record.label: key for key, record in records.items()}


def name_decision_rows(decisions: Iterable[Name]) -> list[dict[str, Any]]:
    """Return one flat record for each name that a person explained."""
    return [{"called": it.called, "what": it.what, "means": it.means, "by": it.person, "at": it.at} for it in decisions]


def name_decision_text(catalogue: Catalogue, name: Name) -> str:
    """Return the decision about a name as a sentence."""
    records = catalogue.accelerators if name.what == "accelerator" else catalogue.providers
    label = records[name.means].label if name.means in records else name.means
    means = {NEW: "is a new seller", UNWANTED: "is not wanted"}.get(name.means, f"is {label}")
    return f"{name.called} {means}, decided by {name.person} on {words.day(name.at.date())}."


def name_decision_outcome(result: NameDecisionResult) -> str:
    """Return what a decision about a name did to the prices under it."""
    if not result.name.means:
        return f"The decision about {result.name.called} is undone."
    count = words.count(sum(result.verdicts.values()), "price")
    believed, held, refused = (result.verdicts.get(verdict, 0) for verdict in get_args(Verdict))
    return f"{result.name.called}: {count} judged anew, {believed:,} believed, {held:,} held and {refused:,} refused."


def availability_table(products: Sequence[ProductAvailability]) -> Table:
    """Return on how many days each product was available, the rarest first."""
    return Table.of(
        {
            "Seller": it.what.seller,
            "GPU": it.what.accelerator,
            "Per machine": it.what.count,
            "Terms": words.PURCHASE[it.what.purchase],
            "Where": it.what.region or "everywhere",
            "Available": f"on {it.days} of {words.count(it.of, 'day')}",
            "Source": it.source,
        }
        for it in sorted(products, key=lambda it: (it.days / it.of, it.what.seller.casefold(), it.what.accelerator))
    )


_DONE = {"refreshed": "read", "believed": "accepted", "named": "explained a name"}


def trail_table(lines: Iterable[Sequence[str]]) -> Table:
    """Return who changed live prices, and when."""
    heads = ("When (UTC)", "Source", "What", "Prices", "Who")
    rows = ((at[:16].replace("T", " "), source, _DONE.get(kind, kind), int(count) or "", person)
            for at, source, kind, count, person in lines)  # fmt: skip
    return Table.listed(heads, rows)


def published_readme(published: Published, file: str, secret: str) -> str:
    """Return README.md of the folder of published prices."""
    signed = f"`{SIGNATURE}` signs `{LATEST}`, for minisign. " if secret else "Nothing of it is signed. "
    rows = [(name, about.label, about.page, about.licence) for name, about in published.sources.items()]
    lines = (f"| {' | '.join(' '.join(cell.split()).replace('|', '/') for cell in row)} |" for row in rows)
    return (
        f"# Prices of {words.day(published.day)}\n\n"
        f"{words.count(len(published.rows), 'price')} of {words.count(len(published.sources), 'source')}, each as its "
        f"source listed it and checked before use. `{file}` holds them; `{LATEST}` names the newest file. {signed}\n\n"
        "Read them with `python -m planner refresh --source` and the address of this folder.\n\n"
        "If you pass them on, name the sources and keep to their terms:\n\n"
        "| Source | Name | Page | Licence |\n| --- | --- | --- | --- |\n" + "\n".join(lines) + "\n"
    )


def new_key_text(path: str, public: str) -> str:
    """Return what to do with a new key."""
    return (
        f"{path} is the secret key: RENT_OR_BUY_SIGNING_KEY is its second line. Readers of the prices set\n"
        f"{ADDRESS} to the address of the folder, and\n{ADDRESS_KEY}={public}\n"
    )


def publish_summary(published: Published, folder: str, size: int, *, signed: bool) -> str:
    """Return what was written."""
    how = "signed" if signed else "not signed: RENT_OR_BUY_SIGNING_KEY is not set"
    prices, sources = words.count(len(published.rows), "price"), words.count(len(published.sources), "source")
    return f"{prices} of {sources} written to {folder}, {max(size / 1e6, 0.01):.2f} MB, {how}.\n"
