"""A table of measured runs as somebody sends it: text in, rows out, or one sentence that says what is wrong where."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from planner.scenario.vocabulary import Kind
from planner.speed.data_files import DATA
from pricing import PricingError
from pricing.marks import NO_PLACE, unseen

TRAINING_RUNS, SERVING_RUNS = "training_runs.csv", "inference_runs.csv"
MOST_ROWS = 200_000
_NOTHING = ("-", "–", "n/a", "na", "nan", "none", "null", "unknown", "not stated", "?")  # how tables leave a cell empty
LARGEST = 1e16  # no rate of a run comes near
# Bounds of what a run is made of, ten times and more beyond any that was published: what lies outside is a slip, and
# would only cost time. Billions of parameters are judged where a shape is guessed from them.
_MOST = {
    "layers": 1e4, "hidden": 1e6, "heads": 1e4, "kv_heads": 1e4, "ffn_hidden": 1e7, "vocab": 1e8, "seq_len": 1e9,
    **dict.fromkeys(("n_accelerators", "tp", "pp", "vpp", "cp", "ep", "dp", "micro_batch"), 1e6),
    **dict.fromkeys(("global_batch_sequences", "concurrency_or_batch", "input_tokens", "output_tokens"), 1e9),
}  # fmt: skip
_WHOLE = ("layers", "hidden", "heads", "kv_heads", "n_accelerators", "tp", "pp", "vpp", "cp", "ep", "dp")
_NAMES, _LONGEST_NAME, _LONGEST_TEXT = ("id", "model", "accelerator"), 200, 2_000
_MOST_LINES = 100  # of one row, where notes have several; a quote that is not closed ends there
UNREADABLE = "unreadable"  # the column in which a row carries what is wrong with it; no table can bring its own


class BadTable(PricingError):
    """A table of runs that cannot be read at all. The text names line and column."""


class Skipped(PricingError):
    """Why a row is not predicted."""


@dataclass(frozen=True)
class TableColumns:
    """What a kind of table has: columns that must be there, and those that hold numbers."""

    required: tuple[str, ...]
    text: tuple[str, ...]
    numbers: tuple[str, ...]


TRAINING = TableColumns(
    required=("id", "model", "accelerator", "n_accelerators"),
    text=(
        *("id", "model", "accelerator", "gated_mlp", "precision", "activation_recompute", "sharding", "offload"),
        *("framework", "attention_flops_counted", "source_title", "source_url", "published", "task", "source_key"),
        *("quality_tier", "notes"),
    ),
    numbers=(
        *("params_b", "active_params_b", "layers", "hidden", "heads", "kv_heads", "ffn_hidden", "vocab", "seq_len"),
        *("n_accelerators", "tp", "pp", "vpp", "cp", "ep", "dp", "micro_batch", "global_batch_sequences"),
        *("tokens_per_s_per_accelerator", "model_tflops_per_accelerator", "mfu_pct", "step_time_s"),
        *("hw_tflops_per_accelerator", "peak_memory_gb", "peak_tflops_used"),
    ),
)
SERVING = TableColumns(
    required=("id", "model", "accelerator", "n_accelerators"),
    text=(
        *("id", "model", "weight_precision", "kv_precision", "accelerator", "mode", "engine", "source_title"),
        *("source_url", "published", "task", "basis", "quality", "notes"),
    ),
    numbers=(
        *(
            "params_b",
            "active_params_b",
            "n_accelerators",
            "tp",
            "pp",
            "ep",
            "input_tokens",
            "output_tokens",
            "concurrency_or_batch",
        ),
        *("output_tokens_per_s_total", "requests_per_s", "ttft_ms", "tpot_ms"),
    ),
)


def published_runs(name: str, columns: TableColumns) -> list[dict[str, str]]:
    """The published runs in planner/speed/data/`name`."""
    return rows_in((DATA / name).read_text(encoding="utf-8"), columns, file=name)


def rows_in(text: str, columns: TableColumns, *, file: str) -> list[dict[str, str]]:
    """The rows of a CSV. One that cannot be read says so under `unreadable`; a table without sense is refused."""
    records = list(_records(text.removeprefix("\ufeff")))
    if not records:
        raise BadTable(f"{file}: empty; want a first line with the columns {', '.join(columns.required)}, …")
    if records[0].wrong:
        raise BadTable(f"{file}: line 1: not a CSV table: {records[0].wrong}")
    if len(records) > MOST_ROWS + 1:
        raise BadTable(f"{file}: {len(records) - 1:,} rows, want at most {MOST_ROWS:,}.")
    header = [name.strip() for name in records[0].cells]
    _check_header(header, columns, file)
    return [_row(record, header, columns) for record in records[1:] if record.wrong or any(record.cells)]


@dataclass(frozen=True)
class _Record:
    """One row as it stands in the file: the line it begins on and its cells, or what is wrong with it as CSV."""

    line: int
    cells: tuple[str, ...] = ()
    wrong: str = ""


_LOST = "not a row of a CSV, its lines do not make so many cells; are its quotes closed?"


def _records(text: str) -> Iterator[_Record]:
    """The rows of a CSV one by one: what is wrong with one, a quote that is not closed say, leaves the others whole."""
    lines = io.StringIO(text, newline="").readlines()
    width, at = 0, 0
    while at < len(lines):
        reader = csv.reader(iter(lines[at : at + _MOST_LINES]), strict=True)
        try:
            cells = tuple(next(reader))
        except csv.Error as error:
            yield _Record(at + 1, wrong=f"not a row of a CSV, {error}; are its quotes closed?")
            at += 1
            continue
        width = width or len(cells)
        whole = reader.line_num == 1 or len(cells) == width
        yield _Record(at + 1, cells) if whole else _Record(at + 1, wrong=_LOST)
        at += reader.line_num if whole else 1


# Columns that hold what was measured, by which the two kinds of tables are told apart.
MEASURES: dict[Kind, tuple[str, ...]] = {
    "training": ("tokens_per_s_per_accelerator", "step_time_s", "model_tflops_per_accelerator"),
    "serving": ("output_tokens_per_s_total", "requests_per_s", "tpot_ms", "ttft_ms"),
}

# A file to start from: what a run of each kind is known by, with the measured figure left to be filled in.
TEMPLATES: dict[Kind, str] = {
    "training": "id,model,accelerator,n_accelerators,precision,tp,pp,seq_len,global_batch_sequences,task,framework,"
    "published,tokens_per_s_per_accelerator\n"
    "our-run-1,Llama 3 8B,H100 SXM5 80GB,64,bf16,1,1,8192,512,pretrain,Megatron-LM,2026-03,\n",
    "serving": "id,model,accelerator,n_accelerators,weight_precision,tp,input_tokens,output_tokens,"
    "concurrency_or_batch,mode,engine,published,output_tokens_per_s_total\n"
    "our-run-1,Llama 3.1 8B,H100 SXM5 80GB,1,fp8,1,1000,300,64,offline,vLLM,2026-03,\n",
}


def text_in(data: bytes, *, file: str) -> str:
    """The text of a table as somebody sends it: UTF-8, with or without its mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadTable(f"{file}: want UTF-8 text, got byte 0x{error.object[error.start]:02x}.") from error


def kind_of(text: str, *, file: str) -> Kind:
    """Whether a CSV holds training runs or serving runs, by what its columns measure."""
    try:
        header = next(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True), [])
    except csv.Error as error:
        raise BadTable(f"{file}: not a CSV table: {error}.") from error
    there = {name.strip() for name in header}
    found = [kind for kind, measures in MEASURES.items() if there & set(measures)]
    if len(found) == 1:
        return found[0]
    wish = "; or ".join(f"for {kind} runs {', '.join(measures)}" for kind, measures in MEASURES.items())
    got = "columns of both kinds; part the two" if found else "no column says what was measured"
    raise BadTable(f"{file}: line 1: {got}. Want one or more {wish}.")


def refuse_unreadable(row: Mapping[str, str]) -> None:
    """Raise `Skipped` for a row whose cells could not be read."""
    if row.get(UNREADABLE):
        raise Skipped(row[UNREADABLE])


def _check_header(header: Sequence[str], columns: TableColumns, file: str) -> None:
    missing = [name for name in columns.required if name not in header]
    if missing:
        near = get_close_matches(missing[0], header, n=1)
        hint = (
            f" Is it the column {near[0]!r}?" if near else " Are cells separated by commas?" if len(header) < 2 else ""
        )
        raise BadTable(f"{file}: line 1: no column {missing[0]!r}; want {', '.join(columns.required)}.{hint}")
    twice = [name for name, times in Counter(header).items() if times > 1 and name]
    if twice:
        raise BadTable(f"{file}: line 1: the column {twice[0]!r} stands there twice.")


def _row(record: _Record, header: Sequence[str], columns: TableColumns) -> dict[str, str]:
    row = dict.fromkeys(header, "") | dict(zip(header, (cell.strip() for cell in record.cells), strict=False))
    for name in columns.numbers:
        if row.get(name, "").casefold() in _NOTHING:
            row[name] = ""
    wrong = f": {record.wrong}" if record.wrong else next(_wrong(len(record.cells), header, row, columns), None)
    for name in columns.text:
        row[name] = row.get(name, "")[:_LONGEST_TEXT]
    where = f"line {record.line}"
    return row | {"id": row["id"] or where, UNREADABLE: f"{where}{wrong}" if wrong else ""}


def _wrong(cells: int, header: Sequence[str], row: Mapping[str, str], columns: TableColumns) -> Iterator[str]:
    """What of a row cannot be read, in words."""
    if cells != len(header):
        yield f": {cells} cells under {len(header)} columns"
    for name in _NAMES:
        if len(row.get(name, "")) > _LONGEST_NAME:
            yield f", column {name}: {len(row[name]):,} characters, want at most {_LONGEST_NAME}"
    for name in columns.required:  # by which a run is told from others, and matched
        if mark := unseen(row.get(name, "")):
            yield f", column {name}: {mark} {NO_PLACE}"
    for name in columns.numbers:
        cell, most = row.get(name, ""), _MOST.get(name, LARGEST)
        if cell and (wish := _wish(cell, most, whole=name in _WHOLE)):
            yield f", column {name}: want {wish}, got {cell[:40]!r}"


def _wish(cell: str, most: float, *, whole: bool) -> str:
    """What a cell should have been; empty where it is a number that can be."""
    try:
        value = float(cell)
    except ValueError:
        return "a number"
    if not 0 <= value <= most:
        return f"a number from 0 to {most:,.0f}" if most < LARGEST else "a number"
    return "a whole number" if whole and not value.is_integer() else ""
