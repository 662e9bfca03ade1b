"""Files of constants as text: what they were fitted on, when and by which command, the constants and the bands."""

from collections.abc import Iterable, Mapping, Sequence

from planner.speed.bands import Band, ErrorSpread, Level

_SPREAD_NOTE = (
    "# How wide the band of a run is: `below` and `above` are logarithms, multiplied by `wider` for each of its traits",
    "# and by `step` for each trait in which the nearest fitted runs, which stand under `seen`, differ from it.",
)


def constants_text(
    head: Sequence[str],
    constants: Mapping[str, Mapping[str, object]],
    sections: Iterable[str] = (),
    *,
    bands: Mapping[str, Band] | None = None,
    spread: ErrorSpread | None = None,
) -> str:
    """Return the whole file; `sections` stand between the constants and the bands."""
    lines = [*head, "constants:", *(entry(name, **fields) for name, fields in constants.items()), *sections]
    if bands is not None:
        lines.append("bands:")
        lines += [entry(name, low=band.low, high=band.high, rows=band.rows) for name, band in bands.items()]
    return "\n".join([*lines, *spread_lines(spread)]) + "\n"


def entry(name: str, **fields: object) -> str:
    """Return one line of a section."""
    return f"  {name}: {{{', '.join(f'{field}: {value}' for field, value in fields.items())}}}"


def level_lines(levels: Mapping[str, Level]) -> list[str]:
    """Return the section of levels: one line for each setup."""
    note = "# How fast runs of a setup were, over what the constants alone predict, drawn to 1: planner/speed/bands.py."
    lines = [entry(f'"{name}"', ratio=one.ratio, setups=one.setups, runs=one.runs) for name, one in levels.items()]
    return [note, "levels:", *lines] if lines else []


def spread_lines(spread: ErrorSpread | None) -> list[str]:
    """Return the section of how wide the band of a run is; nothing where too few runs were left out to tell."""
    if spread is None:
        return []
    ends = [entry(f"  {name}", below=f"{end.below:.4g}", above=f"{end.above:.4g}", rows=end.rows)
            for name, end in spread.ends.items()]  # fmt: skip
    wider = [
        entry(f"  {name}", **{_quoted(value): f"{times:.3f}" for value, times in by.items()})
        for name, by in spread.wider.items()
    ]
    classes = [f'    "{name}": {times:.3f}' for name, times in spread.classes.items()] or ["    {}"]
    seen = [
        f"    - {{like: [{', '.join(map(_quoted, cell.like))}], runs: {cell.runs}, roots: {cell.roots:.3g}}}"
        for cell in spread.seen
    ]
    return [
        "", *_SPREAD_NOTE, "spread:", f"  traits: [{', '.join(spread.traits)}]", "  ends:", *ends,
        f"  step: {spread.step:.4g}", "  wider:", *wider, "  classes:", *classes, "  seen:", *seen,
    ]  # fmt: skip


def _quoted(word: str) -> str:
    """Return a word as YAML reads it as one: `16` would be a number."""
    return f'"{word}"' if word[:1].isdecimal() else word
