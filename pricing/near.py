"""Words that were probably meant: what is close to a word that nobody knows.

Two words are close when one slip for every four letters leads from one to the other, or when the known one begins with
the other. A slip is a letter too much, too few, another one, or two that changed places. Words of two letters are close
to none. A share of common letters does not do: Rwanda has two thirds of Canada's, and short codes are alike by chance.
"""

from collections.abc import Iterable

_LETTERS_PER_SLIP = 4
_FEWEST = 3  # letters of a word that may have a slip, or be the beginning of another


def near(word: str, known: Iterable[str], most: int = 1) -> list[str]:
    """The known words that `word` was probably meant to be, the closest first; upper and lower case are alike."""
    wanted = word.casefold()
    slips = max(len(wanted) // _LETTERS_PER_SLIP, int(len(wanted) >= _FEWEST))
    every = tuple(known)
    counts = ((_slips(wanted, one.casefold(), slips), one) for one in every if abs(len(one) - len(wanted)) <= slips)
    close = [one for count, one in sorted(counts, key=lambda pair: pair[0]) if count <= slips]
    longer = [one for one in every if len(wanted) >= _FEWEST and one.casefold().startswith(wanted) and one not in close]
    return [*close, *longer][:most]


def _slips(word: str, other: str, most: int) -> int:
    """How many slips lead from one word to the other; more than `most` where there are more than that."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(word, start=1):
        here = [row]
        for column, mark in enumerate(other, start=1):
            best = min(last[column] + 1, here[-1] + 1, last[column - 1] + (letter != mark))
            if before and column > 1 and letter == other[column - 2] and mark == word[row - 2]:
                best = min(best, before[column - 2] + 1)
            here.append(best)
        if min(here) > most:
            return most + 1
        before, last = last, here
    return last[-1]
