"""Tables of measured runs: from text to rows and cells, or one sentence with the mistake and its place."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from math import isfinite, prod

from planner.network.guess import ModelSizes, size_in_name
from planner.scenario.vocabulary import Kind
from planner.speed.hardware import DATA
from pricing import PricingError
from pricing.formulas import NO_PLACE, unseen

Row = Mapping[str, str]
LEAST = 1e-12  # nothing in a table of runs is measured in less
YES, NO = ("yes", "true", "1", "1.0"), ("no", "false", "0", "0.0")


def text(row: Row, column: str) -> str:
    """Return a cell without surrounding blanks; empty if missing."""
    return (row.get(column) or "").strip()


def number(row: Row, column: str) -> float | None:
    """Return a cell as a positive number; None if it is empty or not a number."""
    try:
        value = float(text(row, column))
    except ValueError:
        return None
    return value if value >= LEAST and isfinite(value) else None


def is_yes(row: Row, column: str) -> bool:
    """Return whether a cell says yes."""
    return text(row, column).casefold() in YES


def stated_sizes(row: Row) -> ModelSizes:
    """Return the sizes that a row states beside its model's name."""
    return ModelSizes(number(row, "params_b"), number(row, "active_params_b"), year(text(row, "published")))


def year(published: str) -> float | None:
    """Return the decimal year of `2024-07`, `2024-07-15`, `2024` or the first of `2021-2024`."""
    match = re.match(r"(\d{4})(?:-(\d{2})(?!\d))?", published)
    return match and int(match.group(1)) + (int(match.group(2) or 7) - 0.5) / 12


_ONE_OR_MORE = ("layers", "hidden", "heads")
_MILLIONS = 1e3  # times what the name says: a slip of units, not another way to count


def contradictions(row: Row, *, ranks: bool) -> Iterator[str]:
    """Return the contradictions of a row: each begins with the column, as other messages about cells do.

    `ranks` of a training run take an accelerator each; tables of services count some of theirs twice.
    """
    for name in _ONE_OR_MORE:
        if text(row, name) and number(row, name) is None and text(row, name).strip("0.") == "":
            yield f", column {name}: want 1 or more, got {text(row, name)}"
    hidden, heads, kv_heads = (number(row, name) for name in ("hidden", "heads", "kv_heads"))
    if hidden and heads and hidden % heads:
        yield f", column heads: {heads:,.0f} do not divide a width (hidden) of {hidden:,.0f}; want a number that does"
    if heads and kv_heads and heads % kv_heads:
        yield f", column kv_heads: {kv_heads:,.0f} do not divide {heads:,.0f} heads; want a number that does"
    total, named = number(row, "params_b"), size_in_name(text(row, "model"))
    if total and named and 1 / 2 < total / named / _MILLIONS < 2:
        yield (
            f", column params_b: want billions, about {named:g} as the model's name says, got {total:g}; "
            f"it looks like millions: write {total / _MILLIONS:g}"
        )
    sizes = {name: number(row, name) or 1.0 for name in ("tp", "pp", "cp")}
    needed, count = prod(sizes.values()), number(row, "n_accelerators")
    if ranks and count and needed > count:
        layout = " x ".join(name for name, size in sizes.items() if size > 1)
        yield f", column n_accelerators: {layout} take {needed:,.0f} accelerators, got {count:,.0f}"


MOST_ROWS = 200_000
_NOTHING = ("-", "–", "n/a", "na", "nan", "none", "null", "unknown", "not stated", "?")  # how tables leave a cell empty
LARGEST = 1e16  # no rate of a run comes near
# Bounds of a run's cells, ten times and more beyond any published: a value outside is a mistake, and would only cost
# time. Billions of parameters are checked where a shape is guessed from them.
_MOST = {
    "layers": 1e4, "hidden": 1e6, "heads": 1e4, "kv_heads": 1e4, "ffn_hidden": 1e7, "vocab": 1e8, "seq_len": 1e9,
    **dict.fromkeys(("n_accelerators", "tp", "pp", "vpp", "cp", "ep", "dp", "micro_batch"), 1e6),
    **dict.fromkeys(("data_parallel", "prefill_instances", "decode_instances", "draft_tokens", "polled_steps"), 1e4),
    **dict.fromkeys(("global_batch_sequences", "concurrency_or_batch", "input_tokens", "output_tokens"), 1e9),
}  # fmt: skip
_WHOLE = (
    *("layers", "hidden", "heads", "kv_heads", "n_accelerators", "tp", "pp", "vpp", "cp", "ep", "dp"),
    *("data_parallel", "prefill_instances", "decode_instances", "draft_tokens"),
)
_YES_OR_NO = (*YES, *NO)
_REQUIRED = ("id", "model", "accelerator", "n_accelerators")
_NAMES, _LONGEST_NAME, _LONGEST_TEXT = ("id", "model", "accelerator"), 200, 2_000
_MOST_LINES = 100  # of one row, where notes have several; a quote that is not closed ends there
UNREADABLE = "unreadable"  # the column of a row's mistake; no table can have its own


class SkippedRunError(PricingError):
    """A row without a prediction, with the reason."""


@dataclass(frozen=True)
class RunTable:
    """The table of one kind of runs: its published file and its columns."""

    kind: Kind
    published: str  # the file, in planner/speed/data
    text: tuple[str, ...]
    numbers: tuple[str, ...]
    choices: Mapping[str, tuple[str, ...]] = field(hash=False)  # words that a cell may be, by column
    measures: tuple[str, ...]  # measured columns, which distinguish the kinds of tables
    predicts: tuple[str, ...]
    rates: tuple[str, ...]  # of those; the first that is predicted has a band
    of_each: bool  # accelerator, not of all together
    source: str
    engine: str
    precision: str
    method: str
    tokens: tuple[str, ...]  # of a sequence, or of a prompt with its answer
    template: str  # a file to start from, without the measured figure


TRAINING = RunTable(
    kind="training",
    published="training_runs.csv",
    text=(
        *("id", "model", "accelerator", "gated_mlp", "precision", "activation_recompute", "sharding", "offload"),
        *("framework", "attention_flops_counted", "source_title", "source_url", "published", "task", "source_key"),
        *("quality_tier",),
    ),
    numbers=(
        *("params_b", "active_params_b", "layers", "hidden", "heads", "kv_heads", "ffn_hidden", "vocab", "seq_len"),
        *("n_accelerators", "tp", "pp", "vpp", "cp", "ep", "dp", "micro_batch", "global_batch_sequences"),
        *("tokens_per_s_per_accelerator", "model_tflops_per_accelerator", "mfu_pct", "step_time_s"),
        *("hw_tflops_per_accelerator", "peak_memory_gb", "peak_tflops_used", "node_network_gbps"),
    ),
    choices={"fused_attention": _YES_OR_NO, "drops_tokens": _YES_OR_NO},
    measures=("tokens_per_s_per_accelerator", "step_time_s", "model_tflops_per_accelerator"),
    predicts=("tokens_per_s_per_accelerator", "step_time_s", "peak_memory_gb"),
    rates=("tokens_per_s_per_accelerator",),
    of_each=True,
    source="source_key",
    engine="framework",
    precision="precision",
    method="task",
    tokens=("seq_len",),
    template="id,model,accelerator,n_accelerators,precision,tp,pp,seq_len,global_batch_sequences,task,framework,"
    "published,tokens_per_s_per_accelerator\n"
    "our-run-1,Llama 3 8B,H100 SXM5 80GB,64,bf16,1,1,8192,512,pretrain,Megatron-LM,2026-03,\n",
)
SERVING = RunTable(
    kind="serving",
    published="inference_runs.csv",
    text=(
        *("id", "model", "weight_precision", "kv_precision", "accelerator", "mode", "engine", "source_title"),
        *("source_url", "published", "task", "quality"),
    ),
    numbers=(
        *("params_b", "active_params_b", "n_accelerators", "tp", "pp", "ep", "input_tokens", "output_tokens"),
        *("concurrency_or_batch", "output_tokens_per_s_total", "requests_per_s", "ttft_ms", "tpot_ms"),
        *("data_parallel", "prefill_instances", "decode_instances", "draft_tokens", "arrivals_per_s"),
        *("polled_steps", "ttft_limit_ms", "tpot_limit_ms"),
    ),
    choices={
        "batching": ("static", "average", "continuous"),
        "counted": ("all", "prompts", "pool"),
        **dict.fromkeys(("tuned_limits", "attention_dp", "overloaded", "accelerator_inferred"), _YES_OR_NO),
    },
    measures=("output_tokens_per_s_total", "requests_per_s", "tpot_ms", "ttft_ms"),
    predicts=("output_tokens_per_s_total", "requests_per_s", "ttft_ms", "tpot_ms"),
    rates=("output_tokens_per_s_total", "requests_per_s"),
    of_each=False,
    source="source_title",
    engine="engine",
    precision="weight_precision",
    method="mode",
    tokens=("input_tokens", "output_tokens"),
    template="id,model,accelerator,n_accelerators,weight_precision,tp,input_tokens,output_tokens,"
    "concurrency_or_batch,mode,engine,published,output_tokens_per_s_total\n"
    "our-run-1,Llama 3.1 8B,H100 SXM5 80GB,1,fp8,1,1000,300,64,offline,vLLM,2026-03,\n",
)
TABLES: dict[Kind, RunTable] = {table.kind: table for table in (TRAINING, SERVING)}


def published_runs(table: RunTable) -> list[dict[str, str]]:
    return read_run_rows((DATA / table.published).read_text(encoding="utf-8"), table, file=table.published)


def read_run_rows(text: str, table: RunTable, *, file: str) -> list[dict[str, str]]:
    """Return the rows of a CSV. One that cannot be read says so under `unreadable`; an unusable table is refused."""
    records = list(_records(text.removeprefix("\ufeff")))
    if not records:
        raise PricingError(f"{file}: empty; want a first line with the columns {', '.join(_REQUIRED)}, …")
    if records[0].wrong:
        raise PricingError(f"{file}: line 1: not a CSV table: {records[0].wrong}")
    if len(records) > MOST_ROWS + 1:
        raise PricingError(f"{file}: {len(records) - 1:,} rows, want at most {MOST_ROWS:,}.")
    header = [name.strip() for name in records[0].cells]
    _check_header(header, file)
    return [_row(record, header, table) for record in records[1:] if record.wrong or any(record.cells)]


@dataclass(frozen=True)
class _CsvRecord:
    """One row of the file: its first line and its cells, or its mistake as CSV."""

    line: int
    cells: tuple[str, ...] = ()
    wrong: str = ""


_LOST = "not a row of a CSV, its lines do not make so many cells; are its quotes closed?"


def _records(text: str) -> Iterator[_CsvRecord]:
    """Yield the rows of a CSV one by one: a mistake in one, such as an open quote, leaves the others whole."""
    lines = io.StringIO(text, newline="").readlines()
    width, at = 0, 0
    while at < len(lines):
        reader = csv.reader(iter(lines[at : at + _MOST_LINES]), strict=True)
        try:
            cells = tuple(next(reader))
        except csv.Error as error:
            yield _CsvRecord(at + 1, wrong=f"not a row of a CSV, {error}; are its quotes closed?")
            at += 1
            continue
        width = width or len(cells)
        whole = reader.line_num == 1 or len(cells) == width
        yield _CsvRecord(at + 1, cells) if whole else _CsvRecord(at + 1, wrong=_LOST)
        at += reader.line_num if whole else 1


def decode_table(data: bytes, *, file: str) -> str:
    """Return the text of an uploaded table: UTF-8, with or without its mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PricingError(f"{file}: want UTF-8 text, got byte 0x{error.object[error.start]:02x}.") from error


def kind_of(text: str, *, file: str) -> Kind:
    """Return whether a CSV holds training or serving runs, by its measured columns."""
    try:
        header = next(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True), [])
    except csv.Error as error:
        raise PricingError(f"{file}: not a CSV table: {error}.") from error
    columns = {name.strip() for name in header}
    kinds = [kind for kind, table in TABLES.items() if columns & set(table.measures)]
    if len(kinds) == 1:
        return kinds[0]
    wish = "; or ".join(f"for {kind} runs {', '.join(table.measures)}" for kind, table in TABLES.items())
    got = "columns of both kinds; separate the two" if kinds else "no column says what was measured"
    raise PricingError(f"{file}: line 1: {got}. Want one or more {wish}.")


def check_readable(row: Mapping[str, str]) -> None:
    """Raise `SkippedRunError` for a row whose cells could not be read."""
    if row.get(UNREADABLE):
        raise SkippedRunError(row[UNREADABLE])


def _check_header(header: Sequence[str], file: str) -> None:
    missing = [name for name in _REQUIRED if name not in header]
    if missing:
        near = get_close_matches(missing[0], header, n=1)
        hint = (
            f" Is it the column {near[0]!r}?" if near else " Are cells separated by commas?" if len(header) < 2 else ""
        )
        raise PricingError(f"{file}: line 1: no column {missing[0]!r}; want {', '.join(_REQUIRED)}.{hint}")
    twice = [name for name, times in Counter(header).items() if times > 1 and name]
    if twice:
        raise PricingError(f"{file}: line 1: the column {twice[0]!r} stands there twice.")


def _row(record: _CsvRecord, header: Sequence[str], table: RunTable) -> dict[str, str]:
    row = dict.fromkeys(header, "") | dict(zip(header, (cell.strip() for cell in record.cells), strict=False))
    for name in (*table.numbers, *table.choices):
        if row.get(name, "").casefold() in _NOTHING:
            row[name] = ""
    wrong = f": {record.wrong}" if record.wrong else next(_mistakes(len(record.cells), header, row, table), None)
    for name in table.text:
        row[name] = row.get(name, "")[:_LONGEST_TEXT]
    where = f"line {record.line}"
    return row | {"id": row["id"] or where, UNREADABLE: f"{where}{wrong}" if wrong else ""}


def _mistakes(cells: int, header: Sequence[str], row: Mapping[str, str], table: RunTable) -> Iterator[str]:
    if cells != len(header):
        yield f": {cells} cells under {len(header)} columns"
    for name in _NAMES:
        if len(row.get(name, "")) > _LONGEST_NAME:
            yield f", column {name}: {len(row[name]):,} characters, want at most {_LONGEST_NAME}"
    for name in _REQUIRED:  # that identify a run
        if mark := unseen(row.get(name, "")):
            yield f", column {name}: {mark} {NO_PLACE}"
    for name in (*table.numbers, *table.choices):
        cell = row.get(name, "")
        if cell and (wish := _choice(cell, table.choices[name]) if name in table.choices else _wish(cell, name)):
            yield f", column {name}: want {wish}, got {cell[:40]!r}"
    yield from contradictions(row, ranks=table.kind == "training")


def _choice(cell: str, words: Sequence[str]) -> str:
    """Return what a cell should have been; empty where it is one of the words."""
    return "" if cell.casefold() in words else f"one of {', '.join(words)}"


def _wish(cell: str, column: str) -> str:
    """Return what a cell should have been; empty where it is a number that can be."""
    most = _MOST.get(column, LARGEST)
    try:
        value = float(cell)
    except ValueError:
        return "a number"
    if not 0 <= value <= most:
        return f"a number from 0 to {most:,.0f}" if most < LARGEST else "a number"
    return "a whole number" if column in _WHOLE and not value.is_integer() else ""
