"""What was made of some records last, kept while somebody asks with the very same objects.

A digest would not do: a copy with other offers may keep it. The objects themselves are held, so that the addresses they
are found by stay theirs.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

_T = TypeVar("_T")


class Kept(Generic[_T]):
    """The last few results, by the objects that they were made of."""

    def __init__(self, most: int) -> None:
        """Room for so many."""
        self._most = most
        self._found: OrderedDict[tuple[int, ...], tuple[tuple[object, ...], _T]] = OrderedDict()

    def of(self, objects: tuple[object, ...], make: Callable[[], _T]) -> _T:
        """What was made of these objects before; made now where it was not."""
        name = tuple(map(id, objects))
        kept = self._found.get(name)
        if kept is not None:
            return kept[1]
        made = make()
        self._found[name] = (objects, made)
        while len(self._found) > self._most:
            self._found.popitem(last=False)
        return made
