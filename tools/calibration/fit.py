"""The result of a fit of either kind of runs: its errors on held-out runs, and its text."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from planner.evidence.checked import ErrorSummary
from planner.report.table import Table
from planner.speed.bands import ErrorSpread
from tools.calibration.cross_validation import ErrorsWithout, judged
from tools.calibration.error_spread import FittedRuns, fit_error_spread, left_out
from tools.calibration.noise_floor import Measurement, noise_table


@dataclass(frozen=True)
class KindFit:
    """Constants fitted to all runs of a kind, and what it takes to judge them."""

    runs: FittedRuns
    errors_without: ErrorsWithout  # begun at the fit to all
    unseen: list[tuple[str, str, float]]  # kind and source of each run, and its error by a fit without its source
    text: Callable[[ErrorSpread | None, date], str]
    measured: list[Measurement]


@dataclass(frozen=True)
class CalibrationResult:
    """A file of constants with bands, and how far off they are on sources that the fit has not seen."""

    text: str
    left_out: list[ErrorSummary]
    noise: Table


def calibrated(fit: KindFit, on: date) -> CalibrationResult:
    """Fit again without each source, alone and with each class of its runs: the bands come from that."""
    spread = fit_error_spread(fit.runs, left_out(fit.runs, fit.errors_without))
    return CalibrationResult(fit.text(spread, on), judged(fit.unseen), noise_table(fit.measured))
