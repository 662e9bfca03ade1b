"""The constants of the speed models, fitted again to runs. For maintainers; users correct a job with their own runs.

    python -m tools.calibrate training
    python -m tools.calibrate serving RUNS.csv --out FILE --day 2026-11-21

Prints the errors of the fit on held-out sources, and how far repeated measurements differ. Columns of RUNS.csv:
docs/published-runs.md; without it, the published runs are fitted.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from planner.cli.common import BAD_INPUT, OK, UsageError, write_file
from planner.cli.inputs import load_runs
from planner.evidence.checked import ErrorSummary
from planner.report.speed.runs import groups_table
from planner.report.table import text_table
from planner.scenario.vocabulary import Kind
from pricing import Catalogue, PricingError, load_catalogue
from tools.calibration import serving, training
from tools.calibration.fit import CalibrationResult, KindFit, calibrated

FITS: dict[Kind, Callable[[Catalogue, Sequence[Any]], KindFit]] = {
    "training": training.fit_of,
    "serving": serving.fit_of,
}
_HEADS = {"all": "left out of the fit", "kind": "kind", "source": "source, worst first"}


def calibrate(kind: Kind, catalogue: Catalogue, rows: Sequence[Any], on: date) -> CalibrationResult:
    """Return the constants fitted to the rows, signed with the day."""
    return calibrated(FITS[kind](catalogue, rows), on)


def held_out_text(groups: Sequence[ErrorSummary]) -> str:
    """Return the errors on held-out sources as text, the worst first."""
    tables = [(head, [group for group in groups if group.by == by]) for by, head in _HEADS.items()]
    return "\n\n".join(text_table(groups_table(group, head).without("skipped")) for head, group in tables if group)


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, print how far off that is, and write the constants where that is args."""
    parser = argparse.ArgumentParser(prog="python -m tools.calibrate", description="Fit the constants to runs.")
    parser.add_argument("kind", choices=tuple(FITS))
    parser.add_argument("runs", type=Path, nargs="?", metavar="RUNS.csv", help="your runs; without it, ours")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the constants, as planner/speed/data has them")
    parser.add_argument("--day", type=date.fromisoformat, default=date.today(), help="the day to sign it with; today")
    args = parser.parse_args(arguments)
    try:
        result = calibrate(args.kind, load_catalogue(), load_runs(args.kind, args.runs), args.day)
    except (UsageError, PricingError) as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    print(held_out_text(result.left_out))
    if len(result.noise):
        print(f"\n{text_table(result.noise)}")
    if args.out:
        write_file(args.out, result.text.encode("utf-8"))
    print(f"{args.out.name} written." if args.out else "Nothing written; --out FILE writes it.", file=sys.stderr)
    return OK


if __name__ == "__main__":
    sys.exit(main())
