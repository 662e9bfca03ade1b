"""Parts of the patterns of a line: numbers, times, rates, what is counted and who asks."""

import re
from collections.abc import Callable
from typing import Any

from planner.study.one_line.line_words import WORDS
from planner.study.one_line.quantities import (
    NUMBER,
    PLAIN,
    RATE_UNIT,
    REQUESTS,
    TOKENS,
    WHO,
    Rule,
)

SPACE = re.compile(r"(\(\?<[=!][^)]*\))|(?<!\[-) (?![*+{])(\??)")  # not in a look-behind or a class


def rule(name: str, pattern: str, value: Callable[[re.Match[str]], Any] | Any) -> Rule:
    """Build a rule; each space in its pattern stands for some of them."""
    spaced = SPACE.sub(lambda match: match[1] or (" *" if match[2] else " +"), pattern)
    return Rule(name, re.compile(spaced), value if callable(value) else lambda _: value)


# 2.500 requests and 450.000 € have no thousandths.
IN_POINTS, NO_UNIT_PRICE = r"[1-9]\d{0,2}\.\d{3}", r"(?!\s*(?:/|per|an?)\s*(?:kwh|gpu|h))"
COUNTED_IN_THOUSANDS = re.compile(
    rf"(?<![\d.,]){IN_POINTS}(?=\s?(?:(?:€|(?:euros?|eur|chf|sek|nok|dkk|pln|czk)(?![a-z])){NO_UNIT_PRICE}"
    rf"|{REQUESTS}(?![a-z])(?!\s*(?:/|per|an?)\s*s)|hours(?![a-z])|{WHO}|{TOKENS}|gpu))"
    rf"|(?:(?<=€)|(?<=€ )|(?<=eur )|(?<=chf )){IN_POINTS}(?![\d.,]*\d){NO_UNIT_PRICE}"
)
ANY_N, ANY_N2, PLAIN_N = rf"(?P<n>{NUMBER})", rf"(?P<n2>{NUMBER})", rf"(?P<n>{PLAIN})"
ONLY, PEAK = "(?: only)?(?![a-z])", "(?:peaks?|max(?:imum)?|bursts?|most)(?![a-z])"
END, END9 = "(?![a-z])", "(?![a-z0-9])"
WITHIN = r"\s*(?:in under|in less than|in|within|by|under|less than|no more than|at most|at|of|is|<|:|below)?\s*"
PERCENT = r"\s{0,9}(?:%|percent|per cent)"
USED = r"busy|util(?!i)|utili[sz]ed|utili[sz]ation|used?|load(?:ed)?|usage"
BARE_SHARE = "(?:" + "|".join(  # 60 % alone is how busy they are, and no 50 % behind another word: prepay 50 %
    ["(?<![a-z] )"] + [f"(?<={word} )" for word in (
        " at", "bout", "round", "ughly", "with", "only", "and", " to", "gpus", "ards", " for", " is", " of", "just",
        "aybe", "ally", "than", " in", " use", "only use")]
) + ")"  # fmt: skip
CAPITAL = "(?:cost of (?:capital|money)|discount rate|wacc)"
WEEKDAYS = r"(?P<weekdays>\s*(?:on )?(?:weekdays|working days|workdays|mon(?:day)?\s*(?:-|to)\s*fri(?:day)?))?"
DUE = r"in under|in less than|within|by|under|less than|no more than|finish in|done in|due in|in"
ABOUT = r"\s*(?:about |around )?"
MY = "(?:my|our|the|a|an)"
NO_FALL = "(?<!falls )(?<!drops )(?<!fall )(?<!down )"
GROWS = "grow(?:s|ing|th)?(?: of| by| at)?"
TAX = "tax(?:es)?(?: rate)?(?![a-z])(?! (?:break|credit|relief))"
PERSON = (
    rf"(?:(?:active |registered )?(?:{WHO}|(?!quarter|server|number|cent|layer|order|parameter|month)[a-z]+(?:er|ee|or"
    rf"|nt|ist|ian|person){END})|head{END}|seat{END})"
)
SPAN = "(?P<span>hours?|hrs?|h|days?|weeks?|months?|years?)"
RATE = rf"(?:{REQUESTS}{RATE_UNIT}|(?:rps|qps|req/?s){END})"
AUDIO = (
    rf"(?P<n>{PLAIN}k?)\s*(?P<span>hours?|hrs?|h|minutes?|mins?) (?:of )?(?:audio|speech|dictation|video|talk"
    rf"|recordings?|calls?|podcasts?|meetings?|lectures?|interviews?|hearings?|consultations?|sessions|broadcasts?"
    rf"|dictations?|visits)"
)
SOUNDS = "(?:meetings|hearings|calls|consultations|interviews|lectures|visits|podcasts|episodes|sessions|recordings)"
TEXTS = (
    r"(?:(?!(?:for|and|to|with|in|on|at|of) )[a-z]+ )?(?:tickets|documents|docs|records|rows|pages|questions|answers"
    r"|articles|emails|letters|reviews|reports|contracts|sentences|files|cases|logs|messages|notes|papers|books|texts"
    r"|abstracts|chunks|passages|descriptions|comments|tweets|products|transcripts|snippets|patents|resumes"
    r"|prompts|scans|slides|claims|invoices|forms|posts|orders)"
)
PROCESS = (
    "translat|classif|summari[sz]|embed|process|tag|label|caption|analy[sz]|index|extract|moderat|clean|scor|pars|rank"
)
NOUNS = "|".join(word for word in WORDS["requests"].split() if len(word) > len("r|q"))
READ = r"(?:in|inputs?|prompts?|read|context)(?: tokens)?(?![a-z])"
WRITTEN = r"(?:out|outputs?|completions?|written|generated|answers?|responses?)(?: tokens)?(?![a-z])"
SETTINGS = r"(?:rank|alpha|top[- ]k|temperature|chunks?(?: of)?|stage|zero|version|phase|seeds?)"
OWNED, RENTED = "(?:owned|bought|buy|own)(?![a-z])", "(?:rented|rent|leased|in the cloud|cloud)(?![a-z])"
TIME = r"(?:[01]?\d|2[0-4])(?::[0-5]\d)?\s?(?:am|pm|h|o'clock|uhr)?"
TIME_TO = r"(?:[01]?\d|2[0-4])(?::[0-5]\d(?:\s?(?:am|pm|h|uhr))?|\s?(?:am|pm|h|o'clock|uhr))"
NO_REQUEST = (
    "(?:hours|minutes|days|weeks|months|years|gpus|cards|nodes|servers|machines|dollars|euros|pounds|francs|rupees"
    "|cents|runs|jobs|people|users|shifts|evenings|nights|times|bucks|credits|watts|experiments|trainings)(?![a-z])"
)
SOON = r"(?!\s*(?:/|(?:per|an?|each|every)(?![a-z]))\s*(?:y|q|sem))"
ALWAYS = (
    r"24\s?[/x]\s?7(?:/365)?|(?:a)?round the clock|all (?:the time|day long|day)|non-?\s?stop"
    r"|continuous(?:ly)?|day and night|always (?:on|busy)|full[- ]time"
)
CPU = "(?:cpu|processor)s?(?![a-z])"
MONTHS = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?)"
)
