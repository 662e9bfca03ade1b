"""How many examples a property is tried on: so many, and fewer where the profile is in a hurry."""

from typing import Any

from hypothesis import settings

_USUAL = 100  # as hypothesis has it


def at_most(examples: int, **more: Any) -> settings:
    """Settings of a property whose examples take long, or that takes many; `more` is what hypothesis calls it."""
    profile = settings.default.max_examples
    return settings(max_examples=min(examples, profile) if profile < _USUAL else examples, **more)
