"""The kinds of files that people write for this program: what each holds, where ours stand, and its JSON schema.

A schema is made from the record that the file is read into, so that it cannot say otherwise. The records are loaded
only where a schema is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

Schema = dict[str, Any]

FOLDER = "schemas"  # where the schemas stand as files, for editors
WRITE = f"python -m planner schema --write {FOLDER}"


class FileKind(NamedTuple):
    """One kind of file. `files` are those that come with the program, from the folder that README.md stands in."""

    name: str
    what: str
    files: str
    schema: Callable[[], Schema]


def _editors(name: str, what: str, files: str, make: Callable[[], Schema]) -> FileKind:
    def schema() -> Schema:
        made = make()
        told = {"title": name, "description": f"{what[0].upper()}{what[1:]}."}
        return {"$schema": made.pop("$schema"), **told, **{key: one for key, one in made.items() if key not in told}}

    return FileKind(name, what, files, schema)


def _of_the_catalogue(folder: str, what: str) -> FileKind:
    def make() -> Schema:
        from pricing.schema import catalogue_schema  # the records take longer to load than a word to be refused

        return catalogue_schema(folder)

    return _editors(folder, what, f"pricing/data/{folder}/*.yaml", make)


def _scenario() -> Schema:
    from planner.inputs.file import file_schema  # as above

    return file_schema()


def _answer() -> Schema:
    from planner.report.answer_schema import answer_schema  # as above

    return answer_schema()


CATALOGUE = (
    _of_the_catalogue("accelerators", "what chips can do and cost, and trade names that cover several"),
    _of_the_catalogue("apis", "what a seller asks for each million tokens of hosted models"),
    _of_the_catalogue("finance", "what money costs, how a price is written off, what is left of it"),
    _of_the_catalogue("history", "prices through time that are not one offer: indices, medians, listings"),
    _of_the_catalogue("models", "shapes of networks"),
    _of_the_catalogue("reliability", "how often machines fail, and what share of the time is useful"),
    _of_the_catalogue("rentals", "a provider of accelerators: its small print and its offers"),
    _of_the_catalogue("servers", "machines as they are bought, and what owning them costs beside"),
    _of_the_catalogue("sites", "places: electricity, carbon, space, tax"),
    _of_the_catalogue("sources", "who says so, for all files of a kind"),
)
KINDS = (
    FileKind("scenario", "a plan: the question and what differs from the defaults", "", _scenario),
    FileKind("answer", "what `plan`, `compare` and `sweep` print with --json", "", _answer),
    *CATALOGUE,
)
