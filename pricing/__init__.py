"""Facts: what a thing costs or can do, since when, and who says so."""

from pricing.catalogue import Catalogue
from pricing.errors import AmbiguousName, CatalogError, PricingError, QuoteError, UnknownName
from pricing.figure import Figure, Source, Value
from pricing.load import load_catalogue

__all__ = [
    "AmbiguousName",
    "CatalogError",
    "Catalogue",
    "Figure",
    "PricingError",
    "QuoteError",
    "Source",
    "UnknownName",
    "Value",
    "load_catalogue",
]
