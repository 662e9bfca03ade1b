"""What was probably meant: close words are found, words that only share letters are not."""

import pytest

from pricing.near import near


@pytest.mark.parametrize(("word", "known", "found"), [
    ("bussy", ["busy", "years"], ["busy"]), ("wrok", ["work", "rent"], ["work"]),
    ("Token", ["tokens", "train"], ["tokens"]), ("germny", ["germany", "vermont"], ["germany"]),
    ("swizerland", ["ireland", "switzerland", "iceland"], ["switzerland"]),
    ("rwanda", ["canada", "romania", "ireland"], []), ("oman", ["roma", "maine"], []),
    ("uganda", ["canada", "england", "georgia"], []), ("RO", ["CA", "RD", "R"], []), ("", ["a", ""], [""]),
    ("macrs", ["bonus", "macrs-5-half-year"], ["macrs-5-half-year"]), ("ma", ["macrs-5-half-year"], []),
    ("mi300z", ["mi300x", "mi300a", "h100"], ["mi300x", "mi300a"]),
])  # fmt: skip
def test_only_close_words_are_found_the_closest_first(word: str, known: list[str], found: list[str]) -> None:
    assert near(word, known, 3) == found
