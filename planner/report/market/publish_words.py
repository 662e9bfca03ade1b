"""What stands beside published prices, for people: what they are, of whom, on which terms."""

from planner.report import words
from pricing.feeds.published import LATEST, Published


def readme(published: Published, file: str) -> str:
    """README.md of the folder."""
    lines = (
        f"| {_cell(name)} | {_cell(about.label)} | {_cell(about.page)} | {_cell(about.licence)} |"
        for name, about in published.sources.items()
    )
    return (
        f"# Prices of {words.day(published.day)}\n\n"
        f"{words.count(len(published.rows), 'price')} of {words.count(len(published.sources), 'source')}, each as its "
        f"source said it, believed after a check. `{file}` holds them; `{LATEST}` names the newest file.\n\n"
        "Read them with `python -m planner refresh --source` and the address of this folder.\n\n"
        "Whoever passes them on names the sources and keeps to their terms:\n\n"
        "| Source | Name | Page | Licence |\n| --- | --- | --- | --- |\n" + "\n".join(lines) + "\n"
    )


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "/")


def published_words(published: Published, folder: str) -> str:
    """What was written."""
    prices, sources = words.count(len(published.rows), "price"), words.count(len(published.sources), "source")
    return f"{prices} of {sources} written to {folder}.\n"
