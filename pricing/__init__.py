"""Facts: what a thing costs or can do, since when, and who says so.

Each name is loaded on first use: building the records takes longer than a command line may take to refuse a word.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pricing.catalogue import Catalogue
    from pricing.errors import AmbiguousNameError, CatalogError, PricingError, QuoteError, UnknownNameError
    from pricing.figure import Figure, FigureValue, Source
    from pricing.load import load_catalogue
else:
    _HOME = {
        "Catalogue": "catalogue",
        **dict.fromkeys(
            ("AmbiguousNameError", "CatalogError", "PricingError", "QuoteError", "UnknownNameError"), "errors"
        ),
        **dict.fromkeys(("Figure", "Source", "FigureValue"), "figure"),
        "load_catalogue": "load",
    }

    def __getattr__(name):
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return globals().setdefault(name, getattr(import_module(f"{__name__}.{_HOME[name]}"), name))


__all__ = [
    "AmbiguousNameError",
    "CatalogError",
    "Catalogue",
    "Figure",
    "FigureValue",
    "PricingError",
    "QuoteError",
    "Source",
    "UnknownNameError",
    "load_catalogue",
]
