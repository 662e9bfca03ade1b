"""The other numbers of an answer as JSON: what every plan also tells."""

from __future__ import annotations

from pydantic import Field

from planner.report.files.document_parts import Document


class OtherNumber(Document):
    """One more number of the plan, all sums in today's money."""

    name: str = Field(description="usd_per_useful_hour, peak_cash_usd (not discounted), peak_cash_discounted_usd ...")
    option: str | None = Field(description="the option that it is of; null where it is of the two compared")
    label: str = Field(description="for people")
    value: float | None = Field(description="null: there is none, and `how` says why")
    unit: str = Field(description="of the value")
    how: str = Field(description="for people: how it follows")


class UseAndYears(Document):
    """How much use makes the two compared cost the same, if the plan lasts so many years."""

    years: float = Field(description="that the plan would last")
    hours_per_month: float | None = Field(description="of one accelerator; null: one way wins at every use")
    busy_share: float | None = Field(description="the same as a share of all hours")
    first_wins_when_full: bool = Field(description="whether the first compared wins where machines are always busy")


class Also(Document):
    """The same answer in the other numbers that people ask for."""

    sentences: tuple[str, ...] = Field(description="for people: a rule of thumb, where it fails, and the usual split")
    numbers: tuple[OtherNumber, ...] = Field(description="each with how it follows")
    use_and_years: tuple[UseAndYears, ...] = Field(description="the break-even as a curve; empty: nothing to compare")
