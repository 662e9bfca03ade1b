"""Files that verbs write: all of the new one, or all of the old one, and the sentence names the file."""

import os
import resource
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from planner.cli import main
from planner.cli.common import FAILED, OK, write_file
from tests.house import ROOT
from tests.shell import DAY

OLD = b"what stood there before\n"
MOST_BYTES = 4_096  # a disk this full takes no table of ours

# One call for each option that writes a file.
WRITERS = {
    "prices": ["prices", "--accelerator", "l40s", "--csv"],
    "plan": ["plan", "startup", "--csv"],
    "plan assumptions": ["plan", "startup", "--csv-assumptions"],
    "plan results": ["plan", "startup", "--csv-results"],
    "plan workbook": ["plan", "startup", "--xlsx"],
    "plan focus": ["plan", "startup", "--focus"],
    "compare": ["compare", "startup", "enterprise", "--csv"],
    "train": ["train", "--model", "llama-3-8b", "--accelerator", "h100 sxm", "--csv"],
    "train images": ["train", "--model", "resnet-50", "--accelerator", "h100 sxm", "--csv"],
    "serve": ["serve", "--model", "llama-3-8b", "--accelerator", "h100 sxm", "--csv"],
    "serve other": ["serve", "--model", "whisper-large-v3", "--accelerator", "h100 sxm", "--csv"],
    "cheapest": ["cheapest", "--model", "llama-3-8b", "--tokens", "1B", "--accelerator", "h100 sxm", "--csv"],
}  # fmt: skip


def refused(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, call: list[str]) -> tuple[int, str]:
    """Exit code and stderr of a call on a disk that is full as soon as a file is written to it."""

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    return main([*call, *DAY]), capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("call", WRITERS.values(), ids=WRITERS)
def test_a_full_disk_leaves_the_older_file_of_every_verb_and_names_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, call: list[str]
) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(OLD)
    code, err = refused(capsys, monkeypatch, [*call, str(path)])
    assert (code, path.read_bytes(), os.listdir(tmp_path)) == (FAILED, OLD, ["table.csv"])
    assert str(path) in err
    assert "No space left on device" in err
    assert len(err.strip().splitlines()) == 1


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_BYTES, MOST_BYTES))


@pytest.mark.slow
def test_a_disk_that_fills_up_half_way_leaves_the_older_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "cash.csv"
    path.write_bytes(OLD)
    call = [sys.executable, "-B", "-m", "planner", "plan", "startup", "--csv", str(path), *DAY]
    where = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(call, cwd=ROOT, env=where, capture_output=True, text=True, preexec_fn=_limited, check=False)
    assert (done.returncode, path.read_bytes()) == (FAILED, OLD)
    assert str(path) in done.stderr
    assert "Traceback" not in done.stderr
    assert [one.name for one in tmp_path.iterdir() if one.is_file()] == ["cash.csv"]


KILLED = """
import os, signal, sys
from pathlib import Path
from planner.cli.common import write_file

def die(_):
    os.kill(os.getpid(), signal.SIGKILL)

os.fsync = die
write_file(Path(sys.argv[1]), b"new " * 100_000)
"""


@pytest.mark.slow
def test_killed_while_it_writes_the_older_file_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "cash.csv"
    path.write_bytes(OLD)
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], cwd=ROOT, check=False)
    assert (done.returncode, path.read_bytes()) == (-signal.SIGKILL, OLD)


def test_a_new_file_is_as_readable_as_others_and_an_old_one_keeps_its_mode(tmp_path: Path) -> None:
    new, old = tmp_path / "new.csv", tmp_path / "old.csv"
    old.write_bytes(OLD)
    old.chmod(0o640)
    before = os.umask(0o027)
    try:
        write_file(new, b"1")
        write_file(old, b"2")
    finally:
        os.umask(before)
    assert (new.read_bytes(), old.read_bytes()) == (b"1", b"2")
    assert [stat.S_IMODE(one.stat().st_mode) for one in (new, old)] == [0o640, 0o640]
    assert sorted(os.listdir(tmp_path)) == ["new.csv", "old.csv"]


def test_a_link_stays_a_link_to_the_file_that_was_written(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    target, link, dangling = tmp_path / "there" / "real.csv", tmp_path / "link.csv", tmp_path / "dangling.csv"
    target.write_bytes(OLD)
    link.symlink_to(target)
    dangling.symlink_to(tmp_path / "there" / "none_yet.csv")
    write_file(link, b"1")
    write_file(dangling, b"2")
    assert (link.is_symlink(), dangling.is_symlink()) == (True, True)
    assert (target.read_bytes(), (tmp_path / "there" / "none_yet.csv").read_bytes()) == (b"1", b"2")


def test_a_pipe_and_a_device_are_written_to_and_stay_what_they_are(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_file(pipe, b"through")
    reader.join(10)
    write_file(Path(os.devnull), b"away")
    assert read == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["-", "/dev/stdout"])
@pytest.mark.parametrize("to_file", [True, False])
def test_the_output_itself_can_be_the_file(tmp_path: Path, name: str, to_file: bool) -> None:
    call = [sys.executable, "-m", "planner", "prices", "--accelerator", "l40s", "--csv", name, *DAY]
    out = tmp_path / "out.txt"
    with out.open("wb") as file:
        done = subprocess.run(
            call, cwd=ROOT, stdout=file if to_file else subprocess.PIPE, stderr=subprocess.PIPE, check=False
        )
    told = out.read_bytes() if to_file else done.stdout
    assert done.returncode == OK
    assert told.startswith(b'\xef\xbb\xbf"id"')
    assert b"USD/GPU-h" in told.split(b"\r\n")[-1]  # after the CSV stands the table, and neither is cut
    assert not (ROOT / "-").exists()


@pytest.mark.parametrize(
    ("where", "said"),
    [(".", "directory"), ("none/out.csv", "No such file or directory"), ("file/out.csv", "Not a directory")],
)
def test_a_place_that_cannot_be_a_file_is_one_sentence_with_its_name(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, where: str, said: str
) -> None:
    (tmp_path / "file").write_bytes(OLD)
    path = tmp_path / where
    code = main(["prices", "--accelerator", "l40s", *DAY, "--csv", str(path)])
    err = capsys.readouterr().err
    assert code == FAILED
    assert str(path) in err
    assert said in err
    assert len(err.strip().splitlines()) == 1
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is denied to root")
def test_a_file_that_may_not_be_written_to_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "kept.csv"
    path.write_bytes(OLD)
    path.chmod(0o444)
    with pytest.raises(PermissionError, match="Permission denied"):
        write_file(path, b"new")
    assert path.read_bytes() == OLD


@pytest.mark.slow
@pytest.mark.parametrize("call", [["prices"], ["--help"], ["schema", "scenario"], ["plan", "startup"]])
def test_a_reader_that_has_seen_enough_ends_it_quietly(call: list[str]) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "planner", *call], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as begun:
        begun.stdout.close()
        err = begun.stderr.read()
        assert begun.wait(120) == OK
    assert b"Error" not in err
    assert b"Exception" not in err


@pytest.mark.slow
def test_an_output_that_is_full_is_said(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with Path("/dev/full").open("wb") as full:
        call = [sys.executable, "-m", "planner", "schema", "scenario"]
        done = subprocess.run(call, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == FAILED
    assert done.stderr == "standard output: No space left on device.\n"
