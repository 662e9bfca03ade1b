"""Quote files, row by row, for tests: written as text, read against the small catalogue, laid over it."""

from collections import defaultdict
from datetime import date

from pricing.catalogue import Catalogue, figures
from pricing.figure import Figure
from pricing.load import _check_references
from pricing.quotes import Quotes, parse_quotes, with_quotes
from tests.facts import DAY
from tests.small_catalogue import small_catalogue

SMALL = small_catalogue()
PER_CHIP = "usd_per_accelerator_hour"
HEADER = "provider,accelerator,usd_per_accelerator_hour\n"
GOOD_ROW = "Acme,h100-sxm,3.25\n"
CHIP, CARD = "H100-SXM5-80GB", "H100-PCIe-80GB"
EU = "northcloud/H100-SXM5-80GB/8x/eu-1/on_demand"
US = "northcloud/H100-SXM5-80GB/8x/us-1/on_demand"
US_YEAR = "northcloud/H100-SXM5-80GB/8x/us-1/reserved_1y"
SOUTH_CARD = "southcloud/H100-PCIe-80GB/1x/global/on_demand"
SOUTH_ASK = "southcloud/H100-SXM5-80GB/8x/global/on_demand"
SPOT = "spotmarket/H100/1x/global/spot"


# Text


def read(text: str | bytes, name: str = "prices.csv", day: date = DAY) -> Quotes:
    raw = text if isinstance(text, bytes) else text.encode()
    return parse_quotes(raw, name=name, catalogue=SMALL, day=day)


def row(**cells: str) -> str:
    """A CSV file with one row, every cell in double quotes."""
    quoted = ",".join('"' + cell.replace('"', '""') + '"' for cell in cells.values())
    return f"{','.join(cells)}\n{quoted}\n"


def offer(**cells: str) -> str:
    return row(**{"kind": "offer", "provider": "Acme", "accelerator": "h100-sxm", **cells})


def priced(usd_per_accelerator_hour: str, **cells: str) -> str:
    return offer(usd_per_accelerator_hour=usd_per_accelerator_hour, **cells)


def eight(**cells: str) -> str:
    return offer(accelerators_per_instance="8", **cells)


def card(**cells: str) -> str:
    return hardware(accelerator="h100-sxm", **cells)


def discount(**cells: str) -> str:
    return row(**{"kind": "discount", "provider": "North Cloud", "discount_share": "0.18", **cells})


def hardware(**cells: str) -> str:
    return row(**{"kind": "hardware", "price_usd": "30000", **cells})


def offer_row(provider: str, accelerator: str, count: int, region: str, usd: float, more: str = "") -> str:
    shape = f"provider: {provider}, accelerator: {accelerator}, accelerators_per_instance: {count}, region: {region}"
    return f"{shape}, usd_per_accelerator_hour: {usd}{more}"


NORTH_EU = offer_row("North Cloud", CHIP, 8, "eu-1", 3.25)


# What becomes of it


def quoted(*rows: str, day: date = DAY, catalogue: Catalogue = SMALL) -> Catalogue:
    """The small catalogue under a YAML file of rows, all of which must be right."""
    raw = "quotes:\n" + "".join(f"- {{{row}}}\n" for row in rows)
    quotes = parse_quotes(raw.encode(), name="prices.yaml", catalogue=catalogue, day=day)
    assert quotes.problems == ()
    result = with_quotes(catalogue, quotes)
    assert_sound(result)
    return result


def assert_sound(catalogue: Catalogue) -> None:
    """It would pass for a catalogue read from files: every record valid, every reference and citation in place."""
    assert Catalogue.model_validate_json(catalogue.model_dump_json()) == catalogue
    _check_references(catalogue, defaultdict(lambda: "a file"))
    assert catalogue.day == max(placed.figure.checked for placed in figures(catalogue))


def price(catalogue: Catalogue, offer: str) -> Figure:
    figure = catalogue.offers[offer].usd_per_accelerator_hour
    assert figure is not None
    return figure
