"""Basics of every record of a scenario: strictness, what a field may carry, and the calendar."""

from datetime import date
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, BaseModel, Field

from pricing.figure import StrictModel
from pricing.formulas import reject_invisible

HOURS_PER_YEAR = 8_760.0
MONTHS_PER_YEAR = 12
HOURS_PER_MONTH = HOURS_PER_YEAR / MONTHS_PER_YEAR  # 730, on every page and in every export
WEEKS_PER_MONTH = HOURS_PER_MONTH / (7 * 24)
DAYS_PER_YEAR = 365
DAYS_PER_MONTH = DAYS_PER_YEAR / MONTHS_PER_YEAR
HOURS_PER_DAY = 24.0
SECONDS_PER_HOUR = 3_600.0
MILLION, GIGA, TERA = 1e6, 1e9, 1e12
LONGEST_TEXT = 16_777_216  # tokens: more than any model was made for
MOST_ACCELERATORS = 1_000_000  # that a plan may have
ONE_MACHINE = 8  # accelerators: a job on more needs whole machines


class ScenarioModel(BaseModel):
    """Checked on the way in, never changed afterwards."""

    model_config = StrictModel.model_config


class ScenarioFieldError(ValueError):
    """An error of a whole scenario, and the field that is named first."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(f"{field} {text}")
        self.path = tuple(field.split("."))


class EnteredAmount(NamedTuple):
    """An amount in another currency, as it was typed, and what it is in dollars."""

    path: tuple[str | int, ...]
    text: str
    usd: float
    usd_per_unit: float
    day: date
    said_by: str

    @property
    def words(self) -> str:
        """1.85 EUR at 1.1172 USD of 2026-10-30 (ECB)."""
        return f"{self.text} at {self.usd_per_unit:.6g} USD of {self.day.isoformat()} ({self.said_by})"


# The headings under which the page asks for what is not in its first row, in the order of the screen.
WORK, BUYING, RUNNING, RENTING = "The work", "What you buy", "Running it", "Renting"
SELLING, MONEY = "Selling idle hours", "Money"
GROUPS = (WORK, BUYING, RUNNING, RENTING, SELLING, MONEY)


def unit(words: str) -> Any:
    """The unit of a field in words, as files, grids and the page say it."""
    return Field(json_schema_extra={"unit": words})


def usd_per(what: str) -> Any:
    """The unit of a price, and of what it is the price: `usd_per("kWh")` is USD per kWh."""
    return Field(json_schema_extra={"unit": f"USD per {what}", "per": what})


def ask(key: str, label: str, help_text: str = "", **more: Any) -> Any:
    """Marks a field that the page asks for and links hold under a short key. `more` is what `short_keys.Key` has."""
    return Field(json_schema_extra={"asked": {"key": key, "label": label, "help": help_text, **more}})


# Bounds are the widest that make sense; what lies outside is a slip of the finger, not a plan.
Label = Annotated[str, Field(min_length=1, max_length=120), AfterValidator(reject_invisible)]
Id = Annotated[str, Field(min_length=1, max_length=160), AfterValidator(reject_invisible)]
Count = Annotated[int, Field(ge=1, le=MOST_ACCELERATORS), unit("accelerators")]
Share = Annotated[float, Field(ge=0.0, le=1.0), unit("share: 0.1 is 10 %")]
UpTo10 = Annotated[float, Field(ge=0.0, le=10.0), unit("share: 0.1 is 10 %")]
ChangePerYear = Annotated[float, Field(ge=-0.6, le=0.5), unit("a year: 0.1 is 10 %")]
RatePerYear = Annotated[float, Field(ge=0.0, le=0.5), unit("a year: 0.1 is 10 %")]
Months = Annotated[float, Field(ge=0.0, le=120.0), unit("months")]
Years = Annotated[float, Field(ge=0.25, le=10.0), unit("years")]
Usd = Annotated[float, Field(ge=0.0, le=1e12), unit("USD")]
UsdPerHour = Annotated[float, Field(ge=0.0, le=1_000.0), usd_per("accelerator-hour")]
Terabytes = Annotated[float, Field(ge=0.0, le=100_000.0), unit("TB")]
