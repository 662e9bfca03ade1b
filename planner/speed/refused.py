"""Why something is not worked out. Each text is a sentence for a person, with what was wanted."""

from pricing import PricingError, UnknownName


class BadJob(PricingError):
    """A job that cannot exist. The text says what, why, and the nearest values that can."""


class UnknownChip(PricingError):
    """The catalogue lacks what speed cannot be had without: `lacks` says what, the text also of which accelerator."""

    def __init__(self, lacks: str, *, of: str = "") -> None:
        super().__init__(f"{of}: {lacks}" if of else lacks)
        self.lacks = lacks


class OnlySold(UnknownName):
    """A model that is sold by the token and whose shape is not on record."""
