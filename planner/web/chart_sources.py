"""'Sources' below a chart: the figures that it rests on, with their day and link, made when somebody asks."""

from collections.abc import Callable, Iterable

from planner.money.ledger import Ledger
from planner.report.answer.pinned import priced
from planner.report.facts.cited import cited_table
from planner.web import show, state


def below(key: str, ledgers: Callable[[], Iterable[Ledger]]) -> None:
    """The sources of the chart of this key, which rests on these ledgers."""
    with show.table_on_demand(f"sources-{key}", "Sources") as is_open:
        if is_open:
            table = cited_table(ledgers())
            show.frame_of(table, hide_index=True, column_config={"Link": show.OPEN}, placeholder="", alt=_ALT)
            show.csv_button(table, f"sources-{key}.csv", f"csv-sources-{key}")
            show.next_page("Assumptions", "All of them by weight, and how to change them")


_ALT = "The figures of the chart above, with who says so."


def of_plan() -> list[Ledger]:
    """The ways of the plan on the screen, and the best one of each pinned plan."""
    ranked = [way.option.ledger for way in state.reckoned().answer.ranked]
    return ranked + [best.option.ledger for _, best in priced(state.pinned())]
