"""Where somebody starts who has no number of GPUs yet: from a sum of money, or from what a hosted model costs."""

from collections.abc import Callable
from datetime import date
from typing import NamedTuple

from planner.money.verdict.answer import answer
from planner.scenario.base import HOURS_PER_MONTH, MILLION, SECONDS_PER_HOUR
from planner.scenario.latency import LatencyClass
from planner.scenario.rent import HostedModelInputs
from planner.scenario.scenario import Scenario
from planner.scenario.task import ServingTask
from planner.scenario.work import Work
from planner.study.plan_any import planned
from pricing import Catalogue
from pricing.records import HostedPrice

MOST_TRIED = 4_096  # of accelerators: who can pay for more asks with a number


class AffordableFleet(NamedTuple):
    """The most accelerators that a sum pays for, by the cheapest way, and what their whole plan costs."""

    accelerators: int
    usd: float


def affordable_fleet(catalogue: Catalogue, asked: Scenario, usd: float, day: date) -> AffordableFleet | None:
    """The most accelerators whose whole plan, all bills added up, costs no more than `usd`; None: not even one."""

    def cost(many: int) -> float:
        work = asked.work[0].model_copy(update={"accelerators": many})
        plan = planned(catalogue, asked.model_copy(update={"work": (work, *asked.work[1:])}), day)
        best = answer(plan).best
        return float("inf") if best is None else float(best.measures.bills_usd)

    many = _most(lambda one: cost(one) <= usd)
    return None if many == 0 else AffordableFleet(many, cost(many))


def _most(holds: Callable[[int], bool]) -> int:
    """The largest number that holds, tried by doubling and then by halving the gap; 0 where 1 does not."""
    low, high = 0, 1
    while high <= MOST_TRIED and holds(high):
        low, high = high, high * 2
    high = min(high, MOST_TRIED + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def scenario_from_token_bill(
    price: HostedPrice, key: str, usd_per_month: float, model: str, usual: LatencyClass
) -> Scenario:
    """A service of `model` with the requests that a monthly bill pays for, beside going on to pay it.

    `usual` says how long a request is: nobody's bill does.
    """
    written = price.output_usd_per_mtoken or price.input_usd_per_mtoken
    usd = (
        usual.input_tokens * price.input_usd_per_mtoken.newest.typical + usual.output_tokens * written.newest.typical
    ) / MILLION
    requests = usd_per_month / usd
    task = ServingTask(
        model=model,
        requests_per_s=requests / (HOURS_PER_MONTH * SECONDS_PER_HOUR),
        input_tokens=usual.input_tokens,
        output_tokens=usual.output_tokens,
        ttft_ms=usual.ttft_ms,
        tpot_ms=usual.tpot_ms,
    )
    hosted = HostedModelInputs(
        million_input_tokens_per_month=requests * usual.input_tokens / MILLION,
        million_output_tokens_per_month=requests * usual.output_tokens / MILLION,
        price=key,
    )
    return Scenario(name=f"In place of {price.label}", work=(Work(serve=task),), hosted=hosted)
