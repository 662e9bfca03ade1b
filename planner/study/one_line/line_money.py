"""Amounts of money in a line: a budget, a bill a month, a price of an hour, of a GPU or of electricity."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from planner.scenario.base import HOURS_PER_MONTH
from planner.scenario.typed_money import parse_money
from planner.study.one_line.quantities import BLANK, NUMBER, WHO, blank, hours_of, parse_number
from pricing.exchange import DOLLAR, Rates

_CODES = {
    "cent": DOLLAR, "c": DOLLAR, "ct": DOLLAR, "¢": DOLLAR, "dollar": DOLLAR,
    "buck": DOLLAR, "us$": DOLLAR, "$": DOLLAR,
    "euro": "EUR", "€": "EUR", "£": "GBP", "pound": "GBP", "franc": "CHF", "₹": "INR", "rupee": "INR", "rs": "INR",
    "rs.": "INR", "yen": "JPY", "¥": "JPY", "yuan": "CNY", "rmb": "CNY", "₩": "KRW", "won": "KRW", "zloty": "PLN",
    "rand": "ZAR", "shekel": "ILS", "ringgit": "MYR", "baht": "THB", "forint": "HUF", "kronor": "SEK", "lira": "TRY",
    "rappen": "CHF", "rp": "CHF", "rp.": "CHF", "pence": "GBP", "penny": "GBP", "p": "GBP", "öre": "SEK", "øre": "NOK",
    "centime": "EUR", "c€": "EUR", "€c": "EUR", "eurocent": "EUR", "euro cent": "EUR", "paise": "INR", "groszy": "PLN",
    "a$": "AUD", "c$": "CAD", "s$": "SGD", "hk$": "HKD", "nz$": "NZD", "r$": "BRL", "reais": "BRL",
}  # fmt: skip
_SIZES = {"mn": "m", "mio": "m", "mil": "m", "bn": "b", "tn": "t", "thousand": "k", "million": "m", "billion": "b"}
_PER = (
    r"(?:\s*(?:(?:per|an?|/|each|every|p|last)\s*(?:gpu[- /]?|accelerator[- /]?)?(?P<per>hours?|hrs?|h|days?"
    r"|weeks?|months?|mos?|quarters?|years?|yrs?|kwh|kw|gpus?|cards?|servers?|machines?|piece|unit)"
    r"|(?P<ly>monthly|yearly|annually|weekly|daily|each|hourly|apiece))(?![a-z]))?"
)
_PAYS = (
    r"(?<![a-z])(?:pay(?:ing|s)?|paid|spend(?:ing|s)?|spent|(?<!we )(?<! i )(?<!to )bills?|invoices?|charges?"
    r"|costs? us|burn(?:ing|s)?"
    r"|(?:gpu|cloud|api|compute|inference|hosting|contract|cluster|fleet) costs?)"
)
_BARE = re.compile(
    rf"(?P<verb>{_PAYS}|budget|(?:op|cap)ex(?: limit)?|cash(?: limit)?(?: on day one)?)(?![a-z])"
    rf"(?P<between>(?:(?!\. )[^|\d;?]){{0,40}}?)(?<! a )(?<! an )(?<! my )(?<! the )"
    rf"(?P<n>(?=[0-9]){NUMBER}(?<!\db)(?!b)){_PER}(?!\s*(?:x|gpus?|[a-z]*\d|(?:months?|mos?|years?|yrs?|weeks?|days?|hours?|hrs?)(?![a-z])))"
)
_LONG_PER = _PER.removesuffix("?").replace("hours?|hrs?|h|days?", "months?")
_BY_MONTH = re.compile(rf"(?P<n>(?=[0-9]){NUMBER}(?<!b)(?<!billion)(?<!bn)){_LONG_PER}(?! (?:active|users|visitors))")
_FETCHES = r"(?:worth|fetch(?:es)?|(?:sold|sell)(?: (?:them|it|each))? for|(?:(?<=one )|(?<=dy ))offers?(?: us| me)?)"
_WORTH = re.compile(rf"{_FETCHES}\s*(?:about )?(?P<n>(?=[0-9]){NUMBER}){_PER}(?!\s*[a-z]*\d)")
_AT = re.compile(
    rf"(?:(?:at|@|versus|vs|against)\s*|for (?=[0-9.]+k? each)|(?<![\w.,])(?=[0-9.]+ ?(?:per|/) ?(?:kwh|(?<=\d/)h"
    rf"|gpu[- /]?h)))(?P<n>(?=[0-9]){NUMBER})\s*"
    r"(?:(?:per|an?|/)\s*(?:gpu[- /]?)?(?P<per>hours?|hrs?|h|kwh|gpu|card)"
    r"|(?P<ly>each|apiece|hourly))(?![a-z])"
)
_SOLD_FOR = re.compile(rf"(?:{_FETCHES}|(?<![a-z])sell(?![a-z])[^.;?]*for)\s*(?:about )?$")
_EACH = ("gpu", "gpus", "card", "cards", "piece", "unit", "each", "apiece")
_POWER = re.compile(r"(?:electricity|power|energy)(?: price| rate| tariff)?\s*(?:costs?|is|at|of|for|:|=)?\s*$")
_BARE_RATE = re.compile(
    r"(?:(?:at|@|(?<![a-z])(?:quote[ds]?|offer(?:ed)?|price)(?: is| of| was|:)?)"
    rf"|{_POWER.pattern.removesuffix(chr(36))})\s*(?P<n>[0-9]{{1,2}}\.[0-9]{{1,3}}){_PER}(?![\w%/.])(?!\s*(?:x"
    rf"|gpus?|per ?cent|[%/]))"
)
_RENTED_FOR = re.compile(r"(?<![a-z])(?:rent|leas)(?:e|ed|ing)?(?![a-z])[^.;?]*(?<![a-z])(?:for|at|costs?)\s*$")
_MACHINE_AT = re.compile(
    r"(?:servers?|machines?|box|dgx|hgx|system)(?: [a-z]{0,3}\d+)?\s*(?:for|at|costs?|is|=|:|of|(?:priced|quoted)"
    r" at)?\s*$"
)
_MOST_OF_ONE_GPU = 100_000  # dollars: a larger sum for each is of a machine
_LEAST_OF_ONE_GPU = 200
_EACH_AT = re.compile(r"(?:(?:pieces|pcs|units|cards|gpus) (?:at|for)|(?:\dgb|[a-z]\d{2,4}s?|\d{4}s?),? at)\s*$")
_LEAST_AN_HOUR = 0.25  # dollars: a smaller one may be of electricity
_QUOTED = re.compile(r"(?<![a-z])(?:quot|offer)\w*[^.;?]*$")
_MOST_AN_HOUR = 20  # dollars: a smaller sum without a period is the rent of an hour
FROM = re.compile(
    rf"(?<![a-z])from (?:about )?[$€£]?{NUMBER}(?<=[km\d]) (?=to (?:about )?[$€£]?[0-9.,]+ ?[km](?![a-z]))"
)
_PER_MILLION = re.compile(r"\s*(?:per|/|a) ?(?:1 ?)?(?:million|mtok|mio|m)(?![a-z])")
_MOST_OF_A_KWH = 1.0  # dollars
_LEASED = re.compile(r"(?<!our )(?<!my )(?<![a-z])leas(?:e|ing)(?![a-z])[^.;?]*(?:for|at|@)\s*$")
_LEASED_FOR = re.compile(
    r"(?<![a-z])(?:leas(?:e|ing) (?:offer|quote|deal|proposal|rate|price)|(?:offer|quote)[^.;]*(?<![a-z])lease"
    r"|(?:a|an|the) leas(?:e|ing)(?: rate)? (?:of|at|for)|leas(?:e|ing) at)(?![a-z])"
)
_CONTRACT = re.compile(r"(?<![a-z])(?:contract|commitment|commit)(?: of| is| at| for)?\s*$")
_BOUGHT_FOR = re.compile(
    r"(?<![a-z])(?:buy(?:ing)?|purchas(?:e|ed|ing)|bought|offered|offer|deal)(?![a-z])[^.;?]*\d[^.;?]*(?:for|at)\s*$"
    r"|\d[^.;?]* (?:bought|purchased) (?:for|at)\s*$"
)
_FOR_ALL = re.compile(
    rf"(?<![a-z])(?:buy|bought|purchased?|offered)(?![a-z])[^.;?]*\d[^.;?]*?(?<=for )(?P<n>(?=[0-9]){NUMBER}(?<=k"
    rf"|m)){_PER}"
)
_TO_SELLER = re.compile(
    r"\s+(?:on|at|to|with|of|for|in) (?:the |an? )*(?:apis?|tokens|clouds?)(?![a-z])"
    r"|\s+(?:on|at|to|with) (?!(?:gpus?|an?|the|hardware|compute|spot|demand)(?![a-z]))[a-z]"
)
_HUNDREDTHS = (
    r"euro ?cents?|c€|€c|(?<!swiss )centimes?|rappen|rp\.?|pence|penny|p(?= ?(?:/|per) ?kwh)|[öø]re|paise|groszy"
)
_NAMED = (
    rf"{_HUNDREDTHS}|c(?= ?(?:/|per|a) ?kwh)|cents?|cts?(?! ?(?:scan|volume|image|slice))|¢|dollars?|bucks?|euros?"
    rf"|pounds?|francs?|rupees?|yen|yuan|won"
    "|reais|zloty|rand|shekels?|ringgit|baht|forint|kronor|lira"
)
_CENTS = re.compile(rf"(?:cents?|cts?|¢|{_HUNDREDTHS})\s*$")
_CASH = re.compile(r"(?:cash|day one)(?: limit)?(?: of| is|:| at most)?\s*$")
_YEARLY = re.compile(r"(?<![a-z])(?:annual(?:ly)?|yearly)(?![a-z])")
_BEFORE_BUDGET = re.compile(rf"(?P<n>(?=[0-9]){NUMBER}){_PER}(?= (?:as a |of )?budget)")


_WITHOUT_CURRENCY = re.compile(
    r"(?:^|(?<![a-z])(?:have|got|with|under|credits? of|grant of|grant is|gives? (?:me|us)|up to|max(?:imum)?"
    r"|spend|spending|invest)\s+"
    r"(?:about )?)"
    rf"(?P<n>(?=[0-9]){NUMBER}(?<=k|n|o)){_PER}(?=\s*(?:$|[,.;?]|(?:of )?(?:[a-z]+ )?credits?|for |left|only|this"
    rf"|to |over |at "
    rf"|from |in total|and |this year))"
)


class LineAmount(NamedTuple):
    """An amount: its kind (bill, budget, rent, price, server, kwh), its text, and its place in the line."""

    kind: str
    text: str
    usd: float
    start: int
    end: int
    note: str = ""


def find_amounts(line: str, rates: Rates, by_token: bool = False) -> Iterator[LineAmount]:
    """Yield the amounts of a line: those with a currency, then numbers behind `pay`, `bill`, `budget` or `worth`.

    Where a seller of tokens is named (`by_token`), a number by the month is a bill without any of these words.
    """
    codes = "|".join((DOLLAR, *rates)).casefold()
    marks = rf"(?<![a-z])(?<!in )(?<!the )us \$|(?:us|hk|nz|[acsr])\$|[$€£₹₩¥]|(?<![a-z])(?:{codes}|rmb|rs\.?)(?![a-z])"
    named = rf"{marks}|{_NAMED}"
    marked = re.compile(
        rf"(?:(?P<before>{marks})\s?(?P<n>[0-9][0-9.,']*(?<![.,])(?:e\+?[0-9]{{1,2}})?(?:\s?(?:k|mn|mio|m|bn|b"
        rf"|thousand|million|billion)(?![a-z]))?)"
        rf"|(?P<n2>(?=[0-9]){NUMBER})\s{{0,9}}(?:us )?(?:(?P<of>{codes}) (?=c))?(?P<after>{named})(?:"
        rf" (?P<country>{codes}))?(?![a-z])){_PER}"
    )
    for match in marked.finditer(line):
        mark = match["before"] or match["after"]
        yield _amount(line, match, match["n"] or match["n2"], mark, rates, by_token=by_token)
        line = blank(line, match.start(), match.end())
    for match in _BEFORE_BUDGET.finditer(line):
        yield _amount(line, match, match["n"], DOLLAR, rates)
        line = blank(line, match.start(), match.end())
    for match in _BARE.finditer(line):
        if match["verb"] == "budget" and BLANK in line[: match.start()]:
            continue  # the budget stands before it
        if (
            match["verb"].startswith(("budget", "cash"))
            or match["per"]
            or match["ly"]
            or match["verb"].startswith(("bill", "invoice"))
        ):
            yield _amount(line, match, match["n"], DOLLAR, rates)._replace(start=match.start("n"))
            line = blank(line, match.start("n"), match.end())
    for pattern in (_WORTH, _AT, _BY_MONTH) if by_token else (_WORTH, _AT, _BARE_RATE, _FOR_ALL, _WITHOUT_CURRENCY):
        for match in pattern.finditer(line):
            amount = _amount(line, match, match["n"], DOLLAR, rates, by_token=by_token)
            yield amount if match.re is not _FOR_ALL else amount._replace(start=match.start("n"))


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
    number = f"{parse_number(number) / 100:g}" if mark in ("c", "p") or _CENTS.fullmatch(mark) else number
    if (match["per"] or "").startswith(("h", "kwh")):
        number = re.sub(r"(\.\d{3})$", r"\g<1>0", number)  # no thousands: 2.125 an hour
    text = number if code == DOLLAR else f"{number} {code}"
    usd, _ = parse_money(text, rates)
    per = match["per"] or match["ly"] or ""
    kind = _kind(line, match, per, by_token, usd)
    per = "year" if kind == "bill" and not per and _YEARLY.search(line[: match.start()]) else per
    if kind in ("bill", "budget") and per and not per.startswith("mo"):
        usd *= HOURS_PER_MONTH / hours_of(per)
        text = f"{usd:.2f}"
    note = "" if kind != "bill" or per else f"{text} is taken for what you pay a month."
    note = "¥ is taken for yen: for yuan write CNY." if mark == "¥" else note
    note = f"No currency is stated: {text} is taken for dollars." if match.re is _WITHOUT_CURRENCY else note
    return LineAmount(
        "monthly_budget" if kind == "budget" and per else kind, text, usd, match.start(), match.end(), note
    )


def _kind(line: str, match: re.Match[str], per: str, by_token: bool, usd: float) -> str:
    """Return the kind of an amount, by its period and by the words before it."""
    by_period = (("h", "rent"), ("kwh", "kwh"), ("kw", "space"), ("server", "server"), ("machine", "server"))
    before, is_each = line[: match.start("n") if match.re in (_BARE_RATE, _FOR_ALL) else match.start()], per in _EACH
    words = line[: match.end() + len(" budget")]
    pays = (by_token or re.search(rf"(?<![a-z]){_PAYS}(?![a-z])", line)) and "budget" not in words
    is_bill = per or re.search(
        r"(?<![a-z])(?:bills?|invoices?|(?:every|each) month|monthly|costs? (?:per|an?) month)(?![a-z])", line
    )
    kinds = [kind for start, kind in by_period if per.startswith(start)]
    kinds = ["machine_rent"] if kinds == ["rent"] and usd > _MOST_AN_HOUR else kinds
    kinds += [kind for kind, applies in (
        ("token_price", _PER_MILLION.match(line, match.end())),
        ("paid_each", is_each and re.search(rf"(?:paid|(?:{WHO}|admins?)(?: at| for| @)?)\s*$", before)),
        ("kwh", re.match(r"\s*kwh", line[match.end() :])),
        ("kwh", per in ("", "unit") and usd < _MOST_OF_A_KWH and re.search(r"power|electric", before)),
        ("havesold_each", is_each and (match.re is _WORTH or _SOLD_FOR.search(before))),
        ("havesold", match.re is _WORTH or _SOLD_FOR.search(before)),
        ("server", is_each and usd > _MOST_OF_ONE_GPU and re.search("server|machine|node|box|[dh]gx", before)),
        ("price", is_each),
        ("server", not per and _MACHINE_AT.search(before)),
        ("price", not per and _LEAST_OF_ONE_GPU <= usd <= _MOST_OF_ONE_GPU and _EACH_AT.search(before)),
        ("kwh", _POWER.search(before) or (not per and _CENTS.search(match[0]))),
        ("lease", per.startswith("mo") and (_LEASED_FOR.search(line) or _LEASED.search(before))),
        ("bill", per and "budget" not in words and _RENTED_FOR.search(before)),
        ("bill", pays and is_bill),
        ("bill", (per or is_bill) and "budget" not in words and _TO_SELLER.match(line, match.end())),
        ("price", not per and before.endswith("(")),
        ("contract", not per and usd > _MOST_AN_HOUR and _CONTRACT.search(before)),
        ("all_price", not per and usd > _MOST_AN_HOUR and _BOUGHT_FOR.search(before)),
        ("all_price", not per and _QUOTED.search(before) and re.match(r"\s+for \d+ [a-z]", line[match.end() :])),
        ("cash", not per and (_CASH.search(before) or match.groupdict().get("verb", "").startswith("cash"))),
        ("bill", by_token and pays),
        ("small_sum", not per and usd < _LEAST_AN_HOUR and "before" in match.re.groupindex),
        ("rent", not per and usd < _MOST_AN_HOUR and ("before" in match.re.groupindex or match.re is _BARE_RATE)),
    ) if applies]  # fmt: skip
    return [*kinds, "budget"][0]
