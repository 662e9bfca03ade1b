"""Runs every other program there is on the published rows: `python -m bench.peers [NAME ...]`.

Ours is judged without the source of each row; the others as they come, llm-analysis with the share of the peak that
suits these rows best. Coverage is the share of the rows of a kind that a program has any answer for; the two errors
stand over the rows that both answer. All are judged on the same side: batch, lengths and layout as we read the row.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.peers.cases import Case, own_predictions_per_second, serving_cases, training_cases
from bench.peers.environments import PEERS, PeerProgram, PeerUnavailableError, ask, peer_python
from planner.network.kinds import UnknownShape
from pricing import Catalogue, PricingError, load_catalogue, names

Answers = dict[str, float]
PeerOutput = dict[str, Any]
NEAR = 0.25
_KINDS = ("dense", "experts", "dense_layout_stated", "dense_layout_chosen", "moe")
_REASONS, _LONGEST = 3, 90


def main(peers: Sequence[str]) -> Iterator[str]:
    """Line by line, what each program says beside ours; a sentence for one that cannot be had."""
    catalogue = load_catalogue()
    cases = {"training": training_cases(catalogue), "serving": serving_cases(catalogue)}
    trained, served = own_predictions_per_second(catalogue)
    yield f"ours: {trained:,.0f} training and {served:,.0f} serving rows a second of processor time, all in one call"
    for kind, found in cases.items():
        yield f"ours, {kind}, source of each row left out: {len(found):,} rows; {_by_kind(found)}"
    for peer in PEERS:
        if not peers or peer.name.lower() in peers:
            try:
                yield from _beside(catalogue, peer, cases["training"], cases["serving"])
            except PeerUnavailableError as why:
                yield f"{peer.name}: skipped, {why}"


def _by_kind(cases: Sequence[Case]) -> str:
    groups = {kind: np.array([one.ours for one in cases if one.kind == kind]) for kind in _KINDS}
    return "; ".join(f"{kind} {_error_text(errors)}" for kind, errors in groups.items() if len(errors))


def _error_text(errors: NDArray[np.float64]) -> str:
    ratio = np.exp(errors)
    return f"{np.median(np.abs(errors)):.1%} median, {np.mean(np.abs(ratio - 1) <= NEAR):.0%} within {NEAR:.0%}"


def _beside(
    catalogue: Catalogue, peer: PeerProgram, training: Sequence[Case], serving: Sequence[Case]
) -> Iterator[str]:
    python = peer_python(peer)
    if peer.name == "AIConfigurator":
        theirs = _their_names(catalogue, json.loads(ask(python, peer.worker, "models")))
        known = [one.question() | {"their_model": theirs[one.model]} for one in serving if one.model in theirs]
        answers = json.loads(ask(python, peer.worker, "run", json.dumps(known)))
        yield from _compared(peer, "serving", serving, answers["answers"], answers)
        return
    for kind, cases in (("training", training), ("serving", serving)):
        answers = json.loads(ask(python, peer.worker, "run", json.dumps([one.question() for one in cases])))
        share = min(answers["answers"], key=lambda one: _off(cases, answers["answers"][one]))
        yield from _compared(peer, f"{kind}, {float(share):.0%} of the peak", cases, answers["answers"][share], answers)


def _their_names(catalogue: Catalogue, models: Sequence[str]) -> dict[str, str]:
    """The catalogue's models by what another program calls them; of several formats of one the plainest."""
    found: dict[str, str] = {}
    for theirs in sorted(models, key=len, reverse=True):
        try:
            found[names.model(catalogue, theirs.split("/")[-1])] = theirs
        except (PricingError, UnknownShape):
            continue
    return found


def _off(cases: Sequence[Case], answers: Answers) -> float:
    errors = [abs(np.log(answers[one.id] / one.per_s)) for one in cases if answers.get(one.id, 0.0) > 0]
    return float(np.median(errors)) if errors else np.inf


def _compared(
    peer: PeerProgram, what: str, cases: Sequence[Case], answers: Answers, output: PeerOutput
) -> Iterator[str]:
    both = [one for one in cases if answers.get(one.id, 0.0) > 0]
    yield f"{peer.name}, {what}: {len(both):,} of {len(cases):,} rows answered, {output['a_second']:,.0f} a second"
    for kind in _KINDS:
        some = [one for one in both if one.kind == kind]
        if some:
            theirs = np.array([np.log(answers[one.id] / one.per_s) for one in some])
            ours = np.array([one.ours for one in some])
            yield f"  {kind}, {len(some):,} rows: theirs {_error_text(theirs)}; ours {_error_text(ours)}"
    why = Counter(reason[:_LONGEST] for reason in output["refused"].values())
    silent = len(cases) - len(both) - why.total()
    if silent > 0:
        why["a model that it does not bring along"] = silent
    if why:
        yield "  not answered: " + "; ".join(f"{count:,} x {reason}" for reason, count in why.most_common(_REASONS))


if __name__ == "__main__":
    for line in main([name.lower() for name in sys.argv[1:]]):
        print(line, flush=True)
