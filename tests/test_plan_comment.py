"""The comment of a pull request: the change of cost of a plan between two commits."""

import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.facts import DAY
from tests.house import ROOT

pytestmark = pytest.mark.slow
SCRIPT = ROOT / "tools" / "plan_comment.py"


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two commits: the first has a plan, the second another one of that name, a new one, and one that is wrong."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "plan.yaml").write_text("years: 3\nwork:\n- accelerators: 8\n")
    (folder / "same.yaml").write_text("years: 3\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "First")
    (folder / "plan.yaml").write_text('name: "a|b @team <img> *x*"\nyears: 3\nwork:\n- accelerators: 16\n')
    (folder / "new.yaml").write_text("years: 2\n")
    (folder / "wrong.yaml").write_text("yeers: 2\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "Second")
    return folder


def comment(folder: Path, *plans: str, **environ: str) -> str:
    command = [sys.executable, str(SCRIPT), "--base", "HEAD~1", "--day", DAY.isoformat(), *plans]
    named = {name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")}
    done = subprocess.run(
        command,
        cwd=folder,
        env={**named, "PYTHONPATH": str(ROOT), **environ},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_says_what_a_change_costs_and_what_differs(repository: Path) -> None:
    text = comment(repository, "plan.yaml", "same.yaml", "new.yaml", "wrong.yaml")
    assert text.startswith("<!-- rent-or-buy: the cost of plans -->\n### plan.yaml\n")
    assert "same.yaml" not in text
    change, new, wrong = text.split("### ")[1:]
    assert "| Before | " in change
    assert "| After | " in change
    assert "\n**+$" in change
    assert "- `work.0.accelerators`: 8 → 16\n" in change or "8 → 16" in change
    assert "| New | " in new
    assert "yeers: there is no such key; did you mean years?" in wrong.replace("\\", "")
    assert "<img>" not in text
    assert "@team" not in text
    assert comment(repository, "same.yaml") == "No plan changes.\n"


@pytest.fixture
def github() -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    """The part of GitHub that a comment needs."""
    asked: list[tuple[str, str, str]] = []
    comments: list[dict[str, object]] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            asked.append((self.command, self.path, str(self.headers["Authorization"])))
            if body:
                comments[:] = [{"id": 5, **json.loads(body)}]
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(comments if self.command == "GET" else comments[0]).encode())

        def do_GET(self) -> None:
            self._answer()

        do_POST = do_PATCH = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


def test_one_comment_is_written_and_then_replaced(
    repository: Path, github: tuple[str, list[tuple[str, str, str]]]
) -> None:
    address, asked = github
    named = {"GITHUB_API_URL": address, "GITHUB_REPOSITORY": "a/b", "PULL_REQUEST": "7"}
    comment(repository, "new.yaml", **named)
    assert not asked  # without a token it only stands in the log
    for _ in range(2):
        comment(repository, "new.yaml", **named, GITHUB_TOKEN="secret")
    issues = "/repos/a/b/issues"
    assert [one[:2] for one in asked] == [
        ("GET", f"{issues}/7/comments?per_page=100"), ("POST", f"{issues}/7/comments"),
        ("GET", f"{issues}/7/comments?per_page=100"), ("PATCH", f"{issues}/comments/5"),
    ]  # fmt: skip
    assert {one[2] for one in asked} == {"Bearer secret"}


def test_the_action_runs_that_script_and_splices_nothing_into_a_command() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert action["runs"]["using"] == "composite"
    commands = [step["run"] for step in action["runs"]["steps"] if "run" in step]
    assert any("tools/plan_comment.py" in command for command in commands)
    assert not [command for command in commands if "${{" in command]
