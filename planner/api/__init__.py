"""The program from Python: each function returns what the verb of its name prints as `--json`.

A plan is a link or its keys, the text of a plan file, the name of a preset, the plain data of a file, a `pathlib.Path`
or a `Scenario`. What cannot be answered raises `pricing.PricingError` with one sentence.

>>> from datetime import date
>>> from planner import api
>>> answer = api.plan("gpu=H100-SXM5-80GB&gpus=8&years=3", day=date(2026, 11, 21))
>>> answer["accelerator_id"], len(answer["options"]) > 3
('H100-SXM5-80GB', True)
>>> api.ask("64 h100 in germany for 3 months", day=date(2026, 11, 21))["understood"][0]["field"]
'GPUs at once'
>>> api.prices(accelerator="h100 sxm5 80gb", gpus=8, day=date(2026, 11, 21))["offers"][0]["accelerator"]
'H100-SXM5-80GB'
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from planner.api.verbs import Question

Record = dict[str, Any]


def plan(scenario: Question, *, day: date | None = None) -> Record:
    """Return rent, buy, or both: every option with its measures and lines, the answer, the break-evens."""
    return _document("plan", [scenario], day=day)


def actuals(scenario: Question, bill: str, *, day: date | None = None, gpus_per_machine: int | None = None) -> Record:
    """Return a plan with a bill in FOCUS (CSV) beside it, and its rest as a plan with work and prices as billed."""
    return _document("actuals", [scenario], charges=bill, day=day, gpus_per_machine=gpus_per_machine)


def compare(scenarios: Sequence[Question], *, day: date | None = None) -> Record:
    """Return two to eight plans side by side, and what differs."""
    return _document("compare", scenarios, day=day)


def ask(line: str, *, day: date | None = None) -> Record:
    """Return what was understood of a question in one line, a link to its plan, and the answer."""
    return _document("ask", line=line, day=day)


def cheapest(scenario: Question | None = None, *, day: date | None = None, **wish: Any) -> Record:
    """Return the market of the work of a plan (`budget_usd`, `only`, `counts`); without one, of typical uses."""
    return _document("cheapest", [] if scenario is None else [scenario], day=day, **wish)


def prices(*, day: date | None = None, **wish: Any) -> Record:
    """Return rental offers: the fields of `planner.api.offers.PriceRequest`."""
    return _document("prices", day=day, **wish)


def train(model: str, accelerator: str, *, day: date | None = None, **job: Any) -> Record:
    """Return fit, layout, speed, time and cost of a training run: the fields of `TrainingJob`."""
    return _document("train", model=model, accelerator=accelerator, day=day, **job)


def serve(model: str, accelerator: str, *, day: date | None = None, **job: Any) -> Record:
    """Return fit, speed, latency and cost of a service: the fields of `ServingJob`."""
    return _document("serve", model=model, accelerator=accelerator, day=day, **job)


def _document(name: str, questions: Sequence[Question] = (), **values: Any) -> Record:
    from planner.api.verbs import VERBS, answer  # loads the engine: a command line that is misspelt needs none
    from pricing.feeds.live import current

    given = {key: value for key, value in values.items() if value is not None}
    return answer(VERBS[name], current(), date.today(), questions, given).document()
