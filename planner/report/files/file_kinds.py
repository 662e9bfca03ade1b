"""The kinds of files that people write for this program, and what it prints: what each holds, and where ours stand.

The records that their schemas are made from are loaded only where a schema is asked for.
"""

from typing import Any, NamedTuple

FOLDER = "schemas"  # where the schemas stand as files, for editors
WRITE = f"python -m planner schema --write {FOLDER}"
_DATA = "pricing/data"


class FileKind(NamedTuple):
    """One kind of file. `files` are those that come with the program, from the folder that README.md stands in."""

    name: str
    what: str
    files: str = ""

    def schema(self) -> dict[str, Any]:
        """Its JSON schema, which tells what it is for before anything else."""
        from planner.report.files.data_schemas import build_schema  # all records: too much for a line of help

        made = build_schema(self.name)
        if not self.files:
            return made
        told = {"title": self.name, "description": f"{self.what[0].upper()}{self.what[1:]}."}
        return {"$schema": made.pop("$schema"), **told, **{key: one for key, one in made.items() if key not in told}}


def _kinds(*rows: tuple[str, str, str]) -> tuple[FileKind, ...]:
    return tuple(FileKind(*row) for row in rows)


CATALOGUE = _kinds(
    ("accelerators", "what chips can do and cost, and trade names that cover several", f"{_DATA}/accelerators/*.yaml"),
    ("apis", "what a seller asks for each million tokens of hosted models", f"{_DATA}/apis/*.yaml"),
    ("finance", "what money costs, how a price is written off, what is left of it", f"{_DATA}/finance/*.yaml"),
    ("history", "prices through time that are not one offer: indices, medians, listings", f"{_DATA}/history/*.yaml"),
    ("models", "shapes of networks", f"{_DATA}/models/*.yaml"),
    ("reliability", "how often machines fail, and what share of the time is useful", f"{_DATA}/reliability/*.yaml"),
    ("rentals", "a provider of accelerators: its small print and its offers", f"{_DATA}/rentals/*.yaml"),
    ("servers", "machines as they are bought, and what owning them costs beside", f"{_DATA}/servers/*.yaml"),
    ("sites", "places: electricity, carbon, space, tax", f"{_DATA}/sites/*.yaml"),
    ("sources", "who says so, for all files of a kind", f"{_DATA}/sources/*.yaml"),
)
OF_PLANS = _kinds(
    ("presets", "real situations to start from", "planner/scenario/presets/*.yaml"),
    ("days", "how work may come through a day", "planner/scenario/days.yaml"),
    ("latency", "what a service promises, by a name", "planner/scenario/latency.yaml"),
)
OF_SPEED = _kinds(
    ("network", "what joins accelerators, where no data sheet says", "planner/speed/data/network.yaml"),
    ("goodput", "what teams reach of a published speed", "planner/speed/data/goodput.yaml"),
    ("own_runs", "how much of one's own runs is believed", "planner/speed/data/own_runs.yaml"),
    ("training_constants", "what was fitted for training", "planner/speed/data/training_constants.yaml"),
    ("training_stacks", "what training software keeps in memory", "planner/speed/data/training_stacks.yaml"),
    ("vision_training", "networks that learn from pictures", "planner/speed/data/vision_training.yaml"),
    ("serving_constants", "what was fitted for serving", "planner/speed/data/serving_constants.yaml"),
    ("serving_engines", "engines, and measured work beside tokens", "planner/speed/data/serving_engines.yaml"),
)
OF_STUDIES = _kinds(
    ("stress", "named changes laid over a plan", "planner/study/data/stress.yaml"),
    ("uses", "what people want a GPU for, as typical jobs", "planner/study/data/uses.yaml"),
    ("futures", "what futures are drawn from beside the catalogue", "planner/study/data/futures.yaml"),
    ("belief", "how a dated rental price is believed", "pricing/belief/constants.yaml"),
    ("gate", "from where on a live price is not believed at once", "pricing/feeds/gate.yaml"),
)
KINDS = (
    FileKind("scenario", "a plan: what differs from the defaults"),
    FileKind("answer", "what `plan`, `compare` and `sweep` print with --json"),
    *CATALOGUE,
    *OF_PLANS,
    *OF_SPEED,
    *OF_STUDIES,
)
