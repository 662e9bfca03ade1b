"""A line in the spelling of its rules: in English, counts before names; each part stays as long, so places stay."""

import math
import re
from collections.abc import Callable

from planner.scenario.base import ONE_MACHINE
from planner.study.one_line.line_rules import MONTH_NAMES, PATTERNS, hours_of, parse_number
from planner.study.one_line.line_words import FOREIGN, TRANSLATED, WORDS

_SMALL, _TIMES, _VAGUE, _PARTS = ({word: float(number) for word, number in WORDS[table].items()}
    for table in ("numbers_to_99", "multiples", "vague_numbers", "parts_of_one"))  # fmt: skip
_TENS = [word for word in _SMALL if word.endswith("ty")]
_SIZES = ((1e12, "t"), (1e9, "b"), (1e6, "m"), (1e3, "k"))


def _any(words: object) -> str:
    return "|".join(sorted(words, key=len, reverse=True))  # type: ignore[call-overload]


_ONES = [word for word, number in _SMALL.items() if number < 10]
_TO_99 = rf"(?:(?:{_any(_TENS)})(?:[ -](?:{_any(_ONES)}))?|{_any(_SMALL)})(?![a-z])"
_TO_999 = rf"(?:(?:(?:{_TO_99}|an?) )?hundred(?:(?: and| -)? {_TO_99})?|{_TO_99})"
_NUMBER = re.compile(
    rf"(?<![\w.,-])(?P<q>(?:an? )?(?:half|quarter)(?: of)? an?(?= )"
    rf"|(?:a )?(?:half|quarter)(?= (?:million|billion|trillion|dozen))"
    rf"|(?:a )?pair of(?= )"
    rf"|(?:a )?(?:couple|few|handful)(?: of|(?= (?:hundred|thousand|million|dozen|k)))|a (?:couple|few|handful)"
    rf"|several|{_TO_999}|hundred|dozen|an?|\d[\d,]*(?:\.\d+)?)"
    rf"(?: and (?:an? )?(?P<part>half|quarter))?"
    rf"(?:[ -](?P<times>{_any(_TIMES)})(?![a-z])(?: (?:and )?(?P<rest>{_TO_999}))?)?(?![a-z])"
)


def _below_thousand(text: str) -> float:
    number = 0.0
    for word in re.findall(r"[a-z]+|\d+", text):
        if word in ("hundred", "dozen"):
            number = max(number, 1.0) * _TIMES[word]
        elif word not in ("a", "an", "and", "of"):
            number += _SMALL.get(word) or _VAGUE.get(word) or _PARTS.get(word) or float(word if word.isdigit() else 0)
    return number


def _digits(match: re.Match[str]) -> str:
    """Return a number in digits with zeros before it, as long as its words; what has no number word stays."""
    words, times, part = match["q"], match["times"], match["part"]
    is_plain = words in ("a", "an", "one") or words[0].isdigit()
    if is_plain and (
        not (times or part) or (words[0].isdigit() and not (part or times in ("dozen", "hundred", "grand")))
    ):
        return match[0]
    first = float(words.replace(",", "")) if words[0].isdigit() and "hundred" not in words else _below_thousand(words)
    number = ((first or 1.0) + _PARTS.get(part or "", 0.0)) * _TIMES.get(times or "", 1.0)
    number += _below_thousand(match["rest"] or "")
    mark, text = "$" if times == "grand" else "", f"{number:.0f}" if number.is_integer() else f"{number:.10g}"
    is_long = len(mark + text) > len(match[0])
    text = next((f"{number / size:.10g}{letter}" for size, letter in _SIZES if is_long and number >= size), text)
    return mark + text.zfill(len(match[0]) - len(mark))


def in_digits(line: str) -> str:
    """Return a line in lower case with its number words in digits, each in its place."""
    return _NUMBER.sub(_digits, PATTERNS["and_a_half"].sub(
        lambda it: f"{float(it[1]) if it[1].isdigit() else 1:g}.5 {it[2]}s".zfill(len(it[0])), line))  # fmt: skip


def _in_thousands(match: re.Match[str]) -> str:
    """Return an Indian number in thousands or millions: 20 lakh, 1.5 crore."""
    number = f"{float(match[1]) * 100:g}k" if match[2].startswith("la") else f"{float(match[1]) * 10:g}m"
    has_mark = re.search(r"(?:[₹$€]|rs\.?|inr|rupees) ?$", match.string[: match.start()])
    mark = "₹" if match["sum"] is not None and not has_mark else ""
    return mark + number.zfill(len(match[0]) - len(mark))


def _hourly(it: re.Match[str]) -> str:
    """Return the rent of an hour of each GPU that a sum pays for, as long as the sum and its term."""
    amount = parse_number(it["n"].replace(",", "")) * (1_000 if it["size"] else 1)
    gpus = float(it["many"] or (ONE_MACHINE if it["machine"] else 1))
    rent = amount / hours_of(it["unit"]) / ((parse_number(it["k"]) or 1.0) * gpus)
    mark = it["mark"] or ("€" if "eu" in (it["code"] or "") else "$")
    text = f"{mark.strip()}{rent:.3g}/h "
    one = re.sub("^(?:one|an?|the)(?= |$)", lambda of: "1".rjust(len(of[0])), it["pre"] or it["k"])
    return f"{one}{text}" if it["pre"] else text + f"{one} ".rjust(len(it[0]) - len(text))


_LETTERS = {"": "", "k": "k", "t": "k", "m": "m"}  # TEUR, kEUR
_POINTS = {ord("."): ",", ord(" "): ",", ord("|"): "."}
# Each is as long as what replaces it.
_SPELLINGS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"(?<=\d)'(?=\d{3}(?!\d))"), ","),
    (re.compile(r"(?<=\d)'s(?!\w)"), "s "), (re.compile(r"(?<![\w.,])(\d\d?)h([0-5]\d)(?!\w)"), r"\1:\2"),  # 8h30
    (re.compile(r"(?<![\d.])([0-3]?\d)\.([01]?\d)\.(20\d\d)(?![\d.])"),
     lambda it: f"{it[3]}{int(it[2]):02d}{int(it[1]):02d}".ljust(len(it[0]))),
    (PATTERNS["day_month"], lambda it: f"{it[1]}{MONTH_NAMES[int(it[2]) - 1]}".ljust(len(it[0]))),  # 15.1. to 15.4.
    (re.compile(r"~(?= ?[\d$€£])"), " "), (re.compile(r"(?<=[a-z])'s(?!\w)|(?<=mio)\."), lambda it: " " * len(it[0])),
    (re.compile(r"(?<=[a-z\d])-(?=(?:hours?|days?|weeks?|months?|years?)(?![a-z]))"), " "),  # a100-hours
    (PATTERNS["counted_name"], r"\2 \1"), (PATTERNS["indian"], _in_thousands),  # 40,000 sdxl images
    (re.compile(r"(?<=\d)( ?)ct(?= ?(?:/|per|pro|je) ?kwh)"), lambda it: (
        it[0] if PATTERNS["in_usd"].search(it.string) else f"{it[1]}c€")),
    (re.compile(r"(?<![\w.,])(\d+) (old|age?ing|existing)(?= [a-z]*\d)"), r"\2 \1"), (PATTERNS["held"], r"\1\3 \2"),
    (re.compile(r"^(lambda|vast|crusoe|oracle|together)( or | vs\.? | versus )([a-z]+)(?![a-z])"), r"\3\2\1"),
    (PATTERNS["compound"], " "),
    (re.compile(r"(\d ?(?:per|an?|/) ?)([a-z]{1,3}\d{2,4}[a-z]{0,2}) (hours?|hrs?|h)(?![a-z])"), r"\1\3 \2"),  # h100 h
    (PATTERNS["no_words"], lambda it: " " * len(it[0])),  # equivalents, 8 no wait 16, a card that is broken
    (PATTERNS["node_of"], lambda it: f" {it[1]}{' ' * len(it[2])}"),  # 8-node cluster of
    (PATTERNS["servers_each"], r"\1 "),  # 2 servers, 8 h100 each
    (PATTERNS["server_models"], lambda it: f"{it[1]} nodes".ljust(len(it[0]))),  # 2x xe9680 with 8
    (PATTERNS["half_rack"], lambda it: f"36 {it[1] or it[2]}".rjust(len(it[0]))),
    (PATTERNS["sized_servers"], lambda it: (  # three 8-gpu h100 servers
        f"{int(parse_number(it[1] or it[3] or '1')) * int(it[2] or it[4])} {it[5] or 'gpus'}".ljust(len(it[0])))),
    (PATTERNS["sizes_of_money"], lambda it: (
        f"{it[3] or it['code']}{it[1] or it['n']}{_LETTERS[it[2] or it['size']]}".ljust(len(it[0])))),
    (re.compile(r"(?<![\w.,])(\d[\d.,]*) ?([tkm]?)kr(?![a-z])"), lambda it: next(
        (f"{code.lower()}{it[1]}{_LETTERS[it[2]]}".ljust(len(it[0])) for code, words in WORDS["crowns"].items()
            if re.search(words, it.string) and len(it[1] + it[2]) + len(code) <= len(it[0])), it[0])),
    # 22k + 9k + 4k
    (re.compile(r"(?<![\w.,])\d[\d.]*[km](?: ?(?:[+&]|plus) ?[$€£]?\d[\d.]*[km])+(?![a-z0-9])"), lambda it: (
        f"{sum(parse_number(each) for each in re.findall(r'[0-9.]+[km]', it[0])):.12g}".ljust(len(it[0])))),
    (re.compile(r"(?<![\w.])10\^([369])(?!\d)"), lambda it: f"1{' kmb'[int(it[1]) // 3]}".rjust(4)),
    (re.compile(r"(?<=[a-z] )(\d+(?:\.\d+)?) billions?(?! tok)(?![a-z])"), lambda it: f"{it[1]}b".ljust(len(it[0]))),
    (re.compile(r"(?<![a-z])(?:minus|negative) (?=\d)"), lambda match: "-".rjust(len(match[0]))),
    # A slice of TPUs as a count of chips; a name counts two cores a chip up to v4 and of v5p: v4-32 has 16.
    (re.compile(r"(?<![\w.])(tpu[ -]?)?(v[2-7][ep]?)-(\d{1,4})(?!\w)"), lambda it: (
        f"{max(int(it[3]) // (1 if it[2].endswith('e') else 2), 1)} {it[1] or ''}{it[2]}".ljust(len(it[0])))),
    (PATTERNS["in_points"], lambda it: it[0].replace(",", "|").translate(_POINTS)),  # 1.000.000, 22.500,50, 40 000 EUR
    (PATTERNS["financed"], r"\1\3\2"), (PATTERNS["in_thousands"], lambda match: match[0].replace(".", ",")),
    (re.compile(r"(?<![\d.,])(\d+),(\d{1,2})(?![\d.,]*\d)"), r"\1.\2"),
    (PATTERNS["per_noun"], lambda it: "".join([it[1] if it[1][0] == "e" else "per".ljust(len(it[1])), (
        "user".ljust(len(it[2]))), it[3], "users".ljust(len(it[4]))])),
    (PATTERNS["nouns_per"], lambda it: "".join(["users".ljust(len(it[1] + it[2])), re.sub(
        r"(?:par|por|pro)(?= +$)", "per", it[3]), "user".ljust(len(it[4]))])),
    (re.compile(r"(?<=\w)( +)([,;:])(?= )"), r"\2\1"),
    *((PATTERNS[name], lambda it: it[0] if PATTERNS["no_offer"].search(it.string) else _hourly(it).ljust(
        len(it[0]))) for name in ("price_of_term", "term_at_price", "price_by_week")),
    (PATTERNS["month_of_many"], r"\3 a month\2"), (PATTERNS["cost_of_month"], r"\4 \2 \1\3"),
)  # fmt: skip
_SIZE_OF = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9, "bn": 1e9}


def middle_of_ranges(line: str, notes: list[str]) -> str:
    """Return a line with the middle of each range in its place, as long as the range, and note each."""

    def middle(match: re.Match[str]) -> str:
        ends = ((match[2], match[3] or match[5]), (match[4], match[5]))
        low, high = (float(number.replace(",", "")) * _SIZE_OF[unit or ""] for number, unit in ends)
        mean = math.ceil((low + high) / 2) if PATTERNS["of_counts"].match(line, match.end()) else (low + high) / 2
        mark = "".join(each for each in match[0] if each in "$€£")[:1]
        text = min((f"{mark}{mean / times:.10g}{unit}" for unit, times in _SIZE_OF.items()
            if mean >= times or not unit), key=len)  # fmt: skip
        is_change = (not match[1] and PATTERNS["changes"].search(line[: match.start()])) or (
            PATTERNS["swings"].search(line) and PATTERNS["of_gpus_behind"].match(line, match.end()))  # fmt: skip
        if low >= high or len(text) > len(match[0]) or is_change:
            return match[0]
        notes.append(f"Of {PATTERNS['padding'].sub('', match[0].strip())} the middle is taken: {text}.")
        return text.rjust(len(match[0]))

    return PATTERNS["range"].sub(middle, line)


def plain_spelling(line: str) -> str:
    """Return a line in lower case in English, with points and thousands as this program writes them: 2,5, 1.000.000."""
    line = in_digits(FOREIGN.sub(lambda it: TRANSLATED[(it.lastindex or 1) - 1][1].ljust(len(it[0])), line))
    for pattern, spelled in _SPELLINGS:
        line = pattern.sub(spelled, line)
    return line
