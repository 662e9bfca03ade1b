"""The scenario: everything a person chose. It is what is saved, shared, compared and exported."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, PrivateAttr, model_validator

from planner.scenario import budget
from planner.scenario.base import (
    MONTHS_PER_YEAR,
    WORK,
    EnteredAmount,
    Id,
    Label,
    ScenarioFieldError,
    ScenarioModel,
    Years,
    ask,
    unit,
)
from planner.scenario.jobs import Failures
from planner.scenario.measured import MOST_FACTORS, MOST_MODELS, MeasuredRun, OwnModel
from planner.scenario.own import ExistingHardware, IdleSaleInputs, Lease, Loan, OwnInputs, RentToOwn, SaleAndLeaseBack
from planner.scenario.own_prices import RentalQuote, SellerDiscount
from planner.scenario.path import get_value
from planner.scenario.rent import CurrentBill, HostedModelInputs, MixInputs, RentalInputs, ReservationInputs, SpotInputs
from planner.scenario.terms import AccountingInputs, CapitalInputs, Currency, FinancialTerms, TaxInputs
from planner.scenario.ways import DECLARED, Way
from planner.scenario.work import Work
from pricing.formulas import reject_invisible

USUAL_ACCELERATOR = "H100-SXM5-80GB"
USUAL_SITE = "US"
UNION = "EU"
# anywhere; machines are rented near the site, where somebody can take the order there; in the country of the site; in
# Europe; in the European Union; there, and held by a company of the Union
DataResidency = Literal["anywhere", "near", "country", "europe", "eu", "eu_sellers"]
CountryCode = Annotated[str, Field(pattern="^[A-Z]{2}$")]
ANY_ACCELERATOR = "any"  # in place of an accelerator: whichever does the work for the least


OneLine = Annotated[str, Field(min_length=1, max_length=1_000), AfterValidator(reject_invisible)]


class Scenario(ScenarioModel):
    """Work, ways to supply it, terms. All figures left empty are the catalogue's of the scenario's day."""

    name: Annotated[Label, ask("name", "Name of the plan")] = "Plan"
    note: Annotated[OneLine | None, ask("note", "Notes",
        "For anyone who opens the plan: its link and its file carry them; they change no number.")] = None  # fmt: skip
    accelerator: Annotated[Id, ask("gpu", "Which GPU?", "Changes price, power and rental offers.")] = USUAL_ACCELERATOR
    years: Annotated[
        Years, ask("years", "For how long, years", "How long you need them, or would keep what you buy.")
    ] = 3.0
    site: Annotated[str, Field(min_length=1, max_length=80), ask("site", "Where would they run?",
        "Country, US state or Canadian province: Germany, Texas. Sets the price of electricity and of space.",
    )] = USUAL_SITE  # fmt: skip
    stay: Annotated[DataResidency | None, Field(description="empty: in the European Union where `site` is that, else "
        "anywhere"), ask("stay", "Must the work stay where owned machines run?", "Applies to rented and hosted "
        "machines too.", group=WORK, usual="in the European Union if yours runs there, else anywhere",
        )] = None  # fmt: skip
    stay_in: Annotated[tuple[CountryCode, ...], Field(max_length=40,
        description="the countries in which it must stay, by two letters each; wins over `stay`"),
        unit("countries by their ISO codes")] = ()  # fmt: skip
    not_from: Annotated[tuple[Id, ...], Field(max_length=200, description="sellers that nothing is rented from, by "
        "their ids")] = ()  # fmt: skip
    work: Annotated[tuple[Work, ...], Field(min_length=1, max_length=6)] = (Work(),)
    run_by_fte: Annotated[float | None, Field(ge=0.0, le=10_000.0, description="who run the GPUs, rented or owned; "
        "owned machines need more; empty: by the kind of use, none for a hosted model and for a few cards at a desk"),
        unit("full-time people"), ask("crew", "People who run the GPUs, full-time",
        "Deployments, images, access, on-call. Rented GPUs need them as owned ones do; a hosted model does not.",
        group=WORK, usual="by the kind of use")] = None  # fmt: skip
    own: OwnInputs = OwnInputs()
    loan: Loan = Loan()
    lease: Lease = Lease()
    rent_to_own: RentToOwn | None = None
    sale_and_lease_back: SaleAndLeaseBack | None = None
    rent: RentalInputs = RentalInputs()
    reserve: ReservationInputs = ReservationInputs()
    spot: SpotInputs = SpotInputs()
    quotes: Annotated[tuple[RentalQuote, ...], Field(max_length=12, description="prices offered to you")] = ()
    discounts: Annotated[
        tuple[SellerDiscount, ...], Field(max_length=12, description="what you pay below the lists of sellers")
    ] = ()
    hosted: HostedModelInputs | None = None
    bill: CurrentBill | None = None
    kept: ExistingHardware | None = None
    sell: IdleSaleInputs | None = None
    mix: MixInputs | None = None
    failures: Failures = Failures()
    terms: FinancialTerms = FinancialTerms()
    capital: CapitalInputs | None = None
    tax: TaxInputs | None = None
    accounting: AccountingInputs = AccountingInputs()
    currency: Currency | None = None
    models: Annotated[
        tuple[OwnModel, ...], Field(max_length=MOST_MODELS, description="shapes of your own, to be named as models")
    ] = ()
    measured: Annotated[
        tuple[MeasuredRun, ...], Field(max_length=MOST_FACTORS, description="how fast runs of your own were")
    ] = ()
    ways: Annotated[tuple[Way, ...], Field(description="which to calculate; empty: all that have a price")] = ()
    seed: Annotated[int, Field(ge=0, le=2_147_483_647, description="of the futures: the same seed, the same"),
        unit("any whole number; the same draws the same futures")] = 7  # fmt: skip

    # Amounts as they were typed in another currency. Dollars stand in the fields; see planner.scenario.typed_money.
    _typed: tuple[EnteredAmount, ...] = PrivateAttr(())

    @model_validator(mode="after")
    def _within_the_plan(self) -> Scenario:
        if self.own.resale_month is not None and self.own.resale_month > self.months:
            raise ScenarioFieldError(
                "own.resale_month", f"is {self.own.resale_month}, after the plan's {self.months:g} months"
            )
        if self.own.order_month >= self.months:
            raise ScenarioFieldError(
                "own.order_month", f"is {self.own.order_month}, the plan has {self.months:g} months: order earlier"
            )
        for part, orders in (("own", self.own.orders), ("mix", self.mix.orders if self.mix else ())):
            late = next((order.month for order in orders if order.month >= self.months), None)
            if late is not None:
                raise ScenarioFieldError(
                    f"{part}.orders",
                    f"has an order in month {late}, the plan has {self.months:g} months: order earlier",
                )
        late = next(
            (order.from_month for order in self.reserve.orders if order.from_month > math.ceil(self.months)), None
        )
        if late is not None:
            raise ScenarioFieldError(
                "reserve.orders", f"begins in month {late}, the plan has {self.months:g} months: begin earlier"
            )
        for way in DECLARED:
            if way.when_empty == "refused" and way.key in self.ways and getattr(self, way.inputs) is None:
                raise ScenarioFieldError("ways", f"names {way.key}, but {way.inputs} is not filled in")
        return self

    @model_validator(mode="after")
    def _check_any_accelerator(self) -> Scenario:
        name = "".join(mark for mark in self.accelerator.casefold() if mark.isalnum())
        if name == ANY_ACCELERATOR and not any(work.train or work.serve or work.run for work in self.work):
            raise ValueError("accelerator: any needs a model or a run to choose for: name one, or name an accelerator")
        return self

    @model_validator(mode="after")
    def _check_model_names(self) -> Scenario:
        names = [model.name for model in self.models]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ScenarioFieldError("models", f"has two that are called {twice!r}: give each a name of its own")
        return self

    @model_validator(mode="after")
    def _check_compute_budget(self) -> Scenario:
        beyond = budget.over_budget_message(self._asked)
        if beyond is not None:
            raise ScenarioFieldError("work", beyond)
        return self

    @property
    def estimate(self) -> budget.ComputeEstimate:
        """Return what a plan of it takes to calculate."""
        return budget.estimate_compute(self._asked)

    @property
    def _asked(self) -> budget.PlanSize:
        own = self.own
        is_any = self.accelerator == ANY_ACCELERATOR
        return budget.PlanSize(self.work, self.years, is_any, own.orders_every_months, len(own.orders))

    @property
    def typed(self) -> tuple[EnteredAmount, ...]:
        """The amounts that were typed in another currency, of fields that still hold them."""
        amounts = ((amount, get_value(self, amount.path)) for amount in self._typed)
        return tuple(amount for amount, value in amounts if isinstance(value, float) and value == amount.usd)

    def with_typed(self, typed: tuple[EnteredAmount, ...]) -> Scenario:
        """The same scenario, of which these amounts were typed in another currency."""
        copy = self.model_copy()
        copy._typed = tuple(sorted(typed, key=str))
        return copy

    @property
    def residency(self) -> DataResidency:
        """Return where the work must stay: a site that is a union of states binds what is rented and hosted too."""
        return self.stay or ("eu" if self.site == UNION else "anywhere")

    @property
    def months(self) -> float:
        """Length of the plan."""
        return self.years * MONTHS_PER_YEAR
