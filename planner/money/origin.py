"""Where a figure's number came from, in the words a ledger shows."""

from planner.money.ledger import Origin
from pricing import Catalogue, Figure
from pricing.caching import arguments, cached


@cached(2_000, same=arguments)  # a plan asks for the same one in every way, and at both ends
def origin(catalogue: Catalogue, figure: Figure) -> Origin:
    """The origin of the figure's newest value."""
    value = figure.newest
    source = catalogue.sources[value.source]
    said_by = "your quote" if source.via == "yours" else source.title
    where = ". ".join(part for part in (value.locator, value.note) if part)
    return Origin(
        said_by,
        value.kind,
        since=figure.since,
        checked=figure.checked,
        url=source.url,
        note=where or None,
        figure=figure,
    )


def judged(note: str) -> Origin:
    """A number nobody published; `note` says why this one."""
    return Origin("assumption", "assumption", note=note)
