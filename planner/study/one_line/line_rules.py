"""The rules of a line of plain English: each is a pattern, the quantity that it states, and how its value follows.

They are tried in their order. A part of the line that one of them took is blanked out for those after it.
"""

from planner.scenario.base import HOURS_PER_DAY, HOURS_PER_MONTH, HOURS_PER_YEAR, SECONDS_PER_HOUR
from planner.study.one_line.line_patterns import (
    ABOUT,
    ALWAYS,
    ANY_N,
    ANY_N2,
    AUDIO,
    BARE_SHARE,
    CAPITAL,
    CPU,
    DUE,
    END,
    END9,
    GROWS,
    MONTHS,
    NO_FALL,
    NO_REQUEST,
    NOUNS,
    ONLY,
    OWNED,
    PEAK,
    PERCENT,
    PERSON,
    PLAIN_N,
    PROCESS,
    RATE,
    READ,
    RENTED,
    SETTINGS,
    SOON,
    SOUNDS,
    SPAN,
    TAX,
    TEXTS,
    TIME,
    TIME_TO,
    USED,
    WEEKDAYS,
    WITHIN,
    WRITTEN,
    rule,
)
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
    months_between,
    number_in,
    parse_number,
    per_hours,
    per_second,
    per_second_of_rate,
    percent,
    precision,
    yearly_growth,
)

RULES: tuple[Rule, ...] = (
    rule("team", rf"{ANY_N} (?!hours|minutes|days|weeks?|months?|years?)[a-z]+(?=, each (?!an? |per |of )[a-z]+"
        rf" )", number_in),
    rule("stay_eu", rf"(?:data|stays?|remains?|kept?|keep|only|hosted)(?: [a-z]+){{0,4}}? (?:in|inside|within) (?:the"
        rf" )?(?:eu|e\.u\.|european union|europe){ONLY}|eu(?:ropean)? (?:data )?residency", True),
    rule("sellers", rf"(?:only )?(?:eu|european) (?:seller|provider|vendor|cloud|hoster)s?(?: only)?{END}", True),
    rule("ttft", rf"(?:ttft|first (?:token|word)s?|latency|p9[059]){WITHIN}{ANY_N}(?:\s?(?P<time>ms|s|secs?"
        rf"|seconds?){END}|(?![\d.,]*\d|\s*(?:[x%]|gpus?|rps|qps|toks?|{REQUESTS})))",
        milliseconds),
    rule("ttft", rf"{ANY_N}\s?(?P<time>ms|s|secs?|seconds?)\s*(?:at )?(?:p9[059]|ttft|latency){END}", milliseconds),
    rule("tpot", rf"{ANY_N}\s?(?P<time>ms) (?:per|an?|each)(?: further| output)? token{END}", milliseconds),
    rule("tpot", rf"(?:tpot|itl|(?:each|per)(?: further)? token){WITHIN}{ANY_N}\s?(?P<time>ms|s){END}", milliseconds),
    rule("tpot", rf"{ANY_N}\s*(?:{TOKENS}{EVERY}s(?:ec(?:ond)?)?|tps|tok/?s)(?: for)?(?:{EVERY}|\s+)(?:single"
        rf" )?(?:users?|requests?|streams?|person|customer|client|session)(?![a-z])(?! in"
        rf" total)", lambda match: 1_000 / max(number_in(match), 0.01)),
    rule("token_rates", rf"{ANY_N}\s*(?:{TOKENS}\s*)?{READ}[\s,/|+&a-z]{{1,9}}(?P<out>{NUMBER})\s*"
        rf"(?:{TOKENS}\s*)?{WRITTEN}{RATE_UNIT}",
        lambda match: (per_second(match), per_second(match) * parse_number(match["out"]) / number_in(match))),
    rule("peak", rf"{ANY_N}\s*{RATE} peak(?=,? (?:and )?[\d.,]+ ?[a-z/]+ (?:avg|average|mean))", per_second_of_rate),
    rule("peak", rf"{ANY_N}\s*{RATE}\s*(?:at |in )?(?:the )?{PEAK}(?!\s*(?:of|at|:)?\s*\d)", per_second_of_rate),
    rule("peak", rf"between (?:about )?{NUMBER} and {ANY_N}\s*{RATE}", per_second_of_rate),
    rule("rps", rf"(?:average|avg|mean|usually|typically|normally)(?: of| about| around|"
        rf" is)?\s*{ANY_N}\s*{RATE}", per_second_of_rate),
    rule("average", rf"(?:average|avg|mean|usually|typically|normally)(?: of| about| around| is)?\s*{ANY_N}(?!\s*(?:%|x"
        rf"|gpus?|[a-z]+\d))|{ANY_N2}\s*(?:on average|average|avg)", either_number),
    rule("rps", rf"each of (?:our |the |my )?(?P<many>{PLAIN}) (?:[a-z]+ )?{WHO} [a-z]+ (?:about"
        rf" )?{ANY_N}\s*{REQUESTS}{RATE_UNIT}", lambda match: per_second(match) * parse_number(match["many"])),
    rule("rps", rf"{ANY_N}\s*rpm{END}", lambda match: number_in(match) / 60),
    rule("each_rps", rf"(?:each|every) (?:(?:[a-z]+ )?{WHO} )?[a-z]+ (?:about )?{ANY_N}\s*(?:times"
        rf"|{REQUESTS})?{RATE_UNIT}", per_second),
    rule("each_rps", rf"{ANY_N}\s*{REQUESTS}(?:{EVERY}{PERSON}|\s+each){RATE_UNIT}", per_second),
    rule("each_rps", rf"{ANY_N}\s*{REQUESTS}{RATE_UNIT}(?: each{END}|{EVERY}{PERSON})", per_second),
    rule("peak", rf"(?:peak(?:s|ing)?|bursts?|up to)(?: (?!and"
        rf"|with)[a-z]+){{0,2}}?\s*{ANY_N}\s*{RATE}", per_second_of_rate),
    rule("peak", rf"(?:peak(?:s|ing)?|bursts?)(?: of| at| to)?\s*{ANY_N}{RATE_UNIT}", per_second),
    rule("each_rps", rf"{ANY_N}\s*{REQUESTS}\s*(?:every|each|per)\s*(?P<many>{PLAIN})\s*{UNIT} each{END}",
        lambda match: number_in(match) / (parse_number(match["many"]) * hours_of(match["unit"]) * SECONDS_PER_HOUR)),
    rule("rps", rf"{ANY_N}\s*{REQUESTS}\s*(?:every|each|per)\s*(?P<many>{PLAIN})\s*{UNIT}",
        lambda match: number_in(match) / (parse_number(match["many"]) * hours_of(match["unit"]) * SECONDS_PER_HOUR)),
    rule("rps", rf"{ANY_N}\s*{RATE}(?: (?:on )?(?:average|avg){END})?", per_second_of_rate),
    rule("rps", rf"{ANY_N}\s*{TEXTS}{RATE_UNIT}", per_second),
    rule("rps", rf"(?<![a-z])(?:{NOUNS}){END}(?: in total| altogether)?[:,]?\s*(?:about |around"
        rf" )?{ANY_N}{RATE_UNIT}", per_second),
    rule("peak", rf"{ANY_N}\s+peak{END}(?!\s*(?:of|at|:)?\s*\d)", number_in),
    rule("rps", rf"{ANY_N}\s*(?:/|(?:per|an?|each){END})\s*(?P<unit>seconds?|secs?|s|minutes?|mins?){END}", per_second),
    rule("written_rate", rf"{ANY_N}\s*(?:output|generated|completion|new|written) (?:tokens?"
        rf"|toks?){RATE_UNIT}", per_second),
    rule("written_rate", rf"{ANY_N}\s*{TOKENS}{RATE_UNIT},? (?:of )?(?:output|generated|written|generation){END}",
        per_second),
    rule("in", rf"{ANY_N}\s*(?:{TOKENS}\s*)?{READ}(?=[\s,/|+&a-z]{{1,9}}{NUMBER}\s*(?:{TOKENS}\s*)?{WRITTEN})",
        number_in),
    rule("out", rf"{ANY_N}\s*(?:{TOKENS}\s*)?{WRITTEN}", number_in),
    rule("tps", rf"{ANY_N}\s*(?:tps|tok/?s|t/s|{TOKENS}{EVERY}s(?:ec(?:ond)?)?){END}", number_in),
    rule("token_rate", rf"{ANY_N}\s*{TOKENS}{RATE_UNIT}", per_second),
    rule("operations", r"(?P<n>\d+(?:\.\d+)?)(?:e\+?| ?(?:[x*·]|times) ?10 ?\^ ?)(?P<power>\d\d) ?"
        rf"(?:flops?|floating[- ]point operations|operations){END}(?! ?/)",
        lambda match: float(match["n"]) * 10.0 ** int(match["power"])),
    rule("batch_tokens", rf"(?<=steps of ){ANY_N}\s*{TOKENS}(?: each{END})?", number_in),
    rule("steps", rf"{ANY_N} (?:training |gradient |optimi[sz]er )?(?:steps|iterations|updates){END}", number_in),
    rule("batch_tokens", rf"(?:global )?batch(?:es)?(?:[- ]size)?(?: of|=|:| is)? {ANY_N}\s*{TOKENS}", number_in),
    rule("batch_tokens", rf"{ANY_N}\s*{TOKENS} (?:per|an?|each|in each|in a) (?:step|batch|iteration|update)"
        rf"|{ANY_N2}[- ]tokens? batch(?:es)?{END}", either_number),
    rule("batch_size", rf"(?:global )?batch(?:es)?(?:[- ]size)?(?: of|=|:| is)? {ANY_N}(?: (?:sequences|samples"
        rf"|examples"
        rf"|sentences){END}|(?= *(?:$|[,.;)/]|(?:for|on|of|with|and|at|in|x|over|using|steps) )))", number_in),
    rule("tokens", rf"{ANY_N}\s*{TOKENS}", number_in),
    rule("inflight", rf"{ANY_N}\s*(?:(?:concurrent|simultaneous|parallel|in[- ]flight) (?:{REQUESTS}|(?!(?:[a-z]+ )?"
        rf"(?:{WHO}|{ASKERS}))[a-z]{{3,}}s)|{REQUESTS}\s*(?:in"
        rf" parallel|at once|at (?:the same|a) time|concurrently|simultaneously)|(?:concurrent|simultaneous|parallel)"
        rf" streams?){END}", number_in),
    rule("seq", rf"(?:sequence length|seq(?:[- ]?len(?:gth)?)?(?![a-z])|sequences of|context(?: length| window)?(?:"
        rf" of)?)\s*(?:of|=|:)?\s*{ANY_N}|{ANY_N2}(?: tokens?)? (?:context|sequences?){END}", either_number),
    rule("setting", rf"{SETTINGS}\s*(?:of|=|:)?\s*{ANY_N}{END}", number_in),
    rule("setting", rf"{ANY_N}(?:-way|\s?(?:gb|tb|gbit|tbit|gbps|tbps)(?:/s|ps)? (?:ib|infiniband|network|ethernet"
        rf"|roce)){END}", number_in),
    rule("setting", rf"(?<![a-z])(?:r\s?=|net|iso|tier|type|level|option|series|article|class)\s?{ANY_N}", number_in),
    rule("egress", rf"(?:egress|traffic out|outbound)(?: of|:)? {ANY_N}\s?tb{END}{RATE_UNIT}?|{ANY_N2}\s?tb (?:of"
        rf" )?(?:egress|traffic out|outbound){END}", either_number),
    rule("disk", rf"{ANY_N}\s?(?P<size>tb|terabytes?|pb|petabytes?){END}(?! (?:ib|infiniband|network|fabric)|/s"
        rf"|ps)(?: of [a-z]+)?(?: (?:training |raw |our"
        rf" )?(?:data(?:set)?|disk|storage|ssd|nvme|images|files|corpus"
        rf"|text))?", lambda match: number_in(match) * (1_000.0 if match["size"].startswith("p") else 1.0)),
    rule("pue", rf"pue\s*(?:of|=|:|is)?\s*{ANY_N}", number_in),
    rule("batch", rf"{PLAIN_N}\s*(?:[a-z-]+ )?(?:runs?|jobs?|trials?|experiments?|ablations?|trainings?|simulations?"
        rf"|sweeps?|evals?)(?:,| of| with| x| at| taking| lasting)* (?:about )?(?!an?"
        rf" )(?P<many>{PLAIN})[- ]*{LONG_UNIT}(?! (?:an?|per) )(?: each)?",
        lambda match: hours_in(match) * parse_number(match["many"])),
    rule("replicas", rf"{ANY_N}\s*(?:replicas?|copies)(?: of)?{END}|(?:need|want|buy|order|get)s? {ANY_N2} (?:of these"
        rf" )?(?:servers|nodes|machines|boxes)(?! (?:of|with|x))", either_number),
    rule("machine_size", rf"\({PLAIN_N} (?:each|per (?:server|node|machine|box))\)", number_in),
    rule("machine_size", rf"[(]?{ANY_N} (?:gpus|cards) (?:each|per (?:server|node|machine)|in each)[)]?", number_in),
    rule("each_hours", rf"{PLAIN_N}\s*(?P<span>hours?|hrs?|h|minutes?|mins?) (?:each|{EVERY}{PERSON})\s*{RATE_UNIT}"
        rf"|(?P<n2>{PLAIN})\s*(?:gpu[- ]?)?(?P<span2>hours?|hrs?|h) (?:a|per) (?P<unit2>day|week|month) each{END}",
        lambda match: either_number(match) * hours_of(match["span"] or match["span2"])
        / hours_of(match["unit"] or match["ly"] or match["unit2"])),
    rule("each_hours", rf"each (?:[a-z]+ )?(?:about )?{ANY_N}\s*(?:gpu[- ]?)?(?P<span>hours?|hrs?|h) ?{RATE_UNIT}",
        lambda match: gpu_hours(match)[0] / (per_hours(match) or HOURS_PER_MONTH)),
    rule("grows_to", rf"grow(?:s|ing)? (?:from {NUMBER} )?to {ANY_N}{END}(?!\s*%)", number_in),
    rule("audio_each", rf"{AUDIO}{RATE_UNIT} (?:each|{EVERY}{PERSON}){END}",
        lambda match: hours_of_sound(match) / (per_hours(match) or HOURS_PER_DAY)),
    rule("audio_each", rf"{AUDIO}(?: each|{EVERY}{PERSON}| (?:from|by|for) each(?: of)?)(?:{RATE_UNIT})?",
        lambda match: hours_of_sound(match) / (per_hours(match) or HOURS_PER_DAY)),
    rule("epochs", rf"{ANY_N}\s*(?:epochs?|passes){END}(?:\s*(?:of|over|on))?", number_in),
    rule("audio", rf"{PLAIN_N}\s*(?:[a-z]+ )?{SOUNDS}{RATE_UNIT}(?: of|,| with)* (?P<many>{PLAIN})\s*(?P<span>hours?"
        rf"|minutes?|mins?)(?: each)?",
        lambda match: hours_of_sound(match) * parse_number(match["many"]) / (per_hours(match) or HOURS_PER_DAY)),
    rule("audio", rf"{PLAIN_N}\s*(?:[a-z]+ )?{SOUNDS}(?: of|,| with)* (?P<many>{PLAIN})\s*(?P<span>hours?|minutes?"
        rf"|mins?)(?: each)?{RATE_UNIT}",
        lambda match: hours_of_sound(match) * parse_number(match["many"]) / (per_hours(match) or HOURS_PER_DAY)),
    rule("audio", rf"{PLAIN_N} (?:audio|podcast|call|speech|video|meeting|interview) (?P<span>hours?"
        rf"|minutes?){RATE_UNIT}",
        lambda match: hours_of_sound(match) / (per_hours(match) or HOURS_PER_DAY)),
    rule("audio", rf"{AUDIO}{RATE_UNIT}", lambda match: hours_of_sound(match) / (per_hours(match) or HOURS_PER_DAY)),
    rule("audio", rf"(?:dictation|dictate[sd]?|transcri[a-z]+|speech[- ]to[- ]text)(?: of| for|:|,)?"
        rf" {PLAIN_N}\s*(?P<span>hours?|minutes?){RATE_UNIT}(?!"
        rf" each)", lambda match: hours_of_sound(match) / (per_hours(match) or 1.0)),
    rule("all_audio", rf"{AUDIO}{END}", lambda match: number_in(match) * hours_of(match["span"])),
    rule("all_audio", rf"(?<=whisper ){ANY_N}\s*hours{END}", number_in),
    rule("examples", rf"{ANY_N}\s*(?:training |preference |labell?ed )?(?:examples?|samples?|conversations|chats"
        rf"|instructions|pairs|dialogu?es|preferences){END}", number_in),
    rule("texts", rf"{ANY_N}\s*{TEXTS}{END}(?! {WHO})", number_in),
    rule("texts", rf"{ANY_N}\s*(?:[a-z]+ ){{0,2}}?[a-z]{{3,}}s(?= to (?:{PROCESS}))|(?:{PROCESS})(?:ing|e|s)? "
        rf"(?:our |all |about |these )*"
        rf"{ANY_N2} (?!(?:hours|minutes|images|pictures|photos|gpus))(?:[a-z]+"
        rf" ){{0,2}}?[a-z]{{3,}}s{END}", either_number),
    rule("images", rf"{ANY_N}\s*(?:images?|pictures?|photos?){END}", number_in),
    rule("setting", rf"(?:tariffs?|import|dut(?:y|ies)|discount(?! rate)|margin|overhead|fund|offers?)(?:"
        rf" [a-z]+){{0,3}}"
        rf" {ANY_N}{PERCENT}",
        number_in),
    rule("growth", rf"{NO_FALL}(?:{GROWS}\s*)?{ANY_N}{PERCENT}(?:\s*growth)?{RATE_UNIT}|{GROWS}\s*{ANY_N2}\s?%",
        yearly_growth),
    rule("tax", rf"{ANY_N}{PERCENT}\s*(?:corporate |income |corporation )?{TAX}", percent),
    rule("tax", rf"(?:corporate |income )?tax(?: rate)?\s*(?:of|at|is|:)?\s*{ANY_N}{PERCENT}", percent),
    rule("growth", rf"doubl(?:es?|ing)\s*(?:every|each|in)\s*{PLAIN_N}\s*{LONG_UNIT}",
        lambda match: min(float(2 ** (HOURS_PER_YEAR / hours_in(match))) - 1, MOST_GROWTH)),
    rule("discount", rf"{CAPITAL}\s*(?:of|at|is|:)?\s*{ANY_N}{PERCENT}", percent),
    rule("discount", rf"{ANY_N}{PERCENT}\s*{CAPITAL}", percent),
    rule("many_hours", rf"(?P<n>(?<![\w.,])(?:[0-9][0-9,.]*k|[1-9][0-9]?,?[0-9]{{3}}[0-9,]*))\s*(?:hours|hrs"
        rf"|h){RATE_UNIT}",
        lambda match: number_in(match) / (per_hours(match) or HOURS_PER_MONTH)),
    rule("busy", rf"(?P<n>(?<![\w.,])[1-9]\d{{0,2}})\s*(?:minutes?|mins?){RATE_UNIT}",
        lambda match: number_in(match) / 60 / (per_hours(match) or HOURS_PER_DAY)),
    rule("busy", rf"{PLAIN_N}\s*(?:hours?|hrs?|h)(?: an?|/| per)? ?day,? (?P<many>{PLAIN}) days (?:an?|per) week",
        lambda match: number_in(match) * parse_number(match["many"]) / HOURS_OF_UNIT["w"]),
    rule("busy", rf"(?:idle|unused|empty)\s*(?:about |for )?{ANY_N}{PERCENT}(?: of the time)?|{ANY_N2}{PERCENT}\s*(?:of"
        rf" the time )?(?:idle|unused|empty)", lambda match: 1 - either_number(match) / 100),
    rule("vat", rf"{ANY_N}{PERCENT}\s*(?:vat|gst|sales tax){END}", percent),
    rule("resale", rf"(?:re)?sell(?:ing)?(?: (?:it|them))?(?: (?:in|after) {NUMBER} [a-z]+)? (?:at|for)"
        rf" {ANY_N}{PERCENT}", percent),
    rule("resale", rf"{ANY_N}{PERCENT}\s*(?:resale|residual)(?: value)?{END}(?: after)?|(?:resale|residual)(?: value)?"
        rf"\s*(?:of|at|is)?\s*{ANY_N2}{PERCENT}(?: after)?", lambda match: either_number(match) / 100),
    rule("loan", rf"{ANY_N}{PERCENT}\s*(?:interest|loan){END}(?: rate)?"
        rf"|(?:interest|loan|debt|credit|financ(?:e|ed|ing))(?: rate)?\s*(?:of|at|is)?\s*{ANY_N2}{PERCENT}",
        lambda match: either_number(match) / 100),
    rule("busy", rf"(?:busy|util(?:i[sz]ation)?|used|usage|load)\s*(?:of|at|:|is)?\s*{ANY_N}{PERCENT}", percent),
    rule("owned", rf"{ANY_N}{PERCENT} of (?:the |our )?(?=\d[^.;]*{OWNED},? (?:and )?(?:the )?rest)", percent),
    rule("owned", rf"half of (?:the |our )?(?=\d[^.;]*{OWNED},? (?:and )?(?:the )?rest)", 0.5),
    rule("owned", rf"half (?:of (?:them|it|these) )?(?:is |are )?{OWNED}|{OWNED} half{END}|half (?:of (?:them|it)"
        rf" )?(?:is |are )?{RENTED}|{RENTED} half{END}", 0.5),
    rule("owned", rf"{ANY_N}{PERCENT} (?:is |are )?{OWNED}(?:[,;]? (?:and )?(?:(?:the )?rest|{NUMBER}{PERCENT}) (?:is"
        rf" |are )?{RENTED})|{NUMBER}{PERCENT} (?:is |are )?{RENTED}[,;]? (?:and )?{ANY_N2}{PERCENT} (?:is |are"
        rf" )?{OWNED}",
        lambda match: either_number(match) / 100),
    rule("busy", rf"{ANY_N}{PERCENT}\s*(?:of (?:the |all )?(?:time|hours|day)|{USED})", percent),
    rule("busy", rf"{BARE_SHARE}{ANY_N}{PERCENT}\s*(?=$|[,.;?!:)|]|\d|(?:in|on|for"
        rf"|at|and|over|with|from|to|during|per|by|x|rented|owned|of(?= (?:the |our |all )*\d)|until|till|or)"
        rf"(?![a-z]))", percent),
    rule("busy", rf"{PLAIN_N}\s*(?:hours?|hrs?|h){END9}{RATE_UNIT}{WEEKDAYS}", busy_share),
    rule("busy", r"(?P<from>1?\d)\s?(?:-|to)\s?(?P<to>1?\d),? (?P<weekdays>(?:on )?(?:weekdays|work(?:ing )?days"
        r"|mon(?:day)?\s*"
        r"(?:-|to)\s*fri(?:day)?))", clock_share),
    rule("busy", rf"(?:only |on |at )*(?:weekends?|sat(?:urdays?)? ?(?:\+|and|&) ?sun(?:days?)?){ONLY}[^.;]*?"
        rf"(?:{ALWAYS})", 2 / DAYS_PER_WEEK),
    rule("busy", rf"(?P<n>0?\.\d+)\s*(?:{USED}){END}|(?:{USED})\s*(?:of|at|:|is)?\s*(?P<n2>0?\.\d+)(?![\d%]|\s*%)",
        either_number),
    rule("busy", rf"{PLAIN_N} (?:evenings?|nights?|afternoons?|mornings?)(?: an?|/| per|each) week",
        lambda match: number_in(match) * EVENING_HOURS / HOURS_OF_UNIT["w"]),
    rule("busy", rf"{PLAIN_N}\s*(?:hours?|hrs?|h)(?: an?|/| per| each| every) ?(?:week|work|working )day{END}",
        lambda match: number_in(match) * WORKING_DAYS / HOURS_OF_UNIT["w"]),
    rule("busy", rf"(?<![\w.,])(?<!for )(?<!over )(?P<n>0*[23])[- ](?P<of>thirds|quarters)(?: of the time)?"
        rf"(?: (?:{USED}))?{END}",
        lambda match: number_in(match) / (3 if match["of"] == "thirds" else 4)),
    rule("busy", rf"(?P<many>{PLAIN}) days ?(?:/|per|an?) ?week,? {PLAIN_N}\s?(?:hours|hrs|h){END9}(?: ?(?:/|per"
        rf"|an?) ?day)?",
        lambda match: number_in(match) * parse_number(match["many"]) / HOURS_OF_UNIT["w"]),
    rule("busy", rf"{PLAIN_N} days (?:an?|per) week", lambda match: number_in(match) / DAYS_PER_WEEK),
    rule("busy", rf"(?:from |between )?(?P<from>{TIME})\s?(?:to|-|–|until|till"
        rf"|and)\s?(?P<to>{TIME_TO}){END9}{WEEKDAYS}", clock_share),
    rule("busy", ALWAYS, 1.0),
    rule("busy", rf"(?:only |at |on )*(?:nights? and (?:at |on )?weekends?|weekends? and (?:at )?nights?){ONLY}",
        (NIGHT_HOURS * WORKING_DAYS + 2 * HOURS_PER_DAY) / HOURS_OF_UNIT["w"]),
    rule("busy", rf"(?:only |at )*(?:(?<!every )(?<!each )nights?{END}(?! shift)"
        rf"|overnight){ONLY}", NIGHT_HOURS / HOURS_PER_DAY),
    rule("busy", rf"(?:only |on |at )*weekends{ONLY}", 2 / DAYS_PER_WEEK),
    rule("busy", rf"(?:only |in the |every )*evenings?{ONLY}", EVENING_HOURS / HOURS_PER_DAY),
    rule("busy", rf"(?P<n>one|0*[123]|single)[- ]shifts?{ONLY}",
        lambda match: SHIFT_HOURS * parse_number(match["n"]) * WORKING_DAYS / HOURS_OF_UNIT["w"]),
    rule("busy", r"half (?:of )?the (?:time|day)|half[- ]time|part[- ]time", 0.5),
    rule("busy", rf"(?:only |in |during )*(?:office|business|working|work|bank|school|market|trading|opening)"
        rf" hours{ONLY}|9 to 5|during the (?:day|week)|(?:on )?weekdays{ONLY}",
        OFFICE_HOURS_PER_WEEK / HOURS_OF_UNIT["w"]),
    rule("length", rf"(?:(?:for |over )?(?:an?|the|one)|for) weekend{END}", 2 * HOURS_PER_DAY),
    rule("gpu_hours", rf"{ANY_N}(?=\s+(?!(?:for|in|at|on|to|of|or|and|x|by|with|per|all|the|gpus?|cards?) )"
        rf"(?:[a-z]{{1,3}} ?[0-9]{{1,4}}|[1-9][0-9]{{3}})[a-z]{{0,2}}[- ](?:gpu[- ]?)?{SPAN}{END}(?:{RATE_UNIT})?)",
        gpu_hours),
    rule("gpu_hours", rf"(?=[0-9]){ANY_N}\s*{SPAN} (?:of|on) (?=[a-z]{{1,3}} ?[0-9]{{1,4}})",
        lambda match: (number_in(match) * hours_of(match["span"]), None)),
    rule("gpu_hours", rf"{ANY_N}\s*(?:gpu|accelerator|card)[- ]?{SPAN}{END9}(?:{RATE_UNIT})?", gpu_hours),
    rule("node_hours", rf"{ANY_N}\s*(?:node|machine|server|instance)[- ]{SPAN}{END9}(?:{RATE_UNIT})?",
        gpu_hours),
    rule("runs", rf"{ANY_N}\s*(?:runs?|fine-?tunes?|times|trainings?|models?|jobs?|experiments?|evals?|evaluations?"
        rf"|builds?){RATE_UNIT}", lambda match: number_in(match) * HOURS_PER_MONTH / (per_hours(match) or 1.0)),
    rule("runs", rf"(?P<n>once|twice){RATE_UNIT}",
        lambda match: number_in(match) * HOURS_PER_MONTH / (per_hours(match) or 1.0)),
    rule("sites", rf"{PLAIN_N} (?:(?!mac )[a-z]+ )?(?:hospitals|clinics|sites|offices|branches|stores|plants"
        rf"|factories|schools"
        rf"|campuses|cities|labs|locations|studios|stations|clusters|regions|warehouses|departments|groups|teams|"
        rf"(?:call |data )?cent(?:er|re)s){END}", number_in),
    rule("of_each", rf"each (?:[a-z]+ )?(?:needs?|wants?|gets?|has|uses?) (?:an?|one|their own|his own|her own)"
        rf" (?:gpu|card){END}", True),
    rule("crew", rf"{ANY_N}\s*(?:ftes?|full[- ]time (?:people|staff|equivalents?|engineers?|admins?)|(?:sys)?admins?"
        rf"|administrators?){END}(?: (?:to run|running|for) (?:it|them))?", number_in),
    rule("kw", rf"{ANY_N}\s?(?P<size>kw|mw|kilowatts?|megawatts?){END}(?: (?:of )?(?:power|available|limit))?",
        lambda match: number_in(match) * (1_000.0 if match["size"].startswith("m") else 1.0)),
    rule("online", rf"{ANY_N}\s*(?:concurrent|simultaneous|active at once|parallel){END}(?: (?:[a-z]+ )?{WHO})?",
        number_in),
    rule("online_share", rf"{ANY_N}{PERCENT}(?: of (?:them|whom|users))? (?:(?:are |is )?(?:on it|online|active|use"
        rf" it|using it) )?"
        rf"(?:at (?:any|the same|one|once|a) ?(?:one )?(?:moment|time)?|at once|simultaneously|concurrently"
        rf"|concurrent)", percent),
    rule("online", rf"{ANY_N} (?:of them |people |users )?(?:(?:use|using|on|active|online)(?: (?:it|them|this))? )?"
        rf"(?:at once|at (?:the"
        rf" same|any(?: one| given)?|a|one) (?:time|moment)|simultaneously|concurrently)", number_in),
    rule("team", rf"(?<=for )(?:just |only )?(?:me|myself)(?: (?:alone|only))?{END}|just me{END}|personal(?:"
        rf" use)?{END}", 1),
    rule("team_each", rf"{ANY_N} {WHO} (?:each|per (?!gpu|card|node|server)[a-z]+){END}", number_in),
    rule("rps", rf"{ANY_N} (?:[a-z]+ )?(?:{WHO}|{ASKERS}){RATE_UNIT}", per_second),
    rule("team", rf"(?:to|for|with) (?:about |around |some |our )*{ANY_N}[- ]?\s*(?:[a-z]+ ){{0,2}}{ASKERS}{END}",
        number_in),
    rule("team", rf"(?:team|group|lab|staff|startup|company|family|household|crew|department|squad|class)"
        rf" of\s*{ANY_N}(?:\s*(?:[a-z]+ )?{WHO})?", number_in),
    rule("team", rf"{ANY_N} (?:(?!(?:for|and|to|with) )[a-z]+ )?{ASKERS}{END}(?! (?:in|per|at) )", number_in),
    rule("team", rf"(?P<n>[2-9]|[1-9]\d+) [a-z]{{3,}}(?:ist|ian|eer|ker|tant|yer|son){END}", number_in),
    rule("team", rf"(?![0-9]+[.][0-9]){ANY_N}[- ]?\s*(?:(?!(?:for|and|to|with|in|on|at|per|each|every) )[a-z]+"
        rf" ){{0,2}}{WHO}(?:\s*team)?", number_in),
    rule("every", rf"(?:once )?(?:per|every|each) (?P<many>0*[2-9]) {LONG_UNIT}",
        lambda match: every(match) / parse_number(match["many"])),
    rule("every", rf"(?:once )?every (?:other|second|2nd|002) {LONG_UNIT}", lambda match: every(match) / 2),
    rule("every", rf"(?:once (?:an?|per|every|each)|every|each) {LONG_UNIT}", every),
    rule("since", r"(?:since|bought(?: in)?|from|(?<!end )of)\s*(?:[a-z]{3,9} )?(?P<year>20[0-3]\d)(?!\d)",
        lambda match: int(match["year"])),
    rule("since", r"(?:since|bought(?: in)?|from|of)\s*(?:[a-z]{3,9} )?'(?P<year>\d\d)(?!\d)",
        lambda match: 2000 + int(match["year"])),
    rule("since", r"\((?P<year>20[012]\d)\)", lambda match: int(match["year"])),
    rule("since", r"in (?P<year>201\d|202[0-5])(?!\d)", lambda match: int(match["year"])),
    rule("length", rf"(?:from )?(?P<from>{MONTHS}) (?:to|-|until|till?|through) "
        rf"(?P<to>{MONTHS}){END}", months_between),
    rule("date", rf"(?P<way>by|before|until|till?|(?:stop|end|done|finish|over)(?:s|ed|ping)?(?: (?:in|on|by))?"
        rf"|through|to|due(?: on)?"
        rf"|deadline:?|from|starting|delivery|on|in)(?: the)?"
        rf" (?P<part>(?:mid|end|start)[- ]?(?:of )?)?(?:(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)? (?:of"
        rf" )?)?(?P<month>{MONTHS}){END}"
        r"(?: (?P<day2>[12]?\d|3[01])(?:st|nd|rd|th)?(?!\w)(?! (?:x |gpus?|cards?|used|new|[a-z]{1,3}\d"
        r"|[1-9]\d{3})))?(?:,? (?P<year>20\d\d))?|(?P<iso>20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))"
        r"|\d{1,2}\.\d{1,2}\.(?:20)?\d\d|(?P<quarter>(?<!in )q[1-4]|q[1-4](?= 20))(?: (?P<year2>20\d\d))?"
        r"|(?:next )?(?P<feast>christmas|xmas|new years eve|new year)"
        r"|easter|summer|(?P<this>(?:the|this) year)|(?P<only>20[2-4]\d))",
        lambda match: match),
    rule("cpu", rf"{CPU}[- ]only|(?:only|just)(?: on)?(?: an?| our)? {CPU}|no gpus?(?: at all)?{END}|without"
        rf" (?:any |an? )?gpus?{END}|on (?:an? |our |plain )?{CPU}|{CPU} (?:servers?|inference|box"
        rf"|machines?)", True),
    rule("due", rf"{PLAIN_N}[- ]*{LONG_UNIT}\s*deadline", hours_in),
    rule("due", rf"deadline\s*(?:of|is|in|:)?\s*{PLAIN_N}[- ]*{LONG_UNIT}", hours_in),
    rule("due", rf"(?:{DUE}){ABOUT}{PLAIN_N}[- ]*{LONG_UNIT}", hours_in),
    rule("length", rf"(?:(?:for|over|during|the next|next|the)\s+)+{ABOUT}{PLAIN_N}[- ]*{LONG_UNIT}", hours_in),
    rule("length", rf"(?:(?:of|takes?|taking|lasting) )?{PLAIN_N}\s*(?P<unit>hours?|hrs?|h)(?= on (?:[0-9]|an? |one )|"
        rf" each{END}| long{END}|\s*(?:$|[,;.]))",
        hours_in),
    rule("length", rf"(?!an?\s)(?!(?:{PLAIN})[- ]*(?:hours?|hrs?|h){END9}(?! each)){PLAIN_N}[- ]*{LONG_UNIT}(?! of"
        rf" (?:audio|speech|video|talk|recording))(?:\s*(?:plan|term|contract|commitment|long|life|horizon"
        rf"|each))?(?! (?:of )?(?:warranty|guarantee|old|ago|notice|experience|extension|school|cash|runway|queue"
        rf"|delay|lead))", hours_in),
    rule("age", rf"{PLAIN_N}[- ]*(?:years?|yrs?) old{END}", number_in),
    rule("setting", rf"{PLAIN_N}[- ]*{LONG_UNIT} (?:warranty|guarantee|old|ago|notice|extension)", number_in),
    rule("precision", rf"(?:in )?(?:(?P<format>fp32|bf16|fp16|fp8|int8|mxfp4|fp4|int4)|(?P<bits>4|8|16)[- ]?bits?"
        rf"|(?<!by )(?<!of )(?<!from )(?<!till )(?<!until )(?<!\| )q(?P<q>[48])(?:_[a-z0-9_]+)?|(?P<four>awq"
        rf"|gptq|nf4))(?:"
        rf" gguf| quanti[sz]ed)?{END9}", precision),
    rule("method", r"full(?:[- ]parameter)?(?=[- ](?:fine|tun)|,? (?:on|with|for|[0-9])|,| *$)|all (?:the"
        r" )?(?:weights|parameters)", "full"),
    rule("method", r"q-?lora", "qlora"),
    rule("method", rf"loras?{END}", "lora"),
    rule("bought", rf"(?:buy|own|purchase)(?:ing)? {PLAIN_N}(?=(?: more)?,? (?:(?:and|plus|then) )*(?:rent|leas)"
        rf"(?:e|ing)?"
        rf" (?:another |the other )?{PLAIN})", lambda match: int(number_in(match))),
    rule("rented", rf"(?<=[\w,|] )(?:and |plus |then )+(?:rent|leas)(?:e|ing)? (?:another |the other )?{PLAIN_N}"
        rf"(?= *(?:[|]"
        rf"|$|[,.;]|more|for|on|in|when|at|from))", lambda match: int(number_in(match))),
    rule("gpus", rf"(?:we |i )?needs?(?: to have)?\s*{PLAIN_N}(?=\s*(?:$|[,.;?]|in total|now|altogether))",
        lambda match: int(number_in(match))),
    rule("gpus", rf"{PLAIN_N} (?:of (?:them|these|those)|pieces|pcs|units|nos\.?|ea){END}",
        lambda match: int(number_in(match))),
    rule("channel", rf"(?:second[- ]?hand|refurbished|pre-?owned){END}|(?<!gpus )(?<!cards )used"
        r"(?=\s+(?:[a-z]+ )?(?:[a-z]{0,3}\d{2,4}|gpus?|cards?|servers?)|\s*(?:$|,)|\s+(?:at|for) *[|])", "used"),
    rule("every", rf"(?:daily|nightly|weekly|monthly|quarterly){END}", every),
    rule("no_spot", rf"(?:no|not|without|never|avoid(?:ing)?|don't (?:want|use|trust))(?: on| use| using| any)*"
        rf" (?:spot|pre-?emptible|interruptible)(?: instances?| machines?| gpus?)?{END}", True),
    rule("spot", rf"(?:on )?(?:spot|pre-?emptible|interruptible)(?: instances?| machines?| gpus?)?{END}", True),
    rule("rps", rf"(?!{NO_REQUEST})[a-z]{{3,}}s[,:] {ANY_N}{SOON}{RATE_UNIT}", per_second),
    rule("rps", rf"{ANY_N} (?!{NO_REQUEST})[a-z]{{3,}}s{SOON}{RATE_UNIT}", per_second),
)  # fmt: skip
STRAY: tuple[Rule, ...] = (rule("stray", rf"(?<![a-z|]){RATE_UNIT}", per_hours),)
