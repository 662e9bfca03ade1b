"""The words of line_words.yaml: other languages in English, names in use, and words that say nothing of a plan."""

import re
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from planner.study.data_files import read_data
from pricing.figure import StrictModel, Text

# The quantity; the value, as it stands or by the name of how it follows; the pattern.
LineRule = tuple[bool | int | float | str, ...]


class LineWords(StrictModel):
    """The file of words."""

    about: Text = Field(description="what this file is for")
    translations: dict[str, str] = Field(description="patterns of other languages, and the English words")
    chips: dict[str, str] = Field(description="names in use, and the chip")
    kinds_of_work: dict[str, str] = Field(description="patterns of kinds of work, and the model that stands for them")
    nationalities: dict[str, str] = Field(description="adjectives of places, and the place")
    organizations: Text = Field(description="patterns of what such an adjective makes a place of")
    vendors: dict[str, str] = Field(description="names in use, and the vendor")
    asked: dict[str, tuple[str, ...]] = Field(description="what may be several things, and the choices")
    models_to_choose: dict[str, str] = Field(description="models to choose from, and what to write for each")
    first_of_region: tuple[str, ...] = Field(description="places that stand for a region, the first of its choices")
    own_ways: tuple[str, ...] = Field(description="options where nothing is rented and nothing leaves the house")
    usual_models: dict[str, str] = Field(description="models that are taken where a line names a work without one")
    works_to_choose: dict[str, str] = Field(description="kinds of work to choose from, and what to write for each")
    places_to_choose: tuple[str, ...] = Field(description="places to choose from in place of one that is not wanted")
    cards_to_choose: tuple[str, ...] = Field(description="cards to choose from in place of a broken one")
    words_too: tuple[str, ...] = Field(description="sellers whose names are everyday words")
    parts_of_names: str = Field(description="words of names that are none by themselves")
    before_sellers: str = Field(description="words before the name of a seller")
    machines: str = Field(description="what is called a machine")
    people: str = Field(description="patterns of who uses a service, one after the other")
    requests: str = Field(description="patterns of what is called a request")
    fillers: str = Field(description="words that say nothing of a plan")
    quiet: str = Field(description="words that are not asked about")
    parts: dict[str, str] = Field(description="parts of the patterns of rules and verbs, by the names they have there")
    patterns: dict[str, str] = Field(description="patterns that code looks for, by the names it has for them")
    rules: tuple[LineRule, ...] = Field(description="what a line states, in the order in which it is tried")
    verbs: tuple[LineRule, ...] = Field(description="what is done, and where it stands")
    weighty: tuple[str, ...] = Field(description="patterns of words that change a cost: what nothing took is left out")


WORDS: Mapping[str, Any] = LineWords.model_validate(read_data("line_words.yaml")).model_dump()
FILLERS = frozenset(WORDS["fillers"].split())
TRANSLATED = sorted(WORDS["translations"].items(), key=lambda pair: -len(pair[0]))  # several words before one
FOREIGN = re.compile(rf"(?<!\w)(?:{'|'.join(f'({pattern})' for pattern, _ in TRANSLATED)})(?!\w)")
