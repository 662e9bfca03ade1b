"""Other programs on the same rows: what they are told, what is said of one that cannot be had, how errors are told."""

import math
from pathlib import Path

import pytest

from bench.peers import __main__ as peers
from bench.peers import environments
from bench.peers.ask_aiconfigurator import formats
from bench.peers.cases import Case
from bench.peers.environments import PeerProgram, PeerUnavailableError, peer_python


def case(name: str, published: float, ours: float) -> Case:
    """A run of a dense model, published and by how much ours is off."""
    return Case(name, "Llama-3.1-8B", "dense", "H100-SXM5-80GB", published, ours, {"batch": 8.0})


def test_a_program_is_told_everything_but_the_answer() -> None:
    assert set(case("a", 100.0, 0.1).told()) == {"id", "model", "kind", "chip", "plan", "network", "machine"}


def test_errors_stand_over_the_rows_that_both_answer() -> None:
    cases = [case("a", 100.0, math.log(1.1)), case("b", 100.0, math.log(4.0)), case("c", 100.0, math.log(1.2))]
    told = {"a_second": 7.0, "refused": {"b": "ValueError: too large"}}
    lines = list(peers._compared(environments.PEERS[0], "serving", cases, {"a": 150.0, "c": 100.0}, told))
    assert lines[0] == "AIConfigurator, serving: 2 of 3 rows answered, 7 a second"
    assert "dense, 2 rows" in lines[1]
    assert "theirs 20.3% median, 50% within 25%" in lines[1]  # half of log 1.5
    assert "ours 13.9% median, 100% within 25%" in lines[1]  # between log 1.1 and log 1.2
    assert lines[2] == "  not answered: 1 x ValueError: too large"


def test_formats_are_tried_from_the_likeliest_on() -> None:
    assert formats(2.0, mixture=False) == [("bfloat16", None)]
    assert formats(1.0, mixture=True)[0] == ("fp8", "fp8")
    assert ("bfloat16", "w4a16_mxfp4") in formats(0.53, mixture=True)


@pytest.mark.slow
def test_what_cannot_be_had_is_skipped_with_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environments, "HOME", tmp_path)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(PeerUnavailableError, match="the package index does not give 'no-such-planner'"):
        peer_python(PeerProgram("Nobody", "no-such-planner", "no_such_planner", ""))
