"""How many examples a property is tried on: so many at most, and fewer where the profile is in a hurry."""

from typing import Any

from hypothesis import settings


def at_most(examples: int, **more: Any) -> settings:
    """Settings of a property whose examples take long; `more` is what hypothesis calls it."""
    return settings(max_examples=min(examples, settings.default.max_examples), **more)
