"""Parts of the printed documents that stand by themselves: an order, profit and loss, the other numbers."""

from pydantic import BaseModel, ConfigDict, Field

Sentences = tuple[str, ...]


class Document(BaseModel):
    """A part of a document that is printed as JSON."""

    model_config = ConfigDict(
        frozen=True, allow_inf_nan=False, json_schema_serialization_defaults_required=True, defer_build=True
    )


class EmissionsBase(Document):
    """What a way emits over the plan, in CO2 equivalent; null where nobody knows."""

    grid: str = Field(description="for people: where most of it is drawn")
    notes: Sentences = Field(description="what stands in for what is not known")


class Order(Document):
    """One order of machines, of a fleet that is bought at once or in stages."""

    accelerators: int = Field(description="in this order")
    ordered_after_months: int = Field(description="0 is today")
    there_after_months: float = Field(description="from today")
    what: str = Field(description="for people: 2 servers with 8 x H100 each")
    spare_accelerators: int = Field(description="boards on the shelf, bought with it")
    usd: float = Field(description="paid for the machines, their premium included, in the money of the day")
    resale_usd: float = Field(description="what they fetch when they are sold, costs of selling taken off")
    fleet_accelerators: int = Field(description="that there are with it")


class ProfitRow(Document):
    """One row of profit and loss, bills as they are paid: income positive, costs negative."""

    name: str = Field(description="revenue, selling, power ... ebitda, depreciation, interest, tax, profit, cash")
    label: str = Field(description="for people")
    by_year_usd: tuple[float, ...] = Field(description="each year of twelve months; day one is in the first")
    total_usd: float = Field(description="over the plan")


class ProfitAndLoss(Document):
    """Profit and loss of a way that sells idle hours, and where it breaks even."""

    rows: tuple[ProfitRow, ...] = Field(description="each sum stands below what it sums")
    break_even_usd_per_hour_sold: float | None = Field(description="at which the profits of all years sum to nought")
    break_even_usd_per_hour_sold_today: float | None = Field(description="the same in today's money")
    break_even_sold_share: float | None = Field(description="of idle hours; null: not even all of them are enough")
    break_even_sold_share_today: float | None = Field(description="the same in today's money")


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
