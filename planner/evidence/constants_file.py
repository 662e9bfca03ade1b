"""User files of runs and fitted constants: read, or refused with one sentence."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from typing import Annotated, Any, TypeVar

import pydantic
from pydantic import Field

from planner.evidence.checked import CheckedRun, FactorTable, OwnRun, factors, refuse_unusable
from planner.evidence.serving.check import check_serving, own_serving_runs
from planner.evidence.table import TABLES, Row, kind_of, read_run_rows
from planner.evidence.training.check import check_training, own_training_runs
from planner.scenario.vocabulary import Kind
from planner.speed.bands import UNTOLD, Band, ErrorSpread, Level
from planner.speed.serving.cases import FIXED, ServingConstants
from planner.speed.serving.cases import NAMES as SERVING_NAMES
from planner.speed.serving.chips import FittedConstant, serving_data
from planner.speed.training.constants import NAMES as TRAINING_NAMES
from planner.speed.training.constants import TrainingCalibration, TrainingConstants
from pricing import Catalogue, PricingError, strict_yaml
from pricing.figure import StrictModel
from pricing.strict_yaml import first_error_message

Record = TypeVar("Record", bound=pydantic.BaseModel)
_FittedFactor = Annotated[float, Field(ge=0.05, le=20)]
_FARTHEST_FROM_PRIOR = 1_000.0
_FARTHEST_FROM_OURS = 30.0  # times: a constant beyond is a slip, not a machine


class _TrainingConstant(StrictModel):
    value: float = Field(gt=0, le=1e6, description="as fitted")
    prior: float = Field(gt=0, le=1e6, description="to which it was drawn")
    sd: float = Field(gt=0, le=10, description="how far it may stray from that, as a logarithm")
    meaning: str = Field(max_length=400, description="what it is, and in which unit")


class TrainingConstantsFile(StrictModel):
    """Fitted constants of training; fields that predictions do not need are checked by type only."""

    about: str = Field(default="", description="what this file holds and where it came from")
    fitted: dict[str, date | int | str] = Field(
        default_factory=dict, description="on which day, from what and by which command"
    )
    constants: dict[str, _TrainingConstant] = Field(description="by name; all of them are wanted")
    chips: dict[str, _FittedFactor] = Field(
        description="what each chip, on top of its family, reaches of the constants"
    )
    families: dict[str, _FittedFactor] = Field(description="what each family of chips reaches of the constants")
    family_priors: dict[str, _FittedFactor] = Field(
        default_factory=dict, description="beliefs about families that data sheets flatter"
    )
    own_runs: dict[str, float] = Field(default_factory=dict, description="in files of before; not used")
    left_out_by_model: tuple[str, ...] = Field(
        default=(), description="sources that are judged by models instead of as a whole"
    )
    not_fitted: dict[str, str] = Field(
        default_factory=dict, description="runs that contradict physics or themselves, and why"
    )
    levels: dict[str, Level] = Field(default_factory=dict, description="how fast setups were, over the prediction")
    bands: dict[str, Band] = Field(description="published over predicted, where the source was left out")
    spread: ErrorSpread | None = Field(default=None, description="how wide the band of a run is, by what it is like")


class _ServingFile(StrictModel):
    """Fitted or measured constants of serving."""

    about: str = Field(max_length=400)
    fit: dict[str, Any]
    constants: dict[str, FittedConstant]
    levels: dict[str, Level] = Field(default_factory=dict)
    bands: dict[str, Band] = Field(default_factory=dict)
    spread: ErrorSpread | None = None
    likeness: dict[str, float] = Field(default_factory=dict, description="in files of before; not used")


def training_constants_in(text: str, *, file: str) -> TrainingCalibration:
    """Return the training constants of a file, or raise `PricingError` with what is wrong where."""
    read = _read(TrainingConstantsFile, text, TRAINING_NAMES, file=file)
    for name, constant in read.constants.items():
        if not 1 / _FARTHEST_FROM_PRIOR < constant.value / constant.prior < _FARTHEST_FROM_PRIOR:
            wrong = f"{constant.value:g} is beyond {_FARTHEST_FROM_PRIOR:g} times its prior {constant.prior:g}"
            raise PricingError(f"{file}: constants.{name}: {wrong}.")
    values = TrainingConstants(**{name: read.constants[name].value for name in TRAINING_NAMES})
    return TrainingCalibration(values, read.chips, read.families, read.bands, read.spread or UNTOLD, read.levels)


def serving_constants_in(text: str, *, file: str) -> ServingConstants:
    """Return the serving constants of a file, or raise `PricingError` with what is wrong where."""
    read = _read(_ServingFile, text, SERVING_NAMES, file=file)
    values = {name: read.constants[name].value for name in SERVING_NAMES}
    for name, value in values.items():
        ours = serving_data().constants[name].value
        near = ours / _FARTHEST_FROM_OURS <= value <= ours * _FARTHEST_FROM_OURS
        if not near or (name in FIXED and value != ours):
            wish = f"{ours:g}" if name in FIXED else f"within {_FARTHEST_FROM_OURS:g} times of {ours:g}"
            raise PricingError(f"{file}: constants.{name}: want {wish}, got {value:g}.")
    return ServingConstants(**values)


File = TypeVar("File", TrainingConstantsFile, _ServingFile)


def _read(record: type[File], text: str, names: Sequence[str], *, file: str) -> File:
    """Return what a file holds, once all constants are in it and no others, and no band is upside down."""
    read = read_constants_record(
        record, strict_yaml.read(text, file=file), file=file, writer="`tools/calibrate.py --out`"
    )
    constants: Mapping[str, object] = read.constants
    for name in constants:
        if name not in names:
            near = get_close_matches(name, names, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise PricingError(f"{file}: constants.{name}: there is no such constant.{hint}")
    missing = set(names) - set(constants)
    if missing:
        raise PricingError(f"{file}: constants: {min(missing)} is missing; want all {len(names)}, they are a set.")
    for name, band in read.bands.items():
        if band.low > band.high:
            raise PricingError(f"{file}: bands.{name}: low is above high.")
    return read


def read_constants_record(record: type[Record], read: Any, *, file: str, writer: str) -> Record:
    """Return what was read as a record, or raise `PricingError` with the place; `writer` writes such files."""
    try:
        return record.model_validate(read)
    except pydantic.ValidationError as error:
        place, wish, _ = first_error_message(error)
        where = ".".join(map(str, place)) or "the file"
        raise PricingError(f"{file}: {where}: {wish}; give what {writer} writes.") from error


@dataclass(frozen=True)
class RunKindHandlers:
    check: Callable[[Catalogue, Sequence[Row]], list[CheckedRun]]  # each row with its prediction
    own: Callable[[Catalogue, Sequence[Row]], tuple[OwnRun, ...]]  # each as a run of the user's own


KINDS: dict[Kind, RunKindHandlers] = {
    "training": RunKindHandlers(check_training, own_training_runs),
    "serving": RunKindHandlers(check_serving, own_serving_runs),
}


def read_factors(catalogue: Catalogue, text: str, *, file: str, day: date, most: int | None = None) -> FactorTable:
    """Return the factors of a CSV, of training or serving by its columns; raise `PricingError` where it has none."""
    kind = kind_of(text, file=file)
    rows = read_run_rows(text, TABLES[kind], file=file)
    if most is not None and len(rows) > most:
        raise PricingError(f"{file}: {len(rows):,} runs, want at most {most:,}: keep those most like what you plan.")
    table = factors_from_rows(catalogue, kind, rows, source=file, day=day)
    refuse_unusable(table, file=file)
    return table


def factors_from_rows(
    catalogue: Catalogue, kind: Kind, rows: Sequence[Row], *, source: str, day: date | None
) -> FactorTable:
    return factors(kind, KINDS[kind].own(catalogue, rows), source=source, day=day)
