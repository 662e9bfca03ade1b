"""Published cases run through the engine: what was stated, what we get, and what the difference means.

A number is reproduced, or a published error is named, or it is said why it cannot be compared. What is none of these is
a disagreement of ours, and counts as a failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Any, Literal, get_args

import numpy as np

from planner.study.cases.calls import calls
from planner.study.cases.case_functions import Readings, laid_over
from planner.study.cases.cases import USUAL_TOLERANCE, Case, Cases, Check, Each, Formula, Formulas, Ours
from planner.study.cases.expression import Scope, Unusable, Value, at_path, leans_on_something, part_of, value
from pricing import Catalogue

# Worst first.
Verdict = Literal["no answer", "DIFFERS", "no mapping", "published error", "not comparable", "reproduced"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
NO_ANSWER: Verdict = "no answer"
# Recomputed numbers are printed to seven digits.
_PRINTED = 1e-6
_DUST = 1e-12
_REASONS = ("never", "always", "none")  # how the engine begins when it says why there is no number
# What others call our ways.
_SAME = {"own": ("buy", "on-premises", "on-prem", "purchase", "build"), "on_demand": ("rent", "cloud", "on-demand")}

Result = float | str


@dataclass(frozen=True)
class Compared:
    """One stated number or word beside ours."""

    case: str
    url: str
    metric: str
    unit: str
    stated: Result | None
    recomputed: Result | None  # by others, from the stated inputs
    ours: Result | None
    rel_diff: float | None  # ours over what was stated, or else recomputed, less one
    tolerance_rel: float
    verdict: Verdict
    why: str
    formula: str = ""


@dataclass(frozen=True)
class Published:
    """All cases of a file, compared; the worst first."""

    rows: tuple[Compared, ...]
    cases: int

    def count(self, verdict: Verdict) -> int:
        """How many checks have this verdict."""
        return sum(row.verdict == verdict for row in self.rows)


def compare(
    cases: Cases, catalogue: Catalogue, day: date, *, mappings: Mapping[str, Ours], bare: Mapping[str, Any]
) -> Published:
    """Run every case. A mapping in the case wins over one in `mappings`; `bare` is what its scenario is laid over."""
    engine = calls(catalogue)
    rows: list[Compared] = []
    for case in cases.cases:
        ours = case.ours or mappings.get(case.id)
        if ours is None:
            rows.append(_without(case))
        else:
            rows += _Run(case, ours, catalogue, day, engine, cases.bare or bare).rows()
    return Published(tuple(sorted(rows, key=_worst_first)), len(cases.cases))


def _worst_first(row: Compared) -> tuple[int, float, str, str]:
    far = abs(row.rel_diff) if row.rel_diff is not None else 0.0
    return VERDICTS.index(row.verdict), -far, row.case, row.metric


def _without(case: Case) -> Compared:
    many = f"{len(case.checks)} checks" if len(case.checks) != 1 else "1 check"
    return Compared(
        case.id, case.url or "", many, "", None, None, None, None, 0.0, "no mapping", "add `ours:` to the case"
    )


class _Run:
    """One case with its mapping."""

    def __init__(
        self,
        case: Case,
        ours: Ours,
        catalogue: Catalogue,
        day: date,
        engine: Mapping[str, Callable[..., Any]],
        bare: Mapping[str, Any],
    ) -> None:
        self.case, self.ours = case, ours
        # What it rents, it rents at the price it states, never from an offer of ours.
        self.catalogue = catalogue.model_copy(update={"offers": {}}) if ours.bare else catalogue
        self.day = day
        self.engine, self.bare = engine, bare if ours.bare else {}
        self.scenarios: dict[str, Mapping[str, Any]] = {}

    def rows(self) -> Iterator[Compared]:
        """Every check of the case."""
        try:
            scope = self._scope()
            formulas = dict(self._formulas(scope))
        except Unusable as error:
            yield from (self._row(check, None, NO_ANSWER, str(error)) for check in self.case.checks)
            return
        for check in self.case.checks:
            yield self._compared(check, formulas)

    def _scope(self) -> Scope:
        names: dict[str, Value] = {}
        scope = Scope(names, self.case.inputs, self.engine)
        for name, path in self.ours.names.items():
            names[name] = _placed(f"ours.names.{name}", partial(at_path, path, self.case.inputs))
        _reckon_steps(self.ours.steps, scope, "ours.steps")
        if self.ours.scenario is None:
            return scope
        base = _filled(laid_over(self.bare, self.ours.scenario), scope, "ours.scenario")
        self.scenarios = {"": base}
        for name, over in self.ours.variants.items():
            self.scenarios[name] = laid_over(base, _filled(over, scope, f"ours.variants.{name}"))
        return self._reading(scope, self.scenarios)

    def _reading(self, scope: Scope, scenarios: Mapping[str, Mapping[str, Any]]) -> Scope:
        """The scope of a case's formulas, with the functions that ask the planner about its scenarios."""
        return replace(scope, calls={**self.engine, **Readings(self.catalogue, self.day, scenarios).calls()})

    def _formulas(self, scope: Scope) -> Iterator[tuple[str, tuple[Formula, Scope]]]:
        """The formula of every metric with what it may name; `each` makes one for every item of its list."""
        yield from ((metric, (text, scope)) for metric, text in self.ours.checks.items())
        for number, each in enumerate(self.ours.each):
            place = f"ours.each.{number}"
            for item in _placed(f"{place}.of", partial(_items, each.of, self.case.inputs)):
                inner = self._of_item(each, item, scope, place)
                for metric, text in each.checks.items():
                    yield _filled_in(metric, item), (text, inner)

    def _of_item(self, each: Each, item: Mapping[str, Any], scope: Scope, place: str) -> Scope:
        inner = replace(scope, names={**scope.names, **item})
        _reckon_steps(each.steps, inner, f"{place}.steps")
        if each.scenario is None:
            return inner
        over = _filled(each.scenario, inner, f"{place}.scenario")
        return self._reading(inner, {**self.scenarios, "": laid_over(self.scenarios.get("", self.bare), over)})

    def _compared(self, check: Check, formulas: Mapping[str, tuple[Formula, Scope]]) -> Compared:
        metric = check.metric
        if metric in self.ours.not_comparable:
            return self._row(check, None, "not comparable", self.ours.not_comparable[metric])
        if metric not in formulas:
            return self._row(check, None, "no mapping", f"add ours.checks.{metric}")
        text, scope = formulas[metric]
        try:
            found = _placed(f"ours.checks.{metric}", partial(_answer, text, scope))
        except Unusable as error:
            return self._row(check, None, NO_ANSWER, str(error), text)
        verdict, why = _verdict(check, found, self.ours.errors.get(metric))
        return self._row(check, found, verdict, why or self.ours.notes.get(metric, ""), text)

    def _row(self, check: Check, found: Result | None, verdict: Verdict, why: str, text: Formula = "") -> Compared:
        against = check.stated if check.stated is not None else check.recomputed
        return Compared(
            case=self.case.id,
            url=self.case.url or "",
            metric=check.metric,
            unit="" if check.unit is None else str(check.unit),
            stated=check.stated,
            recomputed=check.recomputed,
            ours=found,
            rel_diff=_far(found, against),
            tolerance_rel=_tolerance(check),
            verdict=verdict,
            why=why,
            formula=str(text),
        )


def _verdict(check: Check, found: Result, error: str | None) -> tuple[Verdict, str]:
    """What a difference means. A published error stands only where the independent recomputation is with us."""
    wrong = error is not None or check.match is False
    if check.stated is None and check.recomputed is None:
        return "not comparable", "nothing was stated"
    if check.stated is not None and _near(found, check.stated, _tolerance(check)):
        return ("DIFFERS", "an error is named, yet the number comes out as stated") if wrong else ("reproduced", "")
    if check.recomputed is not None and not _near(found, check.recomputed, max(_tolerance(check), _PRINTED)):
        return "DIFFERS", f"recomputed by others: {check.recomputed}"
    if check.stated is None:
        return "reproduced", ""
    if not wrong or (error is None and check.recomputed is None):
        return "DIFFERS", "no error is named that would explain it"
    return "published error", error or check.note or "does not follow from its own inputs"


def _tolerance(check: Check) -> float:
    return USUAL_TOLERANCE if check.tolerance_rel is None else check.tolerance_rel


def _near(found: Result, other: Result, tolerance_rel: float) -> bool:
    if isinstance(found, str) or isinstance(other, str):
        return _word(found) == _word(other)
    return abs(found - other) <= max(tolerance_rel, _DUST) * (abs(other) or 1.0)


def _word(said: Result) -> str:
    word = str(said).strip().casefold()
    if word.startswith(_REASONS):
        return word.split()[0].rstrip(":")
    return next((ours for ours, theirs in _SAME.items() if word in theirs), word)


def _far(found: Result | None, other: Result | None) -> float | None:
    if isinstance(found, str) or isinstance(other, str) or found is None or not other:
        return None
    return float((found - other) / abs(other))


def _answer(text: Formula, scope: Scope) -> Result:
    if not isinstance(text, str) or not leans_on_something(text):
        raise Unusable(f"{text} says the answer; want a formula that reckons it from the inputs")
    found = value(text, scope)
    if np.ndim(found):
        raise Unusable(f"{text!r} gives a list, want one number")
    return found if isinstance(found, str) else float(found)


def _reckon_steps(steps: Formulas, scope: Scope, place: str) -> None:
    """Adds the steps of a case to the names of its scope, each of which may name those before it."""
    for name, text in steps.items():
        scope.names[name] = _placed(f"{place}.{name}", partial(value, str(text), scope))


def _filled(said: Any, scope: Scope, place: str) -> Any:
    """A scenario as data, every `=formula` in it reckoned; whole numbers stay whole, as counts want them."""
    if isinstance(said, Mapping):
        return {key: _filled(part, scope, f"{place}.{key}") for key, part in said.items()}
    if isinstance(said, tuple):
        return tuple(_filled(part, scope, f"{place}.{index}") for index, part in enumerate(said))
    if not isinstance(said, str) or not said.startswith("="):
        return said
    found = _placed(place, partial(value, said[1:], scope))
    if isinstance(found, bool | str):
        return found
    if np.ndim(found):
        return tuple(float(one) for one in np.asarray(found))
    return int(found) if float(found).is_integer() else float(found)


def _items(path: str, inputs: Any) -> list[dict[str, Any]]:
    """The items of a list or of a map, each as a map of its own; its key, or its place from 0, is `key`."""
    found = part_of(path, inputs)
    if not isinstance(found, tuple | Mapping):
        raise Unusable(f"want the place of a list or a map in the inputs, got {path!r}")
    pairs = found.items() if isinstance(found, Mapping) else enumerate(found)
    return [{"key": key, **(item if isinstance(item, Mapping) else {"value": item})} for key, item in pairs]


def _filled_in(metric: str, item: Mapping[str, Any]) -> str:
    for key, part in item.items():
        metric = metric.replace("{" + str(key) + "}", str(part))
    return metric


def _placed(place: str, reckon: Callable[[], Any]) -> Any:
    """Reckons something and says every refusal with its place."""
    try:
        return reckon()
    except Unusable as error:
        raise Unusable(f"{place}: {error}") from error
