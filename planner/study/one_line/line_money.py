"""Amounts of money in a line: a budget, a bill a month, a price of an hour, of a GPU or of electricity."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from planner.scenario.base import HOURS_PER_MONTH
from planner.scenario.typed_money import parse_money
from planner.study.one_line.line_rules import BLANK, MOST_AN_HOUR, PARTS, PATTERNS, blank, hours_of, parse_number
from planner.study.one_line.line_words import WORDS
from pricing.exchange import DOLLAR, Rates

_CODES, _OF_EACH = WORDS["currencies"], ("item_price", "minute_price")
_LEAST_OF_ONE_GPU, _MOST_OF_ONE_GPU = 200, 100_000  # dollars: a larger sum for each is of a machine
_LEAST_AN_HOUR, _MOST_OF_A_KWH, _LEAST_A_YEAR = 0.25, 1.0, 10_000  # a smaller one may be of electricity; of a person
# The patterns whose words stand before their number, and those of them whose words say something else too.
_WORDS_LEFT = [PATTERNS[name] for name in WORDS["with_words_left"]]
_WORDS_BEFORE = [*_WORDS_LEFT, *(PATTERNS[name] for name in ("bare_rate", "at", "without_currency", "worth"))]


class LineAmount(NamedTuple):
    """An amount: its kind (bill, budget, rent, price, server, kwh), its text, and its place in the line."""

    kind: str
    text: str
    usd: float
    start: int
    end: int
    note: str = ""
    code: str = DOLLAR


def find_amounts(line: str, rates: Rates, by_token: bool = False) -> Iterator[LineAmount]:
    """Yield the sums of a line: with a currency, then behind `pay` or `budget`; by the month where tokens are sold."""
    stated = set()
    for match in PATTERNS["money"].finditer(line):
        amount = _amount(line, match, match["before"] or match["after"], rates, by_token=by_token)
        stated.add(amount.code)
        yield amount
        line = blank(line, match.start(), match.end())
    usual = stated.pop() if len(stated) == 1 else DOLLAR  # of a sum without a currency: that of the others
    for name in ("before_budget", "bare", "worth", "at", *WORDS["sums_beside_tokens" if by_token else "sums_of_gpus"]):
        for match in PATTERNS[name].finditer(line):
            if name != "bare" or _is_sum(line, match, by_token=by_token):
                yield _amount(line, match, usual, rates, by_token=by_token)
                line = blank(line, match.start("n"), match.end())


def total_of(bills: list[LineAmount]) -> str:
    """Return the sum of several amounts, in their currency where they have the same one, else in dollars."""
    units = {it.text.partition(" ")[2] for it in bills}
    each = [parse_number(it.text.split()[0]) if len(units) == 1 else it.usd for it in bills]
    return f"{sum(each):.10g} {units.pop() if len(units) == 1 else ''}".strip()


def _is_sum(line: str, match: re.Match[str], *, by_token: bool) -> bool:
    """Return whether a number behind `pay`, `bill` or `budget` is a sum; the budget may stand before its word."""
    is_said = match["verb"].startswith(("budget", "cash", "bill", "invoice", "capex", "salar"))
    return not (match["verb"] == "budget" and BLANK in line[: match.start()]) and bool(
        is_said or match["per"] or match["ly"] or (by_token and "month" in line))  # fmt: skip


def _amount(line: str, match: re.Match[str], mark: str, rates: Rates, *, by_token: bool = False) -> LineAmount:
    text, usd, code = _sum(line, match, mark, rates)
    before = line[: match.start()]
    per = "" if match["per"] == "gpu" and re.search("budget d[aeio] $", before) else match["per"] or match["ly"] or ""
    kind = _kind(line, match, per, by_token, usd)
    is_words = kind == "loan_sum" and match.re is not PATTERNS["money"]
    start = match.start("n" if match.re in _WORDS_LEFT or is_words else 0)
    until = (match.start("n") if match["n"] else start) if kind in WORDS["with_words_before"] else 0
    if of := PATTERNS["words_of_sum"].search(line[:until]):
        per, start = per or of["ly"] or "", min(start, of.start())
    per = "year" if kind == "bill" and not per and PATTERNS["yearly"].search(before) else per
    if kind in ("bill", "budget") and per and not per.startswith("mo"):
        usd *= HOURS_PER_MONTH / hours_of(per)
        text = f"{usd:.2f}"
    note = "¥ is taken for yen: for yuan write CNY." if mark == "¥" else (
        f"{text} is taken for what you pay a month." if kind == "bill" and not per else "")  # fmt: skip
    if match.re in (PATTERNS["without_currency"], PATTERNS["priced"], PATTERNS["shaped"]):
        taken = f"{usd:,.10g} is taken for dollars" if code == DOLLAR else f"{text} is taken as in the other sums"
        note = f"No currency is stated: {taken}."
    end = (PATTERNS[kind].match(line, match.end()) or match).end() if kind in _OF_EACH else match.end()
    return LineAmount("monthly_" * (kind == "budget" and bool(per)) + kind, text, usd, start, end, note, code)


def _sum(line: str, match: re.Match[str], mark: str, rates: Rates) -> tuple[str, float, str]:
    """Return a sum as it is typed, in dollars, and its currency."""
    said, low = match.groupdict(), mark.casefold()
    number = re.sub(r"^0+(?=\d)", "", (match["n"] or said["n2"]).strip())
    number = re.sub(rf"(?<=[\d\s])(?:{'|'.join(WORDS['sizes'])})$", lambda it: WORDS["sizes"][it[0]], number)
    code = (said.get("country") or said.get("of") or _CODES.get(low) or _CODES.get(low.rstrip("s")) or low).upper()
    is_euro = mark in ("c", "ct", "cts", "cent", "cents") and PATTERNS["in_euros"].search(line)
    code = "EUR" if is_euro else "DKK" if mark == "øre" and PATTERNS["danish"].search(line) else code
    parts = 1_000 if match["per"] == "mwh" else 100 if mark in ("c", "p") or PATTERNS["cents"].fullmatch(mark) else 1
    number = f"{parse_number(number) / parts:g}" if parts > 1 else number
    if (match["per"] or "").startswith(("h", "kwh")):
        number = re.sub(r"(\.\d{3})$", r"\g<1>0", number)  # no thousands: 2.125 an hour
    text = number if code == DOLLAR else f"{number} {code}"
    return text, parse_money(text, rates)[0], code


def _kind(line: str, match: re.Match[str], per: str, by_token: bool, usd: float) -> str:
    """Return the kind of an amount, by its period and by the words before it."""
    is_behind, is_rate = match.re in _WORDS_BEFORE, match.re is PATTERNS["bare_rate"]
    before, is_each = line[: match.start("n") if is_behind else match.start()], per in WORDS["of_each_gpu"]
    words, has_gpus = line[: match.end() + len(" budget")], PATTERNS["names_gpus"].search(line)
    around = f"{before}#{line[match.end() :]}"
    roles = {name for name in WORDS["roles_of_sums"] if PATTERNS[f"sum_{name}"].search(around)}
    pays = (by_token or PATTERNS["pays"].search(line)) and not ("most" in roles or "budget" in words)
    is_bill = per or (PATTERNS["billed"].search(line) and not (roles & {*WORDS["no_bills"]} or 0 < usd < MOST_AN_HOUR))
    kinds = [_by_noun(before, line[match.end() :], per), *(kind for kind, applies in (
        ("havesold" + "_each" * is_each, "sold" in roles and (is_each or not per)),
        ("income", (per and PATTERNS["earned"].search(before)) or PATTERNS["charged"].search(around)),
        ("let_rent", "let" in roles and usd <= MOST_AN_HOUR), ("gone", "gone" in roles and (is_each or not per)),
        ("quote", pays and not per and usd > MOST_AN_HOUR and PATTERNS["one_off"].search(around)),
        (_by_period(line, match, per, usd, roles), True),
        ("budget" if PATTERNS["spends_credits"].search(line) else "credits" if PATTERNS["or_buy"].search(line)
            else "spent_credits", not per and "credits" in roles),
        ("space_month", per.startswith(("mo", "pm")) and not by_token and "space" in roles),
        ("upkeep_month", per and "upkeep" in roles), ("capex", not per and "capex" in roles),
        ("salary", usd > _LEAST_A_YEAR and not per.startswith("mo") and "salary" in roles),
        ("loan_sum", not per and "loan" in roles), ("token_price", PATTERNS["per_million"].match(line, match.end())),
        ("rent", is_each and usd < MOST_AN_HOUR and PATTERNS["hired_each"].search(before)),
        *((kind, not per and PATTERNS[kind].match(line, match.end())) for kind in _OF_EACH),
        ("paid_each", per.startswith(("seat", "user", "head", "person", "employee", "engineer", "dev", "student"))),
        ("paid_each", per and PATTERNS["each_behind"].match(line, match.end())),
        ("paid_each", is_each and per not in ("unit", "piece") and usd <= _LEAST_OF_ONE_GPU
            and not PATTERNS["sold_for"].search(before)),
        ("paid_each", re.search(r"(?:seats|licen[cs]es|subscriptions)(?: at| for| @)?\s*$", before)),
        ("paid_each", is_each and re.search(rf"(?:paid|(?:{PARTS['WHO']}|admins?)(?: at| for| @)?)\s*$", before)),
        ("kwh", re.match(r"\s*kwh", line[match.end() :])), ("price", not per and before.endswith("(")),
        ("kwh", per in ("", "unit") and usd < _MOST_OF_A_KWH and PATTERNS["of_power"].search(around)),
        ("havesold" + "_each" * is_each, match.re is PATTERNS["worth"] or PATTERNS["sold_for"].search(before)),
        ("server", is_each and usd > _MOST_OF_ONE_GPU and re.search("server|machine|node|box|[dh]gx", before)),
        ("price" if usd <= _MOST_OF_ONE_GPU else "server", is_each or per[-2:-1].isdigit() or per[-1:].isdigit()),
        ("quote" if has_gpus else "budget", not per and "machines" in roles),
        ("server" if has_gpus else "budget", not per and PATTERNS["machine_at"].search(before)),
        ("price", not per and _LEAST_OF_ONE_GPU <= usd <= _MOST_OF_ONE_GPU and PATTERNS["each_at"].search(before)),
        ("kwh", PATTERNS["power"].search(before) or (not per and PATTERNS["cents"].search(match[0]))),
        ("lease", per.startswith("mo") and (PATTERNS["leased_for"].search(line) or PATTERNS["leased"].search(before))),
        ("bill", (pays and is_bill) or (not ("most" in roles or "budget" in words) and (
            (per and PATTERNS["rented_for"].search(before))
            or ((per or is_bill) and PATTERNS["to_seller"].match(line, match.end()))))),
        ("contract", not per and usd > MOST_AN_HOUR and PATTERNS["contract"].search(before)),
        ("all_price" if has_gpus else "budget", not per and usd > MOST_AN_HOUR and "once" in roles),
        ("quote" if has_gpus else "budget", not per and usd > _LEAST_OF_ONE_GPU
            and "budget" not in words[match.start() :] and "quote" in roles),
        ("cash", not per and (PATTERNS["cash"].search(before) or match.groupdict().get("verb", "").startswith("cash"))),
        ("budget", "most" in roles and not is_each), ("bill", by_token and pays and not 0 < usd < MOST_AN_HOUR),
        ("kwh", not per and usd < _LEAST_AN_HOUR and re.search(r" at $", before) and re.search(
            r"own |our |data ?cent|colo|basement|office", before)),
        ("bill", per.startswith("mo") and re.search(r"(?<![a-z])(?:now|currently|today)(?![a-z])[^.;]*$", before)
            and "budget" not in words),
        ("month_rent", has_gpus and per.startswith("mo") and PATTERNS["rent_of_all"].search(before)),
        ("small_sum", not per and usd < _LEAST_AN_HOUR and "budget" not in line and "before" in match.re.groupindex),
        ("paid_rent" if "paid_now" in roles else "rent", not per and usd < MOST_AN_HOUR and (
            "budget" not in before) and ("before" in match.re.groupindex or is_rate)),
    ) if applies)]  # fmt: skip
    has_role = PATTERNS["as_opening"].fullmatch(before) or PATTERNS["as_budget"].search(line)
    return [*filter(None, kinds), "budget" if has_role else "sum"][0]


def _by_noun(before: str, behind: str, per: str) -> str:
    """Return the kind of an amount by a noun beside it, in its own clause, that alone says what it is for."""
    clause = " ".join(f"{PATTERNS['clause'].split(before)[-1]}#{per}|{PATTERNS['clause'].split(behind)[0]}".split())
    return next((kind for kind in WORDS["nouns_of_sums"] if PATTERNS[f"noun_{kind}"].search(clause)), "")


def _by_period(line: str, match: re.Match[str], per: str, usd: float, roles: set[str]) -> str:
    """Return the kind of an amount for an hour, a kWh, a kW or a machine; none of another."""
    by_period = {"h": "rent", "kwh": "kwh", "mwh": "kwh", "kw": "space", "server": "server", "machine": "server"}
    kind = next((kind for start, kind in by_period.items() if per.startswith(start)), "")
    if kind == "rent" and {"most", "paid_now"} & roles and usd <= MOST_AN_HOUR:
        return "most_rent" if "most" in roles else "paid_rent"
    is_on_demand = "on_demand" in roles and usd < MOST_AN_HOUR and PATTERNS["for_a_term"].search(line)
    rent = "node_rent" if PATTERNS["node_behind"].match(line, match.end()) else "machine_rent" * (usd > MOST_AN_HOUR)
    return "on_demand" if is_on_demand and (kind == "rent" or not per) else (kind == "rent" and rent) or kind
