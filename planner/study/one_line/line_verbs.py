"""The verbs of a line, where things stand, and where data stays."""

from planner.study.one_line.line_patterns import END, MY, rule
from planner.study.one_line.quantities import Rule

VERBS: tuple[Rule, ...] = (
    rule("tune", rf"(?<![a-z])(?:(?:instruction[- ])?(?:fine[- ]?\s?)?tun(?:e|es|ed|ing)|sft|dpo|grpo|ppo|rlhf|rlvr"
        rf"|rl|reinforcement learning|dreambooth|adapt(?:ing)?){END}", True),
    rule("train", rf"(?<![a-z])(?:pre|re)?-?\s?train(?:s|ed|ing)?{END}|from scratch{END}|(?:on|with)"
        rf" imagenet", True),
    rule("serve", rf"(?<![a-z])(?:self-?\s?)?(?:serv(?:e|es|ing)|host(?:s|ing)?){END}|inferenc(?:e|ing)|deploy\w*"
        rf"|(?:(?:support|customer|service|internal|rag|coding|code) )*(?:chat(?:-?\s?bots?)?|bots?|copilots?"
        rf"|assistants?|agents?){END}|(?:code[- ]?)?completion|autocomplete|rag{END}|llms?{END}|api endpoint", True),
    rule("have", rf"(?<!should )(?<!could )(?<!would )(?<!must )(?<!do )(?:we|i)(?: already)? (?:have|own|got)(?:"
        rf" got| already)?{END}|(?:we|i)'ve(?: got)?{END}|(?:has|have|had|got)(?= \d)|(?:sell(?:ing)?|keep"
        rf"(?:ing)?) (?:our|the|my)(?= \d)|existing"
        r"|(?<!should we )(?<!should i )already (?:have|own)|(?:^|(?<=, )|(?<=and ))own(?= (?:an? |one |two )?"
        r"(?:\d|[a-z]{1,4} ?\d))(?! room"
        r"|[^.;?,]* or (?:rent|lease)|"
        " or)", True),
    rule("anyone", r"(?<![a-z])(?:cheapest|any|which|what|best)\s+"
        rf"(?:vendor|brand|make|gpus?|cards?|accelerators?|chips?|hardware){END}", True),
    rule("place", rf"(?:at |from )?home{END}(?! loan)|zu ?hause|à la maison|en casa|(?:in|at) {MY} (?:house|flat"
        rf"|apartment|bedroom"
        rf"|garage|basement)|under {MY} desk", "home"),
    rule("place", rf"(?:at|in|for) (?:{MY} )?(?:[a-z|]+ )?office{END}|(?:^|(?<=, ))(?:our |an |the )?office(?= in )"
        rf"|im büro|au bureau|en la oficina", "office"),
    rule("place", rf"(?:in |at )?(?:a )?co-?lo(?:cation)?{END}(?: (?:facility|space))?", "colocation"),
    rule("place", rf"(?:in[- ])?(?:house )?(?:own |our |a |the )*data\s?cent(?:er|re)s?{END}", "data_centre"),
    rule("place", rf"on[- ]?prem(?:ises?)?{END}|(?:own |our |server )+room|(?:stays? )?on[- ]?site{END}|stays?"
        rf" inside(?= *(?:$|[,.;]))"
        rf"|in[- ]house{END}|serverraum|air[- ]?gapped|(?:inside|within|in) (?:(?:the|our|my) )?(?:own )?"
        rf"(?:hospital|bank"
        rf"|building|premises|house(?= walls))|(?:not|never) leave (?:the|our) (?:house|building|hospital|premises"
        rf"|company|bank|site)|(?:hospital|company|bank|institute|school|ministry) *\|* *basement", "own_room"),
    rule("place", rf"(?:on |at )?(?:the |our )?(?:campus|university|uni){END}", "campus"),
    rule("stay", r"(?:(?:must|may|shall|should) not|mustn't|cannot|can't|never) leaves?(?: the country)?|nicht"
        r" verlassen|(?:data )?(?:must )?stays? (?:there|here|in the country|local(?:ly)?)(?![a-z])|(?:müssen"
        r"|sollen)(?= in)|bleiben(?![a-z])|(?:(?:must|has to|have to|data|only) )*(?:stays?|remains?|kept?|keep)(?:"
        r" (?:the )?data)?(?= (?:with)?in )|gdpr|data residency|sovereign(?:ty)?|(?<![a-z])(?:data(?: only)?|only)(?="
        r" in )", True),
    rule("leased", rf"(?<![a-z])leas(?:e|es|ing){END}", True),
    rule("local", rf"(?<![a-z])local(?:ly)?{END}|on my (?:own )?(?:machine|pc|computer){END}", True),
)  # fmt: skip
