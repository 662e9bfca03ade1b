"""A property that is reckoned once and then kept, without making anybody else wait.

Up to Python 3.11 `functools.cached_property` holds one lock for all instances of a class while one of them is
reckoned: the demand of one person's plan would wait for that of another's. Here two who ask the same instance at the
same time may both reckon it, as they do from Python 3.12 on.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

__all__ = ["cached_property", "without"]


def without(instance: object, *names: str) -> dict[str, Any]:
    """What stands in an instance, but for some that it can reckon again: what is sent of it to another process."""
    return {name: value for name, value in instance.__dict__.items() if name not in names}


if TYPE_CHECKING:  # to who checks types it is the same
    from functools import cached_property
else:

    class cached_property(functools.cached_property):  # noqa: N801
        """A cached property without a lock, as `functools.cached_property` is from Python 3.12 on."""

        def __get__(self, instance: object, owner: type[Any] | None = None) -> Any:
            """The value; the first to ask reckons it."""
            if instance is None:
                return self
            name, kept = self.attrname, instance.__dict__
            if name not in kept:
                kept[name] = self.func(instance)
            return kept[name]
