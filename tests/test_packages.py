"""What is installed is what is locked, with hashes; the bill of materials and the licences are those of the lock."""

import json
import re
from importlib.metadata import distributions
from pathlib import Path

import pytest

from tests.house import ROOT
from tools import licences

WANTED = sorted(ROOT.glob("requirements*.in"), key=lambda path: path.name)
LOCKS = [path.with_suffix(".txt") for path in WANTED]
BILL = json.loads(licences.BILL.read_text(encoding="utf-8"))
DEV_LOCK = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8")
SHA256 = re.compile(r" {4}--hash=sha256:[0-9a-f]{64}")


def canonical(name: str) -> str:
    """The name of a package as the index spells it, without its extras."""
    return re.sub(r"[-_.]+", "-", name.split("[", maxsplit=1)[0]).lower()


def pins(path: Path) -> dict[str, str]:
    """The version of each package that a requirements file pins."""
    found = re.findall(r"^([A-Za-z0-9][\w.\[\]-]*)==([^\s;\\]+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {canonical(name): version for name, version in found}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_every_locked_package_has_a_version_and_hashes(lock: Path) -> None:
    blocks = re.split(r"\n(?=\S)", lock.read_text(encoding="utf-8").strip())
    packages = [block for block in blocks if not block.startswith("#")]
    assert packages
    for block in packages:
        head, *hashes = block.replace(" \\\n", "\n").split("\n")
        assert re.fullmatch(r"[a-z0-9-]+==\S+( ; .+)?", head), head
        assert hashes
        assert all(SHA256.fullmatch(line) for line in hashes), head


@pytest.mark.parametrize("wanted", WANTED, ids=lambda path: path.stem)
def test_a_lock_has_every_pin_that_is_wanted(wanted: Path) -> None:
    assert pins(wanted).items() <= pins(wanted.with_suffix(".txt")).items()


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_what_is_installed_is_what_is_tested(lock: Path) -> None:
    assert pins(lock).items() <= pins(ROOT / "requirements-dev.txt").items()


def test_this_environment_holds_the_locked_versions() -> None:
    locked = pins(ROOT / "requirements-dev.txt")
    installed = {canonical(each.name): each.version for each in distributions()}
    assert {name: installed[name] for name in locked.keys() & installed.keys()} == {
        name: locked[name] for name in locked.keys() & installed.keys()
    }
    assert len(locked.keys() & installed.keys()) > 0.9 * len(locked)


def test_the_bill_of_materials_lists_what_the_locks_of_the_app_install() -> None:
    listed = {canonical(package["name"]): package["version"] for package in BILL["components"]}
    locked = {name: version for lock in LOCKS if "dev" not in lock.stem for name, version in pins(lock).items()}
    elsewhere = re.findall(r"^([a-z0-9-]+)==.*; .*(?:== 'win32'|== 'emscripten')", DEV_LOCK, re.MULTILINE)
    assert (BILL["bomFormat"], BILL["specVersion"]) == ("CycloneDX", "1.6")
    assert listed == {name: version for name, version in locked.items() if name not in elsewhere}


def test_every_licence_is_known_and_the_table_is_that_of_the_bill() -> None:
    assert (ROOT / "docs" / "licences.md").read_text(encoding="utf-8") == licences.table(BILL)


def test_a_licence_that_nobody_has_read_stops_the_table() -> None:
    package = {"name": "new", "version": "1", "licenses": [{"license": {"id": "AGPL-3.0-only"}}]}
    with pytest.raises(KeyError, match="AGPL"):
        licences.table({"components": [package]})
