"""Why a network cannot be counted. Each text is a sentence for a person, with what was wanted."""

from pricing import PricingError


class UnknownShape(PricingError):
    """The record does not say enough to count what the network does. The text says what is missing."""


class GapInShape(UnknownShape):
    """The record lacks one number of its shape; what its size usually is built like can stand in."""


class CannotCount(UnknownShape):
    """The parameters cannot be counted again from the shape on record. The text says why."""
