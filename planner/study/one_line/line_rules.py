"""The rules of a line of plain English: each is a pattern, the quantity that it states, and how its value follows.

They are tried in their order. A part of the line that one of them took is blanked out for those after it.
"""

import re
from collections.abc import Callable
from typing import Any

from planner.scenario.base import HOURS_PER_DAY, HOURS_PER_MONTH, HOURS_PER_YEAR, SECONDS_PER_HOUR
from planner.study.one_line.line_words import WORDS
from planner.study.one_line.quantities import (
    ASKERS,
    DAYS_PER_WEEK,
    EVENING_HOURS,
    EVERY,
    HOURS_OF_UNIT,
    LONG_UNIT,
    MOST_GROWTH,
    NIGHT_HOURS,
    NUMBER,
    OFFICE_HOURS_PER_WEEK,
    PLAIN,
    RATE_UNIT,
    REQUESTS,
    SHIFT_HOURS,
    TOKENS,
    UNIT,
    WHO,
    WORKING_DAYS,
    Rule,
    busy_share,
    clock_share,
    either_number,
    every,
    gpu_hours,
    hours_in,
    hours_of,
    hours_of_sound,
    milliseconds,
    number_in,
    parse_number,
    per_hours,
    per_second,
    per_second_of_rate,
    percent,
    precision,
    yearly_growth,
)

_SPACE = re.compile(r"(\(\?<[=!][^)]*\))|(?<!\[-) (?![*+{])(\??)")  # not in a look-behind or a class


def rule(name: str, pattern: str, value: Callable[[re.Match[str]], Any] | Any) -> Rule:
    """Build a rule; each space in its pattern stands for some of them."""
    spaced = _SPACE.sub(lambda match: match[1] or (" *" if match[2] else " +"), pattern)
    return Rule(name, re.compile(spaced), value if callable(value) else lambda _: value)


# 2.500 requests and 450.000 € have no thousandths.
_IN_POINTS, _NO_UNIT_PRICE = r"[1-9]\d{0,2}\.\d{3}", r"(?!\s*(?:/|per|an?)\s*(?:kwh|gpu|h))"
COUNTED_IN_THOUSANDS = re.compile(
    rf"(?<![\d.,]){_IN_POINTS}(?=\s?(?:(?:€|(?:euros?|eur|chf|sek|nok|dkk|pln|czk)(?![a-z])){_NO_UNIT_PRICE}"
    rf"|{REQUESTS}(?![a-z])(?!\s*(?:/|per|an?)\s*s)|{WHO}|{TOKENS}|gpu))|(?:(?<=€)|(?<=€ )|(?<=eur )|(?<=chf"
    rf" )){_IN_POINTS}(?![\d.,]*\d){_NO_UNIT_PRICE}"
)
_N, _N2, _P = rf"(?P<n>{NUMBER})", rf"(?P<n2>{NUMBER})", rf"(?P<n>{PLAIN})"
_ONLY, _PEAK = "(?: only)?(?![a-z])", "(?:peaks?|max(?:imum)?|bursts?|most)(?![a-z])"
END, END9 = "(?![a-z])", "(?![a-z0-9])"
_WITHIN = r"\s*(?:in under|in less than|in|within|by|under|less than|no more than|at most|at|of|is|<|:|below)?\s*"
_PERCENT = r"\s{0,9}(?:%|percent|per cent)"
_USED = r"busy|utili[sz]ed|utili[sz]ation|used?|load(?:ed)?|usage"
_CAPITAL = "(?:cost of (?:capital|money)|discount rate|wacc)"
_WEEKDAYS = r"(?P<weekdays>\s*(?:on )?(?:weekdays|working days|workdays|mon(?:day)?\s*(?:-|to)\s*fri(?:day)?))?"
_DUE = r"in under|in less than|within|by|under|less than|no more than|finish in|done in|due in|in"
_ABOUT = r"\s*(?:about |around )?"
MY = "(?:my|our|the|a|an)"
_NO_PERIOD = "(?P<unit>)(?P<ly>)"
_PERSON = (
    rf"(?:(?:active |registered )?(?:{WHO}|(?!quarter|server|number|cent|layer|order|parameter|month)[a-z]+(?:er|ee|or"
    rf"|nt|ist|ian|person){END})|head{END}|seat{END})"
)
_SPAN = "(?P<span>hours?|hrs?|h|days?|weeks?|months?|years?)"
_RATE = rf"(?:{REQUESTS}{RATE_UNIT}|(?:rps|qps|req/?s){END})"
_AUDIO = (
    rf"(?P<n>{PLAIN}k?)\s*(?P<span>hours?|hrs?|h|minutes?|mins?) (?:of )?(?:audio|speech|dictation|video|talk"
    rf"|recordings?|calls?|podcasts?|meetings?|lectures?|interviews?|hearings?|consultations?|sessions|broadcasts?"
    rf"|dictations?|visits)"
)
_SOUNDS = "(?:meetings|hearings|calls|consultations|interviews|lectures|visits|podcasts|episodes|sessions|recordings)"
_TEXTS = (
    r"(?:(?!(?:for|and|to|with|in|on|at|of) )[a-z]+ )?(?:tickets|documents|docs|records|rows|pages|questions|answers"
    r"|articles|emails|letters|reviews|reports|contracts|sentences|files|cases|logs|messages|notes|papers|books|texts"
    r"|abstracts|prompts|scans|slides|claims|invoices|forms|posts|orders)"
)
_NOUNS = "|".join(word for word in WORDS["requests"].split() if len(word) > len("r|q"))
_READ = r"(?:in|inputs?|prompts?|read|context)(?: tokens)?(?![a-z])"
_WRITTEN = r"(?:out|outputs?|completions?|written|generated|answers?|responses?)(?: tokens)?(?![a-z])"
_SETTINGS = r"(?:rank|alpha|top[- ]k|temperature|chunks?(?: of)?|stage|zero|version|phase|seeds?)"
_OWNED, _RENTED = "(?:owned|bought|buy|own)(?![a-z])", "(?:rented|rent|leased|in the cloud|cloud)(?![a-z])"
_TIME = r"(?:[01]?\d|2[0-4])(?::[0-5]\d)?\s?(?:am|pm|h|o'clock|uhr)?"
_TIME_TO = r"(?:[01]?\d|2[0-4])(?::[0-5]\d(?:\s?(?:am|pm|h|uhr))?|\s?(?:am|pm|h|o'clock|uhr))"
_NO_REQUEST = (
    "(?:hours|minutes|days|weeks|months|years|gpus|cards|nodes|servers|machines|dollars|euros|pounds|francs|rupees"
    "|cents|runs|jobs|people|users|shifts|evenings|nights|times|bucks|credits|watts|experiments|trainings)(?![a-z])"
)
_CPU = "(?:cpu|processor)s?(?![a-z])"
_MONTHS = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?)"
)
RULES: tuple[Rule, ...] = (
    rule("team", rf"{_N} (?!hours|minutes|days)[a-z]+(?=, each (?!an? |per |of )[a-z]+ )", number_in),
    rule("stay_eu", rf"(?:data|stays?|remains?|kept?|keep|only|hosted)(?: [a-z]+){{0,4}}? (?:in|inside|within) (?:the"
        rf" )?(?:eu|e\.u\.|european union|europe){_ONLY}|eu(?:ropean)? (?:data )?residency", True),
    rule("sellers", rf"(?:only )?(?:eu|european) (?:seller|provider|vendor|cloud|hoster)s?(?: only)?{END}", True),
    rule("ttft", rf"(?:ttft|first (?:token|word)s?|latency|p9[059]){_WITHIN}{_N}(?:\s?(?P<time>ms|s|secs?"
        rf"|seconds?){END}|(?![\d.,]*\d|\s*(?:[x%]|gpus?|rps|qps|toks?|{REQUESTS})))",
        milliseconds),
    rule("ttft", rf"{_N}\s?(?P<time>ms|s|secs?|seconds?)\s*(?:at )?(?:p9[059]|ttft|latency){END}", milliseconds),
    rule("tpot", rf"{_N}\s?(?P<time>ms) (?:per|an?|each)(?: further| output)? token{END}", milliseconds),
    rule("tpot", rf"(?:tpot|itl|(?:each|per)(?: further)? token){_WITHIN}{_N}\s?(?P<time>ms|s){END}", milliseconds),
    rule("tpot", rf"{_N}\s*(?:{TOKENS}{EVERY}s(?:ec(?:ond)?)?|tps|tok/?s)(?: for)?(?:{EVERY}|\s+)(?:single"
        rf" )?(?:users?|requests?|streams?|person|customer|client|session)(?![a-z])(?! in"
        rf" total)", lambda match: 1_000 / max(number_in(match), 0.01)),
    rule("token_rates", rf"{_N}\s*(?:{TOKENS}\s*)?{_READ}[\s,/|+&a-z]{{1,9}}(?P<out>{NUMBER})\s*"
        rf"(?:{TOKENS}\s*)?{_WRITTEN}{RATE_UNIT}",
        lambda match: (per_second(match), per_second(match) * parse_number(match["out"]) / number_in(match))),
    rule("peak", rf"{_N}\s*{_RATE}\s*(?:at |in )?(?:the )?{_PEAK}(?!\s*(?:of|at|:)?\s*\d)", per_second_of_rate),
    rule("peak", rf"between (?:about )?{NUMBER} and {_N}\s*{_RATE}", per_second_of_rate),
    rule("rps", rf"(?:average|mean|usually|typically|normally)(?: of| about| around|"
        rf" is)?\s*{_N}\s*{_RATE}", per_second_of_rate),
    rule("average", rf"(?:average|mean|usually|typically|normally)(?: of| about| around| is)?\s*{_N}(?!\s*(?:%|x"
        rf"|gpus?|[a-z]+\d))|{_N2}\s*(?:on average|average)", either_number),
    rule("rps", rf"each of (?:our |the |my )?(?P<many>{PLAIN}) (?:[a-z]+ )?{WHO} [a-z]+ (?:about"
        rf" )?{_N}\s*{REQUESTS}{RATE_UNIT}", lambda match: per_second(match) * parse_number(match["many"])),
    rule("rps", rf"{_N}\s*rpm{END}", lambda match: number_in(match) / 60),
    rule("each_rps", rf"(?:each|every) (?:(?:[a-z]+ )?{WHO} )?[a-z]+ (?:about )?{_N}\s*(?:times"
        rf"|{REQUESTS})?{RATE_UNIT}", per_second),
    rule("each_rps", rf"{_N}\s*{REQUESTS}(?:{EVERY}{_PERSON}|\s+each){RATE_UNIT}", per_second),
    rule("each_rps", rf"{_N}\s*{REQUESTS}{RATE_UNIT}(?: each{END}|{EVERY}{_PERSON})", per_second),
    rule("peak", rf"(?:peak(?:s|ing)?|bursts?|up to)(?: (?!and"
        rf"|with)[a-z]+){{0,2}}?\s*{_N}\s*{_RATE}", per_second_of_rate),
    rule("peak", rf"(?:peak(?:s|ing)?|bursts?)(?: of| at| to)?\s*{_N}{RATE_UNIT}", per_second),
    rule("each_rps", rf"{_N}\s*{REQUESTS}\s*(?:every|each|per)\s*(?P<many>{PLAIN})\s*{UNIT} each{END}",
        lambda match: number_in(match) / (parse_number(match["many"]) * hours_of(match["unit"]) * SECONDS_PER_HOUR)),
    rule("rps", rf"{_N}\s*{REQUESTS}\s*(?:every|each|per)\s*(?P<many>{PLAIN})\s*{UNIT}",
        lambda match: number_in(match) / (parse_number(match["many"]) * hours_of(match["unit"]) * SECONDS_PER_HOUR)),
    rule("rps", rf"{_N}\s*{_RATE}(?: (?:on )?average{END})?", per_second_of_rate),
    rule("rps", rf"{_N}\s*{_TEXTS}{RATE_UNIT}", per_second),
    rule("rps", rf"(?<![a-z])(?:{_NOUNS}){END}(?: in total| altogether)?[:,]?\s*(?:about |around"
        rf" )?{_N}{RATE_UNIT}", per_second),
    rule("peak", rf"{_N}\s+peak{END}(?!\s*(?:of|at|:)?\s*\d)", number_in),
    rule("rps", rf"{_N}\s*(?:/|(?:per|an?|each){END})\s*(?P<unit>seconds?|secs?|s|minutes?|mins?){END}", per_second),
    rule("written_rate", rf"{_N}\s*(?:output|generated|completion|new|written) (?:tokens?"
        rf"|toks?){RATE_UNIT}", per_second),
    rule("written_rate", rf"{_N}\s*{TOKENS}{RATE_UNIT},? (?:of )?(?:output|generated|written|generation){END}",
        per_second),
    rule("in", rf"{_N}\s*(?:{TOKENS}\s*)?{_READ}(?=[\s,/|+&a-z]{{1,9}}{NUMBER}\s*(?:{TOKENS}\s*)?{_WRITTEN})",
        number_in),
    rule("out", rf"{_N}\s*(?:{TOKENS}\s*)?{_WRITTEN}", number_in),
    rule("tps", rf"{_N}\s*(?:tps|tok/?s|t/s|{TOKENS}{EVERY}s(?:ec(?:ond)?)?){END}", number_in),
    rule("token_rate", rf"{_N}\s*{TOKENS}{RATE_UNIT}", per_second),
    rule("operations", r"(?P<n>\d+(?:\.\d+)?)(?:e\+?| ?(?:[x*·]|times) ?10 ?\^ ?)(?P<power>\d\d) ?"
        rf"(?:flops?|floating[- ]point operations|operations){END}(?! ?/)",
        lambda match: float(match["n"]) * 10.0 ** int(match["power"])),
    rule("batch_tokens", rf"(?<=steps of ){_N}\s*{TOKENS}(?: each{END})?", number_in),
    rule("steps", rf"{_N} (?:training |gradient |optimi[sz]er )?(?:steps|iterations|updates){END}", number_in),
    rule("batch_tokens", rf"(?:global )?batch(?:es)?(?:[- ]size)?(?: of|=|:| is)? {_N}\s*{TOKENS}", number_in),
    rule("batch_tokens", rf"{_N}\s*{TOKENS} (?:per|an?|each|in each|in a) (?:step|batch|iteration|update)"
        rf"|{_N2}[- ]tokens? batch(?:es)?{END}", either_number),
    rule("batch_size", rf"(?:global )?batch(?:es)?(?:[- ]size)?(?: of|=|:| is)? {_N}(?: (?:sequences|samples|examples"
        rf"|sentences){END}|(?= *(?:$|[,.;)/]|(?:for|on|of|with|and|at|in|x|over|using|steps) )))", number_in),
    rule("tokens", rf"{_N}\s*{TOKENS}", number_in),
    rule("inflight", rf"{_N}\s*(?:(?:concurrent|simultaneous|parallel|in[- ]flight) {REQUESTS}|{REQUESTS}\s*(?:in"
        rf" parallel|at once|at (?:the same|a) time|concurrently|simultaneously)|(?:concurrent|simultaneous|parallel)"
        rf" streams?){END}", number_in),
    rule("seq", rf"(?:sequence length|seq(?:[- ]?len(?:gth)?)?(?![a-z])|sequences of|context(?: length| window)?(?:"
        rf" of)?)\s*(?:of|=|:)?\s*{_N}|{_N2}(?: tokens?)? (?:context|sequences?){END}", either_number),
    rule("setting", rf"{_SETTINGS}\s*(?:of|=|:)?\s*{_N}{END}", number_in),
    rule("setting", rf"r\s?=\s?{_N}", number_in),
    rule("egress", rf"(?:egress|traffic out|outbound)(?: of|:)? {_N}\s?tb{END}{RATE_UNIT}?|{_N2}\s?tb (?:of"
        rf" )?(?:egress|traffic out|outbound){END}", either_number),
    rule("disk", rf"{_N}\s?(?P<size>tb|terabytes?|pb|petabytes?){END}(?: of [a-z]+)?(?: (?:training |raw |our"
        rf" )?(?:data(?:set)?|disk|storage|ssd|nvme|images|files|corpus"
        rf"|text))?", lambda match: number_in(match) * (1_000.0 if match["size"].startswith("p") else 1.0)),
    rule("pue", rf"pue\s*(?:of|=|:|is)?\s*{_N}", number_in),
    rule("batch", rf"{_N}\s*(?:[a-z-]+ )?(?:runs?|jobs?|trials?|experiments?|ablations?|trainings?|simulations?"
        rf"|sweeps?|evals?)(?:,| of| with| x| at| taking| lasting)* (?:about )?(?!an?"
        rf" )(?P<many>{PLAIN})[- ]*{LONG_UNIT}(?! (?:an?|per) )(?: each)?",
        lambda match: hours_in(match) * parse_number(match["many"])),
    rule("replicas", rf"{_N}\s*(?:replicas?|copies)(?: of)?{END}|(?:need|want|buy|order|get)s? {_N2} (?:of these"
        rf" )?(?:servers|nodes|machines|boxes)(?! (?:of|with|x))", either_number),
    rule("machine_size", rf"[(]?{_N} (?:gpus|cards) (?:each|per (?:server|node|machine)|in each)[)]?", number_in),
    rule("each_hours", rf"{_P}\s*(?P<span>hours?|hrs?|h|minutes?|mins?) (?:each|{EVERY}{_PERSON})\s*{RATE_UNIT}"
        rf"|(?P<n2>{PLAIN})\s*(?:gpu[- ]?)?(?P<span2>hours?|hrs?|h) (?:a|per) (?P<unit2>day|week|month) each{END}",
        lambda match: either_number(match) * hours_of(match["span"] or match["span2"])
        / hours_of(match["unit"] or match["ly"] or match["unit2"])),
    rule("each_hours", rf"each (?:[a-z]+ )?(?:about )?{_N}\s*(?:gpu[- ]?)?(?P<span>hours?|hrs?|h) ?{RATE_UNIT}",
        lambda match: gpu_hours(match)[0] / (per_hours(match) or HOURS_PER_MONTH)),
    rule("grows_to", rf"grow(?:s|ing)? (?:from {NUMBER} )?to {_N}{END}(?!\s*%)", number_in),
    rule("audio_each", rf"{_AUDIO}{RATE_UNIT} (?:each|{EVERY}{_PERSON}){END}",
        lambda match: hours_of_sound(match) / (per_hours(match) or HOURS_PER_DAY)),
    rule("audio_each", rf"{_AUDIO}(?: each|{EVERY}{_PERSON}| (?:from|by|for) each(?: of)?)(?:{RATE_UNIT})?",
        lambda match: hours_of_sound(match) / (per_hours(match) or HOURS_PER_DAY)),
    rule("epochs", rf"{_N}\s*(?:epochs?|passes){END}(?:\s*(?:of|over|on))?", number_in),
    rule("audio", rf"{_P}\s*(?:[a-z]+ )?{_SOUNDS}{RATE_UNIT}(?: of|,| with)* (?P<many>{PLAIN})\s*(?P<span>hours?"
        rf"|minutes?|mins?)(?: each)?",
        lambda match: hours_of_sound(match) * parse_number(match["many"]) / (per_hours(match) or HOURS_PER_DAY)),
    rule("audio", rf"{_P}\s*(?:[a-z]+ )?{_SOUNDS}(?: of|,| with)* (?P<many>{PLAIN})\s*(?P<span>hours?|minutes?"
        rf"|mins?)(?: each)?{RATE_UNIT}",
        lambda match: hours_of_sound(match) * parse_number(match["many"]) / (per_hours(match) or HOURS_PER_DAY)),
    rule("audio", rf"{_P} (?:audio|podcast|call|speech|video|meeting|interview) (?P<span>hours?|minutes?){RATE_UNIT}",
        lambda match: hours_of_sound(match) / (per_hours(match) or HOURS_PER_DAY)),
    rule("audio", rf"{_AUDIO}{RATE_UNIT}", lambda match: hours_of_sound(match) / (per_hours(match) or HOURS_PER_DAY)),
    rule("audio", rf"(?:dictation|dictate[sd]?|transcri[a-z]+|speech[- ]to[- ]text)(?: of| for|:|,)?"
        rf" {_P}\s*(?P<span>hours?|minutes?){RATE_UNIT}(?!"
        rf" each)", lambda match: hours_of_sound(match) / (per_hours(match) or 1.0)),
    rule("all_audio", rf"{_AUDIO}{END}", lambda match: number_in(match) * hours_of(match["span"])),
    rule("examples", rf"{_N}\s*(?:training |preference |labell?ed )?(?:examples?|samples?|conversations|chats"
        rf"|instructions|pairs|dialogu?es|preferences){END}", number_in),
    rule("texts", rf"{_N}\s*{_TEXTS}{END}(?! {WHO})", number_in),
    rule("images", rf"{_N}\s*(?:images?|pictures?|photos?){END}", number_in),
    rule("growth", rf"(?:grow(?:s|ing|th)?(?: of| by| at)?\s*)?{_N}\s?%(?:\s*growth)?{RATE_UNIT}", yearly_growth),
    rule("growth", rf"grow(?:s|ing|th)?(?: of| by| at)?\s*{_N}\s?%{_NO_PERIOD}", yearly_growth),
    rule("tax", rf"{_N}{_PERCENT}\s*(?:corporate |income |corporation )?tax(?:es)?(?: rate)?{END}", percent),
    rule("tax", rf"(?:corporate |income )?tax(?: rate)?\s*(?:of|at|is|:)?\s*{_N}{_PERCENT}", percent),
    rule("growth", rf"doubl(?:es?|ing)\s*(?:every|each|in)\s*{_P}\s*{LONG_UNIT}",
        lambda match: min(float(2 ** (HOURS_PER_YEAR / hours_in(match))) - 1, MOST_GROWTH)),
    rule("discount", rf"{_CAPITAL}\s*(?:of|at|is|:)?\s*{_N}{_PERCENT}", percent),
    rule("discount", rf"{_N}{_PERCENT}\s*{_CAPITAL}", percent),
    rule("busy", rf"{_P}\s*(?:hours?|hrs?|h)(?: an?|/| per)? ?day,? (?P<many>{PLAIN}) days (?:an?|per) week",
        lambda match: number_in(match) * parse_number(match["many"]) / HOURS_OF_UNIT["w"]),
    rule("busy", rf"(?:idle|unused|empty)\s*(?:about |for )?{_N}{_PERCENT}(?: of the time)?|{_N2}{_PERCENT}\s*(?:of"
        rf" the time )?(?:idle|unused|empty)", lambda match: 1 - either_number(match) / 100),
    rule("vat", rf"{_N}{_PERCENT}\s*(?:vat|gst|sales tax){END}", percent),
    rule("resale", rf"{_N}{_PERCENT}\s*(?:resale|residual)(?: value)?{END}|(?:resale|residual)(?: value)?\s*(?:of|at"
        rf"|is)?\s*{_N2}{_PERCENT}",
        lambda match: either_number(match) / 100),
    rule("loan", rf"{_N}{_PERCENT}\s*(?:interest|loan){END}(?: rate)?|(?:interest|loan)(?: rate)?\s*(?:of|at"
        rf"|is)?\s*{_N2}{_PERCENT}",
        lambda match: either_number(match) / 100),
    rule("busy", rf"(?:busy|utili[sz]ation|used|usage|load)\s*(?:of|at|:|is)?\s*{_N}{_PERCENT}", percent),
    rule("owned", rf"{_N}{_PERCENT} of (?:the |our )?(?=\d[^.;]*{_OWNED},? (?:and )?(?:the )?rest)", percent),
    rule("owned", rf"half of (?:the |our )?(?=\d[^.;]*{_OWNED},? (?:and )?(?:the )?rest)", 0.5),
    rule("owned", rf"half (?:of (?:them|it|these) )?(?:is |are )?{_OWNED}|{_OWNED} half{END}|half (?:of (?:them|it)"
        rf" )?(?:is |are )?{_RENTED}|{_RENTED} half{END}", 0.5),
    rule("owned", rf"{_N}{_PERCENT} (?:is |are )?{_OWNED}(?:[,;]? (?:and )?(?:(?:the )?rest|{NUMBER}{_PERCENT}) (?:is"
        rf" |are )?{_RENTED})|{NUMBER}{_PERCENT} (?:is |are )?{_RENTED}[,;]? (?:and )?{_N2}{_PERCENT} (?:is |are"
        rf" )?{_OWNED}",
        lambda match: either_number(match) / 100),
    rule("busy", rf"{_N}{_PERCENT}\s*(?:of (?:the |all )?(?:time|hours|day)|{_USED}|(?=$|[,.;?!:)|]|\d|(?:in|on|for"
        rf"|at|and|over|with|from|to|during|per|by|x|rented|owned|of|until|till|or)(?![a-z])))", percent),
    rule("busy", rf"{_P}\s*(?:hours?|hrs?|h){END9}{RATE_UNIT}{_WEEKDAYS}", busy_share),
    rule("busy", rf"(?P<n>0?\.\d+)\s*(?:{_USED}){END}", number_in),
    rule("busy", rf"(?:{_USED})\s*(?:of|at|:|is)?\s*(?P<n>0?\.\d+)(?![\d%]|\s*%)", number_in),
    rule("busy", rf"{_P} (?:evenings?|nights?|afternoons?|mornings?)(?: an?|/| per|each) week",
        lambda match: number_in(match) * EVENING_HOURS / HOURS_OF_UNIT["w"]),
    rule("busy", rf"{_P}\s*(?:hours?|hrs?|h)(?: an?|/| per| each| every) ?(?:week|work|working )day{END}",
        lambda match: number_in(match) * WORKING_DAYS / HOURS_OF_UNIT["w"]),
    rule("busy", rf"(?P<n>0*[23])[- ](?P<of>thirds|quarters)(?: of the time)?(?: (?:{_USED}))?{END}",
        lambda match: number_in(match) / (3 if match["of"] == "thirds" else 4)),
    rule("busy", rf"{_P} days (?:an?|per) week", lambda match: number_in(match) / DAYS_PER_WEEK),
    rule("busy", rf"(?:from |between )?(?P<from>{_TIME})\s?(?:to|-|–|until|till"
        rf"|and)\s?(?P<to>{_TIME_TO}){END9}{_WEEKDAYS}", clock_share),
    rule("busy", r"24\s?[/x]\s?7(?:/365)?|(?:a)?round the clock|all (?:the time|day long|day)|non-?\s?stop"
        r"|continuous(?:ly)?|day and night|always (?:on|busy)|full[- ]time", 1.0),
    rule("busy", rf"(?:only |at |on )*(?:nights? and (?:at |on )?weekends?|weekends? and (?:at )?nights?){_ONLY}",
        (NIGHT_HOURS * WORKING_DAYS + 2 * HOURS_PER_DAY) / HOURS_OF_UNIT["w"]),
    rule("busy", rf"(?:only |at )*(?:(?<!every )(?<!each )nights?{END}(?! shift)"
        rf"|overnight){_ONLY}", NIGHT_HOURS / HOURS_PER_DAY),
    rule("busy", rf"(?:only |on |at )*weekends{_ONLY}", 2 / DAYS_PER_WEEK),
    rule("busy", rf"(?:only |in the |every )*evenings?{_ONLY}", EVENING_HOURS / HOURS_PER_DAY),
    rule("busy", rf"(?P<n>one|0*[123]|single)[- ]shifts?{_ONLY}",
        lambda match: SHIFT_HOURS * parse_number(match["n"]) * WORKING_DAYS / HOURS_OF_UNIT["w"]),
    rule("busy", r"half (?:of )?the (?:time|day)|half[- ]time|part[- ]time", 0.5),
    rule("busy", rf"(?:only |in |during )*(?:office|business|working|work|bank|school|market|trading|opening)"
        rf" hours{_ONLY}|9 to 5|during the (?:day|week)|(?:on )?weekdays{_ONLY}",
        OFFICE_HOURS_PER_WEEK / HOURS_OF_UNIT["w"]),
    rule("length", rf"(?:for |over )?(?:an?|the|one) weekend{END}", 2 * HOURS_PER_DAY),
    rule("gpu_hours", rf"{_N}(?=\s+(?!(?:for|in|at|on|to|of|or|and|x|by|with) )(?:[a-z]{{1,3}} ?[0-9]{{1,4}}"
        rf"|[1-9][0-9]{{3}})[a-z]{{0,2}}[- ](?:gpu[- ]?)?{_SPAN}{END}(?:{RATE_UNIT})?)", gpu_hours),
    rule("gpu_hours", rf"(?=[0-9]){_N}\s*{_SPAN} (?:of|on) (?=[a-z]{{1,3}} ?[0-9]{{1,4}})",
        lambda match: (number_in(match) * hours_of(match["span"]), None)),
    rule("gpu_hours", rf"{_N}\s*(?:gpu|accelerator|card)[- ]?{_SPAN}{END9}(?:{RATE_UNIT})?", gpu_hours),
    rule("node_hours", rf"{_N}\s*(?:node|machine|server|instance)[- ]{_SPAN}{END9}(?:{RATE_UNIT})?",
        gpu_hours),
    rule("runs", rf"{_N}\s*(?:runs?|fine-?tunes?|times|trainings?|models?|jobs?|experiments?|evals?|evaluations?"
        rf"|builds?){RATE_UNIT}", lambda match: number_in(match) * HOURS_PER_MONTH / (per_hours(match) or 1.0)),
    rule("runs", rf"(?P<n>once|twice){RATE_UNIT}",
        lambda match: number_in(match) * HOURS_PER_MONTH / (per_hours(match) or 1.0)),
    rule("sites", rf"{_P} (?:[a-z]+ )?(?:hospitals|clinics|sites|offices|branches|stores|plants|factories|schools"
        rf"|campuses|cities|labs|locations|studios|stations|(?:call |data )?cent(?:er|re)s){END}", number_in),
    rule("of_each", rf"each (?:[a-z]+ )?(?:needs?|wants?|gets?|has|uses?) (?:an?|one|their own|his own|her own)"
        rf" (?:gpu|card){END}", True),
    rule("crew", rf"{_N}\s*(?:ftes?|full[- ]time (?:people|staff|equivalents?|engineers?|admins?)|(?:sys)?admins?"
        rf"|administrators?){END}(?: (?:to run|running|for) (?:it|them))?", number_in),
    rule("kw", rf"{_N}\s?(?P<size>kw|mw|kilowatts?|megawatts?){END}(?: (?:of )?(?:power|available|limit))?",
        lambda match: number_in(match) * (1_000.0 if match["size"].startswith("m") else 1.0)),
    rule("online", rf"{_N}\s*(?:concurrent|simultaneous|active at once|parallel) (?:[a-z]+ )?{WHO}", number_in),
    rule("team", rf"(?<=for )(?:just |only )?(?:me|myself)(?: (?:alone|only))?{END}|just me{END}|personal(?:"
        rf" use)?{END}", 1),
    rule("team_each", rf"{_N} {WHO} (?:each|per (?!gpu|card|node|server)[a-z]+){END}", number_in),
    rule("team", rf"(?:to|for|with) (?:about |around |some |our )*{_N}[- ]?\s*(?:[a-z]+ ){{0,2}}{ASKERS}{END}",
        number_in),
    rule("team", rf"(?:team|group|lab|staff|startup|company|family|household|crew|department|squad|class)"
        rf" of\s*{_N}(?:\s*(?:[a-z]+ )?{WHO})?", number_in),
    rule("team", rf"{_N} (?:(?!(?:for|and|to|with) )[a-z]+ )?{ASKERS}{END}(?! (?:in|per|at) )", number_in),
    rule("team", rf"(?![0-9]+[.][0-9]){_N}[- ]?\s*(?:(?!(?:for|and|to|with|in|on|at|per|each|every) )[a-z]+"
        rf" ){{0,2}}{WHO}(?:\s*team)?", number_in),
    rule("every", rf"(?:once (?:an?|per|every|each)|every|each) {LONG_UNIT}", every),
    rule("since", r"(?:since|bought(?: in)?|from|(?<!end )of)\s*(?:[a-z]{3,9} )?(?P<year>20[0-3]\d)(?!\d)",
        lambda match: int(match["year"])),
    rule("since", r"\((?P<year>20[012]\d)\)", lambda match: int(match["year"])),
    rule("since", r"in (?P<year>201\d|202[0-5])(?!\d)", lambda match: int(match["year"])),
    rule("date", rf"(?P<way>by|before|until|till|to|due(?: on)?|deadline:?|from|starting|on|in)(?: the)?"
        rf" (?P<part>(?:mid|end|start)[- ]?(?:of )?)?(?:(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)? (?:of"
        rf" )?)?(?P<month>{_MONTHS}){END}"
        r"(?: (?P<day2>\d{1,2})(?:st|nd|rd|th)?(?!\w))?(?:,? (?P<year>20\d\d))?|20\d\d-\d\d-\d\d"
        r"|\d{1,2}\.\d{1,2}\.(?:20)?\d\d|(?P<quarter>(?<!in )q[1-4]|q[1-4](?= 20))(?: (?P<year2>20\d\d))?|christmas"
        r"|easter|summer|(?P<this>(?:the|this) year)|(?P<only>20[2-4]\d))",
        lambda match: match),
    rule("cpu", rf"{_CPU}[- ]only|(?:only|just)(?: on)?(?: an?| our)? {_CPU}|no gpus?(?: at all)?{END}|without"
        rf" (?:any |an? )?gpus?{END}|on (?:an? |our |plain )?{_CPU}|{_CPU} (?:servers?|inference|box"
        rf"|machines?)", True),
    rule("due", rf"{_P}[- ]*{LONG_UNIT}\s*deadline", hours_in),
    rule("due", rf"deadline\s*(?:of|is|in|:)?\s*{_P}[- ]*{LONG_UNIT}", hours_in),
    rule("due", rf"(?:{_DUE}){_ABOUT}{_P}[- ]*{LONG_UNIT}", hours_in),
    rule("length", rf"(?:(?:for|over|during|the next|next|the)\s+)+{_ABOUT}{_P}[- ]*{LONG_UNIT}", hours_in),
    rule("length", rf"(?:(?:of|takes?|taking|lasting) )?{_P}\s*(?P<unit>hours?|hrs?|h)(?= on (?:[0-9]|an? |one )|"
        rf" each{END}| long{END}|\s*(?:$|[,;.]))",
        hours_in),
    rule("length", rf"(?!an?\s)(?!(?:{PLAIN})[- ]*(?:hours?|hrs?|h){END9}(?! each)){_P}[- ]*{LONG_UNIT}(?! of"
        rf" (?:audio|speech|video|talk|recording))(?:\s*(?:plan|term|contract|commitment|long|life|horizon"
        rf"|each))?", hours_in),
    rule("precision", rf"(?:in )?(?:(?P<format>fp32|bf16|fp16|fp8|int8|mxfp4|fp4|int4)|(?P<bits>4|8|16)[- ]?bits?"
        rf"|q(?P<q>[48])(?:_[a-z0-9_]+)?|(?P<four>awq|gptq|nf4))(?: gguf| quanti[sz]ed)?{END9}", precision),
    rule("method", r"full(?:[- ]parameter)?(?=[- ](?:fine|tun)|,? (?:on|with|for|[0-9])|,| *$)|all (?:the"
        r" )?(?:weights|parameters)", "full"),
    rule("method", r"q-?lora", "qlora"),
    rule("method", rf"loras?{END}", "lora"),
    rule("bought", rf"(?:buy|own|purchase)(?:ing)? {_P}(?=(?: more)?,? (?:(?:and|plus|then) )*(?:rent|leas)(?:e|ing)?"
        rf" (?:another |the other )?{PLAIN})", lambda match: int(number_in(match))),
    rule("rented", rf"(?<=[\w,|] )(?:and |plus |then )+(?:rent|leas)(?:e|ing)? (?:another |the other )?{_P}(?= *(?:[|]"
        rf"|$|[,.;]|more|for|on|in|when|at|from))", lambda match: int(number_in(match))),
    rule("gpus", rf"(?:we |i )?needs?(?: to have)?\s*{_P}(?=\s*(?:$|[,.;?]|in total|now|altogether))",
        lambda match: int(number_in(match))),
    rule("gpus", rf"{_P} (?:of (?:them|these|those)|pieces|pcs|units){END}", lambda match: int(number_in(match))),
    rule("channel", rf"(?:second[- ]?hand|refurbished|pre-?owned){END}|(?<!gpus )(?<!cards )used"
        r"(?=\s+(?:[a-z]+ )?(?:[a-z]{0,3}\d{2,4}|gpus?|cards?|servers?)|\s*(?:$|,)|\s+(?:at|for) *[|])", "used"),
    rule("every", rf"(?:daily|nightly|weekly|monthly|quarterly){END}", every),
    rule("no_spot", rf"(?:no|not|without|never|avoid(?:ing)?|don't (?:want|use|trust))(?: on| use| using| any)*"
        rf" (?:spot|pre-?emptible|interruptible)(?: instances?| machines?| gpus?)?{END}", True),
    rule("spot", rf"(?:on )?(?:spot|pre-?emptible|interruptible)(?: instances?| machines?| gpus?)?{END}", True),
    rule("rps", rf"(?!{_NO_REQUEST})[a-z]{{3,}}s[,:] {_N}{RATE_UNIT}", per_second),
    rule("rps", rf"{_N} (?!{_NO_REQUEST})[a-z]{{3,}}s{RATE_UNIT}", per_second),
)  # fmt: skip
STRAY: tuple[Rule, ...] = (rule("stray", rf"(?<![a-z|]){RATE_UNIT}", per_hours),)
MEMORY: tuple[Rule, ...] = (rule("memory", rf"{_P}\s?gi?b{END9}(?: of (?:vram|memory)| vram| memory)?", number_in),)
