"""Text in the cells of a CSV: a spreadsheet may run what starts with = + - @, a tab or a line end as a formula.

Such text gets an apostrophe in front where it is written, and loses it where it is read.
"""

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def guarded(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    return "'" + text if text.lstrip(" \u00a0").startswith(_FORMULA_STARTS) else text


def unguarded(cell: str) -> str:
    """The text of a cell as it was before it was guarded."""
    return cell[1:] if cell.startswith("'") and guarded(cell[1:]) == cell else cell
