"""The schemas of files that people write: they are those of the records, our own files keep to them, slips do not."""

import json
import os
from collections.abc import Iterator
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator, FormatChecker

from planner.cli.common import to_json
from planner.report.files.file_kinds import FOLDER, KINDS, WRITE, FileKind
from pricing import strict_yaml
from pricing.schema import DIALECT
from tests.house import ROOT
from tests.rows import each_row
from tests.small_catalogue import small_contents

OF_FILES = {kind.name: kind for kind in KINDS if kind.files}
FILES = {
    path.relative_to(ROOT).as_posix(): kind for kind in OF_FILES.values() for path in sorted(ROOT.glob(kind.files))
}
each_kind = each_row("kind", KINDS)
each_kind_of_file = each_row("kind", OF_FILES.values())
each_file = each_row("name", FILES)


@cache
def validator(name: str) -> Draft7Validator:
    """Of the schema that stands in the folder, as an editor reads it."""
    schema = json.loads((ROOT / FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    Draft7Validator.check_schema(schema)
    return Draft7Validator(schema, format_checker=FormatChecker())


def as_an_editor_sees_it(data: Any) -> Any:
    """What our reader made of YAML as JSON has it: days are text, keys too."""
    if isinstance(data, dict):
        return {str(as_an_editor_sees_it(key)): as_an_editor_sees_it(value) for key, value in data.items()}
    if isinstance(data, tuple | list):
        return [as_an_editor_sees_it(one) for one in data]
    return data.isoformat() if isinstance(data, date) else data


def complaints(kind: str, text: str) -> list[str]:
    """What an editor would underline."""
    found = validator(kind).iter_errors(as_an_editor_sees_it(strict_yaml.read(text, file=kind)))
    return [f"{error.json_path}: {error.message[:200]}" for error in found]


@cache
def schema_of(kind: FileKind) -> dict[str, Any]:
    """What the records say, worked out once for all tests."""
    return kind.schema()


@each_kind
def test_a_schema_stands_in_the_folder_as_its_record_says(kind: FileKind) -> None:
    path = ROOT / FOLDER / f"{kind.name}.json"
    there = path.read_text(encoding="utf-8") if path.is_file() else ""
    assert there == to_json(schema_of(kind)) + "\n", f"{path.name} is not what the records say: run `{WRITE}`"


def test_nothing_else_stands_in_the_folder() -> None:
    there = {path.name for path in (ROOT / FOLDER).iterdir()}
    assert there == {f"{kind.name}.json" for kind in KINDS}


def test_every_yaml_file_of_the_program_is_of_one_kind() -> None:
    rooms = [path for room in ("pricing", "planner") for path in (ROOT / room).rglob("*.yaml")]
    matches = [path for kind in OF_FILES.values() for path in ROOT.glob(kind.files)]
    assert len(matches) == len(FILES)
    assert {path.relative_to(ROOT).as_posix() for path in rooms} == FILES.keys()


@each_kind_of_file
def test_a_kind_has_files(kind: FileKind) -> None:
    assert [name for name, its in FILES.items() if its is kind]


@each_file
def test_a_data_file_opens_with_its_schema(name: str) -> None:
    path = ROOT / name
    schema = os.path.relpath(ROOT / FOLDER / f"{FILES[name].name}.json", path.parent)
    first = path.read_text(encoding="utf-8").split("\n", 1)[0]
    assert first == f"# yaml-language-server: $schema={Path(schema).as_posix()}", f"put this line on top of {name}"


@pytest.mark.slow
@each_file
def test_a_data_file_keeps_to_its_schema(name: str) -> None:
    assert complaints(FILES[name].name, (ROOT / name).read_text(encoding="utf-8")) == []


@each_kind_of_file
def test_a_schema_is_in_the_form_that_all_editors_read(kind: FileKind) -> None:
    schema = schema_of(kind)
    assert schema["$schema"] == DIALECT
    assert schema["description"].endswith(".")
    for where, node in nodes(schema):
        assert "$ref" not in node or len(node) == 1, f"{where}: an editor overlooks what stands beside a $ref"
        assert not {"$defs", "prefixItems", "discriminator", "x-unit"} & node.keys(), where


@each_row("name", sorted(OF_FILES))
def test_every_record_refuses_what_it_does_not_know(name: str) -> None:
    records = [
        node for where, node in nodes(schema_of(OF_FILES[name])) if "properties" in node and where != "properties"
    ]
    assert [node for node in records if node.get("additionalProperties") is not False] == []


# Presets and uses hold a whole scenario, whose fields docs/scenario.md explains; engines are explained in their file.
UNSAID = {"presets", "uses", "serving_engines", "serving_constants"}


@each_row("name", sorted(OF_FILES.keys() - UNSAID))
def test_every_field_says_what_it_is(name: str) -> None:
    fields = [(where, node["properties"]) for where, node in nodes(schema_of(OF_FILES[name])) if "properties" in node]
    silent = [f"{where}.{key}" for where, inner in fields for key, field in inner.items() if "description" not in field]
    assert silent == []


def nodes(node: Any, where: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(node, list):
        for place, one in enumerate(node):
            yield from nodes(one, f"{where}.{place}")
    elif isinstance(node, dict):
        yield where, node
        for key, one in node.items():
            yield from nodes(one, f"{where}.{key}")


CHIPS, OFFERS, MACHINES = "accelerators/chips.yaml", "rentals/offers.yaml", "servers/machines.yaml"
# What stands in a small file that goes well, what stands there instead, and what the editor says about it.
SLIPS = [
    ("misspelt-key", CHIPS, "vendor: NVIDIA\n", "vender: NVIDIA\n", "'vender' was unexpected"),
    ("missing-key", CHIPS, "    vendor: NVIDIA\n", "", "'vendor' is a required property"),
    ("unknown-section", CHIPS, "ambiguous:\n", "chips:\n", "'chips' was unexpected"),
    ("section-of-another-folder", CHIPS, "ambiguous:\n", "servers:\n", "'servers' was unexpected"),
    ("wrong-unit", CHIPS, "{unit: GB,", "{unit: GB/s,", "'GB' was expected"),
    ("unknown-unit", CHIPS, "{unit: GB,", "{unit: GiB,", "'GB' was expected"),
    ("unit-of-another-field", OFFERS, "unit: USD/accelerator-hour", "unit: USD/kWh", "'USD/accelerator-hour' was"),
    ("half-a-day", OFFERS, "checked: 2026-11-10", "checked: 2026-11", "'2026-11' does not match"),
    ("day-in-words", OFFERS, "checked: 2026-11-10", "checked: 10 November 2026", "'10 November 2026' does not match"),
    ("no-such-day", OFFERS, "checked: 2026-11-10", 'checked: "2026-11-31"', "'2026-11-31' is not a 'date'"),
    ("day-the-other-way-round", OFFERS, "2026-05-01:", "01-05-2026:", "'01-05-2026' does not match"),
    ("month-without-quotes", CHIPS, "vendor: NVIDIA\n", "vendor: NVIDIA\n    launched: 2022\n", "2022 is not of type"),
    ("quoted-number", OFFERS, "typical: 3.5,", 'typical: "3.5",', "'3.5' is not of type 'number'"),
    ("truth-for-number", OFFERS, "typical: 3.5,", "typical: true,", "True is not of type 'number'"),
    ("nothing-for-number", OFFERS, "typical: 3.5,", "typical: null,", "None is not of type 'number'"),
    ("number-for-text", CHIPS, "label: H100 SXM5 80 GB", "label: 100", "100 is not of type 'string'"),
    ("misspelt-range", OFFERS, "high: 4.2", "hihg: 4.2", "'hihg' was unexpected"),
    ("no-source", CHIPS, "kind: spec, source: maker", "kind: spec", "'source' is a required property"),
    ("no-values", CHIPS, "{2022-09-01: {typical: 80, kind: spec, source: maker}}", "{}", "{} should be non-empty"),
    ("unknown-kind-of-statement", OFFERS, "kind: list_price, source: lists}\n", "kind: rumour, source: lists}\n",
     "'rumour' is not one of"),
    ("unknown-purchase", OFFERS, "purchase: spot,", "purchase: spott,", "'spott' is not one of"),
    ("unknown-area", OFFERS, "area: europe", "area: EU", "'EU' is not one of"),
    ("unknown-doubt", OFFERS, "doubts: [component_only]", "doubts: [bad]", "'bad' is not one of"),
    ("bare-address", OFFERS, "https://example.org/prices", "example.org/prices", "does not match"),
    ("no-accelerator", OFFERS, "accelerators_per_instance: 8\n", "accelerators_per_instance: 0\n", "minimum of 1"),
    ("half-an-accelerator", MACHINES, "accelerators: 8", "accelerators: 0.5", "0.5 is not of type 'integer'"),
    ("space-in-front-of-an-id", OFFERS, "  northcloud: {", '  " northcloud": {', "' northcloud' do"),
    ("one-candidate", CHIPS, "[H100-SXM5-80GB, H100-PCIe-80GB]", "[H100-SXM5-80GB]", "is too short"),
]  # fmt: skip


@each_row(("file", "old", "new", "wish"), [row[1:] for row in SLIPS])
def test_an_editor_underlines_a_slip(file: str, old: str, new: str, wish: str) -> None:
    kind, text = file.split("/", 1)[0], small_contents()[file].decode()
    assert complaints(kind, text) == []
    assert old in text, "the row of the table no longer fits the small catalogue"
    found = complaints(kind, text.replace(old, new, 1))
    assert [one for one in found if wish in one], found


# The same in a file that comes with the program, on a copy of it.
OURS = [
    ("planner/scenario/days.yaml", "  says: All of it", "  say: All of it", "'say' was unexpected"),
    ("planner/scenario/latency.yaml", "tpot_ms: 200", "tpot_ms: fast", "'fast' is not"),
    ("planner/scenario/presets/startup.yaml", "\nplace: 1\n", "\nplace: first\n", "'first' is not of type 'integer'"),
    ("planner/scenario/presets/startup.yaml", "\n  accelerator:", "\n  acelerator:", "'acelerator' was unexpected"),
    ("planner/study/data/stress.yaml", "{is: 0.7}", "{set: 0.7}", "'set' was unexpected"),
    ("planner/study/data/futures.yaml", "  low: 0.7\n", "", "'low' is a required property"),
    ("planner/study/data/uses.yaml", "key: learning", "key: lerning", "'lerning' is not one of"),
    ("planner/speed/data/network.yaml", "domain: 72", "domain: 0", "minimum of 1"),
    ("planner/speed/data/goodput.yaml", "  ordinary:", "  usual:", "'usual' is not one of"),
    ("planner/speed/data/training_stacks.yaml", "counts: allocated", "counts: live", "'live' is not one of"),
    ("planner/speed/data/serving_engines.yaml", "scheduler: native", "scheduler: naive", "'naive' is not one of"),
    ("planner/speed/data/serving_engines.yaml", "2023-09-01:", "September 2023:", "'September 2023' does not match"),
    ("planner/speed/data/serving_constants.yaml", "on: 2026-11-26", "on: today", "'today' does not match"),
]  # fmt: skip


@each_row(("file", "old", "new", "wish"), OURS)
def test_an_editor_underlines_a_slip_in_our_own_files(file: str, old: str, new: str, wish: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    assert old in text
    found = complaints(FILES[file].name, text.replace(old, new, 1))
    assert [one for one in found if wish in one], found


@each_kind_of_file
def test_a_file_of_anything_else_is_underlined(kind: FileKind) -> None:
    assert complaints(kind.name, "lines: [1, 2]\nnonsense: true\n")
    assert complaints(kind.name, "just words\n")
