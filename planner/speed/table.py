"""A table of measured runs as somebody sends it: text in, rows out, or one sentence that says what is wrong where."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from planner.inputs.choices import Kind
from planner.speed.refused import BadTable, Skipped

MOST_ROWS = 200_000
_NOTHING = ("-", "–", "n/a", "na", "nan", "none", "null", "unknown", "not stated", "?")  # how tables leave a cell empty
LARGEST = 1e16  # no count or rate of a run comes near
UNREADABLE = "unreadable"  # the column in which a row carries what is wrong with it; no table can bring its own


@dataclass(frozen=True)
class Columns:
    """What a kind of table has: columns that must be there, and those that hold numbers."""

    required: tuple[str, ...]
    text: tuple[str, ...]
    numbers: tuple[str, ...]


TRAINING = Columns(
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
SERVING = Columns(
    required=("id", "model", "accelerator", "n_accelerators"),
    text=(
        *("id", "model", "weight_precision", "kv_precision", "accelerator", "mode", "engine", "source_title"),
        *("source_url", "published", "task", "basis", "quality", "notes"),
    ),
    numbers=(
        *("n_accelerators", "tp", "pp", "ep", "input_tokens", "output_tokens", "concurrency_or_batch"),
        *("output_tokens_per_s_total", "requests_per_s", "ttft_ms", "tpot_ms"),
    ),
)


def rows_in(text: str, columns: Columns, *, file: str) -> list[dict[str, str]]:
    """The rows of a CSV. A row with an unreadable cell says so under `unreadable`; a table without sense is refused."""
    try:
        lines = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True))
    except csv.Error as error:
        raise BadTable(f"{file}: not a CSV table: {error}.") from error
    if not lines:
        raise BadTable(f"{file}: empty; want a first line with the columns {', '.join(columns.required)}, …")
    if len(lines) > MOST_ROWS + 1:
        raise BadTable(f"{file}: {len(lines) - 1:,} rows, want at most {MOST_ROWS:,}.")
    header = [name.strip() for name in lines[0]]
    _check_header(header, columns, file)
    return [_row(number, header, cells, columns) for number, cells in enumerate(lines[1:], start=2) if any(cells)]


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


def _check_header(header: Sequence[str], columns: Columns, file: str) -> None:
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


def _row(number: int, header: Sequence[str], cells: Sequence[str], columns: Columns) -> dict[str, str]:
    row = dict(zip(header, (cell.strip() for cell in cells), strict=False))
    row[UNREADABLE] = ""
    if len(cells) != len(header):
        row[UNREADABLE] = f"line {number}: {len(cells)} cells under {len(header)} columns"
    for name in columns.numbers:
        if row.get(name, "").casefold() in _NOTHING:
            row[name] = ""
        if (cell := row.get(name, "")) and not _is_number(cell):
            row[UNREADABLE] = row[UNREADABLE] or f"line {number}, column {name}: want a number, got {cell[:40]!r}"
    return row


def _is_number(cell: str) -> bool:
    try:
        return 0 <= float(cell) <= LARGEST
    except ValueError:
        return False
