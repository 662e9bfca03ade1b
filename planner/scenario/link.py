"""A scenario in the address of a page: short keys for what the question bar and its expander ask, the rest in one key.

`scenario_from_link(scenario_to_link(scenario))` is the scenario. Numbers come back to the last bit;
a share stands as a percentage (`busy=60`). What a link holds that cannot be used is left out and said.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from itertools import accumulate
from typing import Any, NamedTuple

import pydantic
import pydantic_core

from planner.scenario import known_names
from planner.scenario.base import EnteredAmount
from planner.scenario.known_names import format_errors
from planner.scenario.link_text import entered_amounts, format_value, parse_value, unusable_reason
from planner.scenario.path import format_path, get_value, pop_value, set_value
from planner.scenario.question import KEYS, LinkKey
from planner.scenario.scenario import Scenario
from planner.scenario.typed_money import ConvertedAmounts, to_dollars, with_entered_amounts
from pricing import Catalogue, PricingError
from pricing.exchange import Rates
from pricing.exchange import rates as rates_of
from pricing.formulas import printable, reject_invisible, unseen
from pricing.near import near
from pricing.strict_yaml import MAX_DEPTH

ALSO = "also"
# Keys of the pages themselves, which hold no part of the plan.
PAGE_KEYS = frozenset({
    "work", "asof", "pin", "whole", "all", "every_way", "look", "view", "columns", "seller", "machine", "network",
    "speed", "turn", "pick", "figures", "every_figure", "find", "facts", "every_point", "stress", "across", "up",
    "terms", "area", "age", "trust", "doubtful", "large", "bills", "old", "hidden", "embed", "quarters",
    "saved", "plans", "portfolio", "by",
})  # fmt: skip
LONGEST_ALSO = 4_000
_NESTED = 3
_MOST_KEYS_SHOWN = 4


class LinkTooLongError(PricingError):
    """A scenario that says more than an address can hold."""


def scenario_to_link(scenario: Scenario) -> dict[str, str]:
    """Return what a link holds: each short key whose value is not the default, and `also` for the rest."""
    rest = with_entered_amounts(scenario, scenario.model_dump(exclude_defaults=True))
    link: dict[str, str] = {}
    for key in KEYS.values():
        value = pop_value(rest, key.path)
        if value is not None:
            link[key.key] = format_value(key, value)
    _drop_empty_records(rest, {str(KEYS[key].path[0]) for key in link})
    if rest:
        link[ALSO] = json.dumps(
            pydantic_core.to_jsonable_python(rest), ensure_ascii=False, separators=(",", ":"), allow_nan=False
        )
        if len(link[ALSO]) > LONGEST_ALSO:
            raise LinkTooLongError(
                f"This plan says more than a link can hold ({len(link[ALSO]):,} characters, at most {LONGEST_ALSO:,}): "
                "download it as a file and send that."
            )
    return link


class ParsedLink(NamedTuple):
    """The contents of an address: the scenario, what of it cannot be used, and what contradicts the rest."""

    scenario: Scenario
    notes: list[str]  # a sentence for each thing that cannot be read, or names what nobody knows
    at_odds: dict[str, str]  # by key, a sentence for each that can be read, but not together with the others
    unknown: frozenset[str]  # the keys whose name the catalogue does not know


def scenario_from_link(
    link: Mapping[str, str], catalogue: Catalogue | None = None, others: Collection[str] = ()
) -> tuple[Scenario, list[str]]:
    """The scenario a link holds, and a sentence for each thing in it that cannot be used. See `parse_link`."""
    read = parse_link(link, catalogue, others)
    return read.scenario, [*read.notes, *read.at_odds.values()]


def parse_link(
    link: Mapping[str, str],
    catalogue: Catalogue | None = None,
    others: Collection[str] = (),
    opening: str = "This link held",
    rates: Rates | None = None,
) -> ParsedLink:
    """The scenario an address holds, and what of it is left out. Sentences open with `said`.

    With a catalogue, names are checked against it. A key that nobody knows is named, unless it is one of `others`,
    which belong to somebody else. Amounts in other currencies are read at `rates`, else the catalogue's.
    """
    notes: list[str] = []
    exchange = rates_of(catalogue) if rates is None and catalogue is not None else rates or {}
    parts = list(_read_values(link, notes, exchange))
    also = _extra_in_dollars(_parse_extra(link.get(ALSO), notes), notes, exchange)
    scenario, at_odds = _merge_values(parts, also, notes)
    unknown: set[str] = set()
    if catalogue is not None:
        scenario = _resolve_names(scenario, catalogue, notes, unknown)
    notes += _unknown_keys([key for key in link if key not in (*KEYS, ALSO, *others)])
    odd = {key: f"{opening} {sentence}" for key, sentence in at_odds.items()}
    return ParsedLink(scenario, [f"{opening} {sentence}" for sentence in notes], odd, frozenset(unknown))


def clean_link(
    link: Mapping[str, str], catalogue: Catalogue, others: Collection[str] = ()
) -> tuple[dict[str, str], list[str]]:
    """Return what of a link can be kept, as `scenario_to_link` writes it, and a sentence for each thing dropped.

    What can be read but does not agree with the rest is kept: one other edit may make it agree.
    """
    read, exchange = parse_link(link, catalogue, others), rates_of(catalogue)
    plain = {key: link[key] for key in (*KEYS, ALSO) if key in link and not unseen(link[key], "\t\n\r")}
    try:
        written = scenario_to_link(read.scenario)
    except LinkTooLongError:  # written out, names can take more room than in the link
        return plain, read.notes
    chosen = {
        key: text
        for key, text in plain.items()
        if key in KEYS and key not in read.unknown and _has_value(key, text, exchange)
    }
    return {**chosen, **written, **{key: link[key] for key in read.at_odds}}, read.notes


def _has_value(key: str, text: str, rates: Rates) -> bool:
    """Return whether a text can be read, and is not just what a field holds before anybody touches it."""
    value = parse_value(KEYS[key], text, rates) if text else None
    return value is not None and value != KEYS[key].default


class _LinkValue(NamedTuple):
    """A short key with its value, as the scenario holds it."""

    key: LinkKey
    text: str
    value: Any
    typed: tuple[EnteredAmount, ...] = ()  # where it is an amount in another currency


def _read_values(link: Mapping[str, str], notes: list[str], rates: Rates) -> Iterator[_LinkValue]:
    for key in KEYS.values():
        text = link.get(key.key)
        if text is None or text == "":
            continue
        value = parse_value(key, text, rates)
        if value is None:
            notes.append(_unusable_message(key, text, unusable_reason(key, text, rates)))
        else:
            yield _LinkValue(key, text, value, entered_amounts(key, text, rates))


def _unusable_message(key: LinkKey, text: str, why: str) -> str:
    instead = key.default if key.default is not None else key.usual
    if instead is None:
        instead = "the catalogue's figure"
    elif not isinstance(instead, str):
        instead = format_value(key, instead)
    return (
        f"{key.key} = {printable(text)}{why}{_END[why.endswith('?')]}"
        f"{instead[0].upper()}{instead[1:]} is used instead, so this answer differs from the sender's."
    )


_END = {False: ". ", True: " "}  # after a question no full stop


def _parse_extra(text: str | None, notes: list[str]) -> dict[str, Any]:
    """The rest of the scenario as plain data; empty where it cannot be read."""
    if not text:
        return {}
    if len(text) > LONGEST_ALSO:
        notes.append(f"`{ALSO}` with {len(text):,} characters, more than {LONGEST_ALSO:,}. {_LEFT_OUT}")
        return {}
    try:
        read = _parse_strict_json(text)
    except ValueError:
        read = None
    if not isinstance(read, dict):
        notes.append(f"`{ALSO}` = {printable(text)}, which is cut short or changed. {_LEFT_OUT}")
        return {}
    return read


def _extra_in_dollars(also: dict[str, Any], notes: list[str], rates: Rates) -> ConvertedAmounts:
    """The rest of a link with dollars in all fields of money; nothing of it where an amount cannot be read."""
    amounts = to_dollars(also, rates)
    if not amounts.wrong:
        return amounts
    path, wish = amounts.wrong[0]
    notes.append(f"`{ALSO}`, which cannot be used: {format_path(path)}: {wish}. {_LEFT_OUT}")
    return ConvertedAmounts({}, (), ())


_LEFT_OUT = "It is left out, so this answer differs from the sender's."


def extra_field(text: str | None, part: str, name: str) -> Any:
    """Return the value that the rest of a link has for a field of owning or of the first work; None without one."""
    values = _parse_extra(text, []).get(part)
    first = values[0] if isinstance(values, list) and values else values
    return first.get(name) if isinstance(first, dict) else None


def extra_by_hour(text: str | None) -> tuple[float, ...]:
    """The hours of the day that the rest of a link tells of the first work; empty where it tells none."""
    hours = extra_field(text, "work", "by_hour")
    return tuple(hours) if isinstance(hours, list) and all(isinstance(share, float | int) for share in hours) else ()


def extra_with_hours(text: str | None, by_hour: tuple[float, ...]) -> str | None:
    """The rest of a link with other hours of the day for the first work, or with none; None where nothing is left."""
    rest = _parse_extra(text, [])
    set_value(rest, ("work", 0, "by_hour"), list(by_hour))
    if not by_hour:
        del rest["work"][0]["by_hour"]
    if rest["work"] == ({},):
        del rest["work"]
    return json.dumps(rest, ensure_ascii=False, separators=(",", ":")) if rest else None


def extra_with_ownership(text: str | None, changes: Mapping[str, Any]) -> str | None:
    """The rest of a link with other values of fields of owning, None for none of it; None where nothing is left."""
    rest = _parse_extra(text, [])
    before = rest.pop("own", None)
    own = {**(before if isinstance(before, dict) else {}), **changes}
    left = {name: value for name, value in own.items() if value is not None}
    rest = {**({"own": left} if left else {}), **rest}
    return json.dumps(rest, ensure_ascii=False, separators=(",", ":")) if rest else None


def _parse_strict_json(text: str) -> Any:
    """The data in a JSON text of few levels: all its marks show, no key stands twice, every number is finite."""
    reject_invisible(re.sub(r"[\t\n\r]", " ", text))
    brackets = re.sub(r"[^][{}]", "", re.sub(r'"(\\.|[^"\\])*"', "", text))
    if max(accumulate(1 if mark in "[{" else -1 for mark in brackets), default=0) > MAX_DEPTH:
        raise ValueError("too many levels")
    read = json.loads(text, object_pairs_hook=_reject_duplicate_keys)
    json.dumps(read, allow_nan=False)
    return read


def _reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        raise ValueError("a key stands here twice")
    reject_invisible("".join(data))
    return data


def _merge_values(
    values: list[_LinkValue], also: ConvertedAmounts, notes: list[str]
) -> tuple[Scenario, dict[str, str]]:
    """The scenario of all that a link says, where it agrees; else of each key that agrees with those before it."""
    try:
        return _build_scenario(values, also), {}
    except pydantic.ValidationError:
        agreed: list[_LinkValue] = []
    at_odds: dict[str, str] = {}
    for one in sorted(
        values, key=lambda value: value.key.path == ("accelerator",)
    ):  # any of them needs a model before it
        try:
            _build_scenario([*agreed, one], _NOTHING)
        except pydantic.ValidationError as error:
            why = f", which does not agree with the rest: {_first_complaint(error)}"
            at_odds[one.key.key] = _unusable_message(one.key, one.text, why)
        else:
            agreed.append(one)
    try:
        return _build_scenario(agreed, also), at_odds
    except pydantic.ValidationError as error:
        why = _first_complaint(error)
        sentence = f"`{ALSO}`, which cannot be used: {why}{_END[why.endswith('?')]}{_LEFT_OUT}"
        if _is_consistent(also):
            at_odds[ALSO] = sentence
        else:
            notes.append(sentence)
        return _build_scenario(agreed, _NOTHING), at_odds


def _is_consistent(also: ConvertedAmounts) -> bool:
    try:
        _build_scenario([], also)
    except pydantic.ValidationError:
        return False
    return True


def _first_complaint(error: pydantic.ValidationError) -> str:
    return format_errors(error)[0][1].rstrip(".")


_NOTHING = ConvertedAmounts({}, (), ())


def _build_scenario(values: list[_LinkValue], also: ConvertedAmounts) -> Scenario:
    data: dict[str, Any] = json.loads(json.dumps(also.data))
    for item in values:
        set_value(data, item.key.path, item.value)
    typed = (*also.typed, *(amount for value in values for amount in value.typed))
    return Scenario.model_validate_json(json.dumps(data)).with_typed(typed)


def _drop_empty_records(rest: dict[str, Any], sections: Collection[str]) -> None:
    """Drop from the rest of a link the records that short keys have emptied, unless just being there says something.

    `said` are the records of which a short key says something.
    """
    usual = Scenario()
    for section in {str(key.path[0]) for key in KEYS.values() if len(key.path) > 1}:
        if section in rest and not rest[section] and (section in sections or getattr(usual, section) is not None):
            del rest[section]
    for path in {
        key.path[:-1] for key in KEYS.values() if len(key.path) > _NESTED
    }:  # work.0.train: its model has a key
        first = rest.get(str(path[0]), ({},))[0]
        if first.get(path[2]) == {}:
            del first[path[2]]
    if rest.get("work") == ({},):
        del rest["work"]


def _resolve_names(scenario: Scenario, catalogue: Catalogue, notes: list[str], unknown: set[str]) -> Scenario:
    """The scenario with names as the catalogue writes them; a name it does not know gives way to the default."""
    settled, lost = known_names.resolve_names(scenario, catalogue)
    notes += _taken_for_another(scenario, settled, catalogue)
    if not lost:
        return settled
    usual = Scenario()
    data = settled.model_dump()
    for path, error in lost:
        name = get_value(settled, path)
        if path[0] == "measured":
            notes.append(f"runs of your own on {printable(name)}. {error} They are left out.")
            data["measured"] = tuple(run for run in data["measured"] if run["accelerator"] != name)
            continue
        if path[0] in _WHOLE:
            notes.append(f"`{ALSO}`, which cannot be used: {format_path(path)}: {error} {_LEFT_OUT}")
            data[path[0]] = getattr(usual, str(path[0]))
            continue
        default = get_value(usual, path)
        key = next((key.key for key in KEYS.values() if key.path == path), ".".join(map(str, path)))
        unknown.add(key)
        instead = f"{default} is" if default else _WHEN_EMPTY.get(path, "The catalogue's is")
        notes.append(f"{key} = {printable(name)}. {error} {instead} used instead.")
        here: Any = data
        for step in path[:-1]:
            here = here[step]
        here[path[-1]] = default
    return known_names.resolve_names(Scenario.model_validate(data).with_typed(settled.typed), catalogue)[0]


def _taken_for_another(scenario: Scenario, settled: Scenario, catalogue: Catalogue) -> list[str]:
    """Why the accelerator is another than the link names, where its name fits several."""
    if settled.accelerator == scenario.accelerator:
        return []
    note = known_names.accelerator_meant(catalogue, scenario.accelerator).note
    return [f"gpu = {printable(scenario.accelerator)}. {note}"] if note else []


_WHEN_EMPTY: dict[tuple[str | int, ...], str] = {
    ("kept", "accelerator"): "The plan's GPU is",
    ("tax", "schedule"): "The usual one of the country is",
}
_WHOLE = ("stay_in", "not_from", "currency")  # fields that are left out as a whole where a name in them is unknown


def _unknown_keys(keys: list[str]) -> Iterator[str]:
    """A sentence for each unknown key that is nearly one of ours, and one for all others together."""
    others: list[str] = []
    for key in keys:
        if meant := near(key, (*KEYS, ALSO)):
            yield f"{printable(key)}, which is no key of this page. It may have meant {meant[0]}."
        elif not _OF_A_COUNTER.match(key):
            others.append(printable(key))
    if others:
        more = len(others) - _MOST_KEYS_SHOWN
        shown = ", ".join(others[:_MOST_KEYS_SHOWN]) + (f" and {more:,} more" if more > 0 else "")
        many = "which are no keys of this page. They are" if others[1:] else "which is no key of this page. It is"
        yield f"{shown}, {many} left out."


# What web sites append to links to count visitors.
_OF_A_COUNTER = re.compile(r"(utm_\w+|\w*clid|mc_[ce]id|_g[al]|ref)$")
