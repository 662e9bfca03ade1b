"""An environment of its own for each program, made once and kept in build/; or why there is none."""

import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

HOME = Path(__file__).parent.parent.parent / "build" / "peers"
_INSTALL_SECONDS, _ASK_SECONDS = 900, 1_800
_TOLD = 200  # characters of what an installer said last


@dataclass(frozen=True)
class PeerProgram:
    """A program, what a package index calls it, and the module by which it is known to be that program."""

    name: str
    requirement: str
    module: str
    worker: str  # the file beside this one that asks it; empty where nobody could yet write one


PEERS = (
    PeerProgram("AIConfigurator", "aiconfigurator==0.12.0", "aiconfigurator.cli.api", "ask_aiconfigurator.py"),
    PeerProgram("llm-analysis", "llm-analysis==0.2.2", "llm_analysis.analysis", "ask_llm_analysis.py"),
    PeerProgram("SimuMax", "simumax", "simumax.core", ""),
    PeerProgram("Calculon", "calculon", "calculon.llm", ""),
)


class PeerUnavailableError(Exception):
    """Why a program is skipped, in words."""


def peer_python(peer: PeerProgram) -> Path:
    """The interpreter of the program's environment; made, and the program installed, where it is not there."""
    home = HOME / peer.name.lower()
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
    if not _has(python, peer.module):
        _install(python, peer)
    if not _has(python, peer.module):
        raise PeerUnavailableError(f"the index's {peer.requirement!r} is another program: it has no {peer.module}")
    if not peer.worker:
        raise PeerUnavailableError("it can be had now, but nobody has written how to ask it: see bench/peers")
    return python


def _has(python: Path, module: str) -> bool:
    return subprocess.run([python, "-c", f"import {module}"], check=False, capture_output=True).returncode == 0


def _install(python: Path, peer: PeerProgram) -> None:
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", peer.requirement]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=_INSTALL_SECONDS)
    except subprocess.TimeoutExpired as late:
        raise PeerUnavailableError(f"the package index took more than {_INSTALL_SECONDS / 60:.0f} minutes") from late
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        said = errors[0] if errors else f"pip ended with {done.returncode}"
        raise PeerUnavailableError(f"the package index does not give {peer.requirement!r} ({said[:_TOLD]})")


def ask(python: Path, worker: str, what: str, said: str = "") -> str:
    """Return the output of a worker, in its own environment, to a question."""
    file = Path(__file__).parent / worker
    done = subprocess.run(
        [str(python), str(file), what], input=said, check=False, capture_output=True, text=True, timeout=_ASK_SECONDS
    )
    if done.returncode:
        print(done.stderr[-2_000:], file=sys.stderr)
        raise PeerUnavailableError(
            f"it stopped with {(done.stderr.strip().splitlines() or ['nothing said'])[-1][:_TOLD]!r}"
        )
    return done.stdout
