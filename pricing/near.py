"""The known words that a misspelt word probably stands for.

Two words are close when one slip for every four letters leads from one to the other, or when the known one begins with
the other. A slip is a letter too much, too few, another one, or two that changed places. Words of two letters are close
to none. A share of common letters does not do: Rwanda has two thirds of Canada's, and short codes are alike by chance.
"""

from collections.abc import Iterable

_LETTERS_PER_SLIP = 4
_FEWEST = 3  # letters of a word that may have a slip, or be the beginning of another


def near(word: str, words: Iterable[str], most: int = 1, slips: int | None = None) -> list[str]:
    """The known words that `word` was probably meant to be, the closest first; upper and lower case are alike."""
    typed = word.casefold()
    slips = slips or max(len(typed) // _LETTERS_PER_SLIP, int(len(typed) >= _FEWEST))
    every = tuple(words)
    counts = (
        (_slips(typed, candidate.casefold(), slips), candidate)
        for candidate in every
        if abs(len(candidate) - len(typed)) <= slips
    )
    close = [candidate for count, candidate in sorted(counts, key=lambda pair: pair[0]) if count <= slips]
    longer = [
        candidate
        for candidate in every
        if len(typed) >= _FEWEST and candidate.casefold().startswith(typed) and candidate not in close
    ]
    return [*close, *longer][:most]


def _slips(word: str, other: str, most: int) -> int:
    """Return how many slips lead from one word to the other; more than `most` where there are more."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(word, start=1):
        current = [row]
        for column, mark in enumerate(other, start=1):
            best = min(last[column] + 1, current[-1] + 1, last[column - 1] + (letter != mark))
            if before and column > 1 and letter == other[column - 2] and mark == word[row - 2]:
                best = min(best, before[column - 2] + 1)
            current.append(best)
        if min(current) > most:
            return most + 1
        before, last = last, current
    return last[-1]
