"""Lengths of texts on the command line: read as people type them, limits told in whole numbers."""

import pytest

from planner.cli import BAD_INPUT, OK
from tests.test_cli_speed import H100, run


@pytest.mark.parametrize(("typed", "count"), [
    ("1048576", "1,048,576"), ("1,048,576", "1,048,576"), ("1M", "1,000,000"), ("128k", "128,000"),
    ("2e5", "200,000"),
])  # fmt: skip
def test_a_length_is_read_as_typed_and_shown_to_the_last_token(
    capsys: pytest.CaptureFixture[str], typed: str, count: str
) -> None:
    code, said, _ = run(capsys, "train", "--model", "llama-3-8b", *H100, "--count", "64", "--seq-len", typed)
    assert code == OK
    assert f"sequences of {count} tokens are longer than the 8,192 the model was made for" in said


@pytest.mark.parametrize(("verb", "typed", "wish"), [
    (("train", "--seq-len"), "16777217", "--seq-len: want a number, at most 16,777,216, got 16777217."),
    (("serve", "--input-tokens"), "20M", "--input-tokens: want a number, at most 16,777,216, got 20000000."),
    (("serve", "--output-tokens"), "1.5", "want a whole number of tokens such as 4096, 128k or 1,048,576, got '1.5'"),
])  # fmt: skip
def test_a_length_beyond_the_limit_is_refused_in_whole_numbers(
    capsys: pytest.CaptureFixture[str], verb: tuple[str, str], typed: str, wish: str
) -> None:
    code, _, err = run(capsys, verb[0], "--model", "llama-3-8b", *H100, verb[1], typed)
    assert code == BAD_INPUT
    assert wish in err


def test_a_service_takes_the_longest_text_of_a_model(capsys: pytest.CaptureFixture[str]) -> None:
    """Llama 4 Scout was made for 10,485,760 tokens."""
    code, _, err = run(capsys, "serve", "--model", "llama-4-scout", *H100, "--input-tokens", "10,485,760")
    assert (code, err) == (OK, "")
