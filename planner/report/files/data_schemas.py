"""The JSON schema of each kind of file, made from the record that the program reads it into.

Those that what reckons reads are loaded only where one of them is asked for.
"""

from collections.abc import Callable
from functools import partial

from planner.scenario.day_patterns import DayPattern
from planner.scenario.file import file_schema
from planner.scenario.latency import LatencyClass
from planner.scenario.presets import Preset
from pricing.schema import SECTIONS_OF, Schema, catalogue_schema, editor_schema

SCHEMAS: dict[str, Callable[[], Schema]] = {
    "scenario": file_schema,
    **{folder: partial(catalogue_schema, folder) for folder in SECTIONS_OF},
    "presets": partial(editor_schema, Preset, given={Preset.__name__: "key"}),
    "days": partial(editor_schema, dict[str, DayPattern], given={DayPattern.__name__: "name"}),
    "latency": partial(editor_schema, dict[str, LatencyClass], given={LatencyClass.__name__: "name"}),
}


def build_schema(kind: str) -> Schema:
    """The schema of a kind of file, by its name."""
    if kind in SCHEMAS:
        return SCHEMAS[kind]()
    from planner.report.files.engine_schemas import SCHEMAS as OF_ENGINE  # what reckons: too much for who writes a plan

    return OF_ENGINE[kind]()
