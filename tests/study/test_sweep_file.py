"""The file of a sweep: stopped anywhere and begun again, it ends as the same bytes; on processes and on a cluster."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from planner.cli import main
from planner.cli.common import BAD_INPUT, FAILED, OK
from planner.cli.sweep_run import NOTE
from planner.scenario.file import SavedScenario
from planner.scenario.grid import read_grid
from planner.scenario.presets import load_presets
from pricing import load_catalogue
from tests.house import ROOT
from tests.shell import DAY, run

SMALL = "base: {work: [{accelerators: 8}]}\nways: [own, on_demand]\noutputs: [npv_usd, note]\n"
# Inputs that change the shape of a plan are calculated one by one, in small blocks: several moments to be killed at.
SLOW = f"{SMALL}vary:\n  work.0.accelerators: {{from: 1, to: 48, by: 1}}\n  years: [1, 2]\n"
ROWS = 96
PATIENCE_S = 300.0
KNOWN = {preset.key: preset.scenario for preset in load_presets()}


def grid(folder: Path, text: str) -> str:
    path = folder / "grid.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.fixture
def six(tmp_path: Path) -> list[str]:
    """A call that writes six rows."""
    path = grid(tmp_path, SMALL + "vary:\n  work.0.label: ['=1+1', b]\n  years: [2, 3, 4]\n")
    return ["sweep", path, "--csv", str(tmp_path / "out.csv"), "--jobs", "1"]


def test_a_sweep_writes_one_row_for_each_point(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, six: list[str]
) -> None:
    code, out, err = run(capsys, *six, *DAY, "--json")
    assert (code, err) == (OK, "")
    told = json.loads(out)
    assert (told["scenarios"], told["were_there"], told["day"]) == (6, 0, "2026-11-21")
    assert sum(one["share"] for one in told["best"]) == pytest.approx(1.0)
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text("utf-8-sig"), newline="")))
    assert [row["id"] for row in rows] == [str(n) for n in range(6)]
    assert rows[0]["work.0.label"] == "'=1+1"  # no spreadsheet takes it for a formula
    assert {row["best"] for row in rows} == {one["value"] for one in told["best"]}
    code, out, _ = run(capsys, *six)  # no day said: that of the file
    assert code == OK
    assert "Cheapest option" in out


@pytest.mark.slow
def test_cut_off_anywhere_it_ends_as_the_same_bytes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, six: list[str]
) -> None:
    path = tmp_path / "out.csv"
    assert run(capsys, *six, *DAY)[0] == OK
    whole = path.read_bytes()
    line = whole.index(b"\n3,")
    for cut in (5, line - 7, line + 1, len(whole) - 1):
        path.write_bytes(whole[:cut] + (b"4,torn" if cut == line + 1 else b""))
        assert run(capsys, *six, *DAY)[0] == OK
        assert path.read_bytes() == whole


# What may stand behind a torn row: nothing, or the line end of whoever looked at the file or copied it.
ENDS = (b"", b"\n", b"\r", b"\r\n", b"\0\r\n", b'"\r\n')


@pytest.mark.slow
@pytest.mark.parametrize("finished", [False, True])
def test_a_torn_last_row_with_any_line_end_is_thrown_away(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, finished: bool
) -> None:
    outputs = "base: {work: [{accelerators: 8}]}\nways: [own, on_demand]\noutputs: [npv_usd]\n"
    path = grid(tmp_path, outputs + "vary:\n  work.0.label: ['Zürich, \"A\"', 'b–c']\n  years: [2, 3]\n")
    out = tmp_path / "out.csv"
    call = ["sweep", path, "--csv", str(out), "--jobs", "1", *DAY]
    assert main(call) == OK
    whole = out.read_bytes()
    lines = whole.splitlines(keepends=True)
    before, last = (b"".join(lines[:4]), lines[4]) if finished else (b"".join(lines[:1]), lines[1])
    name = last.index(b'"') + 3  # in quotes; in the first row within ü
    for cut, end in product((1, name, len(last) - 4, len(last) - 2), ENDS):
        out.write_bytes(before + last[:cut] + end)
        assert main(call) == OK, (cut, end)
        assert out.read_bytes() == whole, (cut, end)
    assert capsys.readouterr().err == ""


def test_a_finished_sweep_says_that_all_rows_were_there(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, six: list[str]
) -> None:
    run(capsys, *six, *DAY)
    before = (tmp_path / "out.csv").stat()
    assert json.loads(run(capsys, *six, *DAY, "--json")[1])["were_there"] == 6
    assert (tmp_path / "out.csv").stat().st_size == before.st_size


@pytest.mark.parametrize("name", ["-", "/dev/stdout", os.devnull])
def test_a_sweep_wants_a_file_that_it_can_go_on_with(
    capsys: pytest.CaptureFixture[str], six: list[str], name: str
) -> None:
    call = [name if one.endswith("out.csv") else one for one in six]
    code, _, err = run(capsys, *call, *DAY)
    assert code == BAD_INPUT
    assert err.startswith(f"{name}: resuming needs a regular file")


@pytest.mark.slow
def test_a_full_disk_stops_a_sweep_with_its_file_and_how_to_go_on(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, six: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(capsys, *six, *DAY)[0] == OK
    whole = (tmp_path / "out.csv").read_bytes()
    (tmp_path / "out.csv").write_bytes(whole[: whole.index(b"\n3,") + 1])

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        code, _, err = run(capsys, *six, *DAY)
    assert (code, err) == (
        FAILED,
        f"{tmp_path / 'out.csv'}: No space left on device: stopped after 2 of 6; the same command resumes it.\n",
    )
    assert run(capsys, *six, *DAY)[0] == OK
    assert (tmp_path / "out.csv").read_bytes() == whole


@pytest.mark.parametrize("note", ["[]", "{", '{"grid": "", "day": "soon", "facts": "", "program": "", "rows": 6}'])
def test_a_note_that_is_none_is_said(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, six: list[str], note: str
) -> None:
    (tmp_path / f"out.csv{NOTE}").write_text(note)
    code, _, err = run(capsys, *six, *DAY)
    assert code == BAD_INPUT
    assert "not the manifest of a sweep" in err


def test_a_file_of_another_sweep_is_left_alone(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, six: list[str]
) -> None:
    path = tmp_path / "out.csv"
    assert run(capsys, *six, *DAY)[0] == OK
    whole = path.read_bytes()
    assert run(capsys, *six, "--day", "2026-10-01")[2].startswith(f"{path}: started with another day; choose another")
    grid(tmp_path, SMALL + "vary: {years: [2, 3]}\n")
    code, _, err = run(capsys, *six, *DAY)
    assert (code, path.read_bytes()) == (BAD_INPUT, whole)
    assert "started with another grid" in err
    (tmp_path / f"out.csv{NOTE}").unlink()
    assert "is not of a sweep" in run(capsys, *six, *DAY)[2]
    assert path.read_bytes() == whole


def test_a_billion_points_are_refused_before_anything_is_written(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    thousand = "{from: 0, to: 1, steps: 1000}"
    said = "".join(f"  own.{name}: {thousand}\n" for name in ("usd_per_kwh", "deposit_share", "residual_share"))
    code, _, err = run(
        capsys, "sweep", grid(tmp_path, f"base: startup\nvary:\n{said}"), "--csv", str(tmp_path / "out.csv")
    )
    assert code == BAD_INPUT
    assert "1,000,000,000 scenarios are more than the limit of 10,000,000" in err
    assert not (tmp_path / "out.csv").exists()


def test_the_grids_in_the_docs_are_as_large_as_they_say() -> None:
    text = (ROOT / "docs" / "sweeps.md").read_text(encoding="utf-8")
    catalogue = load_catalogue()
    grids = [
        read_grid(one.encode(), "docs", catalogue, lambda name: SavedScenario(KNOWN[name]))
        for one in re.findall(r"```yaml\n(.*?)```", text, flags=re.DOTALL)
    ]
    assert [one.count for one in grids] == [40, 144]


@pytest.mark.slow
def test_a_cluster_that_is_not_there_is_said(capsys: pytest.CaptureFixture[str], six: list[str]) -> None:
    code, _, err = run(capsys, *[one for one in six if one not in ("--jobs", "1")], *DAY, "--dask", "nowhere")
    assert code == BAD_INPUT
    assert "--dask nowhere: no Dask scheduler answers there" in err


def _call(path: str, out: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "planner", "sweep", path, "--csv", str(out), *DAY, *more]


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def _until_more(path: Path, than: int) -> None:
    end = time.monotonic() + PATIENCE_S
    while _lines(path) <= than:
        assert time.monotonic() < end, "the sweep does not go on"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What comes of it undisturbed, in one process: on the catalogue that ships, as in every process begun here."""
    folder = tmp_path_factory.mktemp("calm")
    call = _call(grid(folder, SLOW), folder / "out.csv", "--jobs", "1")
    subprocess.run(call, cwd=ROOT, check=True, capture_output=True)
    return (folder / "out.csv").read_bytes()


# Kills itself with its first block of rows on disk, less some bytes: at the same place, however busy the machine is.
KILLED = """
import os, signal, sys
from planner.cli import main, sweep_run

add = sweep_run.SweepFileWriter.add

def die(self, lines, count):
    if count == 1:  # the last row that was there, calculated again
        return add(self, lines, count)
    whole = b"".join(lines)
    self._write([whole[: len(whole) - int(sys.argv[1])]])
    os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    sweep_run.SweepFileWriter.add = die
    main(sys.argv[2:])
"""


@pytest.mark.slow
def test_killed_several_times_it_ends_as_if_nothing_had_happened(tmp_path: Path, calm: bytes) -> None:
    path, out, script = grid(tmp_path, SLOW), tmp_path / "out.csv", tmp_path / "killed.py"
    script.write_text(KILLED, encoding="utf-8")
    where = {**os.environ, "PYTHONPATH": str(ROOT)}
    for jobs, torn, there in (("2", 0, 33), ("1", 7, 64)):  # rows with the head; the second time the last one is torn
        call = [sys.executable, str(script), str(torn), *_call(path, out, "--jobs", jobs)[3:]]
        assert subprocess.run(call, cwd=ROOT, env=where, check=False).returncode == -signal.SIGKILL
        assert _lines(out) == there
    subprocess.run(_call(path, out, "--jobs", "2"), cwd=ROOT, check=True, capture_output=True)
    assert _lines(out) == ROWS + 1
    assert out.read_bytes() == calm


CLUSTER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        print(cluster.scheduler_address, *(nanny.pid for nanny in cluster.workers.values()), flush=True)
        sys.stdin.readline()
"""


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[int]]]:
    """The address of a cluster of two processes on this machine, and their ids."""
    script = tmp_path / "local_cluster.py"
    script.write_text(CLUSTER, encoding="utf-8")
    where = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env=where, text=True,
    ) as began:  # fmt: skip
        address, *ids = began.stdout.readline().split()
        yield address, [int(one) for one in ids]
        began.communicate("\n", timeout=PATIENCE_S)


@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_loses_no_row(
    tmp_path: Path, cluster: tuple[str, list[int]], calm: bytes
) -> None:
    address, workers = cluster
    path, out = grid(tmp_path, SLOW), tmp_path / "out.csv"
    with subprocess.Popen(_call(path, out, "--dask", address), cwd=ROOT, stderr=subprocess.DEVNULL) as sweep:
        _until_more(out, 1)
        os.kill(workers[0], signal.SIGKILL)
        assert sweep.wait(PATIENCE_S) == OK
    assert _lines(out) == ROWS + 1
    assert out.read_bytes() == calm
