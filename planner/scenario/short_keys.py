"""The short keys of a page's address: what each stands for in the scenario, how it is asked for, its bounds."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from planner.scenario.field_shapes import Path, Shape, number, shape, unit
from planner.scenario.scenario import Scenario
from planner.scenario.vocabulary import USUAL_BUSY_SHARE

PERCENT_PLACES = 2


@dataclass(frozen=True)
class Key:
    """A short key: where its value stands in the scenario, and how it is asked for."""

    key: str
    path: Path
    label: str
    help: str = ""
    percent: bool = False
    usual: float | str | None = None  # what a field left empty stands for; None: the catalogue's figure

    @property
    def shape(self) -> Shape:
        """What the field takes, as the record says it."""
        found = shape(self.path)
        assert found is not None
        return found

    @property
    def unit(self) -> str:
        """The unit of the value in the address."""
        if self.percent:
            return "% a year" if str(self.path[-1]).endswith("_per_year") else "%"
        return unit(str(self.path[-1]))

    @property
    def low(self) -> float | None:
        """The lower bound of the value in the address."""
        return _scaled(self.shape.low, self.percent)

    @property
    def high(self) -> float | None:
        """The upper bound of the value in the address."""
        return _scaled(self.shape.high, self.percent)

    @property
    def default(self) -> Any:
        """The field's default, as the scenario holds it; None where the catalogue's figure is taken."""
        return value_at(Scenario(), self.path)

    @property
    def range(self) -> str:
        """The bounds in words, as the address writes them."""
        low, high = self.low, self.high
        if low is None or high is None:
            return self.shape.wish
        return f"{'above ' if self.shape.above else ''}{number(low)} to {number(high)}"


def _scaled(bound: float | None, percent: bool) -> float | None:
    return bound if bound is None or not percent else float(Decimal(repr(float(bound))).scaleb(PERCENT_PLACES))


def _key(key: str, path: str, label: str, told: str = "", **more: Any) -> Key:
    return Key(key, tuple(0 if step == "0" else step for step in path.split(".")), label, told, **more)


# In the order of the screen. A key that has been in a link keeps its meaning for ever.
KEYS: dict[str, Key] = {
    one.key: one
    for one in (
        _key("name", "name", "Name of the plan"),
        _key("gpus", "work.0.accelerators", "How many at once?", "Count GPUs, not servers."),
        _key("gpu", "accelerator", "Which GPU?", "Changes price, power and rental offers."),
        _key("busy", "work.0.busy_share", "Busy, % of hours", "Share of all hours in which they do useful work.",
             percent=True, usual=USUAL_BUSY_SHARE),
        _key("hours", "work.0.accelerator_hours_per_month", "GPU-hours a month",
             "Instead of the share of busy hours; one follows from the other.", usual="from busy %"),
        _key("years", "years", "For how long, years", "How long you need them, or would keep what you buy."),
        _key("site", "site", "Where would yours run?",
             "Country or US state, by its ISO code. Sets the price of electricity and of space."),
        # a model in place of hours
        _key("train", "work.0.train.model", "Which model is trained?",
             "The hours follow from how fast it trains on what you ask for.", usual="none: hours are given"),
        _key("method", "work.0.train.method", "How is it trained?", usual="full"),
        _key("tokens", "work.0.train.tokens", "Tokens of one run", usual="twenty for each parameter"),
        _key("runs", "work.0.train.runs_per_month", "Runs a month", usual="one run, at once"),
        _key("due", "work.0.train.deadline_days", "Due within, days", usual="no deadline"),
        _key("choose", "work.0.train.choose_count", "Choose how many",
             "As many as are cheapest and in time.", usual="no"),
        _key("seq", "work.0.train.seq_len", "Tokens of a sequence", usual="4,096"),
        _key("bits", "work.0.train.precision", "Precision of training", usual="bf16"),
        _key("serve", "work.0.serve.model", "Which model answers?",
             "The GPUs follow from the requests.", usual="none"),
        _key("rps", "work.0.serve.requests_per_s", "Requests a second, on average", usual="1"),
        _key("peak", "work.0.serve.peak_requests_per_s", "Requests a second, at the peak", usual="the average"),
        _key("in", "work.0.serve.input_tokens", "Tokens read for each request", usual="1,000"),
        _key("out", "work.0.serve.output_tokens", "Tokens written for each", usual="300"),
        _key("ttft", "work.0.serve.ttft_ms", "First word within, ms", "For 99 of 100 requests.", usual="no promise"),
        _key("tpot", "work.0.serve.tpot_ms", "Each further token within, ms", "For 99 of 100 requests.",
             usual="no promise"),
        _key("weights", "work.0.serve.weight_precision", "Precision of the weights", usual="as it is published"),
        _key("job", "work.0.accelerators_per_job", "GPUs one job takes",
             "Decides how busy a fleet can be before jobs queue for long.", usual="all of them"),
        _key("waits", "work.0.may_wait", "May the work wait?",
             "Then only the hours matter, and fewer GPUs may do them one after the other."),
        _key("stops", "work.0.may_stop", "May the work be interrupted?", "Then spot machines can do it."),
        _key("growth", "work.0.growth_per_year", "Growth of the work, % a year", percent=True),
        _key("disk", "work.0.storage_tb", "Data kept on disk, TB", "Billed by the month, also while machines stand."),
        _key("egress", "work.0.egress_tb_per_month", "Traffic out, TB a month",
             "What leaves the provider. Many charge nothing."),
        # renting
        _key("rent", "rent.usd_per_accelerator_hour", "Rent, USD per GPU-hour",
             "Your price on demand; empty takes the cheapest offer that can be believed."),
        _key("offer", "rent.offer", "Rent from", "One offer, by its id.", usual="the cheapest that can be believed"),
        _key("session", "rent.hours_per_session", "Hours in one session",
             "How long machines run before you stop them. Providers round it up."),
        _key("support", "rent.support_share", "Support plan, % of the bill", percent=True),
        _key("reserved", "reserve.usd_per_accelerator_hour", "Reserved, USD per GPU-hour"),
        _key("term", "reserve.term", "Length of a reservation", usual="the cheapest"),
        _key("spot", "spot.usd_per_accelerator_hour", "Spot, USD per GPU-hour"),
        _key("taken", "spot.interruptions_per_hour", "Interruptions an hour, of one job"),
        # buying
        _key("own", "own.accelerators", "How many to buy", "Empty: as many as are wanted at once.",
             usual="as many as are wanted at once"),
        _key("price", "own.usd_per_accelerator", "GPU price, USD each", "Your quote wins over the catalogue."),
        _key("server", "own.usd_per_server", "Server price, USD each", "A whole machine with its GPUs."),
        _key("extra", "own.host_share", "Host around the GPUs, % of their price", percent=True),
        _key("install", "own.install_share", "Installation, % of the hardware", percent=True),
        _key("net", "own.usd_per_accelerator_of_network", "Network, USD per GPU"),
        _key("spares", "own.spare_share", "Spares, % of the fleet", percent=True),
        _key("capex", "own.capex_usd", "All of day one in one sum, USD",
             "Replaces servers, network, disks and installation.", usual="the lines it replaces"),
        _key("running", "own.running_usd_per_month", "All running costs in one sum, USD a month",
             "Replaces space, power, people and upkeep.", usual="the lines it replaces"),
        _key("wait", "own.lead_time_months", "Delivery, months", "You rent until the hardware is there."),
        _key("place", "own.place", "Where it stands", "Somebody's data centre, or a room of your own."),
        _key("colo", "own.usd_per_kw_month", "Space and hosting, USD per kW a month"),
        _key("kwh", "own.usd_per_kwh", "Electricity, USD per kWh"),
        _key("kwhs", "own.power_price_change_per_year", "Electricity changes by, % a year", percent=True),
        _key("pue", "own.pue", "PUE", "What the building draws for each kW of the machines: 1.1 is new and large."),
        _key("watts", "own.rated_w_per_server", "Rated power of a server, W"),
        _key("people", "own.fte_per_accelerator", "People per GPU, full-time"),
        _key("salary", "own.usd_per_fte_year", "Cost of one of them, USD a year"),
        _key("upkeep", "own.maintenance_share_per_year", "Maintenance, % of the price a year", percent=True),
        _key("fail", "own.failures_per_accelerator_year", "Failures, % of GPUs a year", percent=True),
        _key("resale", "own.residual_share", "Resale value at the end, % of price",
             "The most uncertain number here.", percent=True),
        _key("loan", "loan.rate_per_year", "Interest on a loan, % a year", percent=True),
        _key("lease", "lease.usd_per_month", "Lease, USD a month"),
        # terms
        _key("cash", "terms.cash_on_day_one_usd", "Most you can pay on day one, USD", "Empty: no limit.",
             usual="no limit"),
        _key("yearly", "terms.cash_per_year_usd", "Most you can pay in a year, USD",
             "In any year of the plan; day one is in the first. Empty: no limit.", usual="no limit"),
        _key("waitcost", "terms.usd_per_waiting_hour", "An hour that a job waits, USD",
             "Of one job, however many GPUs it takes: what it costs that somebody waits for it. Empty: as long as "
             "people accept.", usual="not counted"),
        _key("rate", "terms.discount_rate_per_year", "Cost of money, % a year",
             "What the money would earn or cost elsewhere.", percent=True),
        _key("rents", "terms.rent_change_per_year", "Rents change by, % a year",
             "Below zero where they fall. They fell until 2025 and rose in 2026.", percent=True),
        _key("timing", "terms.timing", "When money moves", "Within its month or year."),
        _key("inflation", "terms.inflation_per_year", "Inflation, % a year", percent=True),
        _key("tax", "tax.tax_share", "Tax on profit, %", "Filled in, tax and depreciation are counted.",
             percent=True, usual="not counted"),
        _key("written", "tax.schedule", "Written off by", "A schedule of the tax books.", usual="not counted"),
        _key("vat", "tax.vat_share", "Sales or value-added tax, %", percent=True, usual="not counted"),
    )
}  # fmt: skip


def value_at(scenario: Scenario, path: Path) -> Any:
    """What stands at a path of the scenario; None where nothing does."""
    value: Any = scenario
    for step in path:
        if isinstance(step, int):
            value = value[step] if value and step < len(value) else None
        else:
            value = getattr(value, step, None)
    return value
