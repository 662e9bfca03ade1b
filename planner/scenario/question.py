"""The questions people arrive with: which keys of the address each asks for, and how one tells which it is."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """One kind of question. `example` is the preset whose numbers stand in its fields until somebody changes them."""

    name: str
    main: tuple[str, ...]  # asked for at once, in this order
    more: tuple[str, ...] = ()  # asked for among the assumptions
    example: str | None = None

    @property
    def own(self) -> frozenset[str]:
        """The keys that a link holds for this question only."""
        return frozenset({*self.main, *self.more})


TRAIN = Question(
    "Train", ("train", "tokens", "due", "gpu", "choose", "gpus"), ("method", "runs", "seq", "bits"), "pre-train-7b"
)
TUNE = Question(
    "Fine-tune",
    ("train", "method", "tokens", "runs", "gpu", "choose", "gpus"),
    ("due", "seq", "bits"),
    "fine-tune-70b",
)
SERVE = Question("Serve", ("serve", "rps", "peak", "in", "out", "gpu"), ("ttft", "tpot", "weights"), "chat-service")
# How much there is to do, where hours are asked for: as a share of them, as hours, as people, as jobs.
AMOUNTS = ("busy", "hours", "team", "each", "weekly", "jobhours")
HOURS = Question("GPU-hours", ("gpus", "gpu", *AMOUNTS))
QUESTIONS: dict[str, Question] = {one.name: one for one in (TRAIN, TUNE, SERVE, HOURS)}
_OF_A_QUESTION = frozenset().union(*(one.own for one in QUESTIONS.values()))


def question_of(held: Mapping[str, str], said: str | None = None) -> Question:
    """The question an address asks, `said` being what it calls itself: what it holds counts for more."""
    if "train" in held:
        if said in (TRAIN.name, TUNE.name):
            return QUESTIONS[said]
        return TUNE if held.get("method", "full") != "full" or "runs" in held else TRAIN
    if "serve" in held:
        return SERVE
    return QUESTIONS.get(said or "", HOURS)


def belongs(key: str, question: Question) -> bool:
    """Whether a link that asks this question holds this key: its own, and those of no question."""
    return key in question.own or key not in _OF_A_QUESTION
