"""Where every number is from: the figures behind a plan, and the sources with their licences."""

from datetime import date

from planner.report import words
from planner.report.table import Table
from pricing import Catalogue
from pricing.catalogue import cited_sources, figures
from pricing.stale import ALLOWED_DAYS, stale


def sources_table(catalogue: Catalogue) -> Table:
    """Every source: who, where, read when, under which licence, and how many statements rest on it."""
    cited: dict[str, int] = {}
    for _, _, source in cited_sources(catalogue):
        cited[source] = cited.get(source, 0) + 1
    return Table.of(
        [
            {
                "Source": source.title,
                "Publisher": source.publisher or "",
                "Cited": cited.get(key, 0),
                "Read": source.retrieved,
                "Licence": source.licence,
                "Credit": source.attribution or "",
                "Address": source.url if source.url.startswith("http") else None,
            }
            for key, source in sorted(catalogue.sources.items(), key=lambda item: (-cited.get(item[0], 0), item[0]))
        ]
    )


def required_credits(catalogue: Catalogue) -> list[tuple[str, str, str]]:
    """The credit lines licences ask for: line, licence, address."""
    owed = {
        (source.attribution, source.licence, source.url) for source in catalogue.sources.values() if source.attribution
    }
    return sorted((str(line), licence, url) for line, licence, url in owed)


def counts_table(catalogue: Catalogue, day: date) -> Table:
    """How much the catalogue holds, and how much of it is due for another look."""
    due: dict[str, int] = {}
    for old in stale(catalogue, day):
        due[old.placed.section] = due.get(old.placed.section, 0) + 1
    held: dict[str, int] = {}
    for placed in figures(catalogue):
        held[placed.section] = held.get(placed.section, 0) + 1
    sections = {
        "accelerators": "Accelerators",
        "servers": "Servers",
        "hosts": "Machines off the shelf",
        "providers": "Providers",
        "offers": "Rental offers",
        "series": "Price histories",
        "sites": "Places",
        "places": "What machines stand in",
        "models": "Model shapes",
        "hosted": "Hosted models' prices",
        "facts": "Other facts",
    }
    return Table.of(
        [
            {
                "Facts about": label,
                "Records": len(getattr(catalogue, section)),
                "Figures": held.get(section, 0),
                "Due for another look": due.get(section, 0),
            }
            for section, label in sections.items()
        ]
    )


def refresh_limits_text() -> str:
    """For how long each kind of figure is believed, in words."""
    return words.listed(f"{kind.replace('_', ' ')} {days} days" for kind, days in ALLOWED_DAYS.items())
