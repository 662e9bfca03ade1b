"""The settings the app is served with: closed to the outside, and readable in both themes."""

import math
import os
import shutil
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.peers import __main__ as peers
from bench.peers import environments
from bench.peers.ask_aiconfigurator import formats
from bench.peers.cases import Case
from bench.peers.environments import PeerProgram, PeerUnavailableError, peer_python
from tests.browser import chromium
from tests.house import ROOT
from tests.rows import each_row
from tools import serve

SETTINGS = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
READABLE = 4.5  # contrast of body text, WCAG 2.2, success criterion 1.4.3

SAFE = [
    ("server", "address", "127.0.0.1"), ("server", "allowedHosts", ["127.0.0.1", "localhost"]),
    ("server", "enableCORS", True), ("server", "enableXsrfProtection", True), ("server", "enableStaticServing", False),
    ("server", "fileWatcherType", "none"), ("server", "headless", True), ("server", "maxUploadSize", 2),
    ("server", "maxMessageSize", 20), ("browser", "gatherUsageStats", False), ("client", "showErrorDetails", "none"),
    ("runner", "postScriptGC", False), ("client", "toolbarMode", "minimal"),
]  # fmt: skip


@each_row(("section", "name", "value"), SAFE)
def test_a_safe_setting_stays(section: str, name: str, value: object) -> None:
    assert SETTINGS[section][name] == value


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb as WCAG defines it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours, 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@each_row("theme", ["light", "dark"])
@each_row("ground", ["backgroundColor", "secondaryBackgroundColor"])
@each_row("ink", ["textColor", "linkColor", "primaryColor"])
def test_a_theme_can_be_read(theme: str, ground: str, ink: str) -> None:
    colours = SETTINGS["theme"][theme]
    assert contrast(colours[ink], colours[ground]) >= READABLE


def test_contrast_is_what_the_standard_says() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_no_font_is_fetched_from_elsewhere() -> None:
    fonts = [str(value) for name, value in SETTINGS["theme"].items() if "font" in name.lower()]
    assert fonts
    assert not any("://" in font for font in fonts)


BASICS = ("rm", "sh", "cat", "cmp", "dirname")


@pytest.fixture
def taken() -> Iterator[int]:
    """A port of this machine that somebody listens on."""
    with socket.socket() as listener:
        listener.bind((serve.HOST, 0))
        listener.listen()
        yield int(listener.getsockname()[1])


def test_a_free_port_is_used_as_asked(taken: int) -> None:
    free = serve.first_free(taken)
    assert free > taken
    assert serve.chosen(str(free)) == free


def test_without_a_wish_the_next_free_port_is_used(taken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "FIRST_PORT", taken)
    assert serve.chosen("") > taken


def test_a_taken_port_is_named_and_another_offered(taken: int) -> None:
    with pytest.raises(SystemExit, match=rf"Port {taken} is taken.*make app PORT=\d+"):
        serve.chosen(str(taken))


@pytest.mark.parametrize("asked", ["0", "65536", "-1", "8e3", "http"])
def test_what_is_no_port_is_refused(asked: str) -> None:
    with pytest.raises(SystemExit, match="want a number from 1 to 65535"):
        serve.chosen(asked)


@pytest.fixture
def bare_machine(tmp_path: Path) -> Path:
    """A copy of what making the environment needs, and a PATH with the shell's basics and no Python."""
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    for name in ("requirements.txt", "requirements-dev.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "bin").mkdir()
    for name in BASICS:
        (tmp_path / "bin" / name).symlink_to(str(shutil.which(name)))
    return tmp_path


def make_environment(machine: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """What tools/venv.sh says and gives there."""
    command = ["sh", str(machine / "tools" / "venv.sh"), "requirements.txt"]
    environment = {"PATH": str(machine / "bin"), **variables}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


def put_python(machine: Path, name: str, *, with_venv: bool) -> None:
    """A Python of that name there, with or without the module that makes environments."""
    lacks = "" if with_venv else 'case "$*" in *ensurepip*) exit 1 ;; esac\n'
    script = machine / "bin" / name
    script.write_text(f'#!/bin/sh\n{lacks}exec {sys.executable} "$@"\n')
    script.chmod(0o755)


def test_without_python_it_says_what_to_install(bare_machine: Path) -> None:
    done = make_environment(bare_machine)
    assert done.returncode == 1
    assert "needs Python 3.11" in done.stderr
    assert "Install one" in done.stderr


def test_without_the_venv_module_it_says_which_package(bare_machine: Path) -> None:
    put_python(bare_machine, "python3", with_venv=False)
    done = make_environment(bare_machine)
    assert done.returncode == 1
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert f"sudo apt install python{version}-venv" in done.stderr


def test_a_python_that_was_asked_for_and_is_none_is_named(bare_machine: Path) -> None:
    put_python(bare_machine, "python3", with_venv=True)
    done = make_environment(bare_machine, PYTHON="/bin/false")
    assert done.returncode == 1
    assert "PYTHON=/bin/false is not a Python 3.11" in done.stderr


def test_packages_are_installed_once_and_again_when_the_list_changes(bare_machine: Path) -> None:
    python = bare_machine / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\n[ "$1" = -c ] || echo "$@"\n')  # any Python is new enough, every installation works
    python.chmod(0o755)
    assert "-m pip install" in make_environment(bare_machine).stdout
    again = make_environment(bare_machine)
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")
    with (bare_machine / "requirements.txt").open("a") as requirements:
        requirements.write("# one more line\n")
    assert "-m pip install" in make_environment(bare_machine).stdout


def test_an_installation_that_fails_is_tried_again_next_time(bare_machine: Path) -> None:
    python = bare_machine / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\ncase "$*" in *install*) exit 1 ;; esac\n')
    python.chmod(0o755)
    for _ in range(2):
        done = make_environment(bare_machine)
        assert done.returncode == 1
        assert "could not be installed" in done.stderr


def test_an_installation_that_was_cut_off_begins_anew(bare_machine: Path) -> None:
    python = bare_machine / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    (bare_machine / ".venv" / "installing").touch()
    named, making = bare_machine / "bin" / "python3", 'case "$*" in *venv*) echo "$@" ;; esac'
    for program, script in ((python, "exit 0"), (named, making)):
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
    assert "-m venv --clear .venv" in make_environment(bare_machine).stdout
    assert make_environment(bare_machine).stdout == ""


def fake_browser(folder: Path, name: str, exit_status: int) -> str:
    """A program of that name that answers, or does not."""
    program = folder / name
    program.write_text(f"#!/bin/sh\nexit {exit_status}\n")
    program.chmod(0o755)
    return str(program)


@pytest.fixture
def nothing_downloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Playwright has no browser of its own here."""
    monkeypatch.setattr(chromium, "_downloaded", lambda: iter(()))
    monkeypatch.setattr(chromium, "MACOS", Path("/nowhere"))


@pytest.mark.usefixtures("nothing_downloaded")
def test_a_stub_that_only_says_how_to_install_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(chromium, "SYSTEM_NAMES", ("our-chromium", "our-chrome"))
    fake_browser(tmp_path, "our-chromium", exit_status=1)
    real = fake_browser(tmp_path, "our-chrome", exit_status=0)
    assert chromium.find() == real


@pytest.mark.usefixtures("nothing_downloaded")
def test_a_browser_is_fetched_one_way_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(chromium, "SYSTEM_NAMES", ("our-chrome",))
    tried = []
    monkeypatch.setattr(chromium, "_download", lambda: tried.append("download"))
    monkeypatch.setattr(chromium, "_apt_get", lambda: tried.append(fake_browser(tmp_path, "our-chrome", 0)))
    assert chromium.obtain() == str(tmp_path / "our-chrome")
    assert tried == ["download", str(tmp_path / "our-chrome")]


@pytest.mark.usefixtures("nothing_downloaded")
def test_where_none_can_be_had_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(chromium, "SYSTEM_NAMES", ())
    monkeypatch.setattr(chromium, "_download", lambda: None)
    monkeypatch.setattr(chromium, "_apt_get", lambda: None)
    assert chromium.main() == 1
    assert "sudo apt install chromium" in capsys.readouterr().err


def case(name: str, published: float, ours: float) -> Case:
    """A run of a dense model, published and by how much ours is off."""
    return Case(name, "Llama-3.1-8B", "dense", "H100-SXM5-80GB", published, ours, {"batch": 8.0})


def test_a_program_is_told_everything_but_the_answer() -> None:
    assert set(case("a", 100.0, 0.1).question()) == {"id", "model", "kind", "chip", "plan", "network", "machine"}


def test_errors_stand_over_the_rows_that_both_answer() -> None:
    cases = [case("a", 100.0, math.log(1.1)), case("b", 100.0, math.log(4.0)), case("c", 100.0, math.log(1.2))]
    told = {"a_second": 7.0, "refused": {"b": "ValueError: too large"}}
    lines = list(peers._compared(environments.PEERS[0], "serving", cases, {"a": 150.0, "c": 100.0}, told))
    assert lines[0] == "AIConfigurator, serving: 2 of 3 rows answered, 7 a second"
    assert "dense, 2 rows" in lines[1]
    assert "theirs 20.3% median, 50% within 25%" in lines[1]  # half of log 1.5
    assert "ours 13.9% median, 100% within 25%" in lines[1]  # between log 1.1 and log 1.2
    assert lines[2] == "  not answered: 1 x ValueError: too large"


def test_formats_are_tried_from_the_likeliest_on() -> None:
    assert formats(2.0, mixture=False) == [("bfloat16", None)]
    assert formats(1.0, mixture=True)[0] == ("fp8", "fp8")
    assert ("bfloat16", "w4a16_mxfp4") in formats(0.53, mixture=True)


@pytest.mark.slow
def test_what_cannot_be_had_is_skipped_with_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environments, "HOME", tmp_path)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(PeerUnavailableError, match="the package index does not give 'no-such-planner'"):
        peer_python(PeerProgram("Nobody", "no-such-planner", "no_such_planner", ""))
