"""Small answers for agents: a title, what follows from it, a few figures with their ranges, where they come from."""

from collections.abc import Iterator, Mapping
from datetime import date
from itertools import islice
from typing import Any

from pydantic import Field

from planner.scenario.base import ScenarioModel
from planner.scenario.shown_money import shown_money
from pricing import Catalogue
from pricing.exchange import DOLLAR

_MOST_FIGURES, _MOST_SENTENCES, _MOST_SOURCES = 10, 6, 5
_OF_A_PLAN = "USD, discounted to today"


class BriefFigure(ScenarioModel):
    """One figure with its range: 10th to 90th percentile."""

    what: str
    value: float
    low: float | None = None
    high: float | None = None
    unit: str


class BriefSource(ScenarioModel):
    """A price that the answer rests on: where it was read, and when somebody last looked."""

    what: str
    url: str | None
    checked: date | None


class Brief(ScenarioModel):
    """An answer in short. The same day and digest give the same answer."""

    title: str
    sentences: tuple[str, ...] = Field(max_length=_MOST_SENTENCES)
    figures: tuple[BriefFigure, ...] = Field(max_length=_MOST_FIGURES)
    sources: tuple[BriefSource, ...] = Field(max_length=_MOST_SOURCES)
    link: str = Field(default="", description="the keys of a link to the plan; `plan` takes them")
    day: str = Field(description="the day of the plan and of its prices")
    catalogue_digest: str = Field(description="of the facts")


# What is shown of each verb: a name, its place in the document, its unit. A range stands beside a number or in it.
_FIGURES = {
    "train": (
        ("days of the run", "speed.days", "days"), ("cost of the run, rented", "usd", "USD"),
        ("GPU-hours", "speed.accelerator_hours", "hours"), ("GPU-hours", "accelerator_hours", "hours"),
        ("speed of each", "speed.tokens_per_s_per_accelerator", "tokens/s"),
        ("speed of each", "images_per_s_each", "images/s"), ("memory needed of each", "least_memory_gb", "GB"),
    ),
    "serve": (
        ("written by all", "output_tokens_per_s", "tokens/s"), ("requests", "requests_per_s", "a second"),
        ("first token, 99 of 100", "ttft.p99_ms", "ms"), ("each further token, 99 of 100", "tpot.p99_ms", "ms"),
        ("GPUs needed at the average", "accelerators_at_average", "GPUs"),
        ("GPUs needed at the peak", "accelerators_at_peak", "GPUs"),
        ("cost of written tokens", "usd_per_million_output_tokens", "USD per million"),
    ),
    "cheapest": tuple(
        (f"{what}, {of}", f"{name}.{of}", unit)
        for name, what in (("recommended", "recommended"), ("best", "cheapest"), ("fastest", "fastest"))
        for of, unit in (("usd", "USD"), ("days", "days"))
    ),
}  # fmt: skip


def brief(name: str, document: Mapping[str, Any], facts: Catalogue) -> Brief:
    """Return the document of a verb in short."""
    title, sentences = _words(name, document)
    rate = tuple(filter(None, [shown_money().rate_text]))
    first = document.get("plans", [document])[0]
    cited = (_source(facts, key) for key in dict.fromkeys(_strings(document)) if key in facts.offers)
    return Brief(
        title=title,
        sentences=(*sentences[: _MOST_SENTENCES - len(rate)], *rate),
        figures=tuple(islice(_figures(name, document), _MOST_FIGURES)),
        sources=tuple(islice(cited, _MOST_SOURCES)),
        link=document.get("link") or _rest(document).get("link", ""),
        day=first["day"],
        catalogue_digest=first["catalogue_digest"],
    )


def _rest(document: Mapping[str, Any]) -> Mapping[str, Any]:
    return (document.get("actuals") or {}).get("rest") or {}


def _source(facts: Catalogue, key: str) -> BriefSource:
    price = facts.offers[key].usd_per_accelerator_hour
    if price is None:
        return BriefSource(what=key, url=None, checked=None)
    return BriefSource(what=key, url=facts.sources[price.newest.source].url, checked=price.checked)


def _words(name: str, document: Mapping[str, Any]) -> tuple[str, list[str]]:
    if name == "prices":
        hidden = [f"Hidden: {row['offers']:,} {row['reason']}." for row in document["hidden"]]
        return f"{len(document['offers']):,} offers, the first {_MOST_FIGURES} of them; prices exclude taxes.", hidden
    if name == "compare":
        differ = [f"{row['input']}: {' against '.join(map(str, row['values']))}" for row in document["differences"]]
        return "; ".join(f"{plan['name']}: {plan['title']}" for plan in document["plans"]), differ
    if name == "cheapest" and "uses" in document:
        return "The GPU to choose for typical uses.", [use["sentence"] for use in document["uses"]]
    if name == "cheapest":
        words = [document[key]["words"] for key in ("recommended", "best") if document[key]]
        return f"{document['what']}: {words[0] if words else 'nothing can do it'}.", list(document["why"])
    if "work" in document:
        return "Work without tokens, on each GPU.", [str(row["how"]) for row in document["work"]]
    advice = [row["words"] for row in document.get("ways_to_fit", ())]
    rest, billed = _rest(document), document.get("actuals") or {}
    sentences = [f"The rest: {rest['title']}", *rest["sentences"]] if rest else []
    sentences += [*billed.get("notes", ()), *document.get("sentences", ()), *document.get("warnings", ()), *advice]
    return str(document["title"]), sentences


def _figures(name: str, document: Mapping[str, Any]) -> Iterator[BriefFigure]:
    """Return the figures of a document: of each option, offer or kind of work, or those that a verb shows."""
    for row in (document.get("actuals") or {}).get("options", ())[:3]:
        yield from _figure(f"{row['key']}: billed", (None, row["billed_usd"], None), "USD")
        yield from _figure(f"{row['key']}: planned for it", (None, row["planned_usd"], None), "USD")
    for plan in document.get("plans", [document] if "options" in document else ()):
        several = f"{plan['name']}: " if name == "compare" else ""
        for option in plan["options"]:
            middle, low, high = (option[f"present_{end}_usd"] for end in ("p50", "p10", "p90"))
            yield from _figure(f"{several}{option['label']}", (low, middle or option["present_usd"], high), _OF_A_PLAN)
    for offer in document.get("offers", ()):
        what = f"{offer['provider']}, {offer['accelerator']}, {offer['purchase']}, {offer['region']}"
        ends = (offer["today_low"], offer["today_usd_per_accelerator_hour"], offer["today_high"])
        yield from _figure(what, ends, "USD per GPU-hour")
    for row in document.get("work", ()):
        what = f"{row['label']} on {row['accelerator']}"
        yield from _figure(what, (row["low"], row["requests_per_s"], row["high"]), "requests/s")
    for what, path, unit in _FIGURES.get(name, ()):
        yield from _figure(what, _range(document, path.split(".")), unit)


def _range(node: Any, path: list[str]) -> tuple[float | None, float | None, float | None]:
    """Return low, middle and high of a place in a document; a range stands in it, or beside it."""
    for step in path[:-1]:
        node = node.get(step) or {}
    value = node.get(path[-1])
    if isinstance(value, dict):
        return value["low"], value["typical"], value["high"]
    return node.get(f"{path[-1]}_low"), value, node.get(f"{path[-1]}_high")


def _figure(what: str, ends: tuple[float | None, float | None, float | None], unit: str) -> Iterator[BriefFigure]:
    money = shown_money()
    shown = money.amount if unit.startswith(DOLLAR) else float
    low, value, high = (None if end is None else shown(end) for end in ends)
    if value is not None:
        yield BriefFigure(what=what, value=value, low=low, high=high, unit=unit.replace(DOLLAR, money.code))


def _strings(node: Any) -> Iterator[str]:
    """Return the texts in a document, in their order: names of offers are among them."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict | list):
        for part in node.values() if isinstance(node, dict) else node:
            yield from _strings(part)
