"""Amounts of money in a line: a budget, a bill a month, a price of an hour, of a GPU or of electricity."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from planner.scenario.base import HOURS_PER_MONTH
from planner.scenario.typed_money import parse_money
from planner.study.one_line.line_rules import BLANK, NUMBER, PARTS, PATTERNS, WHO, blank, hours_of, parse_number
from planner.study.one_line.line_words import WORDS
from pricing.exchange import DOLLAR, Rates

_CODES = WORDS["currencies"]
_SIZES = {"mn": "m", "mio": "m", "mil": "m", "bn": "b", "tn": "t", "thousand": "k", "million": "m", "billion": "b"}
_EACH = ("gpu", "gpus", "card", "cards", "piece", "unit", "each", "apiece")
_MOST_OF_ONE_GPU = 100_000  # dollars: a larger sum for each is of a machine
_LEAST_OF_ONE_GPU = 200
_LEAST_AN_HOUR = 0.25  # dollars: a smaller one may be of electricity
_MOST_AN_HOUR = 20  # dollars: a smaller sum without a period is the rent of an hour
_MOST_OF_A_KWH = 1.0  # dollars


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
    """Yield the amounts of a line: those with a currency, then numbers behind `pay`, `bill`, `budget` or `worth`.

    Where a seller of tokens is named (`by_token`), a number by the month is a bill without any of these words.
    """
    per, currency, codes = PARTS["PER"], PARTS["CURRENCY"], "|".join((DOLLAR, *rates)).casefold()
    marks = (
        rf"(?<![a-z])(?<!in )(?<!the )us \$|(?:us|hk|nz|[acsr])\$|[$€£₹₩¥₺₱฿₪]|(?<![a-z])(?:{codes}|rmb|rs\.?)(?![a-z])"
    )
    named = rf"{marks}|{currency}"
    marked = re.compile(
        rf"(?:(?P<before>{marks}|(?<![a-z])(?:{named})(?= [0-9][0-9.,]* ?(?:k|m|million|billion|thousand)(?![a-z])))"
        rf"\s?(?P<n>[0-9][0-9.,']*(?<![.,])(?:e\+?[0-9]{{1,2}})?(?:\s?(?:k|mn|mio|m|bn|b"
        rf"|thousand|million|billion)(?![a-z]))?)"
        rf"|(?P<n2>(?=[0-9]){NUMBER})\s{{0,9}}(?:us )?(?:(?P<of>{codes}) (?=c))?(?P<after>{named})(?:"
        rf" (?P<country>{codes}))?(?![a-z])){per}"
    )
    stated = set()
    for match in marked.finditer(line):
        mark = match["before"] or match["after"]
        amount = _amount(line, match, match["n"] or match["n2"], mark, rates, by_token=by_token)
        stated.add(amount.code)
        yield amount
        line = blank(line, match.start(), match.end())
    usual = stated.pop() if len(stated) == 1 else DOLLAR  # of a sum without a currency: that of the others
    for match in PATTERNS["before_budget"].finditer(line):
        yield _amount(line, match, match["n"], usual, rates)
        line = blank(line, match.start(), match.end())
    for match in PATTERNS["bare"].finditer(line):
        if match["verb"] == "budget" and BLANK in line[: match.start()]:
            continue  # the budget stands before it
        is_said = match["verb"].startswith(("budget", "cash", "bill", "invoice"))
        if is_said or match["per"] or match["ly"] or (by_token and "month" in line):
            amount = _amount(line, match, match["n"], usual, rates, by_token=by_token)
            yield amount._replace(start=match.start("n"))
            line = blank(line, match.start("n"), match.end())
    names = ("by_month",) if by_token else ("bare_rate", "for_all", "priced", "without_currency")
    for name in ("worth", "at", *names):
        for match in PATTERNS[name].finditer(line):
            amount = _amount(line, match, match["n"], usual, rates, by_token=by_token)
            is_word_left = name in ("for_all", "priced") or amount.kind == "loan_sum"
            yield amount._replace(start=match.start("n")) if is_word_left else amount


def _amount(
    line: str, match: re.Match[str], digits: str, mark: str, rates: Rates, *, by_token: bool = False
) -> LineAmount:
    number = re.sub(r"^0+(?=\d)", "", digits.strip())
    for long, short in _SIZES.items():
        number = re.sub(rf"(?<=[\d\s]){long}$", short, number)
    mark = mark.replace(" ", "") if mark.endswith("$") else mark
    code = _CODES.get(mark.casefold()) or _CODES.get(mark.casefold().rstrip("s")) or mark.upper()
    code = (match.groupdict().get("country") or match.groupdict().get("of") or code).upper()
    code = "DKK" if mark == "øre" and re.search("denmark|danish|d[ak]nmark|dansk|copenhagen|aarhus", line) else code
    number = f"{parse_number(number) / 100:g}" if mark in ("c", "p") or PATTERNS["cents"].fullmatch(mark) else number
    if match["per"] == "mwh":
        number = f"{parse_number(number) / 1_000:g}"
    if (match["per"] or "").startswith(("h", "kwh")):
        number = re.sub(r"(\.\d{3})$", r"\g<1>0", number)  # no thousands: 2.125 an hour
    text = number if code == DOLLAR else f"{number} {code}"
    usd, _ = parse_money(text, rates)
    per = match["per"] or match["ly"] or ""
    kind = _kind(line, match, per, by_token, usd)
    per = "year" if kind == "bill" and not per and PATTERNS["yearly"].search(line[: match.start()]) else per
    if kind in ("bill", "budget") and per and not per.startswith("mo"):
        usd *= HOURS_PER_MONTH / hours_of(per)
        text = f"{usd:.2f}"
    note = "" if kind != "bill" or per else f"{text} is taken for what you pay a month."
    note = "¥ is taken for yen: for yuan write CNY." if mark == "¥" else note
    if match.re in (PATTERNS["without_currency"], PATTERNS["priced"]):
        note = f"No currency is stated: {text} is taken {'for dollars' if code == DOLLAR else 'as in the other sums'}."
    kind = "monthly_budget" if kind == "budget" and per else kind
    return LineAmount(kind, text, usd, match.start(), match.end(), note, code)


def _kind(line: str, match: re.Match[str], per: str, by_token: bool, usd: float) -> str:
    """Return the kind of an amount, by its period and by the words before it."""
    by_period = {"h": "rent", "kwh": "kwh", "mwh": "kwh", "kw": "space", "server": "server", "machine": "server"}
    # A word of these stands before their number.
    is_behind = match.re in (PATTERNS[name] for name in ("bare_rate", "for_all", "at", "priced", "without_currency"))
    before, is_each = line[: match.start("n") if is_behind else match.start()], per in _EACH
    words = line[: match.end() + len(" budget")]
    pays = (by_token or PATTERNS["pays"].search(line)) and not re.search("budget|at most|can spend|could spend", words)
    is_bill = per or re.search(
        r"(?<![a-z])(?:bills?|invoices?|(?:every|each) month|monthly|costs? (?:per|an?) month)(?![a-z])", line
    )
    kinds = [kind for start, kind in by_period.items() if per.startswith(start)]
    kinds = ["income"] if per and PATTERNS["earned"].search(before) else kinds
    kinds = ["machine_rent"] if kinds == ["rent"] and usd > _MOST_AN_HOUR else kinds
    is_of_node = kinds in (["rent"], ["machine_rent"]) and PATTERNS["node_behind"].match(line, match.end())
    kinds = ["node_rent"] if is_of_node else kinds
    kinds += [kind for kind, applies in (
        ("budget", not per and re.match(r"\s+(?:of |in )?(?:[a-z]+ ){0,3}credits", line[match.end() :])),
        ("loan_sum", not per and (PATTERNS["lent"].search(before) or PATTERNS["lent_behind"].match(line, match.end()))),
        ("token_price", PATTERNS["per_million"].match(line, match.end())),
        ("rent", is_each and re.search(r"hours? (?:at|for)\s*$", before)),
        ("paid_each", per.startswith(("seat", "user", "head", "person", "employee", "engineer", "dev", "student"))),
        ("paid_each", per and PATTERNS["each_behind"].match(line, match.end())),
        ("paid_each", is_each and per not in ("unit", "piece") and usd <= _LEAST_OF_ONE_GPU
            and not PATTERNS["sold_for"].search(before)),
        ("paid_each", re.search(r"(?:seats|licen[cs]es|subscriptions)(?: at| for| @)?\s*$", before)),
        ("paid_each", is_each and re.search(rf"(?:paid|(?:{WHO}|admins?)(?: at| for| @)?)\s*$", before)),
        ("kwh", re.match(r"\s*kwh", line[match.end() :])),
        ("kwh", per in ("", "unit") and usd < _MOST_OF_A_KWH and re.search(r"power|electric", before)),
        ("havesold_each", is_each and (match.re is PATTERNS["worth"] or PATTERNS["sold_for"].search(before))),
        ("havesold", match.re is PATTERNS["worth"] or PATTERNS["sold_for"].search(before)),
        ("server", is_each and usd > _MOST_OF_ONE_GPU and re.search("server|machine|node|box|[dh]gx", before)),
        ("price" if usd <= _MOST_OF_ONE_GPU else "server", is_each or per[-2:-1].isdigit() or per[-1:].isdigit()),
        ("server", not per and PATTERNS["machine_at"].search(before)),
        ("price", not per and _LEAST_OF_ONE_GPU <= usd <= _MOST_OF_ONE_GPU and PATTERNS["each_at"].search(before)),
        ("kwh", PATTERNS["power"].search(before) or (not per and PATTERNS["cents"].search(match[0]))),
        ("lease", per.startswith("mo") and (PATTERNS["leased_for"].search(line) or PATTERNS["leased"].search(before))),
        ("bill", (pays and is_bill) or ("budget" not in words and ((per and PATTERNS["rented_for"].search(before))
            or ((per or is_bill) and PATTERNS["to_seller"].match(line, match.end()))))),
        ("price", not per and before.endswith("(")),
        ("contract", not per and usd > _MOST_AN_HOUR and PATTERNS["contract"].search(before)),
        ("all_price", not per and usd > _MOST_AN_HOUR and PATTERNS["bought_for"].search(before)),
        ("quote", not per and usd > _LEAST_OF_ONE_GPU and "budget" not in words[match.start() :] and (
            PATTERNS["asked_for"].search(before) or PATTERNS["asked_behind"].match(line, match.end()))),
        ("cash", not per and (PATTERNS["cash"].search(before) or match.groupdict().get("verb", "").startswith("cash"))),
        ("bill", by_token and pays),
        ("kwh", not per and usd < _LEAST_AN_HOUR and re.search(r" at $", before) and re.search(
            r"own |our |data ?cent|colo|basement|office", before)),
        ("bill", per.startswith("mo") and re.search(r"(?<![a-z])(?:now|currently|today)(?![a-z])[^.;]*$", before)
            and "budget" not in words),
        ("small_sum", not per and usd < _LEAST_AN_HOUR and "budget" not in line and "before" in match.re.groupindex),
        ("rent", not per and usd < _MOST_AN_HOUR and "budget" not in before and (
            "before" in match.re.groupindex or match.re is PATTERNS["bare_rate"])),
    ) if applies]  # fmt: skip
    has_role = re.fullmatch(r"[ |]*|(?!.*(?:used|quot)).*[,;:] *", before) or PATTERNS["as_budget"].search(line)
    return [*kinds, "budget" if has_role else "sum"][0]
