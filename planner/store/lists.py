"""Kept plans and their trail as tables, the same on the page and the command line."""

from collections.abc import Sequence

from planner.report.table import Table
from planner.store.kept import KeptPlan

TRAIL_HEADS = ["When (UTC)", "Plan", "Who", "What", "Details"]


def plans_table(plans: Sequence[KeptPlan]) -> Table:
    """Return one row for each plan: name, folder, tags, version, when and by whom, its answer, whose it is."""
    rows = [
        (plan.name, plan.folder, ", ".join(plan.tags), plan.newest.number, f"{plan.newest.saved:%Y-%m-%d %H:%M}",
         plan.newest.person, plan.newest.result["title"], plan.author, plan.right.name.lower())
        for plan in plans
    ]  # fmt: skip
    heads = ("Plan", "Folder", "Tags", "Version", "Saved (UTC)", "By", "Answer", "Author", "You may")
    return Table.from_raw_rows(dict(zip(heads, row, strict=True)) for row in rows)
