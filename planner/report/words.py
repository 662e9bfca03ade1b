"""Numbers, days and lists as people write them. Rounded for the screen; exports keep the full number."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from planner.scenario import amounts
from planner.scenario.durations import months_words
from planner.scenario.shown_money import shown_money, write_usd
from pricing.caching import cached

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from planner.scenario.terms import Timing
    from pricing.belief import PriceEstimate
    from pricing.market.band import OrderBand

count = amounts.count  # 1 offer, 12 offers
NOT_PRICED = "ask for a quote"
LOW, HIGH = "10th percentile", "90th percentile"  # of futures, draws or runs: how tables name the ends of a range
PURCHASE = {
    "on_demand": "on demand",
    "spot": "spot",
    "capacity_block": "capacity block",
    "reserved_1m": "1 month reserved",
    "reserved_3m": "3 months reserved",
    "reserved_6m": "6 months reserved",
    "reserved_1y": "1 year reserved",
    "reserved_2y": "2 years reserved",
    "reserved_3y": "3 years reserved",
}
AREA = {
    "north_america": "North America",
    "south_america": "South America",
    "europe": "Europe",
    "asia": "Asia",
    "middle_east": "Middle East",
    "africa": "Africa",
    "oceania": "Oceania",
    "anywhere": "anywhere",
    "not_stated": "not stated",
}
TIMINGS: dict[Timing, str] = {
    "month_end": "the end of each month",
    "month_middle": "the middle of each month",
    "year_end": "the end of each year",
    "year_middle": "the middle of each year",
    "dated": "the days of the calendar",
}
STAY = {
    "anywhere": "no, anywhere will do",
    "near": "no, but machines are rented near it",
    "country": "in that country",
    "europe": "in Europe",
    "eu": "in the European Union",
    "eu_sellers": "in the EU, with sellers of the EU",
}
STAYS = {stay: f"all of it {where}" for stay, where in STAY.items()} | {
    "anywhere": "rented anywhere", "near": "rented nearby"}  # fmt: skip
HOSTS = {"one_machine": "for one machine only", "always": "yes", "never": "no"}
PROVIDER_KIND = {
    "hyperscaler": "hyperscaler",
    "neocloud": "GPU cloud",
    "marketplace": "marketplace",
    "serverless": "serverless",
    "yours": "your supplier",
}
DOUBT = {
    "component_only": "GPU only: CPU and memory billed beside it",
    "listed_not_sold": "listed, not sold on these terms",
    "minimum_bid": "a minimum bid, not a price",
    "may_be_shared": "may be a share of a GPU, over a network",
    "rarely_available": "rarely or not available now",
    "accelerator_not_stated": "does not say which form of the chip",
    "modified_hardware": "modified consumer boards",
    "restricted": "restricted region",
    "term_not_stated": "length of the reservation not published",
    "converted": "converted from another currency by the source",
    "per_second_service": "serverless: billed only while a request runs",
    "old": "price from an earlier year",
    "odd": "contradicts its neighbours",
}


PLACES = {
    "home": "at home",
    "office": "in an office",
    "own_room": "in your own server room",
    "campus": "on a campus",
    "colocation": "in colocation",
    "data_centre": "in your own data centre",
}

CHANNELS = {
    "stock": "from stock",
    "used": "used",
    "standard": "ordered at the maker",
    "priority": "ordered with priority",
}

# What a choice is called, by the short key of its field; one that is not here is shown as files write it.
CHOICES: dict[str, Mapping[str, str]] = {
    "stay": STAY,
    "hosts": HOSTS,
    "timing": {str(key): name for key, name in TIMINGS.items()},
    "term": PURCHASE,
    "place": PLACES,
    "channel": CHANNELS,
    "per": {"all": "all that is bought", "machine": "each machine"},
}


def choice(key: str, value: str) -> str:
    """A choice of a field in words: in the European Union, for eu."""
    return CHOICES.get(key, {}).get(value, value)


def round_significant(value: float, digits: int = 3) -> float:
    """`value` rounded to so many significant figures."""
    if value == 0 or not math.isfinite(value):
        return value
    return round(value, digits - 1 - math.floor(math.log10(abs(value))))


def usd(value: float) -> str:
    """An amount of money: $276,000, $1.24 million, $0.85."""
    if not math.isfinite(value):
        return NOT_PRICED
    sign, size = _sign_and_size(value)  # cents are fewer digits: rounded twice, 0.945 would be 0.94
    if size >= 1e9:
        return f"{sign}{size / 1e9:g} billion"
    if size >= 1e6:
        return f"{sign}{size / 1e6:g} million"
    return f"{sign}0" if size == 0 else f"{sign}{size:,.0f}" if size >= 100 else f"{sign}{size:,.2f}"


def format_usd_short(value: float) -> str:
    """An amount of money in at most nine characters, for tight places: $276k, $1.24M."""
    if not math.isfinite(value):
        return "not priced"
    sign, size = _sign_and_size(value)
    for limit, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k")):
        if size >= limit:
            return f"{sign}{size / limit:g}{letter}"
    return f"{sign}0" if size == 0 else f"{sign}{size:g}" if size >= 100 else f"{sign}{size:.2f}"


def _sign_and_size(value: float) -> tuple[str, float]:
    money = shown_money()
    amount = money.amount(value)
    size = abs(amount)
    return f"{'-' if amount < 0 else ''}{money.mark}", size if size < 1 else round_significant(size)


def number(value: float, digits: int = 3) -> str:
    """A number with so many significant figures, thousands apart: 1,230; 4,000,000, never 4e+06."""
    rounded = round_significant(value, digits)
    return f"{rounded:,.0f}" if 1e6 <= abs(rounded) < 1e15 else f"{rounded:,g}"


def upper_first(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def lower_first(text: str) -> str:
    """The text with a small first letter, to stand inside a sentence; an acronym (PUE, GPUs) stays as it is."""
    return text if text[:2].isupper() else text[:1].lower() + text[1:]


def sentence(text: str) -> str:
    """The text as a sentence: a capital first letter, and a full stop unless it asks something."""
    return f"{upper_first(text).rstrip('.')}{'' if text.endswith('?') else '.'}"


def usd_per_hour(value: float) -> str:
    """A price for an hour: $2.19."""
    return write_usd(value) if math.isfinite(value) else NOT_PRICED


def percent(share: float, digits: int = 0) -> str:
    """A share as a percentage: whole, or without trailing zeros."""
    return f"{round(share * 100, digits):g}%" if digits else f"{share * 100:.0f}%"


def share_per_100(share: float, step: int = 1) -> float:
    """A share as a number of 100, in whole steps; 100 and 0 only where it is all or none: 99.9 for 1,023 of 1,024."""
    count = step * round(100 * share / step)
    if 0 < count < 100 or share <= 0 or share >= 1:
        return float(count)
    return min(max(round(100 * share, 1), 0.1), 99.9)


def format_futures_share(share: float, step: int = 1) -> str:
    """A share in words, to stand before what is counted: all, 74 of 100, fewer than 1 of 100, none of 100."""
    if share >= 1:
        return "all"
    if share <= 0:
        return "none of 100"
    count = share_per_100(share, step)
    return "more than 99 of 100" if count > 99 else "fewer than 1 of 100" if count < 1 else f"{count:g} of 100"


def day(when: date) -> str:
    """15 Nov 2026."""
    return f"{when.day} {when:%b %Y}"


def age(days: int) -> str:
    """Return the age of a price: today, 3 days old."""
    if days <= 0:
        return "today"
    return "1 day old" if days == 1 else f"{days:,} days old"


_FEW_SELLERS = 4
_MOVED = ((0.03, "hardly any such price has"), (0.35, ""), (0.58, "about half of such prices have"),
          (0.8, "about two in three such prices have"), (1.1, "nearly all such prices have"))  # fmt: skip
_IN_WORDS = ("", "", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def worth(price: PriceEstimate) -> str:
    """Return a price as read, its age, the movement of such prices since, and the price today.

    $3.49, read 42 days ago; about one in five such prices has moved since, and the market by +12%: today about
    $3.58 ($3.15 to $4.06).
    """
    if not math.isfinite(price.read_usd):
        return NOT_PRICED
    days = round(price.age_days)
    when = "read today" if days <= 0 else f"read {count(days, 'day')} ago"
    if price.yours and price.low == price.high:
        return f"your price, {usd_per_hour(price.read_usd)}"
    since = "" if days <= 0 else f"; {_moved(price.repriced)} moved since"
    if days > 0 and abs(price.moved) >= 0.005:
        since += f", and the market by {price.moved:+.0%}"
    ends = f"{usd_per_hour(price.low)} to {usd_per_hour(price.high)}"
    few = f"; few sellers: {price.sellers}" if price.sellers < _FEW_SELLERS and not price.yours else ""
    read, now = usd_per_hour(price.read_usd), usd_per_hour(price.typical)
    return f"{read}, {when}{since}: today about {now} ({ends}){few}"


def market_price(band: OrderBand, seller: str | None, sellers: int | None = None, *, by_contract: bool = False) -> str:
    """Return what an order pays: from $2.53 (Gcore, read today); such an order typically pays $3.16 ($2.40 to $4).

    A cheapest list price above the typical is "listed at": contracts pay less.
    `by_contract`: nobody publishes a price for its term, so no seller is named.
    """
    low, typical, high = map(usd_per_hour, (band.low, band.typical, band.high))
    nobody = "no one seller surely has it" if band.standing == "likely" else "no listed seller likely has it"
    least = f"{'by contract, no price is published' if by_contract else nobody}: ask; "
    if not by_contract and band.cheapest_read is not None and seller is not None:
        days = round(band.cheapest_age_days or 0.0)
        read = "read today" if days <= 0 else f"read {count(days, 'day')} ago"
        how = "from" if band.cheapest_read <= band.typical else "listed at"
        least = f"{how} {usd_per_hour(band.cheapest_read)} ({seller}, {read}); "
    known = "" if sellers is None else f"; {count(sellers, 'seller')}"
    if band.has_few_sellers:
        known = "; few sellers" if sellers is None else f"; few sellers: {sellers}"
    return f"{least}such an order typically pays {typical} ({low} to {high}){known}{availability(band)}"


def availability(band: OrderBand) -> str:
    """Return the chance that somebody has an order, and its wait, where it is only perhaps available."""
    if band.standing == "likely":
        return ""
    wait = "" if band.wait_months is None else f" after about {months_words(round(band.wait_months, 1))}"
    return f"; perhaps: somebody has it{wait} with a chance of {percent(band.chance)}"


def _moved(share: float) -> str:
    """Return the share of such prices that changed: about one in five such prices has."""
    phrase = next(words for limit, words in _MOVED if share < limit)
    if phrase:
        return phrase
    one_in = min(round(1 / share), 33)
    return f"about one in {_IN_WORDS[one_in] if one_in < len(_IN_WORDS) else one_in} such prices has"


def seller(provider: str, product: str | None) -> str:
    """Return the seller and its product: RunPod (Secure Cloud)."""
    return f"{provider} ({product})" if product else provider


def value(number: float | NDArray[np.float64]) -> str:
    """An input as it was used; one that changes by the month shows its first and last months."""
    numbers = number.reshape(-1).tolist() if hasattr(number, "reshape") else [number]
    if len(numbers) > 1:
        return f"{numbers[0]:,.10g} … {numbers[-1]:,.10g}, by month"
    return f"{numbers[0]:,.10g}" if math.isfinite(numbers[0]) else "unknown"


def counted(numbers: Mapping[Any, int], of: str, what: str) -> list[dict[str, Any]]:
    """Return counts as data: words are values there, never keys."""
    return [{of: word, what: number} for word, number in numbers.items()]


def listed(words: Iterable[str], last: str = "and") -> str:
    """a, b and c."""
    *most, end = list(words) or [""]
    return f"{', '.join(most)} {last} {end}" if most else end


def some(names: Sequence[str], most: int = 3) -> str:
    """The first few of many names, and how many more there are."""
    more = [f"{len(names) - most:,} more"] if len(names) > most else []
    return listed([*names[:most], *more])


@cached(4_096)  # a page says most of its sentences again in every rerun
def markdown(text: str) -> str:
    """Text that shows as it is: nothing in it is read as markup, mathematics or a link."""
    plain = text.replace("\n", " ")
    pieces, end = [], 0
    for match in _ADDRESS.finditer(plain):
        pieces += [_escape(plain[end : match.start()]), _code(match[0])]
        end = match.end()
    return "".join([*pieces, _escape(plain[end:])])


# A bare address becomes a link however it is escaped, since links are looked for in what is left after the escapes.
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.\-]*://|www\.|mailto:|xmpp:)\S+|[^\s@]+@[^\s@]+", re.IGNORECASE)


def _escape(text: str) -> str:
    return _IN_A_WORD.sub("-", text.translate(_MARKS))


_MARKS = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_{}[]<>()#+-.!|$~:"})
_IN_A_WORD = re.compile(r"(?<=[^\W_])\\-(?=[^\W_])")  # marks nothing there; some labels are read aloud as written


def _code(text: str) -> str:
    """Text between so many backticks that none of its own ends it."""
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    pad = " " if "`" in text else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def escape_dollar_signs(text: str) -> str:
    """Our own sentence with dollar signs that must not start a formula."""
    return text.replace("$", r"\$")


class Tile(NamedTuple):
    """A figure as it is shown, with its range and a line that says what it is."""

    label: str
    value: str
    range: str
    detail: str
    place: str = ""  # of a card whose label names the option in that place: Rent, Own
