"""The kinds of files that people write for this program, and its answers: contents, place and JSON schema of each.

The records that schemas are made from are loaded only where a schema is needed.
"""

from pkgutil import resolve_name
from typing import Any, NamedTuple

FOLDER = "schemas"  # where the schemas stand as files, for editors
WRITE = f"python -m planner schema --write {FOLDER}"
_DATA = "pricing/data"


class FileKind(NamedTuple):
    """One kind of file. `files` are those that come with the program, from the folder of README.md."""

    name: str
    what: str
    files: str = ""

    def schema(self) -> dict[str, Any]:
        """Return its JSON schema, with its purpose first."""
        record = resolve_name(_RECORDS.get(self.name, "pricing.records:DataFile"))
        if not self.files:
            made: dict[str, Any] = record()
            return made
        from pricing.schema import editor_schema

        schema = editor_schema(record, given=_GIVEN.get(self.name), only=_ONLY.get(self.name, ()))
        head = {"title": self.name, "description": f"{self.what[0].upper()}{self.what[1:]}."}
        return {"$schema": schema.pop("$schema"), **head, **{key: schema[key] for key in schema if key not in head}}


KINDS = (
    FileKind("scenario", "a plan: everything that differs from the defaults"),
    FileKind("portfolio", "plans that share fleets, whose they are, and when each begins"),
    FileKind("answer", "the JSON of `plan`, `compare` and `sweep`"),
    FileKind("accelerators", "speed and price of chips, and trade names of several", f"{_DATA}/accelerators/*.yaml"),
    FileKind("apis", "prices of hosted models per million tokens", f"{_DATA}/apis/*.yaml"),
    FileKind("finance", "interest, depreciation and resale values", f"{_DATA}/finance/*.yaml"),
    FileKind("history", "price histories: indices, medians, listings", f"{_DATA}/history/*.yaml"),
    FileKind("models", "shapes of networks", f"{_DATA}/models/*.yaml"),
    FileKind("reliability", "failure rates, and the useful share of time", f"{_DATA}/reliability/*.yaml"),
    FileKind("rentals", "a provider of accelerators: terms and offers", f"{_DATA}/rentals/*.yaml"),
    FileKind("servers", "servers for sale, and other costs of owning them", f"{_DATA}/servers/*.yaml"),
    FileKind("sites", "places: electricity, carbon, space, tax", f"{_DATA}/sites/*.yaml"),
    FileKind("sources", "sources for all files of a kind", f"{_DATA}/sources/*.yaml"),
    FileKind("presets", "real situations to start from", "planner/scenario/presets/*.yaml"),
    FileKind("days", "patterns of demand through a day", "planner/scenario/days.yaml"),
    FileKind("latency", "named latency promises of a service", "planner/scenario/latency.yaml"),
    FileKind("network", "links between accelerators, where no data sheet says", "planner/speed/data/network.yaml"),
    FileKind("goodput", "share of published speed that teams reach", "planner/speed/data/goodput.yaml"),
    FileKind("own_runs", "weight of your own runs", "planner/speed/data/own_runs.yaml"),
    FileKind("training_constants", "fitted constants of training", "planner/speed/data/training_constants.yaml"),
    FileKind("training_stacks", "memory use of training software", "planner/speed/data/training_stacks.yaml"),
    FileKind("vision_training", "training of image networks", "planner/speed/data/vision_training.yaml"),
    FileKind("serving_constants", "fitted constants of serving", "planner/speed/data/serving_constants.yaml"),
    FileKind("serving_engines", "engines, and measured work without tokens", "planner/speed/data/serving_engines.yaml"),
    FileKind("stress", "named stress tests of a plan", "planner/study/data/stress.yaml"),
    FileKind("uses", "typical jobs of a GPU", "planner/study/data/uses.yaml"),
    FileKind("line_words", "words of a question in one line", "planner/study/data/line_words.yaml"),
    FileKind("futures", "distributions of futures beside the catalogue", "planner/study/data/futures.yaml"),
    FileKind("belief", "weight of a dated rental price", "pricing/belief/constants.yaml"),
    FileKind("market", "what an order pays, and how many can be had", "pricing/market/constants.yaml"),
    FileKind("rivals", "quality of models by task, GPUs by the second", "pricing/market/rivals.yaml"),
    FileKind("gate", "limits above which a live price is held", "pricing/feeds/gate.yaml"),
)
# The records by module and name, but for that of pricing/data; of what has no files of ours, what makes its schema.
_RECORDS = {
    "scenario": "planner.scenario.file:file_schema",
    "portfolio": "planner.scenario.file:PortfolioFile.model_json_schema",
    "answer": "planner.report.files.answer_schema:answer_schema",
    "presets": "planner.scenario.presets:Preset",
    "days": "planner.scenario.latency:DayPatterns",
    "latency": "planner.scenario.latency:LatencyClasses",
    "network": "planner.speed.hardware:Interconnect",
    "goodput": "planner.speed.training.goodput:TeamEfficiencyData",
    "own_runs": "planner.speed.pace:OwnRunWeights",
    "training_constants": "planner.evidence.constants_file:TrainingConstantsFile",
    "training_stacks": "planner.speed.training.stated:SoftwareStackData",
    "vision_training": "planner.speed.training.images:ImageTrainingData",
    "serving_constants": "planner.speed.serving.chips:ServingData",
    "serving_engines": "planner.speed.serving.chips:ServingData",
    "stress": "planner.study.uncertainty.stress:StressTests",
    "uses": "planner.study.market.gpu_guide:GpuUses",
    "line_words": "planner.study.one_line.line_words:LineWords",
    "futures": "planner.study.data_files:FuturesAssumptions",
    "belief": "pricing.belief.readings:EstimateConstants",
    "market": "pricing.market.constants:MarketConstants",
    "rivals": "pricing.market.rivals:Rivals",
    "gate": "pricing.feeds.gate:ValidationConstants",
}
# The field that the program fills in itself.
_GIVEN = {"presets": {"Preset": "key"}, "days": {"DayPattern": "name"}, "latency": {"LatencyClass": "name"}}
# Of records that are spread over several kinds of files: what each holds.
_ONLY = {
    "accelerators": ("about", "sources", "accelerators", "ambiguous"),
    "apis": ("about", "sources", "hosted"),
    "finance": ("about", "sources", "facts", "schedules", "residuals", "used_prices"),
    "history": ("about", "sources", "series"),
    "models": ("about", "sources", "models"),
    "reliability": ("about", "sources", "facts"),
    "rentals": ("about", "sources", "providers", "offers", "facts"),
    "servers": ("about", "sources", "servers", "hosts", "deliveries", "facts"),
    "sites": ("about", "sources", "sites", "places", "lands", "towns"),
    "sources": ("about", "sources"),
    "serving_constants": ("about", "fit", "constants", "levels", "bands", "spread"),
    "serving_engines": (
        "about", "engines", "same_shape", "datasets", "requests_in_run", "wide_attention", "left_out",
        "unfitted_first_tokens", "power", "assumed_bands", "operations", "work", "work_shares",
    ),
}  # fmt: skip
