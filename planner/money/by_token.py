"""Where machines of one's own, or hired ones, begin to beat paying somebody else by the token."""

from dataclasses import dataclass

from planner.scenario.base import MILLION, SECONDS_PER_HOUR
from planner.scenario.task import ServingTask
from planner.speed.kept_data import cheapest_hosted_price
from planner.speed.serving import ServingResult
from pricing import Catalogue
from pricing.market.rivals import request_usd


@dataclass(frozen=True)
class TokenBreakEven:
    """One accelerator's hour against tokens that are bought: the share of its capacity at which both cost the same.

    Above 1 there is none: even full, the machine costs more. Machines run whole, so the share is of what runs.
    """

    vendor: str
    usd_per_million_output_tokens: float  # prompts included
    requests_per_s: float  # of one replica, at which both cost the same
    capacity_per_s: float  # what one replica answers in time

    @property
    def busy_share(self) -> float:
        """The share of what a replica can answer at which both cost the same. [1]"""
        return self.requests_per_s / self.capacity_per_s

    @property
    def ever(self) -> bool:
        """Whether a machine that is busy enough is the cheaper way at all."""
        return self.busy_share <= 1


def hosted_usd_per_request(catalogue: Catalogue, door: str, *, input_tokens: float, output_tokens: float) -> float:
    """What one request costs where tokens are sold: tokens read and tokens written. [USD]"""
    return request_usd(catalogue.hosted[door], input_tokens, output_tokens) / MILLION


def token_break_even(
    catalogue: Catalogue,
    serving: ServingResult,
    task: ServingTask,
    *,
    usd_per_accelerator_hour: float,
    door: str | None = None,
) -> TokenBreakEven | None:
    """A machine against the cheapest, or the named, seller of the model; None where none sells it or it cannot run."""
    where = door or cheapest_hosted_price(catalogue, task)
    each = serving.requests_per_s_within_promise / max(serving.replicas, 1)
    if where is None or not serving.fits or each <= 0:
        return None
    usd = hosted_usd_per_request(catalogue, where, input_tokens=task.input_tokens, output_tokens=task.output_tokens)
    if usd <= 0:
        return None
    hour = usd_per_accelerator_hour * serving.accelerators_per_replica
    return TokenBreakEven(
        vendor=catalogue.hosted[where].vendor,
        usd_per_million_output_tokens=usd / task.output_tokens * MILLION,
        requests_per_s=hour / SECONDS_PER_HOUR / usd,
        capacity_per_s=each,
    )
