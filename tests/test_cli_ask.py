"""`ask`: a line becomes a plan, an open question is printed, bad input is one sentence."""

import json

import pytest

from planner.cli.common import BAD_INPUT, OK
from tests.rows import each_row
from tests.shell import DAY, run


def test_a_line_gives_what_was_understood_and_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "ask", "rent 16 a100 80gb 50% of the time with frobs in germany", *DAY)
    assert (code, err) == (OK, "")
    for text in (
        "16 x A100 SXM4 80 GB",
        "50 %",
        "Germany",
        "- frobs",
        "is taken for A100 SXM4 80 GB",
        "Rent, on demand: $",
    ):
        assert text in out


def test_json_and_link_have_the_same_plan(capsys: pytest.CaptureFixture[str]) -> None:
    line = ("ask", "8", "h100", "for", "2", "years", "in", "Texas", *DAY)
    _, link, _ = run(capsys, *line, "--link")
    _, out, _ = run(capsys, *line, "--json")
    result = json.loads(out)
    assert result["link"] == link.splitlines()[-1] == "years=2&site=US-TX&stay=near&busy=100"
    assert result["answer"]["title"]
    assert result["answer"]["cards"][0]["value"].startswith("$")


def test_two_readings_are_printed_as_lines_to_write(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "ask", "8 h100 in georgia", *DAY)
    assert code == BAD_INPUT
    assert "Georgia, the country (write 8 h100 in GE); Georgia, United States (write 8 h100 in US-GA)" in out


def test_what_decides_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "ask", "8 h100 for 3 years, $100k", *DAY)
    assert "Over your $100,000. " in out
    assert "Of your $100,000, in cash before any resale: " in out
    assert "What the budget pays for\n" in out
    _, out, _ = run(capsys, "ask", "serve llama 3.1 8b 20 requests a day", *DAY)
    assert "The price of Llama-3.1-8B" in out


def test_two_that_are_compared_stand_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "ask", "8 h100 or 16 mi300x for a year", *DAY)
    assert code == OK
    first = out.index("\nA year, the cheapest first: 8 h100 $")
    assert first < out.index("; 16 mi300x $") < out.index("Probably rent, reserved.")
    for text in ("Run 8 H100", "Beside it, 16 mi300x. Read as: Run 16 MI300X", "16 x MI300X-192GB", "8 h100 "):
        assert text in out
    _, out, _ = run(capsys, "ask", "8 h100 or 16 mi300x for a year", "--json", *DAY)
    result = json.loads(out)
    assert [side["name"] for side in result["beside"]] == ["16 mi300x"]
    assert result["beside"][0]["answer"]["title"]
    assert not result["left_out"]


def test_chips_that_are_compared_go_by_what_they_cost_and_not_by_the_token(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "ask", "dgx spark or rtx 5090 for gpt-oss 120b", *DAY)
    ranked = next(row for row in out.splitlines() if row.startswith("A year, the cheapest first: "))
    assert "dgx spark $" in ranked
    assert "rtx 5090 $" in ranked
    assert "token" not in ranked


@each_row("line", ["", "asdf", "x" * 10_000, "bill of $0", "0 people", "'; DROP TABLE x; --"])
def test_bad_input_is_one_sentence(capsys: pytest.CaptureFixture[str], line: str) -> None:
    code, out, err = run(capsys, "ask", line, *DAY)
    assert (code, out) == (BAD_INPUT, "")
    assert err.count("\n") == 1
    assert "Traceback" not in err
