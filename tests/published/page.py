"""The page of the published cases, docs/published-cases.md, from what the cases state: run this module to print it."""

from collections import Counter
from collections.abc import Iterator

from tests.published import fleets, illustrations, sums
from tests.published.case import CASES, PUBLISHED_ERROR, Case, CaseResult, StatedNumber

WRITE = "python -m tests.published.page > docs/published-cases.md"
ROOMS = fleets, illustrations, sums  # loading them registers the cases
_LARGE, _HUGE = 1e6, 1e15
_HEAD = """\
# Published cases

Comparisons of buying and renting that others published, calculated again with this engine. Made by
`{write}` from [the tests](../tests/published), which run each of them
([decision 0015](decisions/0015-published-cases-as-tests.md)).

{count}. A number in brackets was not stated: somebody else
calculated it from the stated inputs. The difference is ours over the other number. What a publication does not mention
costs nothing, and it rents at its own price.

| Verdict | Means |
|---|---|
| reproduced | within the tolerance of the check |
| published error | the number does not follow from its own inputs; which error it is |

A number that is neither fails its test: then the difference is ours. An error of theirs has to be named, and an
independent calculation, where there is one, has to agree with us.

A new case is a function in `tests/published/fleets.py` or `sums.py`: its inputs, a scenario, and a check for each
number stated.
"""


def page() -> str:
    verdicts = Counter(check.verdict() for one in CASES.values() for check in one.checks)
    count = f"{len(CASES)} cases, {verdicts.total()} checks: " + ", ".join(
        f"{number} {verdict}{'s' if verdict == PUBLISHED_ERROR else ''}" for verdict, number in verdicts.most_common()
    )
    head = _HEAD.format(write=WRITE, count=count)
    return "\n".join((head, *("\n".join(_section(one)) for one in CASES.values())))


def _section(one: Case) -> Iterator[str]:
    yield f"## {one.title}\n"
    yield f"[Source]({one.url}), {one.date}.\n" if one.url else f"{one.date}.\n"
    yield "| What | Unit | Stated | Ours | Difference | Verdict |"
    yield "|---|---|---:|---:|---:|---|"
    yield from (_row(check) for check in one.checks)
    yield ""


def _row(check: StatedNumber) -> str:
    stated = f"({_number(check.recomputed)})" if check.stated is None else _number(check.stated)
    difference = "" if check.difference is None else _percent(check.difference)
    verdict = ": ".join(part for part in (check.verdict(), check.error or check.note) if part)
    return f"| {' | '.join((check.metric, check.unit, stated, _number(check.ours), difference, verdict))} |"


def _number(found: CaseResult | None) -> str:
    """Return a number with six digits, or whole where it is large; words as they are."""
    if found is None or isinstance(found, str):
        return found or ""
    return f"{found:,.0f}" if _LARGE <= abs(found) < _HUGE else f"{found:,.6g}"


def _percent(share: float) -> str:
    return f"{share * 100:+,.2f} %" if abs(share) >= 5e-5 else "0 %"


if __name__ == "__main__":
    print(page(), end="")
