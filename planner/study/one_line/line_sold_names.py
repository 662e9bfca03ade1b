"""Names of who sells tokens or GPUs, of hosted models, machines and cloud instances in a line."""

import re

from planner.study.one_line.line_words import WORDS
from pricing import Catalogue, PricingError, UnknownNameError, names
from pricing.meant import Meant

_MAKERS = ("OpenAI", "Anthropic", "Google", "xAI")
_HOSTED_NAMES = frozenset({"claude", "sonnet", "opus", "haiku", "gpt", "gemini", "grok"})
_NUMBERS = re.compile(r"\d+(?:\.\d+)?")
_PIECES = re.compile(r"[a-z]+|[0-9.]+[a-z]*|[^\Wa-z0-9_]+")
INSTANCE = re.compile(r"\d.*[._-]|[._-]\w*\d")


def seller_called(catalogue: Catalogue, called: str) -> Meant:
    known = {names.plain(price.vendor): price.vendor for price in catalogue.hosted.values()}
    known |= {names.plain(vendor.split()[0]): vendor for vendor in known.values()}
    vendor = WORDS["vendors"].get(called) or known.get(names.plain(called))
    if vendor is None:
        raise UnknownNameError(f"No seller of tokens is called {called!r}.", ())
    return Meant(vendor)


def provider_called(catalogue: Catalogue, called: str) -> Meant | None:
    """Return who rents out GPUs under a name; None where nobody does."""
    try:
        return renter_called(catalogue, called)
    except PricingError:
        return None


def renter_called(catalogue: Catalogue, called: str) -> Meant:
    known = {names.plain(word): key for key, record in catalogue.providers.items() if (word := record.label.split()[0])}
    return Meant(known.get(names.plain(called)) or names.provider(catalogue, called))


def price_called(catalogue: Catalogue, called: str) -> Meant:
    fitting = [key for key in catalogue.hosted if names.plain(key.partition("/")[2]) == names.plain(called)]
    makers = [key for key in fitting if catalogue.hosted[key].vendor in _MAKERS]
    if not fitting:
        return _newest_price(catalogue, called)
    return Meant((makers or fitting)[0])


def _newest_price(catalogue: Catalogue, called: str) -> Meant:
    """Return the newest hosted model of a maker whose name has these words: claude sonnet, gemini flash."""
    pieces = set(_PIECES.findall(called)) - {"-"}
    fitting = [
        key
        for key, price in catalogue.hosted.items()
        if price.vendor in _MAKERS and "(" not in key and pieces <= set(_PIECES.findall(key.split("/")[1].casefold()))
    ]
    if not fitting or not pieces & _HOSTED_NAMES:
        raise UnknownNameError(f"No hosted model is called {called!r}.", ())
    newest = max(fitting, key=lambda key: ([*map(float, _NUMBERS.findall(key))], -len(key)))
    return Meant(newest, f"{called!r} is taken for {catalogue.hosted[newest].label}: it is the newest of that name.")


def machine_called(catalogue: Catalogue, called: str) -> Meant:
    """Return a server, or an offer of the cloud instance of that name: p4d.24xlarge."""
    offers = catalogue.offers.items() if INSTANCE.search(called) else ()
    sku = next((key for key, offer in offers if offer.sku is not None and offer.sku.casefold() == called), None)
    return Meant(sku or _family_of(catalogue, called) or names.server(catalogue, called))


def _family_of(catalogue: Catalogue, called: str) -> str | None:
    """Return the largest offer of a family of cloud instances: p4d, p5."""
    if not re.fullmatch(r"[a-z]{1,2}\d[a-z]{0,3}", called):
        return None
    skus = {
        key: offer for key, offer in catalogue.offers.items() if (offer.sku or "").casefold().startswith(f"{called}.")
    }
    return max(skus, key=lambda key: skus[key].accelerators_per_instance or 0, default=None)
