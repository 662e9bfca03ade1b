"""The ways to supply the work, one module each. A new way is a module with a `build`, and a row here."""

from __future__ import annotations

from planner.money.ways import hosted, keep, lease, loan, mix, on_demand, own, rent_to_own, reserved, spot
from planner.money.ways.built import Builder
from planner.scenario.scenario import Way

BUILDERS: dict[Way, Builder] = {
    "own": own.build,
    "loan": loan.build,
    "lease": lease.build,
    "rent_to_own": rent_to_own.build,
    "on_demand": on_demand.build,
    "reserved": reserved.build,
    "spot": spot.build,
    "hosted": hosted.build,
    "keep": keep.build,
    "mix": mix.build,
}
