"""The questions people arrive with: which keys of the address each asks for, and how one tells which it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from planner.scenario.fields import FieldSpec, field_spec, format_bound, leaf_fields
from planner.scenario.path import Path, get_value
from planner.scenario.scenario import Scenario
from pricing.caching import cached


@dataclass(frozen=True)
class QuestionKind:
    """One kind of question. `example` is the preset whose numbers stand in its fields until somebody changes them."""

    name: str
    main: tuple[str, ...]  # fields of the question itself, in this order
    more: tuple[str, ...] = ()  # fields among the assumptions
    example: str | None = None

    @property
    def own(self) -> frozenset[str]:
        """The keys that a link holds for this question only."""
        return frozenset({*self.main, *self.more})


TRAIN = QuestionKind(
    "Train", ("train", "tokens", "due", "gpu", "choose", "gpus"), ("method", "runs", "seq", "bits"), "pre-train-7b"
)
TUNE = QuestionKind(
    "Fine-tune", ("train", "method", "tokens", "runs", "gpu", "choose", "gpus"), ("due", "seq", "bits"), "fine-tune-70b"
)
SERVE = QuestionKind("Serve", ("serve", "rps", "peak", "in", "out", "gpu"), ("ttft", "tpot", "weights"), "chat-service")
# How much work there is in a plan of hours: as a share of them, as hours, as people, as jobs.
AMOUNTS = ("busy", "hours", "team", "each", "weekly", "jobhours")
HOURS = QuestionKind("GPU-hours", ("gpus", "gpu", *AMOUNTS))
QUESTIONS: dict[str, QuestionKind] = {question.name: question for question in (TRAIN, TUNE, SERVE, HOURS)}
# A link that asks one question holds its keys, and those of no question.
OF_A_QUESTION = frozenset().union(*(question.own for question in QUESTIONS.values()))


def detect_question(link: Mapping[str, str], name: str | None = None) -> QuestionKind:
    """The question an address asks, `said` being what it calls itself: what it holds counts for more."""
    if "train" in link:
        if name in (TRAIN.name, TUNE.name):
            return QUESTIONS[name]
        return TUNE if link.get("method", "full") != "full" or "runs" in link else TRAIN
    if "serve" in link:
        return SERVE
    return QUESTIONS.get(name or "", HOURS)


PERCENT_PLACES = 2


@dataclass(frozen=True)
class LinkKey:
    """A short key: where its value stands in the scenario, and how the page asks for it."""

    path: Path
    key: str
    label: str
    help: str = ""
    group: str = ""  # the heading under which it stands; empty: in the first row, or nowhere
    rare: bool = False  # few people change it
    percent: bool = False
    amount: bool = False  # of so many digits that people write 1 T
    usual: float | str | None = None  # what a field left empty stands for; None: the catalogue's figure

    @property
    def shape(self) -> FieldSpec:
        """Return what the field takes, as the record says it."""
        spec = field_spec(self.path)
        assert spec is not None
        return spec

    @property
    def unit(self) -> str:
        """The unit of the value in the address."""
        if self.percent:
            return "% a year" if str(self.path[-1]).endswith("_per_year") else "%"
        return self.shape.unit

    @property
    def low(self) -> float | None:
        """The lower bound of the value in the address."""
        return _scaled(self.shape.low, self.percent)

    @property
    def high(self) -> float | None:
        """The upper bound of the value in the address."""
        return _scaled(self.shape.high, self.percent)

    @property
    def default(self) -> Any:
        """The field's default, as the scenario holds it; None where the catalogue's figure is taken."""
        return get_value(_default_scenario(), self.path)

    @property
    def range(self) -> str:
        """The bounds in words, as the address writes them."""
        low, high = self.low, self.high
        if low is None or high is None:
            return self.shape.wish
        return f"{'above ' if self.shape.above else ''}{format_bound(low)} to {format_bound(high)}"


@cached(1)
def _default_scenario() -> Scenario:
    return Scenario()


def _scaled(bound: float | None, percent: bool) -> float | None:
    return bound if bound is None or not percent else float(Decimal(repr(float(bound))).scaleb(PERCENT_PLACES))


# In the order of the records. A key that has been in a link keeps its meaning for ever.
KEYS: dict[str, LinkKey] = {
    key.key: key
    for path in leaf_fields()
    if (spec := field_spec(path)) and spec.page_field
    for key in (LinkKey(path, **spec.page_field),)
}


def keys_of_group(group: str, rare: bool) -> tuple[str, ...]:
    """The keys that stand under a heading of the page: those that most people change, or those that few do."""
    return tuple(key.key for key in KEYS.values() if key.group == group and key.rare is rare)
