"""Sellers, bills and users of a line: who sells GPUs, machines or tokens, what is paid now, how many ask."""

import math
import re
import statistics
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pydantic

from planner.scenario.base import HOURS_PER_DAY, HOURS_PER_MONTH, HOURS_PER_YEAR, ONE_MACHINE, SECONDS_PER_HOUR
from planner.scenario.durations import months_words
from planner.scenario.file import build_scenario
from planner.scenario.latency import day_patterns, latency_classes
from planner.scenario.path import set_value
from planner.scenario.scenario import USUAL_ACCELERATOR, Scenario
from planner.scenario.typed_money import to_dollars
from planner.study.one_line.line_records import LEAST_RPS, REQUESTS_OF_ONE, LineError, LineParts, LineQuestion
from planner.study.one_line.line_rules import DAYS_PER_WEEK, MOST_AN_HOUR, PARTS, PATTERNS, parse_number
from planner.study.one_line.line_words import WORDS
from planner.study.plan_any import scenario_from_token_bill
from pricing import Catalogue, PricingError, UnknownNameError, names
from pricing.exchange import rates
from pricing.market.rivals import open_model_for, rivals
from pricing.market.sellers import TERM_MONTHS
from pricing.meant import Meant
from pricing.orderable import Order, bloc_members, refusal_reason, run_coordinates

LINE = "line"
# Assumptions: 300 tokens at 30 a second; what is heard at once; hours at work.
_REQUEST_SECONDS, _CLIP_SECONDS, _WORK_OVER_WEEK = 10, 30, 40 / 168
PART_OF_MONTH, _SHORTEST_PLAN_MONTHS = 0.01, 3  # of a month, that is less than a day
# A request of a coding assistant: of 40,000 tokens (17,500 a minute over 0.42) a tenth is taken to be new to the cache.
_OF_CODE = {"in": 4_000, "out": 500}


def with_price_of_tokens(catalogue: Catalogue, values: dict[str, Any], notes: list[str]) -> None:
    """Compare with the seller of tokens that a line names, at its list price, where the line states the work."""
    has_rate = {*WORDS["rates"]} & values.keys()
    is_stated = has_rate or {"model", "team", "online", "texts", "inflight"} & values.keys()
    is_other = {"train", "tune"} & values.keys() or values.get("modality", "text") != "text"
    is_open = is_stated and {"seller", "billfor"} & values.keys() and ("bill" not in values or has_rate)
    price = "" if is_other or not is_open else values.get("billfor") or _hosted_price(catalogue, values)
    if hosted := catalogue.hosted.get(price):
        values |= {"billfor": price, "is_of_work": True, "serve": True}
        notes.append(f"The hosted model is {hosted.label} of {hosted.vendor}, at its list price.")
        values["model"] = values.get("model") or _run_instead(catalogue, price, notes)


def ask_for_open_model(catalogue: Catalogue, parts: LineParts) -> None:
    """Ask what is meant where a line hosts or trains a model whose weights nobody sells: its API, or an open model."""
    (start, end), values = parts.spans.get("billfor") or parts.spans.get("seller") or (0, 0), parts.values
    is_own = PATTERNS["on_own_machines"].search(parts.plain) if not {*WORDS["stated_use"]} & values.keys() else None
    if end and "model" not in values and (is_own or PATTERNS["trains_it"].search(parts.plain[:start])):
        price = catalogue.hosted[key := values.get("billfor") or _hosted_price(catalogue, values)]
        if price.model not in catalogue.models:
            parts.notes.append(f"The weights of {price.label} are not for sale: only its API is.")
            model = _run_instead(catalogue, key, parts.notes)
            lines = {it: text.format(parts.line[start:end]) for it, text in WORDS["instead_of_closed"].items()}
            lines[f"{model}, an open model"] = f"{parts.line[:start]}{model}{parts.line[end:]}"
            parts.questions.append(LineQuestion("weights that are not for sale", lines, is_whole=True))


def _run_instead(catalogue: Catalogue, price: str, notes: list[str]) -> str:
    """Return the open model that is like the one that is paid for."""
    usual = next(iter(latency_classes().values()))
    model, why = open_model_for(catalogue, catalogue.hosted[price], usual.input_tokens, usual.output_tokens)
    notes.append(f"{catalogue.models[model].label} is taken for what you would run instead: {why}.")
    return model


def is_by_token(values: Mapping[str, Any]) -> bool:
    """Return whether a bill is for tokens, whose number follows from it."""
    is_of_gpus = {"chip", "gpus", "have"} & values.keys() and not (  # would our own H100s be cheaper
        {"seller", "billfor"} & values.keys() and ("model" in values or "gpus" not in values)
    )
    return "bill" in values and not is_of_gpus and values.get("modality", "text") == "text"


def settle_bill(values: dict[str, Any]) -> None:
    """Drop `a GPU` beside a bill for tokens; where the work is what grows, its growth is the bill's too."""
    if {"bill", "gpus"} <= values.keys() and {"seller", "billfor"} & values.keys() and "chip" not in values:
        del values["gpus"]
    if "billgrowth" in values and (not {"bill", "gpus"} <= values.keys() or is_by_token(values)):
        values["growth"] = values.pop("billgrowth")


def add_bill(catalogue: Catalogue, data: dict[str, Any], values: dict[str, Any], notes: list[str]) -> None:
    if "is_of_work" in values:
        data["hosted"] = {"price": values["billfor"]}
    if "bill" not in values:
        return
    bill: dict[str, Any] = {"usd_per_month": values["bill"]}
    checked = build_scenario(to_dollars({"bill": bill}, rates(catalogue)).data, LINE, {}).bill
    assert checked is not None
    _add_rented(catalogue, values, checked.usd_per_month, notes)
    if "is_of_work" in values or not is_by_token(values):
        notes += [WORDS["said"]["closed"]] if "gpus" in values and {"seller", "billfor"} & values.keys() else []
        provider = catalogue.providers.get(values.get("provider", ""))
        label = provider.label if provider else values.get("seller")
        data["bill"] = bill | (
            {"price": values["billfor"]} if "billfor" in values else {"label": label} if label else {})  # fmt: skip
        return
    price = values.get("billfor") or _hosted_price(catalogue, values)
    record = catalogue.hosted[price]
    notes.append(f"The bill is taken to be for {record.label} of {record.vendor}, by the token.")
    usual = next(iter(latency_classes().values()))
    model = values["model"] if values.get("model") in catalogue.models else _run_instead(catalogue, price, notes)
    try:
        scenario = scenario_from_token_bill(record, price, checked.usd_per_month, model, usual)
    except pydantic.ValidationError as error:
        raise LineError(
            f"A bill of {checked.usd_per_month:,.10g} USD a month buys fewer or more requests than a plan can have "
            "(0.0001 to 1,000,000 a second): write another bill, or how many requests there are."
        ) from error
    data |= scenario.model_dump(exclude_defaults=True) | {"bill": bill | {"price": price}}


def _add_rented(catalogue: Catalogue, values: dict[str, Any], usd: float, notes: list[str]) -> None:
    """Add the GPUs that a bill pays for all the time, where a line states none; cards for less than half a server."""
    is_other = not {"provider", "is_of_gpus"} & values.keys() or {*WORDS["of_others"]} & values.keys()
    usual, paid = (USUAL_ACCELERATOR, WORDS["cards"][USUAL_ACCELERATOR]), dict[str, int]()
    for chip in () if is_other else (values["chip"],) if "chip" in values else usual:
        listed, most = _listed(catalogue, values.get("provider"), chip), max(paid.values(), default=0)
        if listed and most < ONE_MACHINE / 2:
            each = min(listed.values()) if "provider" in values else statistics.median(listed.values())
            paid[chip] = max(round(usd / HOURS_PER_MONTH / each), 1)
    for chip, many in [*paid.items()][-1:]:
        values |= {"chip": chip, "gpus": many, "busy": values.get("busy", 1.0)}
        notes.append(WORDS["said"]["rented_by_bill"].format(many, catalogue.accelerator_label(chip)))


def _listed(catalogue: Catalogue, provider: str | None, chip: str, purchase: str = "on_demand") -> dict[str, float]:
    """Return what a seller lists for a chip, USD an hour; of all where none is named."""
    return {
        key: offer.usd_per_accelerator_hour.newest.typical for key, offer in catalogue.offers.items()
        if (offer.accelerator, offer.purchase) == (chip, purchase) and provider in (None, offer.provider)
        and offer.usd_per_accelerator_hour is not None
    }  # fmt: skip


def _hosted_price(catalogue: Catalogue, values: Mapping[str, Any]) -> str:
    """Return the hosted model that a bill or some work is for: the one named, else the seller's best on a board.

    Who sells open models sells the one that is named, or another seller of it is taken; none where none lists it.
    """
    vendor, board = values.get("seller", "OpenAI"), rivals().boards["general"].scores
    of_seller = [key for key, price in catalogue.hosted.items() if price.vendor == vendor] or list(catalogue.hosted)
    model = values.get("model", "")
    wanted = re.compile(rf"{re.escape(names.plain(model))}{PARTS['FORMS']}")
    fitting = [
        key for key, price in catalogue.hosted.items()
        if model and (price.model == model or wanted.fullmatch(names.plain(key.partition("/")[2])))
    ]  # fmt: skip
    own = [key for key in of_seller if key in fitting] or (fitting if vendor not in WORDS["makers"] else [])
    is_unlisted = model and not own and vendor not in WORDS["makers"] and "bill" not in values
    scores = {key: score.score for key in of_seller if (score := board.get(catalogue.hosted[key].model))}
    best = max(of_seller, key=lambda key: (scores.get(key, 0.0), -len(key)))
    closest = min(own, key=lambda key: (catalogue.hosted[key].model != model, len(key)), default=best)
    return "" if is_unlisted else closest


def add_seller(catalogue: Catalogue, data: dict[str, Any], values: dict[str, Any], notes: list[str]) -> None:
    """Rent from the seller that the line names, at the lowest list prices there: on demand, for a term, on spot."""
    lasts = values.get("length", Scenario().years * HOURS_PER_YEAR) / HOURS_PER_MONTH + PART_OF_MONTH
    terms = [name for name, length in reversed(TERM_MONTHS.items()) if length <= lasts]
    kinds = {"rent": ["on_demand"], "reserve": terms, **({"spot": ["spot"]} if "spot" in values else {})}
    said = {"label": catalogue.providers[values["provider"]].label}
    chip = data.get("accelerator", USUAL_ACCELERATOR)
    for field, purchases in kinds.items():
        found = next((it for kind in purchases if (it := _cheapest_offer(catalogue, values, chip, kind))), None)
        if found is not None:
            offer, usd = found
            set_value(data, (field, "offer"), offer)
            months = TERM_MONTHS.get(catalogue.offers[offer].purchase, 0.0)
            said |= {"months": months_words(months), "paid": f"{usd:,.4g} USD an hour, as listed"}
        said |= {"paid": "your price"} if field == "rent" and "rent" in values else {}
        notes.append(WORDS["of_seller"][field if found else f"no_{field}"].format(**said))


def _cheapest_offer(catalogue: Catalogue, values: Mapping[str, Any], chip: str, kind: str) -> tuple[str, float] | None:
    """Return the offer of the seller that a line names with the smallest bill for its order, and its price."""
    count, listed = values.get("gpus", 1), _listed(catalogue, values["provider"], chip, kind)
    able = {key: usd for key, usd in listed.items() if refusal_reason(catalogue, key, Order(count)) is None} or listed
    place = values.get("site", "").partition("-")[0]

    def rank(key: str) -> tuple[bool, bool, float, str]:
        each = catalogue.offers[key].accelerators_per_instance or 1
        whole = able[key] * math.ceil(count / each) * each  # four of a machine of 16 cost all 16
        offer, coordinates = catalogue.offers[key], run_coordinates(catalogue, catalogue.offers[key])
        is_there = not place or any(place in bloc_members(catalogue, each) or place == each for each in coordinates)
        return not is_there, bool(offer.doubts), whole, key

    return min(able.items(), key=lambda each: rank(each[0]), default=None)


def offers_of(catalogue: Catalogue, line: str) -> dict[str, str]:
    """Return a line with each of several offers alone, the cheapest first: CoreWeave 2.35, Lambda 2.60; {} of one."""
    line = PATTERNS["offer_behind"].sub(lambda it: f"{it['who'] or it['named']} {it['sum']}{it['per'] or ''}", line)
    is_offered = PATTERNS["offered"].search(line) is not None
    run = [
        offer for offer in ([] if PATTERNS["of_bills"].search(line) else PATTERNS["offer"].finditer(line))
        if provider_called(catalogue, offer["who"].lower()) or (is_offered and offer["who"][0].isupper())
    ]  # fmt: skip
    if not run[1:] or not all(PATTERNS["offer_gap"].fullmatch(line, a.end(), b.start()) for a, b in pairwise(run)):
        return {}
    has_terms = any(offer["term"] for offer in run[:-1])  # one that stands behind the last alone is of all
    terms = [offer["term"] for offer in run if has_terms and offer["term"]]  # all are compared over the longest
    length = max(terms, key=lambda it: float(PATTERNS["numbers"].findall(it)[0]) * (12 if "y" in it else 1), default="")
    start, end = run[0].start(), run[-1].end() - (0 if has_terms else len(run[-1]["term"] or ""))
    of_all = next((offer["per"] for offer in run[::-1] if offer["per"]), "")
    orders = [each for offer in run for each in (offer["order"], offer["behind"]) if each]
    lines: dict[str, tuple[float, str]] = {}
    for offer in run:
        usd = parse_number(offer["sum"].strip("$€£ ").lower())
        per = offer["per"] or of_all or (" an hour" if usd < MOST_AN_HOUR else "")
        per = " per GPU-hour" if PATTERNS["offer_hourly"].fullmatch(per) else per
        said = "offer " if not per else "as an offer, " if PATTERNS["offered"].search(line, start, end) else ""
        seller = f"from {offer['who']} " if provider_called(catalogue, offer["who"].lower()) else ""
        order = next((f" for {each}" for each in (offer["order"], offer["behind"], *orders) if each), "")
        text = f"{said}{seller}{offer['sum']}{per}{length}{order}"
        lines[f"{offer['who']} {offer['sum']}"] = usd, f"{line[:start]}{text}{line[end:]}"
    return {label: of for label, (_, of) in sorted(lines.items(), key=lambda each: each[1][0])}


def stays_at_home(values: Mapping[str, Any], task: str) -> bool:
    """Return whether a service runs in the house, without what is rented or hosted."""
    others = {"bill", "seller", "billfor", "provider", "compares", "leased", "spot"} & values.keys()
    here = "local" in values or (values.get("place") == "own_room" and "have" not in values)
    return task == "serve" and here and not others and ("chip" in values or values.get("place") not in WORDS["desks"])


# What is stated of the users of a service, the requests a second of each, and what to say.
_REQUESTS_OF = (
    ("inflight", 1 / _REQUEST_SECONDS, f"Each of {{:,.0f}} requests at once is taken to last {_REQUEST_SECONDS} s."),
    ("audio", SECONDS_PER_HOUR / _CLIP_SECONDS, f"Each {_CLIP_SECONDS} seconds of sound are taken for one request."),
    ("online", REQUESTS_OF_ONE, "{:,.0f} users at once are taken to ask every 100 seconds each."),
)


def _add_requests_of_each(values: dict[str, Any], notes: list[str]) -> None:
    if values.get("team", 1) <= 0:
        raise LineError(f"{values['team']:g} people use nothing: write how many there are.")
    if "each_rps" in values:
        a_day = values.get("rps", 0.0) * HOURS_PER_DAY * SECONDS_PER_HOUR if "of_people" in values else 1
        values["rps"] = values["each_rps"] * values.get("team", values.get("online", a_day))
    elif "rps" in values and values["rps"] * HOURS_PER_DAY * SECONDS_PER_HOUR < min(values.get("team", 0) - 1, 300.0):
        values["rps"] *= values["team"]
        notes.append("So few requests are taken for those of each person.")


def add_users(catalogue: Catalogue, values: dict[str, Any], notes: list[str]) -> None:
    """Add the requests of the users of a service, where the line states no requests."""
    _add_requests_of_each(values, notes)
    if "reasons" in values and values.get("modality", "text") == "text" and "out" not in values:
        values["out"] = round(catalogue.facts["answer-tokens-reasoning"].figure.newest.typical)
        notes.append(WORDS["said"]["reasons"].format(values["out"]))
    if {"rps", "token_rate", "token_rates"} & values.keys():
        return
    stated = next((each for each in _REQUESTS_OF if each[0] in values), None)
    if stated is not None:
        values["rps"] = values[stated[0]] * stated[1]
        notes.append(stated[2].format(values[stated[0]]))
    elif "texts" in values and (hours := values.get("due") or values.get("length")):
        in_time = max(values["texts"] / (hours * SECONDS_PER_HOUR), LEAST_RPS)
        months = max(math.ceil(hours / HOURS_PER_MONTH - PART_OF_MONTH), 1)
        values["rps"] = max(in_time * min(hours / months / HOURS_PER_MONTH, 1.0), LEAST_RPS)
        values |= {"last_month": months, "peak": in_time} if months < _SHORTEST_PLAN_MONTHS else {}
        notes.append("The work is taken to come evenly in that time.")
    elif "team" in values:
        who = "developer" if "for_code" in values else "worker" if "at_work" in values else "user"
        per_hour = catalogue.facts[f"messages-per-{who}"].figure.newest.typical
        values["rps"] = max(values["team"] * per_hour / SECONDS_PER_HOUR, LEAST_RPS)
        share = values["busy"] if "busy_by_the_hour" in values and values["busy"] < 1 else _WORK_OVER_WEEK
        at_peak = {} if who == "user" else {"peak": values["rps"] / share}
        values |= {**(_OF_CODE if who == "developer" else {}), **at_peak, **values}
        notes.append(WORDS["said"][f"{who}s"].format(values["team"], per_hour * HOURS_PER_DAY * DAYS_PER_WEEK))


def add_peak(values: dict[str, Any], notes: list[str]) -> None:
    """Add the peak of a service that is closed at times or busiest at some, or the average below a stated peak."""
    share, day = values.get("busy", 1.0), day_patterns()[values.get("pattern", "day and evening")]
    times = max(day.by_hour) * len(day.by_hour) / sum(day.by_hour)
    said = f"as on a day with the shape of “{day.name}”"
    is_of_peak = "peak" in values and not {*WORDS["rates"]} & values.keys()
    if "busy_by_the_hour" in values and share < 1 and "pattern" not in values and ("rps" in values or is_of_peak):
        values |= {"rps": values["rps"] * share} if "rps_by_the_hour" in values else {}
        times, said = 1 / values.pop("busy"), f"as it is used {share:.0%} of the time"
    elif not ({"rps", "pattern"} <= values.keys() or is_of_peak):
        return
    values.setdefault("rps", values.get("peak", 0.0) / times)
    values.setdefault("peak", values["rps"] * times)
    notes.append(f"{values['rps']:,.4g} requests a second on average are {values['peak']:,.4g} at the peak, {said}.")


def seller_called(catalogue: Catalogue, called: str) -> Meant:
    known = {names.plain(price.vendor): price.vendor for price in catalogue.hosted.values()}
    known |= {names.plain(vendor.split()[0]): vendor for vendor in known.values()}
    vendor = WORDS["vendors"].get(called) or known.get(names.plain(called))
    if vendor is None:
        raise UnknownNameError(f"No seller of tokens is called {called!r}.", ())
    return Meant(vendor)


def provider_called(catalogue: Catalogue, called: str) -> Meant | None:
    """Return who rents out GPUs under a name; None where nobody does."""
    try:
        return renter_called(catalogue, called)
    except PricingError:
        return None


def renter_called(catalogue: Catalogue, called: str) -> Meant:
    known = {names.plain(word): key for key, record in catalogue.providers.items() if (word := record.label.split()[0])}
    return Meant(known.get(names.plain(called)) or names.provider(catalogue, called))


def price_called(catalogue: Catalogue, called: str) -> Meant:
    fitting = [key for key in catalogue.hosted if names.plain(key.partition("/")[2]) == names.plain(called)]
    makers = [key for key in fitting if catalogue.hosted[key].vendor in WORDS["makers"]]
    return Meant((makers or fitting)[0]) if fitting else _newest_price(catalogue, called)


def _newest_price(catalogue: Catalogue, called: str) -> Meant:
    pieces = set(PATTERNS["pieces"].findall(called)) - {"-"}
    fitting = [
        key for key, price in catalogue.hosted.items() if price.vendor in WORDS["makers"] and "(" not in key
        and pieces <= set(PATTERNS["pieces"].findall(key.split("/")[1].casefold()))
    ]  # fmt: skip
    if not fitting or not pieces & {*WORDS["hosted_names"]}:
        raise UnknownNameError(f"No hosted model is called {called!r}.", ())
    newest = max(fitting, key=lambda key: ([*map(float, PATTERNS["numbers"].findall(key))], -len(key)))
    return Meant(newest, f"{called!r} is taken for {catalogue.hosted[newest].label}: it is the newest of that name.")


def machine_called(catalogue: Catalogue, called: str) -> Meant:
    """Return a server, or the largest offer of a cloud instance or a family of them: p4d.24xlarge, p5, nd_h200_v5."""
    words = [word for word in PATTERNS["parts_of_sku"].split(re.sub(r"^(?:standard_|ml\.)", "", called)) if word]
    is_instance = PATTERNS["sku_family"].fullmatch(called) or PATTERNS["instance"].search(called.replace(" ", "_"))
    fitting = {key: it.accelerators_per_instance or 0 for key, it in (catalogue.offers.items() if is_instance else ())
        if it.sku is not None and words[0] in it.sku.lower() and _is_called(it.sku, words)}  # fmt: skip
    is_one = len({catalogue.offers[key].accelerator for key in fitting}) == 1
    return Meant(max(fitting, key=lambda key: fitting[key]) if is_one else names.server(catalogue, called))


def _is_called(sku: str, words: list[str]) -> bool:
    name = sku.casefold().removeprefix("standard_").partition(" (")[0]
    parts = [] if " " in name or not PATTERNS["instance"].search(name) else PATTERNS["parts_of_sku"].split(name)
    shorter, rest = [re.compile(rf"{re.escape(word)}(?:$|(?<!\d)\d)") for word in words], iter(parts)
    return shorter[0].match(parts[0] if parts else "") is not None and all(
        any(word.match(part) for part in rest) for word in shorter)  # fmt: skip
