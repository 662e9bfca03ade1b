"""A save that is killed, a full disk, a file that is locked, read-only, damaged or gone: one sentence, nothing lost."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from planner.store import plans_file
from planner.store.kept import PlanStore
from planner.store.versions import open_version
from pricing import PricingError
from pricing.feeds.folder import DATABASE, FOLDER
from tests.facts import CATALOGUE
from tests.house import ROOT
from tests.kept.made import version

KILLS = 50


@pytest.mark.slow
def test_a_save_that_is_killed_is_whole_or_not_there(place: str, tmp_path: Path) -> None:
    """A child process saves versions in a loop; it is killed at random moments of its saves."""
    PlanStore().save("Lab", version(), CATALOGUE)
    seed, kept, longest_s = random.Random(38), 1, 0.3
    command = [sys.executable, "-m", "tests.kept.victim"]
    # One process loads the program, and forks a child for each of the kills.
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as victim:
        for _ in range(KILLS):
            child = int(_ask(victim, "save"))
            time.sleep(seed.uniform(0.0, longest_s))
            os.kill(child, signal.SIGKILL)
            assert _ask(victim, "wait") == "killed"
            versions = PlanStore().versions(PlanStore().find("Lab"))
            assert [each.number for each in versions] == list(range(len(versions), 0, -1))
            assert len(versions) >= kept
            assert all(replace(each, number=0, digest="") == replace(version(), digest="") for each in versions)
            kept = len(versions)
            longest_s *= 1.1 if kept == 1 else 1.0  # until a busy machine gets one through
        _ask(victim, "end")
    assert kept > 1  # some were through before they were killed
    assert open_version(PlanStore(), "Lab", 1).facts == CATALOGUE
    for each in PlanStore().versions(PlanStore().find("Lab")):
        assert PlanStore().facts(each.digest) == CATALOGUE
    if place == "sqlite":
        with closing(sqlite3.connect(plans_file())) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert PlanStore().save("Lab", version(), CATALOGUE).newest.number == kept + 1


def _ask(victim: subprocess.Popen[str], word: str) -> str:
    victim.stdin.write(f"{word}\n")
    victim.stdin.flush()
    return victim.stdout.readline().strip()


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with a plan of one version."""
    from planner.store import database

    monkeypatch.setenv(FOLDER, str(tmp_path / "data"))
    monkeypatch.setattr(database, "BUSY_S", [0.3])
    PlanStore().save("Lab", version(), CATALOGUE)
    return tmp_path / "data" / "plans.sqlite"


def refused(save_as: str = "Lab") -> str:
    """The sentence of a save that fails."""
    with pytest.raises(PricingError) as refusal:
        PlanStore().save(save_as, version(2.0), CATALOGUE)
    sentence = str(refusal.value)
    assert "\n" not in sentence
    assert "Nothing was saved" in sentence
    return sentence


def is_whole() -> bool:
    """Whether the first version is there, with its facts, and no other."""
    opened = open_version(PlanStore(), "Lab")
    return opened.version == replace(version(), number=1) and opened.facts == CATALOGUE


@pytest.mark.slow
def test_a_full_disk(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from planner.store import database

    whole = database._connect_to_write

    def small(path: Path) -> sqlite3.Connection:
        connection = whole(path)
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")  # SQLite itself says that there is no room
        return connection

    database._engine.cache_clear()
    monkeypatch.setattr(database, "_connect_to_write", small)
    try:
        assert "the disk is full" in refused()
    finally:
        database._engine.cache_clear()
    assert is_whole()


@pytest.mark.slow
def test_a_disk_that_is_really_full(file: Path) -> None:
    """In a file system of its own, where this machine lets a test make one."""
    small = file.parent.parent / "small"
    small.mkdir()
    mount = [
        "unshare",
        "-m",
        "sh",
        "-c",
        f"mount -t tmpfs -o size=600k tmpfs {small} && exec {sys.executable} -c '{FILL}'",
    ]
    done = subprocess.run(
        mount, cwd=ROOT, env=os.environ | {FOLDER: str(small)}, capture_output=True, text=True, timeout=120, check=False
    )
    if "mount" in done.stderr or "unshare" in done.stderr:
        pytest.skip(f"no file system of its own here: {done.stderr.strip()[:100]}")
    assert done.returncode == 0, done.stderr
    said, versions = done.stdout.splitlines()
    assert "the disk is full" in said
    assert "Nothing was saved" in said
    assert int(versions) >= 1


FILL = """
from contextlib import closing
from dataclasses import replace
from tests import frozen
frozen.freeze()
from planner.store.kept import PlanStore
from planner.store.versions import open_version
from tests.facts import CATALOGUE
from pricing import PricingError
from tests.kept.made import version
made, saved = version(), 0
try:
    for number in range(1000):
        PlanStore().save("Lab", replace(made, text=made.text * (1 + number)), CATALOGUE)
        saved += 1
except PricingError as error:
    print(error)
plan = PlanStore().find("Lab")
assert plan.newest.number == saved
assert open_version(PlanStore(), "Lab", 1).facts == CATALOGUE
print(saved)
"""


@pytest.mark.slow
def test_a_locked_database(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert "is in use by someone else who saves" in refused()
        assert is_whole()  # reading goes on beside a writer
        other.execute("ROLLBACK")
    assert PlanStore().save("Lab", version(2.0), CATALOGUE).newest.number == 2


@pytest.mark.slow
def test_a_read_only_database(file: Path) -> None:
    """As somebody who may not write there; root may, so a child gives up its rights."""
    os.chmod(file, 0o444)
    os.chmod(file.parent, 0o555)
    for folder in list(file.parents)[1:]:
        if folder.name.startswith(("test_", "popen-", "pytest-")):
            os.chmod(folder, 0o755)
    try:
        done = subprocess.run(
            [sys.executable, "-c", READ_ONLY], cwd=ROOT, env=os.environ | {"HOME": "/nowhere"}, capture_output=True,
            text=True, timeout=120, check=False,
        )  # fmt: skip
    finally:
        os.chmod(file.parent, 0o755)
        os.chmod(file, 0o644)
    assert done.returncode == 0, done.stderr
    read, said = done.stdout.splitlines()
    assert read == "1"
    assert "cannot be written to" in said
    assert "Nothing was saved" in said
    assert is_whole()


READ_ONLY = """
import os
import tempfile
from tests import frozen
frozen.freeze()
from planner.store.kept import PlanStore
from tests.facts import CATALOGUE
from pricing import PricingError
from tests.kept.made import version
made = version()
here = os.environ["RENT_OR_BUY_DATA"]
with tempfile.TemporaryDirectory() as elsewhere:  # who has no rights may not load what a save loads late
    os.environ["RENT_OR_BUY_DATA"] = elsewhere
    PlanStore().save("Lab", made, CATALOGUE)
    PlanStore().find("Lab")
os.environ["RENT_OR_BUY_DATA"] = here
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
print(PlanStore().find("Lab").newest.number)
try:
    PlanStore().save("Lab", made, CATALOGUE)
except PricingError as error:
    print(error)
"""


def test_a_damaged_file_is_left_as_it_is(file: Path) -> None:
    for beside in file.parent.glob("plans.sqlite-*"):
        beside.unlink()
    file.write_bytes(b"no database" * 500)
    assert "is no database of plans, or damaged. Move it away to start anew" in refused()
    with pytest.raises(PricingError, match="Move it away"):
        PlanStore().plans()
    assert file.read_bytes() == b"no database" * 500


def test_a_file_that_is_gone_is_made_anew_by_the_next_save(file: Path) -> None:
    for part in file.parent.iterdir():
        part.unlink()
    file.parent.rmdir()
    assert PlanStore().plans() == []
    assert PlanStore().save("Lab", version(), CATALOGUE).newest.number == 1
    assert is_whole()


def test_a_folder_in_place_of_the_file_is_a_sentence(file: Path) -> None:
    for part in file.parent.iterdir():
        part.unlink()
    file.mkdir()
    assert "cannot be opened" in refused()


def test_no_home_folder_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (FOLDER, "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("planner.store.live_data_dir", lambda environ: None)
    with pytest.raises(PricingError, match="no home folder to keep plans in: name one in RENT_OR_BUY_DATA"):
        PlanStore().save("Lab", version(), CATALOGUE)
    assert PlanStore().plans() == []


@pytest.mark.slow
def test_a_postgres_that_is_gone_or_locked_or_read_only(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import psycopg

    from planner.store import database

    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
        monkeypatch.setenv(DATABASE, server)
        monkeypatch.setattr(database, "BUSY_S", [0.3])
        PlanStore().save("Lab", version(), CATALOGUE)
        connection.execute(f"SELECT pg_advisory_lock({database._TURN})")
        assert "is in use by someone else who saves" in refused()
        connection.execute(f"SELECT pg_advisory_unlock({database._TURN})")
        connection.execute("ALTER DATABASE postgres SET default_transaction_read_only = on")
        assert "it is read-only" in refused()
        connection.execute("SET default_transaction_read_only = off")
        connection.execute("ALTER DATABASE postgres RESET default_transaction_read_only")
        assert is_whole()
    monkeypatch.setenv(DATABASE, "postgresql://plans:secret@127.0.0.1:1/postgres")
    sentence = refused()
    assert sentence.startswith("The database at 127.0.0.1 cannot be reached.")
    assert "secret" not in sentence
