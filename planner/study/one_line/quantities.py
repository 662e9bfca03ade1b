"""Numbers, units and words of a line of plain English: each rule is a pattern, and the quantity that it states.

The rules are tried in their order. A part of the line that one of them took is blanked out for those after it.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from planner.scenario.amounts import parse_amount
from planner.scenario.base import (
    HOURS_PER_DAY,
    HOURS_PER_MONTH,
    HOURS_PER_YEAR,
    SECONDS_PER_HOUR,
)

BLANK = "|"
_LEAST_MS = 20  # a time without a unit: 500 is in milliseconds, 2 in seconds
_MOST_GROWTH = 9.0  # a year, that a plan may have
_DAYS_PER_WEEK, _WORKING_DAYS, _OFFICE_HOURS_PER_WEEK = 7, 5, 40
_HOURS = {
    "s": 1 / SECONDS_PER_HOUR, "mi": 60 / SECONDS_PER_HOUR, "h": 1.0, "d": HOURS_PER_DAY,
    "n": HOURS_PER_DAY, "w": HOURS_PER_DAY * _DAYS_PER_WEEK, "mo": HOURS_PER_MONTH, "y": HOURS_PER_YEAR,
    "q": HOURS_PER_YEAR / 4,
}  # fmt: skip
_COUNTED = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen twenty"""
_WORDS: dict[str, float] = {word: number for number, word in enumerate(_COUNTED.split())} | {
    "a": 1, "an": 1, "half a": 0.5, "half an": 0.5, "a single": 1, "single": 1,
    "a couple of": 2, "a few": 3, "a dozen": 12, "a hundred": 100,
    "thirty": 30, "forty": 40, "fifty": 50, "hundred": 100, "a thousand": 1_000, "a million": 1e6,
}  # fmt: skip
_SIZES = {"mn": "m", "mio": "m", "mil": "m", "bn": "b", "tn": "t", "thousand": "k"}
_SIZE = r"(?:\s?(?:k|mn|mio|mil|m|bn|b|tn|t|thousand|million|billion|trillion)(?![a-z0-9]))"
_DIGITS = r"[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?(?:e\+?[0-9]{1,2})?"
_SPELT = "|".join(sorted((re.escape(word) for word in _WORDS), key=len, reverse=True))
NUMBER = rf"(?<![\w.,-])(?:{_DIGITS}{_SIZE}?|(?:{_SPELT})(?![\w-]){_SIZE}?)"
_PLAIN = rf"(?<![\w.,-])(?:{_DIGITS}|(?:{_SPELT})(?![\w-]))"  # without million: 5 m is five months
_UNIT = (
    r"(?P<unit>seconds?|secs?|s|minutes?|mins?|hours?|hrs?|h|days?|d|nights?|weeks?|wks?|w|months?|mos?|mths?|quarters?"
    r"|years?|yrs?|y)(?![a-z0-9])"
)
_LONG_UNIT = _UNIT.replace("seconds?|secs?|s|minutes?|mins?|", "")  # 4090s are cards
_EVERY = r"\s*(?:per|an?|/|each|every|p)\s*"
_RATE_UNIT = rf"(?:{_EVERY}{_UNIT}|\s*(?P<ly>hourly|daily|nightly|weekly|monthly|quarterly|yearly|annually))"
_REQUESTS = (
    r"(?:(?!(?:for|and|to|with|in|on|at|of|x|gpus?|cards?) )[a-z]+ )?(?:requests?|reqs?|queries|query|calls?"
    r"|messages?|prompts?|inferences?|images?|pictures?|photos?|chats?"
    r"|hits?|transactions?|transcriptions?|translations?|summar(?:y|ies)|documents?|docs?|pages?|emails?|tickets?"
    r"|questions?|answers?|conversations?|completions?|searches|lookups?|generations?|r|q)"
)
_TOKENS = r"(?:training |text |output |input )?(?:tokens?|toks?)(?![a-z])"
_WHO = (
    r"(?:people|persons?|researchers?|students?|engineers?|scientists?|users?|devs?|developers?|employees?|staff|phds?"
    r"|colleagues|folks|members|coders|programmers|analysts|agents|assistants|accountants|consultants|doctors|editors|lawyers|managers|nurses|patients|players|pupils|readers|reps"
    r"|seats|sellers|subscribers|teachers|testers|workers|writers|customers|clients|visitors|of us|(?:co-?)?founders"
    r"|servants|officers|officials|citizens|residents|inhabitants|clerks|judges|soldiers|professors|postdocs|faculty"
    r"|freelancers|designers|artists|families|households|friends|operators|technicians|physicists|biologists|authors"
    r"|journalists|translators|interns|tenants|guests|listeners|viewers|learners|speakers|accounts)(?![a-z])"
)
_ASKERS = r"(?:users|customers|clients|visitors|subscribers|citizens|residents|players|patients|readers|learners)"


class Rule(NamedTuple):
    """A pattern, the quantity it states, and how its value follows from a match."""

    name: str
    pattern: re.Pattern[str]
    value: Callable[[re.Match[str]], Any]


def parse_number(text: str) -> float:
    """Return a number in digits or words: 100M, 1,5 is none, a dozen."""
    plain = text.strip()
    word, _, size = plain.rpartition(" ")
    if plain in _WORDS:
        return _WORDS[plain]
    if word in _WORDS:
        return _WORDS[word] * (parse_amount(f"1{_SIZES.get(size, size)}") or 1.0)
    for long, short in _SIZES.items():
        plain = re.sub(rf"(?<=[\d\s]){long}$", short, plain)
    return parse_amount(plain) or 0.0


def hours_of(unit: str) -> float:
    """Return the hours of a unit of time, by its first letters."""
    return _HOURS.get(unit[:2]) or _HOURS[unit[:1] if unit[:1] != "m" else "mo"]


def per_hours(match: re.Match[str]) -> float | None:
    """Return the hours of the period of a rate; None where a match names none."""
    name = match["unit"] or match["ly"]
    return hours_of(name) if name else None


def take(line: str, rules: tuple[Rule, ...]) -> Iterator[tuple[str, Any, int, int]]:
    """Yield what each rule states, with its place; a rule takes nothing of what one before it took."""
    for rule in rules:
        for match in rule.pattern.finditer(line):
            yield rule.name, rule.value(match), match.start(), match.end()
            line = blank(line, match.start(), match.end())


def blank(line: str, start: int, end: int) -> str:
    """Return the line with a part blanked out."""
    return line[:start] + BLANK * (end - start) + line[end:]


def _number(match: re.Match[str]) -> float:
    return parse_number(match["n"])


def _whole(match: re.Match[str]) -> int:
    return int(_number(match))


def _per_second(match: re.Match[str]) -> float:
    return _number(match) / ((per_hours(match) or 1.0) * SECONDS_PER_HOUR)


def _hours(match: re.Match[str]) -> float:
    return _number(match) * hours_of(match["unit"])


def _milliseconds(match: re.Match[str]) -> float:
    number, unit = _number(match), match["time"]
    is_ms = unit == "ms" if unit else number >= _LEAST_MS
    return number if is_ms else number * 1_000.0


def _busy_hours(match: re.Match[str]) -> float:
    share = _number(match) / (per_hours(match) or 1.0)
    return min(share * (_WORKING_DAYS / _DAYS_PER_WEEK if match["weekdays"] else 1.0), 1.0)


def _yearly(match: re.Match[str]) -> float:
    times = HOURS_PER_YEAR / (per_hours(match) or HOURS_PER_YEAR)
    return float((1 + _number(match) / 100) ** times - 1)


def _doubling(match: re.Match[str]) -> float:
    return min(float(2 ** (HOURS_PER_YEAR / _hours(match))) - 1, _MOST_GROWTH)


def _percent(match: re.Match[str]) -> float:
    return _number(match) / 100


def _gpu_hours(match: re.Match[str]) -> tuple[float, float | None]:
    return _number(match) * hours_of(match["span"]), per_hours(match)


def _spaced(match: re.Match[str]) -> float:
    return _number(match) / (parse_number(match["many"]) * hours_of(match["unit"]) * SECONDS_PER_HOUR)


def _monthly(match: re.Match[str]) -> float:
    return _number(match) * HOURS_PER_MONTH / (per_hours(match) or 1.0)


def _every(match: re.Match[str]) -> float:
    return HOURS_PER_MONTH / hours_of(match.groupdict().get("unit") or match[0])


def _year(match: re.Match[str]) -> int:
    return int(match["year"])


def _precision(match: re.Match[str]) -> str:
    return {"4": "int4", "8": "int8", "16": "bf16"}.get(match["bits"] or "", match["format"])


def _rule(name: str, pattern: str, value: Callable[[re.Match[str]], Any] | Any) -> Rule:
    return Rule(name, re.compile(pattern), value if callable(value) else lambda _: value)


# 2.500 requests and 450.000 € have no thousandths.
_IN_POINTS, _NO_UNIT_PRICE = r"[1-9]\d{0,2}\.\d{3}", r"(?!\s*(?:/|per|an?)\s*(?:kwh|gpu|h))"
COUNTED_IN_THOUSANDS = re.compile(
    rf"(?<![\d.,]){_IN_POINTS}(?=\s?(?:(?:€|(?:euros?|eur|chf|sek|nok|dkk|pln|czk)(?![a-z])){_NO_UNIT_PRICE}"
    rf"|{_REQUESTS}(?![a-z])(?!\s*(?:/|per|an?)\s*s)|{_WHO}|{_TOKENS}|gpu))"
    rf"|(?:(?<=€)|(?<=€ )|(?<=eur )|(?<=chf )){_IN_POINTS}(?![\d.,]*\d){_NO_UNIT_PRICE}"
)
_N, _P = rf"(?P<n>{NUMBER})", rf"(?P<n>{_PLAIN})"
_END, _END9 = "(?![a-z])", "(?![a-z0-9])"
_WITHIN = r"\s*(?:in under|in less than|in|within|by|under|less than|no more than|at most|at|of|is|<|:|below)?\s*"
_PERCENT = r"\s?(?:%|percent|per cent)"
_USED = r"busy|utili[sz]ed|utili[sz]ation|used?|load(?:ed)?|usage"
_CAPITAL = "(?:cost of (?:capital|money)|discount rate|wacc)"
_WEEKDAYS = r"(?P<weekdays>\s*(?:on )?(?:weekdays|working days|workdays|mon(?:day)?\s*(?:-|to)\s*fri(?:day)?))?"
_DUE = r"in under|in less than|within|by|under|less than|no more than|finish in|done in|due in|in"
_ABOUT = r"\s*(?:about |around )?"
_MY = "(?:my|our|the|a|an)"
_NO_PERIOD = "(?P<unit>)(?P<ly>)"
_PERSON = rf"(?:(?:active |registered )?{_WHO}|head{_END}|seat{_END})"
_SPAN = "(?P<span>hours?|hrs?|h|days?|weeks?|months?|years?)"
_MONTHS = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?)"
)
RULES: tuple[Rule, ...] = (
    _rule("sellers", rf"(?:only )?(?:eu|european) (?:seller|provider|vendor|cloud|hoster)s?(?: only)?{_END}", True),
    _rule("ttft", rf"(?:ttft|first (?:token|word)s?|latency|p9[059]){_WITHIN}{_N}"
        rf"(?:\s?(?P<time>ms|s|secs?|seconds?){_END}|(?![\d.,]*\d|\s*(?:[x%]|gpus?|rps|qps|toks?|{_REQUESTS})))",
        _milliseconds),
    _rule("tpot", rf"(?:tpot|itl|(?:each|per)(?: further)? token){_WITHIN}{_N}\s?(?P<time>ms|s){_END}", _milliseconds),
    _rule("rps", rf"each of (?:our |the |my )?(?P<many>{_PLAIN}) (?:[a-z]+ )?{_WHO} [a-z]+ (?:about )?{_N}\s*"
        rf"{_REQUESTS}{_RATE_UNIT}", lambda match: _per_second(match) * parse_number(match["many"])),
    _rule("rps", rf"{_N}\s*rpm{_END}", lambda match: _number(match) / 60),
    _rule("each_rps", rf"(?:each|every) (?:(?:[a-z]+ )?{_WHO} )?[a-z]+ (?:about )?{_N}\s*{_REQUESTS}{_RATE_UNIT}",
        _per_second),
    _rule("each_rps", rf"{_N}\s*{_REQUESTS}{_EVERY}{_PERSON}{_RATE_UNIT}", _per_second),
    _rule("each_rps", rf"{_N}\s*{_REQUESTS}{_RATE_UNIT}(?: each{_END}|{_EVERY}{_PERSON})", _per_second),
    _rule("peak", rf"(?:peak(?:s|ing)?|bursts?|up to)(?: of| at| to)?\s*{_N}\s*{_REQUESTS}{_RATE_UNIT}", _per_second),
    _rule("peak", rf"(?:peak(?:s|ing)?|bursts?|up to)(?: of| at| to)?\s*{_N}\s*(?:rps|qps){_END}", _number),
    _rule("peak", rf"(?:peak(?:s|ing)?|bursts?)(?: of| at| to)?\s*{_N}{_RATE_UNIT}", _per_second),
    _rule("rps", rf"{_N}\s*{_REQUESTS}\s*(?:every|each|per)\s*(?P<many>{_PLAIN})\s*{_UNIT}", _spaced),
    _rule("rps", rf"{_N}\s*{_REQUESTS}{_RATE_UNIT}", _per_second),
    _rule("rps", rf"{_N}\s*(?:rps|qps|req/?s){_END}", _number),
    _rule("rps", rf"{_N}\s*(?:per|an?|/|each)\s*(?P<unit>seconds?|secs?|s|minutes?|mins?){_END}", _per_second),
    _rule("in", rf"{_N}\s*(?:{_TOKENS}\s*)?(?:in|input|prompt){_END}"
        rf"(?=[\s,/|+&a-z]{{1,9}}{NUMBER}\s*(?:{_TOKENS}\s*)?out)", _number),
    _rule("out", rf"{_N}\s*(?:{_TOKENS}\s*)?(?:out|output){_END}", _number),
    _rule("token_rate", rf"{_N}\s*{_TOKENS}{_RATE_UNIT}", _per_second),
    _rule("tokens", rf"{_N}\s*{_TOKENS}", _number),
    _rule("epochs", rf"{_N}\s*(?:epochs?|passes){_END}(?:\s*(?:of|over|on))?", _number),
    _rule("audio", rf"{_P}\s*(?:hours?|hrs?|h) (?:of )?(?:audio|speech|video|talk|recordings?|calls?|podcasts?)"
        rf"{_RATE_UNIT}", _per_second),
    _rule("examples", rf"{_N}\s*(?:training |preference |labell?ed )?(?:examples?|samples?|conversations|instructions"
        rf"|pairs|dialogu?es|preferences){_END}", _number),
    _rule("texts", rf"{_N}\s*(?:(?!(?:for|and|to|with|in|on|at|of) )[a-z]+ )?(?:tickets|documents|docs|records|rows"
        rf"|pages|questions|answers|articles|emails|letters|reviews|reports|contracts|sentences|files|cases|logs"
        rf"|messages|notes|papers|books|texts|abstracts){_END}", _number),
    _rule("images", rf"{_N}\s*(?:images?|pictures?|photos?){_END}", _number),
    _rule("growth", rf"(?:grow(?:s|ing|th)?(?: of| by| at)?\s*)?{_N}\s?%(?:\s*growth)?{_RATE_UNIT}", _yearly),
    _rule("growth", rf"grow(?:s|ing|th)?(?: of| by| at)?\s*{_N}\s?%{_NO_PERIOD}", _yearly),
    _rule("tax", rf"{_N}{_PERCENT}\s*(?:corporate |income |corporation )?tax(?:es)?(?: rate)?{_END}", _percent),
    _rule("tax", rf"(?:corporate |income )?tax(?: rate)?\s*(?:of|at|is|:)?\s*{_N}{_PERCENT}", _percent),
    _rule("growth", rf"doubl(?:es?|ing)\s*(?:every|each|in)\s*{_P}\s*{_LONG_UNIT}", _doubling),
    _rule("discount", rf"{_CAPITAL}\s*(?:of|at|is|:)?\s*{_N}{_PERCENT}", _percent),
    _rule("discount", rf"{_N}{_PERCENT}\s*{_CAPITAL}", _percent),
    _rule("busy", rf"{_N}{_PERCENT}(?!\s*(?:off|cheaper|less|below|more|above|discount|interest|tax|vat|margin))"
        rf"\s*(?:of (?:the |all )?(?:time|hours|day)|{_USED})?", _percent),
    _rule("busy", rf"(?:busy|utili[sz]ation|used)\s*(?:of|at|:)?\s*{_N}{_PERCENT}", _percent),
    _rule("busy", rf"{_P}\s*(?:hours?|hrs?|h){_END9}{_RATE_UNIT}{_WEEKDAYS}", _busy_hours),
    _rule("busy", r"24\s?[/x]\s?7(?:/365)?|(?:a)?round the clock|all (?:the time|day long|day)|non-?\s?stop"
        r"|continuous(?:ly)?|day and night|always (?:on|busy)|full[- ]time", 1.0),
    _rule("busy", r"half (?:of )?the (?:time|day)|part[- ]time", 0.5),
    _rule("busy", r"(?:in |during )?(?:office|business|working|work) hours|9 to 5|during the (?:day|week)|on weekdays",
        _OFFICE_HOURS_PER_WEEK / _HOURS["w"]),
    _rule("length", rf"(?:for |over )?(?:an?|the|one) weekend{_END}", 2 * HOURS_PER_DAY),
    _rule("gpu_hours", rf"{_N}(?=\s+(?!(?:for|in|at|on|to|of|or|and|x) )(?:[a-z]{{1,3}} ?[0-9]{{1,4}}|[0-9]{{4}})"
        rf"[a-z]{{0,2}}[- ](?:gpu[- ]?)?{_SPAN}{_END}"
        rf"(?:{_RATE_UNIT})?)", _gpu_hours),
    _rule("gpu_hours", rf"{_N}\s*(?:gpu|accelerator|card)[- ]?{_SPAN}{_END9}(?:{_RATE_UNIT})?", _gpu_hours),
    _rule("node_hours", rf"{_N}\s*(?:node|machine|server|instance)[- ]{_SPAN}{_END9}(?:{_RATE_UNIT})?",
        _gpu_hours),
    _rule("runs", rf"{_N}\s*(?:runs?|fine-?tunes?|times|trainings?|models?|jobs?|experiments?|evals?|evaluations?"
        rf"|builds?){_RATE_UNIT}", _monthly),
    _rule("crew", rf"{_N}\s*(?:ftes?|full[- ]time (?:people|staff|equivalents?|engineers?|admins?)|(?:sys)?admins?"
        rf"|administrators?){_END}(?: (?:to run|running|for) (?:it|them))?", _number),
    _rule("kw", rf"{_N}\s?(?P<size>kw|mw|kilowatts?|megawatts?){_END}(?: (?:of )?(?:power|available|limit))?",
        lambda match: _number(match) * (1_000.0 if match["size"].startswith("m") else 1.0)),
    _rule("team", rf"(?<=for )(?:just |only )?(?:me|myself)(?: (?:alone|only))?{_END}|just me{_END}"
        rf"|personal(?: use)?{_END}", 1),
    _rule("team", rf"(?:to|for|with) (?:about |around |some |our )*{_N}[- ]?\s*(?:[a-z]+ ){{0,2}}{_ASKERS}{_END}",
        _number),
    _rule("team", rf"(?:team|group|lab|staff|startup|company) of\s*{_N}(?:\s*(?:[a-z]+ )?{_WHO})?", _number),
    _rule("online", rf"{_N}\s*(?:concurrent|simultaneous|active at once|parallel) (?:[a-z]+ )?{_WHO}", _number),
    _rule("team", rf"{_N}[- ]?\s*(?:(?!(?:for|and|to|with|in|on|at) )[a-z]+ ){{0,2}}{_WHO}(?:\s*team)?", _number),
    _rule("every", rf"(?:once (?:an?|per|every|each)|every|each) {_LONG_UNIT}", _every),
    _rule("since", r"(?:since|bought in|from|of)\s*(?:[a-z]{3,9} )?(?P<year>20[0-3]\d)(?!\d)", _year),
    _rule("since", r"in (?P<year>201\d|202[0-5])(?!\d)", _year),
    _rule("date", rf"(?:by|before|until|till|to|due(?: on)?|deadline:?|from|starting|on)(?: the)? "
        rf"(?:(?:mid|end|start)[- ]?(?:of )?)?(?:(?:\d{{1,2}}(?:st|nd|rd|th|\.)? (?:of )?)?{_MONTHS}{_END}"
        r"(?: \d{1,2}(?:st|nd|rd|th)?(?!\w))?(?:,? 20\d\d)?|20\d\d-\d\d-\d\d|\d{1,2}\.\d{1,2}\.(?:20)?\d\d"
        r"|q[1-4](?: 20\d\d)?|christmas|easter|summer|20\d\d)", True),
    _rule("due", rf"{_P}[- ]?{_LONG_UNIT}\s*deadline", _hours),
    _rule("due", rf"deadline\s*(?:of|is|in|:)?\s*{_P}[- ]?{_LONG_UNIT}", _hours),
    _rule("due", rf"(?:{_DUE}){_ABOUT}{_P}[- ]?{_LONG_UNIT}", _hours),
    _rule("length", rf"(?:(?:for|over|during|the next|next|the)\s+)+{_ABOUT}{_P}[- ]?\s?{_LONG_UNIT}", _hours),
    _rule("length", rf"(?!an?\s){_P}[- ]?\s?{_LONG_UNIT}(?! of (?:audio|speech|video|talk|recording))"
        r"(?:\s*(?:plan|term|contract|commitment|long|life|horizon|each))?", _hours),
    _rule("precision", rf"(?:in )?(?:(?P<format>fp32|bf16|fp16|fp8|int8|mxfp4|fp4|int4)|(?P<bits>4|8|16)[- ]?bits?)"
        rf"{_END9}", _precision),
    _rule("method", r"full(?:[- ]parameter)?(?=[- ](?:fine|tun))|all (?:the )?(?:weights|parameters)", "full"),
    _rule("method", r"q-?lora", "qlora"),
    _rule("method", rf"lora{_END}", "lora"),
    _rule("gpus", rf"(?:we |i )?needs?(?: to have)?\s*{_P}(?=\s*(?:$|[,.;?]|in total|now|altogether))", _whole),
    _rule("gpus", rf"{_P} (?:of (?:them|these|those)|pieces|pcs|units){_END}", _whole),
    _rule("channel", rf"(?:second[- ]?hand|refurbished|pre-?owned){_END}|(?<!gpus )(?<!cards )used"
        r"(?=\s+(?:[a-z]+ )?(?:[a-z]{0,3}\d{2,4}|gpus?|cards?|servers?)|\s*(?:$|,))", "used"),
    _rule("every", rf"(?:daily|nightly|weekly|monthly|quarterly){_END}", _every),
    _rule("spot", rf"(?:on )?(?:spot|pre-?emptible|interruptible)(?: instances?| machines?| gpus?)?{_END}", True),
)  # fmt: skip
MEMORY: tuple[Rule, ...] = (_rule("memory", rf"{_P}\s?gi?b{_END9}(?: of (?:vram|memory)| vram| memory)?", _number),)
VERBS: tuple[Rule, ...] = (
    _rule("tune", rf"(?<![a-z])(?:(?:instruction[- ])?(?:fine[- ]?\s?)?tun(?:e|es|ed|ing)|sft|dpo|grpo|ppo|rlhf|rlvr"
        rf"|rl|reinforcement learning|adapt(?:ing)?){_END}", True),
    _rule("train", rf"(?<![a-z])(?:pre|re)?-?\s?train(?:s|ed|ing)?{_END}", True),
    _rule("serve", rf"(?<![a-z])(?:self-?\s?)?(?:serv(?:e|es|ing)|host(?:s|ing)?){_END}|inferenc(?:e|ing)|deploy\w*"
        r"|(?:(?:support|customer|service|internal|rag|coding|code) )*(?:chat(?:-?\s?bots?)?|bots?|copilots?|"
        rf"assistants?|agents?){_END}|rag{_END}|api endpoint", True),
    _rule("have", rf"(?:we|i)(?: already)? (?:have|own|got)(?: got| already)?{_END}|(?:we|i)'ve(?: got)?{_END}|existing"
        "|already (?:have|own)|(?:^|(?<=, )|(?<=and ))own(?= )", True),
    _rule("anyone", r"(?<![a-z])(?:cheapest|any|which|what|best)\s+"
        rf"(?:gpus?|cards?|accelerators?|chips?|hardware){_END}", True),
    _rule("place", rf"(?:at |from )?home{_END}|in {_MY} (?:house|flat|apartment|bedroom|garage|basement)"
        rf"|under {_MY} desk", "home"),
    _rule("place", rf"(?:at|in|for) (?:{_MY} )?office{_END}", "office"),
    _rule("place", rf"(?:in |at )?(?:a )?co-?lo(?:cation)?{_END}(?: (?:facility|space))?", "colocation"),
    _rule("place", rf"on[- ]?prem(?:ises?)?{_END}|(?:own |our |server )+room", "own_room"),
    _rule("place", rf"(?:in )?(?:own |our |a |the )*data\s?cent(?:er|re)s?{_END}", "data_centre"),
    _rule("place", rf"(?:on |at )?(?:the |our )?(?:campus|university|uni){_END}", "campus"),
    _rule("stay", r"(?:(?:must|may|shall|should) not|mustn't|cannot|can't|never) leaves?(?: the country)?"
        r"|(?:(?:must|has to|have to|data|only) )*(?:stays?|remains?|kept?|keep)(?: (?:the )?data)?"
        r"(?= (?:with)?in )|gdpr|data residency|sovereign(?:ty)?|(?<![a-z])data(?= in )|(?<=\|) only(?![a-z])", True),
    _rule("local", rf"(?<![a-z])local(?:ly)?{_END}|on my (?:own )?(?:machine|pc|computer){_END}", True),
)  # fmt: skip
