"""`pip install .`: a wheel that holds everything, and a command that runs away from the repository."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from planner.api.records import RELEASE
from tests.house import ROOT

pytestmark = pytest.mark.slow
DATA = frozenset({".yaml", ".csv", ".json", ".js", ".woff2", ".png", ".typ", ".txt", ".md"})


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of a copy of the tree."""
    tree, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("wheel")
    for name in ("planner", "pricing"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "requirements.in"):
        shutil.copy(ROOT / name, tree)
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(out),
        str(tree),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return next(out.glob("rent_or_buy-*.whl"))


def test_the_wheel_holds_every_module_and_every_file_of_data(wheel: Path) -> None:
    assert wheel.name == f"rent_or_buy-{RELEASE}-py3-none-any.whl"
    packed = set(zipfile.ZipFile(wheel).namelist())
    for name in ("planner", "pricing"):
        files = [path for path in (ROOT / name).rglob("*") if path.suffix in DATA | {".py"}]
        assert not {path.relative_to(ROOT).as_posix() for path in files} - packed
    assert not [
        name for name in packed if name.split("/")[0] not in ("planner", "pricing", f"rent_or_buy-{RELEASE}.dist-info")
    ]


def test_it_asks_for_what_the_app_needs(wheel: Path) -> None:
    metadata = zipfile.ZipFile(wheel).read(f"rent_or_buy-{RELEASE}.dist-info/METADATA").decode()
    lines = (ROOT / "requirements.in").read_text(encoding="utf-8").splitlines()
    wanted = [re.sub(r"\s*#.*", "", line) for line in lines]
    assert re.findall(r"^Requires-Dist: (.*)$", metadata, re.MULTILINE) == [line for line in wanted if line]


def test_the_command_runs_in_an_environment_of_its_own_and_elsewhere(wheel: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True, timeout=300)
    bin_ = tmp_path / "venv" / "bin"
    subprocess.run(
        [bin_ / "pip", "install", "-q", "--no-deps", str(wheel)], check=True, capture_output=True, timeout=300
    )
    own = next((tmp_path / "venv" / "lib").glob("python3*")) / "site-packages"
    (own / "tools.pth").write_text(sysconfig.get_path("purelib"))  # what it needs is here: not loaded a second time
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    for words, expected in ((["plan", "startup", "--json"], '"title"'), (["facts", "rtx 4090"], "RTX 4090")):
        done = subprocess.run(
            [bin_ / "rent-or-buy", *words],
            cwd=tmp_path,
            env=environ,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert expected in done.stdout
    where = subprocess.run(
        [bin_ / "python", "-c", "import planner; print(planner.__file__)"], cwd=tmp_path, env=environ,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert str(own) in where.stdout
