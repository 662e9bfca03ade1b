"""The kinds of files that people write for this program, and its answers: contents, place and JSON schema of each.

The records that schemas are made from are loaded only where a schema is needed.
"""

from collections.abc import Callable
from functools import partial
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
        schemas = _light_schemas()
        schema = (schemas if self.name in schemas else _engine_schemas())[self.name]()
        if not self.files:
            return schema
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


Schema = dict[str, Any]


def _light_schemas() -> dict[str, Callable[[], Schema]]:
    from planner.scenario.file import PortfolioFile, file_schema
    from planner.scenario.latency import DayPattern, LatencyClass
    from planner.scenario.presets import Preset
    from pricing.records import DataFile
    from pricing.schema import SECTIONS_OF, editor_schema

    return {
        "scenario": file_schema,
        "portfolio": PortfolioFile.model_json_schema,
        **{
            folder: partial(editor_schema, DataFile, only=("about", "sources", *sections))
            for folder, sections in SECTIONS_OF.items()
        },
        "presets": partial(editor_schema, Preset, given={Preset.__name__: "key"}),
        "days": partial(editor_schema, dict[str, DayPattern], given={DayPattern.__name__: "name"}),
        "latency": partial(editor_schema, dict[str, LatencyClass], given={LatencyClass.__name__: "name"}),
    }


def _engine_schemas() -> dict[str, Callable[[], Schema]]:
    from planner.evidence.constants_file import TrainingConstantsFile
    from planner.report.files.answer_schema import answer_schema
    from planner.speed.hardware import Interconnect
    from planner.speed.pace import OwnRunWeights
    from planner.speed.serving import chips as serving
    from planner.speed.training import images
    from planner.speed.training.goodput import TeamEfficiencyData
    from planner.speed.training.stated import SoftwareStackData
    from planner.study.data_files import FuturesAssumptions
    from planner.study.market.gpu_guide import GpuUses
    from planner.study.one_line.line_words import LineWords
    from planner.study.uncertainty.stress import StressTests
    from pricing.belief.readings import EstimateConstants
    from pricing.feeds.gate import ValidationConstants
    from pricing.market.constants import MarketConstants
    from pricing.market.rivals import Rivals
    from pricing.schema import editor_schema

    records: dict[str, Any] = {
        "stress": StressTests,
        "uses": GpuUses,
        "line_words": LineWords,
        "futures": FuturesAssumptions,
        "belief": EstimateConstants,
        "gate": ValidationConstants,
        "market": MarketConstants,
        "rivals": Rivals,
        "network": Interconnect,
        "goodput": TeamEfficiencyData,
        "own_runs": OwnRunWeights,
        "training_constants": TrainingConstantsFile,
        "training_stacks": SoftwareStackData,
        "vision_training": images.ImageTrainingData,
    }
    # One record holds the contents of two files: the fitted constants, and all else.
    fitted = ("fit", "constants", "levels", "bands", "spread")
    others = tuple(name for name in serving.ServingData.model_fields if name not in fitted)
    return {
        "answer": answer_schema,
        "serving_constants": partial(editor_schema, serving.ServingData, only=("about", *fitted)),
        "serving_engines": partial(editor_schema, serving.ServingData, only=others),
        **{name: partial(editor_schema, record) for name, record in records.items()},
    }
