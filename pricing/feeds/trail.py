"""Who read, accepted, refused, undid or explained what of the live prices."""

from pricing.feeds.database import Database
from pricing.feeds.store import GATE


def trail(database: Database) -> list[tuple[str, ...]]:
    """Return when, of which source, what, how many prices and who, the newest first."""
    rows = database.rows(
        "SELECT e.at, f.source, e.kind, COUNT(e.product), e.person FROM events e"
        " JOIN refreshes f ON f.id = e.refresh WHERE e.person <> ?"
        " GROUP BY e.at, f.source, e.kind, e.person ORDER BY MAX(e.id) DESC",
        (GATE,),
    )
    return [tuple(map(str, row)) for row in rows]
