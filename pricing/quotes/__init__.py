"""Quotes: the user's own prices. They win over the catalogue everywhere, and are marked "yours".

A file holds rows of three kinds:

- `offer`: a price for a shape. Without a price it is an offer to ask a quote for, never one at 0.
- `discount`: a share off a provider's list prices (0.18 is 18 %), perhaps only for one chip, shape, region or term.
- `hardware`: what one accelerator, or one whole server, was offered for.

`parse_quotes` reads a file, row by row; `with_quotes` lays the good rows over a catalogue.
"""

from datetime import date

from pricing.catalogue import Catalogue
from pricing.orderable import YOURS
from pricing.quotes.files import COLUMNS, MAX_BYTES, MAX_ROWS, QuoteProblem, read_rows
from pricing.quotes.overlay import Quotes, is_yours, with_quotes
from pricing.quotes.records import AnyQuote, DiscountQuote, HardwareQuote, KnownNames, OfferQuote
from pricing.quotes.rows import QuoteReviewer, RowReader

__all__ = [
    "COLUMNS",
    "MAX_BYTES",
    "MAX_ROWS",
    "TEMPLATE_CSV",
    "YOURS",
    "DiscountQuote",
    "HardwareQuote",
    "OfferQuote",
    "QuoteProblem",
    "Quotes",
    "is_yours",
    "parse_quotes",
    "with_quotes",
]

_LONGEST_NAME = 100

# A file to start from: one row of each kind, all examples.
TEMPLATE_CSV = "\n".join(
    (
        ",".join(COLUMNS),
        "offer,Example Cloud,H100 SXM5 80GB,8,Frankfurt,europe,reserved_1y,64,2.45,,,,,,,,USD,,,,,our reseller's offer",
        "offer,Example Cloud,H200 SXM 141GB,8,Frankfurt,europe,reserved_1y,,,,,,,,,,USD,,,,,no price yet: requested",
        "discount,AWS,,,,,on_demand,,,,0.18,,,,,,,,,,,18 % off list for on demand",
        "hardware,,H100 SXM5 80GB,,,,,,,,,,,31000,29000,34000,USD,,,,,one card",
        "",
    )
)


def parse_quotes(raw: bytes, *, name: str, catalogue: Catalogue, day: date) -> Quotes:
    """Read a file somebody brought: good rows kept, bad rows listed. A file that is no such file is a `QuoteError`."""
    visible = "".join(character for character in name if character.isprintable()).strip()
    shown_name = visible[:_LONGEST_NAME] or "your file"
    rows, problems = read_rows(raw, name=shown_name)
    names = KnownNames(catalogue)
    reader, questioner = RowReader(catalogue, day, names), QuoteReviewer(catalogue, names)
    good: list[AnyQuote] = []
    questions: list[QuoteProblem] = []
    for row in rows:
        quote = reader.read(row)
        if isinstance(quote, tuple):
            problems += quote
        else:
            good.append(quote)
            questions += questioner.about(row, quote)
    return Quotes(
        name=shown_name,
        day=day,
        offers=tuple(quote for quote in good if isinstance(quote, OfferQuote)),
        discounts=tuple(quote for quote in good if isinstance(quote, DiscountQuote)),
        hardware=tuple(quote for quote in good if isinstance(quote, HardwareQuote)),
        problems=tuple(sorted(problems, key=lambda problem: problem.line)),
        questions=tuple(questions),
    )
