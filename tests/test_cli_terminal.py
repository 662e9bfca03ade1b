"""What verbs print: nothing a terminal obeys, nothing it cannot write, whatever its alphabet; Ctrl-C ends with 130."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from planner.cli import main
from planner.cli.common import BAD_INPUT, OK, STOPPED
from pricing.formulas import is_invisible
from tests.house import ROOT
from tests.shell import DAY
from tests.started import ctrl_c

pytestmark = pytest.mark.slow
NARROW = ("ascii", "latin-1", "cp1252")
# Escape, a colour, a new title, C1's own escape, right to left, isolates, no width, ends of line and paragraph, a flag.
HOSTILE = (
    "\x1b[31m", "\x1b]0;x\x07", "\x9b31m", "\u202egnp", "\u2066x\u2069", "a\u200bb", "a\u2028b", "a\u2029b",
    "\U000e0041",
)  # fmt: skip

VERBS = {
    "prices": ["prices", "--accelerator", "l40s", *DAY],
    "plan": ["plan", "startup", *DAY],
    "compare": ["compare", "startup", "enterprise", *DAY],
    "train": ["train", "--model", "llama-3-8b", "--accelerator", "h100 sxm", *DAY],
    "train images": ["train", "--model", "resnet-50", "--accelerator", "h100 sxm", *DAY],
    "serve": ["serve", "--model", "llama-3-8b", "--accelerator", "h100 sxm", "--have", "rtx 4090", *DAY],
    "serve other": ["serve", "--model", "whisper-large-v3", "--accelerator", "h100 sxm", *DAY],
    "cheapest": ["cheapest", "--model", "llama-3-8b", "--tokens", "1B", "--accelerator", "h100 sxm", *DAY],
    "schema": ["schema", "scenario"],
    "help": ["--help"],
    "help of train": ["train", "--help"],
    "help of sweep": ["sweep", "--help"],
    "refusal": ["plan", "nowhere…"],
}  # fmt: skip
WITH_JSON = [name for name, call in VERBS.items() if DAY[0] in call]


def told(call: list[str], monkeypatch: pytest.MonkeyPatch, encoding: str) -> tuple[int, str, str]:
    """Exit code and what a terminal of that alphabet shows, from the output and from stderr."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict") for _ in range(2))
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", out)
        patched.setattr(sys, "stderr", err)
        try:
            code = main(call)
        except SystemExit as end:  # of --help
            code = int(str(end.code))
        out.flush()
        err.flush()
        shown = [stream.buffer.getvalue().decode(encoding) for stream in (out, err)]  # type: ignore[attr-defined]
    return code, shown[0], shown[1]


@pytest.mark.parametrize("call", VERBS.values(), ids=VERBS)
def test_every_verb_prints_on_a_narrow_terminal_what_it_prints_on_a_wide_one(
    monkeypatch: pytest.MonkeyPatch, call: list[str]
) -> None:
    code, out, err = told(call, monkeypatch, "utf-8")
    for encoding in ("ascii", "cp1252"):
        narrow = told(call, monkeypatch, encoding)
        assert narrow[0] == code
        for wide, shown in zip((out, err), narrow[1:], strict=True):
            assert "\\u" not in shown
            assert shown.count("?") == wide.count("?")  # all is spelt, nothing is lost
            assert re.sub(r"[^\w]", "", shown.replace("x", "")) == re.sub(
                r"[^\w]", "", wide.replace("x", "").replace("×", "")
            )


@pytest.mark.parametrize("name", WITH_JSON)
def test_json_is_the_same_data_on_every_terminal(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    call = [*VERBS[name], "--json"]
    wide, narrow = (json.loads(told(call, monkeypatch, encoding)[1]) for encoding in ("utf-8", "ascii"))
    assert wide == narrow


def test_a_terminal_that_knows_few_letters_gets_the_nearest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text("name: A\n", encoding="utf-8")
    Path("b.yaml").write_text('name: "Zürich × 8 – 5 €… Łódź → 東京 😀"\n', encoding="utf-8")
    shown = {encoding: told(["compare", "a.yaml", "b.yaml"], monkeypatch, encoding)[1] for encoding in NARROW}
    assert "Zurich x 8 - 5 EUR... Lodz -> ?? ?" in shown["ascii"]
    assert "Zürich × 8 - 5 EUR... Lódz -> ?? ?" in shown["latin-1"]
    assert "Zürich × 8 – 5 €… Lódz -> ?? ?" in shown["cp1252"]


def quoted(text: str) -> str:
    """Text as YAML holds it, all marks written as their numbers."""
    return '"' + "".join(f"\\U{ord(mark):08x}" for mark in text) + '"'


def is_harmless(text: str) -> bool:
    """Whether nothing in it does anything but show, or end a line."""
    return not any(is_invisible(mark) for mark in text if mark not in "\n\t")


@pytest.mark.parametrize("mark", HOSTILE)
def test_a_plan_with_such_a_name_is_refused_with_its_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, mark: str
) -> None:
    path = tmp_path / "plan.yaml"
    for key in ("name", "work.0.label"):
        said = f"name: {quoted(mark)}\n" if key == "name" else f"work:\n  - label: {quoted(mark)}\n"
        path.write_text(f"years: 3\n{said}", encoding="utf-8")
        code = main(["plan", str(path), *DAY])
        shown = capsys.readouterr()
        number = next(ord(one) for one in mark if is_invisible(one))
        assert (code, shown.out) == (BAD_INPUT, "")
        assert f"plan.yaml: Line {2 if key == 'name' else 3}: {key}: U+" in shown.err
        assert f"U+{number:04X} at character" in shown.err
        assert is_harmless(shown.err)


# A name that comes from the command line, from a grid, a table of runs and one of quotes.
@pytest.mark.parametrize("mark", [*HOSTILE, "a\nForged: buy.", "a\rForged"])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_a_name_from_anywhere_is_printed_harmlessly(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mark: str, encoding: str
) -> None:
    monkeypatch.chdir(tmp_path)
    runs = Path("runs.csv")
    runs.write_text(
        "id,model,accelerator,n_accelerators,tokens_per_s_per_accelerator,framework\n"
        f'"{mark}","{mark} 8B",H100 SXM5 80GB,8,9000,"{mark}"\n"r2{mark}",Llama 3 8B,"{mark}",8,9000,\n'
        f"r3,Llama 3 8B,H100 SXM5 80GB,8,9000,\n",
        encoding="utf-8",
    )
    quotes = Path("quotes.csv")
    quotes.write_text(
        f'provider,accelerator,usd_per_accelerator_hour\n"{mark}",h100 sxm,2\nMine,"{mark}",2\n', encoding="utf-8"
    )
    grid = Path("grid.yaml")
    grid.write_text(f"base: startup\nvary:\n  work.0.label: [{quoted(mark)}, b]\n", encoding="utf-8")
    calls = [
        ["check", "training", "runs.csv", *DAY], ["prices", "--accelerator", "l40s", "--quotes", "quotes.csv", *DAY],
        ["sweep", "grid.yaml", "--csv", "out.csv", "--jobs", "1", *DAY], ["plan", mark], ["plan", f"{mark}.yaml"],
        ["prices", "--accelerator", mark], ["prices", "--quotes", f"{mark}.csv"], ["prices", mark], [mark],
        ["train", "--model", mark, "--accelerator", mark],
    ]  # fmt: skip
    for call in calls:
        code, out, err = told(call, monkeypatch, encoding)
        assert code in (OK, 1, BAD_INPUT)
        assert is_harmless(out + err), call
        assert not re.search(r"^Forged", out + err, re.MULTILINE), call
        if code == BAD_INPUT and call[0] != "check":
            assert len(err.strip().split("\n")) == 1, call


def test_json_with_such_a_name_reads_as_that_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    runs = tmp_path / "runs.csv"
    name = "a\u202e\x9b\x1b \U000e0041 é 😀"
    head = "id,model,accelerator,n_accelerators,tokens_per_s_per_accelerator\n"
    runs.write_text(f'{head}"{name}",Llama 3 8B,H100 SXM5 80GB,8,9000\n', encoding="utf-8")
    for encoding in ("utf-8", "ascii", "cp1252"):
        _, out, _ = told(["check", "training", str(runs), "--json", *DAY], monkeypatch, encoding)
        assert is_harmless(out)
        assert json.loads(out)["runs"][0]["id"] == name


@pytest.mark.parametrize("verb", ["plan", "prices"])
def test_ctrl_c_ends_with_one_line_and_130(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("planner.api.plans.evaluate", stopped)
    monkeypatch.setattr("pricing.feeds.live.current", stopped)
    assert main([verb, "startup"] if verb == "plan" else [verb]) == STOPPED
    assert capsys.readouterr().err == "Stopped.\n"


# Interrupts itself while it loads: at the first module of ours, and at a large one of others.
WHILE_IT_LOADS = """
import os, runpy, signal, sys

at = sys.argv.pop()

class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == at:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupted())
runpy.run_module("planner", run_name="__main__")
"""


@pytest.mark.parametrize("module", ["planner.cli", "numpy", "planner.scenario.scenario"])
def test_ctrl_c_while_it_loads_ends_with_one_line_and_130(module: str) -> None:
    call = [sys.executable, "-c", WHILE_IT_LOADS, "plan", "startup", module]
    with ctrl_c():
        done = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (STOPPED, "", "Stopped.\n")


def test_ctrl_c_ends_a_sweep_on_several_processes_with_how_to_go_on(tmp_path: Path) -> None:
    path, out = tmp_path / "grid.yaml", tmp_path / "out.csv"
    path.write_text(
        "base: {work: [{accelerators: 8}]}\nways: [own, on_demand]\noutputs: [npv_usd, note]\n"
        "vary:\n  work.0.accelerators: {from: 1, to: 960, by: 1}\n  years: [1, 2]\n",
        encoding="utf-8",
    )
    call = [sys.executable, "-m", "planner", "sweep", str(path), "--csv", str(out), "--jobs", "2", *DAY]
    with ctrl_c():
        sweep = subprocess.Popen(call, cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True)
    with sweep:
        end = time.monotonic() + 300
        while not out.exists() or out.read_bytes().count(b"\n") < 33:
            assert time.monotonic() < end, "the sweep does not begin"
            time.sleep(0.02)
        os.killpg(sweep.pid, signal.SIGINT)  # a terminal sends it to all processes of the command
        _, err = sweep.communicate(timeout=300)
    assert sweep.returncode == STOPPED
    assert re.fullmatch(r"(.* left\n)*Stopped after [\d,]+ of 1,920; the same command resumes it\.\n", err), err
